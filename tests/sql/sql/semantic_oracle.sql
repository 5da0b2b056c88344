-- Semantic search against pgvector: scores.semantic is 1 - (embedding <=> query), the nearest come first.
SELECT memory_create_store('so', 4);
INSERT INTO so.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
SELECT CASE WHEN n % 5 = 0 THEN 'other' ELSE 'm' END, test.id(n), 'row',
  CASE WHEN n % 7 > 0 THEN test.vector(n) END,
  timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM generate_series(1, 500) n;
UPDATE so.entries SET deletion_scheduled_time = now() WHERE test.n(entry_id) BETWEEN 100 AND 120;
SET memory_search.max_top_ke = 10000;
SET memory_search.highest_top_ke = 10000;

CREATE FUNCTION compared(query vector, candidates int DEFAULT 10000)
RETURNS TABLE (rows bigint, missing bigint, off bigint, out_of_order bigint)
LANGUAGE sql AS $$
  WITH found AS (SELECT test.n(entry_id) AS n, semantic, rank
                 FROM memory_search_entries('m', '', candidates, query,
                     options => jsonb_build_object('strategy', 'semantic', 'candidates', candidates,
                         'boosts', '{"recency": 0, "importance": 0, "length": 0}'::jsonb),
                     store => 'so')),
    oracle AS (SELECT test.n(entry_id) AS n, 1 - (embedding <=> query::halfvec) AS similarity
               FROM so.entries
               WHERE memory_id = 'm' AND deletion_scheduled_time IS NULL AND embedding IS NOT NULL
               ORDER BY embedding <=> query::halfvec LIMIT candidates)
  SELECT count(*),
    count(*) FILTER (WHERE semantic IS NULL OR similarity IS NULL),
    count(*) FILTER (WHERE abs(semantic - similarity) > 1e-3),
    (SELECT count(*) FROM (SELECT semantic > lag(semantic) OVER (ORDER BY rank) AS wrong FROM found) t WHERE wrong)
  FROM found
  FULL JOIN oracle USING (n) $$;
SELECT q, c.*
FROM (VALUES ('[1,0,0,0]'::vector), ('[0.3,-0.2,0.9,0.1]'), ('[-5,4,3,-2]'), ('[0.001,0.002,0,0]')) t(q),
  LATERAL compared(q) c;
-- A few candidates are the nearest of all. (The precision is equal; a tie at the limit would show as missing.)
SELECT k, c.* FROM (VALUES (1), (5), (50)) t(k), LATERAL compared('[0.25,-0.5,1,0.125]', k) c;
-- With a query that half precision holds exactly the similarity is exact to 1e-6.
SELECT count(*),
  count(*) FILTER (WHERE abs(semantic - (1 - (embedding <=> '[0.5,-0.5,0.5,0.5]'::halfvec))) > 1e-6) AS off
FROM memory_search_entries('m', '', 10000, '[0.5,-0.5,0.5,0.5]', options => '{"candidates": 10000}', store => 'so') f
JOIN so.entries e ON e.entry_id::text = f.entry_id AND e.memory_id = 'm';
-- The length of the query vector does not matter, only its direction.
SELECT test.found(memory_search('m', '', 10, embedding => '[0.3,-0.2,0.9,0.1]', store => 'so'))
  = test.found(memory_search('m', '', 10, embedding => '[3000,-2000,9000,1000]', store => 'so')) AS same;

-- A row with a vector of zeros, which only a plain INSERT can make, has no similarity, and causes no error.
INSERT INTO so.entries (memory_id, entry_id, raw_entry, embedding)
VALUES ('zero', test.id(1), 'nothing', '[0,0,0,0]'), ('zero', test.id(2), 'something', '[1,0,0,0]');
SELECT test.n(entry_id) AS n, strategy, semantic, score > 0 AS scored
FROM memory_search_entries('zero', '', embedding => '[1,0,0,0]', store => 'so');
SELECT test.n(entry_id) AS n, strategy, semantic, bm25 IS NOT NULL AS has_words
FROM memory_search_entries('zero', 'nothing', embedding => '[1,0,0,0]', store => 'so') ORDER BY 1;
-- A column of vector instead of halfvec, and one without a dimension, work, too.
SELECT memory_create_store('so_vector', 4);
ALTER TABLE so_vector.entries ALTER embedding TYPE vector(4);
ALTER TABLE so_vector.contexts ALTER embedding TYPE vector(4);
SELECT memory_add('m', 'x', embedding => '[0.1,0.2,0.3,0.4]', entry_id => test.id(1), store => 'so_vector');
SELECT round(semantic::numeric, 4)
FROM memory_search_entries('m', '', embedding => '[0.1,0.2,0.3,0.4]', store => 'so_vector');
SELECT test.error($$SELECT memory_add('m', 'x', embedding => '[1,2]', store => 'so_vector')$$);
ALTER TABLE so_vector.entries ALTER embedding TYPE halfvec;
ALTER TABLE so_vector.contexts ALTER embedding TYPE halfvec;
SELECT memory_add('m', 'y', embedding => '[1,2]', entry_id => test.id(2), store => 'so_vector');
SELECT test.n(entry_id) AS n, round(semantic::numeric, 4)
FROM memory_search_entries('m', '', embedding => '[2,4]', store => 'so_vector');
SELECT test.n(entry_id) AS n, round(semantic::numeric, 4)
FROM memory_search_entries('m', '', embedding => '[0.1,0.2,0.3,0.4]', store => 'so_vector');
DROP FUNCTION compared;
DROP SCHEMA so, so_vector CASCADE;
