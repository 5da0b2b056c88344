-- A language is named with its schema, unless only one text search configuration can be meant.
SET client_min_messages = error;
CREATE SCHEMA ln_a; CREATE SCHEMA ln_b; CREATE SCHEMA ln_closed;
CREATE TEXT SEARCH CONFIGURATION ln_b.ln_words (COPY = pg_catalog.german);
CREATE ROLE ln_user;
SELECT format('GRANT CREATE ON DATABASE %I TO ln_user', current_database()) \gexec
GRANT USAGE ON SCHEMA ln_a, ln_b TO ln_user;
CREATE FUNCTION pg_temp.language_of(store text) RETURNS text LANGUAGE sql AS $$
  SELECT pg_get_expr(conbin, conrelid) FROM pg_constraint
  WHERE conrelid = (store || '.entries')::regclass AND conname = 'entries_language' $$;
-- A configuration of this session, or of a schema that the caller may not use, cannot be meant.
CREATE TEXT SEARCH CONFIGURATION pg_temp.ln_words (COPY = pg_catalog.simple);
CREATE TEXT SEARCH CONFIGURATION ln_closed.ln_words (COPY = pg_catalog.simple);
SET ROLE ln_user;
SELECT memory_create_store('ln_one', 4, 'ln_words');
RESET ROLE;
SELECT pg_temp.language_of('ln_one');
-- Another one in an earlier schema could be meant: the store is not made, and the hint names both.
CREATE TEXT SEARCH CONFIGURATION ln_a.ln_words (COPY = pg_catalog.simple);
SET ROLE ln_user;
SELECT test.error($$SELECT memory_create_store('ln_two', 4, 'ln_words')$$);
SELECT memory_create_store('ln_two', 4, 'ln_b.ln_words');
RESET ROLE;
SELECT pg_temp.language_of('ln_two');
-- memory_grant opens no schema but the store's: a warning has the privilege that a role lacks for the words.
CREATE ROLE ln_reader;
SET client_min_messages = warning;
SELECT memory_grant('ln_two', 'ln_reader');
SELECT memory_grant('ln_two', 'public', 'writer');
SET ROLE ln_reader;
SELECT test.error($$SELECT memory_search('m', 'kite', store => 'ln_two')$$);
RESET ROLE;
GRANT USAGE ON SCHEMA ln_b TO ln_reader;
SELECT memory_grant('ln_two', 'ln_reader');
SET client_min_messages = error;
SET ROLE ln_reader;
SELECT memory_search('m', 'kite', store => 'ln_two')->'count' AS found;
RESET ROLE;
-- The server's configurations come first, then those of the extension.
CREATE TEXT SEARCH CONFIGURATION ln_a.english (COPY = pg_catalog.simple);
CREATE TEXT SEARCH CONFIGURATION ln_a.memory_german (COPY = pg_catalog.simple);
SELECT memory_create_store('ln_english', 4, 'english'), memory_create_store('ln_german', 4, 'memory_german');
SELECT pg_temp.language_of('ln_english'), pg_temp.language_of('ln_german');
SELECT memory_drop_store(store, true) FROM unnest('{ln_one,ln_two,ln_english,ln_german}'::text[]) store;
DROP TEXT SEARCH CONFIGURATION pg_temp.ln_words;
DROP SCHEMA ln_a, ln_b, ln_closed CASCADE;
DROP OWNED BY ln_user;
DROP ROLE ln_user, ln_reader;
