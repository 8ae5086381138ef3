#!/usr/bin/env bash
# clean_system_test.sh BUILD: makes the Debian package of that build, installs it on a minimal Debian
# 12 that has never seen it, starts it by the unit's own words, asks it, stops it and purges it.
#
# The system is a chroot on a tmpfs in a mount and pid namespace of its own: whatever happens to this
# script, all that it has mounted and started is gone with it. Kept for the next run under
# build/clean-system: the bare system, and the packages that apt downloaded. The mirror is this
# machine's own, asked of apt each time.
set -euo pipefail
build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=$(cd "$here/../.." && pwd)/build/clean-system
root=$cache/root

skip() {
  echo "SKIPPED: $1"
  exit 77
}
fail() {
  echo "FAILED: $1"
  exit 1
}
did() { printf '%4d s  %s\n' "$SECONDS" "$1"; }

# Says what COMMAND said, without addresses, where it fails.
quietly() {
  local status=0
  "$@" >"$root.log" 2>&1 || status=$?
  [[ $status -eq 0 ]] || sed -E 's#[a-z+]+://[^ ]*#(a mirror)#g' "$root.log"
  rm -f "$root.log"
  return "$status"
}

if [[ ${2:-} != --inside ]]; then
  [[ $(id -u) -eq 0 ]] || skip "only root can make a system to install on"
  command -v debootstrap >/dev/null || skip "there is no debootstrap here"
  command -v dpkg-shlibdeps >/dev/null || skip "there is no dpkg-dev here to make the package with"
  grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release || skip "this machine is not a Debian 12"
  unshare --mount --pid --fork --mount-proc true 2>/dev/null ||
    skip "there are no mount and pid namespaces here"
  mkdir -p "$root" "$cache/archives/partial"
  exec unshare --mount --pid --fork --kill-child --mount-proc bash "$0" "$build" --inside
fi

# --- the package
package=$(cd "$build" && rm -f tanggul_*.deb && quietly cpack -G DEB && ls "$PWD"/tanggul_*.deb)
did "made ${package##*/}"

# --- a system
mount -t tmpfs -o size=2g,mode=755 none "$root"

# SITE RELEASE COMPONENT of each of this machine's sources that are Debian's own.
targets() {
  apt-get indextargets --format '$(SITE) $(CODENAME) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' 'Origin: Debian' | sort -u
}
mirror=$(targets | awk '$2 == "bookworm" { print $1; exit }')
[[ $mirror == http* ]] || {
  quietly apt-get update || fail "apt knows no mirror of Debian 12"
  mirror=$(targets | awk '$2 == "bookworm" { print $1; exit }')
}
[[ $mirror == http* ]] || skip "apt names no Debian 12 mirror that debootstrap could use"

