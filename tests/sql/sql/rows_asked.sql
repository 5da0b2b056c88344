-- Under the user's own policies, with privileges on columns and in serializable transactions, a statement gives the
-- rows that the caller sees, and a search reads only these of the memory index: the answers are the same bytes as by
-- the rows of the table, and as in a store with only these rows.
CREATE FUNCTION fill(store text) RETURNS void LANGUAGE plpgsql AS $fill$
BEGIN
  EXECUTE format($$
    INSERT INTO %1$I.entries (memory_id, entry_id, user_id, session_id, raw_entry, embedding, importance,
      creation_time, deletion_scheduled_time, expires_at, tags, metadata)
    SELECT CASE WHEN n %% 3 = 0 THEN 'other' ELSE 'm' END, test.id(n), 'u' || n %% 6, 's' || n %% 10,
      test.words(n, 5 + n %% 7) || CASE WHEN n %% 6 = 5 THEN repeat(' hidden tea', n %% 9) ELSE '' END,
      CASE WHEN n %% 11 > 0 THEN test.vector(n)::vector END, n %% 101,
      -- Some rows of one instant.
      timestamptz '2025-01-01Z' + n / 4 * interval '20 min',
      CASE WHEN n %% 53 = 0 THEN timestamptz '2025-03-01Z' END,
      CASE WHEN n %% 59 = 0 THEN timestamptz '2025-02-01Z' END,
      ARRAY['t' || n %% 4], jsonb_build_object('n', n %% 5)
    FROM generate_series(1, 1500) n;
    $$, store);
  -- The last entry is corrected by one that a policy below hides.
  PERFORM memory_supersede('m', test.id(old), test.id(new), store => fill.store)
  FROM (VALUES (100, 109), (202, 211), (304, 313), (103, 107)) v (old, new);
