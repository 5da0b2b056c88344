-- What the catalogs must say of everything in the extension.
\pset format unaligned
CREATE VIEW members AS
SELECT p.* FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension x ON d.refclassid = 'pg_extension'::regclass AND x.oid = d.refobjid WHERE x.extname = 'memory_search';
SELECT count(*) > 8 AS there_are_functions FROM members;

-- No SECURITY DEFINER, nothing leakproof, no rights beyond the default ones.
SELECT proname FROM members WHERE prosecdef OR proleakproof OR proacl IS NOT NULL ORDER BY 1;
-- A search path of its own, with pg_temp last: all but the type's input and output functions, which run no SQL.
SELECT proname, proconfig FROM members WHERE proconfig IS DISTINCT FROM ARRAY['search_path=pg_catalog, pg_temp'] ORDER BY 1;
-- A comment each, for \df+.
SELECT proname FROM members WHERE coalesce(obj_description(oid, 'pg_proc'), '') = '' ORDER BY 1;
-- All but the type's own begin with memory_ and can be called by named arguments.
SELECT proname FROM members WHERE proname !~ '^memory_' OR (proargnames IS NULL AND proname !~ '^memory_embedding_') ORDER BY 1;
-- Labels: what reads is STABLE and never PARALLEL SAFE (it runs statements); what writes is VOLATILE and PARALLEL UNSAFE.
SELECT proname, provolatile, proparallel, proisstrict, pg_get_function_identity_arguments(oid) AS arguments
FROM members WHERE proname IN ('memory_search', 'memory_search_entries', 'memory_embed', 'memory_add', 'memory_put_context', 'memory_create_store', 'memory_drop_store', 'memory_delete', 'memory_embedding_in', 'memory_embedding_out')
ORDER BY proname, arguments;
SELECT proname FROM members WHERE provolatile = 'i' AND proname !~ '^memory_embedding_' OR provolatile = 'v' AND proparallel <> 'u' ORDER BY 1;
-- The functions of the C library are there for the input and output functions alone; everything is of the language c.
SELECT DISTINCT lanname FROM members JOIN pg_language l ON l.oid = prolang;

-- Nothing that a dump would lose or that a user could not drop: no tables, no sequences, no triggers, no registry.
SELECT classid::regclass AS kind, count(*) > 0 AS there FROM pg_depend d JOIN pg_extension x ON d.refclassid = 'pg_extension'::regclass AND x.oid = d.refobjid
WHERE x.extname = 'memory_search' AND d.deptype = 'e' GROUP BY classid ORDER BY classid::regclass::text;
SELECT extname, extrelocatable, extconfig, extversion ~ '^[0-9]+[.][0-9]+[.][0-9]+$' AS has_version FROM pg_extension WHERE extname = 'memory_search';
SELECT trusted, superuser, requires, comment IS NOT NULL AS commented FROM pg_available_extension_versions WHERE name = 'memory_search' AND installed;
-- Casts: to memory_embedding implicit, from it by assignment only, so that no expression becomes ambiguous.
SELECT castsource::regtype, casttarget::regtype, castcontext FROM pg_cast WHERE 'memory_embedding'::regtype IN (castsource, casttarget) ORDER BY castsource::regtype::text, casttarget::regtype::text;

-- The settings, their defaults and who may change them, once the library is loaded.
SELECT vector_dims(memory_embed('kite'));
SELECT name, setting, context, vartype, min_val, max_val, short_desc <> '' AS described FROM pg_settings WHERE name LIKE 'memory_search.%' ORDER BY name;
-- The prefix is reserved: a misspelt setting is an error.
SELECT test.error('SET memory_search.stor = 1');

-- Labels are true under a planner that tries everything in parallel.
SELECT memory_create_store('cr', 4);
SELECT memory_add('m', 'a kite', embedding => '[1,0,0,0]', entry_id => test.id(1), store => 'cr');
SET debug_parallel_query = on;
SELECT test.found(memory_search('m', 'kite', embedding => '[1,0,0,0]', store => 'cr')), vector_dims(memory_embed('kite')) AS dimensions, (SELECT count(*) FROM memory_search_entries('m', 'kite', store => 'cr')) AS rows;
RESET debug_parallel_query;
DROP VIEW members;
DROP SCHEMA cr CASCADE;
