#!/usr/bin/env bash
# Readers compare all the ways in which a search reads, and plain SQL, byte for byte in one snapshot, while others
# insert, update, delete, restore, supersede, purge, roll back, VACUUM and REINDEX CONCURRENTLY, and while searches are
# interrupted after a few milliseconds. Ids that PostgreSQL compresses are among them. Then pages are damaged on disk.
#   SECONDS_OF_LOAD=600   longer than its minute
#   SEED=7                the same searches and writes again; what they meet is another matter
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
support=$(cd "$(dirname "${BASH_SOURCE[0]}")/support" && pwd)
seconds=${SECONDS_OF_LOAD:-60}
seed=${SEED:-$(( EPOCHSECONDS % 1000000 ))}
READ_ONLY='BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'


# --- Under load ------------------------------------------------------------------------------------------------------

# Few buffers, so that searches wait for pages too, and lose them. VACUUM is a session's here: nobody else's process
# holds a page when pins are counted.
start_server "memory_search.model = ''" 'memory_search.max_top_ke = 20' 'autovacuum = off' 'jit = off' "shared_buffers = '4MB'" "deadlock_timeout = '200ms'"
create_extension
sql 'CREATE EXTENSION pg_buffercache'
server=$(sql 'SELECT pg_postmaster_start_time()')
psql -X -q -o /dev/null -v ON_ERROR_STOP=1 -f "$support/stress.sql"
sql 'SELECT stress.insert(id, number, wanted) FROM stress.memories' >/dev/null
sql "SELECT memory_put_context(id, stress.text(g), creation_time => now() - g * interval '1 hour', store => 's')
  FROM stress.memories, generate_series(1, 5) g WHERE number IN (0, 4)" >/dev/null
# Now the index has ids in both forms, and the planner knows the table.
sql 'REINDEX INDEX s.entries_scan'
sql 'ANALYZE s.entries'

scripts=$SCRATCH_DIR/scripts
mkdir "$scripts"
# A script for pgbench: its lines, each a statement or a command.
script() { # NAME LINES...
  printf '%s\n' '\set n random(1, 1000000000)' '\set m random(1, 1000000000)' "${@:2}" > "$scripts/$1.sql"
}
writers=() readers=()
while read -r weight what; do
  script "${what// /_}" "SELECT stress.write('$what', :n) AS done \gset" "INSERT INTO stress.written VALUES ('$what', :done);"
  writers+=(-f "$scripts/${what// /_}.sql@$weight")
done <<'WAYS'
6 add
3 insert
6 update
6 update in place
7 delete
2 restore
3 supersede
2 stand again
2 purge
1 remove
3 touch
1 put context
WAYS
# Who holds a row in these transactions waits for no other: after the first call they only add, so that here, too, any
# deadlock is a mistake of the extension's.
script roll_back 'BEGIN;' "SELECT stress.write('update', :n);" "SELECT stress.insert(stress.memory(:n), :n, 40);" \
  'ROLLBACK;' "INSERT INTO stress.written VALUES ('roll back', 40);"
script savepoint 'BEGIN;' "SELECT stress.write('delete', :n);" 'SAVEPOINT p;' "SELECT stress.write('add', :n);" "SELECT stress.write('insert', :m);" \
  'ROLLBACK TO p;' "SELECT stress.write('add', :m);" "INSERT INTO stress.written VALUES ('savepoint', 1);" 'COMMIT;'
writers+=(-f "$scripts/roll_back.sql@1" -f "$scripts/savepoint.sql@2")
# After the snapshot some time passes, in which an index that it sees may go; and again before the same search is made a
# second time, in which what the others did must not show.
script compare '\set before random(0, 200)' '\set between random(0, 60)' "$READ_ONLY;" 'SELECT 1;' '\sleep :before ms' \
  'SELECT stress.compare(:n) AS answer \gset' '\sleep :between ms' 'SELECT stress.compare(:n, :answer);' 'COMMIT;' \
  "INSERT INTO stress.compared SELECT current_setting('stress.compared')::jsonb;"
