-- A configured model that is not installed is reported once in each session, by the first call that needs it, but never
-- by a search, and not if the setting is empty.
SET client_min_messages = notice;
\set VERBOSITY terse
SET memory_search.model = 'no-such-model';
-- If dimensions are given, no model is looked up. A search gives no warning, and neither does a call with an embedding.
SELECT memory_create_store('mi', 4);
SELECT memory_search('m', 'tea', store => 'mi')->'count' AS found;
SELECT memory_add('m', 'given', embedding => '[1,0,0,0]', entry_id => test.id(1), store => 'mi');
-- The first call that needs the model warns; the entry is stored without an embedding.
SELECT memory_add('m', 'tea', context => 'about tea', entry_id => test.id(2), store => 'mi');
SELECT test.n(entry_id) AS n, embedding IS NULL AS without, embedding_model FROM mi.entries ORDER BY entry_id;
SELECT test.found(memory_search('m', 'tea', options => '{"fallback": false}', store => 'mi')) AS found_by_words;
-- The warning comes once: not for another call, transaction or name of a model.
SELECT memory_put_context('m', 'again', store => 'mi') IS NOT NULL AS put;
SELECT memory_update('m', test.id(2), raw_entry => 'more tea', store => 'mi') AS updated;
SET memory_search.model = 'neither-this-one';
SELECT memory_add('m', 'coffee', entry_id => test.id(3), store => 'mi');
SELECT memory_create_store('mi_2');
-- In another session a store without dimensions gives the warning; its column accepts embeddings of every length.
\c
SET client_min_messages = notice;
SET memory_search.model = 'no-such-model';
SELECT memory_create_store('mi_3');
SELECT memory_add('m', 'said already', store => 'mi_3') IS NOT NULL AS added;
SELECT format_type(atttypid, atttypmod) AS embedding FROM pg_attribute
WHERE attrelid = 'mi_3.entries'::regclass AND attname = 'embedding';
-- A context gives the warning, and an update that changes a text; not an update that changes none.
\c
SET client_min_messages = notice;
SET memory_search.model = 'no-such-model';
SELECT memory_update('m', test.id(2), importance => 70, store => 'mi') AS no_text;
SELECT memory_update('m', test.id(2), summary => 'on tea', store => 'mi') AS a_text;
\c
SET client_min_messages = notice;
SET memory_search.model = 'no-such-model';
SELECT memory_put_context('m', 'once more', store => 'mi') IS NOT NULL AS put;
-- No model is missing if the setting is empty, or if a function embeds.
\c
SET client_min_messages = notice;
SET memory_search.model = '';
SELECT memory_create_store('mi_4');
SELECT memory_add('m', 'without', store => 'mi_4') IS NOT NULL AS added,
  memory_put_context('m', 'without', store => 'mi_4') IS NOT NULL AS put;
CREATE FUNCTION mi.four(text) RETURNS real[] LANGUAGE sql IMMUTABLE RETURN ARRAY[1, 0, 0, 0]::real[];
SET memory_search.model = 'no-such-model';
SET memory_search.embedding_function = 'mi.four';
SELECT memory_create_store('mi_5');
SELECT memory_add('m', 'embedded', store => 'mi_5') IS NOT NULL AS added;
-- A role that may not read the server's folders is not told where they are.
RESET memory_search.embedding_function;
CREATE ROLE mi_writer;
SELECT memory_grant('mi', 'mi_writer', 'writer');
\set VERBOSITY default
SET ROLE mi_writer;
SELECT memory_add('m', 'by a writer', store => 'mi') IS NOT NULL AS added;
RESET ROLE;
RESET client_min_messages;
DROP SCHEMA mi, mi_2, mi_3, mi_4, mi_5 CASCADE;
DROP OWNED BY mi_writer;
DROP ROLE mi_writer;
