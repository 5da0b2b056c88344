#!/usr/bin/env bash
# The program of crates/mcp by a real client, the Python SDK of the Model Context Protocol, on both transports:
#   run_mcp.sh [PYTEST'S ARGUMENTS]   MEMORY_SEARCH_INSTALLED=1: the extension is installed already
#   MCP_PROGRAM=PATH                  the program is built already: this one is tested
# The SDK goes to the dev folder, pinned by tests/mcp/requirements.txt. The last line says how many tests passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
folder=$MEMORY_SEARCH_REPO/tests/mcp
python=$MEMORY_SEARCH_DEV/mcp/python
prepare_extension

mkdir -p "$MEMORY_SEARCH_DEV/mcp"
if ! cmp -s "$folder/requirements.txt" "$python/requirements.txt"; then
  say "fetching the SDK of the Model Context Protocol"
  rm -rf "$python"
  python3 -m venv "$python"
  "$python/bin/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary=:all: \
    -r "$folder/requirements.txt"
  cp "$folder/requirements.txt" "$python/requirements.txt"
fi
if [[ -z ${MCP_PROGRAM:-} ]]; then
  say "building memory-search"
  (cd "$MEMORY_SEARCH_REPO" && cargo build --quiet --locked -p memory-search-mcp)
  MCP_PROGRAM=${CARGO_TARGET_DIR:-$MEMORY_SEARCH_REPO/target}/debug/memory-search
fi
export MCP_PROGRAM PYTHONDONTWRITEBYTECODE=1

# shellcheck disable=SC2119 # no further settings
start_server
PGOPTIONS='-c client_min_messages=warning' psql -X -q -v ON_ERROR_STOP=1 -o /dev/null -f "$folder/set_up.sql"
# pytest's last line has the number of passed tests, and the time.
"$python/bin/python" -m pytest -q -p no:cacheprovider --rootdir="$folder" "$@" "$folder" | tee "$SCRATCH_DIR/said" \
  || die "a test failed"
passed=$(sed -nE '$s/^([1-9][0-9]*) passed(, [0-9]+ deselected)? in .*/\1/p' "$SCRATCH_DIR/said")
[[ -n $passed ]] || die "pytest did not say how many tests passed"
check_logs
echo "$passed passed, 0 failed"