readers+=(-f "$scripts/compare.sql")
maintenance() { # NAME STATEMENTS...
  local statement lines=()
  for statement in "${@:2}"; do
    lines+=("$statement;" "INSERT INTO stress.written VALUES ('$statement', 1);" '\set pause random(0, 100)' '\sleep :pause ms')
  done
  script "$1" "${lines[@]}"
}
maintenance vacuum 'VACUUM s.entries' 'VACUUM (FREEZE, INDEX_CLEANUP ON, DISABLE_PAGE_SKIPPING) s.entries'
maintenance reindex 'REINDEX INDEX CONCURRENTLY s.entries_scan' CHECKPOINT 'REINDEX INDEX CONCURRENTLY s.entries_scan' 'REINDEX INDEX CONCURRENTLY s.entries_scan_long'

load() { # NAME CLIENTS ARGUMENTS...
  pgbench -n -c "$2" -j 1 -T "$seconds" --random-seed="$seed" "${@:3}" > "$SCRATCH_DIR/$1.log" 2>&1
}

# A session whose searches have 1 to 13 milliseconds: alone, in a subtransaction and after a savepoint. Between them it
# compares in peace, for nothing that was interrupted may have spoilt it. At the end it waits, still connected.
# A timeout that strikes as its statement ends cancels the next one (so PostgreSQL does, and calls it a user's request):
# what follows a search is said twice.
interrupted() { # NUMBER
  local i n limit line=END
  coproc PSQL { exec psql -X -q -At -v VERBOSITY=verbose 2>&1; }
  local from=${PSQL[0]} to=${PSQL[1]} pid=$PSQL_PID
  RANDOM=$(( seed + $1 ))
  while [[ $line == END ]] && (( EPOCHSECONDS < end )); do
    {
      for (( i = 0; i < 20; i++ )); do
        n=$(( RANDOM * 32768 + RANDOM )) limit="statement_timeout = $(( 1 + RANDOM % 13 ))"
        case $(( RANDOM % 4 )) in
          0) echo "SET $limit; SELECT stress.search_again($n); RESET statement_timeout; RESET statement_timeout;" ;;
          1) echo "BEGIN; SAVEPOINT p; SET LOCAL $limit; SELECT 'in time' FROM stress.search($n); ROLLBACK TO p; ROLLBACK TO p;"
             echo "SELECT 'after a savepoint' FROM stress.search($n); COMMIT;" ;;
          *) echo "SET $limit; SELECT 'in time' FROM stress.search($n); RESET statement_timeout; RESET statement_timeout;" ;;
        esac
      done
      echo "$READ_ONLY; SELECT 'compared' FROM stress.compare($n); COMMIT;"
      printf '%s\n' '\echo END'
    } >&"$to"
    while read -r -u "$from" line && [[ $line != END ]]; do echo "$line"; done
  done
  echo >&"$waiting"
  if [[ $line == END ]]; then read -r -t 60 -u "$go_on"; fi
  exec {to}>&-
  wait "$pid"
}
mkfifo "$SCRATCH_DIR/waiting" "$SCRATCH_DIR/go_on"
exec {waiting}<>"$SCRATCH_DIR/waiting" {go_on}<>"$SCRATCH_DIR/go_on"

# What the server's log tells of errors and crashes, each kind a few times. That a statement was cancelled is no news:
# where nobody asked for it, a load ends early.
symptoms() {
  grep -E ' (ERROR|FATAL|PANIC|WARNING):  |terminated by signal|Failed process' "$SCRATCH_DIR/log" | grep -v ' 57014 .*canceling statement due to ' \
    | sed -E 's/^[^]]*\] //' | cut -c 1-240 | awk '{ kind = $0; gsub(/[0-9]+/, "", kind); if (++times[substr(kind, 1, 40)] <= 3) print }' || true
}

echo "seed $seed: for $seconds s 3 sessions write, 3 compare, 2 are interrupted, one vacuums and one makes indexes anew"
end=$(( EPOCHSECONDS + seconds ))
declare -A loads sessions
load writers 3 "${writers[@]}" & loads[writers]=$!
load readers 3 "${readers[@]}" & loads[readers]=$!
load vacuum 1 -f "$scripts/vacuum.sql" & loads[vacuum]=$!
load reindex 1 -f "$scripts/reindex.sql" & loads[reindex]=$!
for n in 1 2; do interrupted "$n" > "$SCRATCH_DIR/interrupted$n.log" 2>&1 & sessions[interrupted$n]=$!; done
failed=()
for name in "${!loads[@]}"; do wait "${loads[$name]}" || failed+=("$name"); done
for n in 1 2; do read -r -t 60 -u "$waiting" || failed+=("interrupted$n"); done

