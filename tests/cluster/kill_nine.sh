#!/usr/bin/env bash
# The server is killed with SIGKILL while sessions write. After crash recovery every write that it had
# acknowledged is there and is found, none is there by half, and the indexes agree with the tables.
# (What the operating system was handed survives a kill: this is no test of a power cut.)
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

writers=4
# For each round: what is killed, and at which write of the first writer.
rounds=('postmaster 50' 'everything 70' 'postmaster 40')
HOT=00000000-0000-0000-0000-000000000001

# One writer's statements, each a transaction of its own, and behind each a line for its log: psql gets
# there only when the server has said that the transaction is committed.
statements() { # ROUND WRITER KILL_AT (0: another writer says when)
  awk -v round="$1" -v writer="$2" -v kill_at="$3" -v kill_now="$KILL_NOW" -v hot="$HOT" -v q="'" '
    function quoted(text) { return q text q }
    function id(n) { return sprintf("%08d-0000-0000-%04d-%012d", round, writer, n) }
    function write(kind, call, n) { printf "SELECT memory_%s, store => %s);\n\\echo %s|%s|%s|%s\n", call, quoted("s"), kind, memory, id(n), word }
    function add(more, n) { return "add(" quoted(memory) ", " quoted(topic ", " word) ", entry_id => " quoted(id(n)) ", " more }
    BEGIN {
      split("a small hotel by the sea;the train to Lisbon;green tea with milk;an error in line five;allergic to peanuts", topics, ";")
      memory = "w" writer
      print "\\o /dev/null"
      for (n = 1; n <= 5000; n++) {
        # Recovery starts at this checkpoint, and needs the full pages that are logged after it.
        if (kill_at && n == int(kill_at / 2)) print "CHECKPOINT;"
        if (n == kill_at) print "\\! echo now > " kill_now
        word = "mark" round memory "n" n
        topic = topics[1 + n % 5]
        if (n % 6 == 1) write("entry", add("user_id => " quoted("u" n % 2) ", tags => ARRAY[" quoted("t" n % 3) "], metadata => " quoted("{\"n\": " n "}"), n), n)
        if (n % 6 == 2) write("snapshot", add("context => " quoted("state at " word ": " topic), n), n)
        if (n % 6 == 3) write("context", "put_context(" quoted(memory) ", " quoted("so far " word ": " topic), n)
        if (n % 6 == 4) write("entry", add("summary => " quoted(topic) ", importance => " n % 101, n), n)
        if (n % 6 == 5) write("touch", "touch(" quoted("hot") ", ARRAY[" quoted(hot) "::uuid]", n)
        if (n % 6 == 0) write("delete", "delete(" quoted(memory) ", ARRAY[" quoted(id(n - 5)) "::uuid]", n - 5)
      }
    }'
}

# Kills the postmaster, alone or with all its processes, and waits until the last of them is gone. It is
# halted first: so it starts none that the list lacks, and no number on the list comes to mean another.
kill_server() { # postmaster | everything
  local postmaster children process
  postmaster=$(head -n 1 "$SCRATCH_DIR/data/postmaster.pid")
  kill -STOP "$postmaster"
  mapfile -t children < <(pgrep -P "$postmaster")
  if [[ $1 == everything ]]; then kill -KILL "${children[@]}"; fi
  kill -KILL "$postmaster"
  for process in "$postmaster" "${children[@]}"; do
    timeout 60 tail --pid="$process" -s 0.05 -f /dev/null || die "process $process outlived the kill"
  done
}

start_again() {
  if ! as_server_user "$PG_BIN/pg_ctl" -D "$SCRATCH_DIR/data" -l "$SCRATCH_DIR/log" -w -t 60 -s start; then
    tail -n 20 "$SCRATCH_DIR/log" >&2
    die "the server did not start again; its log is above"
  fi
}

# How many lines of the log are of these kinds.
acknowledged() { awk -F '|' -v kinds="^($1)\$" '$1 ~ kinds { n++ } END { print n + 0 }' "$ACKS"; }

