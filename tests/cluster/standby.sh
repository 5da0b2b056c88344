#!/usr/bin/env bash
# A hot standby answers with the same bytes as its primary, writes nothing, and follows what the
# primary does to a store, also in sessions that have searched it before.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# With this a commit that asks for remote_apply waits until it is applied on the standby, so that nothing below
# polls for it.
start_server "synchronous_standby_names = '*'"
create_extension
sql "$FILL_STORE" >/dev/null
sql "SELECT memory_create_store('small', 4)" >/dev/null
sql "CREATE ROLE standby_reader; GRANT USAGE ON SCHEMA s TO standby_reader; GRANT SELECT ON ALL TABLES IN SCHEMA s TO standby_reader"
primary_host=$PGHOST

standby_dir=$(mktemp -d /tmp/memory_search-scratch-XXXXXX)
SCRATCH_DIRS+=("$standby_dir") # so that it is stopped and removed with the primary
if (( EUID == 0 )); then chown "$(server_user)" "$standby_dir"; fi
as_server_user "$PG_BIN/pg_basebackup" -h "$PGHOST" -p "$PGPORT" -U "$PGUSER" -D "$standby_dir/data" -R -c fast
cluster_start "$standby_dir" scratch
standby_host=$(< "$standby_dir/socket_folder")
check "the copy is in recovery" t "$(sql 'SELECT pg_is_in_recovery()' -h "$standby_host")"

# The time limit is for a standby that does not follow; its log says why.
on_primary() {
  PGOPTIONS='-c synchronous_commit=remote_apply' timeout 60 psql -X -q -At -v ON_ERROR_STOP=1 -h "$primary_host" -c "$1" \
    || { tail -n 5 "$standby_dir/log" >&2; die "not done on the primary and the standby: $1"; }
}
# One session on the standby that stays open: what it keeps of a store must not outlive the store.
coproc STANDBY { exec psql -X -q -At -h "$standby_host" -v VERBOSITY=sqlstate 2>&1; }
exec {to_session}>&"${STANDBY[1]}" {from_session}<&"${STANDBY[0]}"
session=$STANDBY_PID
in_session() {
  local line
  printf '%s\n;\n\\echo end of answer\n' "$1" >&"$to_session"
  while IFS= read -r -t 60 -u "$from_session" line && [[ $line != 'end of answer' ]]; do printf '%s\n' "$line"; done
}

# Rows that reach the standby by replication, not by the copy.
on_primary "SELECT count(memory_add('m', 'tea that came later ' || n, creation_time => '2025-03-01Z', entry_id => lpad((1000 + n)::text, 32, '0')::uuid, store => 's')) FROM generate_series(1, 20) n" >/dev/null
check "the standby has the rows" 220 "$(sql 'SELECT count(*) FROM s.entries' -h "$standby_host")"

# The same answers.
expected=$(sql "$SEARCH_STORE" -h "$primary_host")
got=$(sql "$SEARCH_STORE" -h "$standby_host")
check "10 searches gave 10 documents" 10 "$(wc -l <<< "$got")"
check "the late rows are among what is found" yes "$(if [[ $got == *'came later'* ]]; then echo yes; fi)"
check "the standby's 10 documents are the primary's, byte for byte" "$expected" "$got"
check "an open session's 10 documents too" "$expected" "$(in_session "$SEARCH_STORE")"
# Each line is a call of a reading function; what it gives is compared as text.
as_of="options => '{\"asOf\": \"2025-06-01T00:00:00Z\"}'"
readers=0
while read -r call; do
  answer=$(sql "SELECT string_agg(f::text, E'\n') FROM $call f" -h "$primary_host")
  check "$call answers" yes "$(if (( ${#answer} > 40 )); then echo yes; fi)"
  # In a transaction that is not declared read-only: the standby alone makes it so.
  check "the same bytes on the standby, no transaction id" "$answer"$'\n'"t" "$(psql -X -q -At -v ON_ERROR_STOP=1 -h "$standby_host" -c BEGIN -c "SELECT string_agg(f::text, E'\n') FROM $call f" -c "SELECT pg_current_xact_id_if_assigned() IS NULL" -c COMMIT)"
  readers=$(( readers + 1 ))
done <<CALLS
memory_search('{"memoryId": "m", "query": "hotel tea", "top_ke": 10, "store": "s", "options": {"asOf": "2025-06-01T00:00:00Z"}}')
memory_search_entries('m', 'hotel tea', 10, store => 's', $as_of)
memory_explain('m', 'hotel tea', 10, store => 's', $as_of)
memory_explain('m', 'hotel tea', 3, store => 's', $as_of, entry_id => '00000000-0000-0000-0000-000000000044')
memory_build_context('m', 'hotel tea', system_prompt => 'You are kind.', store => 's', $as_of)
memory_embed('a hotel at the ocean')
memory_tool_spec('mcp')
memory_recall('nobody', 'nothing found is nothing counted', store => 's')
CALLS
check "reading functions compared" 8 "$readers"

# Writing is refused, and the message says why.
while read -r call; do
  got=$(psql -X -q -At -h "$standby_host" -v VERBOSITY=verbose -c "SELECT $call" 2>&1 | head -n 1 || true)
  check "on the standby $call is refused with 25006 and the reason" "ERROR:  25006: cannot execute it in a read-only transaction" \
    "$(sed -E 's/cannot execute [A-Z ]+ (in a read-only transaction|during recovery)$/cannot execute it in a read-only transaction/' <<< "$got")"
