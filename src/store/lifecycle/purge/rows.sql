WITH those AS MATERIALIZED (
       SELECT r.memory_id, r.{key} FROM {relation} r WHERE {goes}{in_r} LIMIT {rows} FOR UPDATE SKIP LOCKED),
{unlinked}     gone AS (
       DELETE FROM {relation} r USING those
        WHERE r.memory_id OPERATOR(pg_catalog.=) those.memory_id AND r.{key} OPERATOR(pg_catalog.=) those.{key}{in_r}
       RETURNING 1)
SELECT (SELECT pg_catalog.count(*) FROM those), (SELECT pg_catalog.count(*) FROM gone)
