-- memory_adopt_table makes the memory index of a table, so that two statements lead from a table to a fast search.
SET client_min_messages = notice;
CREATE SCHEMA ami;
CREATE TABLE ami.docs (no bigint PRIMARY KEY, topic text, title text, body text, at timestamptz, meaning vector(4));
INSERT INTO ami.docs
SELECT n, 'm', 'title ' || n, 'a body on kites ' || n, timestamptz '2025-01-01Z' + n * interval '1 h', test.vector(n)
FROM generate_series(1, 200) n;
CREATE FUNCTION ami.adopt(store text, relation regclass, more text DEFAULT '', with_index boolean DEFAULT true)
RETURNS void
LANGUAGE sql AS $$
  SELECT memory_adopt_table(store, relation, ('{"memory_id": "topic", "entry_id": "no", "summary": "title",
    "raw_entry": "body", "embedding": "meaning"' || more || '}')::jsonb, with_index => with_index) $$;
CREATE FUNCTION ami.read_by(store text) RETURNS text LANGUAGE sql AS $$
  SELECT memory_search('m', 'kites', embedding => '[1,2,3,4]', store => store, options => '{"diagnostics": true}')
    #>> '{diagnostics,reads,0,path}' $$;
-- Adopts with a source of sessions; the way and the entries of a search in one of them.
CREATE FUNCTION ami.read_session(source text, session text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  response jsonb;
BEGIN
  PERFORM memory_adopt_table('ami_talks', 'ami.talks', jsonb_build_object('memory_id', 'topic', 'entry_id', 'id',
    'raw_entry', 'body', 'session_id', source));
  response := memory_search('m', 'kites', store => 'ami_talks', options => '{"diagnostics": true}',
    filters => jsonb_build_object('sessionId', session));
  PERFORM memory_drop_store('ami_talks', force => true);
  RETURN concat_ws(' ', response #>> '{diagnostics,reads,0,path}', test.found(response));
END $$;
SELECT ami.adopt('ami_docs', 'ami.docs', ', "creation_time": "at"');
SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = 'ami.docs'::regclass AND NOT indisprimary;
SELECT ami.read_by('ami_docs'), (SELECT status FROM memory_doctor('ami_docs') WHERE name = 'index of searches');

-- A second store finds that this index serves it, and makes no other.
SELECT ami.adopt('ami_again', 'ami.docs', ', "creation_time": "at"');
SELECT count(*) AS indexes FROM pg_index WHERE indrelid = 'ami.docs'::regclass AND NOT indisprimary;
SELECT ami.read_by('ami_again');

-- No index is made if it is not wanted, if it cannot be made, or if another role owns the table: a sentence says so.
CREATE TABLE ami.other AS TABLE ami.docs;
ALTER TABLE ami.other ADD PRIMARY KEY (no);
SELECT ami.adopt('ami_without', 'ami.other', with_index => false);
SELECT count(*) AS indexes FROM pg_index WHERE indrelid = 'ami.other'::regclass AND NOT indisprimary;
CREATE VIEW ami.shown AS TABLE ami.docs;
SELECT ami.adopt('ami_view', 'ami.shown');
SELECT ami.adopt('ami_time', 'ami.other', ', "creation_time": "at + interval ''1 h''"');
SELECT test.error($$SELECT memory_adopt_table('ami_null', 'ami.docs', '{}', with_index => NULL)$$);
CREATE ROLE ami_reader;
GRANT USAGE ON SCHEMA ami TO ami_reader;
GRANT SELECT ON ami.other TO ami_reader;
SELECT format('GRANT CREATE ON DATABASE %I TO ami_reader', current_database()) \gexec
SET ROLE ami_reader;
SELECT ami.adopt('ami_others', 'ami.other');
RESET ROLE;
SELECT ami.read_by(store) FROM unnest('{ami_without,ami_view,ami_time,ami_others}'::text[]) store;
SELECT format('REVOKE CREATE ON DATABASE %I FROM ami_reader', current_database()) \gexec

-- A virtual generated column, on servers that have these, is left out of the index, and the doctor does not miss it.
SELECT current_setting('server_version_num')::int >= 180000 AS has_virtual \gset
\if :has_virtual
CREATE TABLE ami.loud (id int PRIMARY KEY, topic text, body text, who text, "user" text
  GENERATED ALWAYS AS (upper(who)) VIRTUAL);
\else
CREATE TABLE ami.loud (id int PRIMARY KEY, topic text, body text, who text, "user" text
  GENERATED ALWAYS AS (upper(who)) STORED);
\endif
INSERT INTO ami.loud VALUES (1, 'm', 'of kites', 'a'), (2, 'm', 'of kites', 'b');
SELECT memory_adopt_table('ami_loud', 'ami.loud',
  '{"memory_id": "topic", "entry_id": "id", "raw_entry": "body", "user_id": "user"}');
SELECT memory_search('m', 'kites', store => 'ami_loud', filters => '{"userId": "B"}',
  options => '{"diagnostics": true}') #>> '{diagnostics,reads,0,path}' AS read_by;
SELECT test.found(memory_search('m', 'kites', store => 'ami_loud', filters => '{"userId": "B"}'));
SELECT status FROM memory_doctor('ami_loud') WHERE name = 'index of searches';
-- Columns for filters that are no plain text do not keep the index from being made, and an object by the hint's
-- expression is held by it.
CREATE TABLE ami.talks (id int PRIMARY KEY, topic text, body text, run uuid, js jsonb);
INSERT INTO ami.talks
VALUES (1, 'm', 'of kites', test.id(1), '{"s": "b"}'), (2, 'm', 'of kites', test.id(2), '{"s": "c"}');
SELECT ami.read_session(source, session) AS found FROM (VALUES (1, 'run', test.id(2)::text), (2, 'js ->> ''s''', 'c'),
  (3, 'topic::name', 'm')) t (n, source, session) ORDER BY n;
SELECT memory_adopt_table('ami_object', 'ami.talks', '{"memory_id": "topic", "entry_id": "id", "raw_entry": "body",
  "metadata": "pg_catalog.jsonb_object(ARRAY[''name'', (body)::text])"}');
SELECT status FROM memory_doctor('ami_object') WHERE name = 'index of searches';
-- Times without a zone and times of expressions are keys of the index. It gives the answers of the rows, in every zone.
CREATE TABLE ami.posts (id bigint PRIMARY KEY, topic text, body text, made timestamp(6), ended timestamp, day date);
INSERT INTO ami.posts
SELECT n, 'm', 'a body on kites ' || n, timestamp '2025-03-29 12:00' + n * interval '1 h',
  CASE WHEN n % 5 = 0 THEN timestamp '2025-04-02 02:30' END, date '2025-04-01' + n % 9
FROM generate_series(1, 120) n;
CREATE TABLE ami.posts_read (LIKE ami.posts INCLUDING ALL);
INSERT INTO ami.posts_read TABLE ami.posts;
SET TimeZone = 'Europe/Berlin';
SELECT memory_adopt_table(store, relation, '{"memory_id": "topic", "entry_id": "id", "raw_entry": "body",
  "creation_time": "made", "deletion_scheduled_time": "ended", "valid_from": "made", "valid_until": "day",
  "expires_at": "CASE WHEN id % 7 = 0 THEN ended AT TIME ZONE ''UTC'' END"}', with_index => store = 'ami_posts')
FROM (VALUES ('ami_posts', 'ami.posts'::regclass), ('ami_posts_read', 'ami.posts_read')) s (store, relation);
SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = 'ami.posts'::regclass AND NOT indisprimary;
SET TimeZone = 'America/New_York';
SET memory_search.max_top_ke = 200;
INSERT INTO ami.posts VALUES (121, 'm', 'a body on kites 121', '2025-03-30 02:30', NULL, NULL);
INSERT INTO ami.posts_read VALUES (121, 'm', 'a body on kites 121', '2025-03-30 02:30', NULL, NULL);
SELECT ami.read_by('ami_posts'), ami.read_by('ami_posts_read'),
  (SELECT status FROM memory_doctor('ami_posts') WHERE name = 'index of searches');
CREATE TABLE ami.asked (kind text, value jsonb);
INSERT INTO ami.asked VALUES ('options', '{"validAt": "any", "asOf": "2025-04-20T00:00:00Z"}'),
  ('options', '{"asOf": "2025-04-02T00:29:59Z"}'),
  ('options', '{"asOf": "2025-04-02T00:30:00Z"}'), ('options', '{"asOf": "2025-04-02T02:30:00Z"}'),
  ('options', '{"validAt": "2025-04-02T22:00:00Z", "asOf": "2025-04-20T00:00:00Z"}'), ('filters', '{}'),
  ('filters', '{"createdAfter": "2025-03-30T01:00:00Z"}'), ('filters', '{"createdBefore": "2025-03-30T02:30:00Z"}');
SELECT count(*) AS searches, count(*) FILTER (WHERE jsonb_array_length(found['entries']) > 0) AS with_entries,
  count(*) FILTER (WHERE found = by_rows) AS are_same
FROM ami.asked o, ami.asked f, memory_search('m', 'kites', 200, store => 'ami_posts', options => o.value,
    filters => f.value) found,
  memory_search('m', 'kites', 200, store => 'ami_posts_read', options => o.value, filters => f.value) by_rows
WHERE o.kind = 'options' AND f.kind = 'filters';
RESET TimeZone;
RESET memory_search.max_top_ke;
-- Where there can be no index, the reason is the right one.
CREATE TABLE ami.parts (id bigint PRIMARY KEY, topic text, body text) PARTITION BY HASH (id);
CREATE TABLE ami.keyless (id int, topic text, body text);
SELECT memory_adopt_table('ami_reason', relation, jsonb_build_object('memory_id', 'topic', 'entry_id', id,
  'raw_entry', source)), memory_drop_store('ami_reason')
FROM (VALUES ('ami.parts'::regclass, 'id', 'body'), ('ami.keyless', 'id', 'body'),
  ('ami.docs', 'no', '(SELECT t.body FROM ami.talks t WHERE t.id = no)')) s (relation, id, source);
-- The doctor warns of a table that cannot have the index.
SELECT status, fix FROM memory_doctor('ami_view') WHERE name = 'index of searches';
\set ECHO none
SET client_min_messages = warning;
SELECT memory_drop_store('ami_object', force => true);
SELECT memory_drop_store(store, force => true)
FROM unnest('{ami_docs,ami_again,ami_without,ami_view,ami_time,ami_others,ami_loud,ami_posts,
  ami_posts_read}'::text[]) store;
DROP SCHEMA ami CASCADE;
DROP ROLE ami_reader;
