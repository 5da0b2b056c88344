#!/usr/bin/env bash
# A hot standby answers with the same bytes as its primary, and goes on after a promotion.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

start_server
create_extension
sql "$FILL_STORE" >/dev/null
primary_host=$PGHOST

standby_dir=$(mktemp -d /tmp/memory_search-scratch-XXXXXX)
SCRATCH_DIRS+=("$standby_dir") # so that it is stopped and removed with the primary
if (( EUID == 0 )); then chown "$(server_user)" "$standby_dir"; fi
as_server_user "$PG_BIN/pg_basebackup" -h "$PGHOST" -p "$PGPORT" -U "$PGUSER" -D "$standby_dir/data" -R -c fast
cluster_start "$standby_dir" scratch
standby_host=$(< "$standby_dir/socket_folder")
check "the copy is in recovery" t "$(sql 'SELECT pg_is_in_recovery()' -h "$standby_host")"

# Rows that reach the standby by replication, not by the copy. The commit waits until they are applied
# there, so there is nothing to poll for; the time limit is for a standby that has died.
sql "ALTER SYSTEM SET synchronous_standby_names = '*'" -h "$primary_host"
sql "SELECT pg_reload_conf()" -h "$primary_host" >/dev/null
timeout 60 psql -X -q -At -v ON_ERROR_STOP=1 -h "$primary_host" -c "SET synchronous_commit = remote_apply" -c "
  SELECT count(memory_add('m', 'tea that came later ' || n, creation_time => '2025-03-01Z', entry_id => lpad((1000 + n)::text, 32, '0')::uuid, store => 's')) FROM generate_series(1, 20) n" >/dev/null
check "the standby has the rows" 220 "$(sql 'SELECT count(*) FROM s.entries' -h "$standby_host")"

on_primary=$(sql "$SEARCH_STORE" -h "$primary_host")
on_standby=$(sql "$SEARCH_STORE" -h "$standby_host")
check "10 searches gave 10 documents" 10 "$(wc -l <<< "$on_standby")"
check "the late rows are among what is found" yes "$(if [[ $on_standby == *'came later'* ]]; then echo yes; fi)"
check "the standby's 10 documents are the primary's, byte for byte" "$on_primary" "$on_standby"
rows="SELECT string_agg(f::text, E'\n' ORDER BY rank) FROM memory_search_entries('m', 'hotel tea', 10, store => 's', options => '{\"asOf\": \"2025-06-01T00:00:00Z\"}') f"
check "memory_search_entries gives the same 10 rows" "$(sql "$rows" -h "$primary_host")" "$(sql "$rows" -h "$standby_host")"
while read -r call; do
  check "on the standby $call is refused with 25006" "ERROR:  25006" "$(psql -X -q -At -h "$standby_host" -v VERBOSITY=sqlstate -c "SELECT $call" 2>&1 || true)"
done <<'CALLS'
memory_add('m', 'x', store => 's')
memory_put_context('m', 'x', store => 's')
memory_delete('m', whole_memory => true, store => 's')
memory_create_store('other', 4)
memory_drop_store('s', force => true)
CALLS

# Promoted, it takes new memories.
as_server_user "$PG_BIN/pg_ctl" -D "$standby_dir/data" -w -t 60 -s promote
check "promoted: 10 documents as before" "$on_primary" "$(sql "$SEARCH_STORE" -h "$standby_host")"
check "promoted: a new memory is found" 1 "$(sql "SELECT memory_add('new', 'after the promotion', store => 's')" -h "$standby_host" >/dev/null
  sql "SELECT memory_search('new', 'promotion', store => 's')->'count'" -h "$standby_host")"
checked
