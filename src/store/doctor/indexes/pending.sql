SELECT pg_catalog.count(*), pg_catalog.to_regclass({name}) IS NULL
  FROM pg_catalog.pg_index i
 WHERE i.indrelid OPERATOR(pg_catalog.=) pg_catalog.to_regclass({table})
   -- Quotes are there where quote_all_identifiers is on.
   AND pg_catalog.replace(pg_catalog.pg_get_expr(i.indpred, i.indrelid), '"', '')
     OPERATOR(pg_catalog.=) '(embedding IS NULL)'
