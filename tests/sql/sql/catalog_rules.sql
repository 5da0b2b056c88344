-- Rules that the catalogs must keep for everything in the extension.
-- members leaves out functions that run no SQL: those of the types, of the parser and its dictionary, and of the index.
CREATE VIEW members AS
SELECT p.*, proname ~ '^memory_(embedding|search_handler|words_|accents_|(text|jsonb|int4|uuid|timestamptz)_(in|out)$)'
  AS runs_no_sql
FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension x ON d.refclassid = 'pg_extension'::regclass AND x.oid = d.refobjid WHERE x.extname = 'memory_search';
SELECT count(*) > 8 AS there_are_functions FROM members;

-- No function is SECURITY DEFINER or leakproof, or has rights beyond the default ones.
SELECT proname FROM members WHERE prosecdef OR proleakproof OR proacl IS NOT NULL ORDER BY 1;
-- Functions that run SQL have a search path of their own, with pg_temp last.
SELECT proname, proconfig
FROM members
WHERE proconfig IS DISTINCT FROM CASE WHEN NOT runs_no_sql THEN ARRAY['search_path=pg_catalog, pg_temp'] END
ORDER BY 1;
-- Each function has a comment, for \df+.
SELECT proname FROM members WHERE coalesce(obj_description(oid, 'pg_proc'), '') = '' ORDER BY 1;
-- All but the types' and the index's own begin with memory_ and can be called by named arguments.
SELECT proname
FROM members
WHERE proname !~ '^memory_' OR (proargnames IS NULL AND NOT runs_no_sql)
ORDER BY 1;
-- Every argument and every column of a result has a name.
SELECT proname, proargnames
FROM members
WHERE NOT runs_no_sql
  AND (cardinality(proargnames) <> cardinality(coalesce(proallargtypes, proargtypes::oid[])) OR '' = ANY (proargnames))
ORDER BY 1;
-- Any role may call the functions, because they use the rights of the caller. Only their owner may replace them or put
-- others beside them.
CREATE ROLE cr_nobody;
SELECT proname
FROM members
WHERE NOT has_function_privilege('cr_nobody', oid, 'EXECUTE')
  OR has_function_privilege('cr_nobody', oid, 'EXECUTE WITH GRANT OPTION')
ORDER BY 1;
SELECT DISTINCT rolsuper AS owned_by_a_superuser FROM members JOIN pg_roles r ON r.oid = proowner;
SELECT has_type_privilege('cr_nobody', 'memory_embedding', 'USAGE') AS type_usage,
  has_schema_privilege('cr_nobody', extnamespace, 'USAGE') AS usage,
  has_schema_privilege('cr_nobody', extnamespace, 'CREATE') AS create
FROM pg_extension WHERE extname = 'memory_search';

-- Labels of all functions: one that reads is STABLE and never PARALLEL SAFE (it runs statements); one that writes, or
-- asks for a plan, is VOLATILE and PARALLEL UNSAFE. Some have a twin that differs in the types of the arguments that
-- are listed as lenient: these are memory_text for text, and so on, which take any value that has a text.
CREATE VIEW forms AS
SELECT proname, provolatile, proparallel, proisstrict, pg_get_function_identity_arguments(oid) AS arguments,
  regexp_replace(replace(replace(pg_get_function_identity_arguments(oid), ' memory_int4', ' integer'),
      ' memory_timestamptz', ' timestamp with time zone'), ' memory_(text|jsonb|uuid)', ' \1', 'g') AS usual_arguments,
  (SELECT string_agg(name, ' ' ORDER BY place)
   FROM unnest(proargnames[:pronargs], proargtypes::regtype[]) WITH ORDINALITY a(name, type, place)
   WHERE type::text ~ '^memory_(int4|timestamptz|text|jsonb|uuid)') AS lenient
