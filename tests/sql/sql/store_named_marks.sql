-- A store may have the name of a mark in its SQL templates: the name in place of a mark is not scanned for marks.
CREATE TABLE names (i int, name text);
INSERT INTO names VALUES (1, '{fits_index}'), (2, '{schema}'), (3, '{search_vector}'), (4, '{embedding_type}'),
  (5, '{entry_index}'), (6, '{entries_foreign_key}'), (7, '{entry_column}'), (8, '{{schema}}'),
  (9, '{embedding_signs}'), (10, '{');
SELECT count(memory_create_store(name, 4)) AS made FROM names;
SELECT count(memory_add('m', 'a kite', context => 'kites', metadata => '{"{schema}": "{fits_index}"}', store => name,
  embedding => '[1,0,0,0]', entry_id => test.id(1))) AS added FROM names;
-- A store with a name like a template's mark has the same relations, indexes and columns as one with an ordinary name.
SELECT memory_create_store('snm', 4);
CREATE FUNCTION definition(store text) RETURNS text LANGUAGE sql AS $$
  SELECT replace(string_agg(d, E'\n' ORDER BY d), quote_ident(store), 'STORE') FROM (
    SELECT indexdef FROM pg_indexes WHERE schemaname = store
    UNION ALL SELECT concat_ws(' ', relname, attnum, attname, format_type(atttypid, atttypmod), attnotnull,
        pg_get_expr(adbin, adrelid))
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        LEFT JOIN pg_attrdef ON adrelid = c.oid AND adnum = attnum
      WHERE relnamespace = quote_ident(store)::regnamespace AND relkind = 'r' AND attnum > 0
    UNION ALL SELECT pg_get_constraintdef(k.oid) FROM pg_constraint k
      WHERE connamespace = quote_ident(store)::regnamespace
    UNION ALL SELECT obj_description(c.oid) FROM pg_class c
      WHERE relnamespace = quote_ident(store)::regnamespace) t(d) $$;
SELECT i, name, definition(name) = definition('snm') AS same FROM names ORDER BY i;
SELECT i, jsonb_array_length(r->'entries') AS found, r->>'latestContext' AS latest FROM names,
  memory_search('m', 'kite', embedding => '[1,0,0,0]', store => name) r ORDER BY i;
-- The doctor's statement for the memory index makes it again for just that store.
SELECT format('DROP INDEX %I.entries_memory', name) FROM names ORDER BY i \gexec
SELECT i, d.status FROM names, memory_doctor(name) d WHERE d.name = 'index of searches' ORDER BY i;
\set ECHO none
SELECT fix FROM names n, memory_doctor(n.name) d WHERE d.name = 'index of searches' ORDER BY i \gexec
\set ECHO all
SELECT i, name, definition(name) = definition('snm') AS same_again FROM names ORDER BY i;
SELECT i, r #>> '{diagnostics,reads,0,path}' AS path, jsonb_array_length(r->'entries') AS found
FROM names, memory_search('m', 'kite', options => '{"diagnostics": true, "strategy": "keyword"}', store => name) r
ORDER BY i;
DROP FUNCTION definition;
SELECT count(memory_drop_store(name, true)) AS dropped FROM names;
SELECT memory_drop_store('snm');
DROP TABLE names;
