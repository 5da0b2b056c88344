-- Each argument of memory_search, its default, its range, and the corresponding field of the JSON request.
SELECT memory_create_store('sa', 4), memory_create_store();
INSERT INTO sa.entries (memory_id, entry_id, raw_entry, embedding, creation_time, importance, user_id)
SELECT 'm', test.id(n), 'kite ' || test.words(n, 5), test.vector(n),
  timestamptz '2025-01-01Z' + n * interval '1 day', n, 'u' || n % 3
FROM generate_series(1, 20) n;
INSERT INTO sa.contexts (memory_id, context_id, context, creation_time, embedding)
SELECT 'm', test.id(n), 'kites of day ' || n, timestamptz '2025-01-01Z' + n * interval '1 day', test.vector(n + 100)
FROM generate_series(1, 6) n;

-- Defaults: five entries, two contexts.
SELECT r->'count' AS entries, jsonb_array_length(r->'contexts') AS contexts
FROM (SELECT memory_search('m', 'kite', store => 'sa')) s(r);
SELECT ke, kc, r->'count' AS entries, jsonb_array_length(r->'contexts') AS contexts
FROM (VALUES (0, 1), (1, 2), (10, 3), (NULL, NULL)) t(ke, kc),
  LATERAL (SELECT memory_search('m', 'kite', ke, kc, store => 'sa')) s(r);
SELECT k, count(*)
FROM (VALUES (0), (1), (10)) t(k), LATERAL memory_search_entries('m', 'kite', k, store => 'sa')
GROUP BY k ORDER BY k;
-- Fewer entries than requested if there are fewer; a larger top_ke only adds entries at the end.
SELECT cardinality(ten) AS ten, three = ten[1:3] AS three_are_the_first
FROM (SELECT test.found(memory_search('m', 'kite', 10, store => 'sa', options => o)) AS ten,
        test.found(memory_search('m', 'kite', 3, store => 'sa', options => o)) AS three
      FROM (VALUES ('{"asOf": "2025-02-01T00:00:00Z"}'::jsonb)) t(o)) t;

-- The arguments and the JSON request answer with the same bytes.
SELECT n, by_arguments::text = by_request::text AS same, by_arguments->'count' AS count
FROM (VALUES
  (1, memory_search('m', 'kite', store => 'sa', options => '{"asOf": "2025-02-01T00:00:00Z"}'),
   memory_search('{"memoryId": "m", "query": "kite", "store": "sa", "options": {"asOf": "2025-02-01T00:00:00Z"}}')),
  (2,
   memory_search('m', 'kite', 3, 1, '[1,0,0,0]', '{"userId": "u1"}',
       '{"asOf": "2025-02-01T00:00:00Z", "strategy": "hybrid"}', 'sa'),
   memory_search('{"memoryId": "m", "query": "kite", "top_ke": 3, "top_kc": 1, "embedding": [1, 0, 0, 0],
                   "filters": {"userId": "u1"}, "options": {"asOf": "2025-02-01T00:00:00Z", "strategy": "hybrid"},
                   "store": "sa"}')),
  (3, memory_search('m', '', 4, store => 'sa', filters => NULL, options => '{"asOf": "2025-02-01T00:00:00Z"}'),
   memory_search('{"memoryId": "m", "query": "", "top_ke": 4.0, "filters": null, "embedding": null,
                   "options": {"asOf": "2025-02-01T00:00:00Z"}, "store": "sa"}'))
) t(n, by_arguments, by_request);
-- memory_search_entries gives the same entries and scores as rows.
SELECT count(*) AS compared,
  bool_and(e->>'entryId' = f.entry_id AND (e->>'score')::numeric = round(f.score::numeric, 6)
    AND (e->'scores'->>'semantic')::numeric IS NOT DISTINCT FROM round(f.semantic::numeric, 6)
    AND (e->'scores'->>'keyword')::numeric IS NOT DISTINCT FROM round(f.keyword::numeric, 6)
    AND (e->'scores'->>'recency')::numeric = round(f.recency_factor::numeric, 6)
    AND e->>'strategy' = f.strategy) AS equal
FROM memory_search_entries('m', 'lisbon kite', 10, '[1,0,0,0]', store => 'sa',
    options => '{"asOf": "2025-02-01T00:00:00Z"}') f
JOIN jsonb_array_elements(memory_search('m', 'lisbon kite', 10, embedding => '[1,0,0,0]', store => 'sa',
      options => '{"asOf": "2025-02-01T00:00:00Z"}')->'entries') WITH ORDINALITY j(e, place) ON place = rank;
-- The function in a LATERAL join.
SELECT q, test.n(f.entry_id) AS n
FROM (VALUES ('allergy'), ('museum')) t(q),
  LATERAL memory_search_entries('m', q, 1, store => 'sa', options => '{"boosts": {"recency": 0}}') f
ORDER BY q;

-- The default store is `memory`, or what the setting says.
SELECT memory_add('m', 'in the default store', entry_id => test.id(1));
SELECT test.found(memory_search('m', 'default'));
SET memory_search.store = 'sa';
SELECT memory_search('m', 'kite')->'count' AS count,
  memory_search('{"memoryId": "m", "query": "default", "store": "memory"}')->'count' AS default_store;
RESET memory_search.store;

-- Ranges.
SELECT ke, kc, test.error(format('SELECT memory_search(''m'', ''kite'', %s, %s, store => ''sa'')', ke, kc))
FROM (VALUES (-1, 2), (11, 2), (2147483647, 2), (-2147483648, 2), (5, 0), (5, 4), (5, -1)) t(ke, kc);
SELECT test.error($$SELECT * FROM memory_search_entries('m', 'kite', 1001, store => 'sa')$$);
SELECT test.error($$SELECT * FROM memory_search_entries('m', 'kite', -1, store => 'sa')$$);
SELECT test.error(format('SELECT memory_search(''{"memoryId": "m", "query": "kite", "store": "sa", "top_ke": %s}'')',
    ke))
FROM (VALUES ('11'), ('-1'), ('1.5'), ('"5"'), ('1e30'), ('true')) t(ke);
-- The bounds are raised and lowered, and the defaults stay within them.
SET memory_search.max_top_ke = 15;
SET memory_search.max_top_kc = 5;
SELECT r->'count' AS entries, jsonb_array_length(r->'contexts') AS contexts
FROM (SELECT memory_search('m', 'kite', 15, 5, store => 'sa')) s(r);
SELECT test.error($$SELECT memory_search('m', 'kite', 16, store => 'sa')$$);
SET memory_search.max_top_ke = 2;
SET memory_search.max_top_kc = 1;
SELECT memory_search('{"memoryId": "m", "query": "kite", "store": "sa"}')->'count' AS by_request;
SELECT memory_search('m', 'kite', store => 'sa')->'count' AS by_arguments;
SELECT test.error($$SET memory_search.max_top_ke = 0$$);
SELECT test.error($$SET memory_search.max_top_ke = 10001$$);
RESET ALL;
DROP SCHEMA sa, memory CASCADE;
