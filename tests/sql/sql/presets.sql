-- Each preset, and each number of it that an option changes, equals its formula to 1e-6. The formulas are written here
-- in SQL from raw inputs: vectors, lexemes, ages, importance, counts.
SELECT memory_create_store('pf', 4);
SELECT setseed(0.42);
-- 200 random entries, five hours apart so that none borrows words of another; a fifth of them in the future.
INSERT INTO pf.entries (memory_id, entry_id, raw_entry, embedding, importance, creation_time)
SELECT 'm', test.id(n), test.words(n, 2 + n % 9),
  CASE WHEN random() < 0.8 THEN ARRAY[random() + 0.2, random() - 0.9, random(), random() + 0.1]::real[]::halfvec END,
  floor(random() * 101), now() + (200 - n * 5) * interval '1 hour'
FROM generate_series(1, 200) n;
INSERT INTO pf.entry_access
SELECT 'm', test.id(n), floor(random() * 150), now() - interval '40 days'
FROM generate_series(1, 200) n
WHERE n % 2 = 0;
-- Uses of entries that are not visible do not count as a maximum.
INSERT INTO pf.entries (memory_id, entry_id, raw_entry, deletion_scheduled_time)
VALUES ('m', test.id(999), 'gone', now()), ('other', test.id(998), 'elsewhere', NULL);
INSERT INTO pf.entry_access
VALUES ('m', test.id(999), 5000, now() - interval '40 days'), ('other', test.id(998), 7000, now() - interval '40 days');
SET memory_search.max_top_ke = 1000;
SELECT count(*) AS entries,
  count(embedding) BETWEEN 140 AND 180 AS most_have_a_meaning,
  count(*) FILTER (WHERE creation_time > now()) AS in_the_future,
  count(DISTINCT importance) > 60 AS importances_differ
FROM pf.entries WHERE memory_id = 'm' AND deletion_scheduled_time IS NULL;

-- The terms of the formulas. The extension uses the query's direction in half precision.
CREATE FUNCTION facts(q vector, instant timestamptz)
RETURNS TABLE (n bigint, cosine float8, words float8, age float8, importance float8, uses float8, most float8)
LANGUAGE sql AS $$
  SELECT n, cosine, bm25 / max(bm25) OVER (), age, importance, uses, max(uses) OVER ()
  FROM (SELECT test.n(e.entry_id) AS n,
          1 - (embedding <=> l2_normalize(q)::halfvec) AS cosine,
          greatest(0, extract(epoch FROM instant - creation_time)::float8 / 86400) AS age,
          importance / 100.0::float8 AS importance, coalesce(access_count, 0)::float8 AS uses
        FROM pf.entries e
        LEFT JOIN pf.entry_access a USING (memory_id, entry_id)
        WHERE memory_id = 'm' AND deletion_scheduled_time IS NULL) e
  LEFT JOIN test.bm25('pf', 'm', 'tea garden violin') USING (n) $$;
CREATE FUNCTION found(options jsonb, q vector) RETURNS TABLE (n bigint, score float8) LANGUAGE sql AS $$
  SELECT test.n(entry_id), f.score
  FROM memory_search_entries('m', 'tea garden violin', 200, q, options => '{"candidates": 1000}' || options,
      store => 'pf') f $$;
-- Importance, recency and popularity in turn: s * (1 - w) + f * w.
CREATE FUNCTION in_turn(relevance float8, wi float8, importance float8, wr float8, recency float8, wp float8,
  popularity float8)
RETURNS float8
LANGUAGE sql IMMUTABLE
  RETURN ((relevance * (1 - wi) + importance * wi) * (1 - wr) + recency * wr) * (1 - wp) + popularity * wp;

-- alfred: 0.5 similarity + 0.3 e^(-age/30) + 0.2 importance, of entries at least 0.7 similar. Relevance has the rest of
-- the boosts to 1, and weights are shares of relevance.
SELECT o, count(*) AS rows,
  count(*) FILTER (WHERE p.score IS NULL OR p.n IS NULL OR expected IS NULL) AS missing,
  max(abs(p.score - expected)) < 1e-6 AS equal
