-- A diverse answer: mmr trades score for difference, atMost leaves room for other users, agents, sources and keys of
-- metadata. Both are checked against the rule as SQL over the scores and the distances.
SELECT memory_create_store('dv', 4);
INSERT INTO dv.entries (memory_id, entry_id, raw_entry, embedding, user_id, agent_id, source_type, metadata,
  creation_time)
SELECT 'm', test.id(n), 'kite ' || test.words(n, 3), CASE WHEN n % 7 > 0 THEN test.vector(n % 13) END,
  (ARRAY['ana', 'bo', NULL])[n % 3 + 1], 'agent' || n % 5, CASE WHEN n % 2 = 0 THEN 'chat' ELSE 'mail' END,
  jsonb_build_object('thread', n % 4, 'at', jsonb_build_object('page', n % 6)),
  timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM generate_series(1, 120) n;

CREATE FUNCTION found(options jsonb, k int DEFAULT 8) RETURNS SETOF uuid LANGUAGE sql AS $$
  SELECT entry_id::uuid FROM memory_search_entries('m', 'kite', k, test.vector(3), options => options, store => 'dv')
  ORDER BY rank $$;
CREATE FUNCTION ranked() RETURNS TABLE (rank int, id uuid, score float8) LANGUAGE sql AS $$
  SELECT rank, entry_id::uuid, score
  FROM memory_search_entries('m', 'kite', 120, test.vector(3), options => '{"candidates": 1000}', store => 'dv') $$;

-- At most n entries of each: the ranking without the surplus ones.
CREATE FUNCTION expected_of_groups(expression text, most int) RETURNS uuid[] LANGUAGE plpgsql AS $$
DECLARE
  expected uuid[];
BEGIN
  EXECUTE format($sql$
    SELECT array(SELECT id FROM (
        SELECT id, rank, value, row_number() OVER (PARTITION BY value ORDER BY rank) AS nth
        FROM (SELECT r.id, r.rank, %s AS value FROM ranked() r JOIN dv.entries e ON e.entry_id = r.id) v) w
      WHERE value IS NULL OR nth <= %s ORDER BY rank LIMIT 8) $sql$, expression, most) INTO expected;
  RETURN expected;
END $$;
SELECT grouping, most, cardinality(expected) AS entries,
  array(SELECT found(jsonb_build_object('candidates', 1000, 'atMost', jsonb_build_object(grouping, most)))) = expected
    AS same
