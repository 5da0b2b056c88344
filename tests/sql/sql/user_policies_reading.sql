-- memory_enable_row_security: in a store that users share, a session sees the rows of the user that a setting names,
-- and no answer contains information about others.
CREATE ROLE us_owner;
CREATE ROLE us_app;
GRANT CREATE ON DATABASE regression TO us_owner;
SET ROLE us_owner;
SELECT test.stores_of_ana_and_bo();
-- Values that only the rows of one user have.
SELECT format($$UPDATE %I.entries SET session_id = 'of ' || user_id, agent_id = 'agent of ' || user_id,
    source_type = 'from ' || user_id, metadata = jsonb_build_object('of', user_id, 'n', test.n(entry_id)),
    entities = ARRAY['Friend of ' || user_id] WHERE user_id IS NOT NULL$$, store) AS told
FROM unnest('{us,us_ana,us_bo}'::text[]) store \gexec
SET client_min_messages = notice;
SELECT memory_enable_row_security('us');
RESET client_min_messages;
RESET ROLE;
-- Every signal, count, statistic, context, explanation and popularity: the same bytes as in the store of one's own.
CREATE FUNCTION answers(store text) RETURNS TABLE (what text, answer text) LANGUAGE sql AS $$
  WITH o(options) AS (VALUES ('{"boosts": {"popularity": 0.3}, "asOf": "2030-01-01T00:00:00Z"}'::jsonb)),
    q(query, embedding) AS (VALUES
        ('tea train hotel quartz', '[1,0.5,0,0]'::memory_embedding),
        ('', NULL),
        ('', '[0,1,0,0]'),
        ('lisbon', NULL),
        ('tea -train', '[1,0,0,0]')
      )
  SELECT 'search ' || strategy,
    string_agg(memory_search(memory, query, 10, 3, embedding,
            options => options || jsonb_build_object('strategy', strategy), store => store)::text,
        '' ORDER BY memory, query, embedding::text)
  FROM o, q, (VALUES ('m'), ('c')) m(memory),
    (VALUES ('auto'), ('hybrid'), ('keyword'), ('recent'), ('semantic')) s(strategy)
  GROUP BY strategy
  UNION ALL
  SELECT 'filters',
    string_agg(memory_search('m', 'tea', 10, 3, filters => filters, options => options, store => store)::text,
        '' ORDER BY i)
  FROM o,
    (VALUES
      (1, '{"accessCount": {"$gte": 50}}'::jsonb),
      (2, '{"tags": ["t1"]}'),
      (3, '{"importance": {"$lt": 30}}'),
      (4, '{"userId": "ana"}'),
      (5, '{"userId": "bo"}')
    ) f(i, filters)
  UNION ALL
  SELECT 'rows', string_agg(f::text, '' ORDER BY rank)
  FROM o, memory_search_entries('m', 'tea quartz', 10, '[1,0,0,0]', options => options, store => store) f
  UNION ALL
  SELECT 'presets',
    string_agg(memory_search('m', 'tea quartz', 10, 3, '[1,0,0,0]',
            options => jsonb_build_object('preset', preset, 'asOf', '2030-01-01T00:00:00Z'), store => store)::text,
        '' ORDER BY preset)
  FROM (VALUES ('alfred'), ('cortex'), ('cortex_boost')) p(preset)
  UNION ALL
  SELECT 'explanation', string_agg(x::text, '' ORDER BY x.place)
  FROM o, memory_explain('m', 'tea quartz', 10, '[1,0,0,0]', options => options, store => store) x
  UNION ALL
  SELECT 'why missing', string_agg(n || x.outcome, '' ORDER BY n)
  FROM o, generate_series(1, 130) n,
    memory_explain('m', 'zebra', 10, filters => '{"tags": ["t1"]}', options => options, entry_id => test.id(n)::text,
        store => store) x
  UNION ALL
  SELECT 'why empty', x.outcome
  FROM memory_explain('m', 'tea', filters => '{"userId": "carl", "tags": ["t2"]}', store => store) x
  -- The diagnostics of a search, without its times: nothing of the rows that the caller does not see, whether they
  -- pass the filters or not.
  UNION ALL
  SELECT 'diagnostics',
    string_agg(concat(query, embedding, filters, strategy, said->'reads', said->'typos',
        (SELECT array_agg(phase ORDER BY phase) FROM jsonb_object_keys(said->'phasesMs') phase)),
      E'\n' ORDER BY query, embedding::text, filters, strategy)
  FROM (VALUES ('tea', NULL), ('tea', '[1,0,0,0]'::memory_embedding), ('', '[1,0,0,0]'), ('zzyzx', NULL),
      ('lisbn', NULL)) q(query, embedding),
    (VALUES ('{}'::jsonb), ('{"tags": ["t0"]}'), ('{"tags": ["t1"]}'), ('{"tags": ["none"]}'), ('{"userId": "ana"}'),
      ('{"userId": "bo"}'), ('{"userId": "carl"}'), ('{"sessionId": "of ana"}'), ('{"agentId": "agent of bo"}'),
      ('{"sourceType": "from ana"}'), ('{"sourceType": "from bo"}'), ('{"entities": ["friend of ana"]}'),
      ('{"entities": ["friend of bo"]}'), ('{"metadata": {"of": "ana"}}'), ('{"metadata": {"n": 7}}'),
      ('{"metadata": {"n": 9}}'), ('{"metadata": {"n": {"$lt": 3}}}'), ('{"userId": {"$like": "a%"}}'),
      ('{"sessionId": {"$like": "%bo"}}'), ('{"importance": {"$eq": 98}}'), ('{"importance": {"$eq": 99}}'),
      ('{"createdBefore": "2025-01-01T01:30:00Z"}'), ('{"createdBefore": "2025-01-01T03:30:00Z"}'),
      ('{"accessCount": {"$gte": 119}}'), ('{"$not": {"tags": ["t0"]}}'), ('{"rawEntry": {"$like": "%tea%"}}')
      ) f(filters),
    (VALUES ('hybrid'), ('keyword'), ('semantic'), ('recent')) s(strategy),
    LATERAL (SELECT memory_search('m', query, 10, 3, embedding, filters => filters, store => store,
        options => jsonb_build_object('strategy', strategy, 'diagnostics', true, 'typos', query = 'lisbn',
          'asOf', '2030-01-01T00:00:00Z'))->'diagnostics' AS said) d
  UNION ALL
  SELECT 'prompt', memory_build_context('m', 'tea quartz', '[1,0,0,0]', options => options, store => store) FROM o $$;
