-- Ten searches of the store of fill_store.sql, each a line of JSON. The same rows give the same bytes on every server.
SELECT memory_search('m', query, 10, 3, options => options || '{"asOf": "2025-06-01T00:00:00Z"}', filters => filters,
    store => 's')
  FROM (VALUES ('a hotel at the ocean'), ('tea'), ('peanuts -line'), (''), ('the')) q(query),
    (VALUES ('{}'::jsonb, '{}'::jsonb),
      ('{"strategy": "keyword", "boosts": {"popularity": 0.2}}', '{"userId": "u1", "tags": "t1"}')) o(options, filters)
