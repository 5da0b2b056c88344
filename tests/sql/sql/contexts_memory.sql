-- Contexts are ranked by a memory index of their own: the same bytes as by their rows, in place or by a statement.
CREATE SCHEMA cm_embed;
CREATE FUNCTION cm_embed.one(t text) RETURNS real[] LANGUAGE sql IMMUTABLE
  RETURN (SELECT array_agg((('x' || left(md5(t || g), 6))::bit(24)::int / 8388608.0 - 1)::real ORDER BY g)
          FROM generate_series(1, 64) g);
SET memory_search.embedding_function = 'cm_embed.one';
CREATE FUNCTION fill(store text, has_entries boolean, memory_id text) RETURNS void LANGUAGE plpgsql AS $fill$
BEGIN
  IF has_entries THEN
    EXECUTE format($$INSERT INTO %1$I.entries (memory_id, entry_id, user_id, raw_entry, context, creation_time,
        deletion_scheduled_time, expires_at)
      SELECT 'e' || n %% 2, test.id(n), CASE WHEN n %% 3 > 0 THEN 'ann' END, 'entry ' || n,
        CASE WHEN n %% 4 IN (1, 2) THEN 'Context: ' || test.words(n %% 40, 6) END,
        timestamptz '2025-01-01Z' + n * interval '1 h',
        CASE WHEN n %% 7 = 0 THEN timestamptz '2025-02-03Z' END,
        CASE WHEN n %% 11 = 0 THEN timestamptz '2025-02-05Z' END
      FROM generate_series(1, 300) n$$, store);
  END IF;
  -- Contexts of the memories m were put by themselves; most of those of the memories e were brought by entries, some of
  -- which are hidden. The rows have accents, repeated texts and times, users, several embedders, and some lack an
  -- embedding or have one of another length.
  EXECUTE format($$INSERT INTO %1$I.contexts (memory_id, context_id, user_id, context, creation_time,
      deletion_scheduled_time, embedding, embedding_model)
    SELECT %2$s, test.id(n), CASE n %% 5 WHEN 1 THEN 'ann' WHEN 2 THEN 'bob' END,
      CASE n %% 6 WHEN 0 THEN 'Café Übersicht ' WHEN 1 THEN 'cafe ubersicht C++ ' ELSE 'Context: ' END
        || test.words(n %% 40, 6 + n %% 2 * 5),
      timestamptz '2025-02-01Z' + n / 3 * interval '1 h',
      CASE WHEN n %% 10 = 0 THEN timestamptz '2025-02-02Z' + n * interval '1 min' END,
      CASE WHEN n %% 9 > 0 THEN cm_embed.one(test.words(n %% 40, 6))::vector END,
      CASE n %% 4 WHEN 0 THEN 'another' WHEN 1 THEN NULL ELSE 'cm_embed.one' END
    FROM generate_series(1, 600) n$$, store, memory_id);
END $fill$;
CREATE FUNCTION bring(store text) RETURNS void LANGUAGE plpgsql AS $bring$
BEGIN
  EXECUTE format($$UPDATE %1$I.contexts c SET entry_id = test.id(test.n(context_id) %% 300 / 2 * 2
      + CASE memory_id WHEN 'e0' THEN 2 ELSE 1 END)
    WHERE memory_id LIKE 'e%%' AND test.n(context_id) %% 5 > 0$$, store);
END $bring$;
CREATE TABLE calls AS
  SELECT row_number() OVER () AS n, memories, query, filters::jsonb, options::jsonb
    || '{"boosts": {"recency": 0}, "diagnostics": false}' AS options
  FROM (VALUES ('{m0}'::text[]), ('{m1}'), ('{e0}'), ('{e1}'), ('{none}'), ('{m0,m1}'), ('{e1,none,m1,e0}')
    ) m (memories),
    (VALUES ('lisbon tea'), ('café'), ('cafe ubersicht c++ quartz'), ('zzz')) q (query),
    (VALUES ('{}'), ('{"userId": "ann"}'), ('{"userId": ["ann", "bob"]}')) f (filters),
    (VALUES ('{}'), ('{"asOf": "2025-02-04T12:00:00Z"}'), ('{"candidates": 5}'), ('{"strategy": "keyword"}'),
      ('{"includeSuperseded": true}'), ('{"contexts": {"createdBefore": "2025-02-06T00:00:00Z"}}')) o (options);