FROM (VALUES ('[0.5,-0.5,0.5,0.5]'::vector), ('[0.3,-0.2,0.9,0.1]')) q(q),
  (VALUES
    (1, '{}'::jsonb),
    (2, '{"boosts": {"importance": 0}}'),
    (3, '{"boosts": {"recency": 0}}'),
    (4, '{"boosts": {"popularity": 0.25}}'),
    (5, '{"recency": {"days": 5}}'),
    (6, '{"recency": {"curve": "halfLife"}}'),
    (7, '{"weights": {"semantic": 0.25}}'),
    (8, '{"weights": {"semantic": 0.3, "keyword": 0.3}, "strategy": "hybrid", "minSimilarity": -1}')
  ) o(i, o),
  LATERAL (SELECT p.score, n, expected
           FROM found('{"preset": "alfred", "dedupThreshold": 1}' || o, q) p
           FULL JOIN (SELECT n,
                        CASE i
                            WHEN 1 THEN 0.5 * cosine + 0.3 * exp(-age / 30) + 0.2 * importance
                            WHEN 2 THEN 0.7 * cosine + 0.3 * exp(-age / 30)
                            WHEN 3 THEN 0.8 * cosine + 0.2 * importance
                            WHEN 4 THEN 0.25 * cosine + 0.3 * exp(-age / 30) + 0.2 * importance + 0.25 * uses / most
                            WHEN 5 THEN 0.5 * cosine + 0.3 * exp(-age / 5) + 0.2 * importance
                            WHEN 6 THEN 0.5 * cosine + 0.3 * power(2, -age / 30) + 0.2 * importance
                            WHEN 7 THEN 0.5 * 0.25 * cosine + 0.3 * exp(-age / 30) + 0.2 * importance
                            WHEN 8
                              THEN 0.5 * (0.5 * coalesce(cosine, 0) + 0.5 * coalesce(words, 0)) + 0.3 * exp(-age / 30)
                                + 0.2 * importance END AS expected
                      FROM facts(q, now())
                      WHERE cosine >= 0.7 OR i = 8 AND (cosine IS NOT NULL OR words IS NOT NULL)) f USING (n)) p
GROUP BY i, o ORDER BY i;
-- It returns no entries below 0.7, unless told; and leaves duplicates out.
SELECT (SELECT count(*)
        FROM found('{"preset": "alfred", "dedupThreshold": 1, "minSimilarity": -1}', '[0.5,-0.5,0.5,0.5]'))
    = (SELECT count(embedding) FROM pf.entries) AS all_with_a_meaning,
  (SELECT count(*) FROM found('{"preset": "alfred"}', '[0.5,-0.5,0.5,0.5]'))
    < (SELECT count(*)
       FROM found('{"preset": "alfred", "dedupThreshold": 1}', '[0.5,-0.5,0.5,0.5]')) AS duplicates_left_out,
  (SELECT count(*)
   FROM found('{"preset": "alfred"}', '[0.5,-0.5,0.5,0.5]') a
   JOIN found('{"preset": "alfred"}', '[0.5,-0.5,0.5,0.5]') b ON a.n < b.n
   WHERE (SELECT embedding FROM pf.entries WHERE entry_id = test.id(a.n))
         <=> (SELECT embedding FROM pf.entries WHERE entry_id = test.id(b.n)) < 0.05 - 1e-6) AS twins_that_stay,
  (SELECT array_agg(n ORDER BY n) FROM found('{"preset": "alfred"}', '[0.5,-0.5,0.5,0.5]'))
    = (SELECT array_agg(n ORDER BY n)
       FROM found('{"preset": "alfred", "dedupThreshold": 0.95}', '[0.5,-0.5,0.5,0.5]')) AS threshold_is_95;
-- Without k it returns 20.
SELECT count(*)
FROM memory_search_entries('m', 'tea', embedding => '[0.5,-0.5,0.5,0.5]',
    options => '{"preset": "alfred", "dedupThreshold": 1}', store => 'pf');

-- cortex and cortex_boost.
SELECT o, count(*) AS rows,
  count(*) FILTER (WHERE p.score IS NULL OR p.n IS NULL OR expected IS NULL) AS missing,
  max(abs(p.score - expected)) < 1e-6 AS equal
