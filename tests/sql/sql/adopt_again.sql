-- A table that was adopted is dropped and made again: the store reports the missing table, and works with the new one.
CREATE SCHEMA aa_app;
CREATE TABLE aa_app.docs (id bigint PRIMARY KEY, m text, body text, meaning vector(4));
INSERT INTO aa_app.docs SELECT n, 'm', test.words(n, 5), test.vector(n)::vector FROM generate_series(1, 20) n;
SELECT memory_adopt_table('Aa''s', 'aa_app.docs', '{"memory_id": "m", "entry_id": "id",
    "raw_entry": "body || e''\\n'' || ''(doc)''", "embedding": "meaning"}');
SELECT memory_touch('m', ARRAY[3, 3, 4], 'Aa''s') AS touched, memory_put_context('m', 'a context',
    embedding => '[1,0,0,0]', store => 'Aa''s') IS NOT NULL AS put;
CREATE TABLE answers AS SELECT memory_search('m', 'tea train', embedding => '[1,0,0,0]', store => 'Aa''s') AS answer;
-- The application drops it: PostgreSQL refuses first.
SELECT test.error($$DROP TABLE aa_app.docs$$);
CREATE TABLE aa_app.docs_before AS TABLE aa_app.docs;
DROP TABLE aa_app.docs CASCADE;
-- Every function gives the same error, which says what happened and what to do.
SELECT test.error($$SELECT memory_search('m', 'tea', store => 'Aa''s')$$);
SELECT test.error($$SELECT memory_get('m', ARRAY[1], store => 'Aa''s')$$) = test.error($$SELECT memory_search('m',
    'tea', store => 'Aa''s')$$) AS the_same;
