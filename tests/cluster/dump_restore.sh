#!/usr/bin/env bash
# pg_dump and restore of a whole database: the copy gives the same answers and is the same to the
# last privilege, in whichever format and steps it is made, whoever makes it, wherever pgvector is.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# Without autovacuum nothing is analyzed unless this script does it.
start_server "autovacuum = off"
create_extension
sql "$FILL_STORE" >/dev/null

# What a dump could lose: texts that COPY must escape, rows that are hidden, an entry without
# embedding, columns, indexes, policies and privileges of the user's own, a language of his own.
sql "
  CREATE ROLE dump_reader; CREATE ROLE dump_writer; CREATE ROLE dump_keeper LOGIN CREATEDB;
  INSERT INTO s.entries (memory_id, entry_id, user_id, raw_entry, summary, tags, metadata, creation_time) VALUES
    ('m', '00000000-0000-0000-0001-000000000001', 'u1', E'tab\there, line\nthere\n\\\\.\n\\\\N \"quoted\" ''single'' back\\\\slash', 'escapes \$1 \$\$', ARRAY['a,b', '{c}', 'NULL', '\"', ''], '{\"k\": \"\\\\\\\\ \\\\n\", \"n\": 12345678901234567890.0123456789}', '2025-01-02 03:04:05.678901Z'),
    ('m', '00000000-0000-0000-0001-000000000002', 'u2', 'Zoë trinkt Tee in 東京 ☕ und schreibt C++', NULL, DEFAULT, DEFAULT, '2025-01-02Z'),
    ('m', '00000000-0000-0000-0001-000000000003', 'u1', 'tea ' || repeat('lorem ipsum dolor ', 20000), NULL, DEFAULT, DEFAULT, '2025-01-02Z');
  INSERT INTO s.entries (memory_id, entry_id, raw_entry, creation_time, deletion_scheduled_time, expires_at) VALUES
    ('m', '00000000-0000-0000-0001-000000000004', 'deleted tea', '2025-01-02Z', '2025-01-03Z', NULL),
    ('m', '00000000-0000-0000-0001-000000000005', 'expired tea', '2025-01-02Z', NULL, '2025-01-03Z'),
    ('m', '00000000-0000-0000-0001-000000000006', 'lasting tea', '2025-01-02Z', NULL, 'infinity');
  ALTER TABLE s.entries ADD COLUMN room text DEFAULT 'hall', ADD CONSTRAINT room_is_named CHECK (room <> '');
  CREATE INDEX entries_near ON s.entries USING hnsw (embedding public.halfvec_cosine_ops);
  COMMENT ON SCHEMA s IS 'memories of the test';
  COMMENT ON INDEX s.entries_near IS 'for the large ones';
  GRANT USAGE ON SCHEMA s TO dump_reader, dump_writer;
  GRANT SELECT ON ALL TABLES IN SCHEMA s TO dump_reader;
  GRANT SELECT, INSERT, UPDATE (importance) ON s.entries TO dump_writer WITH GRANT OPTION;
  ALTER DEFAULT PRIVILEGES IN SCHEMA s GRANT SELECT ON TABLES TO dump_reader;
  ALTER TABLE s.entries ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own_entries ON s.entries TO dump_reader USING (user_id = current_setting('app.caller'));
  CREATE POLICY add_entries ON s.entries AS RESTRICTIVE FOR INSERT TO dump_writer WITH CHECK (importance < 90);
  COMMENT ON POLICY own_entries ON s.entries IS 'nobody else''s';
  CREATE FUNCTION public.noted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
  CREATE TRIGGER noted BEFORE INSERT ON s.entries FOR EACH ROW EXECUTE FUNCTION public.noted();
  CREATE SCHEMA words; CREATE TEXT SEARCH CONFIGURATION words.\"My Words\" (COPY = pg_catalog.german);
  SELECT memory_create_store('own_words', 4, 'words.My Words');
  SELECT count(memory_add('m', text, creation_time => '2025-01-01Z', entry_id => md5(text)::uuid, store => 'own_words')) FROM unnest('{die Züge fahren,ein Zug fuhr,der Tee}'::text[]) text" >/dev/null

