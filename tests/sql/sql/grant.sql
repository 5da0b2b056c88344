-- memory_grant gives a role its portion of a store: a reader gets all functions that read, a writer also all that
-- write, and no role gets the owner's.
SET memory_search.embedding_function = 'test.embed';
CREATE ROLE gr_owner;
CREATE ROLE gr_nobody;
CREATE ROLE gr_reader;
CREATE ROLE gr_writer;
CREATE ROLE "Gr Mixed";
CREATE ROLE "gr ""quoted"" 'role'";
CREATE ROLE gr_group;
CREATE ROLE gr_member IN ROLE gr_group;
GRANT CREATE ON DATABASE regression TO gr_owner;
SET ROLE gr_owner;
SELECT memory_create_store('Gr "Store"', 4), memory_create_store('gr_other', 4);
SELECT memory_add('m', 'a kite', context => 'kites', entry_id => test.id(1), creation_time => '2025-01-01Z',
      store => 'Gr "Store"'),
  memory_add('m', 'a red kite', entry_id => test.id(2), creation_time => '2025-01-02Z', store => 'Gr "Store"'),
  memory_put_context('m', 'more kites', creation_time => '2025-01-02Z', store => 'Gr "Store"') IS NOT NULL AS put;
INSERT INTO "Gr ""Store""".entries (memory_id, raw_entry) VALUES ('m', 'not embedded yet');
SELECT memory_add('m', 'a kite', entry_id => test.id(1), store => 'gr_other');
SELECT memory_grant('Gr "Store"', 'gr_reader'), memory_grant('Gr "Store"', 'gr_writer', 'writer');
RESET ROLE;

