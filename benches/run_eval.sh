#!/usr/bin/env bash
# The quality of searches on the evaluation sets: run_eval.sh [smoke|full] [options of eval/run.py]
#   full    every set, model and mode; writes benches/report/eval.md and eval_scores.tsv, the score of each query
#           (the default)
#   smoke   four sets, the default mode: under two minutes; writes nothing
# Fails when the default mode finds less than it has to; smoke also when it lost more than noise since the scores that
# are kept. From the environment:
#   EVAL_DIR   the evaluation data; else ../shared/eval beside the repository
set -euo pipefail
# shellcheck source=benches/measured_build.sh
. "$(dirname "${BASH_SOURCE[0]}")/measured_build.sh"
benches=$MEMORY_SEARCH_REPO/benches
scores=$benches/report/eval_scores.tsv
export PYTHONDONTWRITEBYTECODE=1

mode=full
case ${1:-} in
  smoke|full) mode=$1; shift ;;
  ''|-*) ;;
  *) die "usage: run_eval.sh [smoke|full] [options of eval/run.py]" ;;
esac

# Tests the harness first, because figures of a wrong one mean nothing. The tests need no data.
say "does the harness see a loss?"
python3 -m unittest discover -q -s "$benches/eval"

eval_dir=${EVAL_DIR:-$MEMORY_SEARCH_REPO/../shared/eval}
if [[ ! -e $eval_dir/score.py ]]; then
  echo "not run: no evaluation data (set EVAL_DIR to the folder that holds score.py and the sets)"
  exit 0
fi
eval_dir=$(cd "$eval_dir" && pwd)

# The scores to compare with are the committed ones, so that a second run before the commit still compares with the last
# report, not with the first run. Outside of a checkout they are the scores in the folder.
work=$(mktemp -d)
trap 'rm -rf "$work"; scratch_on_exit' EXIT
last=$work/last_scores.tsv of="none was kept"
if git -C "$benches" show HEAD:./report/eval_scores.tsv > "$work/committed.tsv" 2>/dev/null; then
  mv "$work/committed.tsv" "$last"
  of="that of commit $(git -C "$benches" log -1 --format=%h -- report/eval_scores.tsv)"
elif [[ -e $scores ]]; then
  cp "$scores" "$last"
  of="the file that was there"
fi

arguments=(--command "benches/run_eval.sh $mode" --build "$(describe_build)" --scores "$last" --scores-of "$of")
if [[ $mode == smoke ]]; then
  # The scores of the working tree count: a change of the ranking brings its scores along.
  arguments+=(--smoke --scores "$scores" --scores-of "the file in benches/report")
elif (( $# == 0 )); then
  # A run with options of its own is a trial: the report keeps the whole picture.
  arguments+=(--report "$benches/report/eval.md")
fi

build_to_measure
scratch_start "${MEASURED_SETTINGS[@]}"
say "measuring"
python3 "$benches/eval/run.py" "$eval_dir" "${arguments[@]}" "$@"
say "the evaluation is complete"
