#!/usr/bin/env bash
# Builds the wheel of the program memory-search, which pip installs: wheel.sh [FOLDER]
# It goes to FOLDER, or to wheel/ in the dev folder, beside what builds it. Only the program is compiled.
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/paths.sh"
work=$MEMORY_SEARCH_DEV/wheel
out=$(realpath -m "${1:-$work}")
make_dev_folder
mkdir -p "$work" "$out"
exec 9> "$work/.lock" # two runs at a time would tread on each other
flock 9

requirement=$(printf '%s' "$MATURIN"; printf ' --hash=sha256:%s' "${MATURIN_HASHES[@]}")
if [[ ! -e $work/maturin/requirement.txt || $(< "$work/maturin/requirement.txt") != "$requirement" ]]; then
  say "fetching $MATURIN"
  rm -rf "$work/maturin"
  python3 -m venv "$work/maturin"
  echo "$requirement" > "$work/maturin/requirement.new"
  "$work/maturin/bin/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary=:all: \
    --require-hashes -r "$work/maturin/requirement.new"
  mv "$work/maturin/requirement.new" "$work/maturin/requirement.txt"
fi

say "building the wheel (the first time takes minutes)"
rm -f "$out"/memory_search_mcp-*.whl
# A folder of its own: with other flags cargo would compile everything elsewhere again. What is given to others says
# nothing of the folders of this machine.
export CARGO_TARGET_DIR=$work/target
sources=$(realpath -m "${CARGO_HOME:-$HOME/.cargo}")
export RUSTFLAGS="${RUSTFLAGS:-} --remap-path-prefix=$sources=/cargo --remap-path-prefix=$MEMORY_SEARCH_REPO=/memory_search"
"$work/maturin/bin/python" -m maturin build --quiet --release --locked \
  --manifest-path "$MEMORY_SEARCH_REPO/crates/mcp/Cargo.toml" --out "$out" 9>&-
ls "$out"/memory_search_mcp-*.whl
