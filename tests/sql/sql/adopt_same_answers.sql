-- A store over an adopted table gives the same answers as a store that was filled from it: every column, every kind of
-- row.
SELECT test.adopt_log();
SELECT memory_create_store('at_copy', 4);
INSERT INTO at_copy.entries (memory_id, entry_id, user_id, agent_id, raw_entry, summary, context, tags, metadata,
  source_type, importance, creation_time, deletion_scheduled_time, expires_at, superseded_by, superseded_time,
  embedding, embedding_model, entry_order)
SELECT chat, pk, who, bot, said, title, about, labels, extra, source, weight, made, deleted, until, replaced_by,
  replaced, meaning, maker, no
FROM at_app.log;
SELECT count(*) AS rows, count(*) FILTER (WHERE a.words IS DISTINCT FROM c.words) AS other_words
FROM test.words_of_store('at_log') a JOIN test.words_of_store('at_copy') c USING (memory_id, entry_id);
INSERT INTO at_copy.entry_access
SELECT chat, pk, no % 10, timestamptz '2025-03-10Z' + no * interval '1 hour'
FROM at_app.log
WHERE no % 2 = 0;
INSERT INTO at_log.entry_access SELECT * FROM at_copy.entry_access;
CREATE TABLE calls AS
  SELECT memory, query, embedding::memory_embedding AS embedding, filters::jsonb AS filters,
    options::jsonb || o.as_of::jsonb AS options
  FROM (VALUES ('m0'), ('m1'), ('m2')) m(memory),
    (VALUES
      ('tea', NULL),
      ('lisbon museum "cheap"', '[1,0.5,-0.2,0]'),
      ('quartz -music', '[0,1,0,-1]'),
      ('', '[1,1,1,1]'),
      ('', NULL)
    ) q(query, embedding),
    (VALUES
      ('{}'),
      ('{"userId": "ann"}'),
      ('{"agentId": "bot1", "minImportance": 20}'),
      ('{"tags": ["t1", "tea"], "tagMatch": "any"}'),
      ('{"createdAfter": "2025-01-01T06:00:00Z", "createdBefore": "2025-02-01T00:00:00Z"}'),
      ('{"sourceType": "chat", "accessCount": {"$gte": 2}}'),
      ('{"metadata": {"n": 44}}')
    ) f(filters),
    (VALUES
      ('{}'),
      ('{"strategy": "keyword"}'),
      ('{"strategy": "semantic", "fallback": false}'),
      ('{"fusion": "rrf"}'),
      ('{"fusion": "weighted", "weights": {"semantic": 0.3, "keyword": 0.7}}'),
      ('{"preset": "alfred"}'),
      ('{"preset": "cortex"}'),
      ('{"preset": "cortex_boost"}'),
      ('{"boosts": {"popularity": 0.4}}'),
      ('{"dedupThreshold": 0.8}'),
      ('{"minSimilarity": 0.2}'),
      ('{"match": "all"}'),
      ('{"expand": true, "candidates": 7}'),
      ('{"strategy": "recent"}')
    ) s(options),
    (VALUES ('{"asOf": "2030-01-01T00:00:00Z"}'), ('{"asOf": "2025-02-20T00:00:00Z"}')) o(as_of)
  WHERE left(md5(concat_ws('/', memory, query, filters, options, as_of)), 1) IN ('0', '1');
SET memory_search.max_top_ke = 300;
SELECT count(*) AS calls,
  count(*) FILTER (WHERE answer->'entries' <> '[]') AS with_entries,
  count(*) FILTER (WHERE answer::text <> copy::text) AS different
FROM calls,
  LATERAL memory_search(memory, query, 10, 3, embedding, filters, options, 'at_log') answer,
  LATERAL memory_search(memory, query, 10, 3, embedding, filters, options, 'at_copy') copy;
-- All entries, to the last bit of every score; explanations; prompts; recalls.
CREATE TABLE queries AS
  SELECT i, memory, query, vector::vector::memory_embedding AS embedding,
    '{"asOf": "2025-03-18T00:00:00Z", "boosts": {"popularity": 0.2}}'::jsonb AS options
  FROM (VALUES ('m0'), ('m1')) m(memory),
    (VALUES
      (1, 'tea', NULL),
      (2, 'lisbon museum cheap', '[1,0.5,-0.2,0]'),
      (3, 'quartz music', '[0,1,0,-1]'),
      (4, '', '[1,1,1,1]'),
      (5, '', NULL)
    ) q(i, query, vector);
