-- The fields of entries, their counts and the contexts are read in place or by statements: the answers are the same
-- bytes. Searches use statements in serializable transactions, with privileges on columns, and if somebody changed the
-- tables.
CREATE FUNCTION fill(store text) RETURNS void LANGUAGE plpgsql AS $fill$
BEGIN
  EXECUTE format($$
    INSERT INTO %1$I.entries (memory_id, entry_id, user_id, agent_id, session_id, entry_key, summary, raw_entry,
      context, tags, metadata, source_type, importance, creation_time, valid_from, valid_until, embedding)
    SELECT 'm' || n %% 4, test.id(n), CASE WHEN n %% 3 > 0 THEN 'user ' || n %% 3 END,
      CASE WHEN n %% 5 = 0 THEN 'agent' END,
      CASE WHEN n %% 2 = 0 THEN 's' || n %% 7 END, CASE WHEN n %% 6 = 0 THEN 'key-' || n END,
      CASE WHEN n %% 4 = 1 THEN test.words(n, 3) END,
      -- Some values are outside of their row, compressed or not.
      test.words(n, 8) || CASE n %% 40 WHEN 7 THEN repeat(' compressed', 3000)
        WHEN 8 THEN (SELECT string_agg(md5((n + g)::text), ' ') FROM generate_series(1, 300) g) ELSE '' END,
      -- The memory m3 has contexts on its entries alone.
      CASE WHEN n %% 4 = 3 AND n %% 16 = 3 THEN 'On an entry: ' || test.words(n, 4) END,
      (ARRAY['{}', '{plain,"two words"}', '{"quote \" and \\ back",NULL,"",tab	}', E'{"\x01\x7f\b\f\n\r é ☃ 😀"}',
        '[3:4]={x,y}'])[1 + n %% 5]::text[],
      (ARRAY['{}', '{"a": {"b": [1, 2.50, null, true]}}', '{"large": 123456789012345678901234567890.10}',
        '{"z": "\u00e9\ud83d\ude00 \" \\", "a": 1e3}'])[1 + n %% 4]::jsonb,
      (ARRAY['chat', NULL, 'e-mail'])[1 + n %% 3], n %% 101,
      timestamptz '2025-01-01Z' + n * interval '11 min 0.000007 s',
      CASE WHEN n %% 9 = 0 THEN timestamptz '2025-01-01Z' END, CASE WHEN n %% 9 = 0 THEN timestamptz '2025-12-31Z' END,
      CASE WHEN n %% 11 > 0 THEN test.vector(n)::vector END
    FROM generate_series(1, 400) n;
    INSERT INTO %1$I.entry_access (memory_id, entry_id, access_count)
    SELECT memory_id, entry_id, importance FROM %1$I.entries WHERE importance %% 3 = 0;
    INSERT INTO %1$I.contexts (memory_id, context_id, user_id, context, creation_time, deletion_scheduled_time,
      embedding, entry_id)
    SELECT 'm' || n %% 3, test.id(n), CASE WHEN n %% 2 = 0 THEN 'user ' || n %% 3 END,
      -- Some texts occur more than once; some contexts have the same time.
      'Context: ' || test.words(n %% 25, 6), timestamptz '2025-02-01Z' + n / 4 * interval '1 h',
      CASE WHEN n %% 10 = 0 THEN timestamptz '2025-02-02Z' + n * interval '1 min' END,
      CASE WHEN n %% 5 > 0 THEN test.vector(n + 1000)::vector END,
      CASE WHEN n %% 7 = 0 THEN (SELECT e.entry_id FROM %1$I.entries e WHERE e.memory_id = 'm' || n %% 3
        ORDER BY md5(n || e.entry_id::text) LIMIT 1) END
    FROM generate_series(1, 90) n;
    $$, store);
END $fill$;
SET memory_search.max_top_kc = 20;
SELECT memory_create_store('rp', 4, 'english');
-- The pages have room for other versions of each row.
ALTER TABLE rp.contexts SET (fillfactor = 40);
SELECT fill('rp');
SELECT count(*) > 3 AS some_are_apart FROM rp.entries
WHERE pg_column_size(raw_entry) < octet_length(raw_entry) OR octet_length(raw_entry) > 8000;

