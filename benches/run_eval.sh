#!/usr/bin/env bash
# How good the search is, on the evaluation sets: run_eval.sh [smoke|full] [options of eval/run.py]
#   full    every set, model and mode; writes benches/report/eval.md (the default)
#   smoke   one set, the default mode: under a minute; writes nothing
# Fails when the default mode finds less than it has to. From the environment:
#   EVAL_DIR   the evaluation data; else ../shared/eval beside the repository
set -euo pipefail
# shellcheck source=benches/measured_build.sh
. "$(dirname "${BASH_SOURCE[0]}")/measured_build.sh"
benches=$MEMORY_SEARCH_REPO/benches

mode=full
case ${1:-} in
  smoke|full) mode=$1; shift ;;
  ''|-*) ;;
  *) die "usage: run_eval.sh [smoke|full] [options of eval/run.py]" ;;
esac

eval_dir=${EVAL_DIR:-$MEMORY_SEARCH_REPO/../shared/eval}
if [[ ! -e $eval_dir/score.py ]]; then
  echo "not run: no evaluation data (set EVAL_DIR to the folder that holds score.py and the sets)"
  exit 0
fi
eval_dir=$(cd "$eval_dir" && pwd)

arguments=(--command "benches/run_eval.sh $mode" --build "$(describe_build)")
if [[ $mode == smoke ]]; then
  arguments+=(--smoke)
elif (( $# == 0 )); then
  # A run with options of its own is a trial: the report keeps the whole picture.
  arguments+=(--report "$benches/report/eval.md")
fi

build_to_measure
scratch_start "${MEASURED_SETTINGS[@]}"
say "measuring"
PYTHONDONTWRITEBYTECODE=1 python3 "$benches/eval/run.py" "$eval_dir" "${arguments[@]}" "$@"
say "the evaluation is complete"