CREATE FUNCTION rows_of(store text) RETURNS TABLE (line text) LANGUAGE sql AS $$
  SELECT concat_ws(' ', 'entry', i, f)
  FROM queries q,
    LATERAL memory_search_entries(memory, query, 300, embedding, options => options, store => rows_of.store) f
  UNION ALL
  SELECT concat_ws(' ', 'explanation', i, x)
  FROM queries q, LATERAL memory_explain(memory, query, 5, embedding, options => options, store => rows_of.store) x
  UNION ALL
  SELECT concat_ws(' ', 'one entry', i, n, x)
  FROM queries q, generate_series(1, 240, 31) n,
    LATERAL memory_explain(memory, query, 5, embedding, options => options, entry_id => test.id(n)::text,
        store => rows_of.store) x
  UNION ALL
  SELECT concat_ws(' ', 'prompt', i,
      memory_build_context(memory, query, embedding, token_budget => 400, options => options, store => rows_of.store))
  FROM queries q
  UNION ALL
  SELECT concat_ws(' ', 'request', i,
      memory_search(jsonb_build_object('memoryId', memory, 'query', query, 'top_ke', 7, 'options', options,
          'filters', '{"userId": "ann"}'::jsonb, 'store', rows_of.store)))
  FROM queries q $$;
SELECT split_part(line, ' ', 1) AS what, count(*) AS lines,
  count(*) FILTER (WHERE NOT EXISTS (SELECT FROM rows_of('at_copy') c WHERE c.line = a.line)) AS different
FROM rows_of('at_log') a GROUP BY 1 ORDER BY 1;
SELECT count(*) AS only_in_the_copy
FROM (SELECT line FROM rows_of('at_copy') EXCEPT ALL SELECT line FROM rows_of('at_log')) t;
-- Both stores give the same contexts, on the entries as before, or in the stores' own table.
SELECT memory,
  count(*) FILTER (WHERE own->'contexts' <> copy->'contexts'
      OR own->>'latestContext' <> copy->>'latestContext') AS different,
  count(*) FILTER (WHERE own->'contexts' <> '[]') AS with_contexts
FROM (VALUES ('m0'), ('m1')) m(memory),
  (VALUES ('tea'), ('lisbon museum'), ('train hotel garden')) q(query),
  (VALUES ('{}'::jsonb), ('{"userId": "ann"}')) f(filters),
  LATERAL memory_search(memory, query, 0, 3, filters => filters, store => 'at_log') own,
  LATERAL memory_search(memory, query, 0, 3, filters => filters, store => 'at_copy') copy
GROUP BY 1 ORDER BY 1;
SELECT answer->>'latestContext' AS latest, answer->>'latestContextTimestamp' AS at,
  (SELECT string_agg(test.n(c->>'contextId')::text, ' ') FROM jsonb_array_elements(answer->'contexts') c) AS entries
FROM memory_search('m0', 'tea', 0, 3, store => 'at_log') answer;
INSERT INTO at_copy.contexts (memory_id, context_id, user_id, context, creation_time, embedding)
SELECT 'm' || n % 2, test.id(n), CASE WHEN n % 3 = 0 THEN 'ann' END, test.words(n, 6),
  timestamptz '2025-01-01Z' + n * interval '1 day', test.vector(n)::halfvec
FROM generate_series(1, 12) n;
INSERT INTO at_log.contexts (memory_id, context_id, user_id, context, creation_time, embedding)
SELECT memory_id, context_id, user_id, context, creation_time, embedding
FROM at_copy.contexts;
SELECT count(*) AS answers,
  count(*) FILTER (WHERE own->'contexts' <> '[]') AS with_contexts,
  count(*) FILTER (WHERE own::text <> copy::text) AS different
FROM queries q,
  (VALUES ('{}'::jsonb), ('{"userId": "ann"}')) f(filters),
  LATERAL memory_search(memory, query, 5, 3, embedding, filters, options, 'at_log') own,
  LATERAL memory_search(memory, query, 5, 3, embedding, filters, options, 'at_copy') copy;
SELECT count(*) AS recalls, count(*) FILTER (WHERE own::text <> copy::text) AS different
FROM queries q,
  LATERAL memory_recall(memory, query, 5, 3, embedding, options => options, store => 'at_log') own,
  LATERAL memory_recall(memory, query, 5, 3, embedding, options => options, store => 'at_copy') copy;
SELECT count(*) AS counts, count(*) FILTER (WHERE a.access_count <> c.access_count) AS different
FROM at_log.entry_access a FULL JOIN at_copy.entry_access c USING (memory_id, entry_id);
RESET memory_search.max_top_ke;

DROP FUNCTION rows_of;
DROP TABLE calls, queries;
SELECT count(memory_drop_store(nspname, force => true)) AS dropped
FROM pg_namespace WHERE nspname LIKE 'at\_%' AND nspname NOT IN ('at_app', 'at_copy');
SELECT count(*) AS tables, (SELECT count(*) FROM at_app.log) AS rows
FROM pg_class WHERE relnamespace = 'at_app'::regnamespace AND relkind = 'r';
DROP SCHEMA at_app, at_copy CASCADE;