CREATE TABLE asked AS
  SELECT row_number() OVER () AS n, memory, words, options, filters
  FROM unnest('{m0,m1,m2,m3,none}'::text[]) memory, unnest('{"lisbon tea","harbour",""}'::text[]) words,
    unnest(ARRAY['{}', '{"asOf": "2025-02-02T12:00:00Z"}', '{"strategy": "recent"}', '{"includeSuperseded": true}',
      '{"fields": ["entryId", "embedding"]}', '{"snippets": {"maxCharacters": 40}}']::jsonb[]) options,
    unnest(ARRAY['{}', '{"userId": "user 1"}', '{"userId": ["user 1", "user 2"]}']::jsonb[]) filters;
CREATE FUNCTION answers(store text) RETURNS TABLE (n bigint, answer jsonb, rows jsonb) LANGUAGE sql AS $$
  SELECT n, answer || jsonb_build_object('entries', (
      -- Ages are those at the instant of each search.
      SELECT coalesce(jsonb_agg(entry #- '{scores,recency}' ORDER BY place), '[]')
      FROM jsonb_array_elements(answer->'entries') WITH ORDINALITY entries (entry, place))),
    (SELECT jsonb_agg(to_jsonb(e) - 'recency_factor' ORDER BY rank)
     FROM memory_search_entries(memory, words, k => 12, embedding => test.vector(n), filters => filters, store => store,
       options => (options - 'fields' - 'snippets') || '{"boosts": {"recency": 0}}') e)
  FROM asked, memory_search(memory, words, 10, 7, embedding => test.vector(n), filters => filters, store => store,
    options => options || '{"boosts": {"recency": 0}}') answer $$;
CREATE TABLE kept AS SELECT 'rp' AS store, a.* FROM answers('rp') a;
SELECT count(*) AS answers, sum((answer->>'count')::int) AS entries,
  sum(jsonb_array_length(answer->'contexts')) AS contexts,
  count(*) FILTER (WHERE answer->>'latestContext' <> '') AS latest
FROM kept;
CREATE FUNCTION different(of_store text, in_store text DEFAULT NULL) RETURNS bigint LANGUAGE sql AS $$
  SELECT count(*) FROM answers(coalesce(in_store, of_store)) a JOIN kept k USING (n)
  WHERE k.store = of_store AND (a.answer, a.rows) IS DISTINCT FROM (k.answer, k.rows) $$;
-- The number of plans that this session keeps of statements on a store.
CREATE FUNCTION plans(store text) RETURNS bigint LANGUAGE sql SECURITY DEFINER AS $$
  SELECT count(*) FROM pg_backend_memory_contexts
  WHERE name = 'CachedPlanSource' AND ident LIKE '%' || store || '.%' $$;

-- The same by statements.
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT different('rp');
COMMIT;
-- An ordinary search keeps no plan.
\connect -
SELECT memory_search('m1', 'lisbon tea', embedding => test.vector(1), store => 'rp')->'count' AS entries;
SELECT plans('rp');
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT memory_search('m1', 'lisbon tea', embedding => test.vector(1), store => 'rp')->'count' AS entries;
SELECT plans('rp') > 0 AS keeps_plans;
COMMIT;
-- Rows with another version, in their place or elsewhere; entries of deleted contexts; contexts that are gone.
CREATE FUNCTION change(store text) RETURNS void LANGUAGE plpgsql AS $change$
BEGIN
  EXECUTE format($$
    UPDATE %1$I.entries SET source_type = 'changed' WHERE importance %% 7 = 0;
    UPDATE %1$I.contexts SET context = context || '!' WHERE test.n(context_id) %% 5 < 2;
    UPDATE %1$I.contexts SET embedding_error = 'none' WHERE test.n(context_id) %% 5 = 2;
    UPDATE %1$I.entries SET deletion_scheduled_time = '2025-02-02Z'
    WHERE entry_id IN (SELECT c.entry_id FROM %1$I.contexts c WHERE test.n(context_id) %% 2 = 0);
    DELETE FROM %1$I.contexts WHERE test.n(context_id) %% 13 = 0;
    UPDATE %1$I.entry_access SET access_count = access_count + 1 WHERE access_count %% 2 = 0;
    $$, store);
END $change$;
SET memory_search.max_top_kc = 20;
BEGIN;
SELECT change('rp');
SELECT pg_stat_get_xact_tuples_hot_updated('rp.contexts'::regclass) > 0 AS some_in_their_place;
COMMIT;
DELETE FROM kept;
INSERT INTO kept SELECT 'rp', a.* FROM answers('rp') a;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT different('rp');
COMMIT;
VACUUM rp.entries, rp.contexts, rp.entry_access;
SELECT different('rp');

-- With partitions, if the server supports stores with partitions.
SELECT CASE WHEN current_setting('server_version_num')::int >= 170000 THEN '4' ELSE 'NULL' END AS partitions \gset
SELECT memory_create_store('rp_parts', 4, 'english', partitions => :partitions);
SELECT fill('rp_parts'), change('rp_parts');
SELECT different('rp', 'rp_parts');

-- Privileges on columns are known only to the executor; a column that may not be read is not read.
CREATE ROLE rp_columns;
GRANT USAGE ON SCHEMA rp TO rp_columns;
GRANT SET ON PARAMETER memory_search.max_top_kc TO rp_columns;
GRANT SELECT ON asked, kept, rp.entries TO rp_columns;
SELECT format('GRANT SELECT (%s) ON %s TO rp_columns', string_agg(quote_ident(attname), ', '), attrelid::regclass)
FROM pg_attribute WHERE attrelid IN ('rp.contexts'::regclass, 'rp.entry_access'::regclass) AND attnum > 0
GROUP BY attrelid \gexec
SET ROLE rp_columns;
SELECT different('rp');
RESET ROLE;
REVOKE SELECT (context) ON rp.contexts FROM rp_columns;
SET ROLE rp_columns;
SELECT test.error($$SELECT memory_search('m1', 'tea', store => 'rp')$$);
RESET ROLE;
GRANT SELECT ON rp.contexts TO rp_columns;
-- In a session without plans.
GRANT SELECT ON rp.entry_access TO rp_columns;
\connect -
SET ROLE rp_columns;
SELECT test.error($$SELECT memory_search('m1', 'tea', store => 'rp')$$);
RESET ROLE;
REVOKE USAGE ON SCHEMA rp FROM rp_columns;
SET ROLE rp_columns;
SELECT test.error($$SELECT memory_search('m1', 'tea', store => 'rp')$$);
RESET ROLE;
REVOKE SELECT ON rp.entry_access FROM rp_columns;
GRANT USAGE ON SCHEMA rp TO rp_columns;
REVOKE SELECT (access_count) ON rp.entry_access FROM rp_columns;
SET ROLE rp_columns;
SELECT test.error($$SELECT memory_search('m1', 'tea', store => 'rp')$$);
RESET ROLE;
-- By policies: the store's own, and another on contexts alone.
SET memory_search.max_top_kc = 20;
SELECT memory_enable_row_security('rp', 'rp.who');
GRANT SELECT ON rp.entry_access TO rp_columns;
SET ROLE rp_columns;
SET rp.who = 'user 1';
CREATE TEMP TABLE of_user AS SELECT * FROM answers('rp');
SELECT count(*) FILTER (WHERE (answer->>'count')::int > 0) > 0 AS finds,
  bool_and(entry->>'userId' = 'user 1') AS only_theirs
FROM of_user LEFT JOIN LATERAL jsonb_array_elements(
  CASE WHEN answer @? '$.entries[*].userId' THEN answer->'entries' END) entry ON true;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) AS different FROM answers('rp') a JOIN of_user o USING (n)
WHERE (a.answer, a.rows) IS DISTINCT FROM (o.answer, o.rows);
COMMIT;
-- The same without statements.
RESET ROLE;
INSERT INTO rp.entries (memory_id, user_id, raw_entry) VALUES ('two', 'user 1', 'tea'), ('two', 'user 2', 'tea');
INSERT INTO rp.contexts (memory_id, user_id, context)
VALUES ('two', 'user 1', 'one tea'), ('two', 'user 1', 'other tea'), ('two', 'user 2', 'a tea of theirs');
\connect -
SET memory_search.max_top_kc = 20;
SET ROLE rp_columns;
SET rp.who = 'user 1';
SELECT answer->'count' AS entries, answer->>'latestContext' LIKE '%tea' AS latest,
  jsonb_array_length(answer->'contexts') AS others, plans('rp')
FROM memory_search('two', 'tea', 5, 7, store => 'rp') answer;
SELECT count(*) AS contexts, bool_and(c.user_id = 'user 1') AS only_theirs
FROM asked, memory_search(memory, words, 0, 7, embedding => test.vector(n), store => 'rp') answer,
  jsonb_array_elements(answer->'contexts') shown
LEFT JOIN rp.contexts c ON c.context_id::text = shown->>'contextId'
WHERE memory <> 'm3';
-- A policy on counts alone hides the counts of visible entries.
RESET ROLE;
ALTER TABLE rp.entries DISABLE ROW LEVEL SECURITY;
SET ROLE rp_columns;
CREATE TEMP TABLE of_all AS SELECT * FROM answers('rp');
SELECT bool_or(entry->>'userId' = 'user 2') AS finds_others,
  bool_and((entry->>'accessCount')::int = 0 OR entry->>'userId' = 'user 1') AS without_their_counts
FROM of_all, jsonb_array_elements(CASE WHEN answer @? '$.entries[*].userId' THEN answer->'entries' END) entry;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) AS different FROM answers('rp') a JOIN of_all o USING (n)
WHERE (a.answer, a.rows) IS DISTINCT FROM (o.answer, o.rows);
COMMIT;
RESET ROLE;
ALTER TABLE rp.entries ENABLE ROW LEVEL SECURITY;
SET ROLE rp_columns;
RESET rp.who;
SELECT memory_search('m1', 'lisbon tea', embedding => test.vector(1), store => 'rp')->'count' AS without_user;
RESET ROLE;
ALTER TABLE rp.entries DISABLE ROW LEVEL SECURITY;
ALTER TABLE rp.entry_access DISABLE ROW LEVEL SECURITY;
DROP POLICY memory_search_user ON rp.contexts;
CREATE POLICY even ON rp.contexts USING (test.n(context_id) % 2 = 0);
SET ROLE rp_columns;
SELECT count(*) AS contexts, bool_and(test.n(context->>'contextId') % 2 = 0) AS only_shown
FROM asked, memory_search(memory, words, 0, 7, embedding => test.vector(n), store => 'rp') answer,
  jsonb_array_elements(answer->'contexts') context
