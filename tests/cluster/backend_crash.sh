#!/usr/bin/env bash
# One session's process dies in the middle of a transaction: the server restarts itself, nothing of that
# transaction is there, all that was committed before is. The same for what ends a transaction more
# gently: a savepoint, an error inside memory_add, a time limit. None of it spoils the session's caches.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# psql with a script on its standard input; what it selects, and of an error the SQLSTATE.
session() { psql -X -q -At -v ON_ERROR_STOP=1 -v VERBOSITY=sqlstate 2>&1; }

# What must stay as it is: the rows of the store, and the answers to ten searches, to the byte.
remember() {
  rows=$(sql 'SELECT * FROM all_rows')
  answers=$(sql 'SELECT * FROM answers')
}
check_rows() { check "$1: the rows are the same" "$rows" "$(sql 'SELECT * FROM all_rows')"; }
check_answers() { check "$1: a new session's 10 searches give the same bytes" "$answers" "$(sql 'SELECT * FROM answers')"; }

ulimit -c 0 # no core files of processes that are meant to die
# Without it, the last commits before a crash may be lost: the setting's meaning, and no news here.
start_server 'synchronous_commit = on'
create_extension
sql "$FILL_STORE" >/dev/null
# As of a time when all that is done here, deletions too, has happened.
searches=${SEARCH_STORE//2025-06-01/2100-01-01}
sql "CREATE VIEW answers AS SELECT string_agg(answer::text, E'\n') AS answers FROM (${searches%;}) searches(answer)"
sql "CREATE VIEW all_rows AS SELECT (SELECT count(*) || ' entries ' || md5(string_agg(e::text, E'\n' ORDER BY entry_id)) FROM s.entries e) || ', '
  || (SELECT count(*) || ' contexts ' || md5(string_agg(c::text, E'\n' ORDER BY context_id)) FROM s.contexts c) || ', '
  || (SELECT count(*) || ' counts ' || md5(string_agg(a::text, E'\n' ORDER BY entry_id)) FROM s.entry_access a)"
check "there is something to lose" '200 entries 5 contexts 50 counts 10 documents' "$(
  sql 'SELECT all_rows.* FROM all_rows' | sed -E 's/ [0-9a-f]{32},?//g' | tr -d '\n'; sql 'SELECT * FROM answers' | awk 'END { print "", NR, "documents" }')"

# --- A session's process dies ------------------------------------------------------------------

# A process of the server's that kills its parent, which is the session's own process, when the context
# is written: memory_add is then in its second INSERT.
sql "CREATE FUNCTION kill_own_session() RETURNS trigger LANGUAGE plpgsql AS \$\$
  BEGIN EXECUTE format('COPY (SELECT) TO PROGRAM %L', 'kill -' || substr(NEW.context, 6) || ' \$PPID'); RETURN NULL; END \$\$"
sql "CREATE TRIGGER kill_own_session AFTER INSERT ON s.contexts FOR EACH ROW WHEN (NEW.context ~ '^KILL ') EXECUTE FUNCTION kill_own_session()"

LOST="SELECT memory_add('m', 'lost with its session', context => 'lost with its session', creation_time => '2025-05-01Z', store => 's');
  SELECT memory_touch('m', array_agg(entry_id), store => 's') FROM s.entries;
  SELECT memory_delete('m', array_agg(entry_id), store => 's') FROM (SELECT entry_id FROM s.entries WHERE entry_id::text LIKE '%7') sevens;"
IN_TRANSACTION="BEGIN; $LOST
  SELECT pg_backend_pid() AS pid \\gset
  \\setenv VICTIM :pid
  \\! kill -SIGNAL \$VICTIM
  COMMIT;"
IN_MEMORY_ADD="BEGIN; $LOST
  SELECT memory_add('m', 'lost too', context => 'KILL SIGNAL', store => 's');
  COMMIT;"

in_place=$SCRATCH_DIR/in_place
mkfifo "$in_place"
exec {in_place_fd}<>"$in_place"
crashes=0
for signal in ABRT KILL; do
  for place in 'between two statements' 'inside memory_add'; do
    crashes=$(( crashes + 1 ))
    sql "SELECT memory_add('m', 'saved before crash$crashes', context => 'before crash $crashes', creation_time => '2025-04-01Z', store => 's')" >/dev/null
    remember

    # Another session is in the middle of its work.
    psql -X -q -At -v ON_ERROR_STOP=1 > "$SCRATCH_DIR/bystander" 2>&1 <<SQL &
