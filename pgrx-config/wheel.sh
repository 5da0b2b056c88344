#!/usr/bin/env bash
# Builds the wheels for pip, of the program memory-search, the Python client, and the server: wheel.sh [FOLDER] They go
# to FOLDER, or to wheel/ in the dev folder, beside the programs that build them.
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/paths.sh"
work=$MEMORY_SEARCH_DEV/wheel
out=$(realpath -m "${1:-$work}")
make_dev_folder
mkdir -p "$work" "$out"
exec 9> "$work/.lock" # two runs at a time would tread on each other
flock 9

requirements=$(printf '%s' "$MATURIN"; printf ' --hash=sha256:%s' "${MATURIN_HASHES[@]}"; echo
  printf '%s' "$FLIT"; printf ' --hash=sha256:%s' "${FLIT_HASHES[@]}")
if [[ ! -e $work/python/requirements.txt || $(< "$work/python/requirements.txt") != "$requirements" ]]; then
  say "fetching $MATURIN and $FLIT"
  rm -rf "$work/python"
  python3 -m venv "$work/python"
  echo "$requirements" > "$work/python/requirements.new"
  "$work/python/bin/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary=:all: \
    --require-hashes -r "$work/python/requirements.new"
  # The list takes its name only when all of it is there.
  mv "$work/python/requirements.new" "$work/python/requirements.txt"
fi

say "building the wheel (the first time takes minutes)"
rm -f "$out"/memory_search*.whl
# The build has a folder of its own: otherwise, because the flags differ, cargo would compile everything again in the
# next development build. Distributed files do not name the folders of this machine.
export CARGO_TARGET_DIR=$work/target
sources=$(realpath -m "${CARGO_HOME:-$HOME/.cargo}")
export RUSTFLAGS="${RUSTFLAGS:-} --remap-path-prefix=$sources=/cargo --remap-path-prefix=$MEMORY_SEARCH_REPO=/memory_search"
# The licences of the crates in the program demand a notice in each copy.
notices=$MEMORY_SEARCH_REPO/crates/mcp/THIRD-PARTY-LICENSES
trap 'rm -f "$notices"' EXIT
python3 "$MEMORY_SEARCH_REPO/packaging/licences/third_party.py" memory-search-mcp > "$notices"
"$work/python/bin/python" -m maturin build --quiet --release --locked \
  --manifest-path "$MEMORY_SEARCH_REPO/crates/mcp/Cargo.toml" --out "$out" 9>&-
"$work/python/bin/python" -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w "$out" \
  "$MEMORY_SEARCH_REPO/clients/python"
# With flags of its own, and in a folder of its own.
env -u CARGO_TARGET_DIR -u RUSTFLAGS "$MEMORY_SEARCH_REPO/packaging/server_wheel/build.sh" "$out" 9>&-
ls "$out"/memory_search*.whl