-- Every function of the extension, called by each role. The changes of a call are undone.
CREATE TABLE calls (n int GENERATED ALWAYS AS IDENTITY, kind text, function text, arguments text);
INSERT INTO calls (kind, function, arguments) VALUES
  ('read', 'memory_search', $$'m', 'kite'$$),
  ('read', 'memory_search', $$'m', '', 0, options => '{"boosts": {"popularity": 0.1}}'$$),
  ('read', 'memory_search', $$'{"memoryId": "m", "query": "kite", "filters": {"accessCount": 0}}'$$),
  ('read', 'memory_search', $$'{m,n}'::text[], 'kite', prefixes => '{m}'$$),
  ('read', 'memory_search_sent', $$true, '{"memoryId": "m", "query": "kite"}', NULL, NULL, now()$$),
  ('read', 'memory_search_entries', $$'{m,n}'::text[], 'kite'$$),
  ('read', 'memory_explain', $$'{m,n}'::text[], 'kite'$$),
  ('read', 'memory_build_context', $$'{m,n}'::text[], 'kite'$$),
  ('read', 'memory_search_entries', $$'m', 'kite', options => '{"dedupThreshold": 0.9}'$$),
  ('read', 'memory_explain', $$'m', 'kite'$$),
  ('read', 'memory_explain', format('%L, %L, entry_id => %L', 'm', 'kite', test.id(1))),
  ('read', 'memory_build_context', $$'m', 'kite'$$),
  ('read', 'memory_get', $$'m', ARRAY[test.id(1)]$$),
  ('read', 'memory_history', $$'m', test.id(1)$$),
  ('read', 'memory_get', $$'m', ARRAY[test.id(1)], '{"includeSuperseded": true}'$$),
  ('read', 'memory_links', $$'m', test.id(1)$$),
  ('read', 'memory_related', $$'m', test.id(1)$$),
  ('read', 'memory_aliases', $$'m'$$),
  ('read', 'memory_list', $$'m'$$),
  ('read', 'memory_list', $$'m', '{"accessCount": 0}', '-accessCount'$$),
  ('read', 'memory_count', $$'m', '{"accessCount": 0}'$$),
  ('read', 'memory_entities', $$'m'$$),
  ('read', 'memory_about', $$'m', 'kite'$$),
  ('read', 'memory_facets', $$'m', 'kite', '{tags,entities}'$$),
  ('read', 'memory_facets', $$'m'$$),
  ('read', 'memory_learn', $$'[{"request": {"memoryId": "m", "query": "kite"}, "helpful": ["a"]}]'$$),
  ('read', 'memory_list_memories', ''),
  ('read', 'memory_stats', ''),
  ('read', 'memory_export', $$'m'$$),
  ('read', 'memory_embed', $$'kite'$$),
  ('read', 'memory_tool_spec', ''),
  ('read', 'memory_doctor', ''),
  ('write', 'memory_add', $$'m', 'x'$$),
  ('write', 'memory_add', $$'m', 'x', context => 'c'$$),
  ('write', 'memory_add', $$'m', 'x', entities => '{Ann}'$$),
  ('write', 'memory_add', $$'m', 'x', entry_key => 'k', session_id => 's', if_similar => 1$$),
  ('write', 'memory_add_many', $$'m', '[{"rawEntry": "x"}, {"rawEntry": "y", "context": "c"}]'$$),
  ('write', 'memory_delete_where', $$'m', '{"rawEntry": {"$like": "%kite%"}}', false$$),
  ('write', 'memory_import', $$'n', '[{"kind": "entry", "rawEntry": "x", "accessCount": 1}, {"kind": "context",
    "context": "c"}]'$$),
  ('write', 'memory_import_table', $$'Gr "Store"', '"Gr ""Store""".contexts',
    '{"memory_id": "memory_id", "entry_id": "context_id", "raw_entry": "context"}'$$),
  ('write', 'memory_put_context', $$'m', 'c'$$),
  ('write', 'memory_touch', $$'m', ARRAY[test.id(1)]$$),
  ('write', 'memory_touch', $$'m', '{}'$$),
  ('write', 'memory_link', $$'m', test.id(1), test.id(2)$$),
  ('write', 'memory_unlink', $$'m', test.id(1), test.id(2)$$),
  ('write', 'memory_alias', $$'m', 'a', 'b'$$),
  ('write', 'memory_unalias', $$'m', 'a'$$),
  ('write', 'memory_feedback', $$'m', ARRAY[test.id(1)], 1$$),
  ('write', 'memory_recall', $$'m', 'kite'$$),
  ('write', 'memory_recall', $$'{m,n}'::text[], 'kite'$$),
  ('write', 'memory_delete', $$'m', ARRAY[test.id(1)]$$),
  ('write', 'memory_delete', $$'m', whole_memory => true$$),
  ('write', 'memory_restore', $$'m', ARRAY[test.id(1)]$$),
  ('write', 'memory_restore', $$'m', whole_memory => true$$),
  ('write', 'memory_delete_contexts', $$'m', '{}'$$),
  ('write', 'memory_restore_contexts', $$'m', '{}'$$),
  ('write', 'memory_purge', ''),
  ('write', 'memory_update', $$'m', test.id(1), 'x'$$),
  ('write', 'memory_update', $$'m', test.id(99), 'x'$$),
  ('write', 'memory_update', $$'m', test.id(1), entities => '{Ann}'$$),
  ('write', 'memory_supersede', $$'m', test.id(1), test.id(2)$$),
  ('write', 'memory_supersede', $$'m', test.id(1), NULL$$),
  ('write', 'memory_forget_user', $$'ann'$$),
  ('write', 'memory_reembed', ''),
  ('write', 'memory_embed_pending', ''),
  ('write', 'memory_reembed', $$everything => true$$),
  ('own', 'memory_distribute_store', $$'Gr "Store"'$$),
  ('own', 'memory_drop_store', $$'Gr "Store"'$$),
  ('own', 'memory_drop_store', $$'Gr "Store"', true$$),
  ('own', 'memory_enable_row_security', ''),
  ('own', 'memory_keep_history', ''),
  ('own', 'memory_notify', ''),
  ('own', 'memory_create_store', $$'gr_new', 4$$),
  ('own', 'memory_adopt_table',
   $$'gr_new', '"Gr ""Store""".entries',
     '{"memory_id": "memory_id", "entry_id": "entry_id", "raw_entry": "raw_entry"}'$$),
  ('grant', 'memory_grant', $$'Gr "Store"', 'gr_nobody'$$);
GRANT SELECT ON calls TO PUBLIC;
SELECT string_agg(DISTINCT p.proname::text, ' ') AS not_called
FROM pg_proc p
JOIN pg_depend d ON d.objid = p.oid AND d.deptype = 'e' AND d.classid = 'pg_proc'::regclass
JOIN pg_extension x ON x.oid = d.refobjid
WHERE x.extname = 'memory_search' AND p.proname !~ '^memory_(embedding|search_handler|words_|accents_)'
  AND p.proname NOT IN (SELECT function FROM calls)
  AND p.proname !~ '^memory_(text|jsonb|int4|uuid|timestamptz)_(in|out)$'
  -- memory_index_check is only for the owner of an index; the others are for all roles, because they read
  -- no table.
  AND p.proname NOT IN ('memory_index_check', 'memory_entity_keys', 'memory_passages');
SET memory_search.store = 'Gr "Store"';
CREATE FUNCTION outcomes() RETURNS TABLE (kind text, outcome text, calls bigint, functions text)
LANGUAGE sql VOLATILE AS $$
  SELECT c.kind,
    left(test.error(format('SELECT %I(%s)', function, arguments)), 8) AS outcome,
    count(*),
    string_agg(DISTINCT function, ' ' ORDER BY function)
  FROM calls c WHERE c.kind <> 'grant' GROUP BY 1, 2 ORDER BY 1, 2 $$;
