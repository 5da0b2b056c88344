-- Fusion and boosts against their formulas in SQL, to 1e-5.
SELECT memory_create_store('fo', 4);
INSERT INTO fo.entries (memory_id, entry_id, raw_entry, embedding, importance, creation_time)
SELECT 'm', test.id(n), test.words(n, 3 + n % 12), CASE WHEN n % 6 > 0 THEN test.vector(n) END, n % 101,
  timestamptz '2025-06-01Z' - n * interval '11 hours'
FROM generate_series(1, 300) n;
INSERT INTO fo.entry_access
SELECT 'm', test.id(n), n % 17 * 9, '2025-05-01Z'
FROM generate_series(1, 300) n
WHERE n % 3 = 0;
SET memory_search.max_top_ke = 10000;
SET memory_search.highest_top_ke = 10000;

-- Every row with both signals and the places that each signal gives it.
CREATE TABLE signals AS
  SELECT n, cosine, bm25,
    CASE WHEN cosine IS NOT NULL
          THEN row_number() OVER (ORDER BY cosine DESC NULLS LAST, creation_time DESC, n) END AS semantic_rank,
    CASE WHEN bm25 IS NOT NULL
          THEN row_number() OVER (ORDER BY bm25 DESC NULLS LAST, creation_time DESC, n) END AS keyword_rank,
    extract(epoch FROM timestamptz '2025-06-01Z' - creation_time)::float8 / 86400 AS age,
    importance::float8 AS importance, coalesce(access_count, 0)::float8 AS uses
  FROM (SELECT test.n(e.entry_id) AS n,
          1 - (embedding <=> '[0.5,-0.5,0.5,0.5]'::halfvec) AS cosine,
          creation_time, importance, access_count
        FROM fo.entries e LEFT JOIN fo.entry_access a USING (memory_id, entry_id)) e
  LEFT JOIN test.bm25('fo', 'm', 'tea garden violin') b USING (n);
SELECT count(*) AS rows, count(cosine) AS with_vector, count(bm25) AS with_words FROM signals;

-- The formula, as shares of the best entry's relevance. Candidates are the union of the best by each signal; rescored
-- computes both signals for all of them.
CREATE FUNCTION oracle(fusion text, candidates int, w_semantic float8, w_keyword float8)
RETURNS TABLE (n bigint, relevance float8)
LANGUAGE sql AS $$
  WITH candidate AS (SELECT s.*, s.semantic_rank <= candidates AS near, s.keyword_rank <= candidates AS worded
                     FROM signals s
                     WHERE s.semantic_rank <= candidates OR s.keyword_rank <= candidates),
    shown AS (SELECT c.n,
                CASE WHEN fusion = 'rescored' OR near THEN cosine END AS cosine,
                CASE WHEN fusion = 'rescored' OR worded THEN bm25 END AS bm25,
                CASE WHEN near THEN semantic_rank END AS semantic_rank,
                CASE WHEN worded THEN keyword_rank END AS keyword_rank
              FROM candidate c),
    scaled AS (SELECT s.n,
                 CASE WHEN fusion = 'rrf' THEN 61.0 / (60 + semantic_rank)
                     ELSE (cosine - min(cosine) OVER ()) / (max(cosine) OVER () - min(cosine) OVER ()) END AS semantic,
                 CASE WHEN fusion = 'rrf' THEN 61.0 / (60 + keyword_rank) ELSE bm25 / max(bm25) OVER () END AS keyword
               FROM shown s)
  SELECT s.n, w_semantic * coalesce(semantic, CASE WHEN fusion = 'rescored' THEN 0.8 * keyword END, 0)
    + w_keyword * coalesce(keyword, 0)
  FROM scaled s $$;
