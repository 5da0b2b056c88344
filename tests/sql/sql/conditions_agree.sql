-- Conditions have two interpreters: one writes SQL, one tests rows on pages of the index. Searches with many filters,
-- at many instants, read rows with every combination of nulls in each way: all answers are the same bytes, and the
-- entries are the same as by a WHERE that this test writes itself.
SELECT memory_create_store('ca', 256, 'simple');
-- Such a row is only possible after the constraints were dropped.
ALTER TABLE ca.entries ALTER importance DROP NOT NULL, ALTER creation_time DROP NOT NULL;
-- The corrections: 1 is visible at every instant that is asked about, 2 at none.
INSERT INTO ca.entries (memory_id, entry_id, raw_entry, importance, creation_time, deletion_scheduled_time)
VALUES ('m', test.id(1), 'kite', NULL, NULL, NULL), ('m', test.id(2), 'kite', 40, NULL, '2025-01-01Z');
INSERT INTO ca.entries (memory_id, entry_id, raw_entry, embedding, user_id, importance, creation_time,
  deletion_scheduled_time, expires_at, superseded_by, superseded_time)
SELECT 'm', test.id(n), 'kite ' || test.words(n, 3 + n::int % 5),
  CASE WHEN n % 9 > 0 THEN (SELECT array_agg(sin(n * g)::real ORDER BY g) FROM generate_series(1, 256) g)::halfvec END,
  user_id, importance, created, deleted, expires, by, CASE WHEN by IS NOT NULL THEN timestamptz '2025-01-15Z' END
FROM (SELECT 100 + row_number() OVER (ORDER BY user_id, importance, created, deleted, expires, by) AS n, *
  FROM (VALUES ('ann', 40), ('bob', 50), (NULL, 50), ('ann', NULL), (NULL, NULL)) u (user_id, importance),
    unnest('{2025-01-10Z,2025-01-20Z,NULL}'::timestamptz[]) created,
    unnest('{2025-01-15Z,NULL}'::timestamptz[]) deleted,
    unnest('{2025-01-15Z,2100-01-01Z,NULL}'::timestamptz[]) expires,
    unnest(ARRAY[test.id(1), test.id(2), NULL]) by) t;
VACUUM ANALYZE ca.entries;
SET memory_search.max_top_ke = 1000;

-- The entries of an answer, and its bytes. (Ages would differ from one statement to the next.)
CREATE FUNCTION answer(filters jsonb, options jsonb, OUT found bigint[], OUT bytes text) LANGUAGE sql AS $$
  SELECT (SELECT array_agg(n ORDER BY n) FROM unnest(test.found(r)) n), md5(r::text)
  FROM memory_search('m', 'kite', 1000, 1, filters => filters, store => 'ca',
    embedding => (SELECT array_agg(sin(7.5 * g)::real ORDER BY g) FROM generate_series(1, 256) g),
    options => options || '{"fallback": false, "candidates": 10000, "boosts": {"recency": 0, "importance": 0.3}}') r $$;