SELECT test.error($$SELECT memory_import_table('Aa''s', 'aa_app.docs_before', '{"memory_id": "m",
    "entry_id": "id", "raw_entry": "body"}')$$)
  = test.error($$SELECT memory_search('m', 'tea', store => 'Aa''s')$$) AS the_same;
SELECT * FROM memory_doctor('Aa''s');
-- The statement fails while there is no table, and restores the store when there is one.
SELECT fix AS attempt FROM memory_doctor('Aa''s') \gset
SELECT test.error(:'attempt');
CREATE TABLE aa_app.docs (id bigint PRIMARY KEY, m text, body text, meaning vector(4));
INSERT INTO aa_app.docs TABLE aa_app.docs_before;
SELECT fix AS done FROM memory_doctor('Aa''s') \gexec
SELECT memory_search('m', 'tea train', embedding => '[1,0,0,0]', store => 'Aa''s') - 'id' = answer - 'id'
    AS answers_as_before FROM answers;
SELECT access_count FROM memory_get('m', ARRAY[3], store => 'Aa''s');
-- This holds only for a store that lost its entries.
SELECT test.error(:'attempt');
-- Contexts and counts must belong to the table; otherwise nothing is changed.
DROP TABLE aa_app.docs CASCADE;
CREATE TABLE aa_app.docs (id uuid PRIMARY KEY, m text, body text, meaning vector(4));
SELECT test.error(:'attempt');
DROP TABLE aa_app.docs;
CREATE TABLE aa_app.docs (id bigint PRIMARY KEY, m int, body text, meaning vector(4));
SELECT test.error(:'attempt');
DROP TABLE aa_app.docs;
CREATE TABLE aa_app.docs (id bigint PRIMARY KEY, m text, body text, meaning vector(5));
SELECT test.error(:'attempt');
SELECT test.error(replace(replace(:'attempt', 'aa_app.docs', 'aa_app.docs_before'), 'english', 'simple'));
SELECT test.error($$SELECT memory_search('m', 'tea',
    store => 'Aa''s')$$) ~ '^42P01: store .* lacks the relation entries' AS still_lost;
-- Another table may take the place of the dropped one.
SELECT replace(:'attempt', 'aa_app.docs', 'aa_app.docs_before') AS other \gexec
SELECT memory_count('m', store => 'Aa''s');
DROP TABLE aa_app.docs_before CASCADE;
-- Tables of another application are not taken for the rest of the store.
CREATE ROLE aa_stranger;
ALTER TABLE "Aa's".contexts OWNER TO aa_stranger;
CREATE TABLE aa_app.docs_before (id bigint PRIMARY KEY, m text, body text, meaning vector(4));
SELECT test.error(replace(:'attempt', 'aa_app.docs', 'aa_app.docs_before'));
ALTER TABLE "Aa's".contexts OWNER TO CURRENT_USER;
-- The rest of the store can be dropped, too.
SELECT test.error($$SELECT memory_drop_store('Aa''s')$$);
SELECT memory_drop_store('Aa''s', force => true);
SELECT count(*) AS schemas FROM pg_namespace WHERE nspname = 'Aa''s';
-- If store and table were renamed before the view was dropped, the hint's statement names this store and the table's
-- old name, and works with the table's new name.
CREATE TABLE aa_app.notes (id bigint PRIMARY KEY, m text, body text);
INSERT INTO aa_app.notes VALUES (1, 'm', 'tea');
SELECT memory_adopt_table('aa_before', 'aa_app.notes', '{"memory_id": "m", "entry_id": "id", "raw_entry": "body"}');
ALTER SCHEMA aa_before RENAME TO "aa\ it's";
ALTER TABLE aa_app.notes RENAME TO letters;
DROP VIEW "aa\ it's".entries;
SELECT test.error($$SELECT memory_count('m', store => 'aa\ it''s')$$);
SELECT replace(fix, 'aa_app.notes', 'aa_app.letters') AS named_anew FROM memory_doctor('aa\ it''s') \gexec
SELECT memory_count('m', store => 'aa\ it''s');
DROP TABLE aa_app.letters CASCADE;
SELECT fix FROM memory_doctor('aa\ it''s');
SELECT memory_drop_store('aa\ it''s', force => true);
-- The owner of the table can write any comment: nothing but arguments of the one call is taken from it.
CREATE TABLE aa_app.posts (id bigint PRIMARY KEY, m text, body text);
SELECT memory_adopt_table('aa_said', 'aa_app.posts', '{"memory_id": "m", "entry_id": "id", "raw_entry": "body"}');
DROP VIEW aa_said.entries;
CREATE FUNCTION pg_temp.proposed(comment text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('COMMENT ON TABLE aa_said.entry_access IS %L', comment);
  RETURN (SELECT fix FROM memory_doctor('aa_said') WHERE fix IS NOT NULL);
END $$;
SELECT said, pg_temp.proposed('SELECT memory_adopt_table(' || said) AS proposed
FROM (VALUES
  (1, $$'x', 'aa_app.posts', '{"a;b": "it''s"}', 'english');$$),
  (2, $$'x', 'aa_app.posts',  E'{"a\\b": ""}', NULL, with_index => false)$$),
  (3, $$'x', 'aa_app.posts', '{}'); DROP TABLE canary; --$$),
  (4, $$'x', 'aa_app.posts', '{}') FROM f();$$),
  (5, $$'x', 'aa_app.posts', f());$$),
  (6, $$'x', 'aa_app.posts', '{}' || f());$$),
  (7, $$'x', E'\', '); DROP TABLE canary; --');$$),
  (8, $$'x', '\', '); DROP TABLE canary; --');$$),
  (9, E'\'x\', \'a\');\nDROP TABLE canary;'),
  (10, $$'x', 'a') || memory_adopt_table('x', 'b');$$),
  (11, $$'x');$$)
) t(n, said) ORDER BY n;
SELECT memory_drop_store('aa_said', force => true);
-- A store with its own tables that lost its entries has no adopted table.
SELECT memory_create_store('aa_own', dimensions => 4);
DROP TABLE aa_own.entries CASCADE;
SELECT test.error($$SELECT memory_search('m', 'tea', store => 'aa_own')$$);
SELECT * FROM memory_doctor('aa_own');
SELECT memory_drop_store('aa_own', force => true);
-- A store that lost its contexts has its entries.
SELECT memory_create_store('aa_own', dimensions => 4);
DROP TABLE aa_own.contexts CASCADE;
SELECT test.error($$SELECT memory_search('m', 'tea', store => 'aa_own')$$);
SELECT test.error($$SELECT memory_drop_store('aa_own')$$);
DROP SCHEMA aa_own CASCADE;
CREATE TABLE aa_app.notes (id bigint PRIMARY KEY, m text, body text);
SELECT memory_adopt_table('aa_own', 'aa_app.notes', '{"memory_id": "m", "entry_id": "id", "raw_entry": "body"}');
DROP TABLE aa_own.contexts CASCADE;
SELECT test.error($$SELECT memory_search('m', 'tea', store => 'aa_own')$$);
DROP SCHEMA aa_own CASCADE;
DROP TABLE answers; DROP SCHEMA aa_app CASCADE; DROP ROLE aa_stranger;
