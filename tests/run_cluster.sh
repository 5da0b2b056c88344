#!/usr/bin/env bash
# Tests that need servers, sessions and processes of their own, by pytest:
#   run_cluster.sh [NAME...] [-OPTION...]   all of them, or some: standby is tests/cluster/test_standby.py
#   MEMORY_SEARCH_INSTALLED=1               the extension is installed already: neither set up nor build
# Arguments that begin with a hyphen go to pytest (-k"a word of a test"). Stops at the first failure. The last line says
# how many checks passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
folder=$MEMORY_SEARCH_REPO/tests/cluster

names=() options=()
for word in "$@"; do
  case $word in
    -*) options+=("$word") ;;
    *)
      word=${word##*/} word=${word#test_} word=${word%.py}
      [[ -e $folder/test_$word.py ]] || die "there is no test tests/cluster/test_$word.py"
      names+=("$word") ;;
  esac
done
if (( ${#names[@]} == 0 )); then
  for file in "$folder"/test_*.py; do
    name=$(basename "$file" .py)
    names+=("${name#test_}")
  done
fi

prepare_extension
output=$(mktemp)
trap 'rm -f "$output"' EXIT
files=("${names[@]/#/$folder/test_}")
files=("${files[@]/%/.py}")
"$MEMORY_SEARCH_REPO/pgrx-config/pytest.sh" -v -x --no-header "${options[@]}" "${files[@]}" 2>&1 | tee "$output" \
  || die "a test failed"
# A test that ends early without an error, or checks nothing, has not passed.
passed=$(sed -nE '$s/^([1-9][0-9]*)( checks)? passed$/\1/p' "$output")
[[ -n $passed ]] || die "pytest did not say how many checks passed"
echo "$passed passed, 0 failed"
