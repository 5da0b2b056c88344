-- BM25 against its formula in SQL, over the words that to_tsvector() makes of the texts.
SELECT memory_create_store('bm', 4), memory_create_store('bm_simple', 4, 'simple'),
  memory_create_store('bm_german', 4, 'german');
-- Words in every field, of every length, some rows without one or the other field.
INSERT INTO bm.entries (memory_id, entry_id, raw_entry, summary, tags, metadata, creation_time)
SELECT 'm', test.id(n), test.words(n, 1 + n % 40),
  CASE WHEN n % 3 = 0 THEN test.words(n + 5000, 4) END,
  CASE WHEN n % 4 = 0 THEN ARRAY[test.word(n), test.word(n + 1)] ELSE '{}' END,
  CASE WHEN n % 5 = 0 THEN jsonb_build_object('k', test.words(n + 9000, 3), 'tea', n) ELSE '{}' END,
  timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM generate_series(1, 400) n;
-- Rows of another memory, hidden and expired rows count in no statistic.
INSERT INTO bm.entries (memory_id, entry_id, raw_entry, deletion_scheduled_time, expires_at)
SELECT CASE WHEN n % 3 = 0 THEN 'other' ELSE 'm' END, test.id(1000 + n), 'tea quartz lantern',
  CASE WHEN n % 3 = 1 THEN now() END,
  CASE WHEN n % 3 = 2 THEN now() - interval '1 day' END
FROM generate_series(1, 90) n;
SET memory_search.max_top_ke = 10000;
SET memory_search.highest_top_ke = 10000;

CREATE FUNCTION compared(store text, memory text, query text, language text DEFAULT 'english')
RETURNS TABLE (rows bigint, missing bigint, off bigint)
LANGUAGE sql AS $$
  SELECT count(*),
    count(*) FILTER (WHERE f.bm25 IS NULL OR o.bm25 IS NULL),
    count(*) FILTER (WHERE abs(f.bm25 - o.bm25) > 1e-5)
  FROM (SELECT test.n(entry_id) AS n, f.bm25
        FROM memory_search_entries(memory, query, 10000, store => store,
            options => '{"strategy": "keyword", "fallback": false, "candidates": 10000,
                         "boosts": {"recency": 0, "importance": 0, "length": 0}}') f) f
  FULL JOIN test.bm25(store, memory, query, language) o USING (n) $$;
SELECT query, rows, missing, off
FROM (VALUES
  (1, 'tea'),
  (2, 'quartz'),
  (3, 'tea quartz lantern'),
  (4, 'Trains to the HOTELS, and a garden!'),
  (5, 'tea tea tea tea'),
  (6, 'lisbon tea train hotel garden river music cheap coffee museum '
      'window allergy peanut ferry guitar winter bicycle harbour novel breakfast'),
  (7, 'zebra'),
  (8, 'tea zebra'),
  (9, 'the and of'),
  (10, '42'),
  (11, '5 10 15 20')
) t(i, query),
  LATERAL compared('bm', 'm', query)
ORDER BY i;
-- No later entry has a better score.
SELECT count(*) AS rows, count(*) FILTER (WHERE bm25 > before + 1e-12) AS out_of_order
FROM (SELECT bm25, lag(bm25) OVER (ORDER BY rank) AS before
      FROM memory_search_entries('m', 'tea train lantern', 10000, store => 'bm',
          options => '{"strategy": "keyword", "candidates": 10000,
                       "boosts": {"recency": 0, "importance": 0, "length": 0}}')) t;
-- keyword is BM25 divided by the best; the best is 1; a row without a match has none.
SELECT round(max(keyword)::numeric, 4) AS best, count(*) FILTER (WHERE abs(keyword - bm25 / best) > 1e-9) AS off
FROM (SELECT keyword, bm25, max(bm25) OVER () AS best
      FROM memory_search_entries('m', 'tea train lantern', 10000, store => 'bm',
          options => '{"strategy": "keyword", "candidates": 10000}')) t;

-- If there are few candidates, they are the best of all: their scores are the same as in the whole memory.
SELECT count(*), bool_and(abs(few.bm25 - o.bm25) < 1e-5) AS equal
FROM memory_search_entries('m', 'tea lantern', 5, store => 'bm',
    options => '{"strategy": "keyword", "candidates": 5}') few
JOIN test.bm25('bm', 'm', 'tea lantern') o ON o.n = test.n(few.entry_id);

-- Computed by hand: two rows, one word. N 2, df 1, |d| 2 and 1, average 1.5:
-- ln(1 + 1.5/1.5) * 1 * 1.9 / (1 + 0.9 * (0.85 + 0.15 * 2/1.5)).
INSERT INTO bm.entries (memory_id, entry_id, raw_entry)
VALUES ('hand', test.id(1), 'green tea'), ('hand', test.id(2), 'coffee');
SELECT round(bm25::numeric, 5) AS bm25,
  round((ln(2) * 1.9 / (1 + 0.9 * (0.85 + 0.15 * 2 / 1.5)))::numeric, 5) AS by_hand
FROM memory_search_entries('hand', 'tea', store => 'bm');
-- Field weights, computed by hand: the same word in A, B, C and D, with equal lengths: tf 1.5, 1, 1, 0.5.
INSERT INTO bm.entries (memory_id, entry_id, raw_entry, summary, tags, metadata) VALUES
  ('field', test.id(1), '', 'violin', '{}', '{}'),
  ('field', test.id(2), 'violin', NULL, '{}', '{}'),
  ('field', test.id(3), '', NULL, '{violin}', '{}'),
  ('field', test.id(4), '', NULL, '{}', '{"a": "violin"}');
SELECT test.n(entry_id) AS n, round(bm25::numeric, 5) AS bm25,
  round((ln(1 + 0.5 / 4.5) * w * 1.9 / (w + 0.9))::numeric, 5) AS by_hand
FROM memory_search_entries('field', 'violin', store => 'bm')
JOIN (VALUES (1, 1.5), (2, 1.0), (3, 1.0), (4, 0.5)) t(n, w) ON n = test.n(entry_id)
ORDER BY 1;

-- Other languages.
INSERT INTO bm_simple.entries (memory_id, entry_id, raw_entry)
SELECT 'm', test.id(n), test.words(n, 1 + n % 20)
FROM generate_series(1, 100) n;
INSERT INTO bm_german.entries (memory_id, entry_id, raw_entry)
SELECT 'm', test.id(n),
  (ARRAY['die Häuser', 'ein Haus', 'im Hause', 'Straßenbahnen fahren', 'eine Straßenbahn', 'grün'])[1 + n % 6] || ' '
    || test.words(n, 1 + n % 7)
FROM generate_series(1, 100) n;
SELECT 'simple' AS language, rows, missing, off FROM compared('bm_simple', 'm', 'the trains and a tea', 'simple')
UNION ALL SELECT 'german', rows, missing, off FROM compared('bm_german', 'm', 'Häuser STRASSENBAHN grünes', 'german');
DROP FUNCTION compared;
DROP SCHEMA bm, bm_simple, bm_german CASCADE;