AS_OF='"asOf": "2025-06-01T00:00:00Z"'
# 10 documents and some that tell of the rows above, of the other language, and of what the policy lets a reader see.
documents() { # psql's arguments
  psql -X -q -At -v ON_ERROR_STOP=1 "$@" -c "$SEARCH_STORE" \
    -c "SELECT memory_search('m', query, 5, options => '{\"strategy\": \"keyword\", $AS_OF}', store => 's') FROM (VALUES ('escapes'), ('東京'), ('C++'), ('lorem tea'), ('lasting')) q(query)" \
    -c "SELECT memory_search('m', 'Zug', options => '{$AS_OF}', store => 'own_words')" \
    -c "SET ROLE dump_reader" -c "SET app.caller = 'u1'" -c "$SEARCH_STORE"
}
# Everything that the catalogs say of the store, a fact a line.
facts() { # psql's arguments
  sql "SELECT fact FROM (
    SELECT 'owner of schema ' || pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 's'
    UNION ALL SELECT 'privilege on schema ' || a::text FROM pg_namespace, unnest(nspacl) a WHERE nspname = 's'
    UNION ALL SELECT 'comment on schema ' || obj_description('s'::regnamespace, 'pg_namespace')
    UNION ALL SELECT concat_ws(' ', 'relation', relname, relkind, relpersistence, relreplident, 'rls', relrowsecurity, relforcerowsecurity, reloptions::text) FROM pg_class WHERE relnamespace = 's'::regnamespace
    UNION ALL SELECT 'owner of ' || relname || ' ' || pg_get_userbyid(relowner) FROM pg_class WHERE relnamespace = 's'::regnamespace
    UNION ALL SELECT 'privilege on ' || relname || ' ' || a::text FROM pg_class, unnest(relacl) a WHERE relnamespace = 's'::regnamespace
    UNION ALL SELECT concat_ws(' ', 'privilege by default', defaclobjtype, a::text) FROM pg_default_acl, unnest(defaclacl) a WHERE defaclnamespace = 's'::regnamespace
    UNION ALL SELECT concat_ws(' ', 'column', relname, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, pg_get_expr(adbin, adrelid)) FROM pg_class c
      JOIN pg_attribute a ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE relnamespace = 's'::regnamespace AND relkind = 'r'
    UNION ALL SELECT concat_ws(' ', 'privilege on', relname, attname, a::text) FROM pg_class c JOIN pg_attribute ON attrelid = c.oid, unnest(attacl) a WHERE relnamespace = 's'::regnamespace
    UNION ALL SELECT concat_ws(' ', 'comment on', relname, objsubid, description) FROM pg_class c JOIN pg_description d ON d.objoid = c.oid AND d.classoid = 'pg_class'::regclass WHERE relnamespace = 's'::regnamespace
    UNION ALL SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint WHERE connamespace = 's'::regnamespace
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 's'
    UNION ALL SELECT concat_ws(' ', 'policy', p::text, obj_description((SELECT oid FROM pg_policy WHERE polname = policyname), 'pg_policy')) FROM pg_policies p WHERE schemaname = 's'
    UNION ALL SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid WHERE relnamespace = 's'::regnamespace AND NOT tgisinternal
    UNION ALL SELECT concat_ws(' ', 'sequence', q.sequencename, q.start_value, q.increment_by, q.last_value) FROM pg_sequences q WHERE schemaname = 's'
    UNION ALL SELECT 'extension ' || extname || ' in ' || extnamespace::regnamespace FROM pg_extension
  ) f(fact) ORDER BY fact COLLATE \"C\"" "$@"
}
before=$(documents)
facts_before=$(facts)
facts_of_tables=$(grep -vE '^(owner|privilege)' <<< "$facts_before")
documents_count=$(wc -l <<< "$before")
check "26 documents before" 26 "$documents_count"
check "what the reader may see is not what the owner sees" yes "$(if [[ $(head -n 10 <<< "$before") != "$(tail -n 10 <<< "$before")" ]]; then echo yes; fi)"
for word in escapes 東京 C++ 'lorem ipsum' lasting Züge; do
  check "\"$word\" is in the documents" yes "$(if [[ $before == *"$word"* ]]; then echo yes; fi)"
done
for kind in 'owner of entries ' 'privilege on entries ' 'privilege on entries importance' 'privilege by default' 'policy ' 'comment on entries ' 'constraint s.entry_access ' 'CREATE TRIGGER' 'sequence ' 'column entries room '; do
  check "the catalogs tell of: $kind" yes "$(if grep -q "^$kind" <<< "$facts_before"; then echo yes; fi)"
done

same() { # HOW DATABASE
  check "$1: $documents_count documents, byte for byte" "$before" "$(documents -d "$2")"
  check "$1: the same $(wc -l <<< "$facts_before") facts in the catalogs" "$facts_before" "$(facts -d "$2")"
}
database() { sql "CREATE DATABASE $1 ${2:-}" -d postgres; }
dumps=$SCRATCH_DIR/dumps
mkdir "$dumps"