FROM (VALUES ('[0.5,-0.5,0.5,0.5]'::vector), ('[0.3,-0.2,0.9,0.1]')) q(q),
  (VALUES
    (1, '{"preset": "cortex"}'::jsonb),
    (2, '{"preset": "cortex", "boosts": {"importance": 0}}'),
    (3, '{"preset": "cortex", "boosts": {"recency": 0}}'),
    (4, '{"preset": "cortex", "boosts": {"popularity": 0}}'),
    (5, '{"preset": "cortex", "weights": {"semantic": 0.4}}'),
    (6, '{"preset": "cortex", "popularity": {"cap": 20}}'),
    (7, '{"preset": "cortex", "recency": {"days": 3}}'),
    (8, '{"preset": "cortex", "popularity": {"curve": "max"}}'),
    (11, '{"preset": "cortex_boost"}'),
    (12, '{"preset": "cortex_boost", "boosts": {"importance": 0}}'),
    (13, '{"preset": "cortex_boost", "boosts": {"recency": 0}}'),
    (14, '{"preset": "cortex_boost", "boosts": {"popularity": 0}}'),
    (15, '{"preset": "cortex_boost", "boosts": {"importance": 0, "recency": 0, "popularity": 0}}')
  ) o(i, o),
  LATERAL (SELECT p.score, n, expected
           FROM found(o, q) p
           FULL JOIN (SELECT n,
                        CASE i
                            WHEN 1 THEN in_turn(r, 0.2, importance, 0.15, month, 0.1, cap)
                            WHEN 2 THEN in_turn(r, 0, importance, 0.15, month, 0.1, cap)
                            WHEN 3 THEN in_turn(r, 0.2, importance, 0, month, 0.1, cap)
                            WHEN 4 THEN in_turn(r, 0.2, importance, 0.15, month, 0, cap)
                            WHEN 5
                              THEN in_turn(0.4 * coalesce(cosine, 0) + 0.6 * coalesce(words, 0), 0.2, importance, 0.15,
                                  month, 0.1, cap)
                            WHEN 6 THEN in_turn(r, 0.2, importance, 0.15, month, 0.1, least(1, uses / 20))
                            WHEN 7 THEN in_turn(r, 0.2, importance, 0.15, greatest(0, 1 - age / 3), 0.1, cap)
                            WHEN 8 THEN in_turn(r, 0.2, importance, 0.15, month, 0.1, uses / most)
                            WHEN 11 THEN in_turn(r, 0.3, importance, 0.2, week, 0.1, uses / most)
                            WHEN 12 THEN in_turn(r, 0, importance, 0.2, week, 0.1, uses / most)
                            WHEN 13 THEN in_turn(r, 0.3, importance, 0, week, 0.1, uses / most)
                            WHEN 14 THEN in_turn(r, 0.3, importance, 0.2, week, 0, 0)
                            WHEN 15 THEN r END AS expected
                      FROM (SELECT *,
                              0.7 * coalesce(cosine, 0) + 0.3 * coalesce(words, 0) AS r,
                              greatest(0, 1 - age / 30) AS month, greatest(0, 1 - age / 7) AS week,
                              least(1, uses / 100) AS cap
                            FROM facts(q, now())
                            WHERE cosine IS NOT NULL OR words IS NOT NULL) f) f USING (n)) p
GROUP BY i, o ORDER BY i;

-- default: relevance * (1 - sum(w) + sum(w * f)); relevance is half the similarity from least to greatest,
-- half the words, if weights are given, as a share of the best one's.
CREATE FUNCTION of_best(options jsonb, q vector) RETURNS TABLE (n bigint, score float8) LANGUAGE sql AS $$
  SELECT test.n(entry_id), f.score / max(f.relevance) OVER ()
  FROM memory_search_entries('m', 'tea garden violin', 200, q, options => '{"candidates": 1000}' || options,
      store => 'pf') f $$;
SELECT o, count(*) AS rows,
  count(*) FILTER (WHERE p.score IS NULL OR p.n IS NULL OR expected IS NULL) AS missing,
  max(abs(p.score - expected)) < 1e-6 AS equal
