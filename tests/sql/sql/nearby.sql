-- Neighbour smoothing: in a conversation an entry borrows a word of the query from the matching entries just before
-- (0.7, 0.5) and after it (0.3, 0.2), at most half an hour away, and only if neighbours share words more often than by
-- chance.
SELECT memory_create_store('nb', 4);
SET memory_search.max_top_ke = 1000;
-- 63 turns, a minute apart. "paint" occurs three times in two successive turns; the answer after them, "finished last
-- year", does not have the word.
CREATE FUNCTION turn(n bigint) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN CASE n % 21
      WHEN 0 THEN 'I began to paint a fox'
      WHEN 1 THEN 'Did you paint it a year ago?'
      ELSE 'It was finished last year' || CASE n % 3 WHEN 0 THEN ' up in the north of Spain' ELSE '' END END;
CREATE FUNCTION fill(memory text, step interval, shift int DEFAULT 1) RETURNS void LANGUAGE sql AS $$
  INSERT INTO nb.entries (memory_id, entry_id, raw_entry, creation_time)
  SELECT memory, test.id(n), turn(n), timestamptz '2025-03-01Z' + n * shift % 63 * step
  FROM generate_series(0, 62) n $$;
SELECT fill('talk', '1 minute'), fill('slow', '31 minutes'), fill('half hour', '30 minutes'),
  fill('shuffled', '1 minute', 38);
INSERT INTO nb.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'random', test.id(n), turn(n),
  timestamptz '2025-03-01Z' + row_number() OVER (ORDER BY md5('x' || n)) * interval '1 minute'
FROM generate_series(0, 62) n;
-- All turns have one time; their order is that of insertion.
INSERT INTO nb.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'at once', test.id(n), turn(n), '2025-03-01Z'
FROM generate_series(0, 62) n
ORDER BY n;
INSERT INTO nb.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'at once, mixed', test.id(n), turn(n), '2025-03-01Z'
FROM generate_series(0, 62) n
ORDER BY n * 38 % 63;
CREATE FUNCTION found(memory text, query text DEFAULT 'When did you paint it, which year?', filters jsonb DEFAULT '{}')
RETURNS TABLE (n bigint, rank int, bm25 float8, keyword float8)
LANGUAGE sql AS $$
  SELECT test.n(entry_id), f.rank, f.bm25, f.keyword
  FROM memory_search_entries(memory, query, 100, filters => filters,
      options => '{"strategy": "keyword", "boosts": {"recency": 0, "importance": 0, "length": 0}}', store => 'nb') f $$;

-- 2 and 13 have the same words; 2 comes after the question, 13 does not. The older one would not win a tie.
SELECT array_agg(n ORDER BY rank) AS talk FROM found('talk') WHERE n IN (2, 13);
SELECT array_agg(n ORDER BY rank) AS slow FROM found('slow') WHERE n IN (2, 13);
SELECT (SELECT raw_entry FROM nb.entries WHERE memory_id = 'talk' AND entry_id = test.id(2))
    = (SELECT raw_entry FROM nb.entries WHERE memory_id = 'talk' AND entry_id = test.id(13)) AS same_words,
  (SELECT count(DISTINCT f.bm25) FROM found('talk') f WHERE n IN (2, 13)) AS bm25s,
  (SELECT count(DISTINCT f.keyword) FROM found('talk') f WHERE n IN (2, 13)) AS keywords;
-- bm25 is the entry's own score, k1 0.9 and b 0.15, also for entries that borrow words.
SELECT memory, count(*) AS rows,
  count(*) FILTER (WHERE f.bm25 IS NULL OR o.bm25 IS NULL) AS missing,
  max(abs(f.bm25 - o.bm25)) < 1e-6 AS equal
FROM unnest(ARRAY['at once', 'half hour', 'random', 'shuffled', 'slow', 'talk']) memory,
  LATERAL (SELECT f.bm25, o.n
           FROM found(memory) f
           JOIN test.bm25('nb', memory, 'When did you paint it, which year?', 'english', 0.9, 0.15) o USING (n)) f,
  LATERAL (SELECT o.bm25
           FROM test.bm25('nb', memory, 'When did you paint it, which year?', 'english', 0.9, 0.15) o
           WHERE o.n = f.n) o
GROUP BY memory ORDER BY memory;

