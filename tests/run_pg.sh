#!/usr/bin/env bash
# The suite on another PostgreSQL than 18: run_pg.sh 16|17 [install|sql|cluster|fuzz]...
#   install    builds the extension for it and installs it there; the others run what is installed
# Without a name all four, in this order. The servers are those that `setup.sh --for-tests` fetches.
#   run_pg.sh 16|17 sql-of-server   of the tests in SQL all but those that take long and ask a server for nothing of its own
#   run_pg.sh 16|17 cluster=NAME[:WORD]  one file of tests/cluster; of its tests those that have the word in their names
#   run_pg.sh 16|17 names           prints the tests of tests/cluster that run there
#   run_pg.sh 16|17 names-of-server prints those of them that are about what a server's version changes, as NAME[:WORD]
# The last line says how many tests passed, unless there was nothing but the installation.
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/../pgrx-config/paths.sh"
tests=$MEMORY_SEARCH_REPO/tests
usage="usage: run_pg.sh 16|17 [install|sql|sql-of-server|cluster[=NAME]|fuzz|names|names-of-server]..."
major=${1:-}
parts=("${@:2}")
if (( ${#parts[@]} == 0 )); then parts=(install sql cluster fuzz); fi

# Tests that are not run again on another server: those with servers of two versions, and those that count or measure
# for long.
not_again_sql=()
not_again_cluster=(pg_upgrade concurrent_load memory_growth recall stale_statistics stress wrong_statistics)
# Tests of the calls that differ between versions of the server: WAL and recovery, snapshots, VACUUM, the executor,
# partitions, privileges, dumps. The other tests are about code above these, and find on 16 the same as on 18. The
# longest tests come first. If a word follows a file, only the tests with this word in their names run: 16 looks names
# up in its own way while it builds an index, but the extension names the objects that it calls alike.
of_server=(rows_under_policies rows_in_partitions index_crashes wait_for_lsn recovery_conflicts index_standby read_only
  kill_nine undone_transactions dump_restore hostile_search_path:maintenance pages_read logical_replication standby
  backend_crash promotion reads_write_nothing drop_extension index_beside_old_snapshots permission_hook
  sealed_beside_vacuum stack_traces)
# Seconds each, about requests, the analyzer and ranking, which are the same code on every server.
above_server=(argument_types big_text bm25_oracle conditions_agree contexts_memory embeddings_of_any_length expand
  filters filters_brute_force import_table injection_arguments injection_names lateral_batch learn lifts list_entries
  many_stores memory_index_alike metadata_terms neighbours newest_filtered pairs_of_characters
  phrases_in_long_entries phrases_in_repetitive_entries query_limits related response_limit search_pages
  several_memories snippets transfer validity words_as_written words_same_bytes)
case $major in
  16)
    PG_CONFIG=$PG16_CONFIG
    # Also the tests that need contrib's dblink, file_fdw, pg_stat_statements, pg_buffercache or auto_explain, which
    # this build lacks, and the tests of stores in partitions, which exist from PostgreSQL 17 on.
    not_again_sql+=(adopt_kinds index_of_partitions ranking_of_partition)
    not_again_cluster+=(cancel_latency follow damaged_pages plans_kept policy_cost statement_lengths
      few_buffers partitioned_store partitioning_a_store partitions_dumped recording_in_partitions restored_memory
      rights_in_partitions writes_in_partitions) ;;
  17)
    PG_CONFIG=$PG17_CONFIG
    # This build's dblink and libpqwalreceiver look for libpq in a folder of the machine that built them, and then take
    # the system's, which may be an older one without some functions.
    export LD_LIBRARY_PATH=${PG17_CONFIG%/bin/*}/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ;;
  *) die "$usage" ;;
esac
export PG_CONFIG

output=$(mktemp)
trap 'rm -f "$output"' EXIT
passed=0 counted=0
# Runs a runner on that server. Its last line has the count, which is added up and printed once.
counting() { # COMMAND...
  local count
  [[ -e $("$PG_CONFIG" --pkglibdir)/memory_search.so ]] || die "the extension is not installed there: run tests/run_pg.sh $major install first"
  MEMORY_SEARCH_INSTALLED=1 "$@" 2>&1 | tee "$output" | sed '$ { /^[0-9]* passed, 0 failed$/ d }'
  count=$(sed -nE '$s/^([1-9][0-9]*) passed, 0 failed$/\1/p' "$output")
  [[ -n $count ]] || die "$1 did not say how many tests passed"
  passed=$(( passed + count )) counted=1
}

names_on_it() {
  local file name
  for file in "$tests"/cluster/test_*.py; do
    name=$(basename "$file" .py) name=${name#test_}
    if [[ " ${not_again_cluster[*]} " != *" $name "* ]]; then echo "$name"; fi
  done
}

names_of_server() {
  local name there
  there=$(names_on_it)
  for name in "${of_server[@]}"; do
    if [[ $'\n'$there$'\n' == *$'\n'"${name%:*}"$'\n'* ]]; then echo "$name"; fi
  done
}

for part in "${parts[@]}"; do
  if [[ $part != install && $part != names* ]]; then
    [[ -x $PG_CONFIG ]] || die "PostgreSQL $major is not here: run tests/run_pg.sh $major install first"
    "$PG_CONFIG" --version
  fi
  case $part in
    install)
      "$MEMORY_SEARCH_REPO/pgrx-config/setup.sh" --for-tests
      "$MEMORY_SEARCH_REPO/pgrx-config/install.sh"
      "$MEMORY_SEARCH_REPO/pgrx-config/install_script.sh" --check ;;
    sql | sql-of-server)
      names=()
      if [[ $part == sql-of-server ]]; then not_again_sql+=("${above_server[@]}"); fi
      for file in "$tests"/sql/sql/*.sql; do
        name=$(basename "$file" .sql)
        if [[ " ${not_again_sql[*]-} " != *" $name "* ]]; then names+=("$name"); fi
      done
      counting "$tests/run_sql.sh" "${names[@]}" ;;
    names) names_on_it ;;
    names-of-server) names_of_server ;;
    cluster)
      mapfile -t names < <(names_on_it)
      counting "$tests/run_cluster.sh" "${names[@]}" ;;
    cluster=*)
      name=${part#cluster=} word=()
      if [[ $name == *:* ]]; then word=("-k${name#*:}"); fi
      counting "$tests/run_cluster.sh" "${name%:*}" ${word[@]+"${word[@]}"} ;;
    fuzz) counting "$tests/run_fuzz.sh" --count 500 ;;
    *) die "$usage" ;;
  esac
done
if (( counted )); then echo "$passed passed, 0 failed"; fi