CREATE FUNCTION compared(fusion text, candidates int, w_semantic float8, w_keyword float8)
RETURNS TABLE (rows bigint, missing bigint, off bigint, score_off bigint)
LANGUAGE sql AS $$
  SELECT count(*),
    count(*) FILTER (WHERE f.relevance IS NULL OR o.relevance IS NULL),
    count(*) FILTER (WHERE abs(f.of_best - o.of_best) > 1e-5),
    count(*) FILTER (WHERE abs(f.score - f.relevance) > 1e-9)
  FROM (SELECT *, relevance / max(relevance) OVER () AS of_best
        FROM oracle(fusion, candidates, w_semantic, w_keyword)) o
  FULL JOIN (SELECT test.n(entry_id) AS n, f.relevance, f.score, f.relevance / max(f.relevance) OVER () AS of_best
             FROM memory_search_entries('m', 'tea garden violin', 10000, '[0.5,-0.5,0.5,0.5]',
                 options => jsonb_build_object('fusion', fusion, 'candidates', candidates,
                     'weights', jsonb_build_object('semantic', w_semantic, 'keyword', w_keyword),
                     'boosts', '{"recency": 0, "importance": 0, "length": 0}'::jsonb, 'asOf', '2025-06-01T00:00:00Z'),
                 store => 'fo') f) f USING (n) $$;
SET memory_search.max_top_ke = 10000;
SET memory_search.highest_top_ke = 10000;
SELECT fusion, w, c.*
FROM (VALUES ('rescored'), ('weighted'), ('rrf')) f(fusion),
  (VALUES (0.5), (0.8), (0.1)) t(w), LATERAL compared(fusion, 10000, w, 1 - w) c
ORDER BY 1, 2;

-- The relevance of the best entry is the strongest evidence: the cosine plus half of a full match of the words. In a
-- memory of 1,000 entries 0.59 is the evidence at which as much speaks for an answer as against it. A full match has
-- each word once, in a row of average length. Among 300 entries the best is less near by chance: 2.8994 deviations of
-- 0.11 instead of 3.2580.
SELECT abs(best - 1 / (1 + exp(-6 * (strongest + 0.11 * (3.2580 - 2.8994) - 0.59)))) < 1e-4 AS is_the_evidence,
  round(best::numeric, 4) AS best
FROM (SELECT max(relevance) AS best
      FROM memory_search_entries('m', 'tea garden violin', 10000, '[0.5,-0.5,0.5,0.5]',
          options => '{"candidates": 10000, "asOf": "2025-06-01T00:00:00Z"}', store => 'fo')) f,
  (SELECT max(coalesce(cosine, 0.385) + 0.5 * least(1, coalesce(bm25, 0) / full_match)) AS strongest
   FROM signals, (SELECT sum(ln(1 + (300 - df + 0.5) / (df + 0.5))) AS full_match
                  FROM (SELECT count(*) AS df
                        FROM test.words_of_store('fo') w,
                          unnest(tsvector_to_array(to_tsvector('english', 'tea garden violin'))) word
                        WHERE word = ANY (tsvector_to_array(w.words)) GROUP BY word) f) f) e;

-- A small pool: the best five by each signal.
SELECT fusion, count(*) AS rows,
  count(*) FILTER (WHERE o.n IS NULL OR abs(f.of_best - o.relevance / o.best) > 1e-5) AS off,
  (SELECT count(*) FROM oracle(fusion, 5, 0.5, 0.5)) AS pool
FROM (VALUES ('rescored'), ('weighted'), ('rrf')) t(fusion)
CROSS JOIN LATERAL (SELECT entry_id, relevance / max(relevance) OVER () AS of_best
  FROM memory_search_entries('m', 'tea garden violin', 5, '[0.5,-0.5,0.5,0.5]',
      options => jsonb_build_object('fusion', fusion, 'candidates', 5, 'weights', '{"semantic": 0.5}'::jsonb,
          'boosts', '{"recency": 0, "importance": 0, "length": 0}'::jsonb, 'asOf', '2025-06-01T00:00:00Z'),
      store => 'fo')) f
LEFT JOIN LATERAL (SELECT * FROM (SELECT *, max(relevance) OVER () AS best FROM oracle(fusion, 5, 0.5, 0.5)) o
                   WHERE o.n = test.n(f.entry_id)) o ON true
