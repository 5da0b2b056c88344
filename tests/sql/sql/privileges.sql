-- Every function works with the caller's rights alone: what SELECT and INSERT refuse, it refuses.
CREATE ROLE pr_owner;
CREATE ROLE pr_nobody;
CREATE ROLE pr_schema;
CREATE ROLE pr_reader;
CREATE ROLE pr_writer;
-- A user without any special right makes a store, fills it and searches it.
GRANT CREATE ON DATABASE regression TO pr_owner;
SET ROLE pr_owner;
SELECT memory_create_store('pr', 4);
SELECT memory_add('m', 'a kite', context => 'kites', embedding => '[1,0,0,0]', entry_id => test.id(1),
    creation_time => '2025-01-01Z', store => 'pr');
SELECT test.found(memory_search('m', 'kite', embedding => '[1,0,0,0]', store => 'pr'));
SELECT relowner::regrole, count(*) FROM pg_class WHERE relnamespace = 'pr'::regnamespace AND relkind = 'r' GROUP BY 1;
SELECT test.error($$SET memory_search.model = '/etc'$$);
SELECT test.error($$SET memory_search.highest_top_ke = 2000$$), test.error($$SET memory_search.max_top_kc = 100$$);
SELECT test.error($$SET memory_search.max_top_ke = 100$$) AS anybody;
RESET memory_search.max_top_ke;
SELECT test.error($$SET memory_search.store = 'pr'$$), test.error($$SET memory_search.embedding_function = 'x'$$);
RESET ROLE;
REVOKE CREATE ON DATABASE regression FROM pr_owner;

CREATE TABLE calls (n int GENERATED ALWAYS AS IDENTITY, call text);
INSERT INTO calls (call) VALUES
  ($$SELECT memory_search('m', 'kite', store => 'pr')$$),
  ($$SELECT memory_search('m', '', 0, store => 'pr')$$),
  ($$SELECT * FROM memory_search_entries('m', 'kite', store => 'pr')$$),
  ($$SELECT memory_search('{"memoryId": "m", "query": "kite", "store": "pr"}')$$),
  ($$SELECT memory_add('m', 'another', embedding => '[1,0,0,0]', store => 'pr')$$),
  ($$SELECT memory_add('m', 'another', context => 'new', store => 'pr')$$),
  ($$SELECT memory_put_context('m', 'new', store => 'pr')$$),
  ($$SELECT memory_delete('m', ARRAY[test.id(1)], store => 'pr')$$),
  ($$SELECT memory_delete('m', whole_memory => true, store => 'pr')$$),
  ($$SELECT memory_drop_store('pr')$$),
  ($$SELECT memory_drop_store('pr', force => true)$$),
  ($$SELECT memory_create_store('pr_new', 4)$$),
  ($$SELECT memory_embed('kite')$$);
CREATE VIEW answered WITH (security_invoker = true) AS
  SELECT string_agg(n::text, ' ' ORDER BY n) AS calls, test.error(call) AS answer
  FROM calls GROUP BY answer ORDER BY min(n);
GRANT SELECT ON calls, answered TO PUBLIC;

-- First nothing is granted; then USAGE of the schema only; then SELECT; then INSERT and UPDATE.
SET ROLE pr_nobody;
SELECT * FROM answered;
RESET ROLE;
GRANT USAGE ON SCHEMA pr TO pr_schema, pr_reader, pr_writer;
SET ROLE pr_schema;
SELECT * FROM answered;
RESET ROLE;
GRANT SELECT ON ALL TABLES IN SCHEMA pr TO pr_reader, pr_writer;
SET ROLE pr_reader;
SELECT * FROM answered;
RESET ROLE;
GRANT INSERT, UPDATE ON ALL TABLES IN SCHEMA pr TO pr_writer;
SET ROLE pr_writer;
SELECT * FROM answered;
RESET ROLE;

-- A missing privilege on one column is an error, and no score reveals the column's contents.
REVOKE SELECT ON pr.entries FROM pr_reader;
GRANT SELECT (memory_id, entry_id, creation_time) ON pr.entries TO pr_reader;
SET ROLE pr_reader;
SELECT test.error($$SELECT memory_search('m', 'kite', store => 'pr')$$),
  test.error($$SELECT memory_search('m', '', store => 'pr')$$);
