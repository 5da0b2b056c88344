#!/usr/bin/env bash
# DROP EXTENSION keeps every memory; CREATE EXTENSION finds them again. What stands in its way is said.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

start_server
create_extension
sql "$FILL_STORE" >/dev/null
before=$(sql "$SEARCH_STORE")
content="SELECT (SELECT md5(string_agg(e::text, '' ORDER BY entry_id)) FROM s.entries e) || (SELECT md5(string_agg(c::text, '' ORDER BY context_id)) FROM s.contexts c) || (SELECT md5(string_agg(a::text, '' ORDER BY entry_id)) FROM s.entry_access a)"
data=$(sql "$content")

sql "DROP EXTENSION memory_search"
check "no function is left" 0 "$(sql "SELECT count(*) FROM pg_proc WHERE proname LIKE 'memory\_%'")"
check "200 entries, 5 contexts and 50 access counts are, to the last byte" "$data" "$(sql "$content")"
sql "INSERT INTO s.entries (memory_id, entry_id, raw_entry, creation_time) VALUES ('m', '00000000-0000-0000-0000-000000009999', 'green tea while it was away', '2025-02-01Z')"
check "the store lives on as tables: a new row is indexed" "1" "$(sql "SELECT count(*) FROM s.entries WHERE search_vector @@ 'away'")"
check "DROP EXTENSION vector is refused: the columns need it" "ERROR:  2BP01" "$(psql -X -q -At -v VERBOSITY=sqlstate -c 'DROP EXTENSION vector' 2>&1 || true)"

sql "CREATE EXTENSION memory_search"
check "the new row is found" 1 "$(sql "SELECT count(*) FROM memory_search_entries('m', 'away', 1, options => '{\"strategy\": \"keyword\"}', store => 's') WHERE raw_entry LIKE '%away'")"
sql "DELETE FROM s.entries WHERE entry_id = '00000000-0000-0000-0000-000000009999'"
check "without it 10 documents as before, byte for byte" "$before" "$(sql "$SEARCH_STORE")"

# In a session that has used it, too: the library stays loaded, its plans are made again.
got=$(psql -X -q -At -v ON_ERROR_STOP=1 -c "SELECT memory_search('m', 'tea', store => 's')->'count'" -c "DROP EXTENSION memory_search" -c "CREATE EXTENSION memory_search" -c "SELECT memory_search('m', 'tea', store => 's')->'count'" | tr '\n' ' ')
check "drop and create within one session: 5 entries before and after" "5 5 " "$got"
got=$(PGOPTIONS='-c client_min_messages=warning' psql -X -q -At -v ON_ERROR_STOP=1 -c "SELECT memory_search('m', 'tea', store => 's')->'count'" -c "DROP EXTENSION memory_search" -c "DROP SCHEMA s CASCADE" -c "DROP EXTENSION vector" -c "CREATE SCHEMA ext" -c "CREATE EXTENSION vector SCHEMA ext" -c "CREATE EXTENSION memory_search" \
  -c "SELECT memory_create_store('s', 3)" -c "SELECT memory_add('m', 'tea', embedding => '[1,2,3]', store => 's') IS NOT NULL" -c "SELECT memory_search('m', 'tea', embedding => '[1,2,3]', store => 's')->'count'" | tr '\n' ' ')
check "with pgvector moved to another schema within one session" "5  t 1 " "$got"
sql "DROP EXTENSION memory_search"

# Somebody else's function of such a name is not called by mistake for ours.
sql "CREATE FUNCTION memory_embed(text, int) RETURNS int LANGUAGE sql AS 'SELECT 1'"
check "functions named memory_... in the schema: refused with 55000" "ERROR:  55000" "$(psql -X -q -At -v VERBOSITY=sqlstate -c 'CREATE EXTENSION memory_search' 2>&1 || true)"
check "another schema is free" memory_search "$(sql 'CREATE SCHEMA ms; CREATE EXTENSION memory_search SCHEMA ms'; sql "SELECT extname FROM pg_extension WHERE extname = 'memory_search'")"
sql "DROP EXTENSION memory_search; DROP FUNCTION memory_embed(text, int); SET client_min_messages = warning; DROP EXTENSION vector CASCADE"
check "without pgvector it is refused with 0A000 or 42704" yes "$(case $(psql -X -q -At -v VERBOSITY=sqlstate -c 'CREATE EXTENSION memory_search' 2>&1 || true) in 'ERROR:  0A000'|'ERROR:  42704') echo yes ;; esac)"
check "and with CASCADE it brings pgvector along" 2 "$(create_extension; sql "SELECT count(*) FROM pg_extension WHERE extname IN ('memory_search', 'vector')")"
checked