FROM (VALUES ('[0.5,-0.5,0.5,0.5]'::vector), ('[0.3,-0.2,0.9,0.1]')) q(q),
  (VALUES
    (1, '{"boosts": {"length": 0}}'::jsonb),
    (2, '{"preset": "default", "boosts": {"length": 0}}'),
    (3, '{"boosts": {"importance": 0, "length": 0}}'),
    (4, '{"boosts": {"recency": 0, "length": 0}}'),
    (5, '{"boosts": {"popularity": 0.3, "length": 0}}'),
    (6, '{"boosts": {"popularity": 0.3, "length": 0}, "popularity": {"curve": "cap", "cap": 50}}'),
    (7, '{"boosts": {"length": 0}, "weights": {"keyword": 0.2}}'),
    (8, '{"boosts": {"length": 0}, "recency": {"curve": "linear", "days": 10}}'),
    (9, '{"boosts": {"recency": 0, "importance": 0, "length": 0}}')
  ) o(i, o),
  LATERAL (SELECT p.score, n, expected
           FROM of_best('{"weights": {"keyword": 0.5}}' || o, q) p
           FULL JOIN (
               SELECT n,
                 CASE WHEN i <= 2 THEN r * (0.85 + 0.1 * exp(-age / 30) + 0.05 * importance)
                     WHEN i = 3 THEN r * (0.9 + 0.1 * exp(-age / 30))
                     WHEN i = 4 THEN r * (0.95 + 0.05 * importance)
                     WHEN i = 5 THEN r * (0.55 + 0.1 * exp(-age / 30) + 0.05 * importance + 0.3 * uses / most)
                     WHEN i = 6 THEN r * (0.55 + 0.1 * exp(-age / 30) + 0.05 * importance + 0.3 * least(1, uses / 50))
                     WHEN i = 7
                       THEN r2 / max(r2) OVER ()
                         * (0.85 + 0.1 * exp(-age / 30) + 0.05 * importance)
                     WHEN i = 8 THEN r * (0.85 + 0.1 * greatest(0, 1 - age / 10) + 0.05 * importance)
                     WHEN i = 9 THEN r END AS expected
               FROM (SELECT *, r1 / max(r1) OVER () AS r
                     FROM (SELECT *, 0.5 * coalesce(meaning, 0.8 * words, 0) + 0.5 * coalesce(words, 0) AS r1,
                             0.8 * coalesce(meaning, 0.8 * words, 0) + 0.2 * coalesce(words, 0) AS r2
                     FROM (SELECT *,
                             (cosine - min(cosine) OVER ()) / (max(cosine) OVER () - min(cosine) OVER ()) AS meaning
                           FROM facts(q, now()) WHERE cosine IS NOT NULL OR words IS NOT NULL) f) f) f
             ) f USING (n)) p
GROUP BY i, o ORDER BY i;

-- No score is above 1, whatever weights and boosts a request gives.
INSERT INTO pf.entries (memory_id, raw_entry, embedding, importance, creation_time)
VALUES ('best', 'tea', '[1,0,0,0]', 100, now());
SELECT preset, count(*), max(score) <= 1 + 1e-9 AS in_range
FROM unnest('{default,alfred,cortex,cortex_boost}'::text[]) preset,
  unnest(ARRAY['{"semantic": 1}', '{"semantic": 0.2}', '{"keyword": 1}', '{"semantic": 1, "keyword": 1}']::jsonb[])
    weights,
  unnest(ARRAY['{}', '{"popularity": 0.25}', '{"recency": 0.7, "importance": 0.1}']::jsonb[]) boosts,
  memory_search_entries('best', 'tea', 5, '[1,0,0,0]', store => 'pf', options => jsonb_build_object('preset', preset,
      'weights', weights, 'boosts', boosts, 'strategy', 'hybrid'))
GROUP BY preset ORDER BY preset;

-- The sum of the boosts must be below 1, also with a preset's own; relevance must have a weight.
SELECT options, test.error(format('SELECT memory_search(''m'', ''tea'', options => %L, store => ''pf'')', options))
FROM (VALUES
  (1, '{"boosts": {"recency": 0.5, "importance": 0.3, "popularity": 0.2}}'),
  (2, '{"boosts": {"recency": 0.95}}'),
  (3, '{"boosts": {"recency": 0.94}}'),
  (4, '{"preset": "cortex", "boosts": {"importance": 0.75}}'),
  (5, '{"preset": "cortex", "boosts": {"importance": 0.74}}'),
  (6, '{"preset": "alfred", "boosts": {"popularity": 0.5}}'),
  (7, '{"weights": {"semantic": 0, "keyword": 0}}'),
  (8, '{"preset": "alfred", "weights": {"semantic": 0}}'),
  (9, '{"preset": "cortex", "weights": {"semantic": 0, "keyword": 0}}'),
  (10, '{"preset": "alfredo"}')
) t(i, options)
ORDER BY i;
-- This holds also if the sum misses 1 by the last bit of a double.
SELECT left(test.error($$SELECT memory_search('m', 'tea',
                             options => '{"boosts": {"recency": 0.7, "importance": 0.2, "popularity": 0.1}}',
                             store => 'pf')$$),
    5) AS sqlstate;
DROP FUNCTION facts, found, in_turn;
DROP SCHEMA pf CASCADE;
