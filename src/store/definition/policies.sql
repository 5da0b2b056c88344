SELECT p.polrelid, p.polpermissive AND p.polroles OPERATOR(pg_catalog.=) '{0}'::pg_catalog.oid[],
       pg_catalog.pg_get_expr(p.polqual, p.polrelid)
  FROM pg_catalog.pg_policy p
 WHERE p.polrelid OPERATOR(pg_catalog.=) ANY ({relations}::pg_catalog.oid[])
   AND p.polcmd OPERATOR(pg_catalog.=) ANY (ARRAY['r', '*']::pg_catalog."char"[])
