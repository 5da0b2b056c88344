#!/usr/bin/env bash
# Ten sessions write and ten read the same memories for a minute: no call fails, none waits in a circle, every
# answer is whole, and in the end everything that was acknowledged is there, and nothing else.
#   SECONDS_OF_LOAD=10   shorter
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
support=$(cd "$(dirname "${BASH_SOURCE[0]}")/support" && pwd)
seconds=${SECONDS_OF_LOAD:-60}

start_server "deadlock_timeout = '200ms'"
create_extension
psql -X -q -o /dev/null -v ON_ERROR_STOP=1 -f "$support/concurrent_load.sql"

# A script each for pgbench; what a call returns is written down by the statement after it.
scripts=$SCRATCH_DIR/scripts
mkdir "$scripts"
writer() { # NAME WEIGHT MEMORY WHAT CALL
  printf '%s\n' "\\set n random(1, 1000000)" "SELECT n FROM (SELECT $5) AS call(n) \\gset" \
    "INSERT INTO acknowledged VALUES ('$4', '$3', :n);" > "$scripts/$1.write.sql"
  writers+=(-f "$scripts/$1.write.sql@$2")
}
reader() { # NAME WEIGHT STATEMENT
  printf '%s\n' "\\set n random(1, 1000000)" "$3;" > "$scripts/$1.read.sql"
  readers+=(-f "$scripts/$1.read.sql@$2")
}
writers=() readers=()
for memory in kept changing; do
  writer "add-$memory" 4 "$memory" added "count(memory_add('$memory', 'note ' || :n || ' of the train', tags => ARRAY['t' || :n % 5]))"
  writer "add-context-$memory" 1 "$memory" 'added with context' "count(memory_add('$memory', 'tea number ' || :n, context => 'part ' || :n || gen_random_uuid()))"
  writer "put-context-$memory" 1 "$memory" 'put context' "count(memory_put_context('$memory', 'summary of the hotel ' || :n))"
  writer "insert-$memory" 1 "$memory" inserted "plain_row('$memory')"
  writer "touch-$memory" 4 "$memory" touched "memory_touch('$memory', ids('$memory', 5))"
  writer "update-$memory" 2 "$memory" updated "coalesce(sum(memory_update('$memory', id, 'changed to ' || :n, importance => :n % 101)), 0) FROM unnest(ids('$memory', 1)) id"
  writer "recall-$memory" 2 "$memory" recalled "well_formed(memory_recall('$memory', 'note ' || :n % 200), '$memory', 5)"
done
writer supersede 2 kept superseded "superseded('kept', 1 + :n % 4, 1 + :n / 4 % 4)"
writer reembed 1 '' reembedded "memory_reembed(max_rows => 5)"
writer delete 2 changing deleted "memory_delete('changing', ids('changing', 3))"
writer restore 1 changing restored "memory_restore('changing', ids('changing', 6))"
writer purge 1 changing purged "memory_purge(now() - interval '100 ms', max_rows => 4)"
writer add-people 3 people 'added of a user' "count(memory_add('people', 'user note ' || :n, context => 'part ' || :n % 9, user_id => 'u' || :n % 3))"
writer touch-people 3 people 'touched of a user' "memory_touch('people', ids('people', 9))"
writer forget 1 people 'forgotten of a user' "memory_forget_user('u' || :n % 3)"
for memory in kept changing; do
  for strategy in hybrid semantic keyword recent; do
    reader "$strategy-$memory" 2 "SELECT well_formed(memory_search('$memory', 'the train in note ' || :n % 200, options => '{\"strategy\": \"$strategy\", \"boosts\": {\"popularity\": 0.1}}'), '$memory', 5)"
  done
  reader "filters-$memory" 1 "SELECT well_formed(memory_search('$memory', 'tea', 10, filters => '{\"tags\": \"t1\", \"accessCount\": {\"\$gte\": 1}}'), '$memory', 10)"
  reader "context-$memory" 1 "SELECT well_formed(memory_search('$memory', 'hotel', 0, 3), '$memory', 0)"
  reader "duplicates-$memory" 1 "SELECT well_formed(memory_search('$memory', 'changed', options => '{\"dedupThreshold\": 0.9}'), '$memory', 5)"
  reader "prompt-$memory" 1 "SELECT 1 / position('## CURRENT CONVERSATION' IN memory_build_context('$memory', 'note ' || :n))"
  reader "explain-$memory" 1 "SELECT 1 / count(*) FROM memory_explain('$memory', 'hotel by the sea') WHERE outcome = 'returned'"
done

