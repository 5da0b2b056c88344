-- A memory index of an adopted table: the doctor proposes it, searches read it, and the answers are the same as by the
-- rows.
CREATE SCHEMA ai_app;
CREATE TABLE ai_app.log (
  no int PRIMARY KEY, chat varchar(20), who varchar(20), bot uuid, said text, title text, labels varchar(20)[],
  extra jsonb, weight numeric, made timestamptz, deleted timestamptz, replaced_by int, replaced timestamptz,
  meaning vector(4)
);
INSERT INTO ai_app.log
SELECT n, 'm' || n % 2, CASE n % 3 WHEN 1 THEN 'ann' WHEN 2 THEN 'bob' END, test.id(n % 3),
  test.words(n, 2 + n % 9), CASE WHEN n % 5 > 1 THEN test.words(n + 300, 2) END,
  CASE WHEN n % 3 > 0 THEN ARRAY[test.word(n), 't' || n % 7] END, jsonb_build_object('n', n), n % 101,
  CASE WHEN n % 29 > 0 THEN timestamptz '2025-01-01Z' + n / 2 * interval '3 hours' END,
  CASE WHEN n % 17 = 0 THEN timestamptz '2025-03-01Z' END,
  CASE WHEN n % 19 = 0 THEN n + 2 END, CASE WHEN n % 19 = 0 THEN timestamptz '2025-03-20Z' END,
  CASE WHEN n % 8 > 0 THEN test.vector(n)::vector END
FROM generate_series(1, 700) n;
-- A column that came after the rows, without which the importance of none is known.
ALTER TABLE ai_app.log ADD COLUMN rank int2 DEFAULT 70;
CREATE FUNCTION adopt(store text, source regclass) RETURNS void LANGUAGE sql AS $$
  SELECT memory_adopt_table(store, source, '{"memory_id": "chat", "entry_id": "no", "user_id": "who", "agent_id": "bot",
      "raw_entry": "said", "summary": "title", "tags": "labels", "metadata": "extra", "importance": "weight",
      "creation_time": "made", "deletion_scheduled_time": "deleted", "superseded_by": "replaced_by",
      "superseded_time": "replaced", "embedding": "meaning"}', with_index => false) $$;
