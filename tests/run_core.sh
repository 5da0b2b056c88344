#!/usr/bin/env bash
# The crates without PostgreSQL: the engine, the analyzer, byte formats, the memory index, the embedder, the writer of the
# install script, and the program that serves memories, with its pages. Seconds once they are compiled. The crates that
# are useful without PostgreSQL must be fit for crates.io: their documentation, their packages, and the examples in
# their READMEs. The embedder is compared with vectors that Python's wordllama and all-MiniLM-L6-v2 made, and names that
# are found in texts with names that were labelled by hand. Vectors and texts are in the evaluation data:
#   MEMORY_SEARCH_EVAL_DIR   its folder; else ../shared/eval beside the repository
# The last line says how many tests passed. run_all.sh does it in two jobs, because only the first needs several cores:
#   run_core.sh --compile    compiles all of it, and makes the documentation
#   run_core.sh --run        runs the tests
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/../pgrx-config/paths.sh"
cd "$MEMORY_SEARCH_REPO"

part=${1:-}
[[ $# -le 1 && " --compile --run " == *" ${part:---run} "* ]] || die "usage: run_core.sh [--compile|--run]"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

eval_dir=${MEMORY_SEARCH_EVAL_DIR:-$MEMORY_SEARCH_REPO/../shared/eval}
with_reference=()
if [[ -e $eval_dir/score.py ]]; then
  MEMORY_SEARCH_EVAL_DIR=$(cd "$eval_dir" && pwd)
  MODEL="$MODEL_NAME $MINILM_NAME" "$MEMORY_SEARCH_REPO/pgrx-config/setup.sh" --for-own-server
  # The test wants the files by the names that they have in wordllama's package.
  mkdir "$work/model"
  ln -s "$MODEL_DIR/model.safetensors" "$work/model/$(basename "$MODEL_WEIGHTS")"
  ln -s "$MODEL_DIR/tokenizer.json" "$work/model/$(basename "$MODEL_TOKENIZER")"
  export MEMORY_SEARCH_EVAL_DIR MEMORY_SEARCH_MODEL_DIR=$work/model MEMORY_SEARCH_MINILM_DIR=$MODELS_DIR/$MINILM_NAME
  with_reference=(--include-ignored)
elif [[ $part != --compile ]]; then
  cat >&2 <<MESSAGE
*** There is no evaluation data in $eval_dir.
*** NOT COMPARED: the embedder's vectors with those of Python's wordllama and all-MiniLM-L6-v2, and the names that are
*** found in texts with names labelled by hand.
*** Set MEMORY_SEARCH_EVAL_DIR to its folder to run these tests too.
MESSAGE
fi

# One command for all crates, because cargo would compile the dependencies of separately named crates again for each
# choice of features.
crates=(--workspace --exclude=memory_search)
if [[ $part != --run ]]; then
  say "compiling the tests, and the examples whose output a README shows; clippy reads the others"
  cargo test --quiet --locked "${crates[@]}" --tests --no-run
  cargo build --quiet --locked "${crates[@]}" --example={tokens,cosine,search}
  say "the documentation of the crates that are useful without PostgreSQL"
  # The extension and the program have none to make, and are named so that what all depend on has the same features as for
  # clippy, which has read most of it.
  RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --release --no-deps \
    --package=memory_search --package=memory-search-{analyzer,embedder,index,tiles,mcp}
fi
if [[ $part == --compile ]]; then exit; fi

say "the engine, the analyzer, PostgreSQL's byte formats, the memory index, the embedder, its products by tiles, the writer of the install script, the program that serves memories, and its pages"
cargo test --locked "${crates[@]}" --tests -- ${with_reference[@]+"${with_reference[@]}"} 2>&1 | tee "$work/log"
say "the examples in the documentation of all crates"
cargo test --locked "${crates[@]}" --doc 2>&1 | tee -a "$work/log"

say "packages and READMEs of the crates that are useful without PostgreSQL"
python3 tests/crates/check_crates.py "${CARGO_TARGET_DIR:-$MEMORY_SEARCH_REPO/target}" "$MODEL_DIR"

passed=$(sed -nE 's/^test result: ok\. ([0-9]+) passed; 0 failed;.*/\1/p' "$work/log" | awk '{ n += $1 } END { print n + 0 }')
ignored=$(sed -nE 's/^test result: .* ([0-9]+) ignored;.*/\1/p' "$work/log" | awk '{ n += $1 } END { print n + 0 }')
(( passed > 0 )) || die "cargo reported no test at all"
if (( ${#with_reference[@]} )) && (( ignored > 0 )); then die "$ignored tests were ignored although everything they need is there"; fi
if (( ignored > 0 )); then echo "*** $ignored tests were NOT run: see above" >&2; fi
echo "$passed passed, 0 failed"
