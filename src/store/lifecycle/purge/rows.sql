WITH those AS MATERIALIZED ({those}),
{unlinked}
gone AS (
  DELETE FROM {relation} r USING those t
   WHERE (r.memory_id, r.{key}) OPERATOR(pg_catalog.=) (t.memory_id, t.{key}){in_r} RETURNING 1)
SELECT (SELECT pg_catalog.count(*) FROM those), (SELECT pg_catalog.count(*) FROM gone)
