#!/usr/bin/env bash
# pg_upgrade from PostgreSQL 16 to 18 keeps the memories: the same documents to the last byte, the same
# privileges and policies, and the stores take new entries.
#   OLD_PG_CONFIG   the old server's pg_config, with the extension installed there; else the PostgreSQL 16
#                   that tests/run_pg16.sh installs it into
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

new_bin=$PG_BIN
if [[ -z ${OLD_PG_CONFIG:-} && -z ${MEMORY_SEARCH_INSTALLED:-} ]]; then "$MEMORY_SEARCH_REPO/tests/run_pg16.sh" install; fi
old_config=${OLD_PG_CONFIG:-$PG16_CONFIG}
[[ -x $old_config ]] || die "there is no old server to upgrade from, $old_config: run tests/run_pg16.sh install first"
old_bin=$("$old_config" --bindir)
[[ -e $("$old_config" --pkglibdir)/memory_search.so ]] || die "the extension is not installed in the old server: run tests/run_pg16.sh install first"
major() { "$1/pg_config" --version | sed -E 's/^PostgreSQL ([0-9]+).*/\1/'; }
(( $(major "$new_bin") > $(major "$old_bin") )) || die "PG_CONFIG is of PostgreSQL $(major "$new_bin"): there is nothing to upgrade from $(major "$old_bin")"

# --- The old server, with three stores ----------------------------------------------------------

PG_BIN=$old_bin
start_server
old_dir=$SCRATCH_DIR
version="SELECT current_setting('server_version_num')::int / 10000"
version_before=$(sql "$version")
create_extension
sql "$FILL_STORE" >/dev/null
# A store of somebody who is no superuser: a name in mixed case, another language, vectors of its own,
# rows that a policy hides, privileges for a reader and a writer.
sql 'CREATE ROLE upgrade_owner LOGIN; CREATE ROLE "Reader 1" LOGIN; CREATE ROLE upgrade_writer LOGIN; GRANT CREATE ON DATABASE scratch TO upgrade_owner'
PGOPTIONS='-c client_min_messages=warning' sql "
  SELECT memory_create_store('My Store', 4, 'german');
  SELECT count(memory_add('m', 'Notiz ' || n || ': ' || (ARRAY['die Häuser am Meer', 'ein Zug nach Lissabon', 'grüner Tee'])[1 + n % 3], summary => CASE WHEN n % 4 = 0 THEN 'kurz' END,
    tags => ARRAY['T ' || n % 3], embedding => ARRAY[n, n % 7, 1, 0]::real[], user_id => 'u' || n % 2, context => CASE WHEN n % 10 = 0 THEN 'Teil ' || n / 10 END,
    creation_time => timestamptz '2025-01-01Z' + n * interval '1 hour', entry_id => lpad(n::text, 32, '0')::uuid, store => 'My Store')) FROM generate_series(1, 60) n;
  SELECT memory_touch('m', ARRAY['00000000-0000-0000-0000-000000000007']::uuid[], store => 'My Store');
  SELECT memory_delete('m', ARRAY['00000000-0000-0000-0000-000000000008']::uuid[], store => 'My Store');
  SELECT memory_grant('My Store', 'Reader 1'), memory_grant('My Store', 'upgrade_writer', 'writer');
  SELECT memory_enable_row_security('My Store')" -U upgrade_owner >/dev/null
# A store over a table of an application, and what a user may have made of the functions.
PGOPTIONS='-c client_min_messages=warning' sql "
  CREATE TABLE tickets (id bigint PRIMARY KEY, customer text, title text, body text, written timestamptz, meaning vector(4));
  INSERT INTO tickets SELECT n, 'c' || n % 2, 'ticket ' || n, (ARRAY['the printer is out of paper', 'no sound from the speaker'])[1 + n % 2], timestamptz '2025-01-01Z' + n * interval '1 hour', ARRAY[n, 1, 0, 0]::real[] FROM generate_series(1, 40) n;
  SELECT memory_adopt_table('help desk', 'tickets', '{\"memory_id\": \"customer\", \"entry_id\": \"id\", \"raw_entry\": \"body\", \"summary\": \"title\", \"creation_time\": \"written\", \"embedding\": \"meaning\"}');
  CREATE VIEW tea AS SELECT entry_id, score FROM memory_search_entries('m', 'tea', 10, options => '{\"asOf\": \"2025-06-01T00:00:00Z\"}', store => 's');
  CREATE FUNCTION milk() RETURNS jsonb LANGUAGE sql STABLE BEGIN ATOMIC SELECT memory_search('m', 'milk', options => '{\"asOf\": \"2025-06-01T00:00:00Z\"}', store => 's'); END" >/dev/null

