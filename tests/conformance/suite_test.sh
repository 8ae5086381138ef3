#!/usr/bin/env bash
# suite_test.sh BUILD SETTINGS: runs http-cache-tests through `tanggul serve` with SETTINGS.yaml and
# holds the results against SETTINGS.txt. 77: the suite cannot be had.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1 settings=$2
suite=$build/conformance/node_modules/http-cache-tests
version=0.4.5

for program in node npm; do
  command -v "$program" >/dev/null || { echo "skipped: there is no $program"; exit 77; }
done
if [[ ! -f $build/conformance/have-$version ]]; then
  mkdir -p "$build/conformance"
  if ! (cd "$build/conformance" && echo '{"private":true}' >package.json &&
    timeout 240 npm install --no-audit --no-fund --ignore-scripts --fetch-retries 1 \
      "http-cache-tests@$version" >npm.log 2>&1); then
    echo "skipped: npm cannot fetch http-cache-tests@$version:"
    tail -n 3 "$build/conformance/npm.log"
    exit 77
  fi
  touch "$build/conformance/have-$version"
fi

work=$(mktemp -d)
pids=()
finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

read -r origin listen admin < <(node -e '
  const { createServer } = require("net")
  const all = [0, 0, 0].map(() => createServer().listen(0, "127.0.0.1"))
  let open = 0
  all.forEach(s => s.on("listening", () => {
    if (++open < 3) return
    console.log(all.map(s => s.address().port).join(" "))
    all.forEach(s => s.close())
  }))')

{ sed "s|ORIGIN|http://127.0.0.1:$origin|" "$here/$settings.yaml"
  printf 'listen: 127.0.0.1:%s\nadmin: 127.0.0.1:%s\ndata_dir: %s\naccess_log: off\n' \
    "$listen" "$admin" "$work/data"; } >"$work/tanggul.yaml"

# The suite reads its settings from where npm would put them.
(cd "$suite" && exec env npm_config_protocol=http npm_config_port="$origin" \
  npm_config_pidfile="$work/pid" node server/server.mjs) >"$work/origin.log" 2>&1 &
pids+=($!)
"$build/bin/tanggul" serve --config "$work/tanggul.yaml" >"$work/tanggul.log" 2>&1 &
pids+=($!)
for _ in $(seq 100); do
  if (exec 3<>"/dev/tcp/127.0.0.1/$origin") 2>/dev/null &&
    (exec 3<>"/dev/tcp/127.0.0.1/$listen") 2>/dev/null; then break; fi
  sleep 0.1
done

(cd "$suite" && env -u npm_config_id npm_package_config_id= \
  npm_config_base="http://127.0.0.1:$listen" timeout 240 node --no-warnings cli.mjs) \
  >"$work/results.json"
node --no-warnings "$here/judge.mjs" "$suite" "$work/results.json" "$here/$settings.txt" ||
  { tail -n 20 "$work/tanggul.log"; exit 1; }