CREATE TABLE unfiltered AS SELECT * FROM answers('us');
GRANT SELECT ON unfiltered TO us_app;
CREATE FUNCTION as_alone(alone text) RETURNS TABLE (what text, same bool, differs_from_all bool) LANGUAGE sql AS $$
  SELECT what, a.answer = b.answer, a.answer <> c.answer
  FROM answers('us') a
  JOIN answers(alone) b USING (what)
  JOIN unfiltered c USING (what)
  ORDER BY what $$;
SET ROLE us_app;
SET memory_search.user_id = 'ana';
SELECT * FROM as_alone('us_ana');
-- In the same session, with the plans that ana's searches have made.
SET memory_search.user_id = 'bo';
SELECT * FROM as_alone('us_bo');
SELECT (SELECT count(*) FROM us.entries) AS entries, (SELECT count(*) FROM us.contexts) AS contexts,
  (SELECT count(*) FROM us.entry_access) AS counts;
SELECT (SELECT count(*) FROM us_bo.entries) AS entries,
  (SELECT count(*) FROM us_bo.contexts) AS contexts,
  (SELECT count(*) FROM us_bo.entry_access) AS counts;
SELECT detail FROM memory_doctor('us') WHERE name = 'entries without embedding';
-- The setting is one name: capitals, spaces, quotes and patterns match no other name.
CREATE FUNCTION pg_temp.found_as(who text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('memory_search.user_id', who, false);
  RETURN (memory_search('m', 'tea', store => 'us')->'count')::bigint;
END $$;
SELECT who, pg_temp.found_as(who)
FROM (VALUES
  (1, 'bo'),
  (2, 'Bo'),
  (3, 'bo '),
  (4, ' bo'),
  (5, '%'),
  (6, 'b_'),
  (7, 'bo'' OR ''1''=''1'),
  (8, 'bo,ana'),
  (9, 'bo')
) t(i, who)
ORDER BY i;
-- No user: unset, empty, or the value that SET LOCAL leaves. Even then no rows without a user are seen.
RESET memory_search.user_id;
SELECT memory_search('m', 'tea', store => 'us') AS unset;
SET memory_search.user_id = '';
SELECT memory_search('m', '', store => 'us')->'count' AS empty,
  (SELECT count(*) FROM us.entries) + (SELECT count(*) FROM us.contexts)
    + (SELECT count(*) FROM us.entry_access) AS rows;
BEGIN;
SET LOCAL memory_search.user_id = 'bo';
SELECT memory_search('m', 'tea', store => 'us')->'count' AS local;
COMMIT;
SELECT memory_search('m', 'tea', store => 'us')->'count' AS after_it;
SELECT outcome FROM memory_explain('m', 'tea', store => 'us');
RESET memory_search.user_id;
RESET ROLE;
DROP TABLE unfiltered;
DROP FUNCTION as_alone, answers;
DROP SCHEMA us, us_ana, us_bo CASCADE;
REVOKE CREATE ON DATABASE regression FROM us_owner;
DROP OWNED BY us_owner, us_app;
DROP ROLE us_owner, us_app;
