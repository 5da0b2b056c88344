SELECT e.memory_id, e.entry_id FROM {entries} e
 WHERE {of_memory} AND {is_among} AND e.time_to_live IS NOT NULL{present} ORDER BY e.entry_id FOR NO KEY UPDATE