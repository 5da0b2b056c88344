#!/usr/bin/env bash
# pg_dump and restore: the same answers from the copy, whoever dumps it and wherever pgvector is.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

start_server
create_extension
sql "$FILL_STORE" >/dev/null
before=$(sql "$SEARCH_STORE")
check "10 documents before" 10 "$(wc -l <<< "$before")"

# Plain and custom format, all of the database.
sql "CREATE DATABASE plain_copy" -d postgres
pg_dump | psql -X -q -v ON_ERROR_STOP=1 -d plain_copy >/dev/null
check "plain dump: 10 documents, byte for byte" "$before" "$(sql "$SEARCH_STORE" -d plain_copy)"
sql "CREATE DATABASE custom_copy" -d postgres
pg_dump -Fc | pg_restore --exit-on-error -d custom_copy
check "custom dump: 10 documents, byte for byte" "$before" "$(sql "$SEARCH_STORE" -d custom_copy)"
structure="SELECT string_agg(c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ' ' ORDER BY c.relname, a.attnum) || ' ' ||
    (SELECT string_agg(indexdef, ' ' ORDER BY indexname) FROM pg_indexes WHERE schemaname = 's') || ' ' || (SELECT count(*) FROM pg_description WHERE classoid = 'pg_class'::regclass AND objoid IN (SELECT oid FROM pg_class WHERE relnamespace = 's'::regnamespace))
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 WHERE c.relnamespace = 's'::regnamespace AND c.relkind = 'r'"
check "columns, indexes and comments are the same" "$(sql "$structure")" "$(sql "$structure" -d custom_copy)"
check "200 entries, 50 access counts" "200 50" "$(sql "SELECT (SELECT count(*) FROM s.entries) || ' ' || (SELECT count(*) FROM s.entry_access)" -d custom_copy)"

# The store alone, into a database that has the extensions in other schemas than here.
sql "CREATE DATABASE other_schemas" -d postgres
sql "CREATE SCHEMA \"My Ext\"; CREATE SCHEMA ms; CREATE EXTENSION vector SCHEMA \"My Ext\"; CREATE EXTENSION memory_search SCHEMA ms" -d other_schemas
pg_dump -n s --no-owner | sed 's/public\.halfvec/"My Ext".halfvec/g' | psql -X -q -v ON_ERROR_STOP=1 -d other_schemas >/dev/null
check "the store alone, extensions elsewhere: 10 documents, byte for byte" "$before" "$(PGOPTIONS='-c search_path=ms' sql "${SEARCH_STORE//memory_search(/ms.memory_search(}" -d other_schemas)"
check "a store made there uses its pgvector" '"My Ext".halfvec(4)' "$(sql "SELECT ms.memory_create_store('t', 4)" -d other_schemas >/dev/null
  sql "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 't.entries'::regclass AND attname = 'embedding'" -d other_schemas)"
check "and takes every form of an embedding" 4 "$(sql "SELECT count(ms.memory_add('m', 'x', embedding => e, store => 't')) FROM (VALUES ('[1,0,0,0]'::\"My Ext\".vector::ms.memory_embedding), ('[1,0,0,0]'::\"My Ext\".halfvec::ms.memory_embedding), ('{1,0,0,0}'::real[]::ms.memory_embedding), ('[1,0,0,0]')) v(e)" -d other_schemas)"

# An owner who is no superuser dumps and restores his store.
sql "CREATE ROLE plain_user LOGIN; GRANT CREATE ON DATABASE scratch TO plain_user"
sql "SELECT memory_create_store('mine', 4)" -U plain_user >/dev/null
sql "SELECT count(memory_add('m', 'kite ' || n, embedding => ARRAY[n, 1, 0, 0]::real[], creation_time => '2025-01-01Z', store => 'mine')) FROM generate_series(1, 30) n" -U plain_user >/dev/null
mine="SELECT memory_search('m', 'kite', 10, embedding => '[5,1,0,0]', options => '{\"asOf\": \"2025-06-01T00:00:00Z\"}', store => 'mine')"
sql "CREATE DATABASE user_copy OWNER plain_user" -d postgres
sql "CREATE EXTENSION vector" -d user_copy
check "the extension is trusted: an owner of a database may create it" memory_search "$(sql "CREATE EXTENSION memory_search" -d user_copy -U plain_user; sql "SELECT extname FROM pg_extension WHERE extname = 'memory_search'" -d user_copy)"
pg_dump -U plain_user -n mine | psql -X -q -v ON_ERROR_STOP=1 -U plain_user -d user_copy >/dev/null
check "an owner's dump: the same document of 10 entries" "$(sql "$mine" -U plain_user)" "$(sql "$mine" -U plain_user -d user_copy)"
checked