GROUP BY fusion ORDER BY fusion;

-- Boosts: score = relevance * (1 - r - i - p + r * recency + i * importance/100 + p * popularity).
CREATE FUNCTION boosted(r float8, i float8, p float8, curve text, days float8, popularity text, cap float8)
RETURNS TABLE (rows bigint, off bigint, factors_off bigint)
LANGUAGE sql AS $$
  SELECT count(*),
    count(*) FILTER (WHERE abs(f.score - f.relevance
          * (1 - r - i - p + r * o.recency + i * o.importance + p * o.popularity)) > 1e-6),
    count(*) FILTER (WHERE abs(f.recency_factor - o.recency) > 1e-6
        OR abs(f.importance_factor - o.importance) > 1e-6
        OR (p > 0 AND abs(f.popularity_factor - o.popularity) > 1e-6))
  FROM memory_search_entries('m', 'tea garden violin', 10000, '[0.5,-0.5,0.5,0.5]',
      options => jsonb_build_object('candidates', 10000, 'asOf', '2025-06-01T00:00:00Z',
          'boosts', jsonb_build_object('recency', r, 'importance', i, 'popularity', p, 'length', 0),
          'recency', jsonb_build_object('curve', curve, 'days', days),
          'popularity', jsonb_build_object('curve', popularity, 'cap', cap)),
      store => 'fo') f
  JOIN (SELECT n,
          CASE curve
              WHEN 'exponential' THEN exp(-age / days)
              WHEN 'halfLife' THEN power(2, -age / days)
              ELSE greatest(0, 1 - age / days) END AS recency,
          importance / 100 AS importance,
          least(1, uses / CASE popularity WHEN 'max' THEN (SELECT max(uses) FROM signals) ELSE cap END) AS popularity
        FROM signals) o ON o.n = test.n(f.entry_id) $$;
SELECT curve, days, popularity, b.*
FROM (VALUES
  ('exponential', 30, 'max'),
  ('halfLife', 7, 'cap'),
  ('linear', 45.5, 'cap'),
  ('linear', 0.5, 'max'),
  ('exponential', 36500, 'cap')
) t(curve, days, popularity),
  LATERAL boosted(0.3, 0.25, 0.2, curve, days, popularity, 60) b;
SELECT r, i, p, b.*
FROM (VALUES (0, 0, 0), (0.1, 0.05, 0), (0.9, 0, 0), (0, 0.9, 0), (0, 0, 0.9)) t(r, i, p),
  LATERAL boosted(r, i, p, 'exponential', 30, 'max', 100) b;
-- The defaults are recency 0.1, importance 0.05, popularity 0, exponential over 30 days, rescored; and the lifts.
SELECT count(*) AS rows, count(*) FILTER (WHERE abs(d.score - e.score) > 1e-12) AS off
FROM memory_search_entries('m', 'tea', 100, '[0.5,-0.5,0.5,0.5]', options => '{"asOf": "2025-06-01T00:00:00Z"}',
    store => 'fo') d
JOIN memory_search_entries('m', 'tea', 100, '[0.5,-0.5,0.5,0.5]',
    options => '{"asOf": "2025-06-01T00:00:00Z", "preset": "default", "strategy": "hybrid", "fusion": "rescored",
                 "boosts": {"recency": 0.1, "importance": 0.05, "popularity": 0,
                            "author": 0.5, "date": 0.8, "length": 0.3},
                 "recency": {"curve": "exponential", "days": 30}, "candidates": 100}',
    store => 'fo') e USING (entry_id, rank);
-- A future entry is of age 0, and importance alone does not put an irrelevant entry first.
UPDATE fo.entries SET creation_time = '2099-01-01Z' WHERE entry_id = test.id(1);
SELECT recency_factor FROM memory_search_entries('m', '', 1, options => '{"strategy": "recent"}', store => 'fo');
DROP FUNCTION oracle, compared, boosted;
DROP TABLE signals;
DROP SCHEMA fo CASCADE;
