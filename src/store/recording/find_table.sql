SELECT c.oid::pg_catalog.int8, c.relforcerowsecurity, c.relrowsecurity, e.relforcerowsecurity,
       EXISTS (SELECT FROM pg_catalog.pg_policy p
                WHERE p.polrelid OPERATOR(pg_catalog.=) c.oid
                  AND p.polname OPERATOR(pg_catalog.=) 'memory_search_history_forgotten'
                  AND pg_catalog.pg_get_expr(p.polqual, p.polrelid) OPERATOR(pg_catalog.=) 'true')
  FROM pg_catalog.pg_class e
  JOIN pg_catalog.pg_constraint k
    ON k.confrelid OPERATOR(pg_catalog.=) e.oid AND k.contype OPERATOR(pg_catalog.=) 'f'
   AND k.confdeltype OPERATOR(pg_catalog.=) 'c'
  JOIN pg_catalog.pg_class c
    ON c.oid OPERATOR(pg_catalog.=) k.conrelid AND c.relname OPERATOR(pg_catalog.=) 'history'
   AND c.relnamespace OPERATOR(pg_catalog.=) e.relnamespace AND c.relowner OPERATOR(pg_catalog.=) e.relowner
 WHERE e.oid OPERATOR(pg_catalog.=) {entries}::pg_catalog.oid
   AND EXISTS (SELECT FROM pg_catalog.pg_attribute a
                WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attname OPERATOR(pg_catalog.=) 'history_id')
