WITH those AS MATERIALIZED (
  {those})
INSERT INTO {access} AS a (memory_id, entry_id, access_count, last_accessed_at)
SELECT {memory}, those.entry_id, 1, {now} FROM those ORDER BY those.entry_id
ON CONFLICT (memory_id, entry_id) DO UPDATE
  SET access_count = a.access_count OPERATOR(pg_catalog.+) 1, last_accessed_at = EXCLUDED.last_accessed_at
