-- Each preset equals its formula, written here in SQL, to 1e-6.
\pset format unaligned
SELECT memory_create_store('ps', 4);
INSERT INTO ps.entries (memory_id, entry_id, raw_entry, embedding, importance, creation_time)
SELECT 'm', test.id(n), test.words(n, 3 + n % 12), test.vector(n), n % 101, timestamptz '2025-06-01Z' - n * interval '7 hours' FROM generate_series(1, 200) n;
INSERT INTO ps.entry_access SELECT 'm', test.id(n), n % 17 * 9, '2025-05-01Z' FROM generate_series(1, 200) n WHERE n % 3 = 0;
SET memory_search.max_top_ke = 1000;
CREATE VIEW facts AS SELECT n, cosine, bm25 / max(bm25) OVER () AS words, age, importance, uses, max(uses) OVER () AS most FROM (
  SELECT test.n(e.entry_id) AS n, 1 - (embedding <=> '[0.5,-0.5,0.5,0.5]'::halfvec) AS cosine, extract(epoch FROM timestamptz '2025-06-01Z' - creation_time)::float8 / 86400 AS age,
         importance / 100.0::float8 AS importance, coalesce(access_count, 0)::float8 AS uses FROM ps.entries e LEFT JOIN ps.entry_access a USING (memory_id, entry_id)) e LEFT JOIN test.bm25('ps', 'm', 'tea garden violin') b USING (n);
CREATE FUNCTION by_preset(preset text, options jsonb DEFAULT '{}') RETURNS TABLE (n bigint, score float8) LANGUAGE sql AS $$
  SELECT test.n(entry_id), f.score FROM memory_search_entries('m', 'tea garden violin', 1000, '[0.5,-0.5,0.5,0.5]', options => jsonb_build_object('preset', preset, 'candidates', 1000, 'asOf', '2025-06-01T00:00:00Z') || options, store => 'ps') f $$;

-- alfred: 0.5 similarity + 0.3 e^(-age_days/30) + 0.2 importance, of entries at least 0.7 similar.
SELECT count(*) AS rows, count(*) FILTER (WHERE p.score IS NULL OR f.n IS NULL) AS missing, count(*) FILTER (WHERE abs(p.score - (0.5 * cosine + 0.3 * exp(-age / 30) + 0.2 * importance)) > 1e-6) AS off
FROM by_preset('alfred', '{"dedupThreshold": 1}') p FULL JOIN (SELECT * FROM facts WHERE cosine >= 0.7) f USING (n);
-- Its duplicates are gone: no two entries that stay are more than 0.95 similar, and each one left out is, to a better one.
WITH ranked AS (SELECT p.n, p.score, embedding FROM by_preset('alfred', '{"dedupThreshold": 1}') p JOIN ps.entries e ON e.entry_id = test.id(p.n)), stays AS (SELECT r.* FROM ranked r JOIN by_preset('alfred') USING (n))
SELECT (SELECT count(*) FROM stays a JOIN stays b ON a.n < b.n AND 1 - (a.embedding <=> b.embedding) > 0.95 + 1e-6) AS twins_that_stay,
       (SELECT count(*) FROM ranked r WHERE n NOT IN (SELECT n FROM stays)) > 0 AS some_left_out,
       (SELECT count(*) FROM ranked r WHERE n NOT IN (SELECT n FROM stays) AND NOT EXISTS (SELECT FROM stays s WHERE s.score >= r.score AND 1 - (s.embedding <=> r.embedding) > 0.95 - 1e-6)) AS left_out_without_a_twin;

-- cortex: 0.7 semantic + 0.3 keyword; then for importance 0.2, recency 0.15 (linear, 30 days), popularity 0.1 (count / 100): score * (1 - w) + factor * w.
SELECT count(*) AS rows, count(*) FILTER (WHERE p.score IS NULL) AS missing, count(*) FILTER (WHERE abs(p.score - s3) > 1e-6) AS off
FROM by_preset('cortex') p FULL JOIN (SELECT f.*, s2 * 0.9 + least(1, uses / 100) * 0.1 AS s3 FROM (SELECT f.*, s1 * 0.85 + greatest(0, 1 - age / 30) * 0.15 AS s2
  FROM (SELECT f.*, (0.7 * cosine + 0.3 * coalesce(words, 0)) * 0.8 + importance * 0.2 AS s1 FROM facts f) f) f) f USING (n);
-- cortex_boost: importance 0.3, recency 0.2 (linear, 7 days), popularity 0.1 (against the most used).
SELECT count(*) AS rows, count(*) FILTER (WHERE p.score IS NULL) AS missing, count(*) FILTER (WHERE abs(p.score - s3) > 1e-6) AS off
FROM by_preset('cortex_boost') p FULL JOIN (SELECT f.*, s2 * 0.9 + uses / most * 0.1 AS s3 FROM (SELECT f.*, s1 * 0.8 + greatest(0, 1 - age / 7) * 0.2 AS s2
  FROM (SELECT f.*, (0.7 * cosine + 0.3 * coalesce(words, 0)) * 0.7 + importance * 0.3 AS s1 FROM facts f) f) f) f USING (n);
-- Each boost is optional.
SELECT count(*) AS rows, count(*) FILTER (WHERE abs(p.score - ((0.7 * cosine + 0.3 * coalesce(words, 0)) * 0.8 + importance * 0.2)) > 1e-6) AS off FROM by_preset('cortex', '{"boosts": {"recency": 0, "popularity": 0}}') p JOIN facts USING (n);
SELECT count(*) AS rows, count(*) FILTER (WHERE abs(p.score - (0.7 * cosine + 0.3 * coalesce(words, 0))) > 1e-6) AS off FROM by_preset('cortex', '{"boosts": {"recency": 0, "popularity": 0, "importance": 0}}') p JOIN facts USING (n);

-- dedupThreshold by itself: the best of each group stays, and others move up to fill the answer.
INSERT INTO ps.entries (memory_id, entry_id, raw_entry, embedding, creation_time) SELECT 'twins', test.id(n), 'kite', CASE WHEN n <= 6 THEN format('[1,%s,0,0]', n / 1000.0)::halfvec WHEN n <= 8 THEN format('[0,1,%s,0]', n / 1000.0)::halfvec END, '2025-01-01Z' FROM generate_series(1, 10) n;
SELECT threshold, test.found(memory_search('twins', '', 10, embedding => '[1,0,0,0]', options => jsonb_build_object('dedupThreshold', threshold, 'boosts', '{"recency": 0}'::jsonb), store => 'ps')) AS found FROM (VALUES (1), (0.99), (0)) t(threshold);
SELECT test.found(memory_search('twins', '', 2, embedding => '[1,0,0,0]', options => '{"dedupThreshold": 0.9}', store => 'ps')) AS two, test.found(memory_search('twins', 'kite', 10, options => '{"dedupThreshold": 0.9}', store => 'ps')) AS by_words_too;
DROP VIEW facts;
DROP FUNCTION by_preset;
DROP SCHEMA ps CASCADE;