check "no answer differed, no call failed, no session died" '' "$(symptoms)"
check "no load ended early" '' "${failed[*]}"
check "the server is the same" "$server" "$(sql 'SELECT pg_postmaster_start_time()')"
# The interrupted sessions are idle now: what they hold they have forgotten.
check "no session keeps a page pinned" 0 "$(sql "SELECT count(*) FROM pg_buffercache b JOIN pg_class c ON pg_relation_filenode(c.oid) = b.relfilenode
  WHERE c.relnamespace IN ('s'::regnamespace, 'pg_toast'::regnamespace) AND pinning_backends > 0")"
check "nor a lock, nor a snapshot" '0 0 2' "$(sql "SELECT count(l), count(backend_xmin), count(DISTINCT a.pid) FROM pg_stat_activity a LEFT JOIN pg_locks l USING (pid)
  WHERE backend_type = 'client backend' AND a.pid <> pg_backend_pid()" | tr '|' ' ')"
printf '\n\n' >&"$go_on"
for name in "${!sessions[@]}"; do wait "${sessions[$name]}" || die "$name ended with an error: $(tail -n 3 "$SCRATCH_DIR/$name.log")"; done

outcomes() { grep -c "$1" <(cat "$SCRATCH_DIR"/interrupted?.log) || true; }
check_at_least "searches that were interrupted" $(( 2 * seconds )) "$(outcomes 'ERROR:  57014')"
check_at_least "searches that were interrupted, caught and done again" $(( seconds / 2 )) "$(outcomes '^caught')"
check_at_least "searches that were done again after a savepoint" $(( seconds / 2 )) "$(outcomes '^after a savepoint')"
check_at_least "searches that came in time" $(( seconds / 4 )) "$(outcomes '^in time')"
check_at_least "comparisons by interrupted sessions" $(( seconds / 8 )) "$(outcomes '^compared')"

sql "SELECT format('  %s: %s', what, sum(n)) FROM stress.written GROUP BY what ORDER BY what"
check "every kind of writing and of maintenance changed something" 19 "$(sql 'SELECT count(*) FROM (SELECT FROM stress.written GROUP BY what HAVING sum(n) > 0) w')"

