-- Uses of a store over a table: several stores over one table, no writing through a store, changes of the table, and
-- dropping one of two stores.
SELECT test.make_lines();
SELECT memory_adopt_table('ak_ordinary', 'ak_app.ordinary',
    '{"memory_id": "m", "entry_id": "id", "raw_entry": "line", "creation_time": "made", "embedding": "meaning"}');
UPDATE ak_app.ordinary SET line = 'a zeppelin' WHERE id = test.id(4);
SELECT memory_touch('m0', ARRAY[test.id(2), test.id(3)], 'ak_ordinary') AS touched,
  memory_put_context('m0', 'a context', store => 'ak_ordinary') IS NOT NULL AS put;

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

-- The application writes the rows: functions that write entries are refused, with a hint where to write.
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
    (11, $$SELECT memory_link('m0', test.id(99), test.id(4), store => 'ak_ordinary')$$)
  ) c(i, call);
SELECT i, test.error(call) FROM calls ORDER BY i;
-- A mapping may read other tables; the rows are still the adopted table's.
CREATE TABLE ak_app.names (name text);
CREATE TABLE ak_app.of_names (id int, line text);
SELECT memory_adopt_table('ak_names', 'ak_app.of_names',
    '{"memory_id": "(SELECT min(n.name) FROM ak_app.names n)", "entry_id": "id", "raw_entry": "line"}');
SELECT test.error($$SELECT memory_add('all', 'x', store => 'ak_names')$$);
-- A purge removes only the store's own contexts, and no rows of the adopted table.
UPDATE ak_ordinary.contexts SET deletion_scheduled_time = '2025-01-01Z';
SELECT memory_purge(store => 'ak_ordinary') AS purged, (SELECT count(*) FROM ak_app.ordinary) AS rows;

-- The application changes its table as before, and searches follow; a column that the store reads cannot go.
SELECT md5(test.answers_of_lines('ak_ordinary')) AS before \gset
ALTER TABLE ak_app.ordinary ADD COLUMN extra text DEFAULT 'new';
ALTER TABLE ak_app.ordinary DROP COLUMN extra;
ALTER TABLE ak_app.ordinary RENAME COLUMN line TO "The Line";
ALTER TABLE ak_app.ordinary RENAME TO "Renamed";
CREATE SCHEMA ak_elsewhere;
ALTER TABLE ak_app."Renamed" SET SCHEMA ak_elsewhere;
ALTER SCHEMA ak_elsewhere RENAME TO ak_there;
SELECT md5(test.answers_of_lines('ak_ordinary')) = :'before' AS same;
SELECT test.error($$SELECT memory_add('m0', 'x', store => 'ak_ordinary')$$);
ALTER SCHEMA ak_ordinary RENAME TO ak_moved;
SELECT md5(test.answers_of_lines('ak_moved')) = :'before' AS same,
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
-- DROP TABLE ... CASCADE also drops the view; the rest of the store can be dropped, and its name used again.
SELECT memory_put_context('all', 'a context', store => 'ak_used') IS NOT NULL AS put;
DROP TABLE ak_app.used CASCADE;
SELECT split_part(test.error($$SELECT memory_search('all', 'tea', store => 'ak_used')$$), ':', 1) AS search;
SELECT test.error($$SELECT memory_drop_store('ak_used')$$) <> 'no error' AS holds_a_context,
  test.error($$SELECT memory_drop_store('ak_used', force => true)$$) AS by_force;

-- memory_drop_store removes the view and the store's own relations, and does not change the table, even if it is in the
-- store's own schema.
CREATE SCHEMA ak_neighbour;
CREATE TABLE ak_neighbour.diary AS SELECT 1 AS id, 'dear diary' AS line;
SELECT memory_adopt_table('ak_neighbour', 'ak_neighbour.diary',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line"}');
SELECT memory_search('all', 'diary', options => '{"strategy": "keyword"}', store => 'ak_neighbour')->'count' AS found,
  test.error($$SELECT memory_create_store('ak_neighbour')$$) AS made_again,
  test.error($$SELECT memory_adopt_table('ak_neighbour', 'ak_neighbour.diary',
                   '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line"}')$$) AS adopted_again \gx
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
DROP TABLE calls;
DO $$
BEGIN
  EXECUTE (SELECT 'DROP SCHEMA ' || string_agg(quote_ident(nspname), ', ') || ' CASCADE'
           FROM pg_namespace WHERE nspname LIKE 'ak\_%');
END $$;
