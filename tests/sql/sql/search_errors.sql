-- Every wrong request: SQLSTATE, message and hint.
SELECT memory_create_store('se', 4);
SELECT memory_add('m', 'kite', store => 'se') IS NOT NULL;

-- Arguments.
SELECT test.error(statement) FROM (VALUES
  ($$SELECT memory_search(NULL, 'kite', store => 'se')$$),
  ($$SELECT memory_search('m', NULL, store => 'se')$$),
  ($$SELECT memory_search('', 'kite', store => 'se')$$),
  ($$SELECT memory_search(repeat('m', 1025), 'kite', store => 'se')$$),
  ($$SELECT memory_search('m', 'kite', store => '')$$),
  ($$SELECT memory_search('m', 'kite', store => 'nowhere')$$),
  ($$SELECT memory_search('m', 'kite', store => 'test')$$),
  ($$SELECT memory_search(NULL::jsonb)$$),
  ($$SELECT * FROM memory_search_entries(NULL, 'kite', store => 'se')$$),
  ($$SELECT * FROM memory_search_entries('m', NULL, store => 'se')$$)
) t(statement);
-- A store that another case names, none, and calls that have nothing to do in a new one.
SELECT test.error(statement) FROM (VALUES
  ($$SELECT memory_search('m', 'kite', store => 'Se')$$),
  ($$SELECT memory_count('m', store => 'SE')$$),
  ($$SELECT memory_drop_store('SE')$$),
  ($$SELECT memory_notify('a_channel')$$)
) t(statement);
SET memory_search.store = '';
SELECT test.error($$SELECT memory_search('m', 'kite')$$);
RESET memory_search.store;

-- The JSON request: missing, removed and unknown fields, and fields of a wrong type.
SELECT request, test.error(format('SELECT memory_search(%L::jsonb)', request))
FROM (VALUES
  ('{}'),
  ('{"memoryId": "m"}'),
  ('{"query": "kite"}'),
  ('{"memoryId": null, "query": "kite"}'),
  ('{"memoryId": "m", "query": null}'),
  ('{"memoryId": "", "query": "kite"}'),
  ('{"memoryId": 1, "query": "kite"}'),
  ('{"memoryId": "m", "query": ["kite"]}'),
  ('{"memoryId": "m", "query": "kite", "topK": 5}'),
  ('{"memoryId": "m", "query": "kite", "ke": 5}'),
  ('{"memoryId": "m", "query": "kite", "kc": 5}'),
  ('{"memoryId": "m", "query": "kite", "contextTimestamp": true}'),
  ('{"memoryId": "m", "query": "kite", "topK": null}'),
  ('{"memory_id": "m", "query": "kite"}'),
  ('{"memoryID": "m", "query": "kite"}'),
  ('{"memoryId": "m", "query": "kite", "top_k": 5}'),
  ('{"memoryId": "m", "query": "kite", "topKe": 5}'),
  ('{"memoryId": "m", "query": "kite", "filter": {}}'),
  ('{"memoryId": "m", "query": "kite", "hello world": 1}'),
  ('{"memoryId": "m", "query": "kite", "filters": []}'),
  ('{"memoryId": "m", "query": "kite", "options": "auto"}'),
  ('{"memoryId": "m", "query": "kite", "store": 1}'),
  ('[]'),
  ('"m"'),
  ('null'),
  ('1')
) t(request);

