#!/usr/bin/env bash
# Tests on a real cluster of Citus, by hand: PG_CONFIG=/path/to/pg_config run_citus.sh [NAME...] [-OPTION...]
# That PostgreSQL must have Citus, pgvector and memory_search (make install PG_CONFIG=...). Neither part of all nor of CI.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
folder=$MEMORY_SEARCH_REPO/tests/citus

[[ -n ${PG_CONFIG:-} ]] || die "say which PostgreSQL: PG_CONFIG=/path/to/pg_config $0"
for extension in citus vector memory_search; do
  [[ -e $("$PG_CONFIG" --sharedir)/extension/$extension.control ]] || die "$extension is not installed in $PG_CONFIG"
done
files=() options=()
for word in "$@"; do
  case $word in
    -*) options+=("$word") ;;
    *) files+=("$folder/test_$word.py") ;;
  esac
done
(( ${#files[@]} > 0 )) || files=("$folder"/test_*.py)
"$MEMORY_SEARCH_REPO/pgrx-config/pytest.sh" -v -x --no-header "${options[@]}" "${files[@]}" || die "a test failed"
