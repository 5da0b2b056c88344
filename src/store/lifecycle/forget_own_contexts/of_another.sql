c.user_id OPERATOR(pg_catalog.=) {user} AND e.user_id IS DISTINCT FROM {user}
AND (e.memory_id, e.entry_id, e.context) OPERATOR(pg_catalog.=) (c.memory_id, c.entry_id, c.context)