-- Filters.
SELECT filters, test.error(format('SELECT memory_search(''m'', ''kite'', filters => %L, store => ''se'')', filters))
FROM (VALUES
  ('{"user_id": "u"}'),
  ('{"userid": "u"}'),
  ('{"agent": "u"}'),
  ('{"tag": "u"}'),
  ('{"tagsMatch": "all"}'),
  ('{"tagMatch": "some"}'),
  ('{"tagMatch": 1}'),
  ('{"tagMatch": "all"}'),
  ('{"tags": {"$in": ["a", "b"]}, "tagMatch": "all"}'),
  ('{"tagMatch": "all", "$or": [{"tags": ["a", "b"]}]}'),
  ('{"userId": {"$ne": null}}'),
  ('{"importance": {"$gte": null}}'),
  ('{"tags": {"$in": null}}'),
  ('{"tags": 1}'),
  ('{"tags": ["a", 1]}'),
  ('{"tags": {"a": 1}}'),
  ('{"userId": 1}'),
  ('{"userId": ["a"]}'),
  ('{"importance": "high"}'),
  ('{"importance": [1, 2]}'),
  ('{"importance": {"gte": 1}}'),
  ('{"importance": {"$gte": "1"}}'),
  ('{"importance": {"$gt": 50, "$lt": 40}}'),
  ('{"importance": {"$eq": 1, "$gt": 1}}'),
  ('{"minImportance": 101}'),
  ('{"minImportance": -1}'),
  ('{"minImportance": "1"}'),
  ('{"importance": {"$lt": 40}, "minImportance": 60}'),
  ('{"createdAfter": "yesterday"}'),
  ('{"createdAfter": 1735689600}'),
  ('{"createdBefore": "2025-01-01"}'),
  ('{"createdAfter": "2025-02-30T00:00:00Z"}'),
  ('{"createdAfter": "2025-02-01T00:00:00Z", "createdBefore": "2025-01-01T00:00:00Z"}'),
  ('{"sourceType": 1}'),
  ('{"sourceType": "a", "source.type": "b"}'),
  ('{"sourcetype": "a"}'),
  ('{"accessCount": "many"}'),
  ('{"accessCount": {"$ge": 1}}'),
  ('{"metadata": "x"}'),
  ('{"metadata": [1]}'),
  ('{"meta": {}}'),
  ('[]'),
  ('"x"'),
  ('1e400'),
  ('{"importance": 1e400}'),
  ('{"nothing like it": 1}'),
  ('{"importence": 5}'),
  ('{"access_count": 1}')
) t(filters);
SELECT left(test.error(format('SELECT memory_search(''m'', ''kite'', filters => %L, store => ''se'')',
        jsonb_build_object('tags', array_fill('t'::text, ARRAY[1001])))),
    80);
SELECT test.error(format('SELECT memory_search(''m'', ''kite'', filters => %L, store => ''se'')',
    '{"metadata": ' || repeat('{"a":', 200) || '1' || repeat('}', 201)));

-- Options.
SELECT options, test.error(format('SELECT memory_search(''m'', ''kite'', options => %L, store => ''se'')', options))
FROM (VALUES
  ('{"stategy": "auto"}'), ('{"strategy": "hybird"}'), ('{"strategy": "fast"}'),
  ('{"strategy": 1}'), ('{"preset": "defualt"}'), ('{"fallback": "yes"}'), ('{"fusion": "rff"}'),
  ('{"weights": {"semantic": 2}}'), ('{"weights": {"semantic": -0.1}}'),
  ('{"weights": {"semantics": 0.5}}'), ('{"weights": {"semantic": 0, "keyword": 0}}'),
  ('{"weights": 0.5}'), ('{"boosts": {"recency": 0.6, "importance": 0.4}}'),
  ('{"boosts": {"recancy": 0.1}}'), ('{"boosts": {"recency": 1.1}}'),
  ('{"recency": {"curve": "exponentail"}}'), ('{"recency": {"days": 0}}'),
  ('{"recency": {"days": 1e9}}'), ('{"popularity": {"curve": "min"}}'),
  ('{"popularity": {"cap": 0}}'), ('{"minSimilarity": 1.1}'),
  ('{"minSimilarity": 0.5, "strategy": "keyword"}'), ('{"minSimilarity": 0.5, "strategy": "recent"}'),
  ('{"minSimilarity": "0.5"}'), ('{"strategy": "recent", "relevantOnly": true}'),
  ('{"minScore": -1}'), ('{"candidates": 0}'), ('{"candidates": 10001}'), ('{"candidates": 1.5}'),
  ('{"asOf": "now"}'), ('{"asOf": 0}'), ('{"asof": "2025-01-01T00:00:00Z"}'), ('[]'), ('true')
) t(options);
-- The session works after all these errors.
SELECT memory_search('m', 'kite', store => 'se')->'count' AS count;
DROP SCHEMA se CASCADE;
