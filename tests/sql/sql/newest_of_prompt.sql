-- options.newest of memory_build_context: a prompt begins with the newest entries, in the order of time, and then has
-- the other entries that are found.
SELECT memory_create_store('np', 4, 'english');
INSERT INTO np.entries (memory_id, entry_id, session_id, user_id, raw_entry, creation_time, entry_order)
SELECT 'm', test.id(n), 's' || n % 2, 'u', 'turn ' || n || ' about ' || (ARRAY['tea', 'coffee', 'yes'])[1 + n % 3],
  timestamptz '2025-01-01Z' + n / 2 * interval '1 minute', n
FROM generate_series(1, 30) n;
SELECT memory_put_context('m', 'What they drink.', creation_time => '2025-01-02Z', store => 'np')
  IS NOT NULL AS context;
CREATE FUNCTION built(newest jsonb, k int DEFAULT 3, budget int DEFAULT 8000, query text DEFAULT 'tea',
  filters jsonb DEFAULT NULL, more jsonb DEFAULT '{}', memory text DEFAULT 'm', store text DEFAULT 'np')
RETURNS text LANGUAGE sql AS $$
  SELECT memory_build_context(memory, query, NULL, 'Be kind.', budget, k, filters,
    jsonb_build_object('newest', newest, 'boosts', '{"recency": 0, "importance": 0, "length": 0}'::jsonb) || more,
    store) $$;
SELECT built('4');
SELECT built('{"entries": 3, "filters": {"sessionId": "s1"}}', query => 'coffee');
-- The sections as numbers of turns: each entry occurs once, the newest are those of plain SQL, the others are as many
-- as without the option, the best of all except the newest.
CREATE FUNCTION turns(prompt text, section text) RETURNS int[] LANGUAGE sql AS $$
  SELECT coalesce(array_agg(m[1]::int), '{}')
  FROM regexp_matches((regexp_match(prompt, '## ' || section || '\n(.*?)(\n\n|$)'))[1], '\mturn (\d+)', 'g') m $$;
CREATE TABLE tried AS
  SELECT n, session, query, built(jsonb_build_object('entries', n, 'filters', session), 5, query => query,
    more => '{"dedupThreshold": 1, "candidates": 1000}') AS prompt
  FROM generate_series(1, 33, 4) n,
    (VALUES ('{}'::jsonb), ('{"sessionId": "s0"}'), ('{"sessionId": "none"}')) s(session),
    (VALUES ('tea'), ('coffee turn'), ('')) q(query);
SELECT count(*) AS prompts,
  count(*) FILTER (WHERE turns(prompt, 'NEWEST MEMORIES') = newest) AS the_newest,
  count(*) FILTER (WHERE turns(prompt, 'RELEVANT MEMORIES') = (
    SELECT coalesce(array_agg(turn ORDER BY rank), '{}')
    FROM (SELECT rank, test.n(entry_id)::int AS turn
          FROM memory_search_entries('m', query, 1000, store => 'np',
            options => '{"boosts": {"recency": 0, "importance": 0, "length": 0}, "candidates": 1000}')
          WHERE test.n(entry_id) <> ALL (newest) ORDER BY rank LIMIT 5) r)) AS the_best_of_the_rest,
  count(*) FILTER (WHERE prompt LIKE 'Be kind.%## LATEST CONTEXT%## CURRENT CONVERSATION') AS whole
FROM tried t, LATERAL (
  SELECT coalesce(array_agg(turn ORDER BY turn), '{}') AS newest
  FROM (SELECT test.n(entry_id)::int AS turn FROM np.entries
        WHERE memory_id = 'm' AND (session = '{}' OR session_id = session->>'sessionId')
        ORDER BY creation_time DESC, entry_order DESC LIMIT t.n) e) e;
-- No budget is exceeded; whole lines from the newest back; none of the others if not all of the newest fit.
SELECT count(*) AS budgets, count(*) FILTER (WHERE ceil(length(text) / 4.0) > budget) AS over,
  count(*) FILTER (WHERE n <> (
      SELECT coalesce(array_agg(t), '{}') FROM generate_series(31 - cardinality(n), 30) t)) AS not_the_newest,
  count(*) FILTER (WHERE cardinality(n) BETWEEN 1 AND 29 AND text !~ '\(\d+ older memor'
    OR cardinality(n) = 0 AND budget >= 30 AND text !~ '\(30 memories left out') AS not_counted,
  min(cardinality(n)) AS least, max(cardinality(n)) AS most
FROM (SELECT budget, text, turns(text, 'NEWEST MEMORIES') AS n
      FROM generate_series(12, 500, 4) budget, built('1000', budget => budget) text) b;
-- The request's filters also apply to the newest; pinned entries and neighbours are not repeated.
SELECT turns(built('3', filters => '{"sessionId": "s0"}'), 'NEWEST MEMORIES') AS filtered,
  turns(built('3', more => '{"pinned": {"rawEntry": {"$like": "turn 30 %"}}}'), 'PINNED MEMORIES') AS pinned,
  turns(built('3', more => '{"pinned": {"rawEntry": {"$like": "turn 30 %"}}}'), 'NEWEST MEMORIES') AS beside_pinned;
SELECT count(*) AS lines, count(DISTINCT m[1]) AS turns
FROM built('6', 4, query => 'coffee', more => '{"neighbours": {"before": 2, "after": 3}}') prompt,
  regexp_matches(prompt, '\mturn (\d+)', 'g') m;
SELECT turns(built('5', 0), 'RELEVANT MEMORIES') AS without_others;
-- Several memories: the newest of all of them.
INSERT INTO np.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'other', test.id(n), 'turn ' || 100 + n, timestamptz '2025-01-01 00:10Z' + n * interval '1 minute 30 seconds'
FROM generate_series(1, 3) n;
SELECT turns(memory_build_context('{m,other}'::text[], 'tea', top_ke => 0, options => '{"newest": 9}', store => 'np'),
  'NEWEST MEMORIES') AS of_two;
-- Only entries that the caller sees and that are visible.
SELECT memory_delete('m', ARRAY[test.id(30)], store => 'np') AS deleted,
  memory_update('m', test.id(29), expires_at => now(), store => 'np') AS expired;
SELECT turns(built('2'), 'NEWEST MEMORIES') AS visible;
SELECT turns(built('2', more => '{"asOf": "2025-01-01T00:05:00Z"}'), 'NEWEST MEMORIES') AS as_of;
SELECT test.reader_under_policies('np', 'np_reader');
SET ROLE np_reader;
SET memory_search.user_id = 'nobody';
SELECT built('2') AS of_nobody;
RESET ROLE;
-- Wrong numbers of entries and wrong filters are refused, and so is the option in other functions.
SELECT test.error(format('SELECT built(%L)', newest))
FROM (VALUES ('0'), ('1001'), ('2.5'), ('true'), ('{}'), ('{"entries": "3"}'), ('{"entries": 3, "filter": {}}'),
  ('{"entries": 3, "filters": {"sesionId": "s0"}}'), ('{"entries": 3, "filters": 1}')) n(newest);
SELECT test.error(format('SELECT %s(%L, %L, options => %L)', function, 'm', 'tea', '{"newest": 3}'))
FROM (VALUES ('memory_search'), ('memory_search_entries'), ('memory_explain')) f(function);
DROP FUNCTION built, turns;
DROP TABLE tried;
SET client_min_messages = error;
SELECT memory_drop_store('np', true);
DROP ROLE np_reader;
