-- A setting that names code or a store counts only if it comes from a role that may act as the current one. A caller
-- of a SECURITY DEFINER function cannot make its owner run the caller's code, nor use the caller's store.
CREATE ROLE so_owner LOGIN;
CREATE ROLE so_caller LOGIN;
SELECT current_database() AS db, current_user AS superuser \gset
\getenv options PGOPTIONS
CREATE ROLE so_pooler LOGIN NOINHERIT;
GRANT so_owner TO so_pooler;
GRANT CREATE ON DATABASE :"db" TO so_owner, so_caller;

-- The owner's application: a store, and functions that search it and write to it with the owner's rights.
SET ROLE so_owner;
CREATE SCHEMA so_app;
CREATE FUNCTION so_app.embed(text) RETURNS vector LANGUAGE sql AS $$ SELECT '[1,2,3]'::public.vector $$;
SELECT memory_create_store('so_store', 3);
SELECT memory_add('m', 'tea at five', embedding => '[1,2,3]', entry_id => test.id(1), store => 'so_store');
CREATE FUNCTION so_app.find(q text) RETURNS text LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public
  AS $$ SELECT test.found(memory_search('m', q, store => 'so_store'))::text $$;
CREATE FUNCTION so_app.find_in_default(q text) RETURNS text LANGUAGE sql SECURITY DEFINER
  SET search_path = pg_catalog, public AS $$ SELECT test.found(memory_search('m', q))::text $$;
CREATE FUNCTION so_app.find_by_own_settings(q text) RETURNS text LANGUAGE sql SECURITY DEFINER
  SET search_path = pg_catalog, public SET memory_search.store = 'so_store'
  SET memory_search.embedding_function = 'so_app.embed' SET memory_search.rerank_function = ''
  AS $$ SELECT test.found(memory_search('m', q))::text $$;
CREATE FUNCTION so_app.remember(what text) RETURNS boolean LANGUAGE sql SECURITY DEFINER
  SET search_path = pg_catalog, public
  AS $$ SELECT memory_add('m', what, store => 'so_store') IS NOT NULL $$;
-- Trigger functions and functions of policies run with the owner's rights, too.
CREATE FUNCTION so_app.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public
  AS $$ BEGIN PERFORM memory_add('m', NEW.said, store => 'so_store'); RETURN NEW; END $$;
CREATE TABLE so_app.inbox (said text);
CREATE TRIGGER note BEFORE INSERT ON so_app.inbox FOR EACH ROW EXECUTE FUNCTION so_app.note();
CREATE FUNCTION so_app.knows(q text) RETURNS boolean LANGUAGE sql SECURITY DEFINER
  SET search_path = pg_catalog, public
  AS $$ SELECT (memory_search('m', q, store => 'so_store')->>'count')::int > 0 $$;
CREATE TABLE so_app.topics (topic text);
INSERT INTO so_app.topics VALUES ('tea');
ALTER TABLE so_app.topics ENABLE ROW LEVEL SECURITY;
CREATE POLICY known ON so_app.topics TO so_caller USING (so_app.knows(topic));
GRANT USAGE ON SCHEMA so_app TO so_caller;
GRANT INSERT ON so_app.inbox TO so_caller;
GRANT SELECT ON so_app.topics TO so_caller;
RESET ROLE;

-- The caller's: code that notes as whom it runs, and a store of the same form.
SET ROLE so_caller;
CREATE SCHEMA so_evil;
CREATE TABLE so_evil.ran (as_role name);
GRANT USAGE ON SCHEMA so_evil TO PUBLIC;
GRANT ALL ON so_evil.ran TO PUBLIC;
CREATE FUNCTION so_evil.embed(text) RETURNS vector LANGUAGE plpgsql AS $$
BEGIN
  RAISE WARNING 'the caller''s code runs as %', current_user;
  RETURN '[3,2,1]'::public.vector;
END $$;
CREATE FUNCTION so_evil.rerank(text, text[]) RETURNS real[] LANGUAGE plpgsql AS $$
BEGIN
  RAISE WARNING 'the caller''s code runs as %', current_user;
  RETURN ARRAY(SELECT 1 FROM unnest($2));
END $$;
SELECT memory_create_store('so_evil_store', 3);
SELECT memory_grant('so_evil_store', 'public', 'writer');
SELECT memory_add('m', 'tea of the caller', embedding => '[1,2,3]', entry_id => test.id(666), store => 'so_evil_store');
RESET ROLE;

-- Each way by which a session gets a value: SET, SET LOCAL, set_config() and a SET clause of the calling function.
CREATE FUNCTION attempts() RETURNS TABLE (what text, answer text) LANGUAGE sql AS $$
  SELECT call, left(test.error(call), 125) FROM (VALUES (1, $q$SELECT so_app.find('tea')$q$),
    (2, $q$SELECT so_app.remember('cups')$q$), (3, $q$INSERT INTO so_app.inbox VALUES ('cups')$q$),
    (4, $q$SELECT count(*) FROM so_app.topics$q$)) t (n, call) ORDER BY n $$;
SET SESSION AUTHORIZATION so_caller;
SET memory_search.embedding_function = 'so_evil.embed';
SELECT * FROM attempts();
SELECT so_app.find_by_own_settings('tea');
RESET memory_search.embedding_function;
SELECT set_config('memory_search.rerank_function', 'so_evil.rerank', false);
SELECT * FROM attempts();
SELECT so_app.find_by_own_settings('tea');
RESET memory_search.rerank_function;
BEGIN;
SET LOCAL memory_search.store = 'so_evil_store';
SELECT test.error($$SELECT so_app.find_in_default('tea')$$);
SELECT so_app.find_by_own_settings('tea'), so_app.find('tea');
COMMIT;
CREATE FUNCTION so_evil.around() RETURNS text LANGUAGE sql SET memory_search.embedding_function = 'so_evil.embed'
  AS $$ SELECT so_app.find('tea') $$;