# The three formats.
database plain_copy
pg_dump | psql -X -q -v ON_ERROR_STOP=1 -d plain_copy >/dev/null
same "plain format" plain_copy
database custom_copy
pg_dump -Fc -f "$dumps/custom"
pg_restore --exit-on-error -d custom_copy "$dumps/custom"
same "custom format" custom_copy
database directory_copy
pg_dump -Fd -j 2 -f "$dumps/directory"
pg_restore --exit-on-error -j 2 -d directory_copy "$dumps/directory"
same "directory format, two jobs" directory_copy

# The three sections. A store is whole for searching as soon as its rows are there.
database sections_copy
pg_restore --exit-on-error --section=pre-data -d sections_copy "$dumps/custom"
check "after pre-data: an empty store that answers" 0 "$(sql "SELECT memory_search('m', 'tea', store => 's')->'count'" -d sections_copy)"
pg_restore --exit-on-error --section=data -d sections_copy "$dumps/custom"
check "after data: no index yet" 0 "$(sql "SELECT count(*) FROM pg_indexes WHERE schemaname = 's'" -d sections_copy)"
check "after data: 10 documents, byte for byte, without an index" "$(head -n 10 <<< "$before")" "$(sql "$SEARCH_STORE" -d sections_copy)"
pg_restore --exit-on-error --section=post-data -d sections_copy "$dumps/custom"
same "after post-data" sections_copy

# Statistics change plans, never answers.
check "a fresh copy has no statistics" 0 "$(sql "SELECT count(*) FROM pg_stats WHERE schemaname = 's'" -d custom_copy)"
sql "ANALYZE" -d custom_copy
check "analyzed, it has them of three tables" 3 "$(sql "SELECT count(DISTINCT tablename) FROM pg_stats WHERE schemaname = 's'" -d custom_copy)"
check "analyzed: $documents_count documents, byte for byte" "$before" "$(documents -d custom_copy)"

# The copy takes new memories, and counts on where the source was.
last=$(sql "SELECT last_value FROM pg_sequences WHERE schemaname = 's'")
check "in the source the newest entry has the highest order" "$last" "$(sql "SELECT max(entry_order) FROM s.entries")"
check "the copy's next entry has the next order" "$(( last + 1 ))" "$(sql "SELECT memory_add('m', 'added to the copy', entry_id => '00000000-0000-0000-0002-000000000001', store => 's')" -d plain_copy >/dev/null
  sql "SELECT entry_order FROM s.entries WHERE entry_id = '00000000-0000-0000-0002-000000000001'" -d plain_copy)"
check "the new entry is found" 1 "$(sql "SELECT count(*) FROM memory_search_entries('m', 'added', 1, options => '{\"strategy\": \"keyword\"}', store => 's') WHERE raw_entry = 'added to the copy'" -d plain_copy)"
check "an access is counted on from 3" "1 4" "$(used=$(sql "SELECT entry_id FROM s.entry_access ORDER BY entry_id LIMIT 1" -d plain_copy)
  echo "$(sql "SELECT memory_touch('m', ARRAY['$used']::uuid[], store => 's')" -d plain_copy) $(sql "SELECT access_count FROM s.entry_access WHERE entry_id = '$used'" -d plain_copy)")"
check "the source has none of it" "$before" "$(documents)"

# Dumped by a superuser, restored by somebody who is none. What he may not do is make pgvector, which is not a
# trusted extension, and comment on it.
restore_as_keeper() { # DATABASE ARCHIVE [OPTION...]
  database "$1" "OWNER dump_keeper"
  sql "CREATE EXTENSION vector" -d "$1"
  pg_restore -l "$2" | grep -v 'COMMENT - EXTENSION vector' > "$dumps/list"
  pg_restore -U dump_keeper --exit-on-error -L "$dumps/list" -d "$1" "${@:3}" "$2"
}
restore_as_keeper other_role "$dumps/custom" --no-owner --no-privileges
check "restored by another role: 10 documents, byte for byte" "$(head -n 10 <<< "$before")" "$(sql "$SEARCH_STORE" -U dump_keeper -d other_role)"
check "restored by another role: columns, indexes, constraints, policies and comments are the same" "$facts_of_tables" "$(facts -d other_role | grep -vE '^(owner|privilege)')"
check "restored by another role: all of it is his" "dump_keeper" "$(sql "SELECT DISTINCT pg_get_userbyid(relowner) FROM pg_class WHERE relnamespace = 's'::regnamespace" -d other_role)"
check "also the extension, which is trusted" dump_keeper "$(sql "SELECT pg_get_userbyid(extowner) FROM pg_extension WHERE extname = 'memory_search'" -d other_role)"

