#!/usr/bin/env bash
# Many memories of few entries in one store: run_many_entries.sh [ENTRIES [MEMORIES]], 2,000,000 in 200,000 without.
# Loads them, and measures what they take, searches when the buffers are warm and when they are empty, and searches beside
# a session that adds, changes and deletes while autovacuum works. Writes benches/report/many_entries.md. It needs 8 GB
# of disk and 20 minutes. From the environment:
#   BENCH_DATA_DIR  the folder of corpus.tsv.gz; else ../shared/bench beside the repository
set -euo pipefail
# shellcheck source=benches/measured_build.sh
. "$(dirname "${BASH_SOURCE[0]}")/measured_build.sh"
benches=$MEMORY_SEARCH_REPO/benches

(( $# <= 2 )) || die "usage: run_many_entries.sh [ENTRIES [MEMORIES]]"
corpus=${BENCH_DATA_DIR:-$MEMORY_SEARCH_REPO/../shared/bench}
[[ -e $corpus/corpus.tsv.gz ]] || die "there is no corpus.tsv.gz in $corpus: set BENCH_DATA_DIR"
build=$(describe_build)
build_to_measure

settings=(
  "shared_buffers = 2GB" "maintenance_work_mem = 1GB" "max_wal_size = 4GB" "max_parallel_workers_per_gather = 0"
  "jit = off" "fsync = on" "full_page_writes = on" "synchronous_commit = on"
  "autovacuum_naptime = 5s" "autovacuum_vacuum_insert_scale_factor = 0.002" "autovacuum_vacuum_scale_factor = 0.002"
)
scratch_start "${settings[@]}"
# A restart empties the server's buffers.
restart() {
  cluster_stop "$SCRATCH_DIR" fast
  cluster_start "$SCRATCH_DIR" scratch "$(printf '%s\n' "${settings[@]}")"
  # shellcheck source=/dev/null
  . "$SCRATCH_DIR/connection.env"
}
figures=$SCRATCH_DIR/figures
measure() {
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$benches:$benches/bench python3 "$benches/many_entries/run.py" "$@" \
    --figures "$figures" --build "$build" --settings "$(printf '%s\n' "${settings[@]}")"
}
measure load --corpus "$corpus" --entries "${1:-2000000}" --memories "${2:-200000}"
restart
measure cold
measure warm
measure writes
measure report --out "$benches/report/many_entries.md"
