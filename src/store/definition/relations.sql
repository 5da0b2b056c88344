SELECT pg_catalog.quote_ident(n.nspname), c.relname::pg_catalog.text, c.oid, c.relkind::pg_catalog.text
  FROM pg_catalog.pg_namespace n
  LEFT JOIN pg_catalog.pg_class c
    ON c.relnamespace OPERATOR(pg_catalog.=) n.oid
   AND c.relname OPERATOR(pg_catalog.=) ANY (ARRAY['entries', 'contexts', 'entry_access']::pg_catalog.name[])
 WHERE n.nspname OPERATOR(pg_catalog.=) {name}
