-- Tables and functions of a store whose entries are gone, and OIDs. A history is told by its columns: the foreign key
-- to entries went with them.
SELECT true, pg_catalog.format('%I.%I', n.nspname, c.relname), c.relname::pg_catalog.text, c.oid::pg_catalog.int8
  FROM pg_catalog.pg_namespace n
  JOIN pg_catalog.pg_class c ON c.relnamespace OPERATOR(pg_catalog.=) n.oid
 WHERE n.nspname OPERATOR(pg_catalog.=) {name}
   AND c.relkind OPERATOR(pg_catalog.=) ANY (ARRAY['r', 'p']::pg_catalog."char"[])
   AND (c.relname OPERATOR(pg_catalog.=) ANY (ARRAY['contexts', 'entry_access']::pg_catalog.name[])
     OR c.relname OPERATOR(pg_catalog.=) 'history'
       AND 4 OPERATOR(pg_catalog.=) (SELECT pg_catalog.count(*) FROM pg_catalog.pg_attribute a
         WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND NOT a.attisdropped AND a.attname OPERATOR(pg_catalog.=)
           ANY (ARRAY['history_id', 'entry_id', 'operation', 'before']::pg_catalog.name[])))
UNION ALL
SELECT false, p.oid::pg_catalog.regprocedure::pg_catalog.text, p.proname::pg_catalog.text, p.oid::pg_catalog.int8
  FROM pg_catalog.pg_namespace n
 CROSS JOIN pg_catalog.unnest({functions}) signature
  JOIN pg_catalog.pg_proc p ON p.oid OPERATOR(pg_catalog.=)
    pg_catalog.to_regprocedure(pg_catalog.format('%I.%s', n.nspname, signature))
  JOIN pg_catalog.pg_language l ON l.oid OPERATOR(pg_catalog.=) p.prolang
 WHERE n.nspname OPERATOR(pg_catalog.=) {name} AND l.lanname OPERATOR(pg_catalog.=) 'plpgsql'
