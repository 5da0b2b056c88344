#!/usr/bin/env bash
# Runs the programs of docs/cookbook unchanged, each page in a database of its own. A model's endpoint answers on this
# machine, and a page that needs a pooler gets PgBouncer in transaction mode.
#   run_cookbook.sh [PAGE...]         these pages only
#   run_cookbook.sh --fill PAGE...    writes the output of the programs into the pages
#   MEMORY_SEARCH_INSTALLED=1         the extension is installed already: neither set up nor build
# The last line says how many programs passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
prepare_extension
export PYTHONDONTWRITEBYTECODE=1

# --- What the programs need: Python with psycopg and the client, and the client's command ------------

on_exit() {
  local status=$?
  set +e
  stop_pooler
  scratch_stop
  if [[ -n ${programs:-} ]]; then rm -rf "$programs"; fi
  return "$status"
}
trap on_exit EXIT
programs=$(mktemp -d)
: > "$programs/example.py"
"$MEMORY_SEARCH_REPO/tests/docs/run_program.sh" python "$programs" # makes the environment where it lacks
for command in python 'memory-search-import -m memory_search.importers'; do
  read -r name arguments <<< "$command"
  printf '#!/bin/sh\nPYTHONPATH=%q exec %q %s "$@"\n' \
    "$MEMORY_SEARCH_REPO/clients/python/src" "$MEMORY_SEARCH_DEV/venv/bin/python" "$arguments" > "$programs/$name"
  chmod +x "$programs/$name"
done
export PROGRAM_PATH=$programs

# --- The server, the pooler, the pages ------------------------------------------------------------------

# shellcheck disable=SC2119 # no further settings
start_server
# The roles of the pages, which log in by the pooler.
mapfile -t roles < <(sed -nE 's/^<!-- connects by PgBouncer as: (\w+) -->$/\1/p' "$MEMORY_SEARCH_REPO"/docs/cookbook/*.md)
start_pooler "${roles[@]}"
export POOL_HOST POOL_PORT
python3 "$MEMORY_SEARCH_REPO/tests/cookbook/check_cookbook.py" "$@"
check_logs
