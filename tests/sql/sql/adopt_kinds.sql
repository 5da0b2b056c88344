-- What memory_adopt_table takes and refuses: relations of every kind, mappings that are wrong, and what may be done to
-- a store that is a view.
\pset format unaligned
CREATE SCHEMA ak_app;
CREATE TABLE ak_app.ordinary (
  id uuid PRIMARY KEY, m text NOT NULL, line text, whole text GENERATED ALWAYS AS ('said: ' || line) STORED,
  made timestamptz, meaning vector(4)
);
INSERT INTO ak_app.ordinary (id, m, line, made, meaning)
SELECT test.id(n), 'm' || n % 2, test.words(n, 6),
  timestamptz '2025-01-01Z' + n * interval '1 hour',
  test.vector(n)::vector
FROM generate_series(1, 24) n;
-- The same 24 rows in relations of other kinds.
CREATE TABLE ak_app.hashed (LIKE ak_app.ordinary) PARTITION BY HASH (m);
CREATE TABLE ak_app.hashed_0 PARTITION OF ak_app.hashed FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE ak_app.hashed_1 PARTITION OF ak_app.hashed FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE ak_app.ranged (meaning vector(4), line text, made timestamptz, m text, id uuid) PARTITION BY RANGE (made);
CREATE TABLE ak_app.ranged_early PARTITION OF ak_app.ranged FOR VALUES FROM (MINVALUE) TO ('2025-01-01 12:00Z');
CREATE TABLE ak_app.ranged_late PARTITION OF ak_app.ranged DEFAULT PARTITION BY LIST (m);
CREATE TABLE ak_app.ranged_late_0 PARTITION OF ak_app.ranged_late FOR VALUES IN ('m0');
CREATE TABLE ak_app.ranged_late_1 PARTITION OF ak_app.ranged_late DEFAULT;
CREATE TABLE ak_app.parent (id uuid, m text, line text, made timestamptz, meaning vector(4));
CREATE TABLE ak_app.child (more text) INHERITS (ak_app.parent);
CREATE UNLOGGED TABLE ak_app.unlogged (LIKE ak_app.parent);
DO $$
BEGIN
  INSERT INTO ak_app.hashed (id, m, line, made, meaning) SELECT id, m, line, made, meaning FROM ak_app.ordinary;
  INSERT INTO ak_app.ranged (id, m, line, made, meaning) SELECT id, m, line, made, meaning FROM ak_app.ordinary;
  INSERT INTO ak_app.parent SELECT id, m, line, made, meaning FROM ak_app.ordinary WHERE test.n(id) % 3 = 0;
  INSERT INTO ak_app.child SELECT id, m, line, made, meaning, 'more' FROM ak_app.ordinary WHERE test.n(id) % 3 > 0;
  INSERT INTO ak_app.unlogged SELECT id, m, line, made, meaning FROM ak_app.ordinary;
END $$;
CREATE VIEW ak_app.seen AS SELECT made, meaning, id, 'm' || right(m, 1) AS m, line FROM ak_app.ordinary;
CREATE VIEW ak_app.seen_again AS
  SELECT s.id, s.m, s.line, s.made, s.meaning
  FROM ak_app.seen s JOIN ak_app.ordinary o USING (id) WHERE o.made IS NOT NULL;
CREATE MATERIALIZED VIEW ak_app.kept AS SELECT id, m, line, made, meaning FROM ak_app.ordinary;
CREATE EXTENSION file_fdw;
CREATE SERVER ak_files FOREIGN DATA WRAPPER file_fdw;
DO $$
BEGIN
  EXECUTE format('CREATE FOREIGN TABLE ak_app.far (id uuid, m text, line text, made timestamptz, meaning vector(4))
        SERVER ak_files OPTIONS (format ''csv'', delimiter ''|'', program %L)',
      (SELECT E'cat <<''END''\n' || string_agg(concat_ws('|', id, m, line, made, meaning), E'\n') || E'\nEND'
       FROM ak_app.ordinary));
