#!/usr/bin/env bash
# rules_test.sh: the rules and the example configuration that are shipped, checked and played by promtool.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
command -v promtool >/dev/null || {
  echo "SKIPPED: there is no promtool here"
  exit 77
}
promtool check rules deploy/prometheus/shield.rules.yml
promtool check config deploy/prometheus/prometheus.yml
promtool test rules tests/prometheus/*.test.yml
