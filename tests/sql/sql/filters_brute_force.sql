-- In a memory of 20,000 entries, a filter that one entry in a hundred passes loses no entry: the search finds the same
-- entries in the same order as a ranking in plain SQL.
SELECT memory_create_store('fb', 4, 'simple');
INSERT INTO fb.entries (memory_id, entry_id, raw_entry, embedding, user_id, agent_id, tags, metadata, source_type,
  importance, creation_time)
SELECT 'm', test.id(n), 'e' || n, test.vector(n), 'u' || n % 20, 'a' || n % 3, ARRAY['t' || n % 7, 's' || n % 11],
  jsonb_build_object('k', n % 13, 'in', jsonb_build_object('deep', n % 2 = 0)),
  (ARRAY['chat', 'mail', 'file', NULL])[1 + n % 4], n * 31 % 101,
  timestamptz '2025-01-01Z' + n % 5000 * interval '1 minute'
FROM generate_series(1, 20000) n;
INSERT INTO fb.entry_access
SELECT 'm', test.id(n), n % 97, '2025-02-01Z'
FROM generate_series(1, 20000) n
WHERE n % 2 = 0;
-- Another memory has the same entries, nearer to the query: they are never found.
INSERT INTO fb.entries (memory_id, entry_id, raw_entry, embedding, user_id, tags, importance)
SELECT 'other', test.id(n), 'e' || n, '[0.5,-0.5,0.5,0.5]', 'u7', '{t3,s5}', 90
FROM generate_series(1, 500) n;
ANALYZE fb.entries;
SET memory_search.max_top_ke = 1000;

-- Searches for all entries, for 10 with the usual number of candidates, and for 10 with the least number; returns how
-- many entries pass by SQL, and whether the three answers equal the brute-force ranking.
CREATE FUNCTION compared(filters jsonb, condition text, q vector DEFAULT '[0.5,-0.5,0.5,0.5]')
RETURNS TABLE (passing bigint, all_equal bool, ten_equal bool, few_equal bool)
LANGUAGE plpgsql AS $$
DECLARE
  expected text[];
  plain jsonb := '{"strategy": "semantic", "boosts": {"recency": 0, "importance": 0, "length": 0}}';
BEGIN
  EXECUTE format($sql$
      SELECT coalesce(array_agg(e.entry_id::text
          ORDER BY embedding <=> %L::halfvec, creation_time DESC, e.entry_id::text), '{}')
      FROM fb.entries e LEFT JOIN fb.entry_access a USING (memory_id, entry_id)
      WHERE memory_id = 'm' AND (%s)$sql$, q, condition) INTO expected;
  RETURN QUERY
    SELECT cardinality(expected)::bigint,
      (SELECT array_agg(entry_id ORDER BY rank) FROM memory_search_entries('m', '', 1000, q, filters, plain, 'fb'))
        = expected[:1000],
      (SELECT array_agg(entry_id ORDER BY rank) FROM memory_search_entries('m', '', 10, q, filters, plain, 'fb'))
        = expected[:10],
      (SELECT array_agg(entry_id ORDER BY rank)
       FROM memory_search_entries('m', '', 10, q, filters, plain || '{"candidates": 1}', 'fb')) = expected[:10];