SET ROLE gr_nobody;
SELECT * FROM outcomes();
SELECT test.error($$SELECT memory_grant('Gr "Store"', 'gr_nobody')$$) AS nothing_to_pass_on;
SET ROLE gr_reader;
SELECT * FROM outcomes();
SELECT kind, function, test.error(format('SELECT %I(%s)', function, arguments))
FROM calls WHERE kind = 'own' ORDER BY n;
SELECT test.error($$SELECT count(*) FROM gr_other.entries$$) AS another_store,
  test.error($$SELECT memory_search('m', 'kite', store => 'gr_other')$$) AS by_function;
SET ROLE gr_writer;
SELECT * FROM outcomes();
SELECT kind, function, test.error(format('SELECT %I(%s)', function, arguments))
FROM calls WHERE kind = 'own' ORDER BY n;
SELECT test.error($$ALTER TABLE "Gr ""Store""".entries ADD COLUMN x int$$),
  test.error($$TRUNCATE "Gr ""Store""".entry_access$$),
  test.error($$CREATE INDEX ON "Gr ""Store""".entries (importance)$$),
  test.error($$CREATE TABLE "Gr ""Store""".x ()$$);
-- A writer may also write by plain SQL.
INSERT INTO "Gr ""Store""".entries (memory_id, entry_id, raw_entry) VALUES ('sql', test.id(1), 'plain');
COPY "Gr ""Store""".entries (memory_id, raw_entry) FROM stdin;
sql	copied
\.
UPDATE "Gr ""Store""".entries SET importance = 1 WHERE memory_id = 'sql';
DELETE FROM "Gr ""Store""".entries WHERE memory_id = 'sql';
RESET ROLE;
SELECT count(*) AS entries FROM "Gr ""Store""".entries;
SET ROLE gr_owner;
SELECT c.kind, left(test.error(format('SELECT %I(%s)', function, arguments)), 8) AS outcome, count(*)
FROM calls c WHERE arguments NOT LIKE '%gr_new%' GROUP BY 1, 2 ORDER BY 1, 2;

-- A second grant changes nothing; a writer who is made a reader stays a writer: only REVOKE takes rights away.
SELECT memory_grant('Gr "Store"', 'gr_reader'), memory_grant('Gr "Store"', 'gr_writer', 'reader');
RESET ROLE;
SELECT role,
  string_agg(privilege, ' ' ORDER BY privilege)
    FILTER (WHERE has_table_privilege(role, '"Gr ""Store""".entries', privilege)) AS entries,
  string_agg(privilege, ' ' ORDER BY privilege)
    FILTER (WHERE has_table_privilege(role, '"Gr ""Store""".contexts', privilege)) AS contexts,
  string_agg(privilege, ' ' ORDER BY privilege)
    FILTER (WHERE has_table_privilege(role, '"Gr ""Store""".entry_access', privilege)) AS entry_access,
  has_schema_privilege(role, 'Gr "Store"', 'USAGE') AS usage,
  has_schema_privilege(role, 'Gr "Store"', 'CREATE') AS "create"