END $$;
SELECT memory_create_store('ak_own', 4);
INSERT INTO ak_own.entries (entry_id, memory_id, raw_entry, creation_time, embedding)
SELECT id, m, line, made, meaning::halfvec
FROM ak_app.ordinary;
CREATE TABLE kinds AS
  SELECT i, name, relation, columns::jsonb AS columns
  FROM (VALUES
    (1, 'ordinary', 'ak_app.ordinary', '{}'),
    (2, 'hashed', 'ak_app.hashed', '{}'),
    (3, 'ranged', 'ak_app.ranged', '{}'),
    (4, 'inherited', 'ak_app.parent', '{}'),
    (5, 'unlogged', 'ak_app.unlogged', '{}'),
    (6, 'view', 'ak_app.seen', '{}'),
    (7, 'view over a view', 'ak_app.seen_again', '{}'),
    (8, 'materialised', 'ak_app.kept', '{}'),
    (9, 'foreign', 'ak_app.far', '{}'),
    (10, 'a store of its own', 'ak_own.entries',
     '{"memory_id": "memory_id", "entry_id": "entry_id", "raw_entry": "raw_entry", "creation_time": "creation_time",
       "embedding": "embedding::public.vector(4)", "search_vector": "search_vector"}'),
    (11, 'a store over a store', 'ak_ordinary.entries',
     '{"memory_id": "memory_id", "entry_id": "entry_id", "raw_entry": "raw_entry", "creation_time": "creation_time",
       "embedding": "embedding", "search_vector": "search_vector"}')
  ) k(i, name, relation, columns);
