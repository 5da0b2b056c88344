(e.memory_id, e.context) OPERATOR(pg_catalog.=) (t.memory_id, t.context)
AND (e.user_id IS NOT DISTINCT FROM t.user_id OR e.entry_id OPERATOR(pg_catalog.=) t.entry_id){in_e}{entry_stays}
