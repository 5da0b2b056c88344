-- Other names of entities: compared without case, accents and blanks, and resolved when they are made.
SELECT memory_create_store('al', 4);
SET memory_search.store = 'al';
CREATE FUNCTION aliases(memory text DEFAULT 'm') RETURNS text LANGUAGE sql STABLE
  RETURN (SELECT string_agg(alias || ' = ' || entity, ', ') FROM memory_aliases(memory));
SELECT memory_alias('m', '  Mum ', 'Anna Weber') AS new, memory_alias('m', 'MUM', 'Anna Weber') AS again,
  memory_alias('n', 'mum', 'Somebody else') AS of_another_memory;
SELECT alias, entity, creation_time <= clock_timestamp() AS was_made FROM memory_aliases('m');
-- An alias of an alias gets the entity of that alias, in either order of their creation.
SELECT memory_alias('m', 'Mother', 'mum');
SELECT aliases();
SELECT memory_alias('m', 'Zoë', 'Zoé K.'), memory_alias('m', 'Big Z', 'ZOE');
SELECT aliases();
SELECT memory_alias('m', 'anna  WÉBER', 'Dr. A. Weber');
SELECT aliases();
-- An alias that is given another entity moves to it alone.
SELECT memory_alias('m', 'mother', 'Bo');
-- A circle of any length is refused, and nothing is changed.
SELECT i, test.error('SELECT ' || call)
FROM (VALUES
  (1, $$memory_alias('m', 'Dr. A. Weber', 'Mum')$$),
  (2, $$memory_alias('m', 'x', 'X ')$$),
  (3, $$memory_alias('m', '', 'x')$$),
  (4, $$memory_alias('m', ' ', 'x')$$),
  (5, $$memory_alias('m', 'x', E'\u00a0\t')$$),
  (6, $$memory_alias('m', NULL, 'x')$$),
  (7, $$memory_alias('m', 'x', NULL)$$),
  (8, $$memory_alias(NULL, 'x', 'y')$$),
  (9, $$memory_alias('m', repeat('x', 1025), 'y')$$),
  (10, $$memory_alias('m', 'x', 'y', 'nowhere')$$),
  (11, $$memory_unalias('m', '')$$)) t (i, call) ORDER BY i;
SELECT aliases();
-- A circle that was made by plain SQL ends, too.
INSERT INTO al.aliases (memory_id, alias, entity) VALUES ('c', 'a', 'B'), ('c', 'b', 'A');
SELECT test.error($$SELECT memory_alias('c', 'q', 'a')$$);
SELECT memory_unalias('m', 'MOTHER') AS there, memory_unalias('m', 'mother') AS gone_before;
SELECT aliases();
SELECT aliases('n'), aliases('nobody') IS NULL AS none;
SELECT count(memory_alias('h', t, 'Target')) = count(*) AS all_made,
  bool_and(memory_unalias('h', t)) IS NOT NULL AS removed
FROM test.hostile_texts() WHERE memory_entity_keys(ARRAY[t]) <> '{}' AND octet_length(t) < 300;
RESET memory_search.store;
DROP FUNCTION aliases;
-- A store that has only aliases is not empty.
SELECT test.error($$SELECT memory_drop_store('al')$$);
SELECT memory_drop_store('al', true);
