-- An adopted table whose rows have no times, or only some of them, and not every value that filters ask for.
CREATE SCHEMA at_app;
CREATE TABLE at_app.lines (id int PRIMARY KEY, line text);
INSERT INTO at_app.lines VALUES (1, 'green tea'), (10, 'green tea'), (2, 'green tea and a train'), (9, 'the train');
SELECT memory_adopt_table('at_lines', 'at_app.lines',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line"}');
-- Without times no row is newer than another: ties are ordered by the texts of the ids, in every strategy and for any
-- number of requested entries.
SELECT strategy, k,
  (SELECT array_agg(entry_id ORDER BY rank)
   FROM memory_search_entries('all', query, k, options => jsonb_build_object('strategy', strategy),
       store => 'at_lines')) AS found
FROM (VALUES ('recent', ''), ('keyword', 'tea')) s(strategy, query), (VALUES (1), (2), (3), (10)) k(k)
ORDER BY 1, 2;
-- With times on some rows: these come first, the newest at the top.
CREATE TABLE at_app.times (id text PRIMARY KEY, line text, made timestamptz, weight int);
INSERT INTO at_app.times VALUES
  ('old', 'tea', '2025-01-01Z', 10),
  ('never a', 'tea', NULL, NULL),
  ('new', 'tea', '2025-02-01Z', 90),
  ('Never B', 'tea', NULL, 50),
  ('later', 'tea', '2031-01-01Z', 0);
SELECT memory_adopt_table('at_times', 'at_app.times',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line", "creation_time": "made", "importance": "weight"}');
SELECT rank, entry_id, creation_time AT TIME ZONE 'UTC' AS made, importance,
  round(recency_factor::numeric, 4) AS recency,
  round(importance_factor::numeric, 4) AS important,
  round(score::numeric, 4) AS score
FROM memory_search_entries('all', 'tea', 10, options => '{"strategy": "keyword", "asOf": "2025-02-01T00:00:00Z"}',
    store => 'at_times');
SELECT rank, entry_id FROM memory_search_entries('all', '', 10, store => 'at_times');
-- A filter requires a value: a row without one does not pass, and no row passes that is not there yet at that instant.
SELECT filter,
  (SELECT array_agg(entry_id ORDER BY entry_id COLLATE "C")
   FROM memory_search_entries('all', 'tea', 10, filters => filter::jsonb,
       options => '{"strategy": "keyword", "fallback": false}', store => 'at_times')) AS found
FROM (VALUES
  (1, '{}'),
  (2, '{"minImportance": 0}'),
  (3, '{"importance": 50}'),
  (4, '{"createdBefore": "2030-01-01T00:00:00Z"}'),
  (5, '{"createdAfter": "2025-01-15T00:00:00Z"}'),
  (6, '{"tags": "x"}'),
  (7, '{"metadata": {}}'),
  (8, '{"agentId": "x"}'),
  (9, '{"sourceType": "x"}'),
  (10, '{"accessCount": 0}')
) f(i, filter)
ORDER BY i;
SELECT as_of,
  (SELECT array_agg(entry_id ORDER BY entry_id COLLATE "C")
   FROM memory_search_entries('all', 'tea', 10, options => jsonb_build_object('strategy', 'keyword', 'asOf', as_of),
       store => 'at_times')) AS found
FROM (VALUES ('2024-12-31T00:00:00Z'), ('2025-01-15T00:00:00Z'), ('2031-06-01T00:00:00Z')) t(as_of)
ORDER BY 1;
SELECT memory_build_context('all', 'tea', options => '{"strategy": "keyword", "asOf": "2025-02-01T00:00:00Z"}',
    store => 'at_times');
-- The place of the rows on disk changes no score: the same rows without times get the same scores in another place.
CREATE TABLE at_app.there (id uuid PRIMARY KEY, line text);
INSERT INTO at_app.there
SELECT test.id(n), CASE WHEN n % 20 = 0 THEN 'kite' WHEN n % 20 = 1 THEN 'kite violin' ELSE 'violin' END || ' n' || n
FROM generate_series(1, 200) n;
CREATE TABLE at_app.elsewhere (LIKE at_app.there);
INSERT INTO at_app.elsewhere SELECT * FROM at_app.there ORDER BY md5(id::text);
SELECT memory_adopt_table('at_' || place, ('at_app.' || place)::regclass,
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line"}')
FROM (VALUES ('there'), ('elsewhere')) p(place);
SET memory_search.max_top_ke = 300;
SELECT count(*) AS rows, count(*) FILTER (WHERE a IS DISTINCT FROM b) AS different
FROM memory_search_entries('all', 'kite violin', 200, options => '{"strategy": "keyword", "candidates": 1000}',
    store => 'at_there') a
FULL JOIN memory_search_entries('all', 'kite violin', 200, options => '{"strategy": "keyword", "candidates": 1000}',
    store => 'at_elsewhere') b USING (rank);
RESET memory_search.max_top_ke;

SELECT count(memory_drop_store(nspname, force => true)) AS dropped
FROM pg_namespace WHERE nspname LIKE 'at\_%' AND nspname <> 'at_app';
SELECT count(*) AS tables
FROM pg_class WHERE relnamespace = 'at_app'::regnamespace AND relkind = 'r';
DROP SCHEMA at_app CASCADE;
