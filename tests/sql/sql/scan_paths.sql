-- The answers are the same bytes by the memory index and by the rows of the table. The diagnostics name the path.
SELECT memory_create_store('sp', 256, 'english');
-- Words of a few sizes, entries with and without embedding, of two users, deleted, expired, superseded, and some
-- that are long.
INSERT INTO sp.entries (memory_id, entry_id, user_id, raw_entry, embedding, importance, creation_time,
  deletion_scheduled_time, expires_at)
SELECT CASE WHEN n % 3 = 0 THEN 'm' WHEN n % 3 = 1 THEN 'l' ELSE 'n' END,
  test.id(n),
  CASE WHEN n % 2 = 0 THEN 'ann' WHEN n % 5 > 0 THEN 'bob' END,
  (SELECT string_agg('w' || (abs(sin(n * 17 + g * 31.7)) ^ 3 * 300)::int, ' ')
   FROM generate_series(1, CASE WHEN n % 97 = 0 THEN 900 ELSE 12 + n % 60 END) g),
  CASE WHEN n % 11 > 0 THEN (SELECT array_agg(sin(n * g)::real) FROM generate_series(1, 256) g)::halfvec END,
  n % 101,
  timestamptz '2025-01-01Z' + n / 4 * interval '20 min',
  CASE WHEN n % 53 = 0 THEN timestamptz '2025-03-01Z' END,
  CASE WHEN n % 59 = 0 THEN timestamptz '2025-02-01Z' END
FROM generate_series(1, 4500) n;
SELECT memory_supersede('m', test.id(9), test.id(12), store => 'sp'),
  memory_supersede('m', test.id(30), test.id(33), store => 'sp');
SELECT count(*) > 10 AS some_are_long FROM test.words_of_store('sp') WHERE memory_id = 'm' AND length(words) > 200;

