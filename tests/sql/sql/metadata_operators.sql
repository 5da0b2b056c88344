-- filters.metadata is content that an entry must have, or operators on its keys. A misspelt operator is refused at any
-- depth, and not read as content. Metadata with such keys can be stored.
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
-- Every function with filters refuses the same, and so does a JSON request.
SELECT i, left(test.error(statement), 6) AS refused FROM (VALUES
  (1, $$SELECT memory_search('{"memoryId": "m", "query": "", "store": "mo",
    "filters": {"metadata": {"page": {"$gtt": 5}}}}')$$),
  (2, $$SELECT memory_search_entries('m', '', filters => '{"metadata": {"page": {"$gtt": 5}}}', store => 'mo')$$),
  (3, $$SELECT memory_explain('m', '', filters => '{"metadata": {"page": {"$gtt": 5}}}', store => 'mo')$$),
  (4, $$SELECT memory_build_context('m', '', filters => '{"metadata": {"page": {"$gtt": 5}}}', store => 'mo')$$),
  (5, $$SELECT memory_recall('m', '', filters => '{"metadata": {"page": {"$gtt": 5}}}', store => 'mo')$$))
  t(i, statement) ORDER BY i;
-- An entry stored in this way is shown, and is found by its other parts and its words; by plain SQL by all of it.
SELECT e->'metadata' AS metadata
FROM jsonb_array_elements(memory_search('m', 'gt', options => '{"strategy": "keyword"}', store => 'mo')
  ->'entries') e;
SELECT test.n(entry_id) AS n FROM mo.entries WHERE metadata @> '{"$gt": 5}';
-- A dollar and a digit in a pattern are what they are.
SELECT count(memory_add('dollars', price, metadata => jsonb_build_object('price', price), entry_id => test.id(i),
  store => 'mo')) AS added
FROM (VALUES (1, '$5.00'), (2, '$v5.00'), (3, '$1 $0'), (4, 'v1')) t(i, price);
SELECT operators, test.found(memory_search('dollars', '', options => '{"strategy": "recent"}', store => 'mo',
  filters => format('{"metadata.price": %s}', operators)::jsonb)) AS found
FROM (VALUES ('{"$contains": "$5"}'), ('{"$contains": "$1"}'), ('{"$like": "$5%"}'), ('{"$ilike": "$V5%"}'),
  ('{"$like": "$1 $0"}'), ('{"$not": {"$contains": "$5"}}'), ('"$1 $0"'), ('{"$in": ["$5.00", "$v5.00"]}'))
  t(operators);
SELECT array_agg(test.n(entry_id)) AS to_delete
FROM memory_delete_where('dollars', '{"metadata.price": {"$contains": "$5"}}', store => 'mo');
-- Conditions within metadata count like others.
SELECT conditions, left(test.error(format('SELECT memory_count(''m'', %L, ''mo'')', jsonb_build_object('metadata',
  jsonb_build_object('$or', (SELECT jsonb_agg(jsonb_build_object('page', jsonb_build_object('$gt', n)))
                             FROM generate_series(1, conditions) n))))), 50) AS count
FROM (VALUES (256), (257), (40000)) t(conditions);
-- Numbers are compared to the last digit, however long they are.
SELECT memory_add('digits', 'n' || i, metadata => format('{"n": %s}', n)::jsonb, entry_id => test.id(i), store => 'mo')
  IS NOT NULL AS added
FROM (VALUES (1, '12345678901234567890'), (2, '12345678901234567891'), (3, '0.12345678901234567890'),
  (4, '0.12345678901234567891')) t(i, n);
SELECT operators, test.found(memory_search('digits', '', store => 'mo',
  filters => format('{"metadata": {"n": %s}}', operators)::jsonb)) AS found
FROM (VALUES ('{"$eq": 12345678901234567890}'), ('{"$gt": 12345678901234567890}'), ('{"$lte": 0.12345678901234567890}'),
  ('{"$in": [12345678901234567891, 0.1234567890123456789]}'), ('{"$contains": 0.12345678901234567891}'),
  ('{"$between": [0.12345678901234567891, 12345678901234567890]}'), ('{"$ne": 12345678901234567890}'),
  ('0.12345678901234567891')) t(operators);
SELECT left(asked('{"n": 1e400}'), 60) AS beyond_a_double;
-- Bounds that no value of a column can meet are refused; in metadata, two elements of a list can meet one bound each.
SELECT test.error(format('SELECT memory_count(''m'', %L, ''mo'')', filters)) FROM (VALUES
  ('{"importance": {"$gt": 5, "$lt": 3}}'),
  ('{"createdAt": {"$gt": "2025-01-02T00:00:00Z", "$lt": "2025-01-01T00:00:00Z"}}'),
  ('{"accessCount": {"$between": [2, 1]}}'), ('{"metadata": {"list": {"$gt": 1, "$lt": 2}}}')) t(filters);
SELECT memory_count('m', '{"metadata": {"list": {"$gt": 1, "$lt": 2}}}', 'mo') AS by_two_elements;
SELECT test.error(format('SELECT memory_count(''m'', %L, ''mo'')', filters)) FROM (VALUES
  ('{"metadata.page": {"$between": [4, 0]}}'), ('{"metadata.page": {"$between": [1, "b"]}}'),
  ('{"metadata.page": {"$between": [1]}}'), ('{"importance": {"$gt": 100}}'), ('{"importance": 101}'),
  ('{"importance": {"$lt": 0}}'), ('{"accessCount": -1}'),
  ('{"metadata.page": {"$between": [{"$date": "2025-01-02T00:00:00Z"}, {"$date": "2025-01-01T00:00:00Z"}]}}'),
  ('{"createdAfter": "2025-01-01T00:00:00+25:00"}')) t(filters);
-- An empty condition has no useful negation; the keys of a path are no operators.
SELECT test.error(format('SELECT memory_count(''m'', %L, ''mo'')', filters)) FROM (VALUES ('{"$not": {}}'),
  ('{"$not": [{}]}'), ('{"metadata": {"$not": {}}}'), ('{"$not": {"metadata": {}}}'), ('{"metadata.$gt": 1}'),
  ('{"metadata.": 1}'), ('{"metadata..page": 1}'), ('{"userId": {"$in": [null]}}')) t(filters);
SELECT test.error($$SELECT memory_build_context('m', '', options => '{"pinned": {}}', store => 'mo')$$);
SELECT test.error(format('SELECT memory_search(''m'', '''', options => %L, store => ''mo'')', options))
FROM (VALUES ('{"atMost": {"metadata.": 1}}'), ('{"atMost": {"metadata.a..b": 1}}'), ('{"boosts.recency": 0.3}'))
  t(options);
SELECT filters, memory_count('m', filters::jsonb, 'mo') AS n FROM (VALUES (1, '{"metadata.page": {}}'),
  (2, '{"metadata.page": []}'), (3, '{"$or": [{}]}'), (4, '{"metadata": {}}')) t(i, filters) ORDER BY i;
-- Patterns are limited to the length that the server compiles fast.
SELECT operator, n, left(test.error(format('SELECT memory_count(''m'', %L, ''mo'')',
  jsonb_build_object('metadata.price', jsonb_build_object(operator, repeat('x%', n / 2))))), 80) AS error
FROM unnest('{$like,$ilike}'::text[]) operator, unnest('{1000,1002,200000}'::int[]) n ORDER BY 1, 2;
-- A list is unwrapped once on the path to a value and once as the value; each object in a list is tested.
SELECT memory_add('lists', i::text, metadata => metadata::jsonb, entry_id => test.id(i), store => 'mo')
  IS NOT NULL AS added
FROM (VALUES (1, '{"a": 5}'), (2, '{"a": [5]}'), (3, '{"a": [[5]]}'), (4, '{"a": [[[5]]]}'), (5, '{"a": [[true]]}'),
  (6, '{"a": [{"b": 5}, {"b": 6}]}'), (7, '{}'), (8, '{"a": [[1, 9]]}'), (9, '{"a": [1, 9]}'),
  (10, '{"a": [["a", "z"]]}'), (11, '{"a": [[9, 4]]}')) t(i, metadata);
SELECT filters, ARRAY(SELECT test.n(entry_id) FROM memory_list('lists', filters::jsonb, store => 'mo') ORDER BY 1)
FROM (VALUES (1, '{"metadata.a": {"$gt": 1}}'), (2, '{"metadata.a": {"$ne": true}}'),
  (3, '{"metadata.a": {"$contains": 5}}'),
  (4, '{"metadata.a": {"$eq": 5}}'), (5, '{"metadata.a.b": 6}'), (6, '{"metadata.a": {"$between": [4, 5]}}'),
  (7, '{"metadata.a": {"$between": ["h", "k"]}}'))
  t(i, filters) ORDER BY i;
-- A long text that must be contained is parsed once, and not for every row.
INSERT INTO mo.entries (memory_id, raw_entry, metadata, embedding)
SELECT 'long', 'x ' || n, '{"t": "y"}', '[1,1,1,1]'
FROM generate_series(1, 3000) n;
DO $$
DECLARE
  began timestamptz := clock_timestamp();
  plain interval;
BEGIN
  PERFORM memory_search('long', 'x', filters => '{"metadata": {"t": "z"}}', store => 'mo');
  plain := clock_timestamp() - began;
  began := clock_timestamp();
  PERFORM memory_search('long', 'x', store => 'mo',
    filters => jsonb_build_object('metadata', jsonb_build_object('t', repeat('x', 1000000))));
  -- If it were parsed for every row, this would take some 10 s.
  IF clock_timestamp() - began > plain + interval '3 seconds' THEN
    RAISE EXCEPTION 'it took %', clock_timestamp() - began;
  END IF;
END $$;
-- A list of conditions has at least one; the conditions of a tree are counted, but not the operators that hold them.
SELECT test.error(format('SELECT memory_count(''m'', %L, ''mo'')', filters))
FROM (VALUES ('{"$and": []}'), ('{"$or": []}'),
  ('{"$not": []}'), ('{"$and": {}}'), ('{"metadata": {"$or": []}}')) t(filters);
SELECT connective, n, test.error(format('SELECT memory_count(''m'', %L, ''mo'')', jsonb_build_object(connective,
  array_fill('{"userId": "ana"}'::jsonb, ARRAY[n]))))
FROM unnest('{$and,$or,$not}'::text[]) connective, unnest('{256,257}'::int[]) n ORDER BY 1, 2;
-- Ranges of the entry's own fields work as before.
SELECT test.found(memory_search('m', '', store => 'mo',
  filters => '{"importance": {"$gte": 50}, "metadata": {"page": 5}}')) AS found;
DROP FUNCTION asked;
DROP SCHEMA mo CASCADE;
