WITH those AS MATERIALIZED ({those}),
{unlinked}
gone AS (
  DELETE FROM {entries} r USING those t
   WHERE (r.memory_id, r.entry_id) OPERATOR(pg_catalog.=) (t.memory_id, t.entry_id){in_r} RETURNING 1)
SELECT pg_catalog.count(*) FROM gone
