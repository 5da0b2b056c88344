-- Counting use: memory_touch counts, memory_recall searches and counts the entries that it gives, and popularity and
-- the filter accessCount use the counts.
SELECT memory_create_store('tr', 4);
INSERT INTO tr.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
SELECT 'm', test.id(n), 'green tea', '[1,0,0,0]', timestamptz '2025-01-01Z' + n * interval '1 day'
FROM generate_series(1, 6) n;
INSERT INTO tr.entries (memory_id, entry_id, raw_entry, creation_time)
VALUES ('other', test.id(1), 'green tea', '2025-01-01Z'), ('m', test.id(7), 'coffee', '2025-01-01Z');
UPDATE tr.entries SET deletion_scheduled_time = now() WHERE memory_id = 'm' AND entry_id = test.id(6);
INSERT INTO tr.entries (memory_id, entry_id, raw_entry, expires_at) VALUES ('m', test.id(8), 'expired', '2025-01-01Z');
CREATE VIEW counts AS
  SELECT memory_id, string_agg(test.n(entry_id) || ':' || access_count, ' ' ORDER BY entry_id) AS counts
  FROM tr.entry_access GROUP BY memory_id;

SELECT memory_touch('m', ARRAY[test.id(1)], 'tr') AS one,
  memory_touch('m', ARRAY[test.id(2), test.id(1), test.id(2), NULL, test.id(2)], 'tr') AS two_of_them_thrice,
  memory_touch('m', ARRAY[test.id(99), gen_random_uuid()], 'tr') AS unknown,
  memory_touch('m', ARRAY[test.id(6)], 'tr') AS deleted,
  memory_touch('m', ARRAY[test.id(8)], 'tr') AS expired,
  memory_touch('m', '{}', 'tr') AS none,
  memory_touch('nowhere', ARRAY[test.id(1)], 'tr') AS no_memory,
  memory_touch('m', ARRAY[test.id(6), test.id(3), test.id(99)], 'tr') AS one_of_three;
SELECT * FROM counts ORDER BY 1;
-- Each memory has its own counts; the time of the last use is that of the touch.
SELECT memory_touch('other', ARRAY[test.id(1), test.id(2)], 'tr');
SELECT * FROM counts ORDER BY 1;
SELECT count(*) AS rows, bool_and(last_accessed_at BETWEEN now() - interval '1 hour' AND clock_timestamp()) AS just_now
FROM tr.entry_access;
UPDATE tr.entry_access SET last_accessed_at = '2020-01-01Z';
SELECT memory_touch('m', ARRAY[test.id(1)], 'tr');
SELECT test.n(entry_id) AS n, access_count, last_accessed_at > '2025-01-01Z' AS moved
FROM tr.entry_access WHERE memory_id = 'm' ORDER BY 1;
-- A rolled back touch counts nothing; a touch does not rewrite the entry.
BEGIN;
SELECT memory_touch('m', ARRAY[test.id(5)], 'tr');
ROLLBACK;
CREATE TABLE versions AS SELECT memory_id, entry_id, xmin::text AS made_by, ctid::text AS place FROM tr.entries;
SELECT memory_touch('m', ARRAY[test.id(3)], 'tr');
SELECT count(*) AS rewritten
FROM (SELECT memory_id, entry_id, xmin::text, ctid::text FROM tr.entries EXCEPT SELECT * FROM versions) t;
SELECT * FROM counts ORDER BY 1;
SELECT statement, test.error(statement)
FROM (VALUES
  (1, $$SELECT memory_touch(NULL, '{}', 'tr')$$),
  (2, $$SELECT memory_touch('m', NULL, 'tr')$$),
  (3, $$SELECT memory_touch('', '{}', 'tr')$$),
  (4, $$SELECT memory_touch('m', '{}', 'no_store')$$)
) t(i, statement)
ORDER BY i;

-- memory_recall gives the same answer as memory_search, and counts exactly the returned entries.
TRUNCATE tr.entry_access;
INSERT INTO tr.contexts (memory_id, context_id, context, creation_time)
VALUES ('m', test.id(1), 'about tea', '2025-01-01Z'), ('m', test.id(2), 'about green', '2025-01-02Z');
CREATE TABLE calls AS
  SELECT i, memory, query, k, filters::jsonb, options::jsonb || '{"asOf": "2030-01-01T00:00:00Z"}' AS options
  FROM (VALUES
    (1, 'm', 'tea', 3, '{}', '{}'),
    (2, 'm', 'green tea', 2, '{"createdBefore": "2025-01-03T00:00:00Z"}', '{"strategy": "keyword"}'),
    (3, 'm', '', 1, '{}', '{}'),
    (4, 'm', 'coffee -tea', 5, '{}', '{"strategy": "keyword"}'),
    (5, 'm', 'tea', 0, '{}', '{}'),
    (6, 'other', 'tea', 5, '{}', '{}'),
    (7, 'm', 'zebra', 5, '{}', '{"fallback": false}')
  ) t(i, memory, query, k, filters, options);
CREATE TABLE answers AS
  SELECT i, memory_search(memory, query, k, 2, '[1,0,0,0]', filters, options, 'tr') AS answer
  FROM calls;
SELECT i, c.query, c.k, test.found(recalled) AS found, recalled = answer AS same,
  (SELECT count(*) FROM tr.entry_access) AS counted_before
