-- memory_create_store: the objects that it makes.
SELECT memory_create_store('cs', 4);

-- Relations, all owned by the caller.
SELECT c.relname, c.relkind, c.relpersistence, c.relowner::regrole
FROM pg_class c WHERE c.relnamespace = 'cs'::regnamespace ORDER BY c.relkind DESC, c.relname;

-- Columns.
SELECT c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required,
       a.attgenerated AS generated, CASE WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END AS "default"
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = 'cs'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 ORDER BY c.relname, a.attnum;

-- Indexes and constraints: the first column of every key is memory_id.
SELECT indexdef FROM pg_indexes WHERE schemaname = 'cs' ORDER BY indexdef;
SELECT conrelid::regclass, contype, pg_get_constraintdef(oid)
FROM pg_constraint
WHERE connamespace = 'cs'::regnamespace AND contype <> 'n'
ORDER BY conrelid::regclass::text, contype, pg_get_constraintdef(oid);

-- The tables belong to the user: nothing depends on the extension but the types of columns.
SELECT count(*) AS members FROM pg_depend d
WHERE d.deptype = 'e' AND d.classid = 'pg_class'::regclass
  AND d.objid IN (SELECT oid FROM pg_class WHERE relnamespace = 'cs'::regnamespace);
-- No column is of a type reg* or oid (pg_upgrade refuses them).
SELECT count(*) AS reg_columns FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.relnamespace = 'cs'::regnamespace AND a.attnum > 0 AND a.atttypid IN (
  SELECT oid FROM pg_type WHERE typname LIKE 'reg%' OR typname = 'oid');
-- The mechanism behind search_vector uses the core's functions and the store's own, so it works without the extension.
SELECT count(*) AS foreign_functions
FROM pg_depend d
JOIN pg_attrdef a ON d.classid = 'pg_attrdef'::regclass AND d.objid = a.oid
JOIN pg_proc p ON p.oid = d.refobjid AND p.pronamespace <> 'cs'::regnamespace
WHERE a.adrelid IN ('cs.entries'::regclass, 'cs.contexts'::regclass)
  AND d.refclassid = 'pg_proc'::regclass AND d.refobjid >= 16384;
-- Every table and every column of entries has a comment.
SELECT count(*) AS tables_without_comment FROM pg_class c
WHERE c.relnamespace = 'cs'::regnamespace AND c.relkind = 'r' AND obj_description(c.oid, 'pg_class') IS NULL;
SELECT count(*) AS columns_without_comment FROM pg_attribute
WHERE attrelid = 'cs.entries'::regclass AND attnum > 0 AND col_description(attrelid, attnum) IS NULL;

-- Dimensions: 256, as the model has, if none are given; given ones; the bounds.
SELECT memory_create_store('cs_default'), memory_create_store('cs_1', 1),
  memory_create_store(store => 'cs_4000', dimensions => 4000);
SELECT attrelid::regclass, format_type(atttypid, atttypmod) FROM pg_attribute
WHERE attname = 'embedding' AND attrelid::regclass::text LIKE 'cs\_%' ORDER BY attrelid::regclass::text;
SELECT test.error(format('SELECT memory_create_store(%L, %s)', 'cs_bad', dimensions))
FROM (VALUES (0), (-1), (4001), (2147483647)) t(dimensions);

-- Language: the words of another language are reduced by its rules.
SELECT memory_create_store('cs_german', 4, 'german'), memory_create_store('cs_simple', 4, language => 'simple'),
       memory_create_store('cs_qualified', 4, 'pg_catalog.german');
SELECT memory_add('m', 'Die Katzen schlafen', entry_id => test.id(1), store => store) IS NOT NULL
FROM (VALUES ('cs_german'), ('cs_simple'), ('cs_qualified')) s(store);
SELECT (SELECT words FROM test.words_of_store('cs_german', 'german')) AS german,
  (SELECT words FROM test.words_of_store('cs_simple', 'simple')) AS simple,
  (SELECT words FROM test.words_of_store('cs_qualified', 'german')) AS qualified;
SELECT store,
  test.found(memory_search('m', 'katze', options => '{"strategy": "keyword", "fallback": false}', store => store))
FROM (VALUES ('cs_german'), ('cs_simple'), ('cs_qualified')) s(store);

-- Errors.
-- The installed configurations differ between versions of PostgreSQL.
SELECT regexp_replace(test.error(statement), 'Installed are arabic.*yiddish', 'Installed are ...') FROM (VALUES
  ($$SELECT memory_create_store('cs', 4)$$),
  ($$SELECT memory_create_store('', 4)$$),
  ($$SELECT memory_create_store('cs_bad', 4, 'englisch')$$),
  ($$SELECT memory_create_store('cs_bad', 4, 'klingon')$$),
  ($$SELECT memory_create_store('cs_bad', 4, '')$$),
  ($$SELECT memory_create_store('cs_bad', 4, NULL)$$),
  ($$SELECT memory_create_store('pg_mine', 4)$$),
  ($$SELECT memory_create_store(repeat('s', 64), 4)$$)
) t(statement);
-- A refused creation leaves no schema behind.
SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'cs\_bad%' OR nspname LIKE 'ssss%';
DROP SCHEMA cs, cs_default, cs_1, cs_4000, cs_german, cs_simple, cs_qualified CASCADE;