# Everything of all rounds so far: a later crash must not take what survived an earlier one.
compare_writes() { # ROUNDS
  local entries contexts snapshots touches deletes visible
  sql 'TRUNCATE acked'
  sql "\\copy acked FROM '$ACKS' (DELIMITER '|')"
  entries=$(acknowledged 'entry|snapshot') snapshots=$(acknowledged snapshot) contexts=$(acknowledged context)
  touches=$(acknowledged touch) deletes=$(acknowledged delete)
  echo "acknowledged so far: $entries entries ($snapshots with a context), $contexts contexts, $touches touches, $deletes deletions"

  check "all $entries acknowledged entries are in the table, with their text" "$entries" "$(sql "
    SELECT count(*) FROM acked a JOIN s.entries e ON e.memory_id = a.memory_id AND e.entry_id = a.id AND e.raw_entry LIKE '%, ' || a.word
    WHERE kind IN ('entry', 'snapshot')")"
  check "so are all $snapshots contexts that came with one" "$snapshots" "$(sql "
    SELECT count(*) FROM acked a JOIN s.contexts c ON c.memory_id = a.memory_id AND c.context LIKE 'state at ' || a.word || ':%' WHERE kind = 'snapshot'")"
  check "and all $contexts that came alone" "$contexts" "$(sql "
    SELECT count(*) FROM acked a JOIN s.contexts c ON c.memory_id = a.memory_id AND c.context LIKE 'so far ' || a.word || ':%' WHERE kind = 'context'")"
  check "all $deletes acknowledged deletions are in the table" "$deletes" "$(sql "
    SELECT count(*) FROM acked a JOIN s.entries e ON e.memory_id = a.memory_id AND e.entry_id = a.id WHERE kind = 'delete' AND e.deletion_scheduled_time IS NOT NULL")"
  check "all $touches acknowledged touches are counted" t "$(sql "SELECT access_count >= $touches FROM s.entry_access WHERE memory_id = 'hot'")"
  # A kill may come between a commit and its acknowledgement: once for each writer.
  check_at_most "writes that are there without an acknowledgement" $(( writers * $1 )) "$(sql "
    SELECT (SELECT count(*) - $entries FROM s.entries WHERE memory_id <> 'hot') + (SELECT count(*) - $contexts FROM s.contexts WHERE context LIKE 'so far %')
         + (SELECT count(*) - $deletes FROM s.entries WHERE deletion_scheduled_time IS NOT NULL) + (SELECT sum(access_count) - $touches FROM s.entry_access)")"

  visible=$(sql "SELECT count(*) FROM acked WHERE kind IN ('entry', 'snapshot') AND id NOT IN (SELECT entry_id FROM s.entries WHERE deletion_scheduled_time IS NOT NULL)")
  check "a search by its word finds each of the $visible that are not deleted" "$visible" "$(sql "
    SELECT count(*) FROM acked a, memory_search(a.memory_id, a.word, 1, options => '{\"strategy\": \"keyword\", \"fallback\": false}', store => 's') found
    WHERE kind IN ('entry', 'snapshot') AND found->'entries'->0->>'entryId' = a.id::text")"
  # Where texts share an embedding, another may come first, but none is nearer.
  check "a search by its embedding finds each of the $visible, and none that is nearer" "$visible" "$(sql "
    SELECT count(*) FROM (
      SELECT f.entry_id = e.entry_id::text AS own, f.semantic > max(f.semantic) OVER (PARTITION BY e.entry_id) - 1e-6 AS nearest
      FROM acked a JOIN s.entries e ON e.memory_id = a.memory_id AND e.entry_id = a.id,
        memory_search_entries(e.memory_id, '', 10, e.embedding, store => 's',
          options => '{\"strategy\": \"semantic\", \"fallback\": false, \"boosts\": {\"recency\": 0, \"importance\": 0}}') f
      WHERE kind IN ('entry', 'snapshot')) found
    WHERE own AND nearest")"
  check "no deleted entry is found by its word" 0 "$(sql "
    SELECT count(*) FROM acked a, memory_search(a.memory_id, a.word, 1, options => '{\"strategy\": \"keyword\", \"fallback\": false}', store => 's') found
    WHERE kind = 'delete' AND found->'entries'->0->>'entryId' = a.id::text")"
  check "a search by its word finds each of the $contexts contexts" "$contexts" "$(sql "
    SELECT count(*) FROM acked a, memory_search(a.memory_id, a.word, 0, 1, options => '{\"strategy\": \"keyword\"}', store => 's') found
    WHERE kind = 'context' AND (found->>'latestContext' LIKE 'so far ' || a.word || ':%' OR found->'contexts'->0->>'context' LIKE 'so far ' || a.word || ':%')")"
  check "each memory's latest context is its newest row" "$writers" "$(sql "
    SELECT count(*) FROM (SELECT DISTINCT ON (memory_id) memory_id, context FROM s.contexts ORDER BY memory_id, creation_time DESC, context_id) newest
    WHERE memory_search(memory_id, '', 0, store => 's')->>'latestContext' = context")"

  check "no row lacks its words or its embedding" 0 "$(sql "
    SELECT count(*) FROM (SELECT embedding, search_vector FROM s.entries UNION ALL SELECT embedding, search_vector FROM s.contexts) row
    WHERE embedding IS NULL OR search_vector IS NULL OR search_vector = ''")"
  check "no entry lacks the context it came with, nor that context its entry" 0 "$(sql "
    SELECT count(*) FROM (SELECT memory_id, context FROM s.entries WHERE context IS NOT NULL) e
    FULL JOIN (SELECT memory_id, context FROM s.contexts WHERE context LIKE 'state at %') c USING (memory_id, context)
    WHERE e.context IS NULL OR c.context IS NULL")"
  check "no count lacks its entry" 0 "$(sql 'SELECT count(*) FROM s.entry_access a WHERE NOT EXISTS (SELECT FROM s.entries e WHERE e.memory_id = a.memory_id AND e.entry_id = a.entry_id)')"
  check "no number of the insertion order was given twice" 0 "$(sql 'SELECT count(*) - count(DISTINCT entry_order) FROM s.entries')"
}