BEGIN;
SELECT memory_put_context('m', 'lost with the other session', creation_time => '2025-05-02Z', store => 's');
\! echo > $in_place
SELECT pg_sleep(60);
COMMIT;
SQL
    bystander=$!
    read -r -t 60 -u "$in_place_fd" || die "the other session did not get as far as the crash: $(cat "$SCRATCH_DIR/bystander")"

    if [[ $place == inside* ]]; then script=$IN_MEMORY_ADD; else script=$IN_TRANSACTION; fi
    # 2 is psql's code for a lost connection.
    status=0 other=0
    session > "$SCRATCH_DIR/victim" <<< "${script//SIGNAL/$signal}" || status=$?
    (( status == 2 )) || die "the session was not killed: $(cat "$SCRATCH_DIR/victim")"
    wait "$bystander" || other=$?
    (( other == 2 )) || die "the other session was not cut off: $(cat "$SCRATCH_DIR/bystander")"
    # The log says so for the first start, and once more for each restart.
    starts=$(timeout 60 grep -c -m $(( 1 + crashes )) 'ready to accept connections' <(tail -n +1 -f -s 0.05 --pid=$$ "$SCRATCH_DIR/log") || true)
    (( ${starts:-0} == 1 + crashes )) || die "the server did not restart itself: $(tail -n 20 "$SCRATCH_DIR/log")"

    what="SIG$signal $place"
    check "$what: what was committed just before is found" "saved before crash$crashes" \
      "$(sql "SELECT raw_entry FROM memory_search_entries('m', 'crash$crashes', 1, store => 's')")"
    check_rows "$what"
    check_answers "$what"
  done
done
# Twice each, and nothing else died.
check "four sessions died, by these signals" '2 of 6 2 of 9 ' \
  "$(sed -nE 's/.*terminated by signal ([0-9]+).*/\1/p' "$SCRATCH_DIR/log" | sort | uniq -c | awk '{ printf "%d of %d ", $1, $2 }')"
sql 'DROP TRIGGER kill_own_session ON s.contexts'
check "the store takes and finds new memories" 'a new memory after four crashes' "$(sql "SELECT memory_add('m', 'a new memory after four crashes', store => 's')" >/dev/null
  sql "SELECT raw_entry FROM memory_search_entries('m', 'four crashes', 1, store => 's')")"

# --- A savepoint is rolled back ----------------------------------------------------------------

remember
id=$(sql "SELECT quote_literal(entry_id) FROM s.entries WHERE raw_entry LIKE 'note 7:%'")
calls=()
while IFS='|' read -r what call; do
  calls+=("$call")
  # The search in between sees the change, so that a cache has something wrong to keep.
  check "a savepoint undoes $what, and the session's searches answer as before" 't t t t' "$(session <<SQL
SELECT answers AS before FROM answers \gset
BEGIN;
SAVEPOINT p;
SELECT $call AS c \gset
SELECT answers AS meanwhile FROM answers \gset
ROLLBACK TO p;
SELECT answers AS undone FROM answers \gset
COMMIT;
SELECT answers AS after FROM answers \gset
SELECT concat_ws(' ', :'before' = \$\$$answers\$\$, :'meanwhile' <> :'before', :'undone' = :'before', :'after' = :'before');
SQL
)"
  check_rows "a savepoint around $what"
done <<CALLS
memory_add|memory_add('m', 'tea, undone', context => 'undone: peanuts', creation_time => '2025-05-01Z', store => 's')
memory_put_context|memory_put_context('m', 'undone: a hotel', creation_time => '2025-05-01Z', store => 's')
memory_touch|memory_touch('m', (SELECT array_agg(entry_id) FROM s.entries), store => 's')
memory_delete of entries|memory_delete('m', (SELECT array_agg(entry_id) FROM s.entries WHERE importance < 50), store => 's')
memory_delete of all|memory_delete('m', whole_memory => true, store => 's')
CALLS

# All that the session ever did before was undone: its plans and its model were made there.
undone=$(printf 'SAVEPOINT p; SELECT %s AS c \\gset\nSELECT count(*) AS c FROM answers \\gset\nROLLBACK TO p;\n' "${calls[@]}")
now=$(session <<SQL
BEGIN;
$undone
ROLLBACK;
SELECT * FROM answers;
SQL
)
check "a session whose first calls were all undone answers as others do" "$answers" "$now"
check_rows "all five undone"
check_answers "all five undone"

check "a store that was undone is gone, and may be made with other dimensions" $'1\nERROR:  42704\nERROR:  42704\ny' "$(session <<SQL
\o /dev/null
BEGIN;
SAVEPOINT p;
SELECT memory_create_store('t', 4);
SELECT memory_add('m', 'x', embedding => '[1,0,0,0]', context => 'x', store => 't');
\o
SELECT memory_search('m', 'x', embedding => '[1,0,0,0]', store => 't')->'count';
ROLLBACK TO p;
\set ON_ERROR_STOP off
SELECT memory_search('m', 'x', embedding => '[1,0,0,0]', store => 't');
ROLLBACK TO p;
SELECT memory_add('m', 'x', embedding => '[1,0,0,0]', store => 't');
ROLLBACK;
\set ON_ERROR_STOP on
\o /dev/null
SELECT memory_create_store('t', 2);
SELECT memory_add('m', 'y', embedding => '[1,0]', store => 't');
\o
SELECT raw_entry FROM memory_search_entries('m', '', embedding => '[1,0]', store => 't');
SQL
)"

# --- An error inside memory_add ----------------------------------------------------------------