FROM (VALUES ('gr_nobody'), ('gr_reader'), ('gr_writer')) r(role),
  (VALUES ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE'), ('TRUNCATE'), ('REFERENCES'), ('TRIGGER')) p(privilege)
GROUP BY role ORDER BY role;
-- Names are taken as they are: with capitals, spaces and quotes. A member of a role has the role's rights.
CREATE FUNCTION reads(role text) RETURNS bool LANGUAGE sql
  RETURN has_schema_privilege(role, 'Gr "Store"', 'USAGE')
    AND has_table_privilege(role, '"Gr ""Store""".entries', 'SELECT');
SELECT memory_grant('Gr "Store"', role) FROM (VALUES ('Gr Mixed'), ($$gr "quoted" 'role'$$), ('gr_group')) t(role);
SELECT role, reads(role)
FROM (VALUES ('Gr Mixed'), ($$gr "quoted" 'role'$$), ('gr_group'), ('gr_member'), ('gr_nobody')) t(role)
ORDER BY 1;
SET ROLE "Gr Mixed";
SELECT test.found(memory_search('m', 'red')) AS found;
SET ROLE gr_member;
SELECT test.found(memory_search('m', 'red')) AS found;
RESET ROLE;
-- public means all roles; no role of that name can exist.
BEGIN;
SELECT memory_grant('Gr "Store"', 'public');
SELECT reads('gr_nobody');
ROLLBACK;
SELECT reads('gr_nobody');

SELECT i, test.error(statement)
FROM (VALUES
  (1, $$SELECT memory_grant('Gr "Store"', 'gr_unknown')$$),
  (2, $$SELECT memory_grant('Gr "Store"', 'gr mixed')$$),
  (3, $$SELECT memory_grant('Gr "Store"', '"Gr Mixed"')$$),
  (4, $$SELECT memory_grant('Gr "Store"', 'gr_nobody; DROP ROLE gr_nobody')$$),
  (5, $$SELECT memory_grant('Gr "Store"', '')$$),
  (6, $$SELECT memory_grant('Gr "Store"', NULL)$$),
  (7, $$SELECT memory_grant('Gr "Store"', 'gr_nobody', 'writters')$$),
  (8, $$SELECT memory_grant('Gr "Store"', 'gr_nobody', 'Reader')$$),
  (9, $$SELECT memory_grant('Gr "Store"', 'gr_nobody', 'owner')$$),
  (10, $$SELECT memory_grant('Gr "Store"', 'gr_nobody', '')$$),
  (11, $$SELECT memory_grant('Gr "Store"', 'gr_nobody', NULL)$$),
  (12, $$SELECT memory_grant('nowhere', 'gr_nobody')$$),
  (13, $$SELECT memory_grant('', 'gr_nobody')$$)
) t(i, statement)
ORDER BY i;
-- Without the name of a store, the session's store is meant.
SELECT memory_grant(NULL, 'gr_nobody');
SELECT reads('gr_nobody');
REVOKE USAGE ON SCHEMA "Gr ""Store""" FROM gr_nobody;
BEGIN READ ONLY;
SELECT test.error($$SELECT memory_grant(NULL, 'gr_nobody')$$);
ROLLBACK;

-- A role that may not pass on a privilege passes none on: a warning names the privilege, as with GRANT.
SET ROLE gr_reader;
SELECT memory_grant('Gr "Store"', 'gr_nobody');
RESET ROLE;
SELECT reads('gr_nobody');
GRANT USAGE ON SCHEMA "Gr ""Store""" TO gr_reader WITH GRANT OPTION;
GRANT SELECT ON ALL TABLES IN SCHEMA "Gr ""Store""" TO gr_reader WITH GRANT OPTION;
SET ROLE gr_reader;
SELECT memory_grant('Gr "Store"', 'gr_nobody');
RESET ROLE;
SELECT reads('gr_nobody');
SET ROLE gr_nobody;
SELECT test.found(memory_search('m', 'red')) AS found;
RESET ROLE;

-- A reader of an adopted table gets only the columns that the store shows; a writer may write counts and contexts, but
-- not the rows of the table.
CREATE TABLE gr_notes (id bigint PRIMARY KEY, project text, body text, salary int);
INSERT INTO gr_notes VALUES (1, 'm', 'a red kite', 100), (2, 'm', 'a boat', 200);
SELECT memory_adopt_table('gr_adopted', 'gr_notes', '{"memory_id": "project", "entry_id": "id", "raw_entry": "body"}');
SELECT memory_grant('gr_adopted', 'gr_reader'), memory_grant('gr_adopted', 'gr_writer', 'writer');
SET ROLE gr_reader;
SELECT e->>'rawEntry' AS found
FROM jsonb_array_elements(memory_search('m', 'kite', 1, store => 'gr_adopted')->'entries') e;
SELECT test.error($$SELECT salary FROM gr_notes$$), test.error($$SELECT body FROM gr_notes$$),
  test.error($$SELECT memory_put_context('m', 'c', store => 'gr_adopted')$$);
SET ROLE gr_writer;
SELECT e->>'rawEntry' AS found
FROM jsonb_array_elements(memory_recall('m', 'kite', 1, store => 'gr_adopted')->'entries') e;
SELECT memory_put_context('m', 'c', store => 'gr_adopted') IS NOT NULL AS put,
  test.error($$DELETE FROM gr_notes$$),
  test.error($$UPDATE gr_adopted.entries SET raw_entry = 'x'$$);
RESET ROLE;
RESET memory_search.store;
RESET memory_search.embedding_function;
DROP FUNCTION outcomes, reads;
DROP TABLE calls;
DROP SCHEMA "Gr ""Store""", gr_other, gr_adopted CASCADE;
DROP TABLE gr_notes;
REVOKE CREATE ON DATABASE regression FROM gr_owner;
DROP OWNED BY gr_owner, gr_nobody, gr_reader, gr_writer, "Gr Mixed", "gr ""quoted"" 'role'", gr_group, gr_member;
DROP ROLE gr_owner, gr_nobody, gr_reader, gr_writer, "Gr Mixed", "gr ""quoted"" 'role'", gr_member, gr_group;
