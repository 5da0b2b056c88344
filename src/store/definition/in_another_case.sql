SELECT n.nspname::pg_catalog.text
  FROM pg_catalog.pg_namespace n
 WHERE pg_catalog.lower(n.nspname::pg_catalog.text) OPERATOR(pg_catalog.=) pg_catalog.lower({name})
   AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
   AND EXISTS (
     SELECT FROM pg_catalog.pg_class c
      WHERE c.relnamespace OPERATOR(pg_catalog.=) n.oid AND c.relname OPERATOR(pg_catalog.=) 'entry_access')
 ORDER BY n.nspname LIMIT 1
