-- Each filter against an independent WHERE; filters hold before the limit.
SELECT memory_create_store('fi', 4);
INSERT INTO fi.entries (memory_id, entry_id, raw_entry, embedding, user_id, agent_id, tags, metadata, source_type,
  importance, creation_time)
SELECT 'm', test.id(n), 'kite ' || test.words(n, 4), CASE WHEN n % 4 > 0 THEN test.vector(n) END,
  CASE n % 4 WHEN 0 THEN NULL WHEN 1 THEN 'ana' WHEN 2 THEN 'bo' ELSE 'O''Neil "x" \' END,
  CASE n % 3 WHEN 0 THEN NULL ELSE 'agent' || n % 3 END,
  CASE n % 5
      WHEN 0 THEN '{}'
      WHEN 1 THEN '{red}'
      WHEN 2 THEN '{red,blue}'
      WHEN 3 THEN '{"big red",blue}'
      ELSE ARRAY['green', NULL] END::text[],
  jsonb_build_object('n', n, 'kind', CASE WHEN n % 2 = 0 THEN 'even' ELSE 'odd' END,
      'list', jsonb_build_array(n % 3, n % 7), 'in', jsonb_build_object('deep', n % 5)),
  CASE n % 3 WHEN 0 THEN 'chat' WHEN 1 THEN 'mail' END,
  n % 101,
  timestamptz '2025-01-01Z' + n * interval '6 hours'
FROM generate_series(1, 200) n;
INSERT INTO fi.entry_access
SELECT 'm', test.id(n), n % 10, '2025-02-01Z'
FROM generate_series(1, 200) n
WHERE n % 2 = 0;
SET memory_search.max_top_ke = 1000;

