#!/usr/bin/env bash
# pg_dump of one store (-n), of one of its tables (-t) and of its rows alone: what such a dump holds
# and holds not, what its target needs, and that the copy gives the same answers.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

start_server
create_extension
sql "$FILL_STORE" >/dev/null
sql "SELECT memory_create_store('t', 4)" >/dev/null
sql "SELECT memory_add('m', 'of the other store', store => 't')" >/dev/null
sql "CREATE VIEW public.of_s AS SELECT entry_id FROM s.entries"
before=$(sql "$SEARCH_STORE")
check "10 documents before" 10 "$(wc -l <<< "$before")"

database() { sql "CREATE DATABASE $1 ${2:-}" -d postgres; }
restore() { psql -X -q -v ON_ERROR_STOP=1 -d "$@" >/dev/null; }
state() { psql -X -q -At -v ON_ERROR_STOP=1 -v VERBOSITY=sqlstate "$@" 2>&1 >/dev/null | sed -E 's/^psql:[^ ]* //' || true; }
# How many lines of a file begin so; a count of 0 is no failure of grep's.
lines() { grep -cE "^$1" "$2" || true; }
dumps=$SCRATCH_DIR/dumps
mkdir "$dumps"

# What it holds.
pg_dump -n s -f "$dumps/store"
check "the dump holds the schema" 1 "$(lines 'CREATE SCHEMA s;' "$dumps/store")"
check "three tables" 3 "$(lines 'CREATE TABLE s\.(entries|contexts|entry_access) ' "$dumps/store")"
check "their rows" 3 "$(lines 'COPY s\.(entries|contexts|entry_access) ' "$dumps/store")"
check "every index that no constraint makes" "$(sql "SELECT count(*) FROM pg_index WHERE indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 's'::regnamespace) AND NOT indisprimary")" "$(lines 'CREATE INDEX [a-z_]+ ON s\.' "$dumps/store")"
check "every comment" "$(sql "SELECT count(*) FROM pg_description WHERE objoid IN (SELECT oid FROM pg_class WHERE relnamespace = 's'::regnamespace)")" "$(lines 'COMMENT ON (TABLE|COLUMN|INDEX) s\.' "$dumps/store")"
check "three primary keys and two foreign keys" "3 2" "$(lines ' +ADD CONSTRAINT .* PRIMARY KEY' "$dumps/store") $(lines ' +ADD CONSTRAINT .* FOREIGN KEY' "$dumps/store")"
check "where entry_order goes on" 1 "$(lines "SELECT pg_catalog.setval\('s.entries_entry_order_seq', 200, true\)" "$dumps/store")"
# What it holds not.
check "no extension" 0 "$(grep -c 'EXTENSION' "$dumps/store" || true)"
check "no function, type, cast or view" 0 "$(lines 'CREATE (OR REPLACE )?(FUNCTION|TYPE|CAST|VIEW)' "$dumps/store")"
check "nothing of another store" 0 "$(grep -cE '\bt\.(entries|contexts|entry_access)|other store' "$dumps/store" || true)"
check "of other schemas it needs pgvector and nothing else" "public.binary_quantize public.halfvec" "$(grep -v '^--' "$dumps/store" | grep -oE '\bpublic\.[a-z_]+' | sort -u | xargs)"
check "no lexemes: search_vector is computed again" 0 "$(grep '^COPY' "$dumps/store" | grep -c search_vector || true)"

# What the target needs: pgvector for the rows, memory_search for the answers.
database bare
check "without pgvector it is refused with 42704" "ERROR:  42704" "$(state -1 -d bare -f "$dumps/store")"
check "and leaves nothing" 0 "$(sql "SELECT count(*) FROM pg_namespace WHERE nspname = 's'" -d bare)"
sql "CREATE EXTENSION vector" -d bare
restore bare -f "$dumps/store"
check "with pgvector alone it lives as tables: 200 entries, 40 of them about tea" "200 40" "$(sql "SELECT count(*) || ' ' || count(*) FILTER (WHERE search_vector @@ 'tea') FROM s.entries" -d bare)"
sql "CREATE EXTENSION memory_search" -d bare
check "with memory_search made after it: 10 documents, byte for byte" "$before" "$(sql "$SEARCH_STORE" -d bare)"
database ready
create_extension -d ready
restore ready -f "$dumps/store"
check "with memory_search made before it: 10 documents, byte for byte" "$before" "$(sql "$SEARCH_STORE" -d ready)"
check "its next entry has the next order" 201 "$(sql "SELECT memory_add('m', 'next', entry_id => '00000000-0000-0000-0002-000000000001', store => 's')" -d ready >/dev/null
  sql "SELECT entry_order FROM s.entries WHERE entry_id = '00000000-0000-0000-0002-000000000001'" -d ready)"

