-- Searches of a store in partitions rank by the option of the index of all partitions. On the index of one partition
-- the option would have no effect: a change is refused, and memory_doctor shows an index that was made with the option.
SELECT memory_create_store('rp', 4, partitions => 2);
CREATE FUNCTION health() RETURNS TABLE (status text, detail text, fix text) LANGUAGE sql AS $$
  SELECT status, detail, fix FROM memory_doctor('rp') WHERE name = 'index of searches' $$;
SELECT status FROM health();
SELECT inhrelid::regclass AS part FROM pg_inherits WHERE inhparent = 'rp.entries_memory'::regclass
ORDER BY inhrelid::regclass::text LIMIT 1 \gset
SELECT format('ALTER INDEX %s RENAME TO part', :'part') AS rename \gset
:rename;
SELECT test.error($$ALTER INDEX rp.part SET (ranking = '{"boosts": {"recency": 0.3}}')$$);
SELECT reloptions FROM pg_class WHERE oid = 'rp.part'::regclass;
-- Other changes of such an index work, and a value that is no scoring is refused as usual.
ALTER INDEX rp.part RESET (ranking);
ALTER INDEX rp.part RENAME TO other;
ALTER INDEX rp.other RENAME TO part;
SELECT left(test.error($$ALTER INDEX rp.part SET (ranking = '{"boosts": {"recncy": 0.3}}')$$), 5) AS state;
-- The index of all partitions passes its option on to those of the partitions: the doctor does not report this.
SELECT replace(pg_get_indexdef('rp.entries_memory'::regclass), ' ON ONLY ', ' ON ') AS definition \gset
DROP INDEX rp.entries_memory;
SELECT :'definition' || ' WITH (ranking = ''{"boosts": {"recency": 0.4}}'')' AS with_ranking \gset
:with_ranking;
SELECT count(*), count(DISTINCT reloptions) FROM pg_class
WHERE relname LIKE 'entries%' AND relnamespace = 'rp'::regnamespace AND reloptions IS NOT NULL;
SELECT status FROM health();
SELECT inhrelid::regclass AS part FROM pg_inherits WHERE inhparent = 'rp.entries_memory'::regclass
ORDER BY inhrelid::regclass::text LIMIT 1 \gset
SELECT format('ALTER INDEX %s RENAME TO part', :'part') AS rename \gset
:rename;
SELECT left(test.error($$ALTER INDEX rp.part SET (ranking = '{"boosts": {"recency": 0.3}}')$$), 5) AS state;
ALTER INDEX rp.part SET (ranking = '{"boosts": {"recency": 0.4}}');
-- An invalid index of partitions: the doctor's statement keeps the option.
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'rp.entries_memory'::regclass;
SELECT status, fix LIKE '%ranking = ''{"boosts": {"recency": 0.4}}''%' AS keeps_it FROM health();
SELECT fix FROM health() \gset
:fix
SELECT status, detail LIKE '%, with the scoring {"boosts": {"recency": 0.4}};%' AS is_shown FROM health();
-- A partition's index that was made with another option is attached to the index of all.
DROP INDEX rp.entries_memory;
SELECT replace(:'definition', 'entries_memory ON rp.entries ', 'part ON rp.entries_0 ')
  || ' WITH (ranking = ''{"boosts": {"recency": 0.3}}'')' AS of_part \gset
:of_part;
:definition;
SELECT status, detail, fix FROM health();
SELECT fix FROM health() \gset
:fix
SELECT status FROM health();
-- memory_learn changes no index of partitions, and says so before it searches.
CREATE FUNCTION refused(store text) RETURNS text LANGUAGE sql AS $$
  SELECT test.error(format('SELECT memory_learn(%L, %L, apply => true)',
    '[{"request": {"memoryId": "m", "query": "q", "filters": {"no": 1}}, "helpful": ["a"]}]', store)) $$;
SELECT refused('rp');
-- An adopted table with partitions has no memory index. A partition that is adopted by itself has one, also as a part
-- of an index of all partitions, and its searches read the option.
CREATE TABLE rp_notes (m text, id int PRIMARY KEY, line text, meaning vector(4)) PARTITION BY HASH (id);
CREATE TABLE rp_notes_0 PARTITION OF rp_notes FOR VALUES WITH (MODULUS 1, REMAINDER 0);
SELECT memory_adopt_table(store, relation, '{"memory_id": "m", "entry_id": "id", "raw_entry": "line",
  "embedding": "meaning"}')
FROM (VALUES ('rp_whole', 'rp_notes'::regclass), ('rp_part', 'rp_notes_0')) t(store, relation);
SELECT refused('rp_whole');
CREATE INDEX rp_notes_memory ON rp_notes USING memory_search (m, line, meaning) INCLUDE (id);
SELECT inhrelid::regclass AS part FROM pg_inherits WHERE inhparent = 'rp_notes_memory'::regclass \gset
ALTER INDEX :part SET (ranking = '{"boosts": {"recency": 0.3}}');
SELECT detail LIKE '%, with the scoring {"boosts": {"recency": 0.3}}%' AS is_read
FROM memory_doctor('rp_part') WHERE name = 'index of searches';
SELECT memory_drop_store(store, force => true) FROM unnest(ARRAY['rp_part', 'rp_whole', 'rp']) store;
DROP TABLE rp_notes;
DROP FUNCTION health, refused;
