-- The foreign keys that tables of a store lack, each with the name of a constraint in its place.
SELECT wanted.name, wanted.of_entry, pg_catalog.min(pg_catalog.quote_ident(k.conname))
  FROM (VALUES ('contexts', 'entry_id'), ('entry_access', 'entry_id'), ('links', 'from_entry'), ('links', 'to_entry'))
    wanted (name, of_entry)
  JOIN pg_catalog.pg_class c
    ON c.relnamespace OPERATOR(pg_catalog.=) {schema}::pg_catalog.regnamespace
   AND c.relname OPERATOR(pg_catalog.=) wanted.name::pg_catalog.name
   AND c.relkind OPERATOR(pg_catalog.=) ANY (ARRAY['r', 'p']::pg_catalog."char"[])
  JOIN pg_catalog.pg_attribute m
    ON m.attrelid OPERATOR(pg_catalog.=) c.oid AND m.attname OPERATOR(pg_catalog.=) 'memory_id'
  JOIN pg_catalog.pg_attribute a
    ON a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attname OPERATOR(pg_catalog.=) wanted.of_entry::pg_catalog.name
  LEFT JOIN pg_catalog.pg_constraint k
    ON k.conrelid OPERATOR(pg_catalog.=) c.oid AND k.contype OPERATOR(pg_catalog.=) 'f'
   AND k.conkey OPERATOR(pg_catalog.=) ARRAY[m.attnum, a.attnum]
 GROUP BY c.relname, wanted.name, wanted.of_entry
HAVING pg_catalog.bool_or(k.confrelid OPERATOR(pg_catalog.=) {entries}::pg_catalog.oid
         AND k.confdeltype OPERATOR(pg_catalog.=) 'c' AND k.convalidated) IS NOT TRUE
 ORDER BY 1, 2
