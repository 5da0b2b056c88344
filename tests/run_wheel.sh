#!/usr/bin/env bash
# The wheels of the program memory-search and of the Python client, as users install them, in an environment of their
# own: their versions, their contents, a call by the Model Context Protocol, and an import: run_wheel.sh [FOLDER]
#   FOLDER                       has the wheels; else they are built
#   MEMORY_SEARCH_INSTALLED=1    the extension is installed already: neither set up nor build
# Not a part of all: the program is compiled as for a release. The last line says how many tests passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
prepare_extension
# shellcheck disable=SC2119 # no further settings
start_server
wheels=${1:-$SCRATCH_DIR/wheels}
if [[ -z ${1:-} ]]; then "$MEMORY_SEARCH_REPO/pgrx-config/wheel.sh" "$wheels"; fi
wheel=$(echo "$wheels"/memory_search_mcp-*.whl) client=$(echo "$wheels"/memory_search-*.whl)
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
  "memory_search_mcp-V.data/scripts/memory-search $info/METADATA $info/RECORD $info/WHEEL $info/licenses/LICENSE $info/licenses/THIRD-PARTY-LICENSES "
# The wheel does not contain the path where it was built.
python3 -m zipfile -e "$wheel" "$SCRATCH_DIR/unpacked"
check 'folders of this machine in it' \
  "$(grep -rlaF -e "$MEMORY_SEARCH_REPO/" -e "${CARGO_HOME:-$HOME/.cargo}/" "$SCRATCH_DIR/unpacked" || true)" ''
# The wheel names the crates that are compiled into it; packaging/licences tests that these are all crates.
check 'the crates named in it' "$(cmp "$SCRATCH_DIR/unpacked/memory_search_mcp-$version.dist-info/licenses/THIRD-PARTY-LICENSES" \
  <(python3 "$MEMORY_SEARCH_REPO/packaging/licences/third_party.py" memory-search-mcp) && echo all)" all

create_extension
sql 'SELECT memory_create_store()' > "$SCRATCH_DIR/said"
export DATABASE_URL="host=$PGHOST port=$PGPORT user=$PGUSER dbname=$PGDATABASE"
# Psycopg, and the modules that it imports, as in the examples of the guide.
for requirement in "${PSYCOPG_WHEELS[@]}"; do
  read -r -d '' -a words <<< "$requirement" || true
  printf '%s' "${words[0]}"; printf ' --hash=sha256:%s' "${words[@]:1}"; echo
done > "$SCRATCH_DIR/requirements.txt"
"$fresh/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
  -r "$SCRATCH_DIR/requirements.txt"
"$fresh/python" -m pip install -q --disable-pip-version-check --no-index "$client"
check 'the version of the client' "$("$fresh/python" -c 'import memory_search; print(memory_search.__version__)')" "$version"
check 'what is not of the package in the client' \
  "$(python3 -m zipfile -l "$client" | awk 'NR > 1 { print $1 }' | grep -vE '^memory_search(/|-[0-9.]+\.dist-info/)' || true)" ''
check 'the licence of the client' "$(cat "$fresh"/../lib/python3*/site-packages/memory_search-*.dist-info/licenses/LICENSE)" "$(< "$MEMORY_SEARCH_REPO/LICENSE")"
echo '{"rawEntry": "She wants a window seat."}' > "$SCRATCH_DIR/notes.jsonl"
check 'what an import says' "$("$fresh/memory-search-import" jsonl "$SCRATCH_DIR/notes.jsonl" --memory trip --quiet)" \
  '1 added, 0 changed, 0 unchanged, 0 without text'
check 'what a call finds' "$("$fresh/python" "$MEMORY_SEARCH_REPO/tests/mcp/one_call.py" "$fresh/memory-search" \
  'where does she sit?')" 'She wants a window seat.'
"$fresh/python" -m pip uninstall -q --disable-pip-version-check -y memory-search-mcp
check 'programs when it is uninstalled' "$(cd "$fresh" && echo memory-search*)" memory-search-import
check_logs
echo "$passed passed, 0 failed"
