#!/usr/bin/env bash
# The pages of `memory-search explore` in Chromium, with a picture of each for a look:
#   run_explore.sh [--write]   --write: also the picture that README and guide show
#   MEMORY_SEARCH_INSTALLED=1  the extension is installed already
# Needs Chromium (apt-get install chromium), which is why `make test` does without. Playwright and axe-core go to the dev
# folder, pinned by tests/explore/requirements.txt and below; without npm the rules of axe-core are not asked, which is
# said. The last line says how many checks passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
AXE_CORE=4.14.1
folder=$MEMORY_SEARCH_REPO/tests/explore
tools=$MEMORY_SEARCH_DEV/explore
pictures=$tools/pictures
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[[ -n $CHROMIUM ]] || die "Chromium is not on this machine: apt-get install chromium, or CHROMIUM=/path/to/it"
export CHROMIUM
prepare_extension

mkdir -p "$pictures"
if ! cmp -s "$folder/requirements.txt" "$tools/python/requirements.txt"; then
  say "fetching Playwright"
  rm -rf "$tools/python"
  python3 -m venv "$tools/python"
  "$tools/python/bin/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary=:all: \
    -r "$folder/requirements.txt"
  cp "$folder/requirements.txt" "$tools/python/requirements.txt"
fi
axe=$tools/axe-core-$AXE_CORE/package/axe.min.js
if [[ ! -e $axe ]]; then
  mkdir -p "${axe%/package/*}"
  if (cd "${axe%/package/*}" && npm pack --silent "axe-core@$AXE_CORE" >/dev/null && tar -xzf ./*.tgz); then
    say "fetched axe-core $AXE_CORE"
  else
    echo "*** NOT asked: axe-core cannot be fetched by npm"
    rm -rf "${axe%/package/*}"
    axe=-
  fi
fi
say "building memory-search"
(cd "$MEMORY_SEARCH_REPO" && cargo build --quiet --locked -p memory-search-mcp)

# shellcheck disable=SC2119 # no further settings
start_server
PGOPTIONS='-c client_min_messages=warning' psql -X -q -v ON_ERROR_STOP=1 -o /dev/null <<'SQL'
CREATE EXTENSION memory_search CASCADE;
SELECT memory_create_store();
SELECT memory_keep_history();
CREATE ROLE explorer LOGIN;
SELECT memory_grant('memory', 'explorer');
SQL
python3 "$MEMORY_SEARCH_REPO/demo/load_memory.py" "$MEMORY_SEARCH_REPO/demo/sample_memory.jsonl" 2>/dev/null \
  | psql -X -q -v ON_ERROR_STOP=1 -o /dev/null
# Entities and links, of which the sample has none.
psql -X -q -v ON_ERROR_STOP=1 -o /dev/null <<'SQL'
UPDATE memory.entries SET entities = CASE WHEN raw_entry LIKE '%hotel%' THEN '{Lisbon,Hotel}' ELSE '{Lisbon}' END::text[]
WHERE memory_id = 'trip-planner' AND raw_entry LIKE '%Lisbon%';
SELECT memory_alias('trip-planner', 'Lisboa', 'Lisbon');
WITH placed AS (SELECT entry_id::text AS id, row_number() OVER (ORDER BY entities = '{}', creation_time, entry_id) AS place
                FROM memory.entries WHERE memory_id = 'trip-planner' AND superseded_by IS NULL)
SELECT memory_link('trip-planner', a.id, b.id, (ARRAY['because', 'derived_from', 'follows'])[1 + b.place % 3])
FROM placed a JOIN placed b ON a.place < b.place AND (a.place, b.place % 7) IN ((1, 1), (8, 2), (15, 3));
SQL
written=()
if [[ ${1:-} == --write ]]; then written=(--picture "$MEMORY_SEARCH_REPO/docs/pictures/explore.png"); fi
mkdir -p "$MEMORY_SEARCH_REPO/docs/pictures"
"$tools/python/bin/python" "$folder/look.py" "${CARGO_TARGET_DIR:-$MEMORY_SEARCH_REPO/target}/debug/memory-search" \
  "$axe" "$pictures" ${written[@]+"${written[@]}"} || die "a check failed"
check_logs
say "pictures are in $pictures"
