SELECT pg_catalog.quote_ident(t.tgname), t.tgrelid::pg_catalog.regclass::pg_catalog.text
  FROM pg_catalog.pg_trigger t
 WHERE t.tgfoid OPERATOR(pg_catalog.=) {function}::pg_catalog.regprocedure::pg_catalog.oid AND NOT t.tgisinternal
 ORDER BY t.tgrelid, t.tgname
