-- Tables as others make them become stores in place: LangChain's, one like mem0's, one like Hindsight's. The indexes
-- that memory_doctor proposes are made as it writes them.
CREATE SCHEMA ao_app;
SET memory_search.embedding_function = 'test.embed';

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
      "source_type": "cmetadata->>''source''", "embedding": "embedding"}', with_index => false);
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
      "entry_id": "id", "raw_entry": "document", "embedding": "embedding"}', with_index => false);
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
  jsonb_build_object('data', test.words(n, 6), 'user_id', CASE WHEN n % 2 = 0 THEN 'alice' ELSE 'bob' END,
      'hash', md5(n::text),
      'created_at', to_char(timestamp '2025-01-01' + n * interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS') || '+00:00')
FROM generate_series(1, 40) n;
SELECT memory_adopt_table('ao_mem0', 'ao_app.mem0',
    '{"memory_id": "payload->>''user_id''", "entry_id": "id", "user_id": "payload->>''user_id''",
      "agent_id": "payload->>''agent_id''", "raw_entry": "payload->>''data''",
      "creation_time": "(payload->>''created_at'')::timestamptz",
      "metadata": "payload - ''{data,user_id,created_at}''::text[]", "embedding": "vector"}', with_index => false);
SELECT fix FROM memory_doctor('ao_mem0') WHERE fix IS NOT NULL \gexec
-- A cast of a text to a time depends on settings, so no index can hold it. A function that is declared immutable can be
-- indexed.
SELECT name, status, fix FROM memory_doctor('ao_mem0') WHERE status <> 'ok';
SELECT memory_drop_store('ao_mem0');
CREATE FUNCTION ao_app.instant(moment text) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT moment::timestamptz $$;
SELECT memory_adopt_table('ao_mem0', 'ao_app.mem0',
    '{"memory_id": "payload->>''user_id''", "entry_id": "id", "user_id": "payload->>''user_id''",
      "agent_id": "payload->>''agent_id''", "raw_entry": "payload->>''data''",
      "creation_time": "ao_app.instant(payload->>''created_at'')",
      "metadata": "payload - ''{data,user_id,created_at}''::text[]", "embedding": "vector"}', with_index => false);
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
SELECT test.make_facts();
SET client_min_messages = notice;
SELECT test.adopt_facts('ao_facts', 'ao_hind.memory_units', with_index => false);
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
RESET memory_search.embedding_function;
DROP SCHEMA ao_app, ao_hind, ao_langchain, ao_by_name, ao_mem0, ao_facts CASCADE;
