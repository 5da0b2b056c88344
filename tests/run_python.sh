#!/usr/bin/env bash
# The Python client in clients/python: its methods, its importers, and its names against docs/reference.
#   run_python.sh [pytest's arguments]
#   MEMORY_SEARCH_INSTALLED=1    the extension is installed already: neither set up nor build
# run_suites.sh tests its adapters, with the packages that they need. The last line says how many tests passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
client=$MEMORY_SEARCH_REPO/clients/python folder=$MEMORY_SEARCH_REPO/tests/clients/python
prepare_extension
export PYTHONDONTWRITEBYTECODE=1
python3 "$client/twins.py" --check

# shellcheck disable=SC2119 # no further settings
start_server
create_extension
DATABASE_URL=postgresql://$PGUSER@${PGHOST//\//%2F}:$PGPORT/$PGDATABASE
export DATABASE_URL PYTHONPATH=$client/src
status=0
"$MEMORY_SEARCH_REPO/pgrx-config/pytest.sh" -c "$folder/pytest.ini" --rootdir="$folder" "${@:-$folder}" \
  > "$SCRATCH_DIR/said" 2>&1 || status=$?
cat "$SCRATCH_DIR/said"
check_logs
if (( status )); then die "the Python client is not as it should be"; fi
# A skipped test would never be seen to fail.
count=$(sed -nE '$s/^([1-9][0-9]*) passed in .*/\1/p' "$SCRATCH_DIR/said")
[[ -n $count ]] || die "tests were skipped, or none passed"
echo "$count passed, 0 failed"
