-- Tables as others make them become stores in place: LangChain's, one like mem0's, one like Hindsight's. The indexes
-- that memory_doctor proposes are made as it writes them; privileges and policies of the tables hold in every answer.
\pset format unaligned
CREATE SCHEMA ao_app;
-- The embedder of these applications: four dimensions, as their columns have.
CREATE FUNCTION ao_app.embed(input text) RETURNS real[] LANGUAGE sql IMMUTABLE RETURN test.vector(length(input));
SET memory_search.embedding_function = 'ao_app.embed';

-- LangChain (PGVector): a collection is a memory.
CREATE TABLE ao_app.langchain_pg_collection (uuid uuid PRIMARY KEY, name varchar NOT NULL UNIQUE, cmetadata json);
CREATE TABLE ao_app.langchain_pg_embedding (
  id varchar NOT NULL PRIMARY KEY, collection_id uuid REFERENCES ao_app.langchain_pg_collection ON DELETE CASCADE,
  embedding vector, document varchar, cmetadata jsonb
);
CREATE INDEX ix_cmetadata_gin ON ao_app.langchain_pg_embedding USING gin (cmetadata jsonb_path_ops);
INSERT INTO ao_app.langchain_pg_collection VALUES (test.id(1), 'handbook', NULL), (test.id(2), 'letters', '{"a": 1}');
INSERT INTO ao_app.langchain_pg_embedding
SELECT 'doc-' || n, test.id(1 + n % 2), test.vector(n)::vector, test.words(n, 8),
  jsonb_build_object('source', CASE WHEN n % 4 = 1 THEN 'a.pdf' ELSE 'b.pdf' END, 'page', n)
FROM generate_series(1, 40) n;
SELECT memory_adopt_table('ao_langchain', 'ao_app.langchain_pg_embedding',
    '{"memory_id": "collection_id", "entry_id": "id", "raw_entry": "document", "metadata": "cmetadata",
      "source_type": "cmetadata->>''source''", "embedding": "embedding"}');
SELECT name, status FROM memory_doctor('ao_langchain') WHERE status <> 'ok' ORDER BY 1;
SELECT fix FROM memory_doctor('ao_langchain') WHERE fix IS NOT NULL \gexec
SELECT name, status, detail FROM memory_doctor('ao_langchain') WHERE status <> 'ok';
SELECT strategy,
  (SELECT string_agg(entry_id || ' ' || round(score::numeric, 3), ', ' ORDER BY rank)
   FROM memory_search_entries(test.id(2)::text, 'passport tea', 3, test.vector(7)::vector::memory_embedding,
       options => jsonb_build_object('strategy', strategy), store => 'ao_langchain')) AS found
FROM (VALUES ('hybrid'), ('keyword'), ('semantic')) s(strategy) ORDER BY 1;
SELECT f.entry_id, f.metadata, f.source_type, c.name
FROM memory_search_entries(test.id(2)::text, 'tea', 10, filters => '{"sourceType": "a.pdf", "metadata": {"page": 9}}',
    store => 'ao_langchain') f
JOIN ao_app.langchain_pg_embedding e ON e.id = f.entry_id
JOIN ao_app.langchain_pg_collection c ON c.uuid = e.collection_id;
SELECT id, outcome
FROM (VALUES ('doc-7'), ('doc-8')) d(id),
  LATERAL memory_explain(test.id(2)::text, 'passport', entry_id => id, options => '{"strategy": "keyword"}',
      store => 'ao_langchain')
ORDER BY 1;
SELECT memory_recall(test.id(2)::text, 'passport', 1, options => '{"strategy": "keyword"}',
    store => 'ao_langchain')->'entries'->0->>'entryId' AS recalled;
SELECT * FROM (SELECT memory_id, entry_id, access_count FROM ao_langchain.entry_access) a;
-- By the collection's name, which another table has.
SELECT memory_adopt_table('ao_by_name', 'ao_app.langchain_pg_embedding',
    '{"memory_id": "(SELECT c.name FROM ao_app.langchain_pg_collection c WHERE c.uuid = collection_id)",
      "entry_id": "id", "raw_entry": "document", "embedding": "embedding"}');
