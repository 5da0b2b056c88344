WITH due AS (
  SELECT r.memory_id, r.context_id, r.user_id, r.context, r.entry_id FROM {contexts} r
   WHERE {goes}{in_r} LIMIT {rows} FOR UPDATE SKIP LOCKED),
last AS (
  SELECT t.* FROM due t
   WHERE NOT EXISTS (
     SELECT FROM {contexts} o
      WHERE (o.memory_id, o.context) OPERATOR(pg_catalog.=) (t.memory_id, t.context)
        AND o.user_id IS NOT DISTINCT FROM t.user_id{in_o}{is_not_deleted})),
own AS MATERIALIZED (
  SELECT o.memory_id, o.context, COALESCE(o.user_id, ''), o.user_id IS NULL FROM {contexts} o
   WHERE (o.memory_id, o.context) OPERATOR(pg_catalog.=) ANY (SELECT t.memory_id, t.context FROM last t){in_o}),
held AS (
  SELECT e.memory_id, e.entry_id, t.context_id FROM last t JOIN {entries} e ON {carries}
     FOR UPDATE SKIP LOCKED),
busy AS (
  SELECT t.memory_id, t.context_id FROM last t JOIN {entries} e ON {carries}
   WHERE NOT EXISTS (
     SELECT FROM held c WHERE (c.memory_id, c.entry_id) OPERATOR(pg_catalog.=) (e.memory_id, e.entry_id))),
emptied AS (
  UPDATE {entries} e SET context = NULL FROM held c
   WHERE (e.memory_id, e.entry_id) OPERATOR(pg_catalog.=) (c.memory_id, c.entry_id){in_e}
     AND NOT EXISTS (
       SELECT FROM busy b WHERE (b.memory_id, b.context_id) OPERATOR(pg_catalog.=) (c.memory_id, c.context_id))),
gone AS (
  DELETE FROM {contexts} r USING due t
   WHERE (r.memory_id, r.context_id) OPERATOR(pg_catalog.=) (t.memory_id, t.context_id){in_r}
     AND NOT EXISTS (
       SELECT FROM busy b WHERE (b.memory_id, b.context_id) OPERATOR(pg_catalog.=) (t.memory_id, t.context_id))
  RETURNING 1)
SELECT (SELECT pg_catalog.count(*) FROM due), (SELECT pg_catalog.count(*) FROM gone)
