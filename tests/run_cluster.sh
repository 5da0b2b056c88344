#!/usr/bin/env bash
# Tests that need servers, sessions and processes of their own, a script each in tests/cluster:
#   run_cluster.sh [NAME...]    all of them, or some by their file names without .sh
#   MEMORY_SEARCH_INSTALLED=1   the extension is installed already: neither set up nor build
# Stops at the first failure. The last line says how many checks passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
folder=$MEMORY_SEARCH_REPO/tests/cluster

tests=("$@")
if (( ${#tests[@]} == 0 )); then
  for file in "$folder"/*.sh; do tests+=("$(basename "$file" .sh)"); done
fi
prepare_extension
output=$(mktemp)
trap 'rm -f "$output"' EXIT
passed=0
for name in "${tests[@]}"; do
  [[ -x $folder/$name.sh ]] || die "there is no test tests/cluster/$name.sh"
  say "$name"
  "$folder/$name.sh" 2>&1 | tee "$output" || die "$name failed"
  # A script that ends early without an error, or checks nothing, has not passed.
  count=$(sed -nE '$s/^([1-9][0-9]*) passed$/\1/p' "$output")
  [[ -n $count ]] || die "$name did not say how many of its checks passed"
  passed=$(( passed + count ))
done
echo "$passed passed, 0 failed"
