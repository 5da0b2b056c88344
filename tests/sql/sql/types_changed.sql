-- ALTER TABLE may give a column of a memory index another type and keep the index's file, without asking whether the
-- index can hold that type. Rows are then read without the index, and every refusal says what to do.
CREATE SCHEMA tc;
SET search_path = tc, public;
CREATE TABLE notes (id int PRIMARY KEY, topic text, body text, number int, meaning vector(4));
INSERT INTO notes SELECT i, 't', 'a note on kites ' || i, i, test.vector(i)::vector FROM generate_series(1, 300) i;
INSERT INTO notes SELECT i, 'other', 'another note', i, test.vector(i)::vector FROM generate_series(1001, 9000) i;
CREATE INDEX notes_memory ON notes USING memory_search (topic, body, meaning) INCLUDE (id, number);
ANALYZE notes;
SELECT memory_adopt_table('tc_notes', 'notes',
  '{"memory_id": "topic", "entry_id": "id", "raw_entry": "body", "embedding": "meaning"}', with_index => false);
CREATE FUNCTION found() RETURNS TABLE (path text, best bigint[]) LANGUAGE sql AS $$
  SELECT a #>> '{diagnostics,reads,0,path}', test.found(a) FROM memory_search('t', 'kites', embedding => '[1,2,3,4]',
    store => 'tc_notes', options => '{"diagnostics": true}') a $$;
CREATE FUNCTION faults(store text) RETURNS TABLE (name text, status text, detail text, fix text) LANGUAGE sql AS $$
  SELECT name, status, detail, fix FROM memory_doctor(store) WHERE name IN ('valid indexes', 'index of searches') $$;
CREATE TABLE before AS SELECT * FROM found();
SELECT path FROM before;
SELECT pg_relation_filenode('notes_memory') AS file \gset
EXPLAIN (COSTS OFF) SELECT id FROM notes WHERE topic = 't' ORDER BY meaning <=> '[1,2,3,4]' LIMIT 3;
ALTER TABLE notes ALTER number TYPE oid;
SELECT pg_relation_filenode('notes_memory') = :file AS keeps_its_file;
SELECT f.path, f.best = b.best AS alike FROM found() f, before b;
SELECT id FROM notes WHERE topic = 't' ORDER BY meaning <=> '[1,2,3,4]', id LIMIT 3;
SELECT test.error($$INSERT INTO notes VALUES (302, 't', 'another', 1, NULL)$$);
SELECT * FROM faults('tc_notes');
SELECT test.error($$SELECT memory_index_check('notes_memory')$$);
SELECT fix FROM faults('tc_notes') WHERE name = 'valid indexes' \gexec
SELECT name, status FROM faults('tc_notes');
INSERT INTO notes VALUES (302, 't', 'another', 1, NULL);
SELECT fix FROM faults('tc_notes') WHERE name = 'index of searches' \gexec
SELECT name, status FROM faults('tc_notes');
SELECT path FROM found();


-- A store's own column: the doctor restores the type that its index holds.
SELECT memory_create_store('tc_own', 4);
SELECT count(memory_add('m', 'a note on kites', embedding => '[1,2,3,4]', user_id => 'u', store => 'tc_own'));
ALTER TABLE tc_own.entries ALTER importance TYPE int;
SELECT * FROM faults('tc_own');
SELECT fix FROM faults('tc_own') WHERE name = 'index of searches' \gexec
SELECT name, status FROM faults('tc_own');

-- The ids are a key of the table: nothing reads all of its rows for one.
CREATE TABLE plain (id int PRIMARY KEY, topic text, body text);
SELECT memory_adopt_table('tc_plain', 'plain', '{"memory_id": "topic", "entry_id": "id", "raw_entry": "body"}',
  with_index => false);
SELECT status, detail FROM memory_doctor('tc_plain') WHERE name = 'index of ids';
SELECT count(memory_drop_store(nspname, force => true)) AS dropped FROM pg_namespace WHERE nspname LIKE 'tc\_%';
DROP SCHEMA tc CASCADE;