load() { # NAME ARGUMENTS...
  PGOPTIONS='-c memory_search.store=s -c client_min_messages=warning' pgbench -n -c 10 -j 2 -T "$seconds" "${@:2}" > "$SCRATCH_DIR/$1.log" 2>&1
}
echo "10 sessions write and 10 read for $seconds s"
failed=()
load readers -M prepared "${readers[@]}" &
reading=$!
load writers "${writers[@]}" || failed+=(writers)
wait "$reading" || failed+=(readers)
if (( ${#failed[@]} )); then
  for name in "${failed[@]}"; do grep -E 'error:|ERROR:|DETAIL:' "$SCRATCH_DIR/$name.log" | head -n 12 >&2; done
  die "calls of these failed: ${failed[*]}"
fi
for name in writers readers; do
  log=$SCRATCH_DIR/$name.log
  check "$name: no call failed" 'number of failed transactions: 0 (0.000%)' "$(grep -m 1 'failed transactions' "$log")"
  calls=$(sed -nE 's/^number of transactions actually processed: ([1-9][0-9]*)$/\1/p' "$log")
  [[ -n $calls ]] || die "pgbench counted no calls of the $name"
  echo "  calls of the $name: $calls"
done
check "the server's log has no error and no deadlock" '' "$(grep -E 'ERROR|FATAL|PANIC|deadlock' "$SCRATCH_DIR/log" || true)"
sql "SELECT format('  %s: %s', what, sum(n)) FROM acknowledged GROUP BY what ORDER BY what"
check "every kind of writing changed something" '' "$(sql "SELECT string_agg(what, ', ') FROM (SELECT what FROM acknowledged GROUP BY what HAVING sum(n) = 0) w")"

# What was acknowledged, and what is there.
acknowledged() { sql "SELECT coalesce(sum(CASE WHEN what = ANY ('{$2}') THEN n WHEN what = ANY ('{${3:-}}') THEN -n END), 0) FROM acknowledged WHERE memory = '$1'"; }
added='added,added with context,inserted'
check "memory kept holds 200 entries and those added" "$(( 200 + $(acknowledged kept "$added") ))" "$(sql "SELECT count(*) FROM s.entries WHERE memory_id = 'kept'")"
check "memory changing holds 200 entries and those added without those purged" "$(( 200 + $(acknowledged changing "$added" purged) ))" "$(sql "SELECT count(*) FROM s.entries WHERE memory_id = 'changing'")"
check "as many of them are deleted as were, without those restored or purged" "$(acknowledged changing deleted restored,purged)" "$(sql "SELECT count(*) FROM s.entries WHERE memory_id = 'changing' AND deletion_scheduled_time IS NOT NULL")"
check "memory kept holds the contexts that were put and added" "$(acknowledged kept 'put context,added with context')" "$(sql "SELECT count(*) FROM s.contexts WHERE memory_id = 'kept'")"
check "memory changing holds the contexts that were put" "$(acknowledged changing 'put context')" \
  "$(sql "SELECT count(*) FROM s.contexts WHERE memory_id = 'changing' AND entry_id IS NULL")"
check "and one for each entry that brought one and is not purged" "$(sql "SELECT count(*) FROM s.entries WHERE memory_id = 'changing' AND context IS NOT NULL")" \
  "$(sql "SELECT count(*) FROM s.contexts WHERE memory_id = 'changing' AND entry_id IS NOT NULL")"
check "memory kept counts every touch and every recall once" "$(acknowledged kept touched,recalled)" "$(sql "SELECT sum(access_count) FROM s.entry_access WHERE memory_id = 'kept'")"
sql "SELECT memory_reembed(store => 's')" >/dev/null
check "every embedding is that of its entry's text" 0 "$(sql "SELECT count(*) FROM s.entries WHERE embedding IS DISTINCT FROM memory_embed(raw_entry)::halfvec")"
check "every user is forgotten, with entries, contexts and counts" "0 0 0" "$(sql "SELECT memory_forget_user('u' || n, store => 's') FROM generate_series(0, 2) n" >/dev/null
  sql "SELECT (SELECT count(*) FROM s.entries WHERE memory_id = 'people') || ' ' || (SELECT count(*) FROM s.contexts WHERE memory_id = 'people') || ' ' || (SELECT count(*) FROM s.entry_access WHERE memory_id = 'people')")"
check "no entry is superseded by way of others by itself" 0 "$(sql "WITH RECURSIVE way AS (SELECT entry_id AS first, superseded_by AS next FROM s.entries WHERE superseded_by IS NOT NULL
  UNION SELECT way.first, e.superseded_by FROM way JOIN s.entries e ON e.memory_id = 'kept' AND e.entry_id = way.next WHERE e.superseded_by IS NOT NULL) SELECT count(*) FROM way WHERE first = next")"
checked