# A role without superuser owns the database and its store, dumps it and restores it.
database kept "OWNER dump_keeper"
sql "CREATE EXTENSION vector" -d kept
sql "CREATE EXTENSION memory_search" -U dump_keeper -d kept
sql "$FILL_STORE" -U dump_keeper -d kept >/dev/null
sql "GRANT USAGE ON SCHEMA s TO dump_reader; GRANT SELECT ON ALL TABLES IN SCHEMA s TO dump_reader" -U dump_keeper -d kept
pg_dump -U dump_keeper -Fc -f "$dumps/kept" kept
restore_as_keeper kept_copy "$dumps/kept"
kept=$(sql "$SEARCH_STORE" -U dump_keeper -d kept)
check "an owner's dump and restore: 10 documents" 10 "$(wc -l <<< "$kept")"
check "an owner's dump and restore: byte for byte" "$kept" "$(sql "$SEARCH_STORE" -U dump_keeper -d kept_copy)"
check "an owner's dump and restore: the same catalogs" "$(facts -d kept)" "$(facts -d kept_copy)"
database kept_by_superuser
pg_restore --exit-on-error -d kept_by_superuser "$dumps/kept"
check "an owner's dump, restored by a superuser: 10 documents for the owner, byte for byte" "$kept" "$(sql "$SEARCH_STORE" -U dump_keeper -d kept_by_superuser)"
check "an owner's dump, restored by a superuser: still his" "$(facts -d kept)" "$(facts -d kept_by_superuser)"

# Both extensions in schemas of their own: a dump of all makes them there again.
database elsewhere
sql 'CREATE SCHEMA "My Ext"; CREATE SCHEMA ms; CREATE EXTENSION vector SCHEMA "My Ext"; CREATE EXTENSION memory_search SCHEMA ms' -d elsewhere
export PGOPTIONS='-c search_path=ms'
sql "$FILL_STORE" -d elsewhere >/dev/null
elsewhere=$(sql "$SEARCH_STORE" -d elsewhere)
database elsewhere_copy
pg_dump elsewhere | psql -X -q -v ON_ERROR_STOP=1 -d elsewhere_copy >/dev/null
check "extensions elsewhere: 10 documents" 10 "$(wc -l <<< "$elsewhere")"
check "extensions elsewhere: byte for byte" "$elsewhere" "$(sql "$SEARCH_STORE" -d elsewhere_copy)"
check "extensions elsewhere: the same catalogs" "$(facts -d elsewhere)" "$(facts -d elsewhere_copy)"

# A dump names pgvector's types with their schema. Where pgvector is in another one it is moved for
# the restore, and back: it may be moved at any time, also under a session that searches.
sql "ALTER SCHEMA s RENAME TO theirs" -d elsewhere_copy
sql "CREATE SCHEMA s" -d elsewhere_copy
pg_dump -d custom_copy -n s | grep -vE '^CREATE SCHEMA' > "$dumps/plain"
check "into a database with pgvector elsewhere: refused with 42704" "ERROR:  42704" "$(psql -X -q -At -1 -v ON_ERROR_STOP=1 -v VERBOSITY=sqlstate -d elsewhere_copy -f "$dumps/plain" 2>&1 >/dev/null | sed -E 's/^psql:[^ ]* //' || true)"
sql "ALTER EXTENSION vector SET SCHEMA public; CREATE FUNCTION public.noted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'" -d elsewhere_copy
psql -X -q -v ON_ERROR_STOP=1 -d elsewhere_copy -f "$dumps/plain" >/dev/null
theirs=${SEARCH_STORE//"store => 's'"/"store => 'theirs'"}
moved=$(psql -X -q -At -v ON_ERROR_STOP=1 -d elsewhere_copy -c "$SEARCH_STORE" -c "$theirs" -c 'ALTER EXTENSION vector SET SCHEMA "My Ext"' -c "$SEARCH_STORE" -c "$theirs")
stored=$(head -n 10 <<< "$before")
check "pgvector moved under a session: 40 documents, byte for byte, of the restored store and the one that was there" "$stored"$'\n'"$elsewhere"$'\n'"$stored"$'\n'"$elsewhere" "$moved"
check "and new memories are added" t "$(sql "SELECT memory_add('m', 'after the move', store => 's') IS NOT NULL" -d elsewhere_copy)"
unset PGOPTIONS
checked
