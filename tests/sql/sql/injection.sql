-- No text that a caller gives becomes SQL, in any argument of any function: it stays a name or a value.
\pset format unaligned
-- What an attack would drop.
CREATE TABLE canary (sings boolean);
INSERT INTO canary VALUES (true);
CREATE SCHEMA inj;
CREATE TABLE inj.texts (n int GENERATED ALWAYS AS IDENTITY, t text);
INSERT INTO inj.texts (t) VALUES
  (''''), ('"'), ('\'), ('\'''), ('$1'), (';'), ('--'), ('/*'), ('%s %I %1$s'), ('a.b'), ('SELECT'),
  (' '), (E'tab\tand\r\nline'), ('''; DROP TABLE canary; --'), ('"; DROP TABLE canary; --'),
  ('''); DROP TABLE canary; --'), ('$$; DROP TABLE canary; $$'), ('\''; DROP TABLE canary; --'),
  ('''::text); DROP TABLE canary; --'), (''' || (SELECT (1/0)::text) || '''), ('" || (1/0) || "'),
  ('''::pg_catalog.regconfig, ''a''); DROP TABLE canary; --'), ('{schema}'), ('{embedding_type}'),
  ('{search_vector}'), ('{language}'), ('{user}'), ('{memory_id_type}'), ('{entries_foreign_key}'),
  ('{}'), ('\u0027; DROP TABLE canary; --'), ('\u0000'), (U&'\02BC; DROP TABLE canary; --'),
  (U&'\FF07; DROP TABLE canary; --'), (U&'\202E\200B\FEFF'), ('Gedächtnis 記憶 🧠'),
  (repeat('x', 62) || ''''), (repeat('記', 21)), (repeat('x', 64)), (repeat('記', 22)),
  (repeat('''', 500)), ('');
-- 'ok' or the SQLSTATE. What it did is undone.
CREATE FUNCTION inj.outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE statement;
  RAISE EXCEPTION USING ERRCODE = 'UNDO0';
EXCEPTION
  WHEN SQLSTATE 'UNDO0' THEN RETURN 'ok';
  WHEN OTHERS THEN RETURN SQLSTATE;
END $$;
SET client_min_messages = error;
SELECT memory_create_store('s', 4), memory_create_store('s wide', 256);
SELECT memory_add('m', 'a kite', embedding => '[1,0,0,0]', entry_id => test.id(n), store => 's') IS NOT NULL
FROM generate_series(1, 2) n;
CREATE TABLE inj.notes (id bigint, body text);
INSERT INTO inj.notes VALUES (1, 'a kite');

-- Every argument that can hold a text, of every function, with each of these texts: [] is the text as a
-- literal, {} as a JSON string. A line says which errors came, and "ok" when some texts are right there.
CREATE TABLE inj.spots (n int GENERATED ALWAYS AS IDENTITY, function text, argument text, call text);
INSERT INTO inj.spots (function, argument, call) VALUES
  ('memory_create_store', 'store', $$memory_create_store([], 4)$$),
  ('memory_create_store', 'language', $$memory_create_store('new', 4, [])$$),
  ('memory_drop_store', 'store', $$memory_drop_store([], true)$$),
  ('memory_adopt_table', 'store',
   $$memory_adopt_table([], 'inj.notes', '{"memory_id": "id", "entry_id": "id", "raw_entry": "body"}')$$),
  ('memory_adopt_table', 'entries',
   $$memory_adopt_table('new', [], '{"memory_id": "id", "entry_id": "id", "raw_entry": "body"}')$$),
  ('memory_adopt_table', 'columns', $$memory_adopt_table('new', 'inj.notes', [])$$),
  ('memory_adopt_table', 'columns, a key',
   $$memory_adopt_table('new', 'inj.notes',
         jsonb_build_object([], 'body', 'memory_id', 'id', 'entry_id', 'id', 'raw_entry', 'body'))$$),
  ('memory_adopt_table', 'columns, a column',
   $$memory_adopt_table('new', 'inj.notes',
         jsonb_build_object('memory_id', [], 'entry_id', 'id', 'raw_entry', 'body'))$$),
  ('memory_adopt_table', 'language',
   $$memory_adopt_table('new', 'inj.notes', '{"memory_id": "id", "entry_id": "id", "raw_entry": "body"}', [])$$),
  ('memory_add', 'memory_id', $$memory_add([], 'x', store => 's')$$),
  ('memory_add', 'raw_entry', $$memory_add('m', [], store => 's')$$),
  ('memory_add', 'summary', $$memory_add('m', 'x', summary => [], store => 's')$$),
  ('memory_add', 'context', $$memory_add('m', 'x', context => [], store => 's')$$),
  ('memory_add', 'tags', $$memory_add('m', 'x', tags => ARRAY[[], 'a'], store => 's')$$),
  ('memory_add', 'tags, whole', $$memory_add('m', 'x', tags => [], store => 's')$$),
  ('memory_add', 'metadata', $$memory_add('m', 'x', metadata => [], store => 's')$$),
  ('memory_add', 'metadata, inside', $$memory_add('m', 'x', metadata => jsonb_build_object([], []), store => 's')$$),
  ('memory_add', 'embedding', $$memory_add('m', 'x', embedding => [], store => 's')$$),
  ('memory_add', 'user_id', $$memory_add('m', 'x', user_id => [], store => 's')$$),
  ('memory_add', 'agent_id', $$memory_add('m', 'x', agent_id => [], store => 's')$$),
  ('memory_add', 'source_type', $$memory_add('m', 'x', source_type => [], store => 's')$$),
  ('memory_add', 'store', $$memory_add('m', 'x', store => [])$$),
  ('memory_put_context', 'memory_id', $$memory_put_context([], 'x', store => 's')$$),
  ('memory_put_context', 'context', $$memory_put_context('m', [], store => 's')$$),
  ('memory_put_context', 'embedding', $$memory_put_context('m', 'x', [], store => 's')$$),
  ('memory_put_context', 'user_id', $$memory_put_context('m', 'x', user_id => [], store => 's')$$),
  ('memory_put_context', 'store', $$memory_put_context('m', 'x', store => [])$$),
  ('memory_delete', 'memory_id', $$memory_delete([], ARRAY[test.id(1)], store => 's')$$),
  ('memory_delete', 'store', $$memory_delete('m', ARRAY[test.id(1)], store => [])$$),
  ('memory_restore', 'memory_id', $$memory_restore([], ARRAY[test.id(1)], store => 's')$$),
  ('memory_restore', 'store', $$memory_restore('m', ARRAY[test.id(1)], store => [])$$),
  ('memory_delete_contexts', 'memory_id', $$memory_delete_contexts([], ARRAY[test.id(1)], store => 's')$$),
  ('memory_delete_contexts', 'store', $$memory_delete_contexts('m', ARRAY[test.id(1)], store => [])$$),
  ('memory_restore_contexts', 'memory_id', $$memory_restore_contexts([], ARRAY[test.id(1)], store => 's')$$),
  ('memory_restore_contexts', 'store', $$memory_restore_contexts('m', ARRAY[test.id(1)], store => [])$$),
  ('memory_purge', 'store', $$memory_purge(store => [])$$),
  ('memory_touch', 'memory_id', $$memory_touch([], ARRAY[test.id(1)], store => 's')$$),
  ('memory_touch', 'entry_ids', $$memory_touch('m', ARRAY[[], 'a'], store => 's')$$),
  ('memory_touch', 'store', $$memory_touch('m', ARRAY[test.id(1)], store => [])$$),
  ('memory_update', 'memory_id', $$memory_update([], test.id(1), importance => 1, store => 's')$$),
  ('memory_update', 'raw_entry', $$memory_update('m', test.id(1), [], store => 's')$$),
  ('memory_update', 'summary', $$memory_update('m', test.id(1), summary => [], store => 's')$$),
  ('memory_update', 'tags', $$memory_update('m', test.id(1), tags => ARRAY[[]], store => 's')$$),
  ('memory_update', 'metadata',
   $$memory_update('m', test.id(1), metadata => jsonb_build_object([], []), store => 's')$$),
  ('memory_update', 'embedding', $$memory_update('m', test.id(1), embedding => [], store => 's')$$),
  ('memory_update', 'source_type', $$memory_update('m', test.id(1), source_type => [], store => 's')$$),
  ('memory_update', 'store', $$memory_update('m', test.id(1), importance => 1, store => [])$$),
  ('memory_supersede', 'memory_id', $$memory_supersede([], test.id(1), NULL, store => 's')$$),
  ('memory_supersede', 'store', $$memory_supersede('m', test.id(1), test.id(2), store => [])$$),
  ('memory_forget_user', 'user_id', $$memory_forget_user([], 's')$$),
  ('memory_forget_user', 'store', $$memory_forget_user('u', [])$$),
  ('memory_reembed', 'memory_id', $$memory_reembed([], store => 's wide')$$),
  ('memory_reembed', 'store', $$memory_reembed('m', store => [])$$),
  ('memory_grant', 'store', $$memory_grant([], 'public')$$),
  ('memory_grant', 'role', $$memory_grant('s', [])$$),
  ('memory_grant', 'privileges', $$memory_grant('s', 'public', [])$$),
  ('memory_enable_row_security', 'store', $$memory_enable_row_security([])$$),
  ('memory_enable_row_security', 'setting', $$memory_enable_row_security('s', [])$$),
  ('memory_enable_row_security', 'setting, behind the dot', $$memory_enable_row_security('s', 'app.' || [])$$),
  ('memory_doctor', 'store', $$memory_doctor([])$$),
  ('memory_embed', 'text', $$memory_embed([])$$),
  ('memory_tool_spec', 'name', $$memory_tool_spec([])$$),
  ('memory_embedding_in', '', $$memory_embedding_in([]::cstring)$$),
  ('memory_embedding_out', '', $$memory_embedding_out([]::memory_embedding)$$),
  ('memory_search(jsonb)', 'request', $$memory_search([]::jsonb)$$),
  ('memory_search(jsonb)', 'request, a key',
   $$memory_search(jsonb_build_object('memoryId', 'm', 'query', 'q', 'store', 's', [], 'x'))$$),
  ('memory_search(jsonb)', 'request, each value',
   $$memory_search(jsonb_build_object('memoryId', [], 'query', [], 'store', []))$$),
  ('memory_search(jsonb)', 'request, filters',
   $$memory_search(jsonb_build_object('memoryId', [], 'query', [], 'store', 's', 'filters',
         jsonb_build_object('userId', [], 'agentId', [], 'sourceType', [], 'tags', jsonb_build_array([]), 'metadata',
             jsonb_build_object([], []))))$$),
  ('memory_explain', 'entry_id', $$memory_explain('m', 'kite', entry_id => [], store => 's')$$),
  ('memory_build_context', 'system_prompt', $$memory_build_context('m', 'kite', system_prompt => [], store => 's')$$);
-- What all functions that search have in common.
INSERT INTO inj.spots (function, argument, call)
SELECT f, argument, format('%s(%s)', split_part(f, '(', 1), arguments)
FROM (VALUES
  ('memory_search(text)'), ('memory_search_entries'), ('memory_explain'), ('memory_build_context'),
  ('memory_recall')
) a(f),
  (VALUES
    ('memory_id', $$[], 'kite', store => 's'$$),
    ('query', $$'m', [], store => 's'$$),
    ('query, as a phrase', $$'m', '"' || [] || '" -' || [], store => 's'$$),
    ('embedding', $$'m', 'kite', embedding => [], store => 's'$$),
    ('store', $$'m', 'kite', store => []$$),
    ('filters', $$'m', 'kite', filters => [], store => 's'$$),
    ('filters, a key', $$'m', 'kite', filters => jsonb_build_object([], 'x'), store => 's'$$),
    ('filters, userId and others',
     $$'m', 'kite', filters => jsonb_build_object('userId', [], 'agentId', [], 'sourceType', [], 'tags', []),
         store => 's'$$),
    ('filters, metadata',
     $$'m', 'kite', filters => jsonb_build_object('metadata', jsonb_build_object([], [])), store => 's'$$),
    ('filters, importance',
     $$'m', 'kite', filters => jsonb_build_object('importance', jsonb_build_object([], 1)), store => 's'$$),
    ('filters, a time', $$'m', 'kite', filters => jsonb_build_object('createdAfter', []), store => 's'$$),
    ('filters, tagMatch', $$'m', 'kite', filters => jsonb_build_object('tags', [], 'tagMatch', []), store => 's'$$),
    ('options', $$'m', 'kite', options => [], store => 's'$$),
    ('options, a key', $$'m', 'kite', options => jsonb_build_object([], 'x'), store => 's'$$),
    ('options, strategy', $$'m', 'kite', options => jsonb_build_object('strategy', []), store => 's'$$),
    ('options, preset', $$'m', 'kite', options => jsonb_build_object('preset', []), store => 's'$$),
    ('options, fusion', $$'m', 'kite', options => jsonb_build_object('fusion', []), store => 's'$$),
    ('options, match', $$'m', 'kite', options => jsonb_build_object('match', []), store => 's'$$),
    ('options, asOf', $$'m', 'kite', options => jsonb_build_object('asOf', []), store => 's'$$),
    ('options, boosts',
     $$'m', 'kite', options => jsonb_build_object('boosts', jsonb_build_object([], 1)), store => 's'$$),
    ('options, curve',
     $$'m', 'kite', options => jsonb_build_object('recency', jsonb_build_object('curve', [])), store => 's'$$)
  ) b(argument, arguments)
-- They read filters and options by the same code.
WHERE f = 'memory_search(text)' OR argument !~ ',';
-- None is forgotten: each argument of a type that holds text has its line.
SELECT p.oid::regprocedure AS function, argument.name
FROM pg_proc p
JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension x ON d.refclassid = 'pg_extension'::regclass AND x.oid = d.refobjid AND x.extname = 'memory_search',
  LATERAL (SELECT coalesce(p.proargnames[place], ''), type::regtype
           FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY a(type, place)) argument(name, type)
WHERE argument.type NOT IN ('integer'::regtype, 'bigint', 'boolean', 'uuid', 'uuid[]', 'timestamptz')
  AND NOT EXISTS (SELECT FROM inj.spots s
                  WHERE split_part(s.function, '(', 1) = p.proname AND s.argument = argument.name
                    AND (p.proname <> 'memory_search' OR (s.function = 'memory_search(jsonb)') = (p.pronargs = 1)))
ORDER BY 1, 2;

SELECT function, argument, string_agg(DISTINCT outcome, ' ' ORDER BY outcome) AS outcomes
FROM (SELECT s.*, inj.outcome('SELECT * FROM ' || replace(call, '[]', quote_literal(t))) AS outcome
      FROM inj.spots s, inj.texts) tried
GROUP BY n, function, argument ORDER BY n;
SELECT count(*) AS canaries FROM canary;
SELECT array_agg(nspname ORDER BY nspname) AS stores
FROM pg_namespace WHERE nspname IN ('s', 'new') OR nspname IN (SELECT t FROM inj.texts);

-- What is stored comes back as it was, from each argument, and is found by filters that name it.
SELECT memory_create_store('inj values', 4);
SELECT count(memory_add(t, t, t, t, ARRAY[t, t || t], jsonb_build_object(t, t), 50, '[1,0,0,0]', t, t, t, '2025-01-01Z',
    test.id(n), 'inj values')) AS added
FROM inj.texts WHERE t <> '';
SELECT count(*) AS the_same
FROM inj.texts
JOIN "inj values".entries ON entry_id = test.id(n)
WHERE (memory_id, raw_entry, summary, context, tags, metadata, user_id, agent_id, source_type)
  = (t, t, t, t, ARRAY[t, t || t], jsonb_build_object(t, t), t, t, t);
SELECT count(*) AS found,
  count(*) FILTER (WHERE answer->'entries'->0 @> jsonb_build_object('memoryId', t, 'rawEntry', t, 'summary', t, 'tags',
        jsonb_build_array(t, t || t), 'metadata', jsonb_build_object(t, t), 'userId', t, 'agentId', t, 'sourceType',
        t)) AS the_same,
  count(*) FILTER (WHERE answer->>'latestContext' = t
      OR (btrim(t, E' \n') = '' AND answer->>'latestContext' = '')) AS contexts
FROM inj.texts,
  memory_search(t, '',
      filters => jsonb_build_object('userId', t, 'agentId', t, 'sourceType', t, 'tags', jsonb_build_array(t),
          -- (A key that begins with $ is refused there, as what looks like an operator.)
          'metadata',
          CASE WHEN t LIKE '$%' THEN '{}' ELSE jsonb_build_object(t, t) END),
      store => 'inj values') answer
WHERE t <> '';
SELECT sum(memory_touch(t, ARRAY[test.id(n)], 'inj values')) AS touched,
  sum(memory_update(t, test.id(n), t || t, store => 'inj values')) AS updated,
  sum(memory_delete(t, ARRAY[test.id(n)], store => 'inj values')) AS deleted,
  sum(memory_restore(t, ARRAY[test.id(n)], store => 'inj values')) AS restored
FROM inj.texts WHERE t <> '';
SELECT count(*) AS users, sum(forgotten) >= 2 * count(*) AS each_whole
FROM (SELECT memory_forget_user(t, 'inj values') AS forgotten FROM inj.texts WHERE t <> '' ORDER BY n) f;
SELECT count(*) AS left_over FROM "inj values".entries;

-- As the name of a store, every function works on it, and the advice that it gives is SQL for just that store.
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
  ($$memory_search_entries('m', 'kite', store => [])$$),
  ($$memory_explain('m', 'kite', entry_id => test.id(1)::text, store => [])$$),
  ($$memory_build_context('m', 'kite', store => [])$$),
  ($$memory_touch('m', ARRAY[test.id(1)], [])$$),
  ($$memory_recall('m', 'kite', store => [])$$),
  ($$memory_update('m', test.id(1), 'a red kite', store => [])$$),
  ($$memory_supersede('m', test.id(1), test.id(2), [])$$),
  ($$memory_delete('m', ARRAY[test.id(1)], store => [])$$),
  ($$memory_delete_contexts('m', ARRAY[test.id(1)], store => [])$$),
  ($$memory_restore_contexts('m', ARRAY[test.id(1)], store => [])$$),
  ($$memory_restore('m', ARRAY[test.id(1)], store => [])$$),
  ($$memory_doctor([])$$),
  ($$memory_grant([], 'public', 'writer')$$),
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
WHERE 'store' = ANY (p.proargnames) AND p.proname NOT IN ('memory_reembed', 'memory_adopt_table')
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
      jsonb_build_object('memory_id', name, 'entry_id', name, 'raw_entry', reverse(name) || 'x', 'embedding',
          'embedding'));
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

