#!/usr/bin/env bash
# Reading assigns no transaction id and writes nothing: no WAL, however often it is done.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

start_server
create_extension
sql "$FILL_STORE" >/dev/null
sql "VACUUM (FREEZE, ANALYZE)" # hint bits and such are written now, not by the first reader
sql "CHECKPOINT"

for begin in 'BEGIN' 'BEGIN READ ONLY' 'BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY' 'BEGIN ISOLATION LEVEL REPEATABLE READ'; do
  got=$(psql -X -q -At -v ON_ERROR_STOP=1 -c "$begin" -c "$SEARCH_STORE" -c "SELECT count(*) FROM memory_search_entries('m', 'tea', store => 's')" -c "SELECT vector_dims(memory_embed('tea'))" \
    -c "SELECT pg_current_xact_id_if_assigned() IS NULL" -c COMMIT | tail -n 3 | tr '\n' ' ')
  check "$begin: no transaction id after 10 searches, 5 rows and an embedding of 256" "5 256 t " "$got"
done

before=$(sql "SELECT pg_current_xact_id()::text::bigint")
position=$(sql "SELECT pg_current_wal_insert_lsn()")
for _ in 1 2 3; do check "10 documents" 10 "$(sql "$SEARCH_STORE" | wc -l)"; done
check "30 searches used no transaction id" "$(( before + 1 ))" "$(sql "SELECT pg_current_xact_id()::text::bigint")"
# What the server writes of its own accord (a snapshot of running transactions) is far less than a row each.
check_at_most "30 searches wrote this many bytes of WAL" 600 "$(sql "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '$position')::bigint")"
check "default_transaction_read_only: 10 documents" 10 "$(PGOPTIONS='-c default_transaction_read_only=on' psql -X -q -At -v ON_ERROR_STOP=1 -c "$SEARCH_STORE" | wc -l)"
checked
