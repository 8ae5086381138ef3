#!/usr/bin/env bash
# unit_test.sh BUILD: installs to a prefix of its own; systemd finds nothing to say about the units,
# whose program is there, and the configuration that they name is a good one.
set -euo pipefail
build=$1
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

cmake --install "$build" --prefix "$stage" >/dev/null
units=("$stage/lib/systemd/system/tanggul.service" "$stage/lib/systemd/system/tanggul-sync.service")
for unit in "${units[@]}"; do
  program=$(sed -n 's/^ExecStart=\([^ ]*\).*/\1/p' "$unit")
  configuration=$(sed -n 's/^ExecStart=.*--config //p' "$unit")
  [[ $program == "$stage/bin/tanggul" ]] || { echo "ExecStart names $program"; exit 1; }
  "$program" check "$configuration" >/dev/null
done

echo "# mine" >>"$configuration"
cmake --install "$build" --prefix "$stage" >/dev/null
tail -n 1 "$configuration" | grep -qx '# mine' || { echo "the configuration was overwritten"; exit 1; }

if ! command -v systemd-analyze >/dev/null; then
  echo "SKIPPED: there is no systemd-analyze here to verify the unit"
  exit 77
fi
for unit in "${units[@]}"; do
  said=$(systemd-analyze verify "$unit" 2>&1) || { echo "systemd-analyze verify failed: $said"; exit 1; }
  [[ -z $said ]] || { echo "systemd-analyze verify says: $said"; exit 1; }
  exposure=$(systemd-analyze security --offline=true --threshold=30 "$unit" 2>&1 | tail -n 1) ||
    { echo "${unit##*/} is exposed: $exposure"; exit 1; }
  echo "${unit##*/}: $exposure"
done