as_of="options => '{\"asOf\": \"2025-06-01T00:00:00Z\", \"boosts\": {\"popularity\": 0.2}}'"
in_my_store="SELECT memory_search('m', query, 10, 3, '[3,1,1,0]', $as_of, store => 'My Store') FROM (VALUES ('Haus am Meer'), ('Tee'), ('')) q(query)"
# One document a line: 10 of each kind of search in s, 3 of the other store for each of its roles, 2 of
# the adopted table, 2 by what the user made.
documents() {
  sql "$SEARCH_STORE"
  sql "$in_my_store" -U upgrade_owner
  PGOPTIONS='-c memory_search.user_id=u1' sql "$in_my_store" -U 'Reader 1'
  PGOPTIONS='-c memory_search.user_id=u0' sql "$in_my_store" -U upgrade_writer
  sql "SELECT memory_search(customer, 'the printers', 10, embedding => '[3,1,0,0]', $as_of, store => 'help desk') FROM (VALUES ('c0'), ('c1')) c(customer)"
  sql "SELECT jsonb_agg(to_jsonb(t) ORDER BY score DESC, entry_id) FROM tea t"
  sql "SELECT milk()"
}
stores="('s'), ('My Store'), ('help desk')"
privileges="SELECT string_agg(format('%s %s %s: %s', r, n.nspname, c.relname, p), E'\n' ORDER BY r, n.nspname, c.relname, p)
  FROM unnest('{Reader 1,upgrade_writer,upgrade_owner,postgres}'::name[]) r, unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) p,
    pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN (VALUES $stores) s(store) ON s.store = n.nspname
  WHERE c.relkind IN ('r', 'v') AND has_schema_privilege(r, n.oid, 'USAGE') AND has_table_privilege(r, c.oid, p)"
definitions="SELECT string_agg(line, E'\n' ORDER BY line) FROM (
    SELECT format('%s.%s.%s %s %s %s %s', n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid)) AS line
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum WHERE n.nspname IN (VALUES $stores) AND a.attnum > 0
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname IN (VALUES $stores)
    UNION ALL SELECT format('%s %s.%s %s %s %s', policyname, schemaname, tablename, roles, qual, with_check) FROM pg_policies
    UNION ALL SELECT format('%s.%s owner %s, policies %s %s, options %s, comment %s', n.nspname, c.relname, c.relowner::regrole, c.relrowsecurity, c.relforcerowsecurity, c.reloptions, obj_description(c.oid, 'pg_class'))
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname IN (VALUES $stores)
  ) all_of_them"
extension="SELECT extname || ' ' || extversion FROM pg_extension WHERE extname = 'memory_search'"
documents_before=$(documents)
check "23 documents before" 23 "$(wc -l <<< "$documents_before")"
check "each of them has entries" 23 "$(grep -cE '"(entryId|entry_id)"' <<< "$documents_before")"
privileges_before=$(sql "$privileges") definitions_before=$(sql "$definitions") extension_before=$(sql "$extension")

# --- pg_upgrade ---------------------------------------------------------------------------------

cluster_stop "$old_dir"
PG_BIN=$new_bin
new_dir=$(mktemp -d /tmp/memory_search-scratch-XXXXXX)
SCRATCH_DIRS+=("$new_dir") # so that it is stopped and removed with the old one
cluster_create "$new_dir"
# PostgreSQL 18 makes its folders with checksums, older ones without; pg_upgrade wants both alike.
checksums() { as_server_user "$1/pg_controldata" "$2/data" | sed -nE 's/^Data page checksum version: +//p'; }
if [[ $(checksums "$old_bin" "$old_dir") != $(checksums "$new_bin" "$new_dir") ]]; then
  as_server_user "$old_bin/pg_checksums" --enable --no-sync -D "$old_dir/data" 2>&1 | tail -n 1
