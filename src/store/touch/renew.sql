WITH those AS MATERIALIZED ({locked})
UPDATE {entries} e SET expires_at = e.time_to_live OPERATOR(pg_catalog.+) pg_catalog.now() FROM those
 WHERE e.memory_id OPERATOR(pg_catalog.=) those.memory_id AND e.entry_id OPERATOR(pg_catalog.=) those.entry_id