# As a statement of its own, and caught by a block that then commits.
check_fails() { # WHAT SQLSTATE CALL
  local got
  got=$(session <<< "SELECT $3" || true)
  check "$1: $2" "ERROR:  $2" "$got"
  check_rows "$1"
  got=$(session <<SQL
DO \$do\$
BEGIN
  PERFORM $3;
  RAISE EXCEPTION 'no error';
EXCEPTION WHEN SQLSTATE '$2' THEN NULL;
END \$do\$;
SELECT * FROM answers;
SQL
  )
  check "$1, caught: the session's searches answer as before" "$answers" "$got"
  check_rows "$1, caught"
}
CONTEXT="context => 'forbidden', creation_time => '2025-05-01Z', store => 's'"
check_fails "an embedding of the wrong length" 22000 "memory_add('m', 'forbidden', embedding => '[1,2]', $CONTEXT)"
check_fails "an id that is taken" 23505 "memory_add('m', 'forbidden', entry_id => $id, $CONTEXT)"

sql "ALTER TABLE s.entries ADD CONSTRAINT ours CHECK (raw_entry <> 'forbidden')"
check_fails "a constraint on entries" 23514 "memory_add('m', 'forbidden', $CONTEXT)"
sql "ALTER TABLE s.entries DROP CONSTRAINT ours"
sql "ALTER TABLE s.contexts ADD CONSTRAINT ours CHECK (context <> 'forbidden')"
check_fails "a constraint on contexts" 23514 "memory_add('m', 'allowed', $CONTEXT)"
sql "ALTER TABLE s.contexts DROP CONSTRAINT ours"

# By now the entry is there: the trigger sees it.
sql "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \$\$
  BEGIN
    IF NOT EXISTS (SELECT FROM s.entries WHERE raw_entry = 'forbidden') THEN RAISE EXCEPTION 'the trigger came too early'; END IF;
    RAISE EXCEPTION 'no' USING ERRCODE = 'restrict_violation';
  END \$\$"
sql "CREATE TRIGGER ours AFTER INSERT ON s.contexts FOR EACH ROW EXECUTE FUNCTION refuse()"
check_fails "a trigger on contexts, after the entry was written" 23001 "memory_add('m', 'forbidden', $CONTEXT)"
sql "DROP TRIGGER ours ON s.contexts"
sql "CREATE CONSTRAINT TRIGGER ours AFTER INSERT ON s.contexts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()"
check "a trigger at the time of commit: 23001, when the entry could be seen already" $'1\nERROR:  23001' "$(session <<SQL || true
BEGIN;
SELECT memory_add('m', 'forbidden', $CONTEXT) AS c \gset
SELECT count(*) FROM s.entries WHERE raw_entry = 'forbidden';
COMMIT;
SQL
)"
check_rows "a trigger at the time of commit"
sql "DROP TRIGGER ours ON s.contexts"
# An entry that is not there brings no context.
sql "CREATE FUNCTION suppress() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"
sql "CREATE TRIGGER ours BEFORE INSERT ON s.entries FOR EACH ROW EXECUTE FUNCTION suppress()"
check_fails "a trigger that suppresses the entry" 55000 "memory_add('m', 'forbidden', $CONTEXT)"
sql "DROP TRIGGER ours ON s.entries"

# --- A time limit ------------------------------------------------------------------------------

written() { sql "SELECT last_value FROM s.entries_entry_order_seq"; }
BULK="SELECT count(memory_add('m', 'too late ' || n, context => 'too late ' || n, store => 's')) FROM generate_series(1, 20000) n"
before=$(written)
check "a bulk memory_add is stopped by statement_timeout: 57014, and the session goes on" "ERROR:  57014
$answers" "$(session <<SQL
SELECT count(*) AS c FROM answers \gset
SET statement_timeout = '2s'; \set ON_ERROR_STOP off
$BULK;
RESET statement_timeout;
SELECT * FROM answers;
SQL
)"
# The numbers of the insertion order are given for good: they tell how many entries were written and undone.
check "it had written some" t "$(sql "SELECT $(written) - $before > 1")"
check_rows "statement_timeout"
check_answers "statement_timeout"

check "stopped inside a savepoint: what the transaction did before is kept" $'ERROR:  57014\n1' "$(session <<SQL
BEGIN;
SELECT memory_add('other', 'in time', context => 'in time', store => 's') AS c \gset
SAVEPOINT p;
SET LOCAL statement_timeout = '400ms'; \set ON_ERROR_STOP off
$BULK;
ROLLBACK TO p;
COMMIT;
SELECT memory_search('other', 'time', store => 's')->'count';
SQL
)"
check "and nothing else" '1 1 0' "$(sql "SELECT (SELECT count(*) FROM s.entries WHERE memory_id = 'other') || ' ' || (SELECT count(*) FROM s.contexts WHERE memory_id = 'other') || ' '
  || (SELECT count(*) FROM s.entries WHERE raw_entry LIKE 'too late%') + (SELECT count(*) FROM s.contexts WHERE context LIKE 'too late%')")"

# Unlike in other tests, processes died by signals here, and these were counted above.
check "no internal error in the server's log" '' "$(grep -E ' XX[0-9]{3} ' "$SCRATCH_DIR/log" || true)"
check "the server restarted four times" 4 "$(grep -c 'reinitializing' "$SCRATCH_DIR/log")"
echo "$CHECKS passed"
