-- The functions that make a store's words belong to the store: who may insert may call them, the doctor sees when they
-- were replaced, and they go with the store.
CREATE ROLE wf_owner;
CREATE ROLE wf_writer;
GRANT CREATE ON DATABASE :"DBNAME" TO wf_owner;
GRANT USAGE ON SCHEMA test TO wf_owner, wf_writer;
SET ROLE wf_owner;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
SELECT memory_create_store('we""ird Schema', 4), memory_create_store('wf', 4);
CREATE FUNCTION pg_temp.functions(store text)
RETURNS TABLE (function text, owner name, volatility "char", parallel "char",
  settings text[], description text, of_an_extension boolean) LANGUAGE sql AS $$
  SELECT p.oid::regprocedure::text, proowner::regrole::name, provolatile, proparallel, proconfig,
      obj_description(p.oid),
      EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND deptype = 'e')
    FROM pg_proc p WHERE pronamespace = quote_ident(store)::regnamespace ORDER BY 1 $$;
GRANT EXECUTE ON FUNCTION pg_temp.functions TO PUBLIC;
SELECT * FROM pg_temp.functions('wf');
SELECT function FROM pg_temp.functions('we""ird Schema');
-- Default privileges that keep functions from everybody do not keep writers from adding entries.
SELECT memory_grant(store, 'wf_writer', 'writer') FROM unnest(ARRAY['wf', 'we""ird Schema']) store;
RESET ROLE;
SET ROLE wf_writer;
SELECT memory_add('m', 'a kite', context => 'kites', store => store, embedding => '[1,0,0,0]', entry_id => test.id(1))
FROM unnest(ARRAY['wf', 'we""ird Schema']) store;
SELECT test.found(memory_search('m', 'kites', store => store, options => '{"strategy": "keyword"}'))
FROM unnest(ARRAY['wf', 'we""ird Schema']) store;
INSERT INTO wf.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(2), 'two kites') RETURNING search_vector;
RESET ROLE;
-- Where somebody revokes it later, a grant to the writer gives it back, and to nobody else.
SET ROLE wf_owner;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA wf FROM PUBLIC;
SET ROLE wf_writer;
SELECT test.error($$INSERT INTO wf.entries (memory_id, raw_entry) VALUES ('m', 'three')$$);
SET ROLE wf_owner;
SELECT memory_grant('wf', 'wf_writer', 'reader');
SELECT has_function_privilege('wf_writer', function, 'EXECUTE') AS after_reader FROM pg_temp.functions('wf');
SELECT memory_grant('wf', 'wf_writer', 'writer');
SELECT has_function_privilege('wf_writer', function, 'EXECUTE') AS after_writer,
  has_function_privilege('pg_monitor', function, 'EXECUTE') AS of_others FROM pg_temp.functions('wf');
SET ROLE wf_writer;
INSERT INTO wf.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(3), 'C++ of kites');
SELECT memory_add('m', 'more kites', context => 'other kites', store => 'wf', embedding => '[1,0,0,0]',
  entry_id => test.id(4));
-- A session knows the definition of the store; who replaces the function replaces what a query is made like, too.
RESET ROLE;
CREATE FUNCTION pg_temp.found(query text) RETURNS bigint[] LANGUAGE sql AS $$
  SELECT test.found(memory_search('m', query, store => 'wf',
    options => '{"strategy": "keyword", "fallback": false, "boosts": {"recency": 0, "importance": 0}}')) $$;
CREATE FUNCTION pg_temp.doctor(store text) RETURNS TABLE (status text, detail text) LANGUAGE sql AS $$
  SELECT status, detail FROM memory_doctor(store) WHERE name = 'functions of words' $$;
SELECT * FROM pg_temp.doctor('wf');
SELECT pg_temp.found('c++') AS prepared, pg_temp.found('kite') AS kites;
CREATE OR REPLACE FUNCTION wf.words_of_entry(language regconfig, summary text, raw_entry text, tags text[],
  metadata jsonb) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS
  'BEGIN RETURN to_tsvector(language, replace(raw_entry, ''kite'', ''dragon'')); END';