-- The calls are thinned out to a third.
DELETE FROM calls WHERE abs(hashint8(n)) % 3 > 0;
CREATE FUNCTION one(c calls, store text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT CASE WHEN cardinality(c.memories) = 1
    THEN memory_search(c.memories[1], c.query, 3, 1 + c.n::int % 9, NULL, c.filters, c.options, store)
    ELSE memory_search(c.memories, c.query, 3, 1 + c.n::int % 9, NULL, c.filters, c.options, store) END $$;
CREATE FUNCTION answers(store text) RETURNS TABLE (n bigint, contexts jsonb) LANGUAGE sql AS $$
  SELECT n, answer->'contexts' || jsonb_build_array(answer->'latestContext') FROM calls c, one(c, store) answer $$;
CREATE FUNCTION by_vector(store text) RETURNS TABLE (n bigint, contexts jsonb) LANGUAGE sql AS $$
  SELECT -n, memory_search('m' || n % 2, CASE WHEN n % 3 = 0 THEN '' ELSE 'harbour' END, 3, 20,
    cm_embed.one(test.words(n, 6)), options => '{"boosts": {"recency": 0}}', store => store)->'contexts'
  FROM generate_series(1, 12) n $$;
CREATE TABLE kept (store text, n bigint, contexts jsonb);
CREATE FUNCTION keep(store text) RETURNS bigint LANGUAGE sql AS $$
  DELETE FROM kept k WHERE k.store = keep.store;
  INSERT INTO kept SELECT store, a.* FROM answers(store) a UNION ALL SELECT store, a.* FROM by_vector(store) a;
  SELECT sum(jsonb_array_length(contexts)) FROM kept k WHERE k.store = keep.store $$;
CREATE FUNCTION different(of_store text, in_store text DEFAULT NULL) RETURNS bigint LANGUAGE sql AS $$
  SELECT count(*) FROM (SELECT * FROM answers(coalesce(in_store, of_store)) UNION ALL
    SELECT * FROM by_vector(coalesce(in_store, of_store))) a
  FULL JOIN (SELECT * FROM kept k WHERE k.store = of_store) k USING (n) WHERE a.contexts IS DISTINCT FROM k.contexts $$;
CREATE FUNCTION ways(store text) RETURNS TABLE (memory text, path text, reads text) LANGUAGE sql AS $$
  SELECT memory, read->>'path', concat_ws(' ', read->'rows', read->'matching', read->'otherEmbedder')
  FROM unnest('{m0,e0}'::text[]) memory,
    jsonb_array_elements(memory_search(memory, 'lisbon tea', store => store, options => '{"diagnostics": true}')
      #> '{diagnostics,reads}') read
  WHERE read->>'relation' = 'contexts' ORDER BY 1 $$;
SET memory_search.max_top_kc = 20;

SELECT memory_create_store('cm', 64, 'german');
SELECT pg_get_indexdef('cm.contexts_memory'::regclass), obj_description('cm.contexts_memory'::regclass);
SELECT fill('cm', true, $$(ARRAY['m', 'm', 'e'])[1 + n % 3] || n / 3 % 2$$), bring('cm');
-- Texts at and beyond the limit of the text of which words are made.
INSERT INTO cm.contexts (memory_id, context_id, context, creation_time)
SELECT 'm0', test.id(1000 + n), repeat('lange worte ', 5000 * n) || 'lisbon tea quartz', '2025-02-20Z'
FROM generate_series(1, 3) n;
SELECT count(*) > 100 AS some_were_brought FROM cm.contexts WHERE entry_id IS NOT NULL;
SELECT count(*) FILTER (WHERE said) > 0 AS said_by_another, count(*) FILTER (WHERE NOT said) > 0 AS by_none
FROM cm.contexts c JOIN cm.entries e USING (memory_id, entry_id), LATERAL (SELECT EXISTS (
  SELECT FROM cm.entries o WHERE o.memory_id = c.memory_id AND o.context = c.context
    AND o.user_id IS NOT DISTINCT FROM c.user_id AND o.deletion_scheduled_time IS NULL
    AND o.expires_at IS NULL)) s(said)
WHERE e.deletion_scheduled_time IS NOT NULL OR e.expires_at IS NOT NULL;
SELECT keep('cm') > 300 AS contexts;
SELECT * FROM ways('cm');
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT different('cm');
SELECT * FROM ways('cm');
COMMIT;
-- Rows are changed in their place or elsewhere, deleted and removed; entries are removed with their contexts.
CREATE FUNCTION change(store text, has_entries boolean) RETURNS void LANGUAGE plpgsql AS $change$
BEGIN
  EXECUTE format($$UPDATE %1$I.contexts SET context = context || ' changed' WHERE test.n(context_id) %% 50 < 3;
    UPDATE %1$I.contexts SET embedding_error = 'none' WHERE test.n(context_id) %% 9 = 4;
    UPDATE %1$I.contexts SET deletion_scheduled_time = now() WHERE test.n(context_id) %% 31 = 4;
    DELETE FROM %1$I.contexts WHERE test.n(context_id) %% 37 = 4;$$, store);
  IF has_entries THEN
    EXECUTE format('UPDATE %1$I.entries SET deletion_scheduled_time = ''2025-02-04Z'' WHERE test.n(entry_id) %% 13 = 4;
      DELETE FROM %1$I.entries WHERE test.n(entry_id) %% 17 = 4', store);
  END IF;
END $change$;
SELECT change('cm', true);
SELECT keep('cm') > 300 AS contexts;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT different('cm');
COMMIT;
-- The documents are sealed into segments, and vacuum has run.
VACUUM cm.contexts, cm.entries;
SELECT different('cm');
REINDEX INDEX cm.contexts_memory;
SELECT different('cm');
SELECT count(*) > 0 AS proved, bool_or(name ~ 'error|wrong' AND value > 0) AS any_fault
FROM memory_index_check('cm.contexts_memory');
SELECT status, detail FROM memory_doctor('cm') WHERE name = 'index of searches';
DROP INDEX cm.contexts_memory;
SELECT different('cm');
SELECT * FROM ways('cm');
SELECT status, detail, fix FROM memory_doctor('cm') WHERE name = 'index of searches' \gx
SELECT fix FROM memory_doctor('cm') WHERE name = 'index of searches' \gset
:fix
SELECT * FROM ways('cm');
SELECT different('cm');
-- An index with another language or other weights, or without a column, is used for the parts for which it is right.
DROP INDEX cm.contexts_memory;
CREATE INDEX one ON cm.contexts USING memory_search (memory_id, context, embedding)
  INCLUDE (creation_time, deletion_scheduled_time, user_id, embedding_model) WITH (language = german);
SELECT path, different('cm') FROM ways('cm') LIMIT 1;
DROP INDEX cm.one;
CREATE INDEX one ON cm.contexts USING memory_search (memory_id, context, embedding)
  INCLUDE (creation_time, deletion_scheduled_time, user_id, embedding_model) WITH (language = english, weights = 'D');
SELECT path, different('cm') FROM ways('cm') LIMIT 1;
DROP INDEX cm.one;
CREATE INDEX one ON cm.contexts USING memory_search (memory_id, context, embedding)
  INCLUDE (creation_time, deletion_scheduled_time, embedding_model) WITH (language = german, weights = 'D');
SELECT path, different('cm') FROM ways('cm') LIMIT 1;
SELECT status, detail FROM memory_doctor('cm') WHERE name = 'index of searches';
DROP INDEX cm.one;
CREATE INDEX one ON cm.contexts USING memory_search (memory_id, context, embedding)
  INCLUDE (creation_time, deletion_scheduled_time, user_id, embedding_model) WITH (language = german, weights = 'D')
  WHERE user_id IS NULL;
SELECT path, different('cm') FROM ways('cm') LIMIT 1;
DROP INDEX cm.one;
SELECT fix FROM memory_doctor('cm') WHERE name = 'index of searches' \gset
:fix
SELECT path FROM ways('cm') LIMIT 1;

-- The store's own policy shows the contexts of a user, as in a store that has no others.
SELECT memory_create_store('cm_ann', 64, 'german');
INSERT INTO cm_ann.entries (memory_id, entry_id, user_id, raw_entry, context, creation_time, deletion_scheduled_time,
    expires_at)
SELECT memory_id, entry_id, user_id, raw_entry, context, creation_time, deletion_scheduled_time, expires_at
FROM cm.entries WHERE user_id = 'ann';
INSERT INTO cm_ann.contexts (memory_id, context_id, user_id, context, creation_time, deletion_scheduled_time, embedding,
    embedding_model, entry_id)
SELECT memory_id, context_id, user_id, context, creation_time, deletion_scheduled_time, embedding, embedding_model,
  entry_id
FROM cm.contexts WHERE user_id = 'ann' AND (entry_id IS NULL OR entry_id IN (SELECT entry_id FROM cm_ann.entries));
-- Other contexts of ann name entries that ann does not see.
DELETE FROM cm.contexts c WHERE user_id = 'ann' AND NOT EXISTS (
  SELECT FROM cm_ann.contexts a WHERE (a.memory_id, a.context_id) = (c.memory_id, c.context_id));
SELECT keep('cm_ann') > 30 AS contexts;
CREATE ROLE cm_reader;
GRANT USAGE ON SCHEMA cm_embed TO cm_reader;
SELECT memory_grant('cm', 'cm_reader');
GRANT SELECT ON calls, kept TO cm_reader;
SELECT memory_enable_row_security('cm', 'cm.who');
SET ROLE cm_reader;
SET cm.who = 'ann';
SELECT path FROM ways('cm') LIMIT 1;
SELECT different('cm_ann', 'cm');
SET cm.who = '';
SELECT DISTINCT contexts FROM answers('cm');
RESET ROLE;
CREATE POLICY others ON cm.contexts AS RESTRICTIVE FOR SELECT USING (creation_time < '2025-02-05Z');
SET ROLE cm_reader;
SET cm.who = 'ann';
SELECT path FROM ways('cm') LIMIT 1;
RESET ROLE;
DELETE FROM cm_ann.contexts WHERE creation_time >= '2025-02-05Z';
SELECT keep('cm_ann') > 20 AS contexts;
SET ROLE cm_reader;
SELECT different('cm_ann', 'cm');
RESET ROLE;
DROP POLICY others ON cm.contexts;

-- The same contexts in a store with partitions.
SELECT current_setting('server_version_num')::int >= 170000 AS has_partitions \gset
SELECT CASE WHEN :'has_partitions' THEN '3' ELSE 'NULL' END AS partitions \gset
SELECT memory_create_store('cm_parts', 64, 'german', partitions => :partitions);
SELECT fill('cm_parts', true, $$(ARRAY['m', 'm', 'e'])[1 + n % 3] || n / 3 % 2$$), bring('cm_parts');
SELECT change('cm_parts', true);
SELECT * FROM ways('cm_parts');
SELECT keep('cm_parts') > 300 AS contexts;
SELECT status, detail FROM memory_doctor('cm_parts') WHERE name = 'index of searches';
DROP INDEX cm_parts.contexts_memory;
SELECT path, different('cm_parts') FROM ways('cm_parts') LIMIT 1;

-- An adopted table's store has contexts of its own; if the words are a column of the table, the configuration makes the
-- words of queries.
CREATE SCHEMA cm_app;
CREATE TABLE cm_app.log (id uuid PRIMARY KEY, chat uuid, said text, meaning halfvec(64), words tsvector);
INSERT INTO cm_app.log SELECT test.id(n), test.id(n % 2), 'an entry ' || n, NULL, 'word' FROM generate_series(1, 9) n;
SELECT memory_adopt_table('cm_adopted', 'cm_app.log',
  '{"memory_id": "chat", "entry_id": "id", "raw_entry": "said", "embedding": "meaning", "search_vector": null}',
  'german');
SELECT memory_adopt_table('cm_words', 'cm_app.log',
  '{"memory_id": "chat", "entry_id": "id", "raw_entry": "said", "embedding": "meaning", "search_vector": "words"}',
  'german');
SELECT s.store, to_regclass(s.store || '.contexts_memory') FROM unnest('{cm_adopted,cm_words}'::text[]) s (store);
SELECT fill(store, false, 'test.id(n % 2)::text') FROM unnest('{cm_adopted,cm_words}'::text[]) store;
UPDATE calls SET memories = ARRAY(SELECT CASE m WHEN 'none' THEN m
  ELSE replace(test.id(right(m, 1)::int)::text, '-', '') END FROM unnest(memories) m);
CREATE OR REPLACE FUNCTION ways(store text) RETURNS TABLE (memory text, path text, reads text) LANGUAGE sql AS $$
  SELECT 'any', read->>'path', concat_ws(' ', read->'rows', read->'matching', read->'otherEmbedder')
  FROM jsonb_array_elements(memory_search(test.id(1)::text, 'lisbon tea', store => store,
      options => '{"diagnostics": true}') #> '{diagnostics,reads}') read
  WHERE read->>'relation' = 'contexts' $$;
SELECT * FROM ways('cm_adopted');
SELECT keep('cm_adopted') > 300 AS contexts;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM ways('cm_adopted');
SELECT different('cm_adopted');
COMMIT;
DROP INDEX cm_adopted.contexts_memory;
SELECT * FROM ways('cm_adopted');
SELECT different('cm_adopted');
SELECT * FROM ways('cm_words');
SELECT keep('cm_words') > 300 AS contexts;
CREATE INDEX ON cm_words.contexts USING memory_search (memory_id, context, embedding)
  INCLUDE (creation_time, deletion_scheduled_time, user_id, embedding_model) WITH (language = german, weights = 'D');
SELECT * FROM ways('cm_words');
SELECT different('cm_words');

-- In a store without a fixed number of dimensions, embeddings of another length than the query's are not compared.
RESET memory_search.embedding_function;
SET memory_search.model = '';
SELECT memory_create_store('cm_any');
INSERT INTO cm_any.contexts (memory_id, context_id, context, creation_time, embedding)
SELECT 'm' || n % 2, test.id(n), test.words(n, 8), timestamptz '2025-01-01Z' + n * interval '1 h',
  CASE n % 3 WHEN 0 THEN cm_embed.one(n::text)::vector WHEN 1 THEN test.vector(n)::vector END
FROM generate_series(1, 300) n;
SELECT sum(jsonb_array_length(contexts)) FROM by_vector('cm_any');
INSERT INTO kept SELECT 'cm_any', * FROM by_vector('cm_any');
DROP INDEX cm_any.contexts_memory;
SELECT count(*) FROM by_vector('cm_any') a JOIN kept k USING (n)
WHERE k.store = 'cm_any' AND a.contexts IS DISTINCT FROM k.contexts;

-- Plain SQL can use this index like any memory index.
CREATE FUNCTION nearest() RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(context_id::text, ',' ORDER BY distance, context_id)
  FROM (SELECT context_id, embedding <=> cm_embed.one('tea')::halfvec AS distance FROM cm_ann.contexts
    WHERE memory_id = 'm0' ORDER BY distance LIMIT 7) nearest $$;
SELECT nearest() AS usual \gset
SET enable_seqscan = off;
SET enable_sort = off;
SELECT nearest() = :'usual' AS same, length(:'usual') AS characters;
RESET enable_seqscan;
RESET enable_sort;
DROP FUNCTION nearest;
DROP OWNED BY cm_reader;
DROP ROLE cm_reader;
SET client_min_messages = warning;
DROP SCHEMA cm_embed, cm_app CASCADE;
DROP SCHEMA cm, cm_ann, cm_any, cm_parts, cm_adopted, cm_words CASCADE;
DROP FUNCTION fill, bring, one(calls, text), answers, by_vector, keep, different, ways, change;
DROP TABLE calls, kept;
