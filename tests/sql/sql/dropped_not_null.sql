-- A store whose NOT NULL constraints were dropped may hold an entry without importance, creation time or order: every
-- path finds it, with the same bytes. Without importance it counts as 50; without a time it comes last of the newest.
SELECT memory_create_store('dnn', 256);
-- Before that, no such row can be stored.
SELECT c AS "column", left(test.error(format('INSERT INTO dnn.entries (memory_id, raw_entry, %I)
  VALUES (''m'', ''x'', NULL)', c)), 5) AS refused
FROM unnest('{importance,creation_time,entry_order}'::text[]) c ORDER BY 1;
ALTER TABLE dnn.entries ALTER importance DROP NOT NULL, ALTER creation_time DROP NOT NULL,
  ALTER entry_order DROP IDENTITY;
ALTER TABLE dnn.entries ALTER entry_order DROP NOT NULL;
-- Four of each seven entries lack values: one the importance, one the time, one the order, one all three.
INSERT INTO dnn.entries (memory_id, entry_id, user_id, raw_entry, embedding, importance, creation_time, entry_order)
SELECT 'm', test.id(n), CASE WHEN n % 2 = 0 THEN 'ann' ELSE 'bob' END, test.words(n, 3 + n % 9),
  CASE WHEN n % 11 > 0 THEN (SELECT array_agg(sin(n * g)::real ORDER BY g) FROM generate_series(1, 256) g) END,
  CASE WHEN n % 7 NOT IN (1, 4) THEN n % 101 END,
  CASE WHEN n % 7 NOT IN (2, 4) THEN timestamptz '2025-01-01Z' + n / 3 * interval '1 hour' END,
  CASE WHEN n % 7 NOT IN (3, 4) THEN n END
FROM generate_series(1, 210) n;
SELECT count(*) FILTER (WHERE importance IS NULL) AS no_importance,
  count(*) FILTER (WHERE creation_time IS NULL) AS no_time,
  count(*) FILTER (WHERE entry_order IS NULL) AS no_order FROM dnn.entries;

CREATE FUNCTION asked(n int, how jsonb DEFAULT '{}', filters jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
  SELECT memory_search('m', test.words(n, 2), 10, filters => filters,
    options => '{"asOf": "2025-06-01T00:00:00Z"}' || how, store => 'dnn',
    embedding => (SELECT array_agg(sin(n * g / 3.0)::real) FROM generate_series(1, 256) g)) $$;
CREATE FUNCTION way() RETURNS text LANGUAGE sql AS
  $$ SELECT asked(1, '{"diagnostics": true}') #>> '{diagnostics,reads,0,path}' $$;
CREATE VIEW answers AS SELECT n, strategy, filters,
    asked(n, jsonb_build_object('strategy', strategy), filters) AS answer
  FROM generate_series(1, 6) n, unnest('{hybrid,keyword,semantic,recent}'::text[]) strategy,
    unnest(ARRAY['{}', '{"userId": "ann"}', '{"minImportance": 40}', '{"createdAfter": "2025-01-02T00:00:00Z"}',
      '{"createdBefore": "2025-01-02T00:00:00Z", "importance": {"$lte": 60}}']::jsonb[]) filters;
CREATE TABLE kept AS SELECT * FROM answers;
CREATE FUNCTION compared() RETURNS TABLE (way text, same bigint, different bigint) LANGUAGE sql AS $$
  SELECT way(), count(*) FILTER (WHERE a.answer::text = k.answer::text),
    count(*) FILTER (WHERE a.answer::text <> k.answer::text)
  FROM answers a JOIN kept k USING (n, strategy, filters) $$;
-- Every path, and after VACUUM, which lets pages be read without looking at each row.
SELECT * FROM compared();
VACUUM dnn.entries;
SELECT * FROM compared();
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM compared();
COMMIT;
-- The same by a filter that is tested on the rows.
SELECT asked(1, '{"diagnostics": true}', '{"metadata": {}}') #>> '{diagnostics,reads,0,path}' AS way,
  count(*) FILTER (WHERE asked(n, jsonb_build_object('strategy', strategy), filters || '{"metadata": {}}')::text
    <> answer::text) AS different FROM kept;
DROP INDEX dnn.entries_memory;
SELECT * FROM compared();
\set ECHO none
SELECT fix FROM memory_doctor('dnn') WHERE name = 'index of searches' \gexec
\set ECHO all
SELECT * FROM compared();

-- They are found: a row that lacks all three is found by its words and by its neighbours; no value is invented for it.
INSERT INTO dnn.entries (memory_id, entry_id, raw_entry, importance, creation_time, entry_order) VALUES
  ('few', test.id(1), 'a zebra', NULL, NULL, NULL), ('few', test.id(2), 'a zebra', 51, '2025-01-02Z', 1),
  ('few', test.id(3), 'a zebra', 49, '2025-01-03Z', 2), ('few', test.id(4), 'a zebra', 0, '2025-01-04Z', NULL);
SELECT test.n(e->>'entryId') AS n, e->'importance' AS importance, e->'creationTime' AS created,
  e#>'{scores,importance}' AS factor
FROM jsonb_array_elements(memory_search('few', 'zebra', store => 'dnn', options => '{"strategy": "keyword",
  "asOf": "2025-06-01T00:00:00Z", "boosts": {"recency": 0, "importance": 0.9}}')->'entries') e;
-- Newest first: an entry without a time comes last, and was visible at every instant.
SELECT test.found(memory_search('few', '', store => 'dnn')) AS newest_first,
  test.found(memory_search('few', '', options => '{"asOf": "2025-01-02T12:00:00Z"}', store => 'dnn')) AS as_of_then;
-- A bound of a filter holds for a value, which null is not.
SELECT filters, test.found(memory_search('few', '', filters => filters::jsonb, store => 'dnn')) AS newest,
  test.found(memory_search('few', 'zebra', filters => filters::jsonb, store => 'dnn',
    options => '{"strategy": "keyword", "fallback": false}')) AS keyword
FROM unnest(ARRAY['{"minImportance": 0}', '{"createdBefore": "2030-01-01T00:00:00Z"}',
  '{"createdAfter": "2000-01-01T00:00:00Z"}']) filters ORDER BY 1;
-- The doctor and the explanation work with it.
SELECT outcome, recency, importance FROM memory_explain('few', 'zebra', entry_id => test.id(1)::text,
  options => '{"strategy": "keyword", "asOf": "2025-06-01T00:00:00Z"}', store => 'dnn');
SELECT count(*) FILTER (WHERE status = 'error') AS errors FROM memory_doctor('dnn');
-- A context without a time is the last of all.
UPDATE dnn.entries SET context = 'context ' || test.n(entry_id) WHERE memory_id = 'few';
SELECT r->>'latestContext' AS latest, jsonb_path_query_array(r, '$.contexts[*].context') AS older
FROM memory_search('few', '', 0, 3, store => 'dnn') r;
-- With a constraint that applies only to new rows, the paths agree, too.
ALTER TABLE dnn.entries ADD CONSTRAINT later CHECK (creation_time IS NOT NULL) NOT VALID;
SELECT * FROM compared();
DROP VIEW answers;
DROP TABLE kept;
DROP FUNCTION compared, way, asked;
DROP SCHEMA dnn CASCADE;