# Where a store of that name is already.
changed=$(sql "$SEARCH_STORE" -d ready)
check "a store of the same name stands in the way: 42P06" "ERROR:  42P06" "$(state -1 -d ready -f "$dumps/store")"
check "and is as it was" "$changed" "$(sql "$SEARCH_STORE" -d ready)"
pg_dump -n s --clean --if-exists | restore ready
check "with --clean it is replaced: 10 documents, byte for byte" "$before" "$(sql "$SEARCH_STORE" -d ready)"
sql "ALTER SCHEMA s RENAME TO first" -d ready
restore ready -f "$dumps/store"
check "or renamed before, and both answer: 20 documents, byte for byte" "$before"$'\n'"$before" "$(sql "$SEARCH_STORE" -d ready; sql "${SEARCH_STORE//"store => 's'"/"store => 'first'"}" -d ready)"

# The extensions in other schemas than here. The dump names pgvector's type and function with their schema.
database other_schemas
sql 'CREATE SCHEMA "My Ext"; CREATE SCHEMA ms; CREATE EXTENSION vector SCHEMA "My Ext"; CREATE EXTENSION memory_search SCHEMA ms' -d other_schemas
sed -E 's/public\.(halfvec|binary_quantize)/"My Ext".\1/g' "$dumps/store" | restore other_schemas
check "extensions elsewhere: 10 documents, byte for byte" "$before" "$(PGOPTIONS='-c search_path=ms' sql "$SEARCH_STORE" -d other_schemas)"
check "a store made there uses its pgvector" '"My Ext".halfvec(4)' "$(sql "SELECT ms.memory_create_store('t', 4)" -d other_schemas >/dev/null
  sql "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 't.entries'::regclass AND attname = 'embedding'" -d other_schemas)"
