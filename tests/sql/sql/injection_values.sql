-- Hostile texts as values of columns and of settings: each text stays the same.
-- canary is the table that an attack would drop.
CREATE TABLE canary (sings boolean);
INSERT INTO canary VALUES (true);
CREATE SCHEMA inj;
CREATE TABLE inj.texts AS SELECT * FROM test.hostile_texts();
SET client_min_messages = error;

-- A stored text comes back unchanged, from each argument, and filters that name it find it.
SELECT memory_create_store('inj values', 4);
SELECT count(memory_add(t, t, t, t, ARRAY[t, t || t], jsonb_build_object(t, t), 50, '[1,0,0,0]', t, t, t, '2025-01-01Z',
    test.id(n), 'inj values')) AS added
FROM inj.texts WHERE t <> '';
SELECT count(*) AS the_same
FROM inj.texts
JOIN "inj values".entries ON entry_id = test.id(n)
WHERE (memory_id, raw_entry, summary, context, tags, metadata, user_id, agent_id, source_type)
  = (t, t, t, t, ARRAY[t, t || t], jsonb_build_object(t, t), t, t, t);
SELECT count(*) AS found,
  count(*) FILTER (WHERE answer->'entries'->0 @> jsonb_build_object('memoryId', t, 'rawEntry', t, 'summary', t, 'tags',
        jsonb_build_array(t, t || t), 'metadata', jsonb_build_object(t, t), 'userId', t, 'agentId', t, 'sourceType',
        t)) AS the_same,
  count(*) FILTER (WHERE answer->>'latestContext' = t
      OR (btrim(t, E' \n') = '' AND answer->>'latestContext' = '')) AS contexts
FROM inj.texts,
  memory_search(t, '',
      filters => jsonb_build_object('userId', t, 'agentId', t, 'sourceType', t, 'tags', jsonb_build_array(t),
          -- (There a key that begins with $ is refused, because it looks like an operator.)
          'metadata',
          CASE WHEN t LIKE '$%' THEN '{}' ELSE jsonb_build_object(t, t) END),
      store => 'inj values') answer
WHERE t <> '';
SELECT sum(memory_touch(t, ARRAY[test.id(n)], 'inj values')) AS touched,
  sum(memory_update(t, test.id(n), t || t, store => 'inj values')) AS updated,
  sum(memory_delete(t, ARRAY[test.id(n)], store => 'inj values')) AS deleted,
  sum(memory_restore(t, ARRAY[test.id(n)], store => 'inj values')) AS restored
FROM inj.texts WHERE t <> '';
SELECT count(*) AS users, sum(forgotten) >= 2 * count(*) AS each_whole
FROM (SELECT memory_forget_user(t, 'inj values') AS forgotten FROM inj.texts WHERE t <> '' ORDER BY n) f;
SELECT count(*) AS left_over FROM "inj values".entries;

-- The settings that name a function, a store and a model.
SELECT test.outcome(format('SET LOCAL memory_search.embedding_function = %L; SELECT memory_embed(''tea'')',
      t)) AS embedder,
  count(*)
FROM inj.texts WHERE btrim(t, E' \n\t\r') <> '' GROUP BY 1 ORDER BY 1;
SELECT test.outcome(format('SET LOCAL memory_search.store = %L; SELECT memory_search(''m'', ''tea'')', t)) AS store,
  count(*)
FROM inj.texts GROUP BY 1 ORDER BY 1;
SELECT test.outcome(format('SET LOCAL memory_search.model = %L; SELECT memory_embed(''tea'')', t)) AS model, count(*)
FROM inj.texts GROUP BY 1 ORDER BY 1;
SELECT test.error($$SET LOCAL memory_search.embedding_function = 'public.f(text); DROP TABLE canary; --';
                    SELECT memory_embed('tea')$$) AS with_sql,
  test.error($$SET LOCAL memory_search.embedding_function = 'pg_catalog.upper';
               SELECT memory_embed('tea')$$) AS of_other_results \gx
CREATE FUNCTION inj."odd ' "" \ ; DROP TABLE canary; --"(text) RETURNS vector LANGUAGE sql AS $$
  SELECT '[1,2,3]'::public.vector $$;
SET memory_search.embedding_function = 'inj."odd '' "" \ ; DROP TABLE canary; --"';
SELECT memory_embed('tea');
RESET memory_search.embedding_function;

SELECT count(*) AS canaries FROM canary;
DROP TABLE canary;
DROP SCHEMA inj, "inj values" CASCADE;
