(e.memory_id, e.context) OPERATOR(pg_catalog.=) (t.memory_id, t.context)
AND (e.user_id IS NOT DISTINCT FROM t.user_id OR e.entry_id OPERATOR(pg_catalog.=) t.entry_id
  OR ((e.memory_id, e.context, COALESCE(e.user_id, ''), e.user_id IS NULL)
    OPERATOR(pg_catalog.=) ANY (TABLE own)) IS NOT TRUE){in_e}{entry_stays}
