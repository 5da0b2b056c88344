#!/usr/bin/env bash
# The suite on PostgreSQL 16, the oldest server that is supported: run_pg16.sh [install|sql|cluster|fuzz]...
#   install    builds the extension for it and installs it there; the others run what is installed
# Without a name all four, in this order. The server is the one that `setup.sh --for-tests` fetches.
# The last line says how many tests passed, unless there was nothing but the installation.
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/../pgrx-config/paths.sh"
tests=$MEMORY_SEARCH_REPO/tests
parts=("$@")
if (( ${#parts[@]} == 0 )); then parts=(install sql cluster fuzz); fi

# Not again on this server: what has servers of both versions, what counts or measures for long, and what needs
# contrib's dblink, file_fdw, pg_stat_statements, pg_buffercache or auto_explain, which this build lacks.
not_again_sql=(adopt_kinds)
not_again_cluster=(pg_upgrade policy_cost plans_kept wrong_statistics cancel_latency concurrent_load memory_growth
  stress damaged_pages recall partitioned_store partitioning_a_store rights_in_partitions
  distributed_statements)

output=$(mktemp)
trap 'rm -f "$output"' EXIT
export PG_CONFIG=$PG16_CONFIG
passed=0 counted=0
# A runner on that server. Its last line is the count, which is added up and said once.
counting() { # COMMAND...
  local count
  [[ -e $("$PG_CONFIG" --pkglibdir)/memory_search.so ]] || die "the extension is not installed there: run tests/run_pg16.sh install first"
  MEMORY_SEARCH_INSTALLED=1 "$@" 2>&1 | tee "$output" | sed '$ { /^[0-9]* passed, 0 failed$/ d }'
  count=$(sed -nE '$s/^([1-9][0-9]*) passed, 0 failed$/\1/p' "$output")
  [[ -n $count ]] || die "$1 did not say how many tests passed"
  passed=$(( passed + count )) counted=1
}

for part in "${parts[@]}"; do
  if [[ $part != install ]]; then
    [[ -x $PG_CONFIG ]] || die "PostgreSQL 16 is not here: run tests/run_pg16.sh install first"
    "$PG_CONFIG" --version
  fi
  case $part in
    install)
      "$MEMORY_SEARCH_REPO/pgrx-config/setup.sh" --for-tests
      "$MEMORY_SEARCH_REPO/pgrx-config/install.sh"
      "$MEMORY_SEARCH_REPO/pgrx-config/install_script.sh" --check ;;
    sql)
      names=()
      for file in "$tests"/sql/sql/*.sql; do
        name=$(basename "$file" .sql)
        if [[ " ${not_again_sql[*]} " != *" $name "* ]]; then names+=("$name"); fi
      done
      counting "$tests/run_sql.sh" "${names[@]}" ;;
    cluster) counting "$tests/run_cluster.sh" --but "${not_again_cluster[@]}" ;;
    fuzz) counting "$tests/run_fuzz.sh" --count 500 ;;
    *) die "usage: run_pg16.sh [install|sql|cluster|fuzz]..." ;;
  esac
done
if (( counted )); then echo "$passed passed, 0 failed"; fi
