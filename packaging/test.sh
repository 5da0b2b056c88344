#!/usr/bin/env bash
# Tests of all packages, of what dist/ has: test.sh. `make deb tarball dist` builds them.
# The last line says how many checks passed.
set -euo pipefail
# shellcheck source=packaging/stage.sh
. "$(dirname "${BASH_SOURCE[0]}")/stage.sh"
packaging=$MEMORY_SEARCH_REPO/packaging
output=$(mktemp)
trap 'rm -f "$output"' EXIT
total=0
counting() { # SCRIPT
  local count
  "$@" 2>&1 | tee "$output" || die "$1 failed"
  count=$(sed -nE '$s/^([1-9][0-9]*) passed, 0 failed$/\1/p' "$output")
  [[ -n $count ]] || die "$1 did not say how many checks passed"
  total=$(( total + count ))
}

"$packaging/docker/lint.sh"
say "the tarball"
counting "$packaging/tarball/test.sh"
say "the distribution for PGXN"
counting "$packaging/pgxn/test.sh"
say "the Debian packages"
counting "$packaging/debian/test.sh"
echo "$total passed, 0 failed"