-- The entries whose score has more than their own words: those at most two before or after the two with "paint".
CREATE FUNCTION borrowers(memory text) RETURNS bigint[] LANGUAGE sql AS $$
  SELECT coalesce(array_agg(n ORDER BY n), '{}')
  FROM (SELECT n, keyword * full_score - bm25 AS borrowed
        FROM found(memory), LATERAL (SELECT max(bm25) AS full_score FROM found(memory) WHERE n % 21 = 1) best) t
  WHERE borrowed > 1e-6 $$;
SELECT memory, borrowers(memory)
FROM unnest(ARRAY['at once', 'at once, mixed', 'half hour', 'random', 'shuffled', 'slow', 'talk']) memory
ORDER BY memory;

-- The score by the rule in SQL: for each word the maximum of an entry's own score, 0.7 and 0.5 of the two before, 0.3
-- and 0.2 of the two after. Only matching entries are neighbours.
CREATE FUNCTION with_nearby(memory text) RETURNS TABLE (n bigint, words float8) LANGUAGE sql AS $$
  WITH part AS (SELECT e.n, created, coalesce(p.bm25, 0) AS paint, coalesce(y.bm25, 0) AS year
                FROM (SELECT test.n(entry_id) AS n, creation_time AS created FROM nb.entries WHERE memory_id = memory) e
                LEFT JOIN test.bm25('nb', memory, 'paint', 'english', 0.9, 0.15) p USING (n)
                LEFT JOIN test.bm25('nb', memory, 'year', 'english', 0.9, 0.15) y USING (n)),
    share(before, place) AS (VALUES (0.7, 1), (0.5, 2), (0.3, -1), (0.2, -2)),
    numbered AS (SELECT *, row_number() OVER (ORDER BY created, n) AS at FROM part)
  SELECT one.n, greatest(one.paint, max(before * other.paint)) + greatest(one.year, max(before * other.year))
  FROM numbered one
  JOIN share ON true
  LEFT JOIN numbered other ON other.at = one.at - place
    AND one.created - other.created BETWEEN interval '-30 minutes' AND interval '30 minutes'
  GROUP BY one.n, one.paint, one.year $$;
SELECT memory, count(*) AS rows, max(abs(f.keyword - o.words / best)) < 1e-6 AS equal
FROM unnest(ARRAY['at once', 'half hour', 'talk']) memory, LATERAL (SELECT * FROM found(memory)) f
JOIN LATERAL (SELECT o.*, max(o.words) OVER () AS best FROM with_nearby(memory) o) o USING (n)
GROUP BY memory ORDER BY memory;
SELECT memory, count(*) AS rows, max(abs(f.keyword - f.bm25 / best)) < 1e-6 AS equal
FROM unnest(ARRAY['at once, mixed', 'random', 'shuffled', 'slow']) memory,
  LATERAL (SELECT *, max(f.bm25) OVER () AS best FROM found(memory) f) f
GROUP BY memory ORDER BY memory;
-- Computed by hand: after the question, "paint" counts 0.7 of its score there. A filter hides turns that lend words,
-- but the words are lent.
SELECT round((f.keyword * best.bm25)::numeric, 4) AS words, round((0.7 * p.bm25 + f.bm25)::numeric, 4) AS by_hand
FROM found('talk') f, test.bm25('nb', 'talk', 'paint') p, found('talk') best
WHERE f.n = 2 AND p.n = 1 AND best.n = 1;
SELECT array_agg(n ORDER BY rank) AS found
FROM found('talk', filters => '{"createdAfter": "2025-03-01T00:02:00Z", "createdBefore": "2025-03-01T00:05:00Z"}');
-- A word in a fifth of the matches or more does not show the order of a conversation; neither do a few matches.
SELECT bool_and(abs(f.keyword - f.bm25 / best) < 1e-6) AS nothing_borrowed
FROM (SELECT *, max(f.bm25) OVER () AS best FROM found('talk', 'fox or paint') f) f;
INSERT INTO nb.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'short', test.id(n),
  CASE WHEN n IN (5, 6) THEN 'Did you paint it?' ELSE 'Last year' END,
  timestamptz '2025-03-01Z' + n * interval '1 minute'
FROM generate_series(1, 12) n;
SELECT bool_and(abs(f.keyword - f.bm25 / best) < 1e-6) AS nothing_borrowed
FROM (SELECT *, max(f.bm25) OVER () AS best FROM found('short') f) f;
DROP FUNCTION turn, fill, found, borrowers, with_nearby;
DROP SCHEMA nb CASCADE;
