#!/usr/bin/env bash
# products_test.sh BUILD: builds the products example against the installed library and asks it, before a
# PostgreSQL of its own that listens in a folder of its own.
set -euo pipefail
build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

skip() {
  echo "SKIPPED: $1"
  exit 77
}
fail() {
  echo "FAILED: $1"
  exit 1
}
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[[ -n $bin && -x $bin/initdb ]] || skip "there is no PostgreSQL server here"
[[ -e /usr/include/postgresql/libpq-fe.h ]] || skip "there is no libpq-dev here"

work=$(mktemp -d)
chmod 755 "$work"
service="" postgres=""
finish() {
  [[ -z $service ]] || kill "$service" 2>/dev/null || true
  if [[ -s $work/data/postmaster.pid ]]; then
    postgres=$(head -n 1 "$work/data/postmaster.pid")
    kill -INT "$postgres" 2>/dev/null || true  # its fast shutdown
    while kill -0 "$postgres" 2>/dev/null; do sleep 0.05; done
  fi
  rm -rf "$work"
}
trap finish EXIT
quietly() {
  "$@" >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
}

cmake --install "$build" --component dev --prefix "$work/prefix" >/dev/null
quietly cmake -S "$work/prefix/share/doc/tanggul/examples/products" -B "$work/build" -G Ninja \
  -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" && quietly cmake --build "$work/build" -- -j2 ||
  fail "the example cannot be built"
printf '%4d s  built\n' "$SECONDS"

# The server refuses root.
as_owner=()
if [[ $(id -u) -eq 0 ]]; then
  id postgres >/dev/null 2>&1 || skip "there is no user postgres here"
  as_owner=(setpriv --reuid=postgres --regid=postgres --clear-groups)
fi
mkdir "$work/data" "$work/run"
[[ ${#as_owner[@]} -eq 0 ]] || chown postgres "$work/data" "$work/run"
cd /
quietly "${as_owner[@]}" "$bin/initdb" -D "$work/data" -A trust -U postgres --no-sync --locale=C.UTF-8 ||
  fail "initdb"
quietly "${as_owner[@]}" "$bin/pg_ctl" -D "$work/data" -w -l "$work/run/log" \
  -o "-c listen_addresses= -c fsync=off -c unix_socket_directories=$work/run" start ||
  { cat "$work/run/log"; fail "PostgreSQL does not start"; }
sql() { psql -qAtX -v ON_ERROR_STOP=1 -h "$work/run" -U postgres "$@"; }
sql -f "$work/prefix/share/doc/tanggul/examples/products/schema.sql"
# The same table, now counted and as slow as it is told to be.
sql -f "$here/counted_products.sql"
printf '%4d s  PostgreSQL runs\n' "$SECONDS"

"$work/build/products" 0 "host=$work/run user=postgres dbname=postgres" >"$work/said" 2>"$work/errors" &
service=$!
until grep -q '^listening' "$work/said"; do
  kill -0 "$service" 2>/dev/null || { cat "$work/errors"; fail "the service does not start"; }
  sleep 0.05
done
port=$(sed -n 's/.*://p' "$work/said")
python3 "$here/products_client.py" "$port" "$work/run" || { cat "$work/errors"; fail "see above"; }
kill -TERM "$service"
wait "$service" || fail "the service ended with $?"
service=""
printf '%4d s  asked\n' "$SECONDS"
