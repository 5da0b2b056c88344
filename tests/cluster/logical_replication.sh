#!/usr/bin/env bash
# Logical replication of a store into a store of the same name on another server: rows that were
# there and rows that come, changes, deletions and accesses; the subscriber gives the same answers.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

start_server
create_extension
subscriber_host=$PGHOST
subscriber_log=$SCRATCH_DIR/log
# With this a commit that asks for remote_apply waits until it is applied on the subscriber, so that nothing below
# polls for rows.
start_server "wal_level = logical" "synchronous_standby_names = 'copy'"
create_extension
publisher_host=$PGHOST
publisher() { PGHOST=$publisher_host sql "$1" "${@:2}"; }
subscriber() { PGHOST=$subscriber_host sql "$1" "${@:2}"; }

# The publisher has rows before anybody subscribes. Beside the store of the test, one that belongs to a role
# without superuser, who publishes one memory of it.
publisher "$FILL_STORE" >/dev/null
publisher "INSERT INTO s.entries (memory_id, entry_id, raw_entry, creation_time)
  VALUES ('m', '00000000-0000-0000-0001-000000000001', 'tea ' || (SELECT string_agg(md5(n::text), ' ') FROM generate_series(1, 3000) n), '2025-01-02Z')"
# An order that the subscriber would not arrive at by counting.
publisher "UPDATE s.entries SET entry_order = 5000 - entry_order WHERE importance < 50"
publisher "CREATE ROLE tenant_owner LOGIN; GRANT CREATE ON DATABASE scratch TO tenant_owner"
publisher "SELECT memory_create_store('tenants', 4)" -U tenant_owner >/dev/null
publisher "SELECT count(memory_add(memory, text, creation_time => '2025-01-01Z', context => 'of ' || memory, store => 'tenants')) FROM unnest('{m,other}'::text[]) memory, unnest('{die Züge fahren,grüner Tee}'::text[]) text" -U tenant_owner >/dev/null
publisher "CREATE PUBLICATION memories FOR TABLES IN SCHEMA s"
publisher "CREATE PUBLICATION one_tenant FOR TABLE tenants.entries WHERE (memory_id = 'm'), tenants.contexts WHERE (memory_id = 'm'), tenants.entry_access WHERE (memory_id = 'm')" -U tenant_owner

# Stores of the same names; one of them in another language.
subscriber "SELECT memory_create_store('s'), memory_create_store('tenants', 4, 'german')" >/dev/null
PGOPTIONS='-c client_min_messages=warning' subscriber "CREATE SUBSCRIPTION copy CONNECTION 'host=$publisher_host dbname=scratch user=postgres' PUBLICATION memories, one_tenant"
# No command waits for the first copy of a table; each look is a statement, and so a snapshot, of its own.
subscriber "SET statement_timeout = '60s'; DO \$\$ BEGIN
  WHILE EXISTS (SELECT FROM pg_subscription_rel WHERE srsubstate <> 'r') LOOP PERFORM pg_sleep(0.1); END LOOP; END \$\$"
check "six tables are copied" 6 "$(subscriber "SELECT count(*) FROM pg_subscription_rel WHERE srsubstate = 'r'")"
# The time limit is for a subscriber that does not follow; its log says why.
replicated() {
  PGOPTIONS='-c synchronous_commit=remote_apply' PGHOST=$publisher_host timeout 60 psql -X -q -At -v ON_ERROR_STOP=1 -c "$1" "${@:2}" \
    || { tail -n 5 "$subscriber_log" >&2; die "not done on the publisher and the subscriber: $1"; }
}

columns="memory_id, entry_id, user_id, agent_id, raw_entry, summary, context, tags, metadata, source_type, importance, creation_time, deletion_scheduled_time, expires_at, embedding, entry_order, search_vector"
content="SELECT (SELECT md5(string_agg(ROW($columns)::text, '' ORDER BY memory_id, entry_id)) FROM s.entries) || (SELECT md5(string_agg(c::text, '' ORDER BY context_id)) FROM s.contexts c) || (SELECT md5(string_agg(a::text, '' ORDER BY memory_id, entry_id)) FROM s.entry_access a)"
counts="SELECT (SELECT count(*) FROM s.entries) || ' ' || (SELECT count(*) FROM s.contexts) || ' ' || (SELECT count(*) FROM s.entry_access)"
same() { # WHAT COUNTS
  local documents
  documents=$(publisher "$SEARCH_STORE")
  check "$1: 10 documents" 10 "$(wc -l <<< "$documents")"
  check "$1: byte for byte on the subscriber" "$documents" "$(subscriber "$SEARCH_STORE")"
  check "$1: entries, contexts, access counts are $2" "$2" "$(subscriber "$counts")"
  check "$1: each column of them, with lexemes and order" "$(publisher "$content")" "$(subscriber "$content")"
}
same "the first copy" "201 5 50"
check "the lexemes are the subscriber's own: 'Zug' finds there what it does not on the publisher" "0 1" \
  "$(for side in publisher subscriber; do $side "SELECT count(*) FROM tenants.entries WHERE memory_id = 'm' AND search_vector @@ to_tsquery('german', 'Zug')"; done | xargs)"
check "of two tenants one is there: 2 entries, 1 context" "2 1" "$(subscriber "SELECT (SELECT count(*) FROM tenants.entries) || ' ' || (SELECT count(*) FROM tenants.contexts)")"

