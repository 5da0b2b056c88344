#!/usr/bin/env bash
# Files with expected output on a throwaway server: run_regress.sh sql|isolation [NAME...]
#   sql         tests/sql/sql/NAME.sql by pg_regress, one after the other in one database
#   isolation   tests/isolation/specs/NAME.spec by pg_isolation_regress, each permutation with a store of its own
# Without a name all of them. run_sql.sh and run_isolation.sh are short for the two. From the environment:
#   RESULTS=DIR                 keeps the output of the tests, to compare or to accept
#   SHARE=K/N                   the K-th of N shares of the tests: shares run beside each other, each on its own server
#   PARTITIONS=N                isolation: the tables of the stores have so many partitions
#   MEMORY_SEARCH_INSTALLED=1   the extension is installed already: neither set up nor build
# The last line says how many passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

kind=${1:-}
tests=("${@:2}")
place=tests/$kind
folder=$MEMORY_SEARCH_REPO/$place
helpers=(--file="$MEMORY_SEARCH_REPO/tests/sql/helpers.sql")
case $kind in
  sql)
    database=regression inputs=sql suffix=sql regress=regress/pg_regress settings=()
    options=("--launcher='$folder/answers.sh'")
    for file in "$folder"/fixtures/*.sql; do helpers+=(--file="$file"); done ;;
  isolation)
    database=isolation inputs=specs suffix=spec regress=isolation/pg_isolation_regress options=()
    # A deadlock is found early.
    settings=("deadlock_timeout = '100ms'")
    helpers+=(--command="ALTER DATABASE isolation SET memory_search.store = 'isolation'"
      --command="ALTER DATABASE isolation SET test.partitions = '${PARTITIONS:-}'" --file="$folder/helpers.sql") ;;
  *) die "usage: run_regress.sh sql|isolation [NAME...]" ;;
esac
if (( ${#tests[@]} == 0 )); then
  for file in "$folder/$inputs"/*."$suffix"; do
    # Errors of these name the index of a partition, or the schema that is gone and not its table.
    if [[ -n ${PARTITIONS:-} && $(basename "$file") =~ ^(add|drop_store)\.spec$ ]]; then continue; fi
    tests+=("$(basename "$file" ".$suffix")")
  done
fi
if [[ -n ${SHARE:-} ]]; then
  [[ $SHARE =~ ^([1-9])/([1-9])$ && ${BASH_REMATCH[1]} -le ${BASH_REMATCH[2]} ]] || die "SHARE is K/N, as 1/2, not $SHARE"
  shared=()
  for (( at = BASH_REMATCH[1] - 1; at < ${#tests[@]}; at += BASH_REMATCH[2] )); do shared+=("${tests[at]}"); done
  tests=("${shared[@]}")
fi
# A file without its counterpart would be a test without a check.
for name in "${tests[@]}"; do
  [[ -e $folder/$inputs/$name.$suffix ]] || die "there is no test $place/$inputs/$name.$suffix"
  [[ -e $folder/expected/$name.out ]] || die "$place/expected/$name.out is missing: nothing would check $name"
done
for file in "$folder"/expected/*.out; do
  name=$(basename "$file" .out)
  # NAME_1.out is an alternative expected output, as in PostgreSQL's own tests.
  input=$inputs/${name%_1}.$suffix
  [[ -e $folder/$input ]] || die "$place/$input is missing: its expected output is left over"
done

prepare_extension
pgxs=$("$PG_BIN/pg_config" --pgxs) # .../pgxs/src/makefiles/pgxs.mk
program=${pgxs%/makefiles/*}/test/$regress
[[ -x $program ]] || die "${regress#*/} is no program here: $program"

start_server "${settings[@]}"
# template0, because an administrator may have put objects into template1.
psql -X -q -v ON_ERROR_STOP=1 -c "CREATE DATABASE $database TEMPLATE template0"
# The tests do not check the notices about the tables of a dropped schema.
psql -X -q -v ON_ERROR_STOP=1 -c "ALTER DATABASE $database SET client_min_messages = warning"
psql -X -q -v ON_ERROR_STOP=1 -d "$database" -c 'CREATE EXTENSION memory_search CASCADE' "${helpers[@]}"

results=${RESULTS:-$SCRATCH_DIR/results}
mkdir -p "$results"
log=$SCRATCH_DIR/regress.log
status=0
# --use-existing: the database is ours, with the helpers in it.
"$program" --use-existing --dbname="$database" --inputdir="$folder" --expecteddir="$folder" --outputdir="$results" \
  --bindir="$PG_BIN" --host="$PGHOST" --port="$PGPORT" --user="$PGUSER" "${options[@]}" "${tests[@]}" 2>&1 \
  | tee "$log" || status=$?

if (( status != 0 )) && [[ -s $results/regression.diffs ]]; then cat "$results/regression.diffs"; fi
(( status == 0 )) || die "${regress#*/} failed"
if grep -qiE 'skip' "$log"; then die "${regress#*/} skipped a test: a skipped test checks nothing"; fi
passed=$(grep -cE '^ok ' "$log") || die "${regress#*/} reported no test at all"
(( passed == ${#tests[@]} )) || die "$passed of ${#tests[@]} tests reported success"
# A crash restarts the server, an internal error is a bug of ours, and so is a deadlock: no expected output may hold
# one, even if someone accepted it.
if grep -hE 'was terminated by signal| XX[0-9]{3} |deadlock detected' "$SCRATCH_DIR/log" >&2 \
  || grep -HE '^(.*[^0-9A-Z])?XX[0-9]{3}:' "$results"/results/*.out >&2; then
  die "a crash, an internal error or a deadlock is above"
fi
echo "$passed passed, 0 failed"
