SELECT pg_catalog.quote_ident(n.nspname)
  FROM pg_catalog.pg_ts_config c
  JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.cfgnamespace
 WHERE pg_catalog.quote_ident(n.nspname) OPERATOR(pg_catalog.||) '.'
       OPERATOR(pg_catalog.||) pg_catalog.quote_ident(c.cfgname) OPERATOR(pg_catalog.=) {language}
   AND NOT pg_catalog.has_schema_privilege({role}::pg_catalog.name, n.oid, 'USAGE')