fi
upgrade() { # OPTIONS...; it leaves scripts in the folder where it runs
  as_server_user env -C "$new_dir" "$new_bin/pg_upgrade" --old-bindir "$old_bin" --new-bindir "$new_bin" --old-datadir "$old_dir/data" --new-datadir "$new_dir/data" \
    --username postgres --socketdir "$new_dir" --no-sync "$@" > "$new_dir/pg_upgrade.log" 2>&1 || { cat "$new_dir/pg_upgrade.log" >&2; die "pg_upgrade $* failed"; }
}
upgrade --check
check "pg_upgrade --check: nothing that it refuses, no column of a reg... type among it" "data type usage ok, clusters are compatible" \
  "$(sed -nE 's/^Checking (data type usage) +(ok)$/\1 \2,/p; s/^\*(Clusters are compatible)\*$/\l\1/p' "$new_dir/pg_upgrade.log" | paste -s -d ' ')"
upgrade

# --- The new server -----------------------------------------------------------------------------

cluster_start "$new_dir" scratch
# shellcheck source=/dev/null
. "$new_dir/connection.env"
check "it was PostgreSQL $version_before and is a later one" "$(major "$new_bin")" "$(sql "$version")"
check "the extension is there, in its version" "$extension_before" "$(sql "$extension")"
check "23 documents, byte for byte" "$documents_before" "$(documents)"
check "$(wc -l <<< "$privileges_before") privileges are as they were" "$privileges_before" "$(sql "$privileges")"
check "$(wc -l <<< "$definitions_before") columns, indexes, policies, owners and comments are as they were" "$definitions_before" "$(sql "$definitions")"
check "every index is valid" 0 "$(sql "SELECT count(*) FROM pg_index WHERE NOT (indisvalid AND indisready)")"
check "without the setting the policy shows nothing" 0 "$(sql "SELECT memory_search('m', 'Tee', store => 'My Store')->'count'" -U 'Reader 1')"
check "and it may not be written around" "ERROR:  42501" "$(PGOPTIONS='-c memory_search.user_id=u0' psql -X -q -At -v VERBOSITY=sqlstate -U upgrade_writer -c "SELECT memory_add('m', 'x', user_id => 'u1', store => 'My Store')" 2>&1 || true)"

# pg_upgrade leaves a script that brings extensions to the version that the new server has.
wanted="SELECT default_version FROM pg_available_extensions WHERE name = 'vector'"
if [[ -e $new_dir/update_extensions.sql ]]; then psql -X -q -v ON_ERROR_STOP=1 -f "$new_dir/update_extensions.sql" >/dev/null; fi
check "pgvector is of the new server's version" "$(sql "$wanted")" "$(sql "SELECT extversion FROM pg_extension WHERE extname = 'vector'")"
check "with it 23 documents as before, byte for byte" "$documents_before" "$(documents)"

check "a new entry is found" "a kite" "$(sql "SELECT memory_add('new', 'a kite', store => 's')" >/dev/null; sql "SELECT memory_search('new', 'kites', store => 's')#>>'{entries,0,rawEntry}'")"
check "a writer's too, by the words of the store's language" "Die Häuser" "$(
  PGOPTIONS='-c memory_search.user_id=u0' sql "SELECT memory_add('new', 'Die Häuser', embedding => '[1,0,0,0]', user_id => 'u0', store => 'My Store')" -U upgrade_writer >/dev/null
  sql "SELECT memory_search('new', 'Hauses', options => '{\"strategy\": \"keyword\"}', store => 'My Store')#>>'{entries,0,rawEntry}'" -U upgrade_owner)"
check "a new row of the adopted table as well" "the lamp is broken" "$(sql "INSERT INTO tickets VALUES (100, 'new', 'ticket 100', 'the lamp is broken', '2025-05-01Z')"
  sql "SELECT memory_search('new', 'lamps', options => '{\"strategy\": \"keyword\"}', store => 'help desk')#>>'{entries,0,rawEntry}'")"
check "entry_order goes on after the last" t "$(sql "SELECT max(entry_order) FILTER (WHERE memory_id = 'new') > max(entry_order) FILTER (WHERE memory_id = 'm') FROM s.entries")"
check "what was deleted before can be restored" 1 "$(sql "SELECT memory_restore('m', ARRAY['00000000-0000-0000-0000-000000000008']::uuid[], store => 'My Store')" -U upgrade_owner)"
check "memory_doctor finds no error" '' "$(sql "SELECT string_agg(d::text, E'\n') FROM (VALUES $stores) s(store), memory_doctor(store) d WHERE d.status = 'error'")"
checked
