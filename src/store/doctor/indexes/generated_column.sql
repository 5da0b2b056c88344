SELECT pg_catalog.quote_ident(a.attname)
  FROM pg_catalog.pg_attribute a
 WHERE a.attrelid OPERATOR(pg_catalog.=) {oid}::pg_catalog.oid AND a.attgenerated OPERATOR(pg_catalog.<>) ''
   AND pg_catalog.strpos({expression}, pg_catalog.quote_ident(a.attname)) OPERATOR(pg_catalog.>) 0
 ORDER BY 1 LIMIT 1