END $$;
SELECT filters, c.*
FROM (VALUES
  (1, '{"userId": "u7", "tags": "t3"}', $$user_id = 'u7' AND 't3' = ANY (tags)$$),
  (2, '{"tags": ["t1", "s4"], "tagMatch": "all"}', $$'t1' = ANY (tags) AND 's4' = ANY (tags)$$),
  (3, '{"metadata": {"k": 5, "in": {"deep": true}}, "sourceType": ["file"], "minImportance": 30}',
   $$metadata->>'k' = '5' AND (metadata#>>'{in,deep}')::bool AND source_type = 'file' AND importance >= 30$$),
  (4, '{"metadata": {"k": 5}, "sourceType": ["mail", "chat"], "agentId": "a1"}',
   $$metadata->>'k' = '5' AND source_type IN ('mail', 'chat') AND agent_id = 'a1'$$),
  (5, '{"importance": 77}', 'importance = 77'),
  (6, '{"accessCount": {"$gte": 90, "$lt": 94}, "agentId": "a2"}',
   $$access_count >= 90 AND access_count < 94 AND agent_id = 'a2'$$),
  (7, '{"createdAfter": "2025-01-01T01:00:00Z", "createdBefore": "2025-01-01T01:50:00Z"}',
   $$creation_time BETWEEN '2025-01-01T01:00:00Z' AND '2025-01-01T01:50:00Z'$$),
  (8, '{"tags": ["t1", "s4"], "userId": "u2"}', $$tags && '{t1,s4}' AND user_id = 'u2'$$),
  (9, '{"userId": "u2", "agentId": "a1", "sourceType": "file", "minImportance": 40}',
   $$user_id = 'u2' AND agent_id = 'a1' AND source_type = 'file' AND importance >= 40$$)
) t(i, filters, condition),
  LATERAL compared(filters::jsonb, condition) c
ORDER BY i;
-- Each bound of a number, on importance and on the access count, which is 0 for an entry that was never used.
SELECT f.filters, c.*
FROM (VALUES
  (1, '"$eq": 50', '= 50'),
  (2, '"$gte": 100', '>= 100'),
  (3, '"$gt": 99', '> 99'),
  (4, '"$lte": 0', '<= 0'),
  (5, '"$lt": 1', '< 1'),
  (6, '"$gt": 49, "$lt": 51', 'IN (50)'),
  (7, '"$gte": 10, "$lte": 10.5', 'IN (10)'),
  (8, '"$gt": 49.5, "$lte": 50', 'IN (50)')
) t(i, bounds, condition),
  LATERAL (SELECT format('{"importance": {%s}}', bounds)::jsonb) f(filters),
  LATERAL compared(filters, 'importance ' || condition) c
ORDER BY i;
SELECT f.filters, c.*
FROM (VALUES
  (1, '"$eq": 50', '= 50'),
  (2, '"$gte": 96', '>= 96'),
  (3, '"$gt": 95', '> 95'),
  (4, '"$lte": 0', '<= 0'),
  (5, '"$lt": 1', '< 1'),
  (6, '"$gt": 0, "$lt": 2', '= 1')
) t(i, bounds, condition),
  LATERAL (SELECT format('{"accessCount": {%s}}', bounds)::jsonb) f(filters),
  LATERAL compared(filters, 'coalesce(access_count, 0) ' || condition) c
ORDER BY i;
-- Other queries, also a query that half precision rounds.
SELECT q, c.* FROM (VALUES ('[1,0,0,0]'::vector), ('[0,0,0,-3]'), ('[0.3,-0.2,0.9,0.1]')) t(q),
  LATERAL compared('{"userId": "u7", "tags": "t3"}', $$user_id = 'u7' AND 't3' = ANY (tags)$$, l2_normalize(q)) c;
-- A filter that no entry passes finds nothing, by words or otherwise.
SELECT count(*) FROM memory_search_entries('m', 'e7', 10, '[1,0,0,0]', '{"userId": "u99"}', store => 'fb');
-- By words, too: one word, and a filter that only one entry passes, ranked far behind 100 others that match.
UPDATE fb.entries SET raw_entry = 'word ' || raw_entry WHERE memory_id = 'm' AND test.n(entry_id) % 10 = 0;
SELECT array_agg(test.n(entry_id) ORDER BY rank) AS found, array_agg(DISTINCT strategy) AS strategies
FROM memory_search_entries('m', 'word', 10, filters => '{"userId": "u10", "importance": 7, "tags": "s9"}',
    store => 'fb');
SELECT array_agg(test.n(entry_id) ORDER BY creation_time DESC, entry_id) AS expected
FROM fb.entries
WHERE memory_id = 'm' AND raw_entry LIKE 'word%' AND user_id = 'u10' AND importance = 7 AND 's9' = ANY (tags);
DROP FUNCTION compared;
DROP SCHEMA fb CASCADE;
