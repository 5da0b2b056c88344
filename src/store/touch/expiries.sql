SELECT e.entry_id::pg_catalog.text, e.time_to_live OPERATOR(pg_catalog.+) pg_catalog.now() FROM {entries} e
 WHERE {of_memory} AND {is_among} AND e.time_to_live IS NOT NULL{present} ORDER BY e.entry_id FOR NO KEY UPDATE