CREATE TABLE cases (n int GENERATED ALWAYS AS IDENTITY, filter jsonb, condition text);
INSERT INTO cases (filter, condition) VALUES
  ('{}', 'true'),
  ('{"userId": "ana"}', $$user_id = 'ana'$$),
  ('{"userId": "O''Neil \"x\" \\"}', $$user_id = 'O''Neil "x" \'$$),
  ('{"userId": "nobody"}', 'false'),
  ('{"userId": null}', 'true'),
  ('{"agentId": "agent2"}', $$agent_id = 'agent2'$$),
  ('{"tags": "red"}', $$'red' = ANY (tags)$$),
  ('{"tags": ["red", "green"]}', $$'red' = ANY (tags) OR 'green' = ANY (tags)$$),
  ('{"tags": ["red", "blue"], "tagMatch": "any"}', $$'red' = ANY (tags) OR 'blue' = ANY (tags)$$),
  ('{"tags": ["red", "blue"], "tagMatch": "all"}', $$'red' = ANY (tags) AND 'blue' = ANY (tags)$$),
  ('{"tags": ["big red"]}', $$'big red' = ANY (tags)$$),
  ('{"tags": []}', 'true'),
  ('{"tags": [], "tagMatch": "all"}', 'true'),
  ('{"importance": 50}', 'importance = 50'),
  ('{"importance": 50.5}', 'false'),
  ('{"importance": {"$eq": 7}}', 'importance = 7'),
  ('{"importance": {"$gte": 20, "$lte": 30}}', 'importance BETWEEN 20 AND 30'),
  ('{"importance": {"$gt": 20, "$lt": 30}}', 'importance > 20 AND importance < 30'),
  ('{"importance": {"$gt": 20, "$lte": 30.5}}', 'importance > 20 AND importance <= 30'),
  ('{"importance": {"$gt": -1e300}}', 'true'),
  ('{"importance": {}}', 'true'),
  ('{"minImportance": 90}', 'importance >= 90'),
  ('{"minImportance": 10, "importance": {"$gte": 40, "$lt": 60}}', 'importance >= 40 AND importance < 60'),
  ('{"minImportance": 45, "importance": {"$gte": 40, "$lt": 60}}', 'importance >= 45 AND importance < 60'),
  ('{"createdAfter": "2025-01-20T00:00:00Z"}', $$creation_time >= '2025-01-20Z'$$),
  ('{"createdBefore": "2025-01-20T02:00:00+02:00"}', $$creation_time <= '2025-01-20Z'$$),
  ('{"createdAfter": "2025-01-10T00:00:00Z", "createdBefore": "2025-01-10T00:00:00Z"}',
   $$creation_time = '2025-01-10Z'$$),
  ('{"sourceType": "chat"}', $$source_type = 'chat'$$),
  ('{"sourceType": ["chat", "mail", "fax"]}', $$source_type IN ('chat', 'mail')$$),
  ('{"source.type": "mail"}', $$source_type = 'mail'$$),
  ('{"sourceType": []}', 'true'),
  ('{"accessCount": 0}', 'n % 2 = 1 OR n % 10 = 0'),
  ('{"accessCount": 4}', 'n % 10 = 4'),
  ('{"accessCount": {"$gt": 2, "$lt": 8}}', 'n % 10 IN (4, 6)'),
  ('{"accessCount": {"$lte": 0}}', 'n % 2 = 1 OR n % 10 = 0'),
  ('{"metadata": {"kind": "even"}}', $$metadata->>'kind' = 'even'$$),
  ('{"metadata": {"n": 17}}', 'n = 17'),
  ('{"metadata": {"n": 17.0}}', 'n = 17'),
  ('{"metadata": {"n": "17"}}', 'false'),
  ('{"metadata": {"list": [2]}}', 'n % 3 = 2 OR n % 7 = 2'),
  ('{"metadata": {"in": {"deep": 3}, "kind": "odd"}}', $$n % 5 = 3 AND n % 2 = 1$$),
  ('{"metadata": {}}', 'true'),
  ('{"userId": ["ana", "bo"]}', $$user_id IN ('ana', 'bo')$$),
  ('{"userId": {"$ne": "ana"}}', $$user_id IS DISTINCT FROM 'ana'$$),
  ('{"agentId": {"$nin": ["agent1"]}}', $$coalesce(agent_id, '') <> 'agent1'$$),
  ('{"agentId": {"$exists": false}}', 'agent_id IS NULL'),
  ('{"agentId": {"$exists": true}, "userId": {"$like": "O%x__\\\\"}}',
   $$agent_id IS NOT NULL AND user_id LIKE 'O''%'$$),
  ('{"sourceType": {"$ilike": "CH%"}}', $$source_type = 'chat'$$),
  ('{"rawEntry": {"$contains": "tea"}}', $$raw_entry LIKE '%tea%'$$),
  ('{"rawEntry": {"$contains": "%"}}', 'false'),
  ('{"summary": {"$exists": true}}', 'summary IS NOT NULL'),
  ('{"importance": {"$ne": 50}}', 'importance <> 50'),
  ('{"importance": {"$in": [1, 2, 3]}}', 'importance IN (1, 2, 3)'),
  ('{"importance": [1, 2]}', 'importance IN (1, 2)'),
  ('{"importance": {"$between": [20, 30]}, "accessCount": {"$nin": [0, 2]}}',
   'importance BETWEEN 20 AND 30 AND n % 2 = 0 AND n % 10 NOT IN (0, 2)'),
  ('{"createdAt": {"$gt": "2025-01-10T00:00:00Z", "$lte": "2025-01-12T00:00:00Z"}}',
   $$creation_time > '2025-01-10Z' AND creation_time <= '2025-01-12Z'$$),
  ('{"expiresAt": {"$exists": false}}', 'expires_at IS NULL'),
  ('{"tags": {"$nin": ["red", "green"]}}', $$NOT tags && '{red,green}'$$),
  ('{"tags": {"$all": ["red", "blue"]}}', $$tags @> '{red,blue}'$$),
  ('{"tags": {"$contains": "big red"}}', $$'big red' = ANY (tags)$$),
  ('{"ids": ["00000000-0000-0000-0000-000000000007", "00000000-0000-0000-0000-000000000010", "x"]}', 'n IN (7, 10)'),
  ('{"ids": []}', 'false'),
  ('{"excludeIds": ["00000000-0000-0000-0000-000000000007"]}', 'n <> 7'),
  ('{"$or": [{"userId": "ana"}, {"importance": {"$gte": 90}}]}', $$user_id = 'ana' OR importance >= 90$$),
  ('{"$and": [{"tags": "red"}, {"$or": [{"userId": "bo"}, {"agentId": "agent1"}]}]}',
   $$'red' = ANY (tags) AND (user_id = 'bo' OR agent_id = 'agent1')$$),
  ('{"$not": {"userId": "ana"}}', $$user_id IS DISTINCT FROM 'ana'$$),
  ('{"$not": [{"userId": "ana"}, {"tags": "red"}]}',
   $$user_id IS DISTINCT FROM 'ana' AND ('red' = ANY (tags)) IS NOT TRUE$$),
  ('{"$not": {"summary": {"$exists": false}}}', 'summary IS NOT NULL'),
  ('{"$not": {"rawEntry": {"$exists": false}}}', 'true'),
  ('{"$not": {"metadata": {"kind": {"$ne": "even"}}}}', 'n % 2 = 0'),
  ('{"$not": {"excludeIds": ["00000000-0000-0000-0000-000000000007"]}}', 'n = 7'),
  ('{"$not": {"$not": {"rawEntry": {"$contains": "tea"}}}}', $$raw_entry LIKE '%tea%'$$),
  ('{"$not": {"$not": {"metadata": {"n": 17}}}}', 'n = 17'),
  ('{"$not": {"$or": [{"userId": "ana"}, {"metadata.n": {"$nin": [3, 5]}}]}}',
   $$n IN (3, 5) AND user_id IS DISTINCT FROM 'ana'$$),
  ('{"$or": [{"$not": {"accessCount": {"$ne": 4}}}, {"userId": "ana"}]}', $$n % 10 = 4 OR user_id = 'ana'$$),
  ('{"$not": {"$and": [{"importance": {"$gt": 10}}, {"$not": {"metadata.in.deep": {"$gt": 2}}}]}}',
   'NOT (importance > 10 AND NOT n % 5 > 2)'),
  ('{"excludeIds": []}', 'true'),
  ('{"metadata": {"n": {"$gt": 150}}}', 'n > 150'),
  ('{"metadata": {"n": {"$gt": "150"}}}', 'false'),
  ('{"metadata": {"n": {"$gte": 10, "$lt": 20}, "kind": "even"}}', 'n BETWEEN 10 AND 19 AND n % 2 = 0'),
  ('{"metadata": {"n": {"$between": [10, 19.5]}}}', 'n BETWEEN 10 AND 19'),
  ('{"metadata": {"n": {"$in": [3, 5, "7"]}}}', 'n IN (3, 5)'),
  ('{"metadata": {"n": {"$in": []}}}', 'false'),
  ('{"metadata": {"n": {"$nin": [3, 5]}}}', 'n NOT IN (3, 5)'),
  ('{"metadata": {"kind": {"$ne": "even"}}}', 'n % 2 = 1'),
  ('{"metadata": {"missing": {"$ne": 1}}}', 'true'),
  ('{"metadata": {"missing": {"$exists": false}}}', 'true'),
  ('{"metadata": {"in": {"deep": {"$lte": 1}}}}', 'n % 5 <= 1'),
  ('{"metadata.in.deep": {"$exists": true}}', 'true'),
  ('{"metadata.in.deep": 3}', 'n % 5 = 3'),
  ('{"metadata.in.deep": [3, 4]}', 'n % 5 IN (3, 4)'),
  ('{"metadata.list": {"$eq": 6}}', 'n % 7 = 6'),
  ('{"metadata": {"list": {"$contains": 6}}}', 'n % 7 = 6'),
  ('{"metadata": {"kind": {"$contains": "ve"}}}', 'n % 2 = 0'),
  ('{"metadata": {"kind": {"$like": "_d%"}}}', 'n % 2 = 1'),
  ('{"metadata": {"kind": {"$like": "EV%"}}}', 'false'),
  ('{"metadata": {"kind": {"$ilike": "EV%"}}}', 'n % 2 = 0'),
  ('{"metadata": {"$or": [{"n": 5}, {"n": {"$gt": 198}}]}}', 'n = 5 OR n > 198'),
  ('{"metadata": {"in": {"$not": {"deep": {"$in": [1, 2]}}}}}', 'n % 5 NOT IN (1, 2)'),
  ('{"userId": "bo", "agentId": "agent1", "tags": "blue", "minImportance": 5, "sourceType": ["mail"],
     "createdAfter": "2025-01-02T00:00:00Z", "accessCount": {"$gte": 0}, "metadata": {"kind": "even"}}',
   $$user_id = 'bo' AND agent_id = 'agent1' AND 'blue' = ANY (tags) AND importance >= 5
       AND source_type = 'mail' AND creation_time >= '2025-01-02Z' AND n % 2 = 0$$);