FROM calls c
JOIN answers USING (i),
  LATERAL (SELECT memory_recall(memory, query, k, 2, '[1,0,0,0]', filters, options, 'tr') AS recalled) r
WHERE i = 1;
SELECT * FROM counts ORDER BY 1;
TRUNCATE tr.entry_access;
SELECT i, c.query, c.k, test.found(recalled) AS found,
  recalled - 'entries' = answer - 'entries' AND test.found(recalled) = test.found(answer) AS same
FROM calls c
JOIN answers USING (i),
  LATERAL (SELECT memory_recall(memory, query, k, 2, '[1,0,0,0]', filters, options, 'tr') AS recalled) r
ORDER BY i;
WITH found AS (SELECT e->>'memoryId' AS memory_id, (e->>'entryId')::uuid AS entry_id, count(*) AS access_count
               FROM answers, jsonb_array_elements(answer->'entries') e GROUP BY 1, 2)
SELECT count(*) AS entries, sum(access_count) AS uses,
  (SELECT count(*)
   FROM (SELECT * FROM found EXCEPT SELECT memory_id, entry_id, access_count FROM tr.entry_access) t) AS not_counted,
  (SELECT count(*)
   FROM (SELECT memory_id, entry_id, access_count FROM tr.entry_access
         EXCEPT SELECT * FROM found) t) AS counted_for_nothing
FROM found;
-- The next search shows the count; a search counts nothing; a refused recall counts nothing.
SELECT e->>'accessCount' AS access_count
FROM jsonb_array_elements(memory_search('other', 'tea', store => 'tr')->'entries') e;
SELECT test.error($$SELECT memory_recall('m', 'tea', 99, store => 'tr')$$),
  (SELECT sum(access_count) FROM tr.entry_access) AS uses;
BEGIN READ ONLY;
SELECT test.found(memory_search('m', 'coffee', store => 'tr')) AS search_reads_only,
  test.error($$SELECT memory_recall('m', 'coffee', store => 'tr')$$) AS recall_does_not;
ROLLBACK;

-- Popularity: of equal entries the most used comes first; its factor is its share of the uses of the most used visible
-- entry, or of a cap.
TRUNCATE tr.entry_access;
INSERT INTO tr.entry_access VALUES
  ('m', test.id(1), 8, '2025-02-01Z'),
  ('m', test.id(2), 4, '2025-03-01Z'),
  ('m', test.id(3), 1, '2025-04-01Z'),
  ('m', test.id(6), 100, '2025-02-01Z'),
  ('other', test.id(1), 1000, '2025-02-01Z');
CREATE FUNCTION popular(options jsonb DEFAULT '{}', filters jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(format('%s:%s', test.n(entry_id), round(popularity_factor::numeric, 4)), ' ' ORDER BY rank)
  FROM memory_search_entries('m', 'tea', 10, filters => filters,
      options => '{"boosts": {"popularity": 0.5, "recency": 0, "importance": 0, "length": 0}}' || options,
      store => 'tr') $$;
SELECT popular(),
  popular('{"popularity": {"curve": "cap", "cap": 5}}') AS cap,
  regexp_replace(popular('{"boosts": {"recency": 0, "importance": 0, "length": 0}}'), ':\S+', '', 'g') AS without;
-- No history of uses is kept: as of every instant, the counts are the present ones.
SELECT as_of, popular(jsonb_build_object('asOf', as_of))
FROM (VALUES
  ('2025-01-15T00:00:00Z'), ('2025-02-15T00:00:00Z'), ('2025-03-01T00:00:00Z'),
  ('2025-03-15T00:00:00Z'), ('2025-04-15T00:00:00Z')
) t(as_of)
ORDER BY 1;
-- The filter; an entry that was never used counts as 0.
SELECT filter,
  (SELECT array_agg(n ORDER BY n)
   FROM unnest(test.found(memory_search('m', 'tea', 10, filters => jsonb_build_object('accessCount', filter::jsonb),
       store => 'tr'))) n) AS found
FROM (VALUES
  (1, '0'),
  (2, '4'),
  (3, '{"$gte": 4}'),
  (4, '{"$gt": 4}'),
  (5, '{"$lte": 1}'),
  (6, '{"$lt": 1}'),
  (7, '{"$eq": 8}'),
  (8, '{"$gte": 1, "$lt": 8}'),
  (9, '{"$gt": 100}')
) t(i, filter)
ORDER BY i;
SELECT popular(filters => '{"accessCount": {"$lt": 8}}') AS share_is_of_the_memory;
-- The filter also counts only the uses up to the instant.
SELECT popular('{"asOf": "2025-02-15T00:00:00Z"}', '{"accessCount": {"$gte": 1}}') AS filter_as_of;
-- The response's count of an entry follows the same rule.
SELECT string_agg(test.n(e->>'entryId') || ':' || (e->>'accessCount'), ' ' ORDER BY e->>'entryId') AS access_counts
FROM jsonb_array_elements(memory_search('m', 'tea', 10, options => '{"asOf": "2025-02-15T00:00:00Z"}', store => 'tr')
  ->'entries') e;
DROP TABLE versions, calls, answers;
DROP FUNCTION popular;
DROP VIEW counts;
DROP SCHEMA tr CASCADE;
