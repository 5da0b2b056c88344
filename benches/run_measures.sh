#!/usr/bin/env bash
# The speed of the embedder in a session, searches, additions. Writes
# benches/report/measures.md; fails when a bar is missed. From the environment:
#   BENCH_DIR   the folder of corpus.tsv.gz; else ../shared/bench beside the repository; where
#               there is none, texts are made up
set -euo pipefail
# shellcheck source=benches/measured_build.sh
. "$(dirname "${BASH_SOURCE[0]}")/measured_build.sh"
benches=$MEMORY_SEARCH_REPO/benches

(( $# == 0 )) || die "usage: run_measures.sh, without arguments"
build=$(describe_build)
build_to_measure

figures=$(mktemp -d)
trap 'rm -rf "$figures"; scratch_on_exit' EXIT
measure() {
  PYTHONDONTWRITEBYTECODE=1 python3 "$benches/measures/run.py" "$@" \
    --build "$build" --corpus "${BENCH_DIR:-$MEMORY_SEARCH_REPO/../shared/bench}"
}

scratch_start "${MEASURED_SETTINGS[@]}"
say "measuring"
measure plain "$figures/figures"
scratch_stop

scratch_start "${MEASURED_SETTINGS[@]}" "shared_preload_libraries = 'memory_search'"
say "measuring with the library preloaded"
measure preloaded "$figures/figures"

measure report "$figures/figures" "$benches/report/measures.md"
say "all measured"
