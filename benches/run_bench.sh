#!/usr/bin/env bash
# Measures memory_search beside its alternatives (hand-written SQL, other extensions), on one store, in one run. Writes
# benches/report/bench.md and its plots; a run with ENTRIES or QUICK is a trial and writes them to the dev folder. From
# the environment:
#   ENTRIES          size of the store; else all there are (465,607), or 100,000 made-up ones
#   QUICK=1          a store of 50,000, fewer rounds: within 5 minutes
#   BENCH_DATA_DIR   the folder of corpus.tsv.gz and queries.tsv; else ../shared/bench beside the
#                    repository; without it, texts are made up
set -euo pipefail
# shellcheck source=benches/measured_build.sh
. "$(dirname "${BASH_SOURCE[0]}")/measured_build.sh"
benches=$MEMORY_SEARCH_REPO/benches

(( $# == 0 )) || die "usage: run_bench.sh, without arguments"
[[ ${ENTRIES:-} =~ ^[0-9]*$ ]] || die "ENTRIES is a number"
# matplotlib of this version draws the plots, in the environment that set-up's pip is in.
MATPLOTLIB=matplotlib==3.11.2
bench_python() { PYTHONDONTWRITEBYTECODE=1 python3 "$benches/bench/run.py" "$@"; }

build=$(describe_build)
build_to_measure

# --- The server: all in memory, one process a search ---------------------------------------------

memory_mb=$(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo)
buffers_mb=$(( memory_mb / 4 > 4096 ? 4096 : memory_mb / 4 ))
build_mb=$(( memory_mb / 8 > 2048 ? 2048 : memory_mb / 8 ))
settings=(
  "shared_buffers = ${buffers_mb}MB" "maintenance_work_mem = ${build_mb}MB" "work_mem = 64MB" "jit = off"
  "max_parallel_workers_per_gather = 0" "max_parallel_maintenance_workers = $(nproc)"
  "fsync = on" "synchronous_commit = on" "max_wal_size = 16GB" "checkpoint_timeout = 1h" "autovacuum = off"
)
# A parallel build shares its memory through /dev/shm, which containers keep small.
shm_mb=$(df -Pm /dev/shm | awk 'END { print $4 }') || shm_mb=0
if (( shm_mb < build_mb + 256 )); then settings+=("dynamic_shared_memory_type = mmap"); fi
libraries=$(bench_python libraries "$("${PG_CONFIG:-$PG18_CONFIG}" --pkglibdir)")
if [[ -n $libraries ]]; then settings+=("shared_preload_libraries = '$libraries'"); fi

report=$benches/report command='make bench' arguments=()
if [[ -n ${QUICK:-} ]]; then command+=' QUICK=1' arguments+=(--quick); fi
if [[ -n ${ENTRIES:-} ]]; then command+=" ENTRIES=$ENTRIES" arguments+=(--entries "$ENTRIES"); fi
if (( ${#arguments[@]} )); then report=$MEMORY_SEARCH_DEV/bench; fi

figures=$(mktemp -d)
trap 'rm -rf "$figures"; scratch_on_exit' EXIT
scratch_start "${settings[@]}"
say "measuring"
bench_python measure "$figures/figures.json" --build "$build" --command "$command" \
  --data "${BENCH_DATA_DIR:-$MEMORY_SEARCH_REPO/../shared/bench}" "${arguments[@]}"
scratch_stop

# --- The report ------------------------------------------------------------------------------------

plots=()
mkdir -p "$report"
python=$MEMORY_SEARCH_DEV/venv/bin/python
if { [[ -x $python ]] || python3 -m venv "$MEMORY_SEARCH_DEV/venv"; } \
  && "$python" -m pip install -q --disable-pip-version-check "$MATPLOTLIB"; then
  say "drawing"
  PYTHONDONTWRITEBYTECODE=1 "$python" "$benches/bench/plots.py" "$figures/figures.json" "$report"
  for file in "$report"/bench-*.svg; do plots+=("$(basename "$file")"); done
else
  say "SKIPPED: no plots, for $MATPLOTLIB could not be installed"
fi
bench_python report "$figures/figures.json" "$report/bench.md" --plots ${plots[@]+"${plots[@]}"}
say "all measured; the report is $report/bench.md"