while IFS='|' read -r what least got; do check_at_least "$what" "$least" "$got"; done < <(sql "
  SELECT what, least, (SELECT count(*) FROM stress.compared WHERE CASE number
      WHEN 1 THEN true
      WHEN 2 THEN what->>'strategy' = 'hybrid' AND (what->>'found')::int > 0
      WHEN 3 THEN what->>'strategy' = 'semantic' AND (what->>'found')::int > 0
      WHEN 4 THEN what->>'strategy' = 'keyword' AND (what->>'found')::int > 0
      WHEN 5 THEN what->>'strategy' = 'recent' AND (what->>'found')::int > 0
      WHEN 6 THEN what->>'strategy' IN ('hybrid', 'semantic') AND what->'paths' ? 'table'
      WHEN 7 THEN NOT what->'paths' ? 'table'
      WHEN 8 THEN (what->>'orders_by_distance')::boolean
      WHEN 9 THEN (what->>'under_policies')::boolean
      WHEN 10 THEN what->>'kind' = 'compressed' AND (what->>'visible')::int > 200
      WHEN 11 THEN what->>'kind' = 'long' END)
  FROM (VALUES (1, 'comparisons of a search, each twice in its snapshot', $seconds), (2, 'hybrid', $seconds / 4), (3, 'semantic', $seconds / 4),
    (4, 'keyword', $seconds / 8), (5, 'recent', $seconds / 8), (6, 'by meaning, all three ways', $seconds / 4), (7, 'by meaning, with an estimate', 1 + $seconds / 20),
    (8, 'with the order of distances by SQL', 1 + $seconds / 20), (9, 'under the policies', $seconds / 8),
    (10, 'of more than 200 entries with compressed ids', $seconds / 8), (11, 'of an id of 540 bytes', 1)) kinds (number, what, least) ORDER BY number")
check "who has the columns alone, and other filters, read as they should" 0 "$(sql "SELECT count(*) FROM stress.compared
  WHERE what->>'strategy' <> 'recent' AND (what->'paths'->>'index' <> 'index' OR what->'paths'->>'table' <> 'table')")"
# While an index is exchanged for another, a snapshot may still see the old one, of which no page can be read.
check_at_least "in per cent, others read the pages of the index" 50 "$(sql "SELECT round(100.0 * count(*) FILTER (WHERE what->'paths'->>'pages' = 'index pages') / count(*), 1)
  FROM stress.compared WHERE what->>'strategy' <> 'recent'")"
check_at_least "entries with a compressed id" 50 "$(sql 'SELECT count(pg_column_compression(memory_id)) FROM s.entries')"
check_at_least "entries too long for entries_scan" 50 "$(sql 'SELECT count(*) FROM s.entries WHERE length(search_vector) > 800')"

# --- In peace ---------------------------------------------------------------------------------------------------------

check_quietly() { # WHAT
  check "$1: 60 searches give the same bytes, each way" 60 "$(sql "$READ_ONLY; SELECT count(stress.compare(n)) FROM generate_series($seed, $seed + 59) n; COMMIT")"
}
check_quietly "after the load"
sql 'VACUUM s.entries'
check_quietly "after VACUUM"
sql 'REINDEX INDEX s.entries_scan'
check_quietly "after REINDEX"

# An index goes, and another of its name comes, after a transaction has its snapshot and before it searches.
for index in entries_scan entries_scan_long; do
  again=$(sql "SELECT pg_get_indexdef('s.$index'::regclass)")
  check "behind a snapshot $index is made anew: 20 searches in it are as before, and the next one reads pages" $'20\nindex pages' "$(AGAIN=$again psql -X -q -At -v ON_ERROR_STOP=1 2>&1 <<SQL || true
$READ_ONLY;
SELECT FROM pg_class WHERE false;
\! psql -X -q -v ON_ERROR_STOP=1 -c 'DROP INDEX s.$index' -c "\$AGAIN" || echo failed
SELECT count(stress.compare(n)) FROM generate_series($seed, $seed + 19) n;
COMMIT;
SELECT (stress.answer(stress.question_number(n), 'pages')).path FROM generate_series($seed, $seed + 100) n WHERE stress.question_number(n)::text LIKE '%semantic%' LIMIT 1;
SQL
)"
done
if [[ $(sql "SELECT count(*) FROM pg_available_extensions WHERE name = 'amcheck'") == 1 ]]; then
  sql 'CREATE EXTENSION amcheck'
  check "amcheck finds no damage in the indexes" t "$(sql "SELECT count(bt_index_check(i.indexrelid, true)) > 5 FROM pg_index i JOIN pg_class c ON c.oid = indexrelid JOIN pg_am a ON a.oid = relam
    WHERE indrelid = 's.entries'::regclass AND amname = 'btree'")"
else
  echo "NOT CHECKED BY AMCHECK, WHICH IS NOT HERE"
fi
# What follows is about a server whose log is full of internal errors, so this one's is looked at now.
check_logs
cluster_stop "$SCRATCH_DIR"

# --- Damaged pages ---------------------------------------------------------------------------------------------------

# A third of a table would be read with all of it, damage and all.
start_server "memory_search.model = ''" 'memory_search.max_top_ke = 20' 'autovacuum = off' 'jit = off' 'enable_seqscan = off'
control() { as_server_user "$PG_BIN/pg_ctl" -D "$SCRATCH_DIR/data" -l "$SCRATCH_DIR/log" -w -t 60 -s -m fast "$1"; }
if [[ $(sql 'SHOW data_checksums') != on ]]; then
  control stop
  as_server_user "$PG_BIN/pg_checksums" -D "$SCRATCH_DIR/data" --enable >/dev/null
  control start
fi
create_extension
psql -X -q -o /dev/null -v ON_ERROR_STOP=1 -f "$support/stress.sql"
for memory in 'damaged index' 'damaged rows' 'whole memory'; do
  sql "SELECT stress.insert('$memory', length('$memory'), 600)" >/dev/null
done
sql 'REINDEX INDEX s.entries_scan'
sql 'VACUUM (FREEZE, ANALYZE) s.entries'
sql "CREATE TABLE stress.kept AS SELECT memory, way, n, stress.known(memory, way, n) AS hash
  FROM unnest('{damaged index,damaged rows,whole memory}'::text[]) memory, unnest('{pages,index,table}'::text[]) way, generate_series($seed, $seed + 29) n"