FROM (VALUES ('userId', 'e.user_id', 2), ('agentId', 'e.agent_id', 1), ('sourceType', 'e.source_type', 3),
    ('metadata.thread', $$e.metadata->>'thread'$$, 1), ('metadata.at.page', $$e.metadata#>>'{at,page}'$$, 1),
    ('metadata.missing', 'NULL::text', 1)) t(grouping, expression, most), expected_of_groups(expression, most) expected;
-- A number is one value in every notation, and is no text.
INSERT INTO dv.entries (memory_id, raw_entry, metadata) VALUES ('written', 'kite', '{"n": 5}'),
  ('written', 'kite', '{"n": 5.0}'), ('written', 'kite', '{"n": 5.00}'), ('written', 'kite', '{"n": 50e-1}'),
  ('written', 'kite', '{"n": 5.01}'), ('written', 'kite', '{"n": "5.0"}'), ('written', 'kite', '{"n": [5]}');
SELECT metadata->'n' AS n, count(*) OVER () FROM memory_search_entries('written', 'kite', 10,
  options => '{"atMost": {"metadata.n": 1}}', store => 'dv') WHERE metadata->'n' <> '5' ORDER BY metadata->>'n';
-- Several limits at once, and more candidates if the first ones are all of one user.
SELECT count(*), max(of_user) AS of_one_user, max(of_thread) AS of_one_thread
FROM (SELECT count(*) OVER (PARTITION BY user_id) * (user_id IS NOT NULL)::int,
      count(*) OVER (PARTITION BY metadata->'thread')
    FROM found('{"atMost": {"userId": 3, "metadata.thread": 2}}') id JOIN dv.entries e ON e.entry_id = id)
  t(of_user, of_thread);
SELECT count(*) AS with_five_candidates FROM found('{"candidates": 5, "atMost": {"agentId": 1}}', 5);

-- Maximal marginal relevance, step by step.
CREATE FUNCTION expected_by_mmr(share float8, k int) RETURNS uuid[] LANGUAGE plpgsql AS $$
DECLARE
  taken uuid[] := '{}';
  next uuid;
BEGIN
  FOR i IN 1..k LOOP
    SELECT r.id INTO next
    FROM ranked() r JOIN dv.entries e ON e.entry_id = r.id
    WHERE r.rank <= greatest(50, 4 * k) AND r.id <> ALL (taken)
    ORDER BY round((share * r.score - (1 - share) * coalesce((
        SELECT max(greatest(0, 1 - (e.embedding::vector <=> t.embedding::vector)))
        FROM dv.entries t WHERE t.entry_id = ANY (taken)), 0))::numeric, 9) DESC, r.rank
    LIMIT 1;
    taken := taken || next;
  END LOOP;
  RETURN taken;
END $$;
SELECT share, diverse = expected_by_mmr(share, 8) AS same,
  diverse = array(SELECT found('{"candidates": 1000}')) AS usual
FROM (VALUES (1.0), (0.7), (0.3), (0.0)) t(share),
  LATERAL (SELECT array(SELECT found(jsonb_build_object('candidates', 1000, 'mmr', share)))) f(diverse);
-- The oracle of the rules together: full groups and near duplicates leave the pool, and the next of the ranking enter.
CREATE FUNCTION expected_by_rules(share float8, k int, most int, threshold float8) RETURNS uuid[] LANGUAGE plpgsql AS $$
DECLARE
  taken uuid[] := '{}';
  next uuid;
BEGIN
  LOOP
    SELECT id INTO next FROM (
      SELECT r.id, r.rank,
        round((share * r.score - (1 - share) * coalesce(greatest(0, likeness), 0))::numeric, 9) AS gain
      FROM ranked() r JOIN dv.entries e ON e.entry_id = r.id, LATERAL (
          SELECT max(1 - (e.embedding::vector <=> t.embedding::vector)) AS likeness,
            count(*) FILTER (WHERE t.user_id = e.user_id) AS of_user
          FROM dv.entries t WHERE t.entry_id = ANY (taken)) t
      WHERE r.id <> ALL (taken) AND of_user < most AND coalesce(likeness, -1) <= threshold
      ORDER BY r.rank LIMIT greatest(50, 4 * k) - cardinality(taken)) pool
    ORDER BY gain DESC, rank LIMIT 1;
    EXIT WHEN next IS NULL OR cardinality(taken) = k;
    taken := taken || next;
  END LOOP;
  RETURN taken;
END $$;
SELECT share, most, threshold, cardinality(expected) AS entries,
  array(SELECT found(jsonb_build_object('candidates', 1000, 'mmr', share, 'dedupThreshold', threshold,
        'atMost', jsonb_build_object('userId', most)))) = expected AS same
FROM (VALUES (1.0, 1000, 0.9), (0.7, 1000, 0.9), (0.7, 2, 1.0), (0.3, 2, 0.9), (0.7, 1, 0.9)) t(share, most, threshold),
  expected_by_rules(share, 8, most, threshold) expected;
-- Eighty entries of one user that are nearly the same, and five of others that fit less.
INSERT INTO dv.entries (memory_id, entry_id, raw_entry, user_id, embedding, creation_time)
SELECT 'crowd', test.id(n), 'zebra zebra zebra ' || n, 'ana', ARRAY[1, n * 0.0001, 0, 0]::real[]::halfvec,
  timestamptz '2026-01-01Z' + n * interval '1 hour'
FROM generate_series(1, 80) n
UNION ALL
SELECT 'crowd', test.id(100 + n), 'zebra and some other long words ' || n, 'user' || n,
  ARRAY[0.5, 0, n * 0.3, 0.1]::real[]::halfvec, timestamptz '2026-01-01Z' + n * interval '1 hour'
FROM generate_series(1, 5) n;
CREATE FUNCTION of_crowd(options jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(CASE WHEN n <= 80 THEN 'ana' ELSE n::text END, ' ' ORDER BY place)
  FROM unnest(test.found(memory_search('crowd', 'zebra', 5, embedding => '[1,0,0,0]', options => options,
        store => 'dv'))) WITH ORDINALITY f(n, place) $$;
SELECT rule, of_crowd(rule) AS by_score, of_crowd(rule || '{"mmr": 1}') = of_crowd(rule) AS same_with_all_weight,
  of_crowd(rule || '{"mmr": 0.7}') AS diverse
FROM unnest(ARRAY['{"atMost": {"userId": 1}}', '{"dedupThreshold": 0.9999}']::jsonb[]) rule;
SELECT of_crowd('{"mmr": 0.7, "atMost": {"userId": 1}, "candidates": 5}') AS of_five_candidates;
SELECT regexp_replace(outcome, '[0-9a-f]{8}-[-0-9a-f]+: .*', 'ID') AS outcome, count(*)
FROM memory_explain('crowd', 'zebra', 5, '[1,0,0,0]', store => 'dv',
    options => '{"mmr": 0.7, "atMost": {"userId": 1}}')
GROUP BY 1 ORDER BY 1;
SELECT (length(prompt) - length(replace(prompt, 'other long words', ''))) / length('other long words') AS others
FROM memory_build_context('crowd', 'zebra', embedding => '[1,0,0,0]', options => '{"mmr": 0.7}', store => 'dv') prompt;
-- A threshold that few entries reach does not make the search rank the whole memory.
SELECT count(*) AS candidates, count(*) FILTER (WHERE outcome = 'returned') AS returned
FROM memory_explain('crowd', 'zebra', 5, '[1,0,0,0]', store => 'dv', options => '{"mmr": 0.7,
  "dedupThreshold": 0.9999, "candidates": 10, "minSimilarity": 0.99999999, "strategy": "semantic"}');
-- The entries to choose from are four times as many as those of the answer, also in the order of time.
INSERT INTO dv.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
SELECT 'deep', test.id(n), 'deep ' || n,
  CASE WHEN n <= 100 THEN ARRAY[1, n * 0.0001, 0, 0] ELSE ARRAY[0.1, cos(n), sin(n), n % 9 - 4] END::real[]::halfvec,
  timestamptz '2026-01-01Z' - n * interval '1 hour'
FROM generate_series(1, 500) n;
SELECT asked, count(*) FILTER (WHERE test.n(entry_id) > 100) > 0 AS others,
  asked = 'semantic' OR max(test.n(entry_id)) <= 400 AS of_the_newest
FROM unnest('{semantic,recent}'::text[]) asked,
  memory_search_entries('deep', '', 100, '[1,0,0,0]', store => 'dv',
    options => jsonb_build_object('mmr', 0.3, 'strategy', asked))
GROUP BY asked ORDER BY asked;

-- An explanation has the omitted entries with the reasons.
SELECT shown, count(*) > 0 AS some
FROM memory_explain('m', 'kite', embedding => test.vector(3), top_ke => 5, store => 'dv',
    options => '{"mmr": 0.3, "atMost": {"userId": 1}}') e,
  regexp_replace(regexp_replace(outcome, '[0-9a-f]{8}-[-0-9a-f]+', 'ID'), '[01]\.\d+', 'N') shown
GROUP BY shown ORDER BY shown COLLATE "C";

-- The brief form.
SELECT jsonb_pretty(memory_search('m', 'kite', 2, embedding => test.vector(3), store => 'dv',
    options => '{"fields": ["rawEntry", "entryId"], "maxCharacters": 6}')->'entries');
SELECT DISTINCT raw_entry FROM memory_search_entries('m', 'kite', options => '{"maxCharacters": 4}', store => 'dv');
SELECT memory_build_context('m', 'kite', options => '{"maxCharacters": 3}', store => 'dv', token_budget => 60);
SELECT jsonb_array_length(memory_recall('m', 'kite', options => '{"fields": ["score"]}', store => 'dv')->'entries');
SELECT sum(access_count) AS touched FROM dv.entry_access;

-- Wrong values are refused.
SELECT options, test.error(format('SELECT memory_search(''m'', ''kite'', options => %L, store => ''dv'')', options))
FROM (VALUES ('{"mmr": 1.5}'), ('{"mmr": "0.5"}'), ('{"atMost": 3}'), ('{"atMost": {"user": 1}}'),
    ('{"atMost": {"userId": 0}}'), ('{"atMost": {"metadata": 1}}'), ('{"atMost": {"metadata.": 1}}'),
    ('{"fields": ["rawentry"]}'), ('{"fields": 1}'), ('{"fields": ["x"]}'), ('{"maxCharacters": 0}')) t(options);
SELECT test.error($$SELECT memory_search_entries('m', 'kite', options => '{"fields": ["score"]}', store => 'dv')$$);

-- An ordinary role asks for as many as it wants, up to the bound of the server.
SET memory_search.max_top_ke = 1000;
SELECT memory_search('m', 'kite', 100, store => 'dv')->'count' AS in_a_response;
RESET memory_search.max_top_ke;
SELECT count(*) AS rows FROM memory_search_entries('m', 'kite', 1000, store => 'dv');
SELECT test.error($$SELECT memory_search_entries('m', 'kite', 1001, store => 'dv')$$);
SET memory_search.highest_top_ke = 7;
SET memory_search.max_top_ke = 1000;
SELECT test.error($$SELECT memory_search_entries('m', 'kite', 8, store => 'dv')$$);
SELECT test.error($$SELECT memory_search('m', 'kite', 8, store => 'dv')$$);
RESET ALL;
DROP SCHEMA dv CASCADE;
DROP FUNCTION found, ranked, expected_of_groups, expected_by_mmr, expected_by_rules, of_crowd;
