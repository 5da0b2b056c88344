#!/usr/bin/env bash
# A standby that is promoted after its primary died answers as before and takes new memories, in
# new sessions and in one that was open all along.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# With this a commit that asks for remote_apply waits until it is applied on the standby.
start_server "synchronous_standby_names = '*'"
create_extension
sql "$FILL_STORE" >/dev/null
primary_dir=$SCRATCH_DIR

standby_dir=$(mktemp -d /tmp/memory_search-scratch-XXXXXX)
SCRATCH_DIRS+=("$standby_dir") # so that it is stopped and removed with the primary
if (( EUID == 0 )); then chown "$(server_user)" "$standby_dir"; fi
as_server_user "$PG_BIN/pg_basebackup" -h "$PGHOST" -p "$PGPORT" -U "$PGUSER" -D "$standby_dir/data" -R -c fast
cluster_start "$standby_dir" scratch
primary_host=$PGHOST
standby_host=$(< "$standby_dir/socket_folder")

# The primary's last commits. The time limit is for a standby that does not follow; its log says why.
PGOPTIONS='-c synchronous_commit=remote_apply' timeout 60 psql -X -q -At -v ON_ERROR_STOP=1 -h "$primary_host" \
  -c "SELECT count(memory_add('m', 'the last tea ' || n, creation_time => '2025-03-01Z', entry_id => lpad((1000 + n)::text, 32, '0')::uuid, store => 's')) FROM generate_series(1, 20) n" \
  -c "SELECT memory_touch('m', ARRAY['00000000-0000-0000-0000-000000001001']::uuid[], store => 's')" \
  -c "SELECT memory_delete('m', ARRAY['00000000-0000-0000-0000-000000000010']::uuid[], store => 's')" >/dev/null \
  || { tail -n 5 "$standby_dir/log" >&2; die "not done on the primary and the standby"; }
content="SELECT (SELECT md5(string_agg(e::text, '' ORDER BY entry_id)) FROM s.entries e) || (SELECT md5(string_agg(c::text, '' ORDER BY context_id)) FROM s.contexts c) || (SELECT md5(string_agg(a::text, '' ORDER BY entry_id)) FROM s.entry_access a)"
content_before=$(sql "$content" -h "$primary_host")
before=$(sql "$SEARCH_STORE" -h "$primary_host")
last=$(sql "SELECT max(entry_order) FROM s.entries" -h "$primary_host")
check "10 documents before" 10 "$(wc -l <<< "$before")"
check "220 entries before" 220 "$last"

# A session on the standby that stays open through it all, with plans from the time before.
coproc STANDBY { exec psql -X -q -At -h "$standby_host" -v VERBOSITY=sqlstate 2>&1; }
exec {to_session}>&"${STANDBY[1]}" {from_session}<&"${STANDBY[0]}"
in_session() {
  local line
  printf '%s\n;\n\\echo end of answer\n' "$1" >&"$to_session"
  while IFS= read -r -t 60 -u "$from_session" line && [[ $line != 'end of answer' ]]; do printf '%s\n' "$line"; done
}
check "an open session on the standby: the primary's 10 documents, byte for byte" "$before" "$(in_session "$SEARCH_STORE")"
check "it may not write yet: 25006" "ERROR:  25006" "$(in_session "SELECT memory_add('m', 'x', store => 's')")"

# The primary dies; the standby takes over.
cluster_stop "$primary_dir" immediate
check "without a primary the standby answers: 10 documents, byte for byte" "$before" "$(sql "$SEARCH_STORE" -h "$standby_host")"
as_server_user "$PG_BIN/pg_ctl" -D "$standby_dir/data" -w -t 60 -s promote
export PGHOST=$standby_host
check "promoted: it is no standby any more" f "$(sql 'SELECT pg_is_in_recovery()')"
check "promoted: entries, contexts and access counts to the last byte" "$content_before" "$(sql "$content")"
check "promoted: 10 documents as before, byte for byte" "$before" "$(sql "$SEARCH_STORE")"
check "promoted: the open session too" "$before" "$(in_session "$SEARCH_STORE")"

# It takes new memories. The order goes on above all there is, by a jump or without one.
check "the open session adds" t "$(in_session "SELECT memory_add('m', 'tea after the promotion', entry_id => '00000000-0000-0000-0002-000000000001', store => 's') IS NOT NULL")"
check "and finds what it added" "tea after the promotion" "$(in_session "SELECT raw_entry FROM memory_search_entries('m', 'tea promotion', 1, store => 's')")"
sql "SELECT count(memory_add('m', 'more tea ' || n, context => 'a new age', store => 's')) FROM generate_series(1, 40) n" >/dev/null
check "a new session adds 40, in their order" t "$(sql "SELECT array_agg(substr(raw_entry, 10)::int ORDER BY entry_order) = array_agg(n ORDER BY n) FROM s.entries, substr(raw_entry, 10) s(n_text), LATERAL (SELECT n_text::int) t(n) WHERE raw_entry LIKE 'more tea %'")"
check "all 41 come after the 220" "41 true" "$(sql "SELECT count(*) || ' ' || (min(entry_order) > $last) FROM s.entries WHERE raw_entry LIKE 'more tea %' OR raw_entry LIKE '%promotion'")"
check "no order is given twice" "261 261" "$(sql "SELECT count(*) || ' ' || count(DISTINCT entry_order) FROM s.entries")"
check "the latest context is the new one" "a new age" "$(sql "SELECT memory_search('m', 'tea', store => 's')->>'latestContext'")"
check "one snapshot of it, not 40" 1 "$(sql "SELECT count(*) FROM s.contexts WHERE context = 'a new age'")"
check "memory_touch counts on: 1, then 2" "1 1 2" "$(touched="ARRAY['00000000-0000-0000-0000-000000001001']::uuid[]"
  counted="SELECT access_count FROM s.entry_access WHERE entry_id = '00000000-0000-0000-0000-000000001001'"
  echo "$(sql "$counted") $(sql "SELECT memory_touch('m', $touched, store => 's')") $(sql "$counted")")"
counted=$(sql "SELECT sum(access_count) FROM s.entry_access")
check "memory_recall counts the 3 it found" "3 $(( counted + 3 ))" "$(sql "SELECT memory_recall('m', 'tea', 3, store => 's')->'count'") $(sql "SELECT sum(access_count) FROM s.entry_access")"
check "memory_delete hides: 1 row, not found" "1 0" "$(sql "SELECT memory_delete('m', ARRAY['00000000-0000-0000-0002-000000000001']::uuid[], store => 's')") $(sql "SELECT count(*) FROM memory_search_entries('m', 'promotion', 10, options => '{\"strategy\": \"keyword\", \"fallback\": false}', store => 's') WHERE raw_entry LIKE '%promotion'")"
check "memory_put_context adds a snapshot" "the newest age" "$(sql "SELECT memory_put_context('m', 'the newest age', store => 's')" >/dev/null; sql "SELECT memory_search('m', '', store => 's')->>'latestContext'")"
check "a store is made, filled and dropped" 1 "$(sql "SELECT memory_create_store('after', 4)" >/dev/null
  sql "SELECT memory_add('m', 'x', store => 'after')" >/dev/null
  sql "SELECT memory_search('m', 'x', store => 'after')->'count'"
  sql "SELECT memory_drop_store('after', force => true)" >/dev/null)"
exec {to_session}>&- {from_session}<&-
checked
