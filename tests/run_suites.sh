#!/usr/bin/env bash
# The test suites of other projects, on the adapters of clients/python, after their types are checked:
#   run_suites.sh [SUITE...]     all of them, or these: tests/clients/suites/suites.toml has their names
#   MEMORY_SEARCH_INSTALLED=1    the extension is installed already: neither set up nor build
# The packages go to the dev folder, pinned by tests/clients/suites; their tests run from there. Each suite prints the
# number of its tests that passed; fewer than its bar, or failures that are not listed with a reason, fail the run. The
# output of pytest is shown for a suite that fails. The last line says how many tests passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
folder=$MEMORY_SEARCH_REPO/tests/clients/suites
fetched=$MEMORY_SEARCH_DEV/clients/suites
client=$MEMORY_SEARCH_REPO/clients/python
# The adapters whose packages are in each list of requirements/; stores.txt has the packages of all others. The
# frameworks need versions that exclude each other: CrewAI an older pydantic, mem0 newer websockets than the OpenAI
# Agents SDK. CrewAI's own packages take 1 GB; the list has only those that it imports.
declare -A adapters=([agents]="agno.py google_adk.py haystack openai_agents.py pydantic_ai" [crewai]="crewai.py")
prepare_extension

fetch_packages() { # LIST
  local wanted=$folder/requirements/$1.txt into=$fetched/$1
  if cmp -s "$wanted" "$into/installed.txt"; then return; fi
  say "fetching the packages of $1"
  rm -rf "$into"
  python3 -m venv "$into"
  "$into/bin/python" -m pip --disable-pip-version-check install -q --no-deps --only-binary=:all: -r "$wanted"
  cp "$wanted" "$into/installed.txt"
}

fetch_sources() {
  if cmp -s "$folder/sources.txt" "$fetched/sources.txt"; then return; fi
  say "fetching the suites"
  rm -rf "$fetched/archives" "$fetched/sources"
  mkdir -p "$fetched/sources"
  python3 -m pip --disable-pip-version-check download -q --no-deps --no-binary=:all: --require-hashes \
    -d "$fetched/archives" -r "$folder/sources.txt"
  for archive in "$fetched/archives"/*.tar.gz; do tar -xzf "$archive" -C "$fetched/sources"; done
  cp "$folder/sources.txt" "$fetched/sources.txt"
}

# Checks types in an environment that has all imports of the adapters of this list.
check_types() { # LIST
  local names modules=() excluded=() name
  read -ra names <<< "${adapters[$1]:-${adapters[*]}}"
  if [[ -n ${adapters[$1]:-} ]]; then
    for name in "${names[@]}"; do modules+=("$client/src/memory_search/$name"); done
  else
    modules=("$client/src/memory_search")
    for name in "${names[@]}"; do excluded+=(--exclude "/memory_search/$name"); done
  fi
  "$fetched/$1/bin/python" -m mypy --config-file "$client/pyproject.toml" --cache-dir "$fetched/mypy-$1" \
    "${excluded[@]}" "${modules[@]}"
}

judge() { python3 "$folder/judge.py" "$@"; }
if (( ! $# )); then mapfile -t suites < <(judge --list); else suites=("$@"); fi
declare -A packages
for suite in "${suites[@]}"; do packages[$suite]=$(judge --packages "$suite"); done
mapfile -t lists < <(printf '%s\n' "${packages[@]}" | sort -u)

mkdir -p "$fetched"
fetch_sources
for list in "${lists[@]}"; do fetch_packages "$list"; done

# shellcheck disable=SC2119 # no further settings
start_server
create_extension
DATABASE_URL=postgresql://$PGUSER@${PGHOST//\//%2F}:$PGPORT/$PGDATABASE
export DATABASE_URL PYTHONDONTWRITEBYTECODE=1 SUITE_SOURCES=$fetched/sources
export MYPYPATH=$client/src PYTHONPATH=$client/src
# mem0 and CrewAI keep folders, and all except LangChain report their use to their makers.
export MEM0_DIR=$SCRATCH_DIR/mem0 CREWAI_STORAGE_DIR=$SCRATCH_DIR/crewai MEM0_TELEMETRY=False
export CREWAI_DISABLE_TELEMETRY=true OTEL_SDK_DISABLED=true ANONYMIZED_TELEMETRY=False AGNO_TELEMETRY=false
export HAYSTACK_TELEMETRY_ENABLED=False

"$fetched/${lists[0]}/bin/ruff" check --quiet --no-cache --config "$client/pyproject.toml" "$client/src"
for list in "${lists[@]}"; do check_types "$list"; done

judge --check-table "$MEMORY_SEARCH_REPO/docs/guide/adapters.md"
total=0
failed=0
for suite in "${suites[@]}"; do
  if "$fetched/${packages[$suite]}/bin/python" "$folder/judge.py" "$suite" > "$SCRATCH_DIR/said" 2>&1; then
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