check "and takes every form of an embedding" 4 "$(sql "SELECT count(ms.memory_add('m', 'x', embedding => e, store => 't')) FROM (VALUES ('[1,0,0,0]'::\"My Ext\".vector::ms.memory_embedding), ('[1,0,0,0]'::\"My Ext\".halfvec::ms.memory_embedding), ('{1,0,0,0}'::real[]::ms.memory_embedding), ('[1,0,0,0]')) v(e)" -d other_schemas)"

# One store out of a dump of all. pg_restore -n takes what is in the schema, not the schema.
pg_dump -Fc -f "$dumps/all"
database one_of_all
create_extension -d one_of_all
sql "CREATE SCHEMA s" -d one_of_all
pg_restore --exit-on-error -n s -d one_of_all "$dumps/all"
check "one store out of a dump of all: 10 documents, byte for byte" "$before" "$(sql "$SEARCH_STORE" -d one_of_all)"
check "and not the other" 0 "$(sql "SELECT count(*) FROM pg_namespace WHERE nspname = 't'" -d one_of_all)"

# One table: its definition and rows, without the schema and without the other two.
pg_dump -t s.entries -f "$dumps/table"
check "a dump of one table holds it, its rows and where its order goes on" "1 1 1" "$(lines 'CREATE TABLE s.entries ' "$dumps/table") $(lines 'COPY s.entries ' "$dumps/table") $(lines "SELECT pg_catalog.setval\('s.entries_entry_order_seq', 200, true\)" "$dumps/table")"
check "no schema, no other table, no extension" "0 0 0" "$(lines 'CREATE SCHEMA' "$dumps/table") $(lines '(CREATE TABLE|COPY) s\.(contexts|entry_access) ' "$dumps/table") $(lines 'CREATE EXTENSION' "$dumps/table")"
database one_table
create_extension -d one_table
check "it is refused where the schema is not: 3F000" "ERROR:  3F000" "$(state -1 -d one_table -f "$dumps/table")"
sql "CREATE SCHEMA s" -d one_table
restore one_table -f "$dumps/table"
check "entries alone are no store: 42P01" "ERROR:  42P01" "$(state -d one_table -c "SELECT memory_search('m', 'tea', store => 's')")"
pg_dump -t s.contexts -t s.entry_access | restore one_table
check "with the other two tables they are: 10 documents, byte for byte" "$before" "$(sql "$SEARCH_STORE" -d one_table)"

# The rows alone, into a store that memory_create_store made; as COPY and as INSERT.
for format in --data-only '--data-only --column-inserts --rows-per-insert=100'; do
  name="rows_${#format}"
  database "$name"
  create_extension -d "$name"
  sql "SELECT memory_create_store('s')" -d "$name" >/dev/null
  # shellcheck disable=SC2086 # several options
  pg_dump -n s $format | restore "$name"
  check "$format: 10 documents, byte for byte" "$before" "$(sql "$SEARCH_STORE" -d "$name")"
  check "$format: the next entry has the next order" 201 "$(sql "SELECT memory_add('new', 'next', store => 's')" -d "$name" >/dev/null; sql "SELECT entry_order FROM s.entries WHERE memory_id = 'new'" -d "$name")"
done

# An owner who is no superuser dumps and restores his store.
sql "CREATE ROLE store_owner LOGIN; GRANT CREATE ON DATABASE scratch TO store_owner"
sql "SELECT memory_create_store('mine', 4)" -U store_owner >/dev/null
sql "SELECT count(memory_add('m', 'kite ' || n, embedding => ARRAY[n, 1, 0, 0]::real[], creation_time => '2025-01-01Z', store => 'mine')) FROM generate_series(1, 30) n" -U store_owner >/dev/null
mine="SELECT memory_search('m', 'kite', 10, embedding => '[5,1,0,0]', options => '{\"asOf\": \"2025-06-01T00:00:00Z\"}', store => 'mine')"
database owner_copy "OWNER store_owner"
sql "CREATE EXTENSION vector" -d owner_copy
check "the extension is trusted: an owner of a database may create it" store_owner "$(sql "CREATE EXTENSION memory_search" -d owner_copy -U store_owner; sql "SELECT pg_get_userbyid(extowner) FROM pg_extension WHERE extname = 'memory_search'" -d owner_copy)"
pg_dump -U store_owner -n mine | restore owner_copy -U store_owner
check "an owner's dump: 1 document of 10 entries, byte for byte" "10 $(sql "$mine" -U store_owner)" "$(sql "SELECT ($mine)->>'count' || ' ' || ($mine)" -U store_owner -d owner_copy)"

# Somebody who may only read can dump what he sees: a user takes his memories along.
sql "CREATE ROLE store_user LOGIN;
  GRANT USAGE ON SCHEMA s TO store_user; GRANT SELECT ON ALL TABLES IN SCHEMA s TO store_user;
  ALTER TABLE s.entries ENABLE ROW LEVEL SECURITY; ALTER TABLE s.contexts ENABLE ROW LEVEL SECURITY; ALTER TABLE s.entry_access ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own ON s.entries TO store_user USING (user_id = 'u1');
  CREATE POLICY own ON s.contexts TO store_user USING (user_id = 'u1');
  CREATE POLICY own ON s.entry_access TO store_user USING (EXISTS (SELECT FROM s.entries e WHERE (e.memory_id, e.entry_id) = (entry_access.memory_id, entry_access.entry_id)))"
# What pg_dump complains of; its words differ between versions.
refused() { if "$@" > "$dumps/refused" 2>&1; then echo dumped; else grep -oE 'sequence|row-level security' "$dumps/refused" | head -n 1; fi; }
check "a reader's dump needs the sequence too" "sequence" "$(refused pg_dump -U store_user -n s)"
sql "GRANT SELECT ON ALL SEQUENCES IN SCHEMA s TO store_user"
check "a dump that a policy would thin out is refused" "row-level security" "$(refused pg_dump -U store_user -n s)"
database user_copy
create_extension -d user_copy
pg_dump -U store_user -n s --enable-row-security | restore user_copy
visible=$(sql "$SEARCH_STORE" -U store_user)
check "unless asked for: 100 entries of 200" 100 "$(sql "SELECT count(*) FROM s.entries" -d user_copy)"
check "the user's 10 documents are not the owner's" yes "$(if [[ $visible != "$before" && $(wc -l <<< "$visible") == 10 ]]; then echo yes; fi)"
check "the user's copy: 10 documents as he saw them, byte for byte" "$visible" "$(sql "$SEARCH_STORE" -d user_copy)"
checked
