-- Neighbour smoothing needs the order of entries in time. The index has it from its segments if these do not overlap,
-- and otherwise reads the times of all rows: the answers are the same as by the rows.
SET client_min_messages = warning;
SELECT memory_create_store('order_in_time', 8);

-- Three or four of twelve words a row, mostly those of the row before, in memories that differ in the times of their
-- rows: one after another, the last first, three of an instant, at random, a day apart. `later` comes after all these.
CREATE FUNCTION order_in_time.add(memory text, rows int, kind text, seed int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO order_in_time.entries (memory_id, raw_entry, creation_time)
  SELECT memory,
    (SELECT string_agg(split_part('lake boat fish tea ship rain sun moon star tree rock hill', ' ',
        1 + abs(hashint4(row / 2 * 31 + word + seed) % 12)), ' ')
      FROM generate_series(1, 3 + abs(hashint4(row + seed) % 2)) word),
    timestamptz '2024-01-01Z' + interval '1 min' * CASE kind
      WHEN 'rising' THEN 7 * row
      WHEN 'falling' THEN -7 * row
      WHEN 'three at once' THEN 9 * (row / 3)
      WHEN 'random' THEN abs(hashint4(row * 7 + seed) % 30000)
      WHEN 'a day apart' THEN 1440 * row
      ELSE 1000000 + 7 * row
    END
  FROM generate_series(1, rows) row
$$;
SELECT order_in_time.add(kind, 1500, kind, 7)
FROM unnest(ARRAY['rising', 'falling', 'three at once', 'random', 'a day apart']) kind \g /dev/null
VACUUM order_in_time.entries;
REINDEX INDEX order_in_time.entries_memory;
-- The rows that follow are in no segment.
SELECT order_in_time.add(memory, rows, kind, rows)
FROM (VALUES ('rising', 60, 'later'), ('falling', 70, 'rising'), ('three at once', 50, 'three at once'),
  ('random', 80, 'later'), ('only a tail', 300, 'random'), ('only a tail', 30, 'later')) more (memory, rows, kind)
\g /dev/null
SELECT detail, count FROM memory_index_check('order_in_time.entries_memory') AS found (detail, count)
WHERE detail IN ('segments', 'documents in tails') ORDER BY 1;

CREATE FUNCTION order_in_time.answers() RETURNS TABLE (memory text, query text, candidates int, answer jsonb)
LANGUAGE sql AS $$
  SELECT memory, query, candidates, memory_search(memory, query, top_ke => 10, store => 'order_in_time',
    options => jsonb_build_object('strategy', 'keyword', 'candidates', candidates, 'asOf', '2030-01-01T00:00:00Z'))
  FROM unnest(ARRAY['rising', 'falling', 'three at once', 'random', 'a day apart', 'only a tail']) memory,
    unnest(ARRAY['lake', 'lake boat', 'fish tea ship', 'tree rock hill lake boat fish tea']) query,
    unnest(ARRAY[10, 75, 900]) candidates
$$;
CREATE TEMP TABLE by_index AS SELECT * FROM order_in_time.answers();
SET enable_indexscan = off;
CREATE TEMP TABLE by_rows AS SELECT * FROM order_in_time.answers();
RESET enable_indexscan;
SELECT count(*) AS compared, count(*) FILTER (WHERE i.answer::text <> r.answer::text) AS different
FROM by_index i JOIN by_rows r USING (memory, query, candidates);

-- Neighbours do lend words: the same rows have other scores if they are a day apart.
SELECT bool_or(near.answer -> 'entries' -> 0 -> 'scores' <> apart.answer -> 'entries' -> 0 -> 'scores')
  AS "words are lent"
FROM by_index near JOIN by_index apart USING (query, candidates)
WHERE (near.memory, apart.memory) = ('rising', 'a day apart');

DROP TABLE by_index, by_rows;
DROP FUNCTION order_in_time.add, order_in_time.answers;
SELECT memory_drop_store('order_in_time', force => true) \g /dev/null
