#!/usr/bin/env bash
# docs/reference against the code: signatures, settings, options, filters, fields, SQLSTATEs, limits and defaults, on a
# throwaway server.
#   --write   fills the pages' generated parts instead (make reference)
#   MEMORY_SEARCH_INSTALLED=1   the extension is installed already: neither set up nor build
# The last line says how many checks passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[[ $# == 0 || $* == --write ]] || die "the only argument is --write"
prepare_extension
start_server
psql -X -q -v ON_ERROR_STOP=1 -c 'CREATE DATABASE reference TEMPLATE template0'
export PGDATABASE=reference PYTHONDONTWRITEBYTECODE=1
folder=$MEMORY_SEARCH_REPO/tests/reference
PGOPTIONS='-c client_min_messages=warning' psql -X -q -v ON_ERROR_STOP=1 -o /dev/null -f "$folder/sample.sql"
if [[ $* == --write ]]; then
  python3 "$folder/generate.py"
else
  parts=$(python3 "$folder/generate.py" --check)
  defaults=$(python3 "$folder/check_defaults.py")
  printf '%s\n%s\n' "${parts%$'\n'*}" "${defaults%$'\n'*}"
  count() { sed -nE '$s/^([1-9][0-9]*) passed, 0 failed$/\1/p' <<< "$1"; }
  echo "$(( $(count "$parts") + $(count "$defaults") )) passed, 0 failed"
fi