INSERT INTO wf.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(5), 'kite'), ('m', test.id(6), 'C in C++');
SELECT pg_temp.found('dragon') AS by_new_words, pg_temp.found('kite') AS by_old_ones,
  pg_temp.found('c++') AS not_prepared;
SELECT * FROM pg_temp.doctor('wf');
\set ECHO none
SELECT fix FROM memory_doctor('wf') WHERE name = 'functions of words' \gexec
\set ECHO all
SELECT * FROM pg_temp.doctor('wf');
SELECT pg_temp.found('dragon') AS by_new_words, pg_temp.found('kite') AS by_old_ones, pg_temp.found('c++') AS prepared;
SELECT has_function_privilege('wf_writer', function, 'EXECUTE') AS stays,
  has_function_privilege('pg_monitor', function, 'EXECUTE') AS of_others FROM pg_temp.functions('wf');
-- A setting or a volatility would change what it does as well.
ALTER FUNCTION wf.words_of_context SET work_mem = '1MB';
SELECT * FROM pg_temp.doctor('wf');
\set ECHO none
SELECT fix FROM memory_doctor('wf') WHERE name = 'functions of words' \gexec
\set ECHO all
SELECT * FROM pg_temp.doctor('wf');
-- The language belongs to the column: it cannot be dropped from under it, and may be renamed.
CREATE TEXT SEARCH CONFIGURATION wf_language (COPY = german);
SELECT memory_create_store('wf_custom', 4, 'wf_language');
SELECT test.error('DROP TEXT SEARCH CONFIGURATION wf_language');
ALTER TEXT SEARCH CONFIGURATION wf_language RENAME TO "wf's Language";
ALTER SCHEMA wf_custom RENAME TO "wf's custom";
SELECT memory_add('m', 'zwei Häuser', store => 'wf''s custom', embedding => '[1,0,0,0]', entry_id => test.id(1));
SELECT test.found(memory_search('m', 'Haus', store => 'wf''s custom', options => '{"strategy": "keyword"}'));
-- They go with the store; what else is in its schema stays, and so does a function of the name that no column calls.
CREATE FUNCTION wf.words_of_entry(text) RETURNS tsvector LANGUAGE sql AS 'SELECT to_tsvector($1)';
SELECT memory_drop_store('wf', force => true), memory_drop_store('wf''s custom', force => true);
SELECT function FROM pg_temp.functions('wf');
SET ROLE wf_owner;
SELECT memory_drop_store('we""ird Schema', force => true);
RESET ROLE;
SELECT nspname FROM pg_namespace WHERE nspname ~ '^we""ird|^wf' ORDER BY 1;
-- One that is there already is not taken for ours, whosever it is.
CREATE SCHEMA wf_taken;
CREATE FUNCTION wf_taken.words_of_context(regconfig, text) RETURNS tsvector LANGUAGE sql IMMUTABLE
  AS 'SELECT to_tsvector($2)';
SELECT test.error($$SELECT memory_create_store('wf_taken', 4)$$);
\set VERBOSITY terse
DROP SCHEMA wf, wf_taken CASCADE;
DROP TEXT SEARCH CONFIGURATION "wf's Language";
-- An adopted table's words are an expression of the view, and so are those of its contexts.
CREATE TABLE wf_notes (id uuid PRIMARY KEY, body text);
SELECT memory_adopt_table('wf', 'wf_notes', '{"memory_id": "''m''", "entry_id": "id", "raw_entry": "body"}');
SELECT function FROM pg_temp.functions('wf');
SELECT * FROM pg_temp.doctor('wf');
SELECT memory_drop_store('wf');
SELECT count(*) FROM pg_namespace WHERE nspname = 'wf';
-- What is left of a store whose adopted table went goes too.
SELECT memory_adopt_table('wf', 'wf_notes', '{"memory_id": "''m''", "entry_id": "id", "raw_entry": "body"}');
DROP TABLE wf_notes CASCADE;
SELECT memory_drop_store('wf');
SELECT count(*) FROM pg_namespace WHERE nspname = 'wf';
\set VERBOSITY default
DROP FUNCTION pg_temp.functions;
DROP OWNED BY wf_owner, wf_writer;
DROP ROLE wf_owner, wf_writer;