done <<'CALLS'
memory_add('m', 'x', store => 's')
memory_put_context('m', 'x', store => 's')
memory_touch('m', ARRAY['00000000-0000-0000-0000-000000000001']::uuid[], store => 's')
memory_recall('m', 'tea', store => 's')
memory_delete('m', ARRAY['00000000-0000-0000-0000-000000000001']::uuid[], store => 's')
memory_delete('m', whole_memory => true, store => 's')
memory_create_store('other', 4)
memory_drop_store('small')
memory_drop_store('s', force => true)
CALLS
check "after these errors an open session still answers" "$expected" "$(in_session "$SEARCH_STORE")"

# What the primary does to a store holds for the next search of a session that knew the store before.
tea="SELECT memory_search('m', 'tea', store => 's')->'entries'->0->>'entryId'"
found=$(in_session "$tea")
check "the session finds an entry" yes "$(if [[ $found == ????????-????-????-????-???????????? ]]; then echo yes; fi)"
on_primary "SELECT memory_delete('m', ARRAY['$found']::uuid[], store => 's')" >/dev/null
check "deleted on the primary, it is not found any more" yes "$(if [[ $(in_session "$tea") != "$found" ]]; then echo yes; fi)"
on_primary "UPDATE s.entries SET deletion_scheduled_time = NULL WHERE entry_id = '$found'"
check "brought back, it is" "$found" "$(in_session "$tea")"

in_session "SET ROLE standby_reader"
check "a reader finds 10" 10 "$(in_session "SELECT count(*) FROM memory_search_entries('m', 'tea', 10, store => 's')")"
on_primary "ALTER TABLE s.entries ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON s.entries TO standby_reader USING (entry_id < '00000000-0000-0000-0000-000000000004')"
check "under a new policy 3" 3 "$(in_session "SELECT count(*) FROM memory_search_entries('m', 'tea', 10, store => 's', options => '{\"strategy\": \"recent\"}')")"
on_primary "REVOKE SELECT ON s.entries FROM standby_reader"
check "without the privilege 42501" "ERROR:  42501" "$(in_session "$tea")"
in_session "RESET ROLE"

on_primary "BEGIN; ALTER SCHEMA s RENAME TO aside; ALTER SCHEMA small RENAME TO s; COMMIT"
check "two stores swapped: the empty one answers" 0 "$(in_session "SELECT memory_search('m', 'tea', store => 's')->'count'")"
check "and the full one under its new name: 10 documents, byte for byte" "$expected" "$(in_session "${SEARCH_STORE//"store => 's'"/"store => 'aside'"}")"
on_primary "SELECT memory_drop_store('s')" >/dev/null
check "dropped: 42704" "ERROR:  42704" "$(in_session "$tea")"
on_primary "SELECT memory_create_store('s', 3, 'german')" >/dev/null
on_primary "SELECT count(memory_add('m', text, embedding => ARRAY[n, 1, 0]::real[], store => 's')) FROM unnest('{die Züge fahren,grüner Tee}'::text[]) WITH ORDINALITY u(text, n)" >/dev/null
zug="SELECT raw_entry || ' ' || round(semantic::numeric, 4) FROM memory_search_entries('m', 'Zug', 2, embedding => '[2,1,0]', store => 's') WHERE keyword > 0"
check "made again with other dimensions and another language: both hold" "die Züge fahren 0.9487" "$(in_session "$zug")"
check "an embedding of the old dimensions: 22000" "ERROR:  22000" "$(in_session "SELECT memory_search('m', 'Zug', embedding => '[1,0,0,0]', store => 's')")"
on_primary "ALTER TABLE s.entries DROP COLUMN embedding_signs, ALTER COLUMN embedding TYPE vector(3); ALTER TABLE s.contexts ALTER COLUMN embedding TYPE vector(3)"
check "the column's type changed: the same similarity" "die Züge fahren 0.9487" "$(in_session "$zug")"
on_primary "CREATE INDEX near ON s.entries USING hnsw (embedding vector_cosine_ops)"
check "with a vector index the same" "die Züge fahren 0.9487" "$(in_session "$zug")"
on_primary "CREATE SCHEMA ext; ALTER EXTENSION vector SET SCHEMA ext"
check "pgvector moved: the same" "die Züge fahren 0.9487" "$(in_session "$zug")"
on_primary "ALTER TABLE s.contexts RENAME TO contexts_aside"
check "without its contexts it is no store: 42P01" "ERROR:  42P01" "$(in_session "$tea")"
on_primary "ALTER TABLE s.contexts_aside RENAME TO contexts"
check "with them it is one again" 1 "$(in_session "SELECT memory_search('m', 'Zug', store => 's')->'count'")"
on_primary "DROP EXTENSION memory_search"
check "DROP EXTENSION: 42883" "ERROR:  42883" "$(in_session "$tea")"
on_primary "CREATE EXTENSION memory_search"
check "CREATE EXTENSION: 10 documents, byte for byte" "$expected" "$(in_session "${SEARCH_STORE//"store => 's'"/"store => 'aside'"}")"
check "all of it in one session" "$session" "$(jobs -pr)"
exec {to_session}>&- {from_session}<&-
checked
