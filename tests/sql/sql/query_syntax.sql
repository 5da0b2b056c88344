-- In the strategy keyword, entries must have the "phrases" and must not have -words and -"phrases"; the rest is
-- optional, unless options.match asks for all words. In other strategies quotes and dashes are plain text.
SELECT memory_create_store('qs', 4);
INSERT INTO qs.entries (memory_id, entry_id, raw_entry, summary, embedding, creation_time) VALUES
  ('m', test.id(1), 'green tea with milk', NULL, '[1,0,0,0]', '2025-01-01Z'),
  ('m', test.id(2), 'green tea with lemon', NULL, '[0.9,0.1,0,0]', '2025-01-02Z'),
  ('m', test.id(3), 'black tea and a green cup', NULL, '[0.8,0.2,0,0]', '2025-01-03Z'),
  ('m', test.id(4), 'tea is green', NULL, NULL, '2025-01-04Z'),
  ('m', test.id(5), 'coffee with milk', 'a well-known drink', '[0,1,0,0]', '2025-01-05Z'),
  ('m', test.id(6), 'nothing of the kind', NULL, '[0,0,1,0]', '2025-01-06Z');
CREATE FUNCTION by_words(query text, options jsonb DEFAULT '{}') RETURNS bigint[] LANGUAGE sql AS $$
  SELECT array_agg(n ORDER BY n)
  FROM unnest(test.found(memory_search('m', query, 10,
      options => '{"strategy": "keyword", "fallback": false}' || options, store => 'qs'))) n $$;
-- The oracle: rows that have a wanted word and every phrase, and nothing that is excluded.
SELECT query, by_words(query) AS found,
  (SELECT array_agg(test.n(entry_id) ORDER BY entry_id) FROM test.words_of_store('qs')
    WHERE words @@ condition::tsquery)
      = by_words(query)
    OR by_words(query) IS NULL AS as_sql
FROM (VALUES
  ('tea', $$'tea'$$),
  ('tea milk', $$'tea' | 'milk'$$),
  ('"green tea"', $$'green' <-> 'tea'$$),
  ('"green tea" milk', $$('green' <-> 'tea')$$),
  ('tea -milk', $$'tea' & !'milk'$$),
  ('tea -milk -lemon', $$'tea' & !'milk' & !'lemon'$$),
  ('tea -"green tea"', $$'tea' & !('green' <-> 'tea')$$),
  ('"green tea" -lemon', $$('green' <-> 'tea') & !'lemon'$$),
  ('"tea is green"', $$'tea' <2> 'green'$$),
  ('Teas -MILKS', $$'tea' & !'milk'$$),
  ('"well-known"', $$'well-known' | 'well'$$),
  ('well-known', $$'well' | 'known'$$),
  ('tea - milk', $$'tea' | 'milk'$$),
  ('tea --milk', $$'tea' | 'milk'$$),
  ('green-tea', $$'green' | 'tea'$$)
) t(query, condition);
-- Only exclusions: the query has no word, so words find nothing; no fallback drops the demands. (-the
-- demands nothing.)
SELECT query, test.strategies(r) AS strategies, test.found(r) AS found
FROM (VALUES ('-tea'), ('-tea -milk'), ('-"green tea"'), ('-the'), ('-zebra')) t(query),
  LATERAL memory_search('m', query, 10, options => '{"strategy": "keyword"}', store => 'qs') r;
-- In a hybrid search they are text: every entry that has a word or a meaning is found.
SELECT query,
  test.found(memory_search('m', query, 10, embedding => '[1,0,0,0]', options => '{"boosts": {"recency": 0}}',
      store => 'qs')) AS hybrid
FROM (VALUES ('tea'), ('tea -milk'), ('"green tea"'), ('-tea')) t(query);
-- A phrase of stop words demands nothing; a phrase that no entry has finds nothing.
SELECT query, test.found(memory_search('m', query, 10, options => '{"strategy": "keyword"}', store => 'qs')) AS found
FROM (VALUES ('tea "the of"'), ('tea "purple tea"'), ('tea -the'), ('"" tea'), ('tea "')) t(query);
-- match: "all" requires every word.
SELECT query, by_words(query, '{"match": "all"}') AS every, by_words(query, '{"match": "any"}') AS any
FROM (VALUES ('green tea'), ('green milk'), ('tea zebra'), ('milk coffee'), ('the tea'), ('tea')) t(query);
SELECT test.error($$SELECT memory_search('m', 'tea', options => '{"match": "some"}', store => 'qs')$$);
-- A demanded word does not change which words are rare.
SELECT count(*) AS compared, count(*) FILTER (WHERE abs(a.bm25 - b.bm25) > 1e-9) AS off
FROM memory_search_entries('m', 'tea -milk', 10, options => '{"strategy": "keyword"}', store => 'qs') a
JOIN memory_search_entries('m', 'tea', 10, store => 'qs') b USING (entry_id);
DROP FUNCTION by_words;
DROP SCHEMA qs CASCADE;