-- Contexts of m3 are in a column of its entries.
WHERE memory <> 'm3';
RESET ROLE;
DROP POLICY even ON rp.contexts;
ALTER TABLE rp.contexts DISABLE ROW LEVEL SECURITY;

-- Tables that somebody changed: another type, another collation, an index that is missing, that has some rows only, or
-- that is in another order.
ALTER TABLE rp.entries ALTER source_type TYPE varchar;
SELECT different('rp');
ALTER TABLE rp.entries ALTER source_type TYPE text;
DROP INDEX rp.contexts_recent;
CREATE INDEX ON rp.contexts (memory_id, creation_time DESC, context_id) WHERE user_id IS NOT NULL;
CREATE INDEX ON rp.contexts (memory_id, creation_time, context_id);
SELECT different('rp');
ALTER TABLE rp.entry_access DROP CONSTRAINT entry_access_pkey;
CREATE UNIQUE INDEX ON rp.entry_access (memory_id, entry_id) WHERE access_count < 30;
SELECT different('rp');
ALTER TABLE rp.contexts ALTER user_id TYPE text COLLATE "C", ALTER memory_id TYPE text COLLATE "C";
SELECT different('rp');
-- Tags are the same as in SQL.
SELECT DISTINCT entry->'tags' AS tags
FROM kept, jsonb_array_elements(answer->'entries') entry WHERE entry ? 'tags' ORDER BY 1;

DROP TABLE asked, kept;
DROP FUNCTION fill, change, answers, different, plans;
DROP OWNED BY rp_columns;
DROP ROLE rp_columns;
SELECT memory_drop_store('rp', true), memory_drop_store('rp_parts', true);
RESET memory_search.max_top_kc;
