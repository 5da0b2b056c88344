-- A memory index accepts the operators that it supports, and no operator class with another one.
SELECT opcname, amvalidate(c.oid) FROM pg_opclass c JOIN pg_am m ON m.oid = opcmethod AND amname = 'memory_search'
ORDER BY opcname;
CREATE SCHEMA classes;
SET search_path = classes, public;
CREATE TABLE notes (memory_id text, words tsvector, emb vector(3), no int);
INSERT INTO notes SELECT 'm' || n % 2, to_tsvector(CASE WHEN n > 5 THEN 'tea' ELSE 'rye' END), '[1,2,3]', n
FROM generate_series(1, 20) n;
CREATE OPERATOR CLASS other_ids FOR TYPE text USING memory_search AS OPERATOR 1 <> (text, text);
CREATE OPERATOR CLASS no_ids FOR TYPE int4 USING memory_search AS STORAGE int4;
CREATE OPERATOR CLASS other_words FOR TYPE tsvector USING memory_search AS OPERATOR 1 @@ (tsvector, tsquery);
CREATE OPERATOR CLASS asked_words FOR TYPE tsvector USING memory_search AS OPERATOR 1 = (tsvector, tsvector);
CREATE OPERATOR CLASS asked_times FOR TYPE timestamptz USING memory_search AS OPERATOR 1 = (timestamptz, timestamptz);
CREATE OPERATOR CLASS other_distance FOR TYPE vector USING memory_search AS
  OPERATOR 1 <-> (vector, vector) FOR ORDER BY float_ops;
CREATE OPERATOR CLASS other_type FOR TYPE float8 USING memory_search AS OPERATOR 1 = (float8, float8);
SELECT opcname, amvalidate(c.oid) FROM pg_opclass c WHERE opcnamespace = 'classes'::regnamespace ORDER BY opcname;
SELECT test.error('CREATE INDEX ON notes USING memory_search (memory_id other_ids)');
SELECT test.error('CREATE INDEX ON notes USING memory_search (no no_ids)');
SELECT test.error('CREATE INDEX ON notes USING memory_search (memory_id, words asked_words)');
SELECT test.error('CREATE INDEX ON notes USING memory_search (memory_id, emb other_distance)');

-- An operator with another type is no operator of the column's class: the rows of a memory are read.
CREATE INDEX notes_words ON notes USING memory_search (memory_id, words other_words);
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM notes WHERE memory_id = 'm1' AND words @@ 'tea'::tsquery;
SELECT count(*) FROM notes WHERE memory_id = 'm1' AND words @@ 'tea'::tsquery;
SELECT count(*) FROM notes WHERE memory_id = 'm1' AND words @@ 'rye'::tsquery;
SELECT test.error($$SELECT count(*) FROM notes WHERE words @@ 'tea'::tsquery$$);
DROP INDEX notes_words;
-- The same holds if an operator with another type is added to the family of the column's class.
ALTER OPERATOR FAMILY memory_int4_ops USING memory_search ADD OPERATOR 1 = (int4, int8);
CREATE INDEX ON notes USING memory_search (no);
SELECT count(*) FROM notes WHERE no = 7;
SELECT test.error('SELECT count(*) FROM notes WHERE no = 7::bigint');
ALTER OPERATOR FAMILY memory_int4_ops USING memory_search DROP OPERATOR 1 (int4, int8);
SELECT count(*) FROM notes WHERE no = 7::bigint;
SET client_min_messages = warning;
DROP SCHEMA classes CASCADE;