END $fill$;
-- The pages have room for other versions of each row, some of which are in another place than the index says.
CREATE FUNCTION move(store text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('UPDATE %I.entries SET embedding_error = $e$none$e$ WHERE importance %% 4 = 0', store);
  RETURN pg_stat_get_xact_tuples_hot_updated(format('%I.entries', store)::regclass) > 50;
END $$;
SELECT memory_create_store('ra', 4, 'english');
ALTER TABLE ra.entries SET (fillfactor = 60);
SELECT fill('ra');
CREATE TABLE questions AS
SELECT row_number() OVER () AS n, memories, words, filters, options
FROM (VALUES ('{m}'::text[]), ('{m,other,none}')) m (memories),
  unnest('{"lisbon tea hidden","quartz \"train hotel\" -tea",""}'::text[]) words,
  unnest(ARRAY['{}', '{"userId": "u1"}', '{"metadata": {"n": {"$gt": 2}}}', '{"rawEntry": {"$contains": "tea"}}',
    '{"tags": "t1", "importance": {"$lt": 60}}']::jsonb[]) filters,
  unnest(ARRAY['{}', '{"strategy": "keyword"}', '{"strategy": "semantic", "candidates": 20}', '{"typos": true}',
    '{"asOf": "2025-01-20T00:00:00Z", "includeSuperseded": true}', '{"boosts": {"length": 0.5, "author": 0.5}}',
    '{"dedupThreshold": 0.99}', '{"expand": true, "candidates": 5}']::jsonb[]) options;
DELETE FROM questions WHERE n % 3 > 0;
GRANT SELECT ON questions TO PUBLIC;
-- The whole answer of a search, and the path that it used.
CREATE FUNCTION answers(store text) RETURNS TABLE (n bigint, ways text, answer text) LANGUAGE sql AS $$
  SELECT q.n, (SELECT string_agg(DISTINCT r->>'path', ', ') FROM jsonb_path_query(s, '$.diagnostics.reads[*]') r
      WHERE r->>'relation' = 'entries'),
    (s - 'diagnostics')::text
  FROM questions q, memory_search(memories, words, 10, 1, embedding => test.vector(n), filters => filters,
    store => answers.store, options => '{"diagnostics": true, "asOf": "2026-01-01T00:00:00Z"}' || options) s $$;
-- The number of answers that are equal to the kept ones, and the paths.
CREATE TABLE kept (n bigint, ways text, answer text);
GRANT ALL ON kept TO PUBLIC;
CREATE FUNCTION compared(of_store text) RETURNS TABLE (ways text, same bigint, different bigint) LANGUAGE sql AS $$
  SELECT string_agg(DISTINCT a.ways, '; '), count(*) FILTER (WHERE a.answer = k.answer),
    count(*) FILTER (WHERE a.answer <> k.answer) FROM answers(of_store) a JOIN kept k USING (n) $$;
-- The same searches by the rows of the table, then by the index.
CREATE PROCEDURE both_ways(store text) LANGUAGE plpgsql AS $$
DECLARE found record; by_rows text;
BEGIN
  TRUNCATE kept;
  PERFORM set_config('enable_indexscan', 'off', true);
  INSERT INTO kept SELECT * FROM answers(store);
  SELECT string_agg(DISTINCT ways, '; ') INTO by_rows FROM kept;
  PERFORM set_config('enable_indexscan', 'on', true);
  SELECT * INTO found FROM compared(store);
  RAISE INFO '% / %: % the same, % different, % find some', by_rows, found.ways, found.same, found.different,
    (SELECT count(*) > 30 FROM kept WHERE answer LIKE '%entryId%');
END $$;

CREATE ROLE ra_app;
CREATE ROLE ra_columns;
GRANT USAGE ON SCHEMA ra TO ra_app, ra_columns;
SELECT memory_grant('ra', 'ra_app');
GRANT SELECT ON ra.contexts, ra.entry_access, ra.links, ra.aliases TO ra_columns;
SELECT format('GRANT SELECT (%s) ON ra.entries TO ra_columns', string_agg(attname, ', ' ORDER BY attnum))
FROM pg_attribute WHERE attrelid = 'ra.entries'::regclass AND attnum > 0 AND NOT attisdropped \gexec
CREATE TABLE members (member text, role text);
INSERT INTO members SELECT 'u' || n, 'ra_app' FROM generate_series(0, 4) n;
GRANT SELECT ON members TO PUBLIC;

-- No policy: privileges on columns, and a serializable transaction.
SET ROLE ra_columns;
CALL both_ways('ra');
RESET ROLE;
BEGIN ISOLATION LEVEL SERIALIZABLE;
CALL both_ways('ra');
COMMIT;
SET ROLE ra_columns;
BEGIN ISOLATION LEVEL SERIALIZABLE;
CALL both_ways('ra');
COMMIT;
RESET ROLE;
-- A subquery, by each kind of caller. Rows in their place, others moved within their block, and after VACUUM.
ALTER TABLE ra.entries ENABLE ROW LEVEL SECURITY;
CREATE POLICY members ON ra.entries USING (user_id IN (SELECT member FROM members));
SET ROLE ra_app;
CALL both_ways('ra');
RESET ROLE;
BEGIN;
SELECT move('ra') AS many_moved;
SET LOCAL ROLE ra_app;
-- Rows that the same transaction wrote.
CALL both_ways('ra');
COMMIT;
VACUUM ra.entries;
SET ROLE ra_app;
CALL both_ways('ra');
SET ROLE ra_columns;
CALL both_ways('ra');
BEGIN ISOLATION LEVEL SERIALIZABLE;
CALL both_ways('ra');
COMMIT;
RESET ROLE;
-- No statistic counts hidden rows: the bytes are those of a store that has no others.
SELECT memory_create_store('ra_alone', 4, 'english');
SELECT fill('ra_alone');
DELETE FROM ra_alone.entries WHERE user_id = 'u5';
TRUNCATE kept;
INSERT INTO kept SELECT * FROM answers('ra_alone');
SET ROLE ra_app;
SELECT * FROM compared('ra');
RESET ROLE;
-- If hidden rows counted, the comparison would show it.
INSERT INTO members VALUES ('u5', 'ra_app');
SET ROLE ra_app;
SELECT different > 30 AS differs FROM compared('ra');
RESET ROLE;
DELETE FROM members WHERE member = 'u5';

-- Other policies: correlated ones, on other entries, by functions that may leak the rows that they see, that change or
-- fail; restrictive ones; of one role; of all rows, and of none.
CREATE FUNCTION shown(user_id text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN user_id < 'u4'; END $$;
CREATE FUNCTION raises(user_id text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF user_id = 'u2' THEN RAISE EXCEPTION 'not for you' USING ERRCODE = '22023'; END IF;
  RETURN true;
END $$;
CREATE PROCEDURE under(policy text) LANGUAGE plpgsql AS $$
BEGIN
  DROP POLICY IF EXISTS members ON ra.entries;
  EXECUTE 'CREATE POLICY members ON ra.entries ' || policy;
END $$;
CALL under('USING (EXISTS (SELECT FROM members m WHERE m.member = user_id AND m.role = current_user))');
SET ROLE ra_app; CALL both_ways('ra'); RESET ROLE;
CALL under($$USING (session_id = ANY (ARRAY(SELECT 's' || g FROM generate_series(1, 7) g)))$$);
SET ROLE ra_app; CALL both_ways('ra'); RESET ROLE;
CALL under('USING (shown(user_id))');
SET ROLE ra_app; CALL both_ways('ra'); RESET ROLE;
CALL under('FOR SELECT TO ra_app USING (importance > 10)');
CREATE POLICY less ON ra.entries AS RESTRICTIVE USING (importance < 90);
SET ROLE ra_app; CALL both_ways('ra');
SET ROLE ra_columns; CALL both_ways('ra'); RESET ROLE;
DROP POLICY less ON ra.entries;
CALL under('USING (true)');
SET ROLE ra_app; CALL both_ways('ra'); RESET ROLE;
CALL under('USING (false)');
SET ROLE ra_app; CALL both_ways('ra'); RESET ROLE;
CALL under('USING (raises(user_id))');
SET ROLE ra_app;
SELECT test.error($$SELECT memory_search('m', 'lisbon tea', embedding => test.vector(1), store => 'ra')$$);
SET enable_indexscan = off;
SELECT test.error($$SELECT memory_search('m', 'lisbon tea', embedding => test.vector(1), store => 'ra')$$);
RESET enable_indexscan;
-- With row_security off, both paths refuse a search that a policy would restrict.
SET row_security = off;
SELECT test.error($$SELECT memory_search('m', 'lisbon tea', embedding => test.vector(1), store => 'ra')$$);
RESET row_security;
RESET ROLE;
-- The policy of the store, for nobody, with privileges on columns, and in a serializable transaction.
DROP POLICY members ON ra.entries;
SET client_min_messages = warning;
SELECT memory_enable_row_security('ra');
RESET client_min_messages;
SET ROLE ra_app; CALL both_ways('ra');
SET memory_search.user_id = 'u1';
CALL both_ways('ra');
BEGIN ISOLATION LEVEL SERIALIZABLE;
CALL both_ways('ra');
COMMIT;
SET ROLE ra_columns; CALL both_ways('ra'); RESET ROLE;
RESET memory_search.user_id;
-- Both paths report a missing privilege on a column, also if no entry is found.
ALTER TABLE ra.entries DISABLE ROW LEVEL SECURITY;
REVOKE SELECT (expires_at) ON ra.entries FROM ra_columns;
SET ROLE ra_columns;
SELECT test.error($$SELECT memory_search('none', 'lisbon tea', embedding => test.vector(1), store => 'ra')$$);
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT test.error($$SELECT memory_search('none', 'lisbon tea', embedding => test.vector(1), store => 'ra')$$);
COMMIT;
SET enable_indexscan = off;
SELECT test.error($$SELECT memory_search('none', 'lisbon tea', embedding => test.vector(1), store => 'ra')$$);
RESET enable_indexscan;
RESET ROLE;
GRANT SELECT (expires_at) ON ra.entries TO ra_columns;
REVOKE SELECT (embedding) ON ra.entries FROM ra_columns;
SET ROLE ra_columns;
SELECT test.error($$SELECT memory_search('m', 'lisbon tea', embedding => test.vector(1), store => 'ra')$$);
SELECT test.error($$SELECT memory_search('m', 'lisbon', store => 'ra', options => '{"strategy": "keyword"}')$$);
SET enable_indexscan = off;
SELECT test.error($$SELECT memory_search('m', 'lisbon', store => 'ra', options => '{"strategy": "keyword"}')$$);
RESET enable_indexscan;
RESET ROLE;

-- With partitions, if the server supports stores with partitions.
SELECT CASE WHEN current_setting('server_version_num')::int >= 170000 THEN '4' ELSE 'NULL' END AS partitions \gset
SELECT memory_create_store('ra_parts', 4, 'english', partitions => :partitions);
SELECT fill('ra_parts');
SELECT memory_grant('ra_parts', 'ra_app');
GRANT USAGE ON SCHEMA ra_parts TO ra_columns;
GRANT SELECT ON ra_parts.contexts, ra_parts.entry_access, ra_parts.links, ra_parts.aliases TO ra_columns;
SELECT format('GRANT SELECT (%s) ON ra_parts.entries TO ra_columns', string_agg(attname, ', ' ORDER BY attnum))
FROM pg_attribute WHERE attrelid = 'ra_parts.entries'::regclass AND attnum > 0 AND NOT attisdropped \gexec
ALTER TABLE ra_parts.entries ENABLE ROW LEVEL SECURITY;
CREATE POLICY members ON ra_parts.entries USING (user_id IN (SELECT member FROM members));
SET ROLE ra_app; CALL both_ways('ra_parts');
SET ROLE ra_columns; CALL both_ways('ra_parts');
BEGIN ISOLATION LEVEL SERIALIZABLE;
CALL both_ways('ra_parts');
COMMIT;
RESET ROLE;

-- An adopted table: its policies hold through the view, with privileges on the table or on its columns.
CREATE SCHEMA ra_hers;
CREATE TABLE ra_hers.notes (id uuid PRIMARY KEY, bank text NOT NULL, owner text, body text NOT NULL, emb vector(4),
  made timestamptz NOT NULL, secret text);
INSERT INTO ra_hers.notes
SELECT entry_id, memory_id, user_id, raw_entry, embedding::vector, creation_time, 'secret' FROM ra.entries;
SELECT memory_adopt_table('ra_adopted', 'ra_hers.notes', '{"memory_id": "bank", "entry_id": "id", "raw_entry": "body",
  "creation_time": "made", "embedding": "emb", "user_id": "owner"}');
\set ECHO none
SELECT fix FROM memory_doctor('ra_adopted') WHERE fix IS NOT NULL \gexec
\set ECHO all
SELECT memory_grant('ra_adopted', 'ra_app');
DELETE FROM questions WHERE filters->>'metadata' IS NOT NULL OR filters->>'tags' IS NOT NULL;
SET ROLE ra_app; CALL both_ways('ra_adopted'); RESET ROLE;
BEGIN ISOLATION LEVEL SERIALIZABLE;
CALL both_ways('ra_adopted');
COMMIT;
ALTER TABLE ra_hers.notes ENABLE ROW LEVEL SECURITY;
CREATE POLICY members ON ra_hers.notes USING (owner IN (SELECT member FROM members));
SET ROLE ra_app; CALL both_ways('ra_adopted');
BEGIN ISOLATION LEVEL SERIALIZABLE;
CALL both_ways('ra_adopted');
COMMIT;
RESET ROLE;
SELECT has_table_privilege('ra_app', 'ra_hers.notes', 'SELECT') AS may_read_all,
  has_column_privilege('ra_app', 'ra_hers.notes', 'secret', 'SELECT') AS may_read_secret;
-- A view with security_barrier, which evaluates its own condition before those of a search.
ALTER VIEW ra_adopted.entries SET (security_barrier = true);
SET ROLE ra_app; CALL both_ways('ra_adopted'); RESET ROLE;

DROP PROCEDURE both_ways, under;
DROP FUNCTION compared, answers, fill, move;
DROP SCHEMA ra, ra_alone, ra_parts, ra_adopted, ra_hers CASCADE;
DROP FUNCTION shown, raises;
DROP TABLE kept, questions, members;
DROP OWNED BY ra_app, ra_columns;
DROP ROLE ra_app, ra_columns;
