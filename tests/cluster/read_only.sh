#!/usr/bin/env bash
# Every reading function answers with the same bytes wherever PostgreSQL lets a query be: in each kind of read-only
# transaction, in cursors, functions, views, under forced parallel query. Writing ones are refused there.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

start_server
create_extension
sql "$FILL_STORE" >/dev/null
sql "SELECT memory_create_store('empty', 4)" >/dev/null

# One row for each reading function and form of it, as text.
AS_OF="options => '{\"asOf\": \"2025-06-01T00:00:00Z\", \"boosts\": {\"popularity\": 0.2}}'"
READERS="SELECT n, answer FROM (
            SELECT 1, memory_search('m', 'a hotel at the ocean', 10, 3, store => 's', $AS_OF)::text
  UNION ALL SELECT 2, memory_search('m', 'tea', embedding => memory_embed('milk'), filters => '{\"userId\": \"u1\"}', store => 's', $AS_OF)::text
  UNION ALL SELECT 3, memory_search('{\"memoryId\": \"m\", \"query\": \"peanuts\", \"store\": \"s\", \"options\": {\"asOf\": \"2025-06-01T00:00:00Z\", \"strategy\": \"keyword\"}}')::text
  UNION ALL SELECT 4, string_agg(f::text, '; ' ORDER BY rank) FROM memory_search_entries('m', 'hotel tea', 10, store => 's', $AS_OF) f
  UNION ALL SELECT 5, string_agg(f::text, '; ' ORDER BY place) FROM memory_explain('m', 'hotel tea', 10, store => 's', $AS_OF) f
  UNION ALL SELECT 6, string_agg(f::text, '; ') FROM memory_explain('m', 'hotel tea', store => 's', $AS_OF, entry_id => '00000000-0000-0000-0000-000000000044') f
  UNION ALL SELECT 7, to_json(memory_build_context('m', 'hotel tea', system_prompt => 'You are kind.', store => 's', $AS_OF))::text
  UNION ALL SELECT 8, memory_embed('a hotel at the ocean')::text
  UNION ALL SELECT 9, memory_tool_spec('mcp')::text
  UNION ALL SELECT 10, string_agg(q || ': ' || (found->>'count') || ' ' || (found#>>'{entries,0,rawEntry}'), '; ' ORDER BY q) FROM unnest('{hotel,tea,Lisbon}'::text[]) q, LATERAL memory_search('m', q, store => 's', $AS_OF) found
  ) r(n, answer) ORDER BY n"
expected=$(sql "$READERS")
check "10 answers" 10 "$(wc -l <<< "$expected")"
check "each of them says something" 10 "$(grep -cE '^[0-9]+\|.{40}' <<< "$expected")"
check "the same when asked again" "$expected" "$(sql "$READERS")"

same() { # WHERE PSQL'S ARGUMENTS...
  check "$1: 10 answers, byte for byte" "$expected" "$(psql -X -q -At -v ON_ERROR_STOP=1 "${@:2}")"
}
refused=0
writers_refused() { # WHERE STATEMENTS_BEFORE...
  local call got
  while read -r call; do
    got=$(psql -X -q -At -v VERBOSITY=verbose "${@:2}" -c "SELECT $call" -c ROLLBACK 2>&1 | head -n 1 || true)
    check "$1: $call is refused with 25006 and the reason" "ERROR:  25006: cannot execute it in a read-only transaction" "$(sed -E 's/cannot execute [A-Z ]+ in a/cannot execute it in a/' <<< "$got")"
    refused=$(( refused + 1 ))
  done <<'CALLS'
memory_add('m', 'x', context => 'y', store => 's')
memory_put_context('m', 'x', store => 's')
memory_touch('m', ARRAY['00000000-0000-0000-0000-000000000001']::uuid[], store => 's')
memory_recall('m', 'tea', store => 's')
memory_delete('m', ARRAY['00000000-0000-0000-0000-000000000001']::uuid[], store => 's')
memory_create_store('other', 4)
memory_drop_store('empty')
memory_drop_store('s', force => true)
CALLS
}
content="SELECT (SELECT md5(string_agg(e::text, '' ORDER BY entry_id)) FROM s.entries e) || (SELECT md5(string_agg(c::text, '' ORDER BY context_id)) FROM s.contexts c) || (SELECT md5(string_agg(a::text, '' ORDER BY entry_id)) FROM s.entry_access a) || (SELECT last_value FROM s.entries_entry_order_seq)"
content_before=$(sql "$content")

# Read-only transactions.
same "BEGIN READ ONLY" -c "BEGIN READ ONLY" -c "$READERS" -c COMMIT
same "a transaction made read-only after its first query" -c BEGIN -c "SELECT WHERE false" -c "SET TRANSACTION READ ONLY" -c "$READERS" -c COMMIT
for level in 'REPEATABLE READ READ ONLY' 'SERIALIZABLE READ ONLY' 'SERIALIZABLE READ ONLY DEFERRABLE'; do
  same "$level" -c "BEGIN ISOLATION LEVEL $level" -c "$READERS" -c COMMIT
done
PGOPTIONS='-c default_transaction_read_only=on' same "default_transaction_read_only" -c "$READERS"
PGOPTIONS='-c default_transaction_read_only=on -c default_transaction_isolation=serializable -c default_transaction_deferrable=on' same "read-only, serializable and deferrable by default" -c "$READERS"
writers_refused "BEGIN READ ONLY" -c "BEGIN READ ONLY"
writers_refused "SERIALIZABLE READ ONLY DEFERRABLE" -c "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE"
PGOPTIONS='-c default_transaction_read_only=on' writers_refused "default_transaction_read_only"
check "24 calls were refused" 24 "$refused"
check "what finds nothing has nothing to count" 0 "$(PGOPTIONS='-c default_transaction_read_only=on' sql "SELECT memory_recall('nobody', 'tea', store => 's')->'count'")"
check "a refusal does not end the transaction of a caller who catches it" "caught 5" "$(sql "
  BEGIN READ ONLY;
  DO \$\$ BEGIN PERFORM memory_add('m', 'x', store => 's'); EXCEPTION WHEN read_only_sql_transaction THEN PERFORM set_config('test.said', 'caught', false); END \$\$;
  SELECT current_setting('test.said') || ' ' || (memory_search('m', 'tea', store => 's')->>'count'); COMMIT")"
same "after a write that was undone" -c BEGIN -c "SAVEPOINT w" -c "DELETE FROM s.entries" -c "ROLLBACK TO w" -c "SET TRANSACTION READ ONLY" -c "$READERS" -c COMMIT

# Parallel query, forced. The functions are restricted: they stay with the leader, whatever runs beside them.
PGOPTIONS="-c debug_parallel_query=on -c parallel_setup_cost=0 -c parallel_tuple_cost=0 -c min_parallel_table_scan_size=0 -c max_parallel_workers_per_gather=4" same "forced parallel query" -c "$READERS"
PGOPTIONS="-c debug_parallel_query=on" same "forced parallel query, read-only and serializable" -c "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE" -c "$READERS" -c COMMIT
beside="SELECT count(*), count(DISTINCT (memory_search('m', e.raw_entry, 1, store => 's', $AS_OF))#>>'{entries,0,entryId}') FROM s.entries e WHERE e.importance > 95"
settings="SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET enable_indexscan = off"
check "a table scanned by workers, searched for each row by the leader" "$(sql "$beside")" "$(sql "$settings; $beside")"
check "there were workers" yes "$(if [[ $(sql "$settings; EXPLAIN $beside") == *'Workers Planned'* ]]; then echo yes; fi)"

# Cursors. One WITH HOLD is run at the end of its transaction and read after it.
same "a cursor" -c BEGIN -c "DECLARE c NO SCROLL CURSOR FOR $READERS" -c "FETCH 3 FROM c" -c "FETCH ALL FROM c" -c COMMIT
same "a cursor WITH HOLD, read after its transaction" -c "BEGIN READ ONLY" -c "DECLARE c CURSOR WITH HOLD FOR $READERS" -c COMMIT -c "FETCH ALL FROM c"
same "a cursor sees its own time: rows added since are not there" -c BEGIN -c "DECLARE c CURSOR FOR $READERS" -c "INSERT INTO s.entries (memory_id, raw_entry, creation_time, entry_order) SELECT 'm', 'hotel tea peanuts Lisbon', '2025-05-01Z', 1000 + n FROM generate_series(1, 50) n" -c "FETCH ALL FROM c" -c ROLLBACK

# Functions, views and the rest.
sql "
  CREATE FUNCTION by_sql() RETURNS TABLE (n int, answer text) LANGUAGE sql STABLE AS \$\$ $READERS \$\$;
  CREATE FUNCTION by_body() RETURNS TABLE (n int, answer text) LANGUAGE sql STABLE PARALLEL RESTRICTED BEGIN ATOMIC $READERS; END;
  CREATE FUNCTION by_plpgsql() RETURNS TABLE (n int, answer text) LANGUAGE plpgsql STABLE AS \$\$ #variable_conflict use_column
    BEGIN RETURN QUERY $READERS; END \$\$;
  CREATE FUNCTION by_text() RETURNS TABLE (n int, answer text) LANGUAGE plpgsql STABLE AS \$f\$ BEGIN RETURN QUERY EXECUTE \$\$ $READERS \$\$; END \$f\$;
  CREATE VIEW by_view AS $READERS;
  CREATE VIEW by_invoker WITH (security_invoker) AS $READERS;
  CREATE MATERIALIZED VIEW by_materialized AS $READERS"
for function in by_sql by_body by_plpgsql by_text; do
  same "STABLE function $function" -c "SELECT * FROM $function() ORDER BY n"
  same "STABLE function $function, read-only" -c "BEGIN READ ONLY" -c "SELECT * FROM $function() ORDER BY n" -c COMMIT
done
for view in by_view by_invoker by_materialized; do
  same "view $view" -c "BEGIN READ ONLY" -c "TABLE $view ORDER BY n" -c COMMIT
done
sql "REFRESH MATERIALIZED VIEW by_materialized"
same "the materialised view, refreshed" -c "TABLE by_materialized ORDER BY n"
sql "CREATE UNIQUE INDEX ON by_materialized (n)"
sql "REFRESH MATERIALIZED VIEW CONCURRENTLY by_materialized"
same "and refreshed concurrently" -c "TABLE by_materialized ORDER BY n"
for mode in force_custom_plan force_generic_plan; do
  same "prepared, $mode" -c "SET plan_cache_mode = $mode" -c "PREPARE p AS $READERS" -c "BEGIN READ ONLY" -c "EXECUTE p" -c COMMIT
done
same "a materialised CTE" -c "WITH r AS MATERIALIZED ($READERS) TABLE r ORDER BY n"
same "COPY (...) TO" -c "COPY ($READERS) TO STDOUT (FORMAT csv, DELIMITER '|', QUOTE E'\x01')"
sql "CREATE TABLE made AS $READERS"
same "CREATE TABLE AS" -c "TABLE made ORDER BY n"
same "row by row from a cursor's FETCH_COUNT" -v FETCH_COUNT=1 -c "$READERS"
check "EXPLAIN ANALYZE runs it in a read-only transaction" yes "$(if [[ $(sql "BEGIN READ ONLY; EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) $READERS; COMMIT") == *'Function Scan on memory_search_entries'* ]]; then echo yes; fi)"

check "nothing was written by all this: rows and sequence are as they were" "$content_before" "$(sql "$content")"
checked