SELECT test.error($$SELECT memory_add('letters', 'x',
                        store => 'ao_by_name')$$) LIKE '%they are the rows of ao_app.langchain_pg_embedding HINT%' AS
    names_the_table,
  (SELECT array_agg(entry_id ORDER BY rank)
   FROM memory_search_entries('letters', 'passport tea', 3, test.vector(7)::vector::memory_embedding,
       store => 'ao_by_name'))
    = (SELECT array_agg(entry_id ORDER BY rank)
       FROM memory_search_entries(test.id(2)::text, 'passport tea', 3, test.vector(7)::vector::memory_embedding,
           store => 'ao_langchain')) AS same_found,
  memory_search('letters', 'tea', store => 'ao_by_name')->'count' AS found;
-- A collection that is deleted takes its documents along; the doctor finds the counts that are left.
DELETE FROM ao_app.langchain_pg_collection WHERE name = 'letters';
SELECT memory_search(test.id(2)::text, 'tea', store => 'ao_langchain')->'count' AS found;
SELECT status, detail FROM memory_doctor('ao_langchain') WHERE name = 'access counts without entry';
SELECT fix FROM memory_doctor('ao_langchain') WHERE name = 'access counts without entry' \gexec
SELECT status, detail FROM memory_doctor('ao_langchain') WHERE name = 'access counts without entry';