-- The entries that SQL finds.
CREATE FUNCTION by_sql(condition text) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
  found bigint[];
BEGIN
  EXECUTE 'SELECT coalesce(array_agg(n ORDER BY n), ''{}'')
    FROM (SELECT test.n(entry_id) AS n, * FROM fi.entries) e WHERE ' || condition INTO found;
  RETURN found;
END $$;
-- The entries that the search finds, by each strategy. Semantic search finds only rows with an embedding.
CREATE FUNCTION by_search(strategy text, filter jsonb) RETURNS bigint[] LANGUAGE sql AS $$
  SELECT coalesce(array_agg(n ORDER BY n), '{}')
  FROM (SELECT test.n(entry_id) AS n
        FROM memory_search_entries('m', 'kite', 1000, '[1,0,0,0]', filter,
            jsonb_build_object('strategy', strategy, 'fallback', false, 'candidates', 10000), 'fi')) f $$;
CREATE TABLE compared AS
  SELECT n, filter, strategy, expected, by_search(strategy, filter) AS found
  FROM cases, (VALUES ('keyword', 'true'), ('recent', 'true'), ('hybrid', 'true'), ('semantic', 'embedding IS NOT NULL')
    ) s(strategy, has_signal), LATERAL by_sql(format('(%s) AND %s', condition, has_signal)) expected;