RESET ROLE;
-- A role that may read all tables, but not use their schema, is refused in every way of reading, whatever the answer
-- would be: also under the store's own policy.
SELECT memory_create_store('pr_closed', 4);
INSERT INTO pr_closed.entries (memory_id, entry_id, user_id, raw_entry, tags, embedding)
SELECT 'm', test.id(n), 'ann', 'kite ' || n, '{red}', test.vector(n)::vector FROM generate_series(1, 20) n;
INSERT INTO pr_closed.contexts (memory_id, context, user_id) VALUES ('m', 'kites', 'ann'), ('m', 'more kites', 'ann');
SELECT memory_grant('pr_closed', 'pr_schema');
REVOKE USAGE ON SCHEMA pr_closed FROM pr_schema;
-- This session keeps plans of a role that may use the schema.
SELECT memory_count('m', store => 'pr_closed');
CREATE TABLE closed (n int GENERATED ALWAYS AS IDENTITY, call text);
INSERT INTO closed (call) VALUES
  ($$memory_count('m', store => 'pr_closed')$$),
  ($$memory_search('m', 'kite', store => 'pr_closed')$$),
  ($$memory_search('none', 'kite', store => 'pr_closed')$$),
  ($$memory_search('m', '', embedding => '[1,0,0,0]', options => '{"strategy": "semantic"}', store => 'pr_closed')$$),
  ($$memory_search('m', '', options => '{"strategy": "recent"}', filters => '{"tags": "red"}', store => 'pr_closed')$$),
  ($$memory_search_entries('m', 'kite', filters => '{"tags": "red"}', store => 'pr_closed')$$),
  ($$memory_search_entries('m', 'kite', filters => '{"tags": "blue"}', store => 'pr_closed')$$),
  ($$memory_search_entries('m', 'kite', options => '{"strategy": "keyword", "fallback": false}',
    store => 'pr_closed')$$),
  ($$memory_search_entries('m', 'boat', options => '{"strategy": "keyword", "fallback": false}',
    store => 'pr_closed')$$),
  ($$memory_learn(jsonb_build_array(
      jsonb_build_object('request', '{"memoryId": "m", "query": "kite 3"}'::jsonb, 'helpful', ARRAY[test.id(3)]),
      jsonb_build_object('request', '{"memoryId": "m", "query": "kite 4"}'::jsonb, 'helpful', ARRAY[test.id(4)])),
    'pr_closed')$$);
GRANT SELECT ON closed TO pr_schema;
SET ROLE pr_schema;
SELECT string_agg(n::text, ' ' ORDER BY n) AS calls, test.error('SELECT * FROM ' || call) AS answer
FROM closed GROUP BY answer ORDER BY 1;
RESET ROLE;
SET client_min_messages = error;
SELECT memory_enable_row_security('pr_closed');
RESET client_min_messages;
SET ROLE pr_schema;
SET memory_search.user_id = 'ann';
SELECT string_agg(n::text, ' ' ORDER BY n) AS calls, test.error('SELECT * FROM ' || call) AS answer
FROM closed GROUP BY answer ORDER BY 1;
RESET memory_search.user_id;
RESET ROLE;
DROP TABLE closed;
DROP SCHEMA pr_closed CASCADE;
-- A plan that one role made does not serve another role in the same session and statement.
SELECT memory_search('m', 'kite', store => 'pr')->'count' AS superuser;
SET ROLE pr_nobody;
SELECT test.error($$SELECT memory_search('m', 'kite', store => 'pr')$$);
SET ROLE pr_owner;
SELECT memory_search('m', 'kite', store => 'pr')->'count' AS owner;
RESET ROLE;
-- Every role may call the functions, but not do all that they do. PUBLIC may not create in the extension's schema.
SELECT count(*) FILTER (WHERE has_function_privilege('pr_nobody', p.oid, 'EXECUTE')) = count(*) AS all_executable
FROM pg_proc p
JOIN pg_depend d ON d.objid = p.oid AND d.deptype = 'e' AND d.classid = 'pg_proc'::regclass
JOIN pg_extension x ON x.oid = d.refobjid
WHERE x.extname = 'memory_search';
SELECT has_schema_privilege('pr_nobody', extnamespace, 'CREATE') AS may_create
FROM pg_extension WHERE extname = 'memory_search';
DROP VIEW answered;
DROP TABLE calls;
DROP SCHEMA pr CASCADE;
DROP OWNED BY pr_owner, pr_nobody, pr_schema, pr_reader, pr_writer;
DROP ROLE pr_owner, pr_nobody, pr_schema, pr_reader, pr_writer;