CREATE FUNCTION asked(n int, how jsonb DEFAULT '{}', filters jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
  SELECT memory_search('m', 'w' || n || ' w' || n * 7 % 300 || ' w' || n * n % 300, 10, filters => filters,
      store => 'sp', embedding => (SELECT array_agg(sin(n * g / 3.0)::real) FROM generate_series(1, 256) g),
      options => '{"asOf": "2025-06-01T00:00:00Z"}' || how) $$;
CREATE FUNCTION way(how jsonb DEFAULT '{}', filters jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS
  $$ SELECT asked(1, '{"diagnostics": true}' || how, filters) #>> '{diagnostics,reads,0,path}' $$;
CREATE FUNCTION answers() RETURNS TABLE (n int, strategy text, answer jsonb) LANGUAGE sql AS $$
  SELECT n, strategy, asked(n, jsonb_build_object('strategy', strategy))
  FROM generate_series(1, 5) n, unnest('{hybrid,keyword,semantic}'::text[]) strategy $$;
CREATE TABLE kept AS SELECT * FROM answers();
CREATE FUNCTION compared() RETURNS TABLE (same bigint, different bigint) LANGUAGE sql AS $$
  SELECT count(*) FILTER (WHERE a.answer = k.answer), count(*) FILTER (WHERE a.answer <> k.answer)
  FROM answers() a JOIN kept k USING (n, strategy) $$;

-- The memory index: rows that are not yet marked as visible to all are read one by one, rows that VACUUM marked
-- are not.
SELECT way(), way('{"strategy": "keyword"}') AS keyword, way('{"strategy": "semantic"}') AS semantic,
  way('{"strategy": "recent"}') AS recent;
CHECKPOINT;
VACUUM sp.entries;
SELECT way(), c.* FROM compared() c;
-- A row that is changed meanwhile, in place or not, is found with its present values.
UPDATE sp.entries SET metadata = metadata WHERE memory_id = 'm' AND importance % 3 = 0;
SELECT way(), c.* FROM compared() c;
SELECT idx_scan IS NOT NULL AS is_counted
FROM pg_stat_user_indexes WHERE schemaname = 'sp' AND indexrelname = 'entries_memory';
-- The rows of the table, if no index may be read.
SET enable_indexscan = off;
SELECT way(), c.* FROM compared() c;
RESET enable_indexscan;
-- In a serializable transaction a statement reads the rows first, so that other transactions see the reads.
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT way(), c.* FROM compared() c;
COMMIT;
-- Privileges on columns: a statement checks them.
CREATE ROLE sp_columns;
GRANT USAGE ON SCHEMA sp TO sp_columns;
GRANT SELECT (memory_id, entry_id, user_id, agent_id, session_id, entry_key, raw_entry, summary, context, tags,
  entities, metadata,
    source_type, importance, creation_time, deletion_scheduled_time, expires_at, valid_from, valid_until, time_to_live,
    superseded_by, superseded_time, embedding, passage_embeddings,
    embedding_model, embedding_error, entry_order) ON sp.entries TO sp_columns;
GRANT SELECT ON sp.contexts, sp.entry_access, kept TO sp_columns;
SET ROLE sp_columns;
SELECT way(), c.* FROM compared() c;
RESET ROLE;
REVOKE SELECT (raw_entry) ON sp.entries FROM sp_columns;
SET ROLE sp_columns;
SELECT test.error('SELECT asked(1)');
RESET ROLE;
-- Filters by user, importance and time are answered by each way alike; they change no
-- statistics of words.
CREATE TABLE filtered AS
  SELECT filters, n, strategy, asked(n, jsonb_build_object('strategy', strategy), filters) AS answer
  FROM unnest(ARRAY['{"userId": "bob"}', '{"userId": "ann", "importance": {"$gt": 20, "$lte": 80}}',
    '{"createdAfter": "2025-01-05T00:00:00Z", "createdBefore": "2025-01-09T00:00:00Z"}', '{"userId": "BOB"}',
    '{"minImportance": 99}']::jsonb[]) filters,
    generate_series(1, 5) n,
    unnest('{hybrid,keyword,semantic}'::text[]) strategy;
SELECT way(filters => '{"userId": "bob", "minImportance": 50, "createdAfter": "2025-01-05T00:00:00Z"}'),
  count(*), sum((answer->>'count')::int) AS found
FROM filtered;
SELECT bool_and(CASE WHEN filters ? 'userId' THEN entry->>'userId' = filters->>'userId' ELSE true END) AS theirs,
  bool_and(CASE WHEN filters ? 'importance' THEN (entry->>'importance')::int BETWEEN 21 AND 80
      WHEN filters ? 'minImportance' THEN (entry->>'importance')::int >= 99
      ELSE true END) AS as_important,
  bool_and(CASE WHEN filters ? 'createdAfter'
        THEN (entry->>'creationTime')::timestamptz BETWEEN '2025-01-05Z' AND '2025-01-09Z'
      ELSE true END) AS in_time
FROM filtered, jsonb_array_elements(answer->'entries') entry;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT way(filters => '{"userId": "bob"}'), count(*) AS different
FROM filtered f WHERE asked(n, jsonb_build_object('strategy', strategy), filters) <> answer;
SET LOCAL enable_indexscan = off;
SELECT way(filters => '{"userId": "bob"}'), count(*) AS different
FROM filtered f WHERE asked(n, jsonb_build_object('strategy', strategy), filters) <> answer;
COMMIT;
-- Filters on other columns make the index read the rows; without an index the search reads all rows.
SELECT way(filters => '{"metadata": {}}'),
  (SELECT count(*)
   FROM answers() a
   WHERE answer <> asked(a.n, jsonb_build_object('strategy', a.strategy), '{"metadata": {}}')
     AND strategy = 'keyword') AS different;
SELECT count(*) AS different
FROM filtered f
WHERE strategy = 'keyword'
  AND asked(n, jsonb_build_object('strategy', strategy), filters || '{"metadata": {}}') <> answer;
DROP INDEX sp.entries_memory;
SELECT way(), c.* FROM compared() c;
SELECT status, detail FROM memory_doctor('sp') WHERE name = 'index of searches';
SELECT fix FROM memory_doctor('sp') WHERE name = 'index of searches' \gexec
SELECT way(), c.* FROM compared() c;
SELECT status, detail FROM memory_doctor('sp') WHERE name = 'index of searches';
-- An index that only has the right name is not used: it is of some rows, of other memories, or with other columns.
DROP INDEX sp.entries_memory;
CREATE INDEX entries_memory ON sp.entries
  USING memory_search (memory_id, summary, raw_entry, tags, metadata, embedding)
  INCLUDE (creation_time, entry_order, importance, deletion_scheduled_time, expires_at, superseded_time, user_id,
    agent_id, source_type, embedding_model) WHERE importance > 100;
SELECT way(), c.* FROM compared() c;
SELECT status FROM memory_doctor('sp') WHERE name = 'index of searches';
DROP INDEX sp.entries_memory;
CREATE INDEX entries_memory ON sp.entries USING memory_search (user_id, summary, raw_entry, tags, metadata, embedding)
  INCLUDE (creation_time, entry_order, importance, deletion_scheduled_time, expires_at, superseded_time, agent_id);
SELECT way(), c.* FROM compared() c;
DROP INDEX sp.entries_memory;
CREATE INDEX entries_memory ON sp.entries
  USING memory_search (memory_id, summary, raw_entry, tags, metadata, embedding)
  INCLUDE (creation_time, importance, expires_at, superseded_time, user_id);
SELECT way(), c.* FROM compared() c;
SELECT status, detail FROM memory_doctor('sp') WHERE name = 'index of searches';
\set ECHO none
SELECT fix FROM memory_doctor('sp') WHERE name = 'index of searches' \gexec
\set ECHO all
SELECT way(), c.* FROM compared() c;
-- Of two indexes the search reads the one that holds more columns.
CREATE INDEX smaller ON sp.entries USING memory_search (memory_id, summary, raw_entry, tags, metadata);
SELECT way(), c.* FROM compared() c;
DROP INDEX sp.smaller;
-- An invalid index is reported by two checks, and searches work without it.
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'sp.entries_memory'::regclass;
SELECT way(), c.* FROM compared() c;
SELECT name, status FROM memory_doctor('sp') WHERE status <> 'ok' AND name LIKE '%index%' ORDER BY 1;
UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'sp.entries_memory'::regclass;

-- Under the policy of the store the index is read, too; any other policy is applied by the executor. Two roles that see
-- the same rows get the same bytes.
CREATE ROLE sp_app;
GRANT SELECT ON kept TO sp_app;
SET client_min_messages = warning;
SELECT memory_grant('sp', 'sp_app'), memory_enable_row_security('sp');
RESET client_min_messages;
TRUNCATE kept;
SET ROLE sp_app;
SELECT way() AS without_a_user, asked(1)->'count' AS found;
SET memory_search.user_id = 'ann';
SELECT way();
RESET ROLE;
INSERT INTO kept
SELECT n, strategy, NULL
FROM generate_series(1, 5) n, unnest('{hybrid,keyword,semantic}'::text[]) strategy;
GRANT UPDATE ON kept TO sp_app;
SET ROLE sp_app;
UPDATE kept k SET answer = a.answer FROM answers() a WHERE a.n = k.n AND a.strategy = k.strategy;
SELECT bool_and(entry->>'userId' = 'ann') AS ann_only, count(*)
FROM kept, jsonb_array_elements(answer->'entries') entry;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT way(), c.* FROM compared() c;
COMMIT;
RESET ROLE;
-- A second policy, a policy for some roles only, one with other SQL: none of them counts as the store's own.
CREATE POLICY also ON sp.entries FOR SELECT USING (true);
SET ROLE sp_app;
SELECT way(), asked(1)->'entries' @> '[{"userId": "bob"}]' OR asked(2)->'entries' @> '[{"userId": "bob"}]' AS sees_bob;
RESET ROLE;
DROP POLICY also ON sp.entries;
CREATE POLICY less ON sp.entries AS RESTRICTIVE FOR SELECT USING (importance > 50);
SET ROLE sp_app;
SELECT way(),
  (SELECT bool_and((entry->>'importance')::int > 50)
   FROM answers(), jsonb_array_elements(answer->'entries') entry) AS important_only;
RESET ROLE;
DROP POLICY less ON sp.entries;
ALTER POLICY memory_search_user ON sp.entries USING (user_id = current_setting('memory_search.user_id', true));
SET ROLE sp_app;
SELECT way(), c.* FROM compared() c;
RESET ROLE;
ALTER TABLE sp.entries DISABLE ROW LEVEL SECURITY;
-- The answers under ann's policy are the same bytes as of a table with only her rows.
DELETE FROM sp.entries WHERE user_id IS DISTINCT FROM 'ann';
SELECT way(), c.* FROM compared() c;

-- Long and short ids of memories, also neighbouring ones in the index's order.
SELECT memory_create_store('sp_ids', 2);
INSERT INTO sp_ids.entries (memory_id, raw_entry)
SELECT id, 'word ' || g
FROM unnest(ARRAY['a', 'a ', 'ab', 'A', 'ä', 'b', repeat('x', 126), repeat('x', 127), repeat('x', 400),
  repeat('y', 401), repeat('z', 1000)]) id,
  generate_series(1, 300) g;
SELECT left(id, 3) AS id, length(id),
  memory_search(id, 'word', 1, store => 'sp_ids',
      options => '{"diagnostics": true}') #>> '{diagnostics,reads,0,path}' AS path,
  memory_search(id, 'word', 1, store => 'sp_ids',
      options => '{"diagnostics": true}') #>> '{diagnostics,reads,0,rows}' AS rows
FROM unnest(ARRAY['', 'a', 'a ', 'ab', 'A', 'ä', 'aa', 'b', 'c', repeat('x', 126), repeat('x', 127), repeat('x', 128),
    repeat('x', 400), repeat('y', 401), repeat('z', 1000), repeat('z', 1001)]) id
WHERE id <> '';
DROP FUNCTION compared, way, answers, asked;
DROP TABLE kept, filtered;
DROP SCHEMA sp, sp_ids CASCADE;
DROP OWNED BY sp_app, sp_columns;
DROP ROLE sp_app, sp_columns;
