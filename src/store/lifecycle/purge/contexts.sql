WITH due AS (
  SELECT r.memory_id, r.context_id, r.user_id, r.context FROM {contexts} r
   WHERE {goes}{in_r} LIMIT {rows} FOR UPDATE SKIP LOCKED),
last AS (
  SELECT t.* FROM due t
   WHERE NOT EXISTS (
     SELECT FROM {contexts} o
      WHERE (o.memory_id, o.context) OPERATOR(pg_catalog.=) (t.memory_id, t.context)
        AND o.user_id IS NOT DISTINCT FROM t.user_id{in_o}{is_not_deleted})),
carriers AS (
  SELECT e.memory_id, e.entry_id, t.context_id, t.context FROM last t
    JOIN {entries} e ON (e.memory_id, e.context) OPERATOR(pg_catalog.=) (t.memory_id, t.context)
   WHERE (e.user_id IS NOT DISTINCT FROM t.user_id
     OR ((e.memory_id, e.context, COALESCE(e.user_id, ''), e.user_id IS NULL) OPERATOR(pg_catalog.=) ANY (
       SELECT o.memory_id, o.context, COALESCE(o.user_id, ''), o.user_id IS NULL FROM {contexts} o
        WHERE (o.memory_id, o.context) OPERATOR(pg_catalog.=) ANY (SELECT t.memory_id, t.context FROM last t){in_o}
     )) IS NOT TRUE){in_e}{entry_stays}),
held AS (
  SELECT c.* FROM carriers c
   CROSS JOIN LATERAL (
     SELECT FROM {entries} e
      WHERE (e.memory_id, e.entry_id, e.context) OPERATOR(pg_catalog.=) (c.memory_id, c.entry_id, c.context){in_e}
        FOR UPDATE SKIP LOCKED) e),
free AS (
  SELECT t.memory_id, t.context_id FROM due t
  EXCEPT
  SELECT b.memory_id, b.context_id FROM (TABLE carriers EXCEPT TABLE held) b),
emptied AS (
  UPDATE {entries} e SET context = NULL FROM held c
   WHERE (e.memory_id, e.entry_id) OPERATOR(pg_catalog.=) (c.memory_id, c.entry_id){in_e}
     AND (c.memory_id, c.context_id) OPERATOR(pg_catalog.=) ANY (TABLE free)),
gone AS (
  DELETE FROM {contexts} r USING free t
   WHERE (r.memory_id, r.context_id) OPERATOR(pg_catalog.=) (t.memory_id, t.context_id){in_r} RETURNING 1)
SELECT (SELECT pg_catalog.count(*) FROM due), (SELECT pg_catalog.count(*) FROM gone)
