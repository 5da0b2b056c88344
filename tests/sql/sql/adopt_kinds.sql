-- memory_adopt_table takes relations of every kind, and each answers as an ordinary table does.
SELECT test.make_lines();
-- Relations of other kinds with the same 24 rows.
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
       "embedding": "embedding::public.vector(4)"}'),
    (11, 'a store over a store', 'ak_ordinary.entries',
     '{"memory_id": "memory_id", "entry_id": "entry_id", "raw_entry": "raw_entry", "creation_time": "creation_time",
       "embedding": "embedding"}')
  ) k(i, name, relation, columns);
CREATE FUNCTION adopt(name text, relation text, columns jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT 'adopted'
  FROM memory_adopt_table('ak_' || name, relation::regclass,
      '{"memory_id": "m", "entry_id": "id", "raw_entry": "line", "creation_time": "made", "embedding": "meaning"}'
        || columns) $$;
SELECT name, adopt(name, relation, columns) FROM (SELECT * FROM kinds ORDER BY i OFFSET 0) k;
-- Each answers as the ordinary table does, byte for byte. (The store of its own holds halves, so its similarities may
-- differ in the fifth digit.)
SELECT name,
  CASE WHEN name = 'a store of its own'
        THEN test.found(memory_search('m0', 'tea train', 10, 3, '[1,0.5,0,0]', store => 'ak_' || name))
          = test.found(memory_search('m0', 'tea train', 10, 3, '[1,0.5,0,0]', store => 'ak_ordinary'))
      ELSE test.answers_of_lines('ak_' || name) = test.answers_of_lines('ak_ordinary') END AS same
FROM kinds ORDER BY i;
SELECT length(test.answers_of_lines('ak_ordinary')) > 20000 AS long,
  memory_search('m0', 'tea train', 10, 3, '[1,0.5,0,0]', store => 'ak_ordinary')->'count' AS found;
-- Contexts and counts are the store's own, for every kind of relation.
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
-- A generated column is a column like any other, also a virtual one on servers that have these.
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
-- A materialised view shows its stored rows until it is refreshed. The rows of an attached partition are found at once,
-- those of a detached one no more.
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

-- The statements that memory_doctor proposes can be run without changes. Afterwards the table, each of its partitions,
-- or the table that a view reads has its indexes.
CREATE FUNCTION mended(store text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  proposed text;
  failed int := 0;
BEGIN
  -- CREATE INDEX CONCURRENTLY cannot run in a transaction.
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
-- These kinds have no memory index, for which there is no fix.
SELECT name, (SELECT string_agg(name, ', ') FROM memory_doctor('ak_' || name)
    WHERE name LIKE 'index %' AND status <> 'ok') AS missing
FROM kinds WHERE name NOT IN ('inherited', 'view over a view', 'foreign') ORDER BY i;
SELECT name, test.answers_of_lines('ak_' || name) = test.answers_of_lines('ak_ordinary') AS same
FROM kinds WHERE name IN ('view', 'a store over a store') ORDER BY i;
-- Every partition has an index of its own then.
SELECT count(DISTINCT inhrelid) AS partitions,
  count(DISTINCT inhrelid) FILTER (WHERE EXISTS (SELECT FROM pg_index WHERE indrelid = inhrelid)) AS indexed
FROM pg_inherits
WHERE inhparent IN ('ak_app.hashed'::regclass, 'ak_app.ranged'::regclass, 'ak_app.ranged_late'::regclass);
-- A constant memory's entries by time, tags that a subquery makes of JSON, a column that is not immutable: no proposal
-- fails, and no warning stays after its proposal was followed.
CREATE TABLE ak_app.single (id int PRIMARY KEY, line text, labels jsonb, at_text text, made timestamptz);
INSERT INTO ak_app.single VALUES (1, 'tea', '["hot", "green"]', '2025-01-01T00:00:00Z', '2025-01-01Z');
SELECT memory_adopt_table('ak_constant', 'ak_app.single',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line", "creation_time": "made"}');
SELECT memory_adopt_table('ak_subquery', 'ak_app.single',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line", "creation_time": "made",
      "tags": "ARRAY(SELECT pg_catalog.jsonb_array_elements_text(labels))"}');
SELECT memory_adopt_table('ak_mutable', 'ak_app.single',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line", "creation_time": "at_text::timestamptz"}');
SELECT memory_adopt_table('ak_initplan', 'ak_app.single',
    '{"memory_id": "(SELECT ''all'')", "entry_id": "id", "raw_entry": "line", "creation_time": "made"}');
SELECT store, mended(store) AS failed
FROM (VALUES (1, 'ak_constant'), (2, 'ak_subquery'), (3, 'ak_mutable'), (4, 'ak_initplan')) s(i, store) ORDER BY i;
SELECT name, status FROM memory_doctor('ak_constant') WHERE name LIKE 'index %' AND status <> 'ok';
SELECT name, status, detail, fix IS NULL AS no_fix FROM memory_doctor('ak_mutable') WHERE name = 'index by time';
SELECT tags, raw_entry
FROM memory_search_entries('all', 'hot', filters => '{"tags": "green"}', options => '{"strategy": "keyword"}',
    store => 'ak_subquery');
-- No store writes entries into any of these relations.
SELECT name, test.error(format($$SELECT memory_add('all', 'x', store => %L)$$, 'ak_' || name))
FROM kinds WHERE name IN ('foreign', 'view over a view', 'a store over a store') ORDER BY i;
DROP FUNCTION adopt, zeppelins, mended;
DROP TABLE kinds;
DO $$
BEGIN
  EXECUTE (SELECT 'DROP SCHEMA ' || string_agg(quote_ident(nspname), ', ') || ' CASCADE'
           FROM pg_namespace WHERE nspname LIKE 'ak\_%');
END $$;
DROP EXTENSION file_fdw CASCADE;