-- The hint for a store that is not there is SQL that makes just this one.
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
-- So is what memory_doctor advises. (CONCURRENTLY cannot be in a transaction.)
CREATE FUNCTION inj.spoil(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('DROP INDEX %1$I.entries_words, %1$I.entries_recent, %1$I.contexts_recent', name);
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

-- The columns of an adopted table may be expressions: one each, and nothing else.
CREATE TABLE inj.expressions (n int GENERATED ALWAYS AS IDENTITY, e text);
INSERT INTO inj.expressions (e) VALUES
  ('lower(body)'), ('body || ''); DROP TABLE canary; --'''), ('body -- comment'),
  ('body /* comment */'), ('body) FROM inj.notes; DROP TABLE canary; --'), ('body), (SELECT 1'),
  ('body, id'), ('body AS x'), ('body FROM inj.notes'), ('body) UNION SELECT ('''),
  ('body; DROP TABLE canary'), ('(body'), ('body)'), (')('), ('body /*'), ('body */'), ('''body'),
  ('"body'), ('$$body'), ('$1'), ('E''\'''), ('*'), ('inj.notes.*'), ('DISTINCT body'),
  ('(SELECT 1/0)::text'), ('(VALUES (''x''))'), ('pg_catalog.set_config(''x.y'', ''z'', false)'),
  ('nextval(''x'')'), ('count(*)::text'), ('generate_series(1, 2)::text'), ('row_number() OVER ()'),
  ('body INTO x'), ('body WHERE true'), ('body LIMIT 1'), ('body COLLATE "C"'),
  (E'body\\; DROP TABLE canary'), ('body'||chr(13)||'; DROP TABLE canary'), ('--'), ('/**/');
SELECT n, replace(e, chr(13), '\r') AS e,
  test.error(format('SELECT memory_adopt_table(''new'', ''inj.notes'', %L)',
      jsonb_build_object('memory_id', 'id', 'entry_id', 'id', 'raw_entry', e))) AS answer
FROM inj.expressions ORDER BY n;

-- The setting that names a function, a store, a model.
SELECT inj.outcome(format('SET LOCAL memory_search.embedding_function = %L; SELECT memory_embed(''tea'')',
      t)) AS embedder,
  count(*)
FROM inj.texts WHERE btrim(t, E' \n\t\r') <> '' GROUP BY 1 ORDER BY 1;
SELECT inj.outcome(format('SET LOCAL memory_search.store = %L; SELECT memory_search(''m'', ''tea'')', t)) AS store,
  count(*)
FROM inj.texts GROUP BY 1 ORDER BY 1;
SELECT inj.outcome(format('SET LOCAL memory_search.model = %L; SELECT memory_embed(''tea'')', t)) AS model, count(*)
FROM inj.texts GROUP BY 1 ORDER BY 1;
SELECT test.error($$SET LOCAL memory_search.embedding_function = 'public.f(text); DROP TABLE canary; --';
                    SELECT memory_embed('tea')$$),
  test.error($$SET LOCAL memory_search.embedding_function = 'pg_catalog.upper';
               SELECT memory_embed('tea')$$);
CREATE FUNCTION inj."odd ' "" \ ; DROP TABLE canary; --"(text) RETURNS vector LANGUAGE sql AS $$
  SELECT '[1,2,3]'::public.vector $$;
SET memory_search.embedding_function = 'inj."odd '' "" \ ; DROP TABLE canary; --"';
SELECT memory_embed('tea');
RESET memory_search.embedding_function;

-- Who reads strings in the old way is no easier to attack.
SET standard_conforming_strings = off;
SET escape_string_warning = off;
SELECT n, left(t, 60) AS name, outcome
FROM inj.names, LATERAL (SELECT inj.use(t) AS outcome OFFSET 0) u WHERE outcome <> 'ok' ORDER BY n;
RESET standard_conforming_strings;
RESET escape_string_warning;

SELECT count(*) AS canaries FROM canary;
DROP TABLE canary;
DROP SCHEMA inj, s, "s wide", "inj values" CASCADE;