bare_system() {
  local -a more=()
  [[ $mirror != https* ]] || more=(--include=ca-certificates)
  quietly debootstrap --variant=minbase --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
    "${more[@]}" bookworm "$root" "$mirror"
}
if [[ ! -f $cache/bookworm.tar ]]; then
  bare_system || bare_system || fail "debootstrap could not make a system"
  tar -C "$root" --one-file-system --exclude=./proc/* --exclude=./sys/* \
    --exclude=./etc/apt/sources.list --exclude=./etc/resolv.conf --exclude=./etc/hosts \
    --exclude=./var/lib/apt/lists/* --exclude=./var/cache/apt/* --exclude=./var/log/bootstrap.log \
    -cf "$cache/bookworm.tar.new" .
  mv "$cache/bookworm.tar.new" "$cache/bookworm.tar"
  did "made a bare Debian 12"
else
  tar -C "$root" -xf "$cache/bookworm.tar"
  did "unpacked the bare Debian 12"
fi
mount -t proc proc "$root/proc"
mkdir -p "$root/var/cache/apt/archives"
mount --bind "$cache/archives" "$root/var/cache/apt/archives"
cat /etc/resolv.conf >"$root/etc/resolv.conf"
cat /etc/hosts >"$root/etc/hosts"
targets | awk '{ print "deb", $1, $3, $4 }' >"$root/etc/apt/sources.list"
apt-config dump | grep -E '^Acquire::https?::' >"$root/etc/apt/apt.conf.d/90acquire" || true
cp -a /var/lib/apt/lists/. "$root/var/lib/apt/lists/"

within() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
  DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} \
  ${https_proxy:+https_proxy="$https_proxy"} "$@"; }

# --- installed
cp "$package" "$root/tmp/tanggul.deb"
install_it() { quietly within apt-get -qy install --no-install-recommends /tmp/tanggul.deb; }
install_it || { quietly within apt-get -q update && install_it; } || fail "apt could not install it"
rm -f "$root/tmp/tanggul.deb"
did "installed"

said=$(within tanggul --version) || fail "tanggul --version does not run"
[[ $said == "tanggul "* ]] || fail "tanggul --version says $said"
within tanggul check /etc/tanggul/tanggul.yaml >/dev/null || fail "the configuration is not good"

# --- started, as an administrator would have configured it
read -r port admin_port origin_port < <(python3 - <<'PORTS'
import socket
taken = [socket.socket() for _ in range(3)]
for s in taken: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in taken))
PORTS
)
mkdir "$root/tmp/origin"
echo "from the origin" >"$root/tmp/origin/file"
python3 -m http.server --bind 127.0.0.1 --directory "$root/tmp/origin" "$origin_port" \
  >/dev/null 2>&1 &
configuration=$root/etc/tanggul/tanggul.yaml
sed -i -e "s#^listen: [^ ]*#listen: 127.0.0.1:$port#" -e "s#^admin: [^ ]*#admin: 127.0.0.1:$admin_port#" \
  "$configuration"
printf '  o:\n    kind: generic\n    upstream: http://127.0.0.1:%s/\n' "$origin_port" >>"$configuration"

unit=$root/usr/lib/systemd/system/tanggul.service
read -r -a command < <(sed -n 's/^ExecStart=//p' "$unit")
user=$(sed -n 's/^User=//p' "$unit")
chroot "$root" setpriv --reuid="$user" --regid="$user" --init-groups --no-new-privs --bounding-set=-all \
  --inh-caps=-all /usr/bin/env -i PATH=/usr/bin:/bin "${command[@]}" >"$root/tmp/said" 2>&1 &
service=$!

answer() { curl -s -o "$root/tmp/answer" -w '%{http_code}' --noproxy '*' --max-time 10 "$1" || true; }
until [[ $(answer "http://127.0.0.1:$admin_port/healthz") == 200 ]]; do
  kill -0 "$service" 2>/dev/null || { cat "$root/tmp/said"; fail "the service did not start"; }
  [[ $SECONDS -lt 500 ]] || fail "the service does not answer"
  sleep 0.05
done
uid=$(within id -u "$user")
[[ $(stat -c %u "/proc/$service") == "$uid" && $uid -ne 0 ]] || fail "the service does not run as $user"
until curl -s -o /dev/null --noproxy '*' "http://127.0.0.1:$origin_port/file"; do sleep 0.05; done
status=$(answer "http://127.0.0.1:$port/o/file")
[[ $status == 200 ]] || { cat "$root/tmp/said"; fail "a request through it was answered $status"; }
grep -qx "from the origin" "$root/tmp/answer" || fail "the body is not the origin's"
within tanggul status --config /etc/tanggul/tanggul.yaml >/dev/null || fail "tanggul status failed"
did "served"

kill -TERM "$service"
status=0
wait "$service" || status=$?
[[ $status -eq 0 ]] || { cat "$root/tmp/said"; fail "SIGTERM ended it with $status"; }
did "stopped"

# --- gone
rm -rf "$root"/tmp/{origin,said,answer}
quietly within dpkg --purge tanggul || fail "it cannot be purged"
left=$(find "$root" -xdev -path "$root/proc" -prune -o \( -iname '*tanggul*' -o -uid "$uid" \) -print)
[[ -z $left ]] || fail "this is left of it: $left"
! within grep -rl tanggul /etc/passwd /etc/group /etc/shadow /etc/systemd /var/lib/dpkg/status ||
  fail "its name is left there"
did "purged, and nothing is left"