CREATE FUNCTION adopt(name text, relation text, columns jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT 'adopted'
  FROM memory_adopt_table('ak_' || name, relation::regclass,
      '{"memory_id": "m", "entry_id": "id", "raw_entry": "line", "creation_time": "made", "embedding": "meaning"}'
        || columns) $$;
SELECT name, adopt(name, relation, columns) FROM (SELECT * FROM kinds ORDER BY i OFFSET 0) k;
-- Each answers as the ordinary table does, byte for byte. (The store of its own holds halves, so its similarities may
-- differ in the fifth digit.)
CREATE FUNCTION answers(store text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(answer, E'\n' ORDER BY i, memory, strategy)
  FROM (VALUES ('m0'), ('m1')) m(memory),
    (VALUES ('hybrid'), ('keyword'), ('semantic'), ('recent')) s(strategy),
    LATERAL (SELECT jsonb_build_object('strategy', strategy, 'asOf', '2025-06-01T00:00:00Z', 'dedupThreshold',
                 0.99) AS options) o,
    LATERAL (
        SELECT 1,
          memory_search(memory, 'tea train garden', 10, 3, '[1,0.5,0,0]', '{"createdAfter": "2025-01-01T02:00:00Z"}',
              options, store)::text
        UNION ALL
        SELECT 2, string_agg(x::text, ' ' ORDER BY place)
        FROM memory_explain(memory, 'tea train garden', 3, '[1,0.5,0,0]', options => options, store => store) x
        UNION ALL
        SELECT 3, memory_build_context(memory, 'tea train garden', '[1,0.5,0,0]', options => options, store => store)
        UNION ALL
        SELECT 4, memory_explain(memory, 'tea', options => options, entry_id => test.id(5)::text, store => store)::text
      ) a(i, answer) $$;
SELECT name,
  CASE WHEN name = 'a store of its own'
        THEN test.found(memory_search('m0', 'tea train', 10, 3, '[1,0.5,0,0]', store => 'ak_' || name))
          = test.found(memory_search('m0', 'tea train', 10, 3, '[1,0.5,0,0]', store => 'ak_ordinary'))
      ELSE answers('ak_' || name) = answers('ak_ordinary') END AS same
FROM kinds ORDER BY i;
SELECT length(answers('ak_ordinary')) > 20000 AS long,
  memory_search('m0', 'tea train', 10, 3, '[1,0.5,0,0]', store => 'ak_ordinary')->'count' AS found;
-- Contexts and counts are the store's own, whatever is behind it.
SELECT name,
  memory_touch('m0', ARRAY[test.id(2), test.id(3)], 'ak_' || name) AS touched,
  memory_put_context('m0', 'a context', store => 'ak_' || name) IS NOT NULL AS put,
  (SELECT count(*) > 9 FROM memory_doctor('ak_' || name)) AS examined
FROM kinds ORDER BY i;
SELECT name,
  memory_search('m0', 'tea', 0, store => 'ak_' || name)->>'latestContext' AS latest,
  (SELECT access_count
   FROM memory_search_entries('m0', '', 10, filters => '{"accessCount": 1}', options => '{"strategy": "recent"}',
       store => 'ak_' || name)) AS counted
FROM kinds ORDER BY i;
-- A generated column is a column like any other; one that is computed when read, where the server has such, too.
SELECT memory_adopt_table('ak_generated', 'ak_app.ordinary',
    '{"memory_id": "m", "entry_id": "id", "raw_entry": "whole"}');
SELECT raw_entry
FROM memory_search_entries('m1', 'said', 1, options => '{"strategy": "keyword"}', store => 'ak_generated');
SELECT current_setting('server_version_num')::int >= 180000 AS has_virtual \gset
\if :has_virtual
CREATE TABLE ak_app.computed (id int PRIMARY KEY, line text, loud text GENERATED ALWAYS AS (upper(line)) VIRTUAL);
\else
CREATE TABLE ak_app.computed (id int PRIMARY KEY, line text, loud text GENERATED ALWAYS AS (upper(line)) STORED);
\endif
INSERT INTO ak_app.computed VALUES (1, 'quiet tea');
SELECT memory_adopt_table('ak_computed', 'ak_app.computed',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "loud"}');
SELECT raw_entry FROM memory_search_entries('all', 'tea', options => '{"strategy": "keyword"}', store => 'ak_computed');
-- A materialised view shows what it holds, until it is refreshed; a partition that comes later is there at once, one
-- that is detached is not.
UPDATE ak_app.ordinary SET line = 'a zeppelin' WHERE id = test.id(4);
CREATE FUNCTION zeppelins(store text) RETURNS bigint[] LANGUAGE sql AS $$
  SELECT test.found(memory_search('m0', 'zeppelin', options => '{"strategy": "keyword", "fallback": false}',
      store => store)) $$;
SELECT zeppelins('ak_ordinary') AS ordinary, zeppelins('ak_view over a view') AS view,
  zeppelins('ak_a store over a store') AS store, zeppelins('ak_materialised') AS materialised;
REFRESH MATERIALIZED VIEW ak_app.kept;
SELECT zeppelins('ak_materialised') AS refreshed;
CREATE TABLE ak_app.later (meaning vector(4), line text, made timestamptz, m text, id uuid);
INSERT INTO ak_app.later VALUES (NULL, 'a zeppelin of zeppelins', '2030-01-01Z', 'm0', test.id(40));
ALTER TABLE ak_app.ranged_late DETACH PARTITION ak_app.ranged_late_0;
SELECT zeppelins('ak_ranged') AS before,
  memory_search('m0', '', options => '{"strategy": "recent"}',
      store => 'ak_ranged')->'entries'->0->>'creationTime' AS newest;
ALTER TABLE ak_app.ranged_late ATTACH PARTITION ak_app.later FOR VALUES IN ('m0');
SELECT zeppelins('ak_ranged') AS attached;

-- What memory_doctor proposes can be run as it stands; then the table, every partition of it, or what a view reads,
-- has its indexes.
CREATE FUNCTION mended(store text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  proposed text;
  failed int := 0;
BEGIN
  -- Not concurrently, because this is a transaction.
  FOR proposed IN
    SELECT replace(fix, 'CONCURRENTLY ', '')
    FROM memory_doctor(mended.store) WHERE name LIKE 'index %' AND fix IS NOT NULL
  LOOP
    BEGIN
      EXECUTE proposed;
    EXCEPTION
      WHEN OTHERS THEN
        failed := failed + 1;
        RAISE WARNING '%: %', mended.store, SQLERRM;
    END;
  END LOOP;
  RETURN failed;
END $$;
SELECT name, mended('ak_' || name) AS failed FROM (SELECT * FROM kinds ORDER BY i OFFSET 0) k;
SELECT name, (SELECT count(*) FROM memory_doctor('ak_' || name) WHERE name LIKE 'index %' AND status <> 'ok') AS missing
FROM kinds WHERE name NOT IN ('inherited', 'view over a view', 'foreign') ORDER BY i;
SELECT name, answers('ak_' || name) = answers('ak_ordinary') AS same
FROM kinds WHERE name IN ('view', 'a store over a store') ORDER BY i;
-- Every partition has an index of its own then.
SELECT count(DISTINCT inhrelid) AS partitions,
  count(DISTINCT inhrelid) FILTER (WHERE EXISTS (SELECT FROM pg_index WHERE indrelid = inhrelid)) AS indexed
FROM pg_inherits
WHERE inhparent IN ('ak_app.hashed'::regclass, 'ak_app.ranged'::regclass, 'ak_app.ranged_late'::regclass);
-- A constant memory's entries by time, tags that a subquery makes of JSON, a column that is not immutable: no proposal
-- that fails, and no warning that stays although it was followed.
CREATE TABLE ak_app.single (id int PRIMARY KEY, line text, labels jsonb, at_text text, made timestamptz);
INSERT INTO ak_app.single VALUES (1, 'tea', '["hot", "green"]', '2025-01-01T00:00:00Z', '2025-01-01Z');
SELECT memory_adopt_table('ak_constant', 'ak_app.single',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line", "creation_time": "made"}');
SELECT memory_adopt_table('ak_subquery', 'ak_app.single',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line", "creation_time": "made",
      "tags": "ARRAY(SELECT pg_catalog.jsonb_array_elements_text(labels))"}');
SELECT memory_adopt_table('ak_mutable', 'ak_app.single',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line", "creation_time": "at_text::timestamptz"}');
SELECT store, mended(store) AS failed
FROM (VALUES (1, 'ak_constant'), (2, 'ak_subquery'), (3, 'ak_mutable')) s(i, store) ORDER BY i;
SELECT name, status FROM memory_doctor('ak_constant') WHERE name LIKE 'index %' AND status <> 'ok';
SELECT name, status, detail, fix IS NULL AS no_fix FROM memory_doctor('ak_mutable') WHERE name = 'index by time';
SELECT tags, raw_entry
FROM memory_search_entries('all', 'hot', filters => '{"tags": "green"}', options => '{"strategy": "keyword"}',
    store => 'ak_subquery');

-- Several stores over one table are independent of each other, also in what they count.
SELECT memory_adopt_table('ak_second', 'ak_app.ordinary',
    '{"memory_id": "''everything''", "entry_id": "id", "raw_entry": "line", "summary": "m"}', 'simple');
SELECT memory_touch('everything', ARRAY[test.id(4)], 'ak_second') AS touched,
  memory_put_context('everything', 'of the second', store => 'ak_second') IS NOT NULL AS put;
SELECT memory_search('everything', 'zeppelin', 1, filters => '{"accessCount": 1}', options => '{"strategy": "keyword"}',
      store => 'ak_second')->'count' AS second,
  memory_search('m0', 'zeppelin', 1, filters => '{"accessCount": 1}',
      options => '{"strategy": "keyword", "fallback": false}', store => 'ak_ordinary')->'count' AS first,
  memory_search('m0', '', 0, store => 'ak_ordinary')->>'latestContext' AS latest;

-- Rows are the application's to write: what writes entries is refused, and says where to.
CREATE TABLE calls AS
  SELECT *
  FROM (VALUES
    (1, $$SELECT memory_add('m0', 'x', store => 'ak_ordinary')$$),
    (2, $$SELECT memory_delete('m0', ARRAY[test.id(4)], store => 'ak_ordinary')$$),
    (3, $$SELECT memory_delete('m0', whole_memory => true, store => 'ak_ordinary')$$),
    (4, $$SELECT memory_restore('m0', ARRAY[test.id(4)], store => 'ak_ordinary')$$),
    (5, $$SELECT memory_update('m0', test.id(4), 'x', store => 'ak_ordinary')$$),
    (6, $$SELECT memory_supersede('m0', test.id(4), test.id(6), store => 'ak_ordinary')$$),
    (7, $$SELECT memory_forget_user('ann', store => 'ak_ordinary')$$),
    (8, $$SELECT memory_reembed(store => 'ak_ordinary')$$),
    (9, $$SELECT memory_reembed('m0', everything => true, store => 'ak_ordinary')$$),
    (10, $$SELECT memory_enable_row_security('ak_ordinary')$$),
    (11, $$SELECT memory_add('all', 'x', store => 'ak_foreign')$$),
    (12, $$SELECT memory_add('all', 'x', store => 'ak_view over a view')$$),
    (13, $$SELECT memory_add('all', 'x', store => 'ak_a store over a store')$$)
  ) c(i, call);
SELECT i, test.error(call) FROM calls ORDER BY i;
-- Where other tables are asked as well, it is still the adopted one whose rows they are.
CREATE TABLE ak_app.names (name text);
CREATE TABLE ak_app.of_names (id int, line text);
SELECT memory_adopt_table('ak_names', 'ak_app.of_names',
    '{"memory_id": "(SELECT min(n.name) FROM ak_app.names n)", "entry_id": "id", "raw_entry": "line"}');
SELECT test.error($$SELECT memory_add('all', 'x', store => 'ak_names')$$);
-- Of what was deleted only the store's own contexts can be purged.
UPDATE ak_ordinary.contexts SET deletion_scheduled_time = '2025-01-01Z';
SELECT memory_purge(store => 'ak_ordinary') AS purged, (SELECT count(*) FROM ak_app.ordinary) AS rows;

-- The application changes its table as before, and searches follow; a column that the store reads cannot go.
SELECT md5(answers('ak_ordinary')) AS before \gset
ALTER TABLE ak_app.ordinary ADD COLUMN extra text DEFAULT 'new';
ALTER TABLE ak_app.ordinary DROP COLUMN extra;
ALTER TABLE ak_app.ordinary RENAME COLUMN line TO "The Line";
ALTER TABLE ak_app.ordinary RENAME TO "Renamed";
CREATE SCHEMA ak_elsewhere;
ALTER TABLE ak_app."Renamed" SET SCHEMA ak_elsewhere;
ALTER SCHEMA ak_elsewhere RENAME TO ak_there;
SELECT md5(answers('ak_ordinary')) = :'before' AS same;
SELECT test.error($$SELECT memory_add('m0', 'x', store => 'ak_ordinary')$$);
ALTER SCHEMA ak_ordinary RENAME TO ak_moved;
SELECT md5(answers('ak_moved')) = :'before' AS same,
  test.error($$SELECT memory_search('m0', 'tea', store => 'ak_ordinary')$$) AS old_name;
CREATE TABLE ak_app.used (id int, line text, other int);
SELECT memory_adopt_table('ak_used', 'ak_app.used', '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line"}');
SELECT statement, test.error(statement)
FROM (VALUES
  (1, 'ALTER TABLE ak_app.used DROP COLUMN line'),
  (2, 'ALTER TABLE ak_app.used ALTER line TYPE varchar(9)'),
  (3, 'DROP TABLE ak_app.used'),
  (4, 'ALTER TABLE ak_app.used DROP COLUMN other'),
  (5, 'ALTER TABLE ak_app.used ALTER other TYPE text'),
  (6, 'ALTER TABLE ak_app.used ALTER line SET NOT NULL')
) t(i, statement)
ORDER BY i;
-- Dropped with CASCADE the table takes the view along; what is left of the store can be dropped, and the
-- name taken again.
SELECT memory_put_context('all', 'a context', store => 'ak_used') IS NOT NULL AS put;
DROP TABLE ak_app.used CASCADE;
SELECT split_part(test.error($$SELECT memory_search('all', 'tea', store => 'ak_used')$$), ':', 1) AS search;
SELECT test.error($$SELECT memory_drop_store('ak_used')$$) <> 'no error' AS holds_a_context,
  test.error($$SELECT memory_drop_store('ak_used', force => true)$$) AS by_force;

-- memory_drop_store removes the view and what is the store's own, and leaves the table alone, also one in the
-- store's own schema.
CREATE SCHEMA ak_neighbour;
CREATE TABLE ak_neighbour.diary AS SELECT 1 AS id, 'dear diary' AS line;
SELECT memory_adopt_table('ak_neighbour', 'ak_neighbour.diary',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line"}');
SELECT memory_search('all', 'diary', options => '{"strategy": "keyword"}', store => 'ak_neighbour')->'count' AS found,
  test.error($$SELECT memory_create_store('ak_neighbour')$$) AS made_again,
  test.error($$SELECT memory_adopt_table('ak_neighbour', 'ak_neighbour.diary',
                   '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line"}')$$) AS adopted_again;
SELECT memory_touch('all', ARRAY[1], 'ak_neighbour') AS touched;
SELECT test.error($$SELECT memory_drop_store('ak_neighbour')$$) AS with_a_count;
DELETE FROM ak_neighbour.entry_access;
SELECT memory_drop_store('ak_neighbour');
SELECT line,
  (SELECT array_agg(relname::text)
   FROM pg_class
   WHERE relnamespace = 'ak_neighbour'::regnamespace AND relkind IN ('r', 'v')) AS beside
FROM ak_neighbour.diary;
CREATE VIEW ak_app.depends AS SELECT entry_id FROM ak_second.entries;
SELECT test.error($$SELECT memory_drop_store('ak_second', force => true)$$);
DROP VIEW ak_app.depends;
SELECT test.error($$SELECT memory_drop_store('ak_second')$$);
SELECT memory_drop_store('ak_second', force => true);
SELECT to_regnamespace('ak_second') IS NULL AS gone, (SELECT count(*) FROM ak_there."Renamed") AS rows;

-- What is no table or view, is gone with the session, or does not exist.
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
  (12, '{"memoryId": "id", "entry_id": "id", "raw_entry": "line"}'),
  (13, '{"memory_id": "id", "entry_id": "id", "raw_entry": "line", "language": "line"}'),
  (14, '{"memory_id": "id", "entry_id": "id", "raw_entry": "line", "importance": 50}'),
  (15, '{"memory_id": "id", "entry_id": "id", "raw_entry": "line", "tags": ["list"]}'),
  (16, '{"memory_id": "id", "entry_id": "id", "raw_entry": "line", "metadata": {"a": "jb"}}'),
  (17, '{"memory_id": "id", "entry_id": "id", "raw_entry": true}')
) c(i, columns)
ORDER BY i;
-- Names of columns: as they are, with the nearest one where there is none.
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
-- Types: what each column of a store can be made of, and how to get there.
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
-- The ways that the hints show work.
SELECT memory_adopt_table('ak_hints', 'ak_app.types',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line",
      "tags": "ARRAY(SELECT pg_catalog.jsonb_array_elements_text(jb))",
      "metadata": "pg_catalog.jsonb_build_object(''name'', line)", "creation_time": "pg_catalog.to_timestamp(secs)",
      "expires_at": "(line)::pg_catalog.timestamptz", "embedding": "(real4)::public.vector(4)"}');
-- One expression, and nothing but one.
SELECT source,
  test.error(format($$SELECT memory_adopt_table('ak_x', 'ak_app.types', %L)$$,
      jsonb_build_object('memory_id', '''all''', 'entry_id', 'id', 'raw_entry', source, 'search_vector', null)))
FROM (VALUES
  (1, $$line) FROM ak_app.types; DROP TABLE ak_app.types; SELECT (line$$),
  (2, $$line; DROP TABLE ak_app.types$$),
  (3, $$line), (line$$),
  (4, $$line)::text, (line$$),
  (5, $$line) AS raw_entry, (line$$),
  (6, $$line AS raw_entry$$),
  (7, $$line FROM pg_authid$$),
  (8, $$line) FROM pg_authid WHERE (true$$),
  (9, $$rolname) FROM (SELECT rolname FROM pg_authid) t WHERE (true$$),
  (10, $$line) UNION SELECT (rolpassword$$),
  (11, $$line) EXCEPT (SELECT line$$),
  (12, $$line) WHERE (true$$),
  (13, $$line) GROUP BY (line$$),
  (14, $$line) HAVING (true$$),
  (15, $$line) ORDER BY (line$$),
  (16, $$line) LIMIT (1$$),
  (17, $$line) OFFSET (1$$),
  (18, $$line) INTO ak_app.stolen FROM (SELECT 1) s WHERE (true$$),
  (19, $$line) WINDOW w AS ($$),
  (20, $$line) FOR UPDATE --$$),
  (21, $$line)$$),
  (22, $$(line$$),
  (23, $$line) --$$),
  (24, $$line /*$$),
  (25, $$'$$),
  (26, $$"$$),
  (27, '$x$'),
  (28, $$line \$$),
  (29, $$;$$),
  (30, $$,$$),
  (31, $$*$$),
  (32, $$DEFAULT$$),
  (33, $$(DELETE FROM ak_app.types RETURNING line)$$),
  (34, $$WITH d AS (DELETE FROM ak_app.types RETURNING line) SELECT line FROM d$$),
  (35, $$(INSERT INTO ak_app.types (line) VALUES ('x') RETURNING line)$$),
  (36, '$1'),
  (37, $$line + 1$$),
  (38, $$no_function(line)$$),
  (39, $$vector_dims(real4::vector)$$),
  (40, $$unnest(list)$$),
  (41, $$max(line)$$),
  (42, $$line || chr(0)$$)
) s(i, source)
ORDER BY i;
-- Nor several columns, nor several rows.
SELECT key, source,
  test.error(format($$SELECT memory_adopt_table('ak_x', 'ak_app.of_names', %L)$$,
        '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line"}'::jsonb || jsonb_build_object(key, source)))
    <> 'no error' AS refused
FROM (VALUES
  (1, 'raw_entry', $$of_names.*$$),
  (2, 'memory_id', $$ak_app.of_names.*$$),
  (3, 'raw_entry', $$(of_names).*$$),
  (4, 'raw_entry', $$line, current_user$$),
  (5, 'user_id', $$(line, id)$$),
  (6, 'user_id', $$regexp_split_to_table(line, ' ')$$)
) s(i, key, source)
ORDER BY i;
-- In every key; and what stands in quotes or comments is no SQL.
SELECT count(*) AS keys,
  count(*) FILTER (WHERE test.error(format($$SELECT memory_adopt_table('ak_x', 'ak_app.types', %L)$$,
          jsonb_build_object('memory_id', '''all''', 'entry_id', 'id', 'raw_entry', 'line')
            || jsonb_build_object(key,
                'NULL) FROM ak_app.types; DROP TABLE ak_app.types; SELECT (NULL'))) LIKE '22023: columns.' || key
      || ' is not one SQL expression%') AS refused
FROM unnest('{memory_id,entry_id,user_id,agent_id,raw_entry,summary,context,tags,metadata,source_type,
    importance,creation_time,deletion_scheduled_time,expires_at,superseded_by,superseded_time,
    embedding,embedding_model,entry_order,search_vector}'::text[]) key;
INSERT INTO ak_app.types (id, line) VALUES (1, 'tea');
SELECT memory_adopt_table('ak_quotes', 'ak_app.types',
    $${"memory_id": "'''; DROP TABLE ak_app.types; --'", "entry_id": "id",
       "raw_entry": "line || $q$) FROM pg_authid; --$q$ || E'\\'' -- ) FROM pg_authid",
       "summary": "/* ) */ '/*' || line", "user_id": "'''german''::text AS language'", "search_vector": null}$$);
SELECT raw_entry, summary, user_id
FROM memory_search_entries('''; DROP TABLE ak_app.types; --', 'tea', options => '{"strategy": "keyword"}',
    store => 'ak_quotes');
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
-- What was refused left nothing behind, and rolled back is as if it had not been.
BEGIN;
SELECT memory_adopt_table('ak_x', 'ak_app.types', '{"memory_id": "id", "entry_id": "id", "raw_entry": "line"}');
SELECT memory_search('1', 'tea', store => 'ak_x')->'count' AS found;
ROLLBACK;
SELECT to_regnamespace('ak_x') IS NULL AS none, (SELECT count(*) FROM ak_app.types) AS rows,
  to_regclass('ak_app.stolen') IS NULL AS nothing_stolen;
DROP FUNCTION adopt, answers, zeppelins, mended;
DROP TABLE kinds, calls;
DROP VIEW brief_view;
DROP TABLE brief;
DO $$
BEGIN
  EXECUTE (SELECT 'DROP SCHEMA ' || string_agg(quote_ident(nspname), ', ') || ' CASCADE'
           FROM pg_namespace WHERE nspname LIKE 'ak\_%');
END $$;
DROP EXTENSION file_fdw CASCADE;
