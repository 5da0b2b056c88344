WITH those AS MATERIALIZED ({those}),
gone AS (
  DELETE FROM {contexts} r USING those t
   WHERE (r.memory_id, r.context_id) OPERATOR(pg_catalog.=) (t.memory_id, t.context_id){in_r} RETURNING 1)
SELECT (SELECT pg_catalog.count(*) FROM those), (SELECT pg_catalog.count(*) FROM gone)
