c.memory_id OPERATOR(pg_catalog.=) t.memory_id AND c.entry_id OPERATOR(pg_catalog.>=) t.entry_id
AND c.entry_id OPERATOR(pg_catalog.<=) t.entry_id{in_c} ORDER BY c.entry_id