CREATE FUNCTION way(filters jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(DISTINCT memory_search('m', 'kite', 1, embedding => array_fill(1::real, ARRAY[256]), store => 'ca',
    filters => way.filters, options => jsonb_build_object('diagnostics', true, 'strategy', s))
    #>> '{diagnostics,reads,0,path}', ' ') FROM unnest('{keyword,semantic}'::text[]) s $$;
-- The entries that plain SQL finds.
CREATE FUNCTION by_where(condition text, as_of timestamptz, corrected_too bool, strategy text) RETURNS bigint[]
LANGUAGE plpgsql AS $$
DECLARE found bigint[];
BEGIN
  EXECUTE format($sql$SELECT array_agg(test.n(entry_id) ORDER BY test.n(entry_id)) FROM ca.entries
    WHERE (%s) AND (deletion_scheduled_time IS NULL OR deletion_scheduled_time > $1)
      AND (expires_at IS NULL OR expires_at > coalesce($1, now()))
      AND ($1 IS NULL OR creation_time IS NULL OR creation_time <= $1)
      AND ($2 OR superseded_time IS NULL OR superseded_time > $1 OR superseded_by = test.id(2))
      AND ($3 OR embedding IS NOT NULL)$sql$, condition) INTO found USING as_of, corrected_too, strategy = 'keyword';
  RETURN found;
END $$;

CREATE TABLE asked AS
SELECT row_number() OVER (ORDER BY filters, instant, corrected_too, strategy) AS n, *,
    jsonb_build_object('strategy', strategy, 'asOf', instant, 'includeSuperseded', corrected_too) AS options
  FROM (VALUES ('{}'::jsonb, 'true'),
    ('{"userId": "ann"}', $$user_id = 'ann'$$),
    ('{"userId": "Ann"}', 'false'),
    ('{"importance": 40}', 'importance = 40'),
    ('{"importance": {"$gte": 50}}', 'importance >= 50'),
    ('{"importance": {"$gt": 40}}', 'importance > 40'),
    ('{"importance": {"$lte": 40}}', 'importance <= 40'),
    ('{"importance": {"$lt": 50}}', 'importance < 50'),
    ('{"importance": {"$gt": 40, "$lt": 50}}', 'false'),
    ('{"userId": {"$ne": "ann"}}', $$user_id IS DISTINCT FROM 'ann'$$),
    ('{"userId": {"$exists": true}, "importance": {"$exists": false}}', 'user_id IS NOT NULL AND importance IS NULL'),
    ('{"$or": [{"userId": {"$like": "b%"}}, {"importance": 40}]}', $$user_id LIKE 'b%' OR importance = 40$$),
    ('{"$not": {"$or": [{"userId": "ann"}, {"rawEntry": {"$contains": "tea"}}]}}',
     $$user_id IS DISTINCT FROM 'ann' AND raw_entry NOT LIKE '%tea%'$$),
    ('{"createdAt": {"$exists": false}}', 'creation_time IS NULL'),
    ('{"$and": [{"createdAt": {"$lt": "2025-01-15T00:00:00Z"}}, {"expiresAt": {"$gt": "2025-01-01T00:00:00Z"}}]}',
     $$creation_time < '2025-01-15Z' AND expires_at > '2025-01-01Z'$$),
    ('{"metadata": {"missing": {"$ne": 1}}}', 'true'),
    ('{"minImportance": 0}', 'importance >= 0'),
    ('{"createdAfter": "2025-01-20T00:00:00Z"}', $$creation_time >= '2025-01-20Z'$$),
    ('{"createdBefore": "2025-01-10T00:00:00Z"}', $$creation_time <= '2025-01-10Z'$$),
    ('{"createdAfter": "2000-01-01T00:00:00Z", "createdBefore": "2100-01-01T00:00:00Z"}', 'creation_time IS NOT NULL'),
    ('{"userId": "bob", "minImportance": 45, "createdBefore": "2025-01-20T00:00:00Z"}',
      $$user_id = 'bob' AND importance >= 45 AND creation_time <= '2025-01-20Z'$$)) f (filters, condition),
    unnest('{2025-01-10T00:00:00Z,2025-01-14T23:59:59.999999Z,2025-01-15T00:00:00Z,2025-01-20T00:00:00Z,
      2100-01-01T00:00:00Z,NULL}'::text[]) instant, unnest('{false,true}'::bool[]) corrected_too,
    unnest('{keyword,semantic}'::text[]) strategy;
SELECT count(*) AS rows, (SELECT count(*) FROM asked) AS questions FROM ca.entries;

CREATE TABLE answers AS SELECT n, 'index' AS way, a.* FROM asked, answer(filters, options) a;
INSERT INTO answers SELECT n, 'asked', a.* FROM asked, answer(filters || '{"metadata": {}}', options) a;
SELECT way('{"userId": "ann"}') AS index, way('{"metadata": {}}') AS asked_of_rows;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT way('{"userId": "ann"}') AS traced;
INSERT INTO answers SELECT n, 'traced', a.* FROM asked, answer(filters, options) a;
COMMIT;
SET enable_indexscan = off;
SELECT way('{"userId": "ann"}') AS table;
INSERT INTO answers SELECT n, 'table', a.* FROM asked, answer(filters, options) a;
RESET enable_indexscan;
-- The number of questions that each way answers rightly, and of answers with other bytes.
SELECT filters, count(DISTINCT n) AS asked, sum(cardinality(expected)) FILTER (WHERE way = 'index') AS entries,
  count(*) FILTER (WHERE way = 'index' AND found IS NOT DISTINCT FROM expected) AS index,
  count(*) FILTER (WHERE way = 'asked' AND found IS NOT DISTINCT FROM expected) AS asked_of_rows,
  count(*) FILTER (WHERE way = 'table' AND found IS NOT DISTINCT FROM expected) AS table,
  count(DISTINCT (n, bytes)) - count(DISTINCT n) AS different
FROM asked JOIN answers USING (n), by_where(condition, instant::timestamptz, corrected_too, strategy) expected
GROUP BY filters ORDER BY min(n);
SELECT instant, corrected_too, count(DISTINCT n) AS asked,
  sum(cardinality(expected)) FILTER (WHERE way = 'index') AS entries,
  count(*) FILTER (WHERE way = 'index' AND found IS NOT DISTINCT FROM expected) AS index,
  count(*) FILTER (WHERE way = 'asked' AND found IS NOT DISTINCT FROM expected) AS asked_of_rows,
  count(*) FILTER (WHERE way = 'table' AND found IS NOT DISTINCT FROM expected) AS table
FROM asked JOIN answers USING (n), by_where(condition, instant::timestamptz, corrected_too, strategy) expected
GROUP BY instant, corrected_too ORDER BY instant, corrected_too;

-- The newest are found by the same conditions, and an explanation names the filter that removed an entry.
SELECT filters, count(*) AS asked, count(*) FILTER (WHERE found IS NOT DISTINCT FROM expected) AS recent
FROM (SELECT * FROM asked WHERE strategy = 'keyword') q,
  answer(filters, options || '{"strategy": "recent"}'),
  by_where(condition, instant::timestamptz, corrected_too, 'keyword') expected
GROUP BY filters ORDER BY min(n);
SELECT f.filters, x.outcome, count(*) AS entries,
  count(*) FILTER (WHERE test.n(e.entry_id) = ANY (by_where(f.condition, NULL, false, 'keyword'))) AS passing
FROM (SELECT DISTINCT filters, condition FROM asked
  WHERE filters IN ('{"userId": "ann"}',
    '{"userId": "bob", "minImportance": 45, "createdBefore": "2025-01-20T00:00:00Z"}')) f, ca.entries e,
  LATERAL (SELECT regexp_replace(outcome, '^below the cut.*', 'returned') AS outcome FROM memory_explain('m', 'kite',
    filters => f.filters, options => '{"strategy": "keyword"}', entry_id => e.entry_id::text, store => 'ca')) x
WHERE e.expires_at IS NULL GROUP BY 1, 2 ORDER BY 1, 2;

-- Functions that read rows in their present state count present rows, corrected or not.
SELECT memory_touch('m', array_agg(entry_id), store => 'ca') AS touched, count(*) FILTER (
  WHERE deletion_scheduled_time IS NULL AND (expires_at IS NULL OR expires_at > now())) AS present FROM ca.entries;
SELECT detail FROM memory_doctor('ca') WHERE name = 'waiting to be purged';
SELECT count(*) FILTER (WHERE deletion_scheduled_time IS NOT NULL OR expires_at <= now()) AS waiting FROM ca.entries;
DROP FUNCTION answer, way, by_where;
DROP TABLE asked, answers;
DROP SCHEMA ca CASCADE;
