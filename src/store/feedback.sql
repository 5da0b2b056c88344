WITH those AS MATERIALIZED (
  SELECT e.memory_id, e.entry_id FROM {entries} e
   WHERE {of_memory} AND {is_among}{present} {order})
INSERT INTO {access} AS a (memory_id, entry_id, {column})
SELECT those.memory_id, those.entry_id, 1 FROM those ORDER BY those.entry_id
ON CONFLICT (memory_id, entry_id) DO UPDATE SET {column} = a.{column} OPERATOR(pg_catalog.+) 1
