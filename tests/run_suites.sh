#!/usr/bin/env bash
# Others' test suites, on the adapters of clients/python, after their types are checked:
#   run_suites.sh [SUITE...]     all of them, or these: tests/clients/suites/suites.toml has their names
#   MEMORY_SEARCH_INSTALLED=1    the extension is installed already: neither set up nor build
# The packages go to the dev folder, pinned by tests/clients/suites; their tests run from there. Each suite says how
# many of its tests passed; fewer than its bar, or other failures than those that are listed with a reason, fail the
# run. What pytest printed is shown for a suite that fails. The last line says how many tests passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
folder=$MEMORY_SEARCH_REPO/tests/clients/suites
fetched=$MEMORY_SEARCH_DEV/clients/suites
prepare_extension

if ! cmp -s <(cat "$folder/requirements.txt" "$folder/sources.txt") "$fetched/installed.txt"; then
  say "fetching the suites"
  rm -rf "$fetched"
  mkdir -p "$fetched/sources"
  python3 -m venv "$fetched/python"
  pip=("$fetched/python/bin/python" -m pip --disable-pip-version-check)
  "${pip[@]}" install -q --no-deps --only-binary=:all: -r "$folder/requirements.txt"
  "${pip[@]}" download -q --no-deps --no-binary=:all: --require-hashes -d "$fetched/archives" -r "$folder/sources.txt"
  for archive in "$fetched/archives"/*.tar.gz; do tar -xzf "$archive" -C "$fetched/sources"; done
  cat "$folder/requirements.txt" "$folder/sources.txt" > "$fetched/installed.txt"
fi

# shellcheck disable=SC2119 # no further settings
start_server
create_extension
DATABASE_URL=postgresql://$PGUSER@${PGHOST//\//%2F}:$PGPORT/$PGDATABASE
export DATABASE_URL PYTHONDONTWRITEBYTECODE=1 SUITE_SOURCES=$fetched/sources
client=$MEMORY_SEARCH_REPO/clients/python
export PYTHONPATH=$client/src
# mem0 keeps a folder, and tells its makers of its use.
export MEM0_DIR=$SCRATCH_DIR/mem0 MEM0_TELEMETRY=False

# Here, where all is that the adapters import.
"$fetched/python/bin/ruff" check --quiet --no-cache --config "$client/pyproject.toml" "$client/src"
"$fetched/python/bin/python" -m mypy --config-file "$client/pyproject.toml" --cache-dir "$fetched/mypy" \
  "$client/src/memory_search"

judge=("$fetched/python/bin/python" "$folder/judge.py")
"${judge[@]}" --check-table "$MEMORY_SEARCH_REPO/docs/guide/adapters.md"
if (( ! $# )); then mapfile -t suites < <("${judge[@]}" --list); else suites=("$@"); fi
total=0
failed=0
for suite in "${suites[@]}"; do
  if "${judge[@]}" "$suite" > "$SCRATCH_DIR/said" 2>&1; then
    sed -n "/^$suite, /,\$p" "$SCRATCH_DIR/said"
  else
    cat "$SCRATCH_DIR/said"
    failed=$(( failed + 1 ))
  fi
  count=$(sed -nE "s/^$suite, .*: ([0-9]+) of [0-9]+ passed, .*/\1/p" "$SCRATCH_DIR/said")
  total=$(( total + ${count:-0} ))
done
check_logs
if (( failed )); then die "$failed of ${#suites[@]} suites are not as they should be"; fi
echo "$total passed, 0 failed"