# Each index that holds rows here, beside a query that it serves.
SERVED="
  entries_pkey      s.entries WHERE memory_id = 'w1' AND entry_id > '00000000-0000-0000-0000-000000000000'
  entries_recent    s.entries WHERE memory_id = 'w2' AND creation_time > '2000-01-01'
  entries_words     s.entries WHERE search_vector @@ 'hotel | train | tea | error | peanut'
  entries_user      s.entries WHERE user_id = 'u1' AND memory_id > 'w1'
  entries_context   s.entries WHERE memory_id = 'w3' AND creation_time > '2000-01-01' AND context IS NOT NULL
  entries_to_purge  s.entries WHERE deletion_scheduled_time > '2000-01-01'
  contexts_pkey     s.contexts WHERE memory_id = 'w1' AND context_id > '00000000-0000-0000-0000-000000000000'
  contexts_recent   s.contexts WHERE memory_id = 'w2' AND creation_time > '2000-01-01'
  entry_access_pkey s.entry_access WHERE memory_id = 'hot' AND entry_id = '$HOT'"

compare_indexes() {
  local index rows by_table by_index
  while read -r index rows; do
    by_table=$(PGOPTIONS='-c enable_indexscan=off -c enable_indexonlyscan=off -c enable_bitmapscan=off' sql "SELECT count(*) FROM $rows")
    (( by_table > 0 )) || die "$index has no rows to compare"
    # The other indexes of its table set aside for a moment, the planner has no choice.
    by_index=$(PGOPTIONS='-c enable_seqscan=off' sql "BEGIN;
      UPDATE pg_index SET indisvalid = false FROM pg_index this WHERE this.indexrelid = 's.$index'::regclass AND pg_index.indrelid = this.indrelid AND pg_index.indexrelid <> this.indexrelid;
      EXPLAIN (COSTS OFF) SELECT count(*) FROM $rows;
      SELECT count(*) FROM $rows;
      ROLLBACK")
    [[ $by_index == *" $index"* ]] || die "$index does not serve its query: $by_index"
    check "$index has the $by_table rows of its table" "$by_table" "${by_index##*$'\n'}"
  done < <(grep . <<< "$SERVED")

  [[ -n $amcheck ]] || return 0
  # It sees more: damaged pages, their order, and each row of a table in each of its B-trees.
  check "amcheck finds no damage in the tables" 0 "$(sql "SELECT count(*) FROM pg_class c, verify_heapam(c.oid) WHERE $OF_STORE AND relkind = 'r'")"
  check "nor in the B-trees" t "$(sql "SELECT count(bt_index_check(c.oid, true)) > 0 FROM pg_class c JOIN pg_am a ON a.oid = relam WHERE $OF_STORE AND amname = 'btree'")"
  if [[ $amcheck == *gin_index_check* ]]; then check "nor in the GIN index" 1 "$(sql "SELECT count(gin_index_check('s.entries_words'))")"; fi
}
OF_STORE="relnamespace = 's'::regnamespace"

# As a careful user runs it. Small buffers and a short pending list make the background work, too, be cut off.
start_server 'fsync = on' 'synchronous_commit = on' 'full_page_writes = on' 'shared_buffers = 1MB' 'gin_pending_list_limit = 64kB'
create_extension
amcheck=
if [[ $(sql "SELECT count(*) FROM pg_available_extensions WHERE name = 'amcheck'") == 1 ]]; then
  sql 'CREATE EXTENSION amcheck'
  amcheck=$(sql "SELECT string_agg(proname, ' ') FROM pg_proc WHERE proname IN ('bt_index_check', 'gin_index_check')")
fi
if [[ $amcheck != *gin_index_check* ]]; then echo "NOT CHECKED BY AMCHECK, WHICH HERE KNOWS ONLY: ${amcheck:-nothing}"; fi
sql "SELECT memory_create_store('s')" >/dev/null
sql "SELECT memory_add('hot', 'what all writers touch', entry_id => '$HOT', store => 's')" >/dev/null
sql 'CREATE TABLE acked (kind text, memory_id text, id uuid, word text)'

ACKS=$SCRATCH_DIR/acks KILL_NOW=$SCRATCH_DIR/kill_now
: > "$ACKS"
mkfifo "$KILL_NOW"
exec {kill_now}<>"$KILL_NOW"
for (( round = 1; round <= ${#rounds[@]}; round++ )); do
  read -r victims kill_at <<< "${rounds[round - 1]}"
  for (( writer = 1; writer <= writers; writer++ )); do
    statements "$round" "$writer" $(( writer == 1 ? kill_at : 0 )) > "$SCRATCH_DIR/writer$writer.sql"
  done
  sessions=()
  for (( writer = writers; writer >= 1; writer-- )); do
    psql -X -q -At -v ON_ERROR_STOP=1 -f "$SCRATCH_DIR/writer$writer.sql" > "$SCRATCH_DIR/acks$writer" 2> "$SCRATCH_DIR/errors$writer" &
    sessions[writer]=$!
  done
  read -r -t 60 -u "$kill_now" || die "the first writer did not get as far as the kill: $(cat "$SCRATCH_DIR/errors1")"
  kill_server "$victims"
  for (( writer = 1; writer <= writers; writer++ )); do
    status=0
    wait "${sessions[writer]}" || status=$?
    # 2 is psql's code for a lost connection.
    (( status == 2 )) || die "writer $writer ended with $status instead of being cut off: $(cat "$SCRATCH_DIR/errors$writer")"
    [[ -s $SCRATCH_DIR/acks$writer ]] || die "writer $writer had nothing acknowledged"
    cat "$SCRATCH_DIR/acks$writer" >> "$ACKS"
  done
  start_again
  echo "round $round of ${#rounds[@]}: SIGKILL to ${victims/postmaster/the postmaster}, $writers writers cut off, started again"
  check "the server recovered from a crash" "$round" "$(grep -c 'automatic recovery in progress' "$SCRATCH_DIR/log")"
  compare_writes "$round"
  compare_indexes
done
checked
