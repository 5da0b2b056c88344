-- Its schema may have another name by now: the statement makes this store whole, and no other one.
SELECT 'SELECT memory_adopt_table(' OPERATOR(pg_catalog.||) pg_catalog.quote_literal(n.nspname)
         OPERATOR(pg_catalog.||) pg_catalog.substring(pg_catalog.obj_description(access.oid, 'pg_class'),
           {adoption})
  FROM pg_catalog.pg_namespace n
  JOIN pg_catalog.pg_class contexts
    ON contexts.relnamespace OPERATOR(pg_catalog.=) n.oid AND contexts.relname OPERATOR(pg_catalog.=) 'contexts'
  JOIN pg_catalog.pg_class access
    ON access.relnamespace OPERATOR(pg_catalog.=) n.oid AND access.relname OPERATOR(pg_catalog.=) 'entry_access'
 WHERE n.nspname OPERATOR(pg_catalog.=) {name}
   AND contexts.relkind OPERATOR(pg_catalog.=) ANY (ARRAY['r', 'p']::pg_catalog."char"[])
   AND access.relkind OPERATOR(pg_catalog.=) ANY (ARRAY['r', 'p']::pg_catalog."char"[])
   AND NOT EXISTS (
     SELECT FROM pg_catalog.pg_class e
      WHERE e.relnamespace OPERATOR(pg_catalog.=) n.oid AND e.relname OPERATOR(pg_catalog.=) 'entries')
