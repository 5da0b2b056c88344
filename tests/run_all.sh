#!/usr/bin/env bash
# The tests, in three lanes beside each other, as a developer runs them before a merge and CI on a fresh clone:
#   run_all.sh           every tier; what runs for long runs short, and 16 only what its version can break (make test)
#   run_all.sh --check   lint, core and sql on 18: before a commit (make check)
#   run_all.sh --long    besides, everything on 16, recall in full, a minute of stress and of load: before a release
# From the environment:
#   LANES=N              how many jobs run beside each other, one that compiles taking the place of two; 3
#   KEEP_GOING=1         go on after a failure, to see all of them; without it no further job begins
# The last lines have the time of each tier and the number of tests that passed, or the tests that failed. Each tier's
# script stops its servers, for every way in which the run ends.
set -euo pipefail
# shellcheck source=pgrx-config/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/../pgrx-config/build.sh"
# shellcheck source=tests/lanes.sh
. "$(dirname "${BASH_SOURCE[0]}")/lanes.sh"
tests=$MEMORY_SEARCH_REPO/tests config=$MEMORY_SEARCH_REPO/pgrx-config

mode=${1:-}
[[ $# -le 1 && " --check --long " == *" ${mode:---long} "* ]] || die "usage: run_all.sh [--check|--long]"

# Cargo builds the program for the tests of its command line, in the job core-compile. The evaluation measures what is
# installed.
export MCP_PROGRAM=${CARGO_TARGET_DIR:-$MEMORY_SEARCH_REPO/target}/debug/memory-search

# In an empty target folder, line numbers for debuggers would take a tenth of the time of compiling, and the files for
# incremental compiling more. In a used folder cargo would compile everything again without them.
if [[ ! -e ${CARGO_TARGET_DIR:-$MEMORY_SEARCH_REPO/target} ]]; then
  export CARGO_PROFILE_DEV_DEBUG=none CARGO_PROFILE_RELEASE_DEBUG=none CARGO_INCREMENTAL=0
fi

# --- The jobs, those first that others wait for, then those that take longest ----------------------

installed() { job "$1" "$2" counts "$3" env MEMORY_SEARCH_INSTALLED=1 "${@:4}"; }
cluster_18() { # NAME... Each file of tests/cluster is a job.
  local name needs
  for name in "$@"; do
    needs=library-18
    case $name in
      pg_upgrade) needs='library-18 library-16' ;;
      follow*) needs='library-18 core-compile' ;; # which builds the program
    esac
    installed cluster "cluster-18 $name" "$needs" "$tests/run_cluster.sh" "$name"
  done
}
cluster_16() { # NAME...
  local name
  for name in "$@"; do installed cluster-16 "cluster-16 $name" library-16 "$tests/run_pg.sh" 16 "cluster=$name"; done
}

if [[ ! -x $PG18_CONFIG ]]; then begin_build; fi
"$config/setup.sh" --for-tests
job build library-18 steps:cargo '' env PG_CONFIG="$PG18_CONFIG" "$config/install.sh"
job lint lint steps '' "$config/lint.sh" --text
job lint clippy steps:cargo '' "$config/lint.sh" --cargo
job build install-script steps:cargo library-18 "$config/install_script.sh" --check
job core core-compile steps:cargo '' "$tests/run_core.sh" --compile
job core core counts core-compile "$tests/run_core.sh" --run
for half in 1 2; do installed sql "sql-$half" library-18 env SHARE="$half/2" "$tests/run_sql.sh"; done
if [[ $mode != --check ]]; then
  # The tests on 16 are for differences of its server, so the library is optimized little; a release runs the whole
  # suite on an optimized library.
  if [[ $mode != --long ]]; then quick=(env EXTENSION_OPT_LEVEL=1); else quick=(); fi
  job build library-16 steps:cargo 'library-18 clippy' ${quick[@]+"${quick[@]}"} "$tests/run_pg.sh" 16 install
  # Tests on 17 would take too long here: tests/run_pg.sh 17 runs them before a release. Clippy shows that the code
  # compiles for 17.
  job lint clippy-17 steps:cargo clippy "$config/lint.sh" --cargo 17
  if [[ $mode == --long ]]; then export LONG=1; else export SECONDS_OF_LOAD=${SECONDS_OF_LOAD:-15}; fi
  slow=(stress concurrent_load recall wait_for_lsn planned_by_shard cancel_latency rows_on_other_servers)
  cluster_18 "${slow[@]}"
  installed clients typescript library-18 "$tests/run_typescript.sh"
  installed docs docs library-18 "$tests/run_docs.sh"
  installed mcp mcp 'library-18 core-compile' "$tests/run_mcp.sh"
  installed mcp embedded 'library-18 core-compile' "$tests/run_embedded.sh"
  installed clients python library-18 "$tests/run_python.sh"
  installed docs cookbook library-18 "$tests/run_cookbook.sh"
  # Other calls in each run: those of many runs are many.
  calls=(--count 10000)
  if [[ $mode == --long ]]; then calls=(); fi
  installed fuzz fuzz library-18 "$tests/run_fuzz.sh" ${calls[@]+"${calls[@]}"}
  for file in "$tests"/cluster/test_*.py; do
    name=$(basename "$file" .py) name=${name#test_}
    if [[ " ${slow[*]} " != *" $name "* ]]; then cluster_18 "$name"; fi
  done
  installed isolation isolation library-18 "$tests/run_isolation.sh"
  installed isolation isolation-4 library-18 env PARTITIONS=4 "$tests/run_isolation.sh"
  installed reference reference library-18 "$tests/run_reference.sh"
  job lint pgspot steps library-18 env MEMORY_SEARCH_INSTALLED=1 "$config/pgspot.sh" --installed
  job eval eval steps library-18 env SKIP_INSTALL=1 "$MEMORY_SEARCH_REPO/benches/run_eval.sh" smoke
  names='names-of-server' sql='sql-of-server'
  if [[ $mode == --long ]]; then names=names sql=sql; fi
  for half in 1 2; do installed sql-16 "sql-16-$half" library-16 env SHARE="$half/2" "$tests/run_pg.sh" 16 "$sql"; done
  installed fuzz fuzz-16 library-16 "$tests/run_pg.sh" 16 fuzz
  for name in $("$tests/run_pg.sh" 16 "$names"); do cluster_16 "$name"; done
fi

# --- Run --------------------------------------------------------------------------------------------

status=0
run_jobs "${LANES:-3}" || status=$?
jobs_table
grep -hE '^(\*\*\* NOT run|not run: no evaluation data)' "$JOBS"/*.log || true
if (( status )); then
  failed_jobs
  die "a job failed: see above"
fi
say "done"
echo "$(jobs_passed) passed, 0 failed"
