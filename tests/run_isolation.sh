#!/usr/bin/env bash
# What concurrent sessions see of each other, at every isolation level, by pg_isolation_regress on a
# throwaway server:
#   run_isolation.sh            all specs
#   run_isolation.sh NAME...    some, by the file names in tests/isolation/specs without .spec
#   RESULTS=DIR                 keeps what the specs printed, to compare or to accept
#   MEMORY_SEARCH_INSTALLED=1   the extension is installed already: neither set up nor build
# The last line says how many passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

folder=$MEMORY_SEARCH_REPO/tests/isolation
tests=("$@")
if (( ${#tests[@]} == 0 )); then
  for file in "$folder"/specs/*.spec; do tests+=("$(basename "$file" .spec)"); done
fi
# A file without a partner would be a test that nobody checks.
for name in "${tests[@]}"; do
  [[ -e $folder/specs/$name.spec ]] || die "there is no test tests/isolation/specs/$name.spec"
  [[ -e $folder/expected/$name.out ]] || die "tests/isolation/expected/$name.out is missing: nothing would check $name"
done
for file in "$folder"/expected/*.out; do
  name=$(basename "$file" .out)
  [[ -e $folder/specs/$name.spec ]] || die "tests/isolation/specs/$name.spec is missing: its expected output is left over"
done

prepare_extension
pgxs=$("$PG_BIN/pg_config" --pgxs) # .../pgxs/src/makefiles/pgxs.mk
pg_isolation_regress=${pgxs%/makefiles/*}/test/isolation/pg_isolation_regress
[[ -x $pg_isolation_regress ]] || die "pg_isolation_regress is no program here: $pg_isolation_regress"

# A circle of waiting sessions is found early.
start_server "deadlock_timeout = '100ms'"
psql -X -q -v ON_ERROR_STOP=1 -c 'CREATE DATABASE isolation TEMPLATE template0'
psql -X -q -v ON_ERROR_STOP=1 -c 'ALTER DATABASE isolation SET client_min_messages = warning' \
  -c "ALTER DATABASE isolation SET memory_search.store = 'isolation'"
psql -X -q -v ON_ERROR_STOP=1 -d isolation -c 'CREATE EXTENSION memory_search CASCADE' \
  -f "$MEMORY_SEARCH_REPO/tests/sql/helpers.sql" -f "$folder/helpers.sql"

results=${RESULTS:-$SCRATCH_DIR/results}
mkdir -p "$results"
log=$SCRATCH_DIR/pg_isolation_regress.log
status=0
"$pg_isolation_regress" --use-existing --dbname=isolation --inputdir="$folder" --expecteddir="$folder" --outputdir="$results" \
  --bindir="$PG_BIN" --host="$PGHOST" --port="$PGPORT" --user="$PGUSER" "${tests[@]}" 2>&1 | tee "$log" || status=$?

if (( status != 0 )) && [[ -s $results/regression.diffs ]]; then cat "$results/regression.diffs"; fi
(( status == 0 )) || die "pg_isolation_regress failed"
if grep -qiE 'skip' "$log"; then die "pg_isolation_regress skipped a test: a skipped test checks nothing"; fi
passed=$(grep -cE '^ok ' "$log") || die "pg_isolation_regress reported no test at all"
(( passed == ${#tests[@]} )) || die "$passed of ${#tests[@]} tests reported success"
# A crash restarts the server, an internal error is a bug of ours, and so is a deadlock: no expected output
# may hold one, even if someone accepted it.
if grep -hE 'was terminated by signal| XX[0-9]{3} |deadlock detected' "$SCRATCH_DIR/log" >&2; then
  die "a crash, an internal error or a deadlock is above"
fi
echo "$passed passed, 0 failed"