SELECT test.error($$SELECT so_evil.around()$$);
-- An empty value is a choice, too: the local model instead of the owner's function.
SET memory_search.embedding_function = '';
SELECT test.error($$SELECT so_app.find('tea')$$);
RESET memory_search.embedding_function;
SELECT so_app.find('tea');
-- For the caller's own searches the caller's settings count.
SET memory_search.embedding_function = 'so_evil.embed';
SET memory_search.store = 'so_evil_store';
SELECT test.found(memory_search('m', 'tea'));
-- A reranker and an embedder of the caller's that call the owner's function do not lend it their settings.
CREATE FUNCTION so_evil.embed_by_others(text) RETURNS vector LANGUAGE plpgsql AS $$
BEGIN
  RAISE WARNING 'within: %', left(test.error($q$SELECT so_app.find('tea')$q$), 125);
  RETURN '[3,2,1]'::public.vector;
END $$;
SET memory_search.embedding_function = 'so_evil.embed_by_others';
SELECT test.found(memory_search('m', 'coffee'));
RESET SESSION AUTHORIZATION;

-- A setting stays in the session when the role changes: a pooled connection that changes roles, a superuser who tries a
-- role.
SELECT test.error($$SELECT memory_embed('x')$$) AS embeds;
SELECT test.error($$SELECT memory_search('m', 'tea')$$) AS searches;
SET ROLE so_owner;
SELECT test.error($$SELECT memory_embed('x')$$) AS embeds;
RESET ROLE;
RESET memory_search.embedding_function;
RESET memory_search.store;
-- A setting by a superuser counts for all roles; a setting by a pooler's role counts for the roles that it may become.
SET memory_search.embedding_function = 'so_app.embed';
SET SESSION AUTHORIZATION so_caller;
SELECT so_app.find('tea');
RESET SESSION AUTHORIZATION;
RESET memory_search.embedding_function;
SET SESSION AUTHORIZATION so_pooler;
SET memory_search.store = 'so_store';
SET memory_search.embedding_function = 'so_app.embed';
SET ROLE so_owner;
SELECT test.found(memory_search('m', 'tea'));
-- A SECURITY DEFINER function may embed, and call the local model as its owner.
CREATE FUNCTION so_app.embed_as_owner(t text) RETURNS vector LANGUAGE sql SECURITY DEFINER
  SET search_path = pg_catalog, public AS $$ SELECT (memory_embed('passage: ' || t)::real[])[1:3]::vector $$;
RESET SESSION AUTHORIZATION;
RESET memory_search.store;
GRANT SELECT ON ALL TABLES IN SCHEMA so_store TO so_caller;
GRANT USAGE ON SCHEMA so_store TO so_caller;
SET SESSION AUTHORIZATION so_caller;
SET memory_search.embedding_function = 'so_app.embed_as_owner';
SELECT vector_dims(memory_embed('x')::vector), test.found(memory_search('m', 'tea', store => 'so_store'));
RESET SESSION AUTHORIZATION;
RESET memory_search.embedding_function;

-- A value that was set before the library was loaded, in a session in which the owner's function loads it.
\c - so_caller
SET memory_search.embedding_function = 'so_evil.embed';
SELECT so_app.find('tea');
-- A setting by ALTER ROLE, which every role may run for itself, is the role's own; so are the options of a connection.
ALTER ROLE so_caller SET memory_search.embedding_function = 'so_evil.embed';
\c - so_caller
SELECT so_app.find('tea');
SELECT vector_dims(memory_embed('x')::vector);
ALTER ROLE so_caller RESET memory_search.embedding_function;
\set with_options 'user=so_caller options=''-c memory_search.embedding_function=so_evil.embed'''
\c -reuse-previous=on :with_options
SELECT so_app.find('tea');
\set as_before 'user=' :superuser ' options=''' :options ''''
\c -reuse-previous=on :as_before

-- A setting of the database counts for all who connect, and for the roles that the database's owner may act as.
CREATE FUNCTION so_app.embed_of_database(text) RETURNS vector LANGUAGE sql AS $$ SELECT '[1,2,4]'::public.vector $$;
ALTER DATABASE :"db" SET memory_search.embedding_function = 'so_app.embed_of_database';
\c - so_caller
SELECT vector_dims(memory_embed('x')::vector);
SELECT so_app.find('tea');
\c - :superuser
ALTER DATABASE :"db" OWNER TO so_caller;
ALTER DATABASE :"db" SET memory_search.embedding_function = 'so_evil.embed';
\c - so_caller
SELECT so_app.find('tea');
\c - :superuser
ALTER DATABASE :"db" RESET memory_search.embedding_function;
ALTER DATABASE :"db" OWNER TO :superuser;

-- The caller's other settings do not change the answer of the owner's function.
\c - so_caller
SELECT so_app.find('tea') AS before \gset
SET DateStyle = 'SQL, DMY';
SET IntervalStyle = 'sql_standard';
SET TimeZone = 'Pacific/Apia';
SET extra_float_digits = -15;
SET bytea_output = 'escape';
SET standard_conforming_strings = off;
SET array_nulls = off;
SET transform_null_equals = on;
SET quote_all_identifiers = on;
SET search_path = so_evil, pg_temp;
SELECT so_app.find('tea') = :'before' AS same;
\c - :superuser
DROP FUNCTION attempts;
DROP SCHEMA so_app, so_evil, so_store, so_evil_store CASCADE;
DROP OWNED BY so_owner, so_caller, so_pooler;
DROP ROLE so_owner, so_caller, so_pooler;
