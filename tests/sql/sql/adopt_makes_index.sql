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
\set ECHO none
SET client_min_messages = warning;
SELECT memory_drop_store(store, force => true)
FROM unnest('{ami_docs,ami_again,ami_without,ami_view,ami_time,ami_others,ami_loud}'::text[]) store;
DROP SCHEMA ami CASCADE;
DROP ROLE ami_reader;