-- Like mem0 (pgvector): everything but id and vector is in one jsonb column.
CREATE TABLE ao_app.mem0 (id uuid PRIMARY KEY, vector vector(4), payload jsonb);
CREATE INDEX mem0_hnsw_idx ON ao_app.mem0 USING hnsw (vector vector_cosine_ops);
INSERT INTO ao_app.mem0
SELECT test.id(n), test.vector(n)::vector,
  jsonb_build_object('data', test.words(n, 6), 'user_id', CASE WHEN n % 2 = 0 THEN 'alice' ELSE 'bob' END, 'hash',
      md5(n::text), 'created_at',
      to_char(timestamp '2025-01-01' + n * interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS') || '+00:00')
FROM generate_series(1, 40) n;
SELECT memory_adopt_table('ao_mem0', 'ao_app.mem0',
    '{"memory_id": "payload->>''user_id''", "entry_id": "id", "user_id": "payload->>''user_id''",
      "agent_id": "payload->>''agent_id''", "raw_entry": "payload->>''data''",
      "creation_time": "(payload->>''created_at'')::timestamptz",
      "metadata": "payload - ''{data,user_id,created_at}''::text[]", "embedding": "vector"}');
SELECT fix FROM memory_doctor('ao_mem0') WHERE fix IS NOT NULL \gexec
-- How a text is read as a time depends on settings, so no index can hold it; a function that promises the contrary
-- can be indexed.
SELECT name, status, fix FROM memory_doctor('ao_mem0') WHERE status <> 'ok';
SELECT memory_drop_store('ao_mem0');
CREATE FUNCTION ao_app.instant(moment text) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT moment::timestamptz $$;
SELECT memory_adopt_table('ao_mem0', 'ao_app.mem0',
    '{"memory_id": "payload->>''user_id''", "entry_id": "id", "user_id": "payload->>''user_id''",
      "agent_id": "payload->>''agent_id''", "raw_entry": "payload->>''data''",
      "creation_time": "ao_app.instant(payload->>''created_at'')",
      "metadata": "payload - ''{data,user_id,created_at}''::text[]", "embedding": "vector"}');
SELECT fix FROM memory_doctor('ao_mem0') WHERE fix IS NOT NULL \gexec
SELECT name, status, detail FROM memory_doctor('ao_mem0') WHERE status <> 'ok';
SELECT detail FROM memory_doctor('ao_mem0') WHERE name = 'recall of the vector index';
SELECT jsonb_pretty(memory_search('alice', 'garden', 1, filters => '{"createdAfter": "2025-01-01T12:00:00Z"}',
    options => '{"strategy": "keyword", "asOf": "2025-01-02T12:00:00Z"}', store => 'ao_mem0')->'entries'->0);
INSERT INTO ao_app.mem0 VALUES
  (test.id(99), test.vector(99)::vector,
   '{"data": "Alice moved to a lighthouse", "user_id": "alice", "created_at": "2025-02-01T00:00:00+00:00"}');
SELECT test.found(memory_search('alice', 'lighthouse', 1, store => 'ao_mem0')) AS found,
  memory_search('bob', 'lighthouse', options => '{"strategy": "keyword", "fallback": false}',
      store => 'ao_mem0')->'count' AS of_bob;
UPDATE ao_app.mem0 SET payload = payload || '{"data": "Alice left the lighthouse"}' WHERE id = test.id(99);
SELECT memory_search('alice', 'lighthouse', 1, store => 'ao_mem0')->'entries'->0->>'rawEntry' AS now;

-- Like Hindsight: facts in banks, with times, tags, and a tsvector of its own.
CREATE SCHEMA ao_hind;
CREATE TABLE ao_hind.memory_units (
  id uuid PRIMARY KEY, bank_id text NOT NULL, text text NOT NULL, embedding vector(4), context text,
  event_date timestamptz NOT NULL, occurred_start timestamptz, fact_type text NOT NULL DEFAULT 'world',
  confidence double precision, metadata jsonb DEFAULT '{}', tags varchar[] NOT NULL DEFAULT '{}', tenant text,
  secret text,
  lexemes tsvector GENERATED ALWAYS AS (to_tsvector('english'::regconfig, text || ' ' || coalesce(context, ''))) STORED
);
CREATE INDEX idx_memory_units_lexemes ON ao_hind.memory_units USING gin (lexemes);
INSERT INTO ao_hind.memory_units (id, bank_id, text, embedding, context, event_date, occurred_start, fact_type,
  confidence, metadata, tags, tenant, secret)
SELECT test.id(n), 'bank', test.words(n, 6), test.vector(n)::vector,
  CASE WHEN n % 5 = 0 THEN test.words(n + 400, 4) END,
  timestamptz '2025-01-01Z' + n * interval '1 hour',
  CASE WHEN n % 2 = 0 THEN timestamptz '2024-01-01Z' + n * interval '1 hour' END,
  CASE n % 3 WHEN 0 THEN 'world' WHEN 1 THEN 'experience' ELSE 'opinion' END,
  CASE WHEN n % 3 = 2 THEN n / 100.0 END, jsonb_build_object('n', n), ARRAY[test.word(n)],
  CASE WHEN n % 3 = 0 THEN 'bo' ELSE 'ana' END, 'secret ' || n
FROM generate_series(1, 60) n;
SET client_min_messages = notice;
SELECT memory_adopt_table('ao_facts', 'ao_hind.memory_units',
    '{"memory_id": "bank_id", "entry_id": "id", "raw_entry": "text", "context": "context",
      "creation_time": "COALESCE(occurred_start, event_date)", "source_type": "fact_type",
      "importance": "confidence * 100", "metadata": "metadata", "tags": "tags", "embedding": "embedding",
      "user_id": "tenant"}');
RESET client_min_messages;
SELECT name, status FROM memory_doctor('ao_facts') WHERE status <> 'ok' ORDER BY 1;
SELECT fix FROM memory_doctor('ao_facts') WHERE fix IS NOT NULL \gexec
SELECT name, status, detail FROM memory_doctor('ao_facts') WHERE status <> 'ok';
SELECT test.n(entry_id) AS n, creation_time AT TIME ZONE 'UTC' AS created, importance, source_type, tags
FROM memory_search_entries('bank', 'tea', 3, filters => '{"sourceType": "opinion", "minImportance": 10}',
    options => '{"strategy": "keyword", "asOf": "2026-01-01T00:00:00Z"}', store => 'ao_facts');
SELECT answer->>'latestContext' AS latest, answer->>'latestContextTimestamp' AS at,
  (SELECT string_agg(test.n(c->>'contextId')::text, ' ') FROM jsonb_array_elements(answer->'contexts') c) AS older
FROM memory_search('bank', 'tea', 0, 3, store => 'ao_facts') answer;

-- Privileges. Whoever searches needs USAGE on the store, SELECT on the view, and SELECT on what the view reads: each
-- lack is refused by name.
CREATE ROLE ao_ana;
CREATE ROLE ao_ana_too;
CREATE ROLE ao_bo;
CREATE ROLE ao_writer;
CREATE ROLE ao_adopter;
GRANT USAGE ON SCHEMA test, ao_app TO ao_ana, ao_ana_too, ao_bo, ao_writer, ao_adopter;
CREATE TABLE calls AS
  SELECT *
  FROM (VALUES
    (1, $$SELECT memory_search('bank', 'tea', store => 'ao_facts')$$),
    (2, $$SELECT memory_search('bank', '', 0, store => 'ao_facts')$$),
    (3, $$SELECT * FROM memory_search_entries('bank', 'tea', store => 'ao_facts')$$),
    (4, $$SELECT * FROM memory_explain('bank', 'tea', store => 'ao_facts')$$),
    (5, $$SELECT memory_build_context('bank', 'tea', store => 'ao_facts')$$),
    (6, $$SELECT * FROM memory_doctor('ao_facts')$$),
    (7, $$SELECT memory_touch('bank', ARRAY[test.id(1)], 'ao_facts')$$),
    (8, $$SELECT memory_put_context('bank', 'x', store => 'ao_facts')$$)
  ) c(i, call);
GRANT SELECT ON calls TO PUBLIC;
SET ROLE ao_ana;
SELECT i, test.error(call) AS nothing FROM calls ORDER BY i;
RESET ROLE;
GRANT USAGE ON SCHEMA ao_facts TO ao_ana;
SET ROLE ao_ana;
SELECT i, test.error(call) AS usage FROM calls ORDER BY i;
RESET ROLE;
GRANT SELECT ON ALL TABLES IN SCHEMA ao_facts TO ao_ana;
SET ROLE ao_ana;
SELECT i, test.error(call) AS selects_the_store FROM calls ORDER BY i;
RESET ROLE;
GRANT SELECT (id, bank_id, text) ON ao_hind.memory_units TO ao_ana;
SET ROLE ao_ana;
SELECT test.error(call) AS selects_some_columns FROM calls WHERE i = 1;
RESET ROLE;
REVOKE ALL ON ao_hind.memory_units FROM ao_ana;
-- memory_grant gives all of it at once, and nothing more: not the column that the store does not show, not the
-- application's schema.
SELECT memory_grant('ao_facts', 'ao_ana', 'reader'), memory_grant('ao_facts', 'ao_ana_too'),
  memory_grant('ao_facts', 'ao_bo'), memory_grant('ao_facts', 'ao_writer', 'writer');
SET ROLE ao_ana;
SELECT i, test.error(call) AS reader FROM calls ORDER BY i;
RESET ROLE;
SET ROLE ao_writer;
SELECT i, test.error(call) AS writer FROM calls ORDER BY i;
RESET ROLE;
SELECT grantee::regrole, string_agg(attname, ', ' ORDER BY attname) AS columns
FROM pg_attribute, aclexplode(attacl)
WHERE attrelid = 'ao_hind.memory_units'::regclass
GROUP BY 1 ORDER BY 1;
SELECT role,
  has_schema_privilege(role, 'ao_facts', 'USAGE') AS store,
  has_schema_privilege(role, 'ao_hind', 'USAGE') AS application,
  has_column_privilege(role, 'ao_hind.memory_units', 'secret', 'SELECT') AS secret,
  has_any_column_privilege(role, 'ao_hind.memory_units', 'INSERT, UPDATE')
    OR has_table_privilege(role, 'ao_hind.memory_units', 'DELETE') AS writes_rows,
  has_table_privilege(role, 'ao_facts.entries', 'INSERT') AS writes_view,
  has_table_privilege(role, 'ao_facts.contexts', 'INSERT') AS writes_contexts
FROM unnest('{ao_ana,ao_writer}'::text[]) role ORDER BY 1;
-- An expression over the whole row needs all its columns, so these are granted.
SELECT memory_adopt_table('ao_whole', 'ao_hind.memory_units',
    '{"memory_id": "bank_id", "entry_id": "id", "raw_entry": "text",
      "metadata": "to_jsonb(memory_units) - ''embedding''", "search_vector": null}');
SELECT memory_grant('ao_whole', 'ao_writer');
SET ROLE ao_writer;
SELECT test.error($$SELECT memory_search('bank', 'tea', store => 'ao_whole')$$);
RESET ROLE;
SELECT memory_drop_store('ao_whole');
-- Adopting needs what a view needs: the table's columns, and a place for the schema.
SET ROLE ao_adopter;
SELECT test.error($$SELECT memory_adopt_table('ao_x', 'ao_app.mem0',
                        '{"memory_id": "''all''", "entry_id": "id",
                          "raw_entry": "payload ->> ''data''"}')$$) AS no_select;
RESET ROLE;
GRANT SELECT (id, payload) ON ao_app.mem0 TO ao_adopter;
SET ROLE ao_adopter;
SELECT test.error($$SELECT memory_adopt_table('ao_x', 'ao_app.mem0',
                        '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "payload ->> ''data''",
                          "embedding": "vector"}')$$) AS no_select_on_a_column,
  test.error($$SELECT memory_adopt_table('ao_x', 'ao_app.mem0',
                   '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "payload ->> ''data''"}')$$) AS no_create;
RESET ROLE;
CREATE SCHEMA ao_x AUTHORIZATION ao_adopter;
SET ROLE ao_adopter;
SELECT memory_adopt_table('ao_x', 'ao_app.mem0',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "payload ->> ''data''"}');
SELECT memory_search('all', 'lighthouse', 1, options => '{"strategy": "keyword"}', store => 'ao_x')->'count' AS found;
RESET ROLE;
-- Who adopted does not matter to who searches: the caller's own rights count.
GRANT USAGE ON SCHEMA ao_x TO ao_bo;
GRANT SELECT ON ALL TABLES IN SCHEMA ao_x TO ao_bo;
SET ROLE ao_bo;
SELECT test.error($$SELECT memory_search('all', 'lighthouse', store => 'ao_x')$$);
RESET ROLE;
REVOKE SELECT (id, payload) ON ao_app.mem0 FROM ao_adopter;
SET ROLE ao_adopter;
SELECT test.error($$SELECT memory_search('all', 'lighthouse', store => 'ao_x')$$) AS revoked;
RESET ROLE;

-- Row-level security of the application's table. Each tenant sees his rows; both of ana's roles see the same.
INSERT INTO ao_facts.entry_access
SELECT bank_id, id, test.n(id) % 7, '2025-02-01Z'
FROM ao_hind.memory_units
WHERE tenant = 'ana' AND test.n(id) % 2 = 0;
ALTER TABLE ao_hind.memory_units ENABLE ROW LEVEL SECURITY;
ALTER TABLE ao_hind.memory_units FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON ao_hind.memory_units USING (tenant = split_part(current_user, '_', 2));
-- All that a role can learn from a store: searches, rows, contexts, explanations, prompts; and what the doctor says.
-- (Not what the server's own statistics say, which everybody may read.)
CREATE FUNCTION learnt(store text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(line, E'\n' ORDER BY i, line)
  FROM (SELECT 1,
          memory_search('bank', query, 10, 3, vector::vector::memory_embedding, filters,
              options || '{"asOf": "2026-01-01T00:00:00Z"}', store)::text
        FROM (VALUES
          ('tea train quartz', NULL),
          ('lisbon "hotel"', '[1,0.5,0,0]'),
          ('', '[0,1,0,0]'),
          ('', NULL)
        ) q(query, vector),
          (VALUES ('{}'::jsonb), ('{"accessCount": {"$lte": 3}}'), ('{"userId": "bo"}')) f(filters),
          (VALUES
            ('{}'::jsonb), ('{"strategy": "keyword"}'), ('{"boosts": {"popularity": 0.5}}'),
            ('{"fusion": "rrf", "dedupThreshold": 0.9}'), ('{"preset": "cortex_boost"}')
          ) o(options)
        UNION ALL
        SELECT 2, f::text
        FROM memory_search_entries('bank', 'tea train quartz', 10, '[1,0.5,0,0]',
            options => '{"asOf": "2026-01-01T00:00:00Z"}', store => store) f
        UNION ALL
        SELECT 3, x::text
        FROM memory_explain('bank', 'tea train quartz', 3, '[1,0.5,0,0]',
            options => '{"asOf": "2026-01-01T00:00:00Z", "candidates": 10}', store => store) x
        UNION ALL
        SELECT 4, n || x::text
        FROM generate_series(1, 70) n,
          LATERAL memory_explain('bank', 'tea', options => '{"asOf": "2026-01-01T00:00:00Z", "strategy": "keyword"}',
              entry_id => test.id(n)::text, store => store) x
        UNION ALL
        SELECT 5, x::text
        FROM memory_explain('bank', 'nothingofthekind', options => '{"strategy": "keyword", "fallback": false}',
            store => store) x
        UNION ALL
        SELECT 6, x::text FROM memory_explain('bank', 'tea', filters => '{"minImportance": 100}', store => store) x
        UNION ALL
        SELECT 7,
          memory_build_context('bank', 'tea train', '[1,0.5,0,0]', options => '{"asOf": "2026-01-01T00:00:00Z"}',
              store => store)) t(i, line) $$;
CREATE FUNCTION examined(store text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(replace(d::text, store, ''), E'\n')
  FROM memory_doctor(store) d
  WHERE name NOT LIKE 'index %' AND name NOT IN ('bloat of access counts', 'statistics', 'row security') $$;
SET ROLE ao_ana;
SELECT md5(learnt('ao_facts')) AS ana, md5(examined('ao_facts')) AS ana_examined \gset
SELECT length(learnt('ao_facts')) > 100000 AS much, learnt('ao_facts') LIKE '%secret%' AS secret,
  (SELECT count(*)
   FROM memory_search_entries('bank', 'tea', 10, store => 'ao_facts')
   WHERE user_id <> 'ana') AS of_others;
SELECT name, detail
FROM memory_doctor('ao_facts')
WHERE name IN ('entries without embedding', 'access counts without entry')
ORDER BY 1;
SET ROLE ao_ana_too;
SELECT md5(learnt('ao_facts')) = :'ana' AS same_for_both_roles, md5(examined('ao_facts')) = :'ana_examined' AS examined;
SET ROLE ao_bo;
SELECT md5(learnt('ao_facts')) = :'ana' AS same_for_another_tenant,
  (SELECT count(*) FROM memory_search_entries('bank', '', 10, store => 'ao_facts') WHERE user_id <> 'bo') AS of_others,
  (SELECT count(*) FROM ao_facts.entries) AS rows;
RESET ROLE;
-- Alone in a table of their own, ana's rows answer the same.
CREATE TABLE ao_app.alone (LIKE ao_hind.memory_units INCLUDING GENERATED);
INSERT INTO ao_app.alone (id, bank_id, text, embedding, context, event_date, occurred_start, fact_type, confidence,
  metadata, tags, tenant)
SELECT id, bank_id, text, embedding, context, event_date, occurred_start, fact_type, confidence, metadata, tags, tenant
FROM ao_hind.memory_units
WHERE tenant = 'ana';
SELECT memory_adopt_table('ao_alone', 'ao_app.alone',
    '{"memory_id": "bank_id", "entry_id": "id", "raw_entry": "text", "context": "context",
      "creation_time": "COALESCE(occurred_start, event_date)", "source_type": "fact_type",
      "importance": "confidence * 100", "metadata": "metadata", "tags": "tags", "embedding": "embedding",
      "user_id": "tenant"}');
INSERT INTO ao_alone.entry_access SELECT * FROM ao_facts.entry_access;
SELECT memory_grant('ao_alone', 'ao_ana');
SET ROLE ao_ana;
SELECT md5(learnt('ao_alone')) = :'ana' AS same_as_alone, md5(examined('ao_alone')) = :'ana_examined' AS examined;
RESET ROLE;
-- Whatever else comes into the table, the answers to ana stay: rows with her rare words, without and with embeddings,
-- contexts newer than hers, more used, deleted or not; also after plans were made, and after ANALYZE.
INSERT INTO ao_hind.memory_units (id, bank_id, text, embedding, context, event_date, fact_type, confidence, tags,
  tenant)
SELECT test.id(1000 + n), 'bank', 'quartz tea train hotel ' || test.words(n, 3),
  CASE WHEN n % 3 > 0 THEN '[1,0.5,0,0]'::vector END,
  CASE WHEN n % 2 = 0 THEN 'a context of bo' END, '2025-12-31Z', 'opinion', 1, '{tea}', 'bo'
FROM generate_series(1, 150) n;
INSERT INTO ao_facts.entry_access SELECT bank_id, id, 1000, '2025-06-01Z' FROM ao_hind.memory_units WHERE tenant = 'bo';
SET ROLE ao_ana;
SELECT md5(learnt('ao_facts')) = :'ana' AS same_with_more_of_others,
  md5(examined('ao_facts')) = :'ana_examined' AS examined;
RESET ROLE;
ANALYZE ao_hind.memory_units;
SET ROLE ao_ana;
SELECT md5(learnt('ao_facts')) = :'ana' AS same_analyzed, md5(examined('ao_facts')) = :'ana_examined' AS examined;
SET plan_cache_mode = force_generic_plan;
SELECT md5(learnt('ao_facts')) = :'ana' AS same_with_generic_plans,
  md5(examined('ao_facts')) = :'ana_examined' AS examined;
RESET plan_cache_mode;
RESET ROLE;
DELETE FROM ao_hind.memory_units WHERE tenant = 'bo' AND test.n(id) % 2 = 0;
SET ROLE ao_ana;
SELECT md5(learnt('ao_facts')) = :'ana' AS same_with_fewer, md5(examined('ao_facts')) = :'ana_examined' AS examined;
-- What is hidden is as if it were not there, to every function.
SELECT (SELECT outcome FROM memory_explain('bank', 'tea', entry_id => test.id(3)::text, store => 'ao_facts'))
  = (SELECT outcome
     FROM memory_explain('bank', 'tea', entry_id => test.id(99999)::text, store => 'ao_facts')) AS explained_alike;
SET row_security = off;
SELECT test.error($$SELECT memory_search('bank', 'tea', store => 'ao_facts')$$);
RESET row_security;
-- The doctor does not ask a tenant for indexes that are there.
SELECT name, status FROM memory_doctor('ao_facts') WHERE name LIKE 'index %' AND status <> 'ok';
RESET ROLE;
GRANT INSERT, UPDATE ON ao_facts.entry_access TO ao_ana;
SET ROLE ao_ana;
SELECT memory_touch('bank', ARRAY[test.id(1), test.id(3), test.id(1001)], 'ao_facts') AS touched_of_three;
RESET ROLE;
DROP FUNCTION learnt, examined;
DROP TABLE calls;
RESET memory_search.embedding_function;
DROP SCHEMA ao_app, ao_hind, ao_langchain, ao_by_name, ao_mem0, ao_facts, ao_alone, ao_x CASCADE;
DROP OWNED BY ao_ana, ao_ana_too, ao_bo, ao_writer, ao_adopter;
DROP ROLE ao_ana, ao_ana_too, ao_bo, ao_writer, ao_adopter;
