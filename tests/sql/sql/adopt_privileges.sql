-- The privileges that a role needs to search, to write and to make a store over a table, and the privileges that
-- memory_grant gives.
CREATE SCHEMA ao_app;
SET memory_search.embedding_function = 'test.embed';
SELECT test.make_facts();
SELECT test.adopt_facts('ao_facts', 'ao_hind.memory_units');
CREATE TABLE ao_app.mem0 (id uuid PRIMARY KEY, vector vector(4), payload jsonb);
INSERT INTO ao_app.mem0 VALUES
  (test.id(99), test.vector(99)::vector, '{"data": "Alice left the lighthouse", "user_id": "alice"}');

-- Privileges. A role needs USAGE on the store, SELECT on the view, and SELECT on the columns that the view reads: the
-- error names each missing privilege.
CREATE ROLE ao_ana;
CREATE ROLE ao_ana_too;
CREATE ROLE ao_bo;
CREATE ROLE ao_writer;
CREATE ROLE ao_adopter;
GRANT USAGE ON SCHEMA ao_app TO ao_ana, ao_ana_too, ao_bo, ao_writer, ao_adopter;
CREATE TABLE calls AS
  SELECT *
  FROM (VALUES
    (1, $$SELECT memory_search('bank', 'tea', store => 'ao_facts')$$),
    (2, $$SELECT memory_search('bank', '', 0, store => 'ao_facts')$$),
    (3, $$SELECT * FROM memory_search_entries('bank', 'tea', store => 'ao_facts')$$),
    (4, $$SELECT * FROM memory_explain('bank', 'tea', store => 'ao_facts')$$),
    (5, $$SELECT memory_build_context('bank', 'tea', store => 'ao_facts')$$),
    (6, $$SELECT * FROM memory_doctor('ao_facts')$$),
    (7, $$SELECT memory_touch('bank', ARRAY[test.id(1)], 'ao_facts')$$),
    (8, $$SELECT memory_put_context('bank', 'x', store => 'ao_facts')$$)
  ) c(i, call);
GRANT SELECT ON calls TO PUBLIC;
SET ROLE ao_ana;
SELECT i, test.error(call) AS nothing FROM calls ORDER BY i;
RESET ROLE;
GRANT USAGE ON SCHEMA ao_facts TO ao_ana;
SET ROLE ao_ana;
SELECT i, test.error(call) AS usage FROM calls ORDER BY i;
RESET ROLE;
GRANT SELECT ON ALL TABLES IN SCHEMA ao_facts TO ao_ana;
SET ROLE ao_ana;
SELECT i, test.error(call) AS selects_the_store FROM calls ORDER BY i;
RESET ROLE;
GRANT SELECT (id, bank_id, text) ON ao_hind.memory_units TO ao_ana;
SET ROLE ao_ana;
SELECT test.error(call) AS selects_some_columns FROM calls WHERE i = 1;
RESET ROLE;
REVOKE ALL ON ao_hind.memory_units FROM ao_ana;
-- memory_grant gives all of it at once, and nothing more: not the column that the store does not show, not the
-- application's schema.
SELECT memory_grant('ao_facts', 'ao_ana', 'reader'), memory_grant('ao_facts', 'ao_ana_too'),
  memory_grant('ao_facts', 'ao_bo'), memory_grant('ao_facts', 'ao_writer', 'writer');
SET ROLE ao_ana;
SELECT i, test.error(call) AS reader FROM calls ORDER BY i;
RESET ROLE;
SET ROLE ao_writer;
SELECT i, test.error(call) AS writer FROM calls ORDER BY i;
RESET ROLE;
SELECT grantee::regrole, string_agg(attname, ', ' ORDER BY attname) AS columns
FROM pg_attribute, aclexplode(attacl)
WHERE attrelid = 'ao_hind.memory_units'::regclass
GROUP BY 1 ORDER BY 1;
SELECT role,
  has_schema_privilege(role, 'ao_facts', 'USAGE') AS store,
  has_schema_privilege(role, 'ao_hind', 'USAGE') AS application,
  has_column_privilege(role, 'ao_hind.memory_units', 'secret', 'SELECT') AS secret,
  has_any_column_privilege(role, 'ao_hind.memory_units', 'INSERT, UPDATE')
    OR has_table_privilege(role, 'ao_hind.memory_units', 'DELETE') AS writes_rows,
  has_table_privilege(role, 'ao_facts.entries', 'INSERT') AS writes_view,
  has_table_privilege(role, 'ao_facts.contexts', 'INSERT') AS writes_contexts
FROM unnest('{ao_ana,ao_writer}'::text[]) role ORDER BY 1;
-- An expression over the whole row needs all its columns, so these are granted.
SELECT memory_adopt_table('ao_whole', 'ao_hind.memory_units',
    '{"memory_id": "bank_id", "entry_id": "id", "raw_entry": "text",
      "metadata": "to_jsonb(memory_units) - ''embedding''", "search_vector": null}');
SELECT memory_grant('ao_whole', 'ao_writer');
SET ROLE ao_writer;
SELECT test.error($$SELECT memory_search('bank', 'tea', store => 'ao_whole')$$);
RESET ROLE;
SELECT memory_drop_store('ao_whole');
-- Adopting needs what a view needs: the table's columns, and a place for the schema.
SET ROLE ao_adopter;
SELECT test.error($$SELECT memory_adopt_table('ao_x', 'ao_app.mem0',
                        '{"memory_id": "''all''", "entry_id": "id",
                          "raw_entry": "payload ->> ''data''"}')$$) AS no_select;
RESET ROLE;
GRANT SELECT (id, payload) ON ao_app.mem0 TO ao_adopter;
SET ROLE ao_adopter;
SELECT test.error($$SELECT memory_adopt_table('ao_x', 'ao_app.mem0',
                        '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "payload ->> ''data''",
                          "embedding": "vector"}')$$) AS no_select_on_a_column,
  test.error($$SELECT memory_adopt_table('ao_x', 'ao_app.mem0',
                   '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "payload ->> ''data''"}')$$) AS no_create;
RESET ROLE;
CREATE SCHEMA ao_x AUTHORIZATION ao_adopter;
SET ROLE ao_adopter;
SELECT memory_adopt_table('ao_x', 'ao_app.mem0',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "payload ->> ''data''"}');
SELECT memory_search('all', 'lighthouse', 1, options => '{"strategy": "keyword"}', store => 'ao_x')->'count' AS found;
RESET ROLE;
-- The privileges of the role that adopted the table do not matter to searches: the caller's own rights count.
GRANT USAGE ON SCHEMA ao_x TO ao_bo;
GRANT SELECT ON ALL TABLES IN SCHEMA ao_x TO ao_bo;
SET ROLE ao_bo;
SELECT test.error($$SELECT memory_search('all', 'lighthouse', store => 'ao_x')$$);
RESET ROLE;
REVOKE SELECT (id, payload) ON ao_app.mem0 FROM ao_adopter;
SET ROLE ao_adopter;
SELECT test.error($$SELECT memory_search('all', 'lighthouse', store => 'ao_x')$$) AS revoked;
RESET ROLE;
DROP TABLE calls;
RESET memory_search.embedding_function;
DROP SCHEMA ao_app, ao_hind, ao_facts, ao_x CASCADE;
DROP OWNED BY ao_ana, ao_ana_too, ao_bo, ao_writer, ao_adopter;
DROP ROLE ao_ana, ao_ana_too, ao_bo, ao_writer, ao_adopter;
