#!/usr/bin/env bash
# Runs the examples of README.md and of the pages below docs/ unchanged on a throwaway server, and compares the outputs.
# First the SQL, then the programs of README.md and of docs/guide/clients.md, python.md and typescript.md.
#   run_docs.sh [PAGE...]       the SQL of these pages only
#   run_docs.sh --fill PAGE...  writes the output of the examples into the page
#   MEMORY_SEARCH_INSTALLED=1   the extension is installed already: neither set up nor build
# The last line says how many examples passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
prepare_extension
# shellcheck disable=SC2119 # the arguments are pages, not settings of the server
start_server
export PYTHONDONTWRITEBYTECODE=1
examples=$MEMORY_SEARCH_REPO/tests/docs/check_examples.py clients=$MEMORY_SEARCH_REPO/tests/docs/check_clients.py
if (( $# )); then
  python3 "$examples" "$@"
  if [[ $1 == --fill && " $* " =~ (README|clients|python|typescript)\.md ]]; then python3 "$clients" --fill; fi
  exit
fi

total=0
for script in "$examples" "$clients"; do
  printed=$(python3 "$script") || { printf '%s\n' "$printed"; exit 1; }
  printf '%s\n' "${printed%$'\n'*}"
  count=$(sed -nE '$s/^([1-9][0-9]*) passed, 0 failed$/\1/p' <<< "$printed")
  [[ -n $count ]] || die "$script did not say how many examples passed"
  total=$(( total + count ))
done
echo "$total passed, 0 failed"