FROM members;
SELECT f.proname, f.provolatile, f.proparallel, f.proisstrict, f.arguments, twin.lenient
FROM forms f
LEFT JOIN forms twin ON twin.lenient IS NOT NULL AND twin.usual_arguments = f.arguments
  AND (twin.proname, twin.provolatile, twin.proparallel, twin.proisstrict)
    = (f.proname, f.provolatile, f.proparallel, f.proisstrict)
WHERE f.lenient IS NULL ORDER BY f.proname, f.arguments;
SELECT proname, arguments AS "of no usual form"
FROM forms twin
WHERE lenient IS NOT NULL
  AND NOT EXISTS (SELECT FROM forms f
                  WHERE (f.proname, f.provolatile, f.proparallel, f.proisstrict, f.arguments)
                    = (twin.proname, twin.provolatile, twin.proparallel, twin.proisstrict, twin.usual_arguments));
SELECT proname
FROM members
WHERE NOT runs_no_sql
  AND (provolatile = 'i' OR provolatile = 'v' AND proparallel <> 'u')
  -- These read only their argument, so that an index may be made with them.
  AND proname NOT IN ('memory_entity_keys', 'memory_passages')
ORDER BY 1;
-- No function is in a language that would read names by a search path: all are in the language c, except the server's.
SELECT DISTINCT lanname FROM members JOIN pg_language l ON l.oid = prolang;

-- Nothing that a dump would lose or that a user could not drop: no tables, no sequences, no triggers, no registry.
SELECT classid::regclass AS kind, count(*) > 0 AS there
FROM pg_depend d
JOIN pg_extension x ON d.refclassid = 'pg_extension'::regclass AND x.oid = d.refobjid
WHERE x.extname = 'memory_search' AND d.deptype = 'e'
GROUP BY classid ORDER BY classid::regclass::text;
-- Every object has a comment, not only functions.
SELECT pg_describe_object(d.classid, d.objid, 0) AS object
FROM pg_depend d
JOIN pg_extension x ON d.refclassid = 'pg_extension'::regclass AND x.oid = d.refobjid
WHERE x.extname = 'memory_search' AND d.deptype = 'e'
  AND coalesce(obj_description(d.objid, d.classid::regclass::name), '') = ''
  AND NOT EXISTS (SELECT FROM pg_type t WHERE t.oid = d.objid AND d.classid = 'pg_type'::regclass AND typelem <> 0)
ORDER BY 1;
SELECT extname, extrelocatable, extconfig, extversion ~ '^[0-9]+[.][0-9]+[.][0-9]+$' AS has_version
FROM pg_extension WHERE extname = 'memory_search';
SELECT trusted, superuser, requires, comment IS NOT NULL AS commented
FROM pg_available_extension_versions WHERE name = 'memory_search' AND installed;
-- Casts: to memory_embedding implicit, from it by assignment only, so that no expression becomes ambiguous.
SELECT castsource::regtype, casttarget::regtype, castcontext
FROM pg_cast
WHERE 'memory_embedding'::regtype IN (castsource, casttarget)
ORDER BY castsource::regtype::text, casttarget::regtype::text;

-- The settings, their defaults and the roles that may change them, once the library is loaded.
SELECT vector_dims(memory_embed('kite'));
SELECT name, setting, context, vartype, min_val, max_val, short_desc <> '' AS described
FROM pg_settings WHERE name LIKE 'memory_search.%' ORDER BY name;
-- The prefix is reserved: a misspelt setting is an error.
SELECT test.error('SET memory_search.stor = 1');

-- Only a superuser, or a role with GRANT SET ON PARAMETER, sets a setting whose context is not user.
SELECT name
FROM pg_settings
WHERE name LIKE 'memory_search.%' AND context <> 'user' AND has_parameter_privilege('cr_nobody', name, 'SET')
ORDER BY name;

-- The relations of a store. No column has a type that pg_upgrade refuses (reg..., except regclass, regrole and regtype)
-- or that has no meaning in another database (oid).
SELECT memory_create_store('cr', 4), memory_create_store('cr_wide', 256);
CREATE TABLE cr_notes (id bigint PRIMARY KEY, body text, embedding vector(4));
SELECT memory_adopt_table('cr_adopted', 'cr_notes',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "body", "embedding": "embedding"}');
CREATE VIEW cr_stores AS
  SELECT oid AS schema, nspname::text AS store, nspacl
  FROM pg_namespace WHERE nspname IN ('cr', 'cr_adopted');
