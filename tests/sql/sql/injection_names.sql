-- Hostile texts as names of stores, tables, columns, roles and text search configurations.
-- canary is the table that an attack would drop.
CREATE TABLE canary (sings boolean);
INSERT INTO canary VALUES (true);
CREATE SCHEMA inj;
CREATE TABLE inj.texts AS SELECT * FROM test.hostile_texts();
SET client_min_messages = error;
SELECT memory_create_store('s', 4);

-- Every function works on a store with such a name, and the statements that it proposes name exactly this store.
CREATE TABLE inj.names AS SELECT n, t FROM inj.texts WHERE octet_length(t) BETWEEN 1 AND 63 ORDER BY n;
SELECT count(*) AS names FROM inj.names;
CREATE TABLE inj.uses (n int GENERATED ALWAYS AS IDENTITY, call text);
INSERT INTO inj.uses (call) VALUES
  ($$memory_create_store([], 4)$$),
  ($$memory_add('m', 'a kite', context => 'kites', embedding => '[1,0,0,0]', entry_id => test.id(1), user_id => 'u',
         store => [])$$),
  ($$memory_add('m', 'two kites', entry_id => test.id(2), store => [])$$),
  ($$memory_put_context('m', 'later', store => [])$$),
  ($$memory_search('m', 'kite', embedding => '[1,0,0,0]', filters => '{"accessCount": 0, "metadata": {}}',
         store => [])$$),
  ($$memory_search(jsonb_build_object('memoryId', 'm', 'query', 'kite', 'store', []))$$),
  ($$memory_search(ARRAY['m', 'n'], 'kite', store => [], prefixes => '{m,k/}')$$),
  ($$memory_search_entries('m', 'kite', store => [])$$),
  ($$memory_explain('m', 'kite', entry_id => test.id(1)::text, store => [])$$),
  ($$memory_build_context('m', 'kite', store => [])$$),
  ($$memory_get('m', ARRAY[test.id(1)], '{"includeSuperseded": true}', [])$$),
  ($$memory_list('m', '{"accessCount": 0}', page_size => 1, store => [])$$),
  ($$memory_list('m', cursor => (SELECT cursor FROM memory_list('m', page_size => 1, store => [])), store => [])$$),
  ($$memory_count('m', store => [])$$),
  ($$memory_entities('m', store => [])$$),
  ($$memory_about('m', 'kite', store => [])$$),
  ($$memory_facets('m', store => [])$$),
  ($$memory_facets('m', 'kite', '{tags,entities}', store => [])$$),
  ($$memory_list_memories(store => [])$$),
  ($$memory_stats([])$$),
  ($$memory_touch('m', ARRAY[test.id(1)], [])$$),
  ($$memory_feedback('m', ARRAY[test.id(1)], 1, [])$$),
  ($$memory_learn('[{"request": {"memoryId": "m", "query": "kite"}, "helpful": ["a"]}]', [])$$),
  ($$memory_recall('m', 'kite', store => [])$$),
  ($$memory_update('m', test.id(1), 'a red kite', store => [])$$),
  ($$memory_supersede('m', test.id(1), test.id(2), [])$$),
  ($$memory_add_many('m', '[{"rawEntry": "three kites", "context": "many"}]', [])$$),
  ($$memory_delete_where('m', '{"rawEntry": {"$like": "three%"}}', store => [])$$),
  ($$memory_delete_where('m', '{"rawEntry": {"$like": "three%"}}', false, [])$$),
  ($$memory_link('m', test.id(1), test.id(2), store => [])$$),
  ($$memory_links('m', test.id(1), store => [])$$),
  ($$memory_related('m', test.id(1), store => [])$$),
  ($$memory_alias('m', 'mum', 'Anna', [])$$),
  ($$memory_aliases('m', [])$$),
  ($$memory_export('m', store => [])$$),
  ($$memory_import('copy', (SELECT jsonb_agg(line) FROM memory_export('m', store => []) line), [])$$),
  ($$memory_delete('m', ARRAY[test.id(1)], store => [])$$),
  ($$memory_delete_contexts('m', ARRAY[test.id(1)], store => [])$$),
  ($$memory_restore_contexts('m', ARRAY[test.id(1)], store => [])$$),
  ($$memory_restore('m', ARRAY[test.id(1)], store => [])$$),
  ($$memory_unlink('m', test.id(1), test.id(2), store => [])$$),
  ($$memory_unalias('m', 'mum', [])$$),
  ($$memory_doctor([])$$),
  ($$memory_grant([], 'public', 'writer')$$),
  ($$memory_keep_history([])$$),
  ($$memory_notify([], channel => left([], 15))$$),
  ($$memory_update('m', test.id(1), 'a blue kite', store => [])$$),
  ($$memory_history('m', test.id(1), store => [])$$),
  ($$memory_import_table([], format('%I.contexts', [])::regclass, '{"memory_id": "memory_id", "entry_id": "context_id",
    "raw_entry": "context"}')$$),
  ($$memory_enable_row_security([])$$),
  ($$memory_enable_row_security([], 'app.user_id')$$),
  ($$memory_forget_user('u', [])$$),
  ($$memory_purge(store => [])$$),
  ($$memory_drop_store([], true)$$);
CREATE FUNCTION inj.use(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE use record;
BEGIN
  FOR use IN SELECT * FROM inj.uses ORDER BY n LOOP
    EXECUTE 'SELECT * FROM ' || replace(use.call, '[]', quote_literal(name));
  END LOOP;
  RETURN 'ok';
EXCEPTION WHEN OTHERS THEN RETURN concat_ws(' ', split_part(use.call, '(', 1), SQLSTATE, SQLERRM);
END $$;
SELECT p.proname AS not_used
FROM pg_proc p
JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension x ON d.refclassid = 'pg_extension'::regclass AND x.oid = d.refobjid AND x.extname = 'memory_search'
WHERE 'store' = ANY (p.proargnames)
  -- Citus is not installed here; tests/cluster/test_distribute_store.py tests names with it.
  AND p.proname NOT IN ('memory_reembed', 'memory_embed_pending', 'memory_adopt_table', 'memory_distribute_store')
  AND NOT EXISTS (SELECT FROM inj.uses WHERE call LIKE p.proname || '(%')
ORDER BY 1;
SELECT n, left(t, 60) AS name, outcome
FROM inj.names, LATERAL (SELECT inj.use(t) AS outcome OFFSET 0) u WHERE outcome <> 'ok' ORDER BY n;
-- An adopted table of such a name, with such columns.
CREATE FUNCTION inj.adopt(name text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE SCHEMA %1$I;
      CREATE TABLE %1$I.%1$I (%1$I bigint, %2$I text, embedding public.vector(4));
      INSERT INTO %1$I.%1$I VALUES (1, ''a kite'', ''[1,0,0,0]'')', name, reverse(name) || 'x');
  PERFORM memory_adopt_table('adopted ' || left(name, 40), format('%1$I.%1$I', name)::regclass,
      jsonb_build_object('memory_id', name, 'entry_id', name, 'raw_entry', reverse(name) || 'x',
          'embedding', 'embedding'));
  PERFORM memory_grant('adopted ' || left(name, 40), 'public');
  PERFORM memory_doctor('adopted ' || left(name, 40));
  PERFORM memory_touch('1', ARRAY['1'], 'adopted ' || left(name, 40));
  RETURN memory_search('1', 'kites', embedding => '[1,0,0,0]',
      store => 'adopted ' || left(name, 40))->'entries'->0->>'rawEntry';
EXCEPTION
  WHEN OTHERS THEN
    RETURN concat_ws(' ', SQLSTATE, SQLERRM);
END $$;
SELECT n, left(t, 60) AS name, answer
FROM inj.names, LATERAL (SELECT inj.adopt(t) AS answer OFFSET 0) a
WHERE octet_length(t) < 60 AND btrim(t, E' \n') <> '' AND answer IS DISTINCT FROM 'a kite'
ORDER BY n;
SELECT count(*) AS canaries FROM canary;

-- The hint for a missing store is an SQL statement that makes exactly this store.
CREATE FUNCTION inj.hint(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE hint text;
BEGIN
  BEGIN
    PERFORM memory_search('m', 'q', store => name);
  EXCEPTION WHEN undefined_object THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
  END;
  EXECUTE (regexp_match(hint, '(SELECT .*[)])[.]?$'))[1];
  RETURN (SELECT 'made' FROM pg_namespace WHERE nspname = name);
EXCEPTION WHEN OTHERS THEN RETURN concat_ws(' ', SQLSTATE, SQLERRM);
END $$;
DO $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT t FROM inj.names LOOP
    EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', name);
    EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', 'adopted ' || left(name, 40));
  END LOOP;
END $$;
SELECT n, left(t, 60) AS name, answer
FROM inj.names, LATERAL (SELECT inj.hint(t) AS answer OFFSET 0) a
WHERE answer IS DISTINCT FROM 'made'
ORDER BY n;
-- The statements that memory_doctor proposes name exactly this store, too. (CONCURRENTLY cannot be in a transaction.)
CREATE FUNCTION inj.spoil(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('DROP INDEX %1$I.entries_memory, %1$I.entries_recent, %1$I.contexts_recent', name);
  PERFORM memory_add('m', 'tea', store => name);
  EXECUTE format('UPDATE %I.entries SET embedding = NULL', name);
  PERFORM memory_enable_row_security(name);
END $$;
CREATE FUNCTION inj.follow(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE advice record; followed int := 0;
BEGIN
  FOR advice IN SELECT * FROM memory_doctor(name) WHERE status <> 'ok' LOOP
    EXECUTE replace(advice.fix, 'CONCURRENTLY ', '');
    followed := followed + 1;
  END LOOP;
  RETURN followed;
EXCEPTION WHEN OTHERS THEN RETURN concat_ws(' ', SQLSTATE, SQLERRM);
END $$;
SELECT count(inj.spoil(t)) AS spoilt FROM inj.names;
SELECT answer AS advice_followed, count(*)
FROM inj.names, LATERAL (SELECT inj.follow(t) AS answer OFFSET 0) a GROUP BY answer ORDER BY answer;
SELECT n, left(t, 60) AS name, d.name, d.fix FROM inj.names, memory_doctor(t) d WHERE status <> 'ok' ORDER BY n, d.name;
DO $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT t FROM inj.names LOOP
    EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', name);
  END LOOP;
END $$;

-- Roles of such names.
CREATE FUNCTION inj.grant(name text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE ROLE %I', name);
  PERFORM memory_grant('s', name, 'writer');
  RETURN has_table_privilege(name, 's.entries', 'SELECT, INSERT') AND has_schema_privilege(name, 's', 'USAGE');
EXCEPTION WHEN OTHERS THEN RETURN concat_ws(' ', SQLSTATE, SQLERRM);
END $$;
SELECT answer, count(*)
FROM inj.names, LATERAL (SELECT inj.grant(t) AS answer OFFSET 0) a GROUP BY answer ORDER BY answer;
SELECT grantee, count(*)
FROM information_schema.role_table_grants
WHERE table_schema = 's' AND grantee IN ('PUBLIC', 'public')
GROUP BY grantee;
DO $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT t FROM inj.names LOOP
    EXECUTE format('DROP OWNED BY %1$I; DROP ROLE %1$I', name);
  END LOOP;
END $$;

-- Text search configurations of such names, in schemas of such names: entries and queries are stemmed by them.
CREATE FUNCTION inj.speak(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE found text;
BEGIN
  EXECUTE format('CREATE SCHEMA %1$I; CREATE TEXT SEARCH CONFIGURATION %1$I.%1$I (COPY = pg_catalog.english)', name);
  PERFORM memory_create_store('spoken', 4, format('%1$I.%1$I', name));
  PERFORM memory_add('m', 'running', store => 'spoken');
  found := memory_search('m', 'runs', options => '{"fallback": false}', store => 'spoken')->>'count';
  PERFORM memory_drop_store('spoken', true);
  EXECUTE format('DROP SCHEMA %I CASCADE', name);
  RETURN found;
EXCEPTION WHEN OTHERS THEN RETURN concat_ws(' ', SQLSTATE, SQLERRM);
END $$;
SELECT n, left(t, 60) AS name, answer
FROM inj.names, LATERAL (SELECT inj.speak(t) AS answer OFFSET 0) a
WHERE answer IS DISTINCT FROM '1'
ORDER BY n;

-- A session with standard_conforming_strings = off is attacked as well. A name without quotes and backslashes is the
-- same in both.
DELETE FROM inj.names WHERE strpos(t, chr(39)) + strpos(t, chr(92)) = 0;
SELECT count(*) AS names FROM inj.names;
SET standard_conforming_strings = off;
SET escape_string_warning = off;
SELECT n, left(t, 60) AS name, outcome
FROM inj.names, LATERAL (SELECT inj.use(t) AS outcome OFFSET 0) u WHERE outcome <> 'ok' ORDER BY n;
RESET standard_conforming_strings;
RESET escape_string_warning;

SELECT count(*) AS canaries FROM canary;
DROP TABLE canary;
DROP SCHEMA inj, s CASCADE;