SELECT strategy, count(*) AS filters, sum(cardinality(expected)) AS "rows by SQL",
  count(*) FILTER (WHERE expected = '{}') AS "filters that pass none",
  count(*) FILTER (WHERE found = expected) AS "filters that find these rows"
FROM compared GROUP BY strategy ORDER BY strategy;
SELECT filter, strategy, expected, found FROM compared WHERE found IS DISTINCT FROM expected ORDER BY n, strategy;

-- Filters hold before the limit: a search returns the requested number of entries if that many match, even if the best
-- ones all fail the filter.
SELECT strategy, candidates,
  (SELECT count(*)
   FROM memory_search_entries('m', 'kite', 5, '[1,0,0,0]', '{"importance": {"$lt": 9}}',
       jsonb_build_object('strategy', strategy, 'candidates', candidates), 'fi')) AS found
FROM (VALUES ('hybrid'), ('keyword'), ('semantic'), ('recent')) s(strategy), (VALUES (1), (5), (100)) c(candidates)
ORDER BY 1, 2;
-- A filter does not change which words are rare: a row's BM25 is the same with it and without.
SELECT count(*) AS compared, count(*) FILTER (WHERE abs(a.bm25 - b.bm25) > 1e-9) AS different
FROM memory_search_entries('m', 'kite lisbon museum', 1000, NULL, '{"userId": "ana"}',
    '{"strategy": "keyword", "candidates": 10000}', 'fi') a
JOIN memory_search_entries('m', 'kite lisbon museum', 1000, NULL, NULL, '{"strategy": "keyword", "candidates": 10000}',
    'fi') b USING (entry_id);
DROP FUNCTION by_sql, by_search;
DROP TABLE cases, compared;
DROP SCHEMA fi CASCADE;
