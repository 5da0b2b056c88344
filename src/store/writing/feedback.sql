WITH those AS MATERIALIZED (
  {those})
INSERT INTO {access} AS a (memory_id, entry_id, {column})
SELECT {memory}, those.entry_id, 1 FROM those ORDER BY those.entry_id
ON CONFLICT (memory_id, entry_id) DO UPDATE SET {column} = a.{column} OPERATOR(pg_catalog.+) 1
