WITH those AS MATERIALIZED (
  SELECT e.memory_id, e.entry_id FROM {entries} e
   WHERE {of_memory} AND {is_among} AND e.time_to_live IS NOT NULL{present} ORDER BY e.entry_id FOR NO KEY UPDATE)
UPDATE {entries} e SET expires_at = e.time_to_live OPERATOR(pg_catalog.+) pg_catalog.now() FROM those
 WHERE e.memory_id OPERATOR(pg_catalog.=) those.memory_id AND e.entry_id OPERATOR(pg_catalog.=) those.entry_id
