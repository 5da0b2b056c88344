WITH those AS MATERIALIZED (
  SELECT t.memory_id, t.entry_id FROM ({those}) t
   CROSS JOIN LATERAL (
     SELECT r.deletion_scheduled_time, r.expires_at FROM {entries} r
      WHERE (r.memory_id, r.entry_id) OPERATOR(pg_catalog.=) (t.memory_id, t.entry_id){in_r} OFFSET 0) r
   WHERE {goes}),
{unlinked}
gone AS (
  DELETE FROM {entries} r USING those t
   WHERE (r.memory_id, r.entry_id) OPERATOR(pg_catalog.=) (t.memory_id, t.entry_id){in_r} RETURNING 1)
SELECT pg_catalog.count(*) FROM gone