# New rows, by functions and by plain SQL.
replicated "SELECT count(memory_add('m', 'tea by the stream ' || n, tags => '{t1}', user_id => 'u1', context => CASE WHEN n > 8 THEN 'age ' || n END, creation_time => timestamptz '2025-03-01Z' + n * interval '1 hour', entry_id => lpad((1000 + n)::text, 32, '0')::uuid, store => 's')) FROM generate_series(1, 10) n" >/dev/null
replicated "INSERT INTO s.entries (memory_id, raw_entry, creation_time) SELECT 'm', 'plain peanuts ' || n, '2025-03-02Z' FROM generate_series(1, 5) n"
replicated "SELECT memory_put_context('m', 'what counts now is tea', creation_time => '2025-03-03Z', store => 's')" >/dev/null
same "additions" "216 8 50"
check "what was added is found on the subscriber" yes "$(if [[ $(subscriber "$SEARCH_STORE") == *'by the stream'* ]]; then echo yes; fi)"

# Accesses: new counts, and counts that grow.
replicated "SELECT memory_touch('m', array_agg(entry_id), store => 's') FROM s.entries WHERE entry_id < '00000000-0000-0000-0000-000000000020' OR raw_entry LIKE 'plain%'" >/dev/null
recalled=$(replicated "SELECT memory_recall('m', 'stream', 10, options => '{\"strategy\": \"keyword\"}', store => 's')->'count'")
check "a recall found 10" 10 "$recalled"
same "accesses" "216 8 $(publisher "SELECT count(*) FROM s.entry_access")"
check "the subscriber counts as many" "$(publisher "SELECT sum(access_count) FROM s.entry_access")" "$(subscriber "SELECT sum(access_count) FROM s.entry_access")"

# Changes. A long text that an update leaves alone is not sent again, and its lexemes must stay.
accesses=$(publisher "SELECT count(*) FROM s.entry_access")
replicated "UPDATE s.entries SET raw_entry = 'a changed hotel at the ocean', summary = 'hotel', importance = 99 WHERE entry_id = '00000000-0000-0000-0000-000000000007'"
replicated "UPDATE s.entries SET embedding = NULL, tags = '{t1,new}', metadata = '{\"tea\": 1}', user_id = 'u1' WHERE entry_id = '00000000-0000-0000-0000-000000000008'"
replicated "UPDATE s.entries SET importance = 1 WHERE entry_id = '00000000-0000-0000-0001-000000000001'"
same "changes" "216 8 $accesses"
check "the long text and its lexemes are whole" "99003 t" "$(subscriber "SELECT length(raw_entry), length(search_vector) > 1000 FROM s.entries WHERE importance = 1 AND raw_entry LIKE 'tea %'" -F ' ')"
replicated "SELECT memory_delete('m', array_agg(entry_id), store => 's') FROM s.entries WHERE raw_entry LIKE 'plain%' OR entry_id = '00000000-0000-0000-0001-000000000001'" >/dev/null
check "6 deletions hide on the subscriber" 6 "$(subscriber "SELECT count(*) FROM s.entries WHERE deletion_scheduled_time IS NOT NULL")"
same "deletions" "216 8 $accesses"
replicated "UPDATE s.entries SET deletion_scheduled_time = NULL"
same "deletions undone" "216 8 $accesses"

# Removal, with what hangs on it; a memory that gets another name.
replicated "DELETE FROM s.entries WHERE raw_entry LIKE 'plain%'"
replicated "BEGIN; DELETE FROM s.entry_access WHERE entry_id = '00000000-0000-0000-0000-000000000001'; UPDATE s.entries SET memory_id = 'renamed' WHERE entry_id = '00000000-0000-0000-0000-000000000001'; COMMIT"
same "removals" "211 8 $(( accesses - 6 ))"
check "the renamed memory answers on the subscriber" 1 "$(subscriber "SELECT memory_search('renamed', 'train', store => 's')->'count'")"
replicated "BEGIN; SELECT memory_add('m', 'never', store => 's'); ROLLBACK" >/dev/null
same "what was rolled back" "211 8 $(( accesses - 6 ))"

# One tenant: what belongs to it streams, the rest does not.
replicated "SELECT memory_add('other', 'not for you', store => 'tenants'), memory_add('m', 'noch ein Zug', store => 'tenants')" -U tenant_owner >/dev/null
replicated "SELECT memory_delete('m', array_agg(entry_id), store => 'tenants') FROM tenants.entries WHERE raw_entry = 'grüner Tee' AND memory_id = 'm'" -U tenant_owner >/dev/null
check "the tenant's rows alone" "die Züge fahren,noch ein Zug" "$(subscriber "SELECT string_agg(raw_entry, ',' ORDER BY entry_order) FROM tenants.entries WHERE deletion_scheduled_time IS NULL")"

# The subscriber takes over. Sequences are not replicated: entry_order has to be brought on by hand.
PGOPTIONS='-c client_min_messages=warning' subscriber "DROP SUBSCRIPTION copy"
check "the sequence did not come along" "" "$(subscriber "SELECT last_value FROM pg_sequences WHERE schemaname = 's'")"
subscriber "SELECT setval(pg_get_serial_sequence('s.entries', 'entry_order'), (SELECT max(entry_order) FROM s.entries))" >/dev/null
check "brought on, the next entry comes after all others" t "$(subscriber "SELECT memory_add('m', 'after the switch', store => 's')" >/dev/null
  subscriber "SELECT entry_order = (SELECT max(entry_order) FROM s.entries) FROM s.entries WHERE raw_entry = 'after the switch'")"
check "and no order is there twice" "212 212" "$(subscriber "SELECT count(*) || ' ' || count(DISTINCT entry_order) FROM s.entries")"
checked
