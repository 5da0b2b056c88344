-- Errors of memory_adopt_table: relations that are no table or view, and wrong mappings.
CREATE SCHEMA ak_app;
CREATE TABLE ak_app.single (id int PRIMARY KEY, line text);
CREATE TABLE ak_app.hashed (id uuid, m text) PARTITION BY HASH (m);
SELECT memory_create_store('ak_moved', 4);

-- Relations that are no table or view, that are temporary, or that do not exist.
CREATE TEMPORARY TABLE brief (id int, line text);
CREATE TEMPORARY VIEW brief_view AS SELECT * FROM brief;
CREATE TYPE ak_app.pair AS (id int, line text);
CREATE SEQUENCE ak_app.numbers;
CREATE INDEX parts_by_id ON ak_app.hashed (id);
SELECT what,
  regexp_replace(test.error(format($$SELECT memory_adopt_table('ak_x', %L,
                                         '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line"}')$$,
          what)),
      'pg_temp_\d+', 'pg_temp')
FROM (VALUES
  (1, 'brief'),
  (2, 'brief_view'),
  (3, 'ak_app.pair'),
  (4, 'ak_app.numbers'),
  (5, 'ak_app.single_pkey'),
  (6, 'ak_app.parts_by_id'),
  (7, 'ak_app.nothing'),
  (8, 'no_schema.single'),
  (9, '-'),
  (10, '4294967295'),
  (11, ''),
  (12, 'ak_app.single; DROP TABLE ak_app.single')
) r(i, what)
ORDER BY i;
SELECT test.error($$SELECT memory_adopt_table('ak_x', 'ak_app.single',
                        '{"memory_id": "''all''", "entry_id": "id",
                          "raw_entry": "(SELECT min(b.line) FROM pg_temp.brief b)"}')$$)
  <> 'no error' AS refused_over_a_temporary_table;

-- The mapping: its shape.
CREATE TABLE ak_app.types (
  id int, line text, "Line Two" text, js json, jb jsonb, real4 real[], flag boolean, day date, spell interval,
  secs bigint, words tsvector, list text[], ints int[], bits bit(4), sparse sparsevec(4), names varchar(9)[]
);
SELECT columns, test.error(format($$SELECT memory_adopt_table('ak_x', 'ak_app.types', %L)$$, columns))
FROM (VALUES
  (1, '{}'),
  (2, '[]'),
  (3, '"id"'),
  (4, 'null'),
  (5, '{"entry_id": "id", "raw_entry": "line"}'),
  (6, '{"memory_id": "id", "raw_entry": "line"}'),
  (7, '{"memory_id": "id", "entry_id": "id"}'),
  (8, '{"memory_id": null, "entry_id": "id", "raw_entry": "line"}'),
  (9, '{"memory_id": "", "entry_id": "id", "raw_entry": "line"}'),
  (10, '{"memory_id": "id", "entry_id": "id", "raw_entry": " \t\n"}'),
  (11, '{"memory_id": "id", "entry_id": "id", "raw_entry": "line", "sumary": "line"}'),
  (11, '{"memory_id": "id", "entry_id": "id", "raw_entry": "line", "entry_key": "id"}'),
  (12, '{"memoryId": "id", "entry_id": "id", "raw_entry": "line"}'),
  (13, '{"memory_id": "id", "entry_id": "id", "raw_entry": "line", "language": "line"}'),
  (14, '{"memory_id": "id", "entry_id": "id", "raw_entry": "line", "importance": 50}'),
  (15, '{"memory_id": "id", "entry_id": "id", "raw_entry": "line", "tags": ["list"]}'),
  (16, '{"memory_id": "id", "entry_id": "id", "raw_entry": "line", "metadata": {"a": "jb"}}'),
  (17, '{"memory_id": "id", "entry_id": "id", "raw_entry": true}')
) c(i, columns)
ORDER BY i;
-- Names of columns are taken as they are; for an unknown name the error shows the nearest one.
SELECT source,
  test.error(format($$SELECT memory_adopt_table('ak_x', 'ak_app.types', %L)$$,
      jsonb_build_object('memory_id', '''all''', 'entry_id', 'id', 'raw_entry', source)))
FROM (VALUES
  (1, 'lines'),
  (2, 'LINE'),
  (3, 'Line Two'),
  (4, '"Line Two"'),
  (5, '"Line Three"'),
  (6, 'nothing_like_it'),
  (7, 'types.line'),
  (8, 'other.line'),
  (9, 'ctid'),
  (10, 'line::varchar'),
  (11, 'Größe'),
  (12, 'x_1')
) s(i, source)
ORDER BY i;
-- Types: the types that each column of a store accepts, and the conversion that the hint shows.
SELECT key, source,
  test.error(format($$SELECT memory_adopt_table('ak_x', 'ak_app.types', %L)$$,
      jsonb_build_object('memory_id', '''all''', 'entry_id', 'id', 'raw_entry', 'line', 'search_vector', null)
        || jsonb_build_object(key, source)))
FROM (VALUES
  (1, 'tags', 'jb'),
  (2, 'tags', 'js'),
  (3, 'tags', 'line'),
  (4, 'tags', 'ints'),
  (5, 'tags', 'names'),
  (6, 'metadata', 'line'),
  (7, 'metadata', 'js'),
  (8, 'metadata', 'list'),
  (9, 'importance', 'line'),
  (10, 'importance', 'flag'),
  (11, 'importance', '70'),
  (12, 'importance', 'secs'),
  (13, 'creation_time', 'secs'),
  (14, 'creation_time', 'line'),
  (15, 'creation_time', 'spell'),
  (16, 'creation_time', 'day'),
  (17, 'creation_time', 'to_timestamp(secs)'),
  (18, 'expires_at', '''2030-01-01'''),
  (19, 'embedding', 'real4'),
  (20, 'embedding', 'line'),
  (21, 'embedding', 'bits'),
  (22, 'embedding', 'sparse'),
  (23, 'embedding', 'real4::public.vector(4)'),
  (24, 'entry_order', 'line'),
  (25, 'entry_order', 'id'),
  (26, 'entry_order', '1.5'),
  (27, 'search_vector', 'line'),
  (28, 'search_vector', 'words'),
  (29, 'user_id', 'flag'),
  (30, 'raw_entry', 'jb'),
  (31, 'summary', 'null'),
  (32, 'superseded_by', 'id'),
  (33, 'creation_time', 'current_date'),
  (34, 'user_id', 'current_role')
) t(i, key, source)
ORDER BY i;
-- The conversions that the hints show work.
SELECT memory_adopt_table('ak_hints', 'ak_app.types',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line",
      "tags": "ARRAY(SELECT pg_catalog.jsonb_array_elements_text(jb))",
      "metadata": "pg_catalog.jsonb_build_object(''name'', line)", "creation_time": "pg_catalog.to_timestamp(secs)",
      "expires_at": "(line)::pg_catalog.timestamptz", "embedding": "(real4)::public.vector(4)"}');
-- Arguments.
SELECT statement, test.error(statement)
FROM (VALUES
  (1, $$SELECT memory_adopt_table(NULL, 'ak_app.types', '{}')$$),
  (2, $$SELECT memory_adopt_table('ak_x', NULL, '{}')$$),
  (3, $$SELECT memory_adopt_table('ak_x', 'ak_app.types', NULL)$$),
  (4,
   $$SELECT memory_adopt_table('ak_x', 'ak_app.types', '{"memory_id": "id", "entry_id": "id", "raw_entry": "line"}',
       NULL)$$),
  (5,
   $$SELECT memory_adopt_table('ak_x', 'ak_app.types', '{"memory_id": "id", "entry_id": "id", "raw_entry": "line"}',
       'germn')$$),
  (6, $$SELECT memory_adopt_table('', 'ak_app.types', '{"memory_id": "id", "entry_id": "id", "raw_entry": "line"}')$$),
  (7,
   $$SELECT memory_adopt_table('pg_store', 'ak_app.types',
       '{"memory_id": "id", "entry_id": "id", "raw_entry": "line"}')$$),
  (8,
   $$SELECT memory_adopt_table('ak_moved', 'ak_app.types',
       '{"memory_id": "id", "entry_id": "id", "raw_entry": "line"}')$$),
  (9,
   $$SELECT memory_adopt_table(repeat('x', 64), 'ak_app.types',
       '{"memory_id": "id", "entry_id": "id", "raw_entry": "line"}')$$),
  (10, $$SELECT memory_adopt_table('ak_x', 'ak_app.types', '{"memory_id": "id",}')$$)
) t(i, statement)
ORDER BY i;
-- A refused adoption leaves no object, and a rolled back one leaves no trace.
INSERT INTO ak_app.types (id, line) VALUES (1, 'tea');
BEGIN;
SELECT memory_adopt_table('ak_x', 'ak_app.types', '{"memory_id": "id", "entry_id": "id", "raw_entry": "line"}');
SELECT memory_search('1', 'tea', store => 'ak_x')->'count' AS found;
ROLLBACK;
SELECT to_regnamespace('ak_x') IS NULL AS none, (SELECT count(*) FROM ak_app.types) AS rows;
DROP VIEW brief_view;
DROP TABLE brief;
DO $$
BEGIN
  EXECUTE (SELECT 'DROP SCHEMA ' || string_agg(quote_ident(nspname), ', ') || ' CASCADE'
           FROM pg_namespace WHERE nspname LIKE 'ak\_%');
END $$;
