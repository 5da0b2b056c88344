#!/usr/bin/env bash
# The wheel of the program memory-search, as who installs it meets it: in an environment of its own, without the
# registry; its version, what it says of itself, and a call by the Model Context Protocol.
#   MEMORY_SEARCH_INSTALLED=1    the extension is installed already: neither set up nor build
# Not a part of all: the program is compiled as for a release. The last line says how many tests passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
prepare_extension
# shellcheck disable=SC2119 # no further settings
start_server
wheels=$SCRATCH_DIR/wheels
"$MEMORY_SEARCH_REPO/pgrx-config/wheel.sh" "$wheels"
wheel=$(echo "$wheels"/*.whl)
version=$(sed -nE '/^\[workspace\.package\]/,/^\[/s/^version = "(.*)"$/\1/p' "$MEMORY_SEARCH_REPO/Cargo.toml")
passed=0
check() { # WHAT GOT WANTED
  [[ $2 == "$3" ]] || die "$1: $2, and not $3"
  passed=$(( passed + 1 ))
}

python3 -m venv "$SCRATCH_DIR/fresh"
fresh=$SCRATCH_DIR/fresh/bin
"$fresh/python" -m pip install -q --disable-pip-version-check --no-index "$wheel"
check 'the version of the package' \
  "$("$fresh/python" -c 'import importlib.metadata as m; print(m.version("memory-search-mcp"))')" "$version"
check 'the program on the PATH' "$(PATH=$fresh:$PATH; command -v memory-search)" "$fresh/memory-search"
check 'what it says with --version' "$("$fresh/memory-search" --version)" "memory-search $version"
check 'what pip finds missing' "$("$fresh/python" -m pip check --disable-pip-version-check)" 'No broken requirements found.'
listed=$(python3 -m zipfile -l "$wheel" | awk 'NR > 1 { print $1 }' | sed "s/$version/V/" | sort | tr '\n' ' ')
info=memory_search_mcp-V.dist-info
check 'what is in it' "$listed" \
  "memory_search_mcp-V.data/scripts/memory-search $info/METADATA $info/RECORD $info/WHEEL $info/licenses/LICENSE "
# Nobody learns from it where it was built.
python3 -m zipfile -e "$wheel" "$SCRATCH_DIR/unpacked"
check 'folders of this machine in it' \
  "$(grep -rlaF -e "$MEMORY_SEARCH_REPO/" -e "${CARGO_HOME:-$HOME/.cargo}/" "$SCRATCH_DIR/unpacked" || true)" ''

create_extension
sql "SELECT memory_create_store(); SELECT memory_add('trip', 'She wants a window seat.')" > "$SCRATCH_DIR/said"
export DATABASE_URL="host=$PGHOST port=$PGPORT user=$PGUSER dbname=$PGDATABASE"
check 'what a call finds' "$("$fresh/python" "$MEMORY_SEARCH_REPO/tests/mcp/one_call.py" "$fresh/memory-search" \
  'where does she sit?')" 'She wants a window seat.'
"$fresh/python" -m pip uninstall -q --disable-pip-version-check -y memory-search-mcp
check 'the program when it is uninstalled' "$(ls "$fresh" | grep -c '^memory-search' || true)" 0
check_logs
echo "$passed passed, 0 failed"