scan_file=$SCRATCH_DIR/data/$(sql "SELECT pg_relation_filepath('s.entries_scan')")
rows_file=$SCRATCH_DIR/data/$(sql "SELECT pg_relation_filepath('s.entries')")
control stop
cp -p "$scan_file" "$SCRATCH_DIR/scan_file"

damage() { # FILE SEED SHARE MEMORY OTHERS...
  PYTHONDONTWRITEBYTECODE=1 python3 "$support/stress.py" "$@"
}
# What a memory's searches give now, counted: the same answer as before, another one, or an error.
answers() { # MEMORY [WAYS [STATEMENTS BEFORE]]
  psql -X -q -At -v VERBOSITY=sqlstate 2>&1 <<SQL | sort | uniq -c | sed -E 's/^ +//'
SET client_min_messages = error;
${3:-}
SELECT format('SELECT CASE stress.known(%L, %L, %s) WHEN %s THEN ''same'' ELSE ''another'' END', memory, way, n, hash)
  FROM stress.kept WHERE memory = '$1' AND way = ANY ('{${2:-pages,index,table}}') ORDER BY n, way \gexec
SQL
}
# How many of these; $2 an expression for what they gave.
of() { awk -v what="$2" '{ count = $1; sub(/^[0-9]+ /, "") } $0 ~ "^(" what ")$" { n += count } END { print n + 0 }' <<< "$1"; }
DAMAGED='ERROR:  XX00[12]'

# Random bytes that a checksum let by may look like anything. So this reads without a look at checksums, and only pages
# of the index, by the extension: answers may be others, but each call has one, or an error.
came=''
for round in 1 2 3 4 5; do
  cp -p "$SCRATCH_DIR/scan_file" "$scan_file"
  damage "$scan_file" $(( seed + round )) 0.4 'damaged index' 'damaged rows' 'whole memory' >/dev/null
  control start
  came+=$(answers 'damaged index' pages 'SET ignore_checksum_failure = on;')$'\n'
  control stop
done
check "whatever the pages of the index hold, a search ends with an answer or an error" 150 "$(of "$came" 'same|another|ERROR:  .*')"
check_at_least "searches that met it" 50 "$(of "$came" 'another|ERROR:  .*')"

cp -p "$SCRATCH_DIR/scan_file" "$scan_file"
echo "damaged pages of the index: $(damage "$scan_file" "$seed" 0.4 'damaged index' 'damaged rows' 'whole memory')"
control start
# Meanwhile other sessions search what is whole.
printf '%s\n' "\\set n random($seed, $seed + 29)" "SELECT 1 / count(*) FROM stress.kept
  WHERE memory = 'whole memory' AND way = 'pages' AND n = :n AND hash = stress.known(memory, way, n);" > "$SCRATCH_DIR/whole.sql"
pgbench -n -c 2 -T 5 --random-seed="$seed" -f "$SCRATCH_DIR/whole.sql" > "$SCRATCH_DIR/whole.log" 2>&1 & others=$!
came=$(answers 'damaged index')
check "of damaged pages of the index a search says so, or it has its answer without them" 90 "$(of "$came" "same|$DAMAGED")"
check_at_least "searches that met them" 30 "$(of "$came" "$DAMAGED")"
check "memories on other pages are searched as before" '90 90' "$(of "$(answers 'damaged rows')" same) $(of "$(answers 'whole memory')" same)"
wait "$others" || die "a session that searched what is whole failed: $(grep -m 3 -E 'error:|ERROR:' "$SCRATCH_DIR/whole.log")"
# As the error's hint says.
sql 'REINDEX INDEX CONCURRENTLY s.entries_scan'
check "after REINDEX all searches have their answers" 90 "$(of "$(answers 'damaged index')" same)"

control stop
echo "damaged pages of the table: $(damage "$rows_file" "$seed" 0.3 'damaged rows' 'damaged index' 'whole memory')"
control start
came=$(answers 'damaged rows')
check "of damaged pages of the table a search says so, or it has its answer without them" 90 "$(of "$came" "same|$DAMAGED")"
check_at_least "searches that met them" 30 "$(of "$came" "$DAMAGED")"
check "memories on other pages are searched as before" '90 90' "$(of "$(answers 'damaged index')" same) $(of "$(answers 'whole memory')" same)"

# The errors of this server were meant to be, and were counted above.
check "no session died of it" '' "$(grep -E 'terminated by signal|PANIC' "$SCRATCH_DIR/log" || true)"
echo "$CHECKS passed"