SET client_min_messages = error;
SELECT memory_enable_row_security('cr');
SELECT memory_keep_history('cr'), memory_notify('cr');
RESET client_min_messages;
SELECT store, relname, relkind, relpersistence, reloptions
FROM pg_class
JOIN cr_stores ON relnamespace = schema
WHERE relkind NOT IN ('i', 't')
ORDER BY store, relname;
SELECT relname, attname, atttypid::regtype
FROM pg_class c
JOIN cr_stores ON relnamespace = schema
JOIN pg_attribute a ON attrelid = c.oid
JOIN pg_type t ON t.oid = atttypid
WHERE attnum > 0
  AND (t.typname ~ '^_?reg' AND t.typname !~ '^_?reg(class|role|type)$'
    OR t.typname ~ '^_?(oid|xid|xid8|cid|tid|pg_lsn|name)$')
ORDER BY 1, 2;
-- The store needs only pgvector, its own functions and the relations that it adopts, not the extension: a dump of it
-- can be restored by itself.
SELECT DISTINCT pg_describe_object(d.refclassid, d.refobjid, 0) AS needs
FROM pg_depend d
WHERE (d.classid, d.objid) IN (
      SELECT 'pg_class'::regclass, c.oid FROM pg_class c JOIN cr_stores ON relnamespace = schema
      UNION ALL
      SELECT 'pg_attrdef'::regclass, a.oid
      FROM pg_attrdef a JOIN pg_class c ON c.oid = adrelid JOIN cr_stores ON relnamespace = schema
      UNION ALL SELECT 'pg_constraint'::regclass, o.oid FROM pg_constraint o JOIN cr_stores ON connamespace = schema
      UNION ALL
      SELECT 'pg_policy'::regclass, p.oid
      FROM pg_policy p JOIN pg_class c ON c.oid = polrelid JOIN cr_stores ON relnamespace = schema
      UNION ALL
      SELECT 'pg_rewrite'::regclass, r.oid
      FROM pg_rewrite r JOIN pg_class c ON c.oid = ev_class JOIN cr_stores ON relnamespace = schema
      UNION ALL
      SELECT 'pg_trigger'::regclass, t.oid
      FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid JOIN cr_stores ON relnamespace = schema
    )
  AND NOT EXISTS (SELECT FROM pg_class c
                  JOIN cr_stores ON relnamespace = schema
                  WHERE d.refclassid = 'pg_class'::regclass AND c.oid = d.refobjid)
  AND NOT EXISTS (SELECT FROM cr_stores WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = schema)
  AND d.refclassid <> 'pg_constraint'::regclass
ORDER BY 1;
-- A store belongs to its owner: no other role has any right to it before a grant.
SELECT store, nspacl,
  has_schema_privilege('cr_nobody', schema, 'USAGE') AS usage,
  has_schema_privilege('cr_nobody', schema, 'CREATE') AS create
