-- filters.metadata is content that must be there, or operators on its keys. What only looks like one is refused,
-- however deep, and not taken for content that nothing has. Storing such keys is fine.
\pset format unaligned
SELECT memory_create_store('mo', 4);
SELECT memory_add('m', 'one', metadata => '{"page": 5, "price": "5 $", "us$": 1, "list": [1, 2]}',
  entry_id => test.id(1),
  creation_time => '2025-01-01Z', store => 'mo');
SELECT memory_add('m', 'two', metadata => '{"$gt": 5, "deep": {"$in": [1]}}', entry_id => test.id(2),
  creation_time => '2025-01-02Z', store => 'mo');
CREATE FUNCTION asked(metadata text) RETURNS text LANGUAGE sql AS $$
  SELECT test.error(format('SELECT memory_search(''m'', '''', filters => %L, store => ''mo'')',
    format('{"metadata": %s}', metadata))) $$;
SELECT i, metadata, asked(metadata) FROM (VALUES (1, '{"page": {"$gt": 5}}'),
  (2, '{"$or": [{"page": 5}, {"page": 6}]}'), (3, '{"$gt": 5}'), (4, '{"a": [[{"b": {"$in": [1]}}]]}'), (5, '{"$": 1}'),
  (6, '{"": {"$": 1}}'), (7, '{"\u0024gt": 1}'),
  (8, '{"$$": {}}')) t(i, metadata) ORDER BY i;
SELECT metadata, test.found(memory_search('m', '', store => 'mo',
  filters => format('{"metadata": %s}', metadata)::jsonb)) AS found
FROM (VALUES (9, '{"page": {"$gt": 4}}'), (10, '{"page": {"$gt": 5}}'), (11, '{"deep": {"$exists": true}}'),
  (1, '{"page": 5}'), (2, '{"price": "5 $"}'), (3, '{"us$": 1}'), (4, '{"price": "$gt"}'),
  (5, '{"list": ["$in"]}'), (6, '{"list": [2]}'), (7, '{}'), (8, '{" $gt": 5}')) t(i, metadata) ORDER BY i;
-- The same refusals by every function that takes filters, and in a request.
SELECT i, left(test.error(statement), 6) AS refused FROM (VALUES
  (1, $$SELECT memory_search('{"memoryId": "m", "query": "", "store": "mo",
    "filters": {"metadata": {"page": {"$gtt": 5}}}}')$$),
  (2, $$SELECT memory_search_entries('m', '', filters => '{"metadata": {"page": {"$gtt": 5}}}', store => 'mo')$$),
  (3, $$SELECT memory_explain('m', '', filters => '{"metadata": {"page": {"$gtt": 5}}}', store => 'mo')$$),
  (4, $$SELECT memory_build_context('m', '', filters => '{"metadata": {"page": {"$gtt": 5}}}', store => 'mo')$$),
  (5, $$SELECT memory_recall('m', '', filters => '{"metadata": {"page": {"$gtt": 5}}}', store => 'mo')$$))
  t(i, statement) ORDER BY i;
-- What was stored so is there, is shown, and is found by its other parts and its words; in plain SQL by all of it.
SELECT e->'metadata' AS metadata
FROM jsonb_array_elements(memory_search('m', 'gt', options => '{"strategy": "keyword"}', store => 'mo')
  ->'entries') e;
SELECT test.n(entry_id) AS n FROM mo.entries WHERE metadata @> '{"$gt": 5}';
-- Ranges of the entry's own fields are asked as ever.
SELECT test.found(memory_search('m', '', store => 'mo',
  filters => '{"importance": {"$gte": 50}, "metadata": {"page": 5}}')) AS found;
DROP FUNCTION asked;
DROP SCHEMA mo CASCADE;
