#!/usr/bin/env bash
# The regression tests in SQL, by pg_regress on a throwaway server:
#   run_sql.sh               all of them
#   run_sql.sh NAME...       some, by the file names in tests/sql/sql without .sql
#   RESULTS=DIR              keeps what the tests printed, to compare or to accept
#   MEMORY_SEARCH_INSTALLED=1   the extension is installed already: neither set up nor build
# The last line says how many passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

folder=$MEMORY_SEARCH_REPO/tests/sql
tests=("$@")
if (( ${#tests[@]} == 0 )); then
  for file in "$folder"/sql/*.sql; do tests+=("$(basename "$file" .sql)"); done
fi
# pg_regress compares what is there; a file without a partner would be a test that nobody checks.
for name in "${tests[@]}"; do
  [[ -e $folder/sql/$name.sql ]] || die "there is no test tests/sql/sql/$name.sql"
  [[ -e $folder/expected/$name.out ]] || die "tests/sql/expected/$name.out is missing: nothing would check $name"
done
for file in "$folder"/expected/*.out; do
  name=$(basename "$file" .out)
  [[ -e $folder/sql/$name.sql ]] || die "tests/sql/sql/$name.sql is missing: its expected output is left over"
done

prepare_extension
pgxs=$("$PG_BIN/pg_config" --pgxs) # .../pgxs/src/makefiles/pgxs.mk
pg_regress=${pgxs%/makefiles/*}/test/regress/pg_regress
[[ -x $pg_regress ]] || die "pg_regress is no program here: $pg_regress"

start_server
# template0, and not what an administrator may have put into template1.
psql -X -q -v ON_ERROR_STOP=1 -c 'CREATE DATABASE regression TEMPLATE template0'
# Which tables went with a dropped schema is not what the tests are about.
psql -X -q -v ON_ERROR_STOP=1 -c 'ALTER DATABASE regression SET client_min_messages = warning'
psql -X -q -v ON_ERROR_STOP=1 -d regression -c 'CREATE EXTENSION memory_search CASCADE' -f "$folder/helpers.sql"

results=${RESULTS:-$SCRATCH_DIR/results}
mkdir -p "$results"
log=$SCRATCH_DIR/pg_regress.log
status=0
# --use-existing: the database is ours, with the helpers in it. Tests share it, one after the other.
"$pg_regress" --use-existing --dbname=regression --inputdir="$folder" --outputdir="$results" \
  --bindir="$PG_BIN" --host="$PGHOST" --port="$PGPORT" --user="$PGUSER" "${tests[@]}" 2>&1 | tee "$log" || status=$?

if (( status != 0 )) && [[ -s $results/regression.diffs ]]; then cat "$results/regression.diffs"; fi
(( status == 0 )) || die "pg_regress failed"
if grep -qiE 'skip' "$log"; then die "pg_regress skipped a test: a skipped test checks nothing"; fi
passed=$(grep -cE '^ok ' "$log") || die "pg_regress reported no test at all"
(( passed == ${#tests[@]} )) || die "$passed of ${#tests[@]} tests reported success"
# A crash restarts the server and an internal error is a bug of ours: no expected output may hold
# one, even if someone accepted it.
if grep -hE 'was terminated by signal| XX[0-9]{3} ' "$SCRATCH_DIR/log" >&2 \
  || grep -HE '^(.*[^0-9A-Z])?XX[0-9]{3}:' "$results"/results/*.out >&2; then
  die "a crash or an internal error is above"
fi
echo "$passed passed, 0 failed"