FROM cr_stores ORDER BY store;
SELECT store, relname, relacl
FROM pg_class c
JOIN cr_stores ON relnamespace = schema
WHERE relacl IS NOT NULL
  OR (relkind IN ('r', 'v')
    AND has_table_privilege('cr_nobody', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER'))
ORDER BY 1, 2;
-- A view over a table shows what the caller may see of it, not what its owner may.
SELECT store, relname
FROM pg_class
JOIN cr_stores ON relnamespace = schema
WHERE relkind = 'v' AND 'security_invoker=true' <> ALL (coalesce(reloptions, '{}'));

-- Labels are true: a STABLE function runs in a read-only transaction and assigns no transaction id; another one is
-- refused there, except memory_doctor, which asks for plans, and memory_index_check, which keeps writers out.
SELECT memory_add('m', 'a kite', embedding => '[1,0,0,0]', entry_id => test.id(1), store => 'cr');
CREATE TABLE cr_calls (function text, call text);
INSERT INTO cr_calls VALUES
  ('memory_search(memory_text,', $$memory_search('m', 'kite', 1::bigint, filters => '{}'::json, store => 'cr')$$),
  ('memory_search(text,', $$memory_search('m', 'kite', embedding => '[1,0,0,0]', store => 'cr')$$),
  ('memory_search(anycompatiblearray,', $$memory_search('{m}'::text[], 'kite', store => 'cr', prefixes => '{m/}')$$),
  ('memory_search(jsonb', $$memory_search('{"memoryId": "m", "query": "kite", "store": "cr"}')$$),
  ('memory_search_sent', $$memory_search_sent(true, '{"memoryId": "m", "query": "kite", "store": "cr"}', NULL, NULL,
    now())$$),
  ('memory_search_entries', $$memory_search_entries('m', 'kite', store => 'cr')$$),
  ('memory_explain', $$memory_explain('m', 'kite', store => 'cr')$$),
  ('memory_build_context', $$memory_build_context('m', 'kite', store => 'cr')$$),
  ('memory_embed(', $$memory_embed('kite')$$),
  ('memory_passages', $$memory_passages('kite')$$),
  ('memory_history', $$memory_history('m', test.id(1), store => 'cr')$$),
  ('memory_links', $$memory_links('m', test.id(1), store => 'cr')$$),
  ('memory_related', $$memory_related('m', test.id(1), store => 'cr')$$),
  ('memory_aliases', $$memory_aliases('m', 'cr')$$),
  ('memory_get', $$memory_get('m', ARRAY[test.id(1)], '{"includeSuperseded": true}', 'cr')$$),
  ('memory_list(', $$memory_list('m', store => 'cr')$$),
  ('memory_count', $$memory_count('m', store => 'cr')$$),
  ('memory_entity_keys', $$memory_entity_keys('{Ann}')$$),
  ('memory_entities', $$memory_entities('m', store => 'cr')$$),
  ('memory_about', $$memory_about('m', 'Ann', store => 'cr')$$),
  ('memory_facets', $$memory_facets('m', 'kite', embedding => '[1,0,0,0]', store => 'cr')$$),
  ('memory_list_memories', $$memory_list_memories(store => 'cr')$$),
  ('memory_stats', $$memory_stats('cr')$$),
  ('memory_tool_spec', $$memory_tool_spec()$$),
  ('memory_doctor', $$memory_doctor('cr')$$),
  ('memory_index_check', $$memory_index_check('cr.entries_memory')$$),
  ('memory_add(', $$memory_add('m', 'x', store => 'cr')$$),
  ('memory_add_many', $$memory_add_many('m', '[{"rawEntry": "x"}]', 'cr')$$),
  ('memory_delete_where', $$memory_delete_where('m', '{"tags": ["x"]}', false, 'cr')$$),
  ('memory_export', $$memory_export('m', store => 'cr')$$),
  ('memory_import', $$memory_import('m', '{"kind": "entry", "rawEntry": "x"}', 'cr')$$),
  ('memory_put_context', $$memory_put_context('m', 'x', store => 'cr')$$),
  ('memory_touch', $$memory_touch('m', ARRAY[test.id(1)], 'cr')$$),
  ('memory_learn', $$memory_learn('[{"request": {"memoryId": "m", "query": "kite"}, "helpful": ["a"]}]', 'cr')$$),
  ('memory_feedback', $$memory_feedback('m', ARRAY[test.id(1)], 1, 'cr')$$),
  ('memory_recall', $$memory_recall('m', 'kite', store => 'cr')$$),
  ('memory_link(', $$memory_link('m', test.id(1), test.id(2), store => 'cr')$$),
  ('memory_unlink', $$memory_unlink('m', test.id(1), test.id(2), store => 'cr')$$),
  ('memory_alias(', $$memory_alias('m', 'a', 'b', 'cr')$$),
  ('memory_unalias', $$memory_unalias('m', 'a', 'cr')$$),
  ('memory_update', $$memory_update('m', test.id(1), importance => 1, store => 'cr')$$),
  ('memory_supersede', $$memory_supersede('m', test.id(1), NULL, store => 'cr')$$),
  ('memory_delete(', $$memory_delete('m', ARRAY[test.id(1)], store => 'cr')$$),
  ('memory_restore(', $$memory_restore('m', ARRAY[test.id(1)], store => 'cr')$$),
  ('memory_delete_contexts', $$memory_delete_contexts('m', ARRAY[test.id(1)], store => 'cr')$$),
  ('memory_restore_contexts', $$memory_restore_contexts('m', ARRAY[test.id(1)], store => 'cr')$$),
  ('memory_purge', $$memory_purge(store => 'cr')$$),
  ('memory_forget_user', $$memory_forget_user('u', 'cr')$$),
  ('memory_reembed', $$memory_reembed(store => 'cr_wide')$$),
  ('memory_embed_pending', $$memory_embed_pending(store => 'cr_wide')$$),
  ('memory_create_store', $$memory_create_store('cr_new', 4)$$),
  ('memory_adopt_table',
   $$memory_adopt_table('cr_new', 'cr_notes', '{"memory_id": "id", "entry_id": "id", "raw_entry": "body"}')$$),
  ('memory_import_table',
   $$memory_import_table('cr_new', 'cr_notes', '{"memory_id": "id", "entry_id": "id", "raw_entry": "body"}')$$),
  ('memory_keep_history', $$memory_keep_history('cr')$$),
  ('memory_notify', $$memory_notify('cr')$$),
  ('memory_distribute_store', $$memory_distribute_store('cr')$$),
  ('memory_drop_store', $$memory_drop_store('cr', true)$$),
  ('memory_grant', $$memory_grant('cr', 'public')$$),
  ('memory_enable_row_security', $$memory_enable_row_security('cr')$$);
SELECT oid::regprocedure AS without_a_call
FROM members
WHERE NOT runs_no_sql
  AND NOT EXISTS (SELECT FROM cr_calls WHERE starts_with(members.oid::regprocedure::text, function))
ORDER BY 1;
BEGIN READ ONLY;
SELECT provolatile, count(outcome) > 0 AS called
FROM cr_calls
JOIN members ON starts_with(members.oid::regprocedure::text, function),
  LATERAL (SELECT test.error('SELECT * FROM ' || call)) e(outcome)
WHERE provolatile = 's' OR proname IN ('memory_doctor', 'memory_index_check')
GROUP BY provolatile ORDER BY provolatile;
SELECT pg_current_xact_id_if_assigned() IS NULL AS no_transaction_id;
COMMIT;
BEGIN READ ONLY;
SELECT DISTINCT provolatile, outcome,
  CASE WHEN outcome = CASE provolatile WHEN 'v' THEN '25006' ELSE 'no error' END THEN 'the others' ELSE function END
    AS functions
FROM cr_calls
JOIN members ON starts_with(members.oid::regprocedure::text, function),
  LATERAL (SELECT split_part(test.error('SELECT * FROM ' || call), ':', 1) OFFSET 0) e(outcome)
ORDER BY 1, 2, 3;
COMMIT;
-- The same holds under a planner that tries to run everything in parallel.
SET debug_parallel_query = on;
SELECT test.found(memory_search('m', 'kite', embedding => '[1,0,0,0]', store => 'cr')),
  vector_dims(memory_embed('kite')) AS dimensions,
  (SELECT count(*) FROM memory_search_entries('m', 'kite', store => 'cr')) AS rows;
RESET debug_parallel_query;
DROP VIEW members, forms, cr_stores;
DROP SCHEMA cr, cr_wide, cr_adopted CASCADE;
DROP TABLE cr_notes, cr_calls;
DROP ROLE cr_nobody;
