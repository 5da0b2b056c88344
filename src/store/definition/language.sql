SELECT COALESCE(pg_catalog.pg_get_expr(k.conbin, k.conrelid), '')
  FROM pg_catalog.pg_constraint k
 WHERE k.conrelid OPERATOR(pg_catalog.=) ANY (ARRAY[{entries}, {contexts}]::pg_catalog.oid[])
   AND k.contype OPERATOR(pg_catalog.=) 'c'
   AND k.conname OPERATOR(pg_catalog.=) ANY (ARRAY['entries_language', 'contexts_language']::pg_catalog.name[])
 ORDER BY k.conname DESC LIMIT 1