CREATE TABLE ai_app.copy (LIKE ai_app.log INCLUDING ALL);
INSERT INTO ai_app.copy SELECT * FROM ai_app.log;
SELECT adopt('ai_log', 'ai_app.log'), adopt('ai_copy', 'ai_app.copy');
SELECT status, detail, fix
FROM memory_doctor('ai_log') WHERE name = 'index of searches';
SELECT replace(fix, ' CONCURRENTLY', '') AS fix FROM memory_doctor('ai_log') WHERE name = 'index of searches' \gset
:fix
SELECT name, status, detail FROM memory_doctor('ai_log') WHERE name = 'index of searches';
CREATE FUNCTION read_by(store text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(concat_ws(': ', read->>'relation', read->>'path'), ', ')
  FROM memory_search('m0', 'tea', 3, options => '{"diagnostics": true}', store => store) answer,
    jsonb_array_elements(answer->'diagnostics'->'reads') read $$;
SELECT read_by('ai_log'), read_by('ai_copy');

-- Answers by the index are those by the rows: with every filter, also on columns that the index does not hold, at any
-- instant.
CREATE TABLE calls AS
  SELECT memory, query, embedding::memory_embedding AS embedding, filters::jsonb AS filters,
    options::jsonb || o.as_of::jsonb AS options
  FROM (VALUES ('m0'), ('m1'), ('m2')) m(memory),
    (VALUES ('tea', NULL), ('lisbon museum "cheap"', '[1,0.5,-0.2,0]'), ('quartz -music', '[0,1,0,-1]'),
      ('', '[1,1,1,1]')) q(query, embedding),
    (VALUES ('{}'), ('{"userId": "ann"}'), ('{"minImportance": 20}'), ('{"tags": ["t1", "tea"], "tagMatch": "any"}'),
      ('{"agentId": "00000000-0000-0000-0000-000000000001"}'), ('{"metadata": {"n": 44}}'),
      ('{"createdAfter": "2025-01-01T06:00:00Z", "createdBefore": "2025-02-01T00:00:00Z"}')) f(filters),
    (VALUES ('{}'), ('{"strategy": "keyword"}'), ('{"strategy": "semantic", "fallback": false}'), ('{"fusion": "rrf"}'),
      ('{"dedupThreshold": 0.8}'), ('{"match": "all"}'), ('{"includeSuperseded": true}'), ('{"strategy": "recent"}'))
      s(options),
    (VALUES ('{"asOf": "2030-01-01T00:00:00Z"}'), ('{"asOf": "2025-02-20T00:00:00Z"}')) o(as_of)
  WHERE left(md5(concat_ws('/', memory, query, filters, options, as_of)), 1) IN ('0', '1', '2');
CREATE FUNCTION compared() RETURNS TABLE (calls bigint, with_entries bigint, different bigint) LANGUAGE sql AS $$
  SELECT count(*), count(*) FILTER (WHERE answer->'entries' <> '[]'), count(*) FILTER (WHERE answer::text <> copy::text)
  FROM calls, LATERAL memory_search(memory, query, 10, 3, embedding, filters, options, 'ai_log') answer,
    LATERAL memory_search(memory, query, 10, 3, embedding, filters, options, 'ai_copy') copy $$;
SELECT * FROM compared();
-- After changes: rows that were moved or not, deleted and new rows.
DO $$ DECLARE source text; BEGIN
  FOREACH source IN ARRAY ARRAY['log', 'copy'] LOOP
    EXECUTE replace($sql$
      UPDATE ai_app.log SET rank = 1 WHERE no % 10 = 0;
      UPDATE ai_app.log SET said = said || ' tea', meaning = test.vector(no + 5000)::vector WHERE no % 10 = 3;
      DELETE FROM ai_app.log WHERE no % 10 = 7;
      INSERT INTO ai_app.log (no, chat, said, made, meaning)
        SELECT n, 'm0', test.words(n, 4), '2025-02-02Z', test.vector(n)::vector FROM generate_series(2001, 2050) n
      $sql$, 'ai_app.log', 'ai_app.' || source);
  END LOOP;
END $$;
SELECT * FROM compared();
VACUUM ai_app.log;
SELECT * FROM compared();

-- A role that may read the view's columns reads the index; the executor applies a policy of the table's owner.
CREATE ROLE ai_reader;
SELECT memory_grant('ai_log', 'ai_reader', 'reader');
SET ROLE ai_reader;
SELECT read_by('ai_log');
RESET ROLE;
REVOKE SELECT (who) ON ai_app.log FROM ai_reader;
SET ROLE ai_reader;
SELECT read_by('ai_log');
RESET ROLE;
GRANT SELECT (who) ON ai_app.log TO ai_reader;
ALTER TABLE ai_app.log ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON ai_app.log USING (who = 'ann');
SET ROLE ai_reader;
SELECT read_by('ai_log');
SELECT DISTINCT entry->>'userId' AS of_user
FROM memory_search('m1', 'tea', 10, store => 'ai_log') answer, jsonb_array_elements(answer->'entries') entry;
RESET ROLE;
SELECT read_by('ai_log');
ALTER TABLE ai_app.log DISABLE ROW LEVEL SECURITY;

-- A view that shows other rows than the table, or reads the table as the view's owner, is read itself.
SELECT pg_get_viewdef('ai_log.entries') AS shown \gset
BEGIN;
SELECT format('CREATE OR REPLACE VIEW ai_log.entries WITH (security_invoker = true) AS %s WHERE no > 5',
    rtrim(:'shown', ';')) \gexec
SELECT read_by('ai_log');
ROLLBACK;
BEGIN;
ALTER VIEW ai_log.entries SET (security_invoker = false);
SELECT read_by('ai_log');
ROLLBACK;
BEGIN;
ALTER TABLE ai_app.log DROP CONSTRAINT log_pkey;
SELECT read_by('ai_log');
ROLLBACK;
SELECT read_by('ai_log');

-- Ids that become text, memories that are uuids, and no time at all: a framework makes its table like this.
CREATE TABLE ai_app.documents (id varchar PRIMARY KEY, collection uuid, document text, meaning vector);
INSERT INTO ai_app.documents
SELECT 'd' || n, test.id(n % 2), test.words(n, 5), test.vector(n)::vector FROM generate_series(1, 200) n;
CREATE TABLE ai_app.documents_copy (LIKE ai_app.documents INCLUDING ALL);
INSERT INTO ai_app.documents_copy SELECT * FROM ai_app.documents;
SELECT memory_adopt_table(store, source, '{"memory_id": "collection", "entry_id": "id", "raw_entry": "document",
    "embedding": "meaning"}', with_index => false)
FROM (VALUES ('ai_documents', 'ai_app.documents'::regclass), ('ai_documents_copy', 'ai_app.documents_copy'))
  v(store, source);
SELECT replace(fix, ' CONCURRENTLY', '') AS fix
FROM memory_doctor('ai_documents') WHERE name = 'index of searches' \gset
:fix
SELECT status FROM memory_doctor('ai_documents') WHERE name = 'index of searches';
SELECT count(*) AS calls, count(*) FILTER (WHERE answer->'entries' <> '[]') AS with_entries,
  count(*) FILTER (WHERE answer::text <> copy::text) AS different,
  count(*) FILTER (WHERE read->>'path' = 'memory index') AS by_index
FROM generate_series(0, 1) m, (VALUES ('tea'), ('lisbon museum'), ('')) q(query),
  (VALUES (NULL), ('[1,0.5,-0.2,0]'::memory_embedding)) e(embedding),
  LATERAL memory_search(test.id(m)::text, query, 10, 3, embedding, store => 'ai_documents') answer,
  LATERAL memory_search(test.id(m)::text, query, 10, 3, embedding, store => 'ai_documents_copy') copy,
  LATERAL memory_search(test.id(m)::text, query, 10, 3, embedding, options => '{"diagnostics": true}',
    store => 'ai_documents') explained
  LEFT JOIN LATERAL jsonb_array_elements(explained->'diagnostics'->'reads') read ON read->>'relation' = 'entries';

-- Rows of one instant without an order: the index and the rows order them by id.
CREATE TABLE ai_app.instant (id uuid PRIMARY KEY, chat text, said text, made timestamptz, no bigint);
INSERT INTO ai_app.instant
SELECT test.id(n * 37 % 101), 'm', CASE n % 3 WHEN 0 THEN 'apple pear' WHEN 1 THEN 'plum fig' ELSE 'kiwi ' || n END,
  '2026-01-01Z', CASE n % 4 WHEN 0 THEN 0 WHEN 1 THEN n - 20 END
FROM generate_series(1, 60) n;
SELECT memory_adopt_table(store, 'ai_app.instant', ('{"memory_id": "chat", "entry_id": "id", "raw_entry": "said",
    "creation_time": "made"' || more || '}')::jsonb, with_index => false)
FROM (VALUES ('ai_instant', ''), ('ai_ordered', ', "entry_order": "no"')) v(store, more);
CREATE TEMPORARY TABLE by_rows AS
  SELECT store, memory_search('m', 'apple plum kiwi fig', 10, store => store,
    options => '{"strategy": "keyword", "asOf": "2027-01-01T00:00:00Z"}')
  FROM unnest(ARRAY['ai_instant', 'ai_ordered']) store;
SELECT string_agg(replace(fix, ' CONCURRENTLY', ''), ' ') AS fix
FROM unnest(ARRAY['ai_instant', 'ai_ordered']) store, memory_doctor(store) WHERE name = 'index of searches' \gset
:fix
-- If one table has two indexes, each store reads the index that fits it.
SELECT store, (SELECT status FROM memory_doctor(store) WHERE name = 'index of searches') AS status,
  answer::text = memory_search('m', 'apple plum kiwi fig', 10, store => store,
    options => '{"strategy": "keyword", "asOf": "2027-01-01T00:00:00Z"}')::text AS same
FROM by_rows r(store, answer) ORDER BY 1;

-- A role that may not call a function of the view is refused, with the index and without it.
CREATE FUNCTION ai_app.words_of(text) RETURNS tsvector LANGUAGE sql IMMUTABLE RETURN to_tsvector('simple', $1);
CREATE TABLE ai_app.called (id int PRIMARY KEY, chat text, said text, made timestamptz, meaning vector(3));
INSERT INTO ai_app.called VALUES (1, 'm0', 'tea', '2026-01-01Z', '[1,2,3]');
SELECT memory_adopt_table('ai_called', 'ai_app.called', '{"memory_id": "chat", "entry_id": "id", "raw_entry": "said",
    "creation_time": "made", "search_vector": "ai_app.words_of(said)"}', with_index => false);
SELECT replace(fix, ' CONCURRENTLY', '') AS fix
FROM memory_doctor('ai_called') WHERE name = 'index of searches' \gset
:fix
-- The index is also read for a search by meaning if no row has an embedding.
SELECT read_by('ai_called');
SELECT memory_grant('ai_called', 'ai_reader', 'reader');
SET ROLE ai_reader;
SELECT read_by('ai_called');
RESET ROLE;
REVOKE EXECUTE ON FUNCTION ai_app.words_of FROM public;
SET ROLE ai_reader;
SELECT read_by('ai_called');
RESET ROLE;

-- Rows that are all alike: the newest of them are found, by the index as by the rows.
CREATE TABLE ai_app.alike (id int PRIMARY KEY, chat text, said text, made timestamptz, meaning halfvec(3));
INSERT INTO ai_app.alike
SELECT n, 'm', 'apple', timestamptz '2026-01-01Z' + (n * 37) % 200 * interval '1 hour',
  '[0.67285156,-0.95996094,-0.23205566]' FROM generate_series(1, 200) n;
SELECT memory_adopt_table('ai_alike', 'ai_app.alike', '{"memory_id": "chat", "entry_id": "id", "raw_entry": "said",
    "creation_time": "made", "embedding": "meaning"}', with_index => false);
CREATE TEMPORARY TABLE alike_by_rows AS
  SELECT n, memory_search('m', '', 3, embedding => (test.vector(n))[1:3]::vector, store => 'ai_alike',
    options => '{"strategy": "semantic", "candidates": 10, "asOf": "2027-01-01T00:00:00Z"}')
  FROM generate_series(1, 40) n;
SELECT replace(fix, ' CONCURRENTLY', '') AS fix
FROM memory_doctor('ai_alike') WHERE name = 'index of searches' \gset
:fix
SELECT count(*) AS searches, count(*) FILTER (
    WHERE answer::text = memory_search('m', '', 3, embedding => (test.vector(n))[1:3]::vector, store => 'ai_alike',
      options => '{"strategy": "semantic", "candidates": 10, "asOf": "2027-01-01T00:00:00Z"}')::text) AS same
FROM alike_by_rows r(n, answer);

-- An adopted table may have rows of a memory '', which no search can name: the doctor passes over them.
INSERT INTO ai_app.alike SELECT id + 1000, '', said, made, meaning FROM ai_app.alike;
SELECT status FROM memory_doctor('ai_alike') WHERE name = 'recall of searches';

-- The doctor says which columns cannot be indexed.
CREATE TABLE ai_app.plain (no int, chat text, said text, made timestamp);
SELECT memory_adopt_table('ai_plain', 'ai_app.plain', '{"memory_id": "chat", "entry_id": "no", "raw_entry": "said",
    "creation_time": "made::timestamptz"}', with_index => false);
SELECT detail FROM memory_doctor('ai_plain') WHERE name = 'index of searches';
ALTER TABLE ai_app.plain ADD PRIMARY KEY (no);
SELECT detail FROM memory_doctor('ai_plain') WHERE name = 'index of searches';
ALTER TABLE ai_app.plain ADD COLUMN at timestamptz;
SELECT memory_drop_store('ai_plain');
SELECT memory_adopt_table('ai_plain', 'ai_app.plain', '{"memory_id": "chat", "entry_id": "no", "raw_entry": "said",
    "creation_time": "at", "expires_at": "made::timestamptz"}', with_index => false);
SELECT detail FROM memory_doctor('ai_plain') WHERE name = 'index of searches';

SELECT count(memory_drop_store(nspname, force => true)) AS dropped
FROM pg_namespace WHERE nspname LIKE 'ai\_%' AND nspname <> 'ai_app';
DROP TABLE calls, by_rows, alike_by_rows;
DROP FUNCTION adopt, read_by, compared;
DROP SCHEMA ai_app CASCADE;
DROP OWNED BY ai_reader;
DROP ROLE ai_reader;
