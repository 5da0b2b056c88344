EXISTS (
  SELECT FROM {schema}.entries e
   WHERE e.memory_id OPERATOR(pg_catalog.=) history.memory_id AND e.entry_id OPERATOR(pg_catalog.=) history.entry_id
     AND (NOT pg_catalog.row_security_active('{schema_in_literal}.entries'::pg_catalog.regclass)
       OR (e.user_id OPERATOR(pg_catalog.=) history.user_id OR e.user_id IS NULL AND history.user_id IS NULL)
         AND COALESCE(history.before OPERATOR(pg_catalog.->>) 'memory_id', history.memory_id)
           OPERATOR(pg_catalog.=) history.memory_id))
