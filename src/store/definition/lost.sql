-- Its schema may have another name by now: the statement makes this store whole, and no other one.
SELECT 'SELECT memory_adopt_table(' OPERATOR(pg_catalog.||) pg_catalog.quote_literal(n.nspname)
         OPERATOR(pg_catalog.||) pg_catalog.substring(pg_catalog.obj_description(access.oid, 'pg_class'),
           {adoption}),
       (SELECT CASE WHEN t.relnamespace OPERATOR(pg_catalog.=) n.oid
               THEN pg_catalog.format('ALTER TABLE %I.%I RENAME TO entries;', n.nspname, t.relname)
               WHEN t.relname OPERATOR(pg_catalog.=) 'entries'
               THEN pg_catalog.format('ALTER TABLE %I.entries SET SCHEMA %I;', o.nspname, n.nspname) END
          FROM pg_catalog.pg_constraint k
          JOIN pg_catalog.pg_class t ON t.oid OPERATOR(pg_catalog.=) k.confrelid
          JOIN pg_catalog.pg_namespace o ON o.oid OPERATOR(pg_catalog.=) t.relnamespace
         WHERE k.conrelid OPERATOR(pg_catalog.=) access.oid AND k.contype OPERATOR(pg_catalog.=) 'f'
           AND k.conparentid OPERATOR(pg_catalog.=) 0::pg_catalog.oid
         LIMIT 1)
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
