-- Tables and functions of a store whose entries are gone, and OIDs. A history, links, aliases and functions are
-- recognised by the comments with which they were made, because the triggers and keys that lead to them are gone with
-- the entries, and a user's own objects may have the same names.
SELECT true, pg_catalog.format('%I.%I', n.nspname, c.relname), c.relname::pg_catalog.text, c.oid::pg_catalog.int8
  FROM pg_catalog.pg_namespace n
  JOIN pg_catalog.pg_class c ON c.relnamespace OPERATOR(pg_catalog.=) n.oid
 WHERE n.nspname OPERATOR(pg_catalog.=) {name}
   AND c.relkind OPERATOR(pg_catalog.=) ANY (ARRAY['r', 'p']::pg_catalog."char"[])
   AND (c.relname OPERATOR(pg_catalog.=) ANY (ARRAY['contexts', 'entry_access']::pg_catalog.name[])
     OR c.relname OPERATOR(pg_catalog.=) ANY (ARRAY['links', 'aliases', 'history']::pg_catalog.name[])
       AND pg_catalog.starts_with(pg_catalog.obj_description(c.oid, 'pg_class'), 'memory_search: '))
UNION ALL
SELECT false, p.oid::pg_catalog.regprocedure::pg_catalog.text, p.proname::pg_catalog.text, p.oid::pg_catalog.int8
  FROM pg_catalog.pg_namespace n
 CROSS JOIN pg_catalog.unnest({functions}) signature
  JOIN pg_catalog.pg_proc p ON p.oid OPERATOR(pg_catalog.=)
    pg_catalog.to_regprocedure(pg_catalog.format('%I.%s', n.nspname, signature))
 WHERE n.nspname OPERATOR(pg_catalog.=) {name}
   AND pg_catalog.starts_with(pg_catalog.obj_description(p.oid, 'pg_proc'), 'memory_search: ')
