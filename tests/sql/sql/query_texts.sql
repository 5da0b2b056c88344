-- Hostile and empty query texts: each is answered, and none is taken for syntax.
SELECT memory_create_store('qt', 4);
INSERT INTO qt.entries (memory_id, entry_id, raw_entry, embedding, creation_time) VALUES
  ('m', test.id(1), 'the red kite', '[1,0,0,0]', '2025-01-01Z'),
  ('m', test.id(2), 'C++ and C# at http://example.com/a?b=c', '[0,1,0,0]', '2025-01-02Z'),
  ('m', test.id(3), 'O''Neil said "hello\world" {json} 100%', '[0,0,1,0]', '2025-01-03Z'),
  ('m', test.id(4), '🧠 brain 記憶', NULL, '2025-01-04Z'),
  ('m', test.id(5), 'a & b | c ! d <-> e : f', '[0,0,0,1]', '2025-01-05Z');
CREATE TABLE texts (n int GENERATED ALWAYS AS IDENTITY, query text);
INSERT INTO texts (query) VALUES
  ('the of and'), ('& | ! <-> : * ( )'), ('&'), ('|'), ('!'), ('!!'), ('!kite'), ('kite &'),
  ('kite | '), ('(kite'), ('kite)'), (':*'), ('kite:*'), ('kite:A'), ('<->'), ('kite <-> red'),
  ('<2>'), ('''kite'), ('''''kite'''''), ('kite'''''), ('\kite'), ('kite\'), ('\\'), ('\'''),
  ('"kite'), ('kite"'), ('""'), ('"'), ('"""'), ('🧠'), ('🧠🧠'), ('記憶'), ('%'), ('_'), ('100%'),
  ('%s %1$s'), ('$1'), ('$$'), ('${x}'), ('{schema}'), ('{0}'), ('''; DROP TABLE qt.entries; --'),
  ('NULL'), ('C++'), ('http://example.com/a?b=c'), ('O''Neil'), ('-kite'), ('- kite'), ('--'),
  ('-'), ('-"'), ('-""'), ('-kite -red -the'), (E'\x01\x02\x1f'), (E'\u200b'), (E'\u202e'),
  (E'\ufeff'), (E'e\u0301'), ('١٢٣'), (E'kite\r\n\tred'), (repeat('kite ', 1000)),
  (repeat('🧠', 2000)), (repeat('a', 3000)), (repeat('((', 500)), (repeat('"', 501)),
  (repeat('-', 1000)), ('kite' || repeat(' ', 5000) || 'red');
-- Each text by words and by both signals, with and without fallback: every answer has its five fields.
SELECT count(*) AS queries,
  count(*) FILTER (WHERE (SELECT count(*) FROM jsonb_object_keys(r)) = 5) AS answered,
  count(*) FILTER (WHERE test.error(format(
          $f$SELECT * FROM memory_search_entries('m', %L, 5, '[1,0,0,0]', NULL, %L, 'qt')$f$, query, options))
      = 'no error') AS as_rows
FROM texts,
  (VALUES
    ('{}'::jsonb), ('{"strategy": "keyword", "fallback": false}'), ('{"strategy": "hybrid"}'),
    ('{"strategy": "semantic"}'), ('{"strategy": "keyword", "match": "all"}')
  ) o(options),
  LATERAL memory_search('m', query, 5, 2, CASE WHEN n % 2 = 0 THEN '[1,0,0,0]'::memory_embedding END,
      options => options, store => 'qt') r;

-- The entries that words find, for some of the texts.
SELECT query,
  test.found(memory_search('m', query, options => '{"strategy": "keyword", "fallback": false}', store => 'qt')) AS found
FROM texts
WHERE query IN ('the of and', '& | ! <-> : * ( )', '!kite', 'kite &', '(kite', 'kite:*', 'kite:A', 'kite <-> red',
    '''''kite''''', '\kite', '"kite', '🧠', '記憶', '100%', '''; DROP TABLE qt.entries; --', 'C++',
    'http://example.com/a?b=c', 'O''Neil', '- kite', '--')
ORDER BY n;
-- A hybrid search with only stop words or operators ranks by meaning alone, on its whole scale.
SELECT query, test.found(r) AS found, test.strategies(r) AS strategies,
  (r->'entries'->0->'scores'->>'relevance')::numeric AS best
FROM texts,
  LATERAL memory_search('m', query, 2, embedding => '[1,0,0,0]', options => '{"strategy": "hybrid"}', store => 'qt') r
WHERE query IN ('the of and', '& | ! <-> : * ( )', '🧠🧠', '"', '%')
ORDER BY n;
-- By words alone nothing matches, so the newest entries of enough importance are returned.
SELECT query, test.found(r) AS found, test.strategies(r) AS strategies
FROM texts, LATERAL memory_search('m', query, 2, store => 'qt') r
WHERE query IN ('the of and', '& | ! <-> : * ( )', '%', '--')
ORDER BY n;

-- The same texts as memory id, as a filter, as an entry and as a context come back unchanged.
SELECT count(memory_add(query, query, query, query, ARRAY[query], jsonb_build_object(query, query), user_id => query,
    agent_id => query, source_type => query, store => 'qt')) AS added
FROM texts WHERE octet_length(query) <= 1024;
SELECT count(*) AS found,
  bool_and(r->'entries'->0->>'rawEntry' = query
    AND r->>'latestContext' = CASE WHEN query ~ '^\s*$' THEN '' ELSE query END
    AND r->'entries'->0->'metadata'->>query = query) AS same
FROM texts,
  LATERAL memory_search(query, '', 1,
      filters => jsonb_build_object('userId', query, 'agentId', query, 'sourceType', query, 'tags', query,
          'metadata', CASE WHEN query LIKE '$%' THEN '{}' ELSE jsonb_build_object(query, query) END),
      store => 'qt') r
WHERE octet_length(query) <= 1024;
DROP TABLE texts;
DROP SCHEMA qt CASCADE;
