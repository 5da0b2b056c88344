WITH due AS MATERIALIZED (
  SELECT r.memory_id, r.context_id, r.user_id, r.context FROM {contexts} r
   WHERE {goes}{in_r} LIMIT {rows} FOR UPDATE SKIP LOCKED),
last AS MATERIALIZED (
  SELECT t.* FROM due t
   WHERE NOT EXISTS (
     SELECT FROM {contexts} o
      WHERE (o.memory_id, o.context) OPERATOR(pg_catalog.=) (t.memory_id, t.context)
        AND o.user_id IS NOT DISTINCT FROM t.user_id{in_o}{is_not_due})),
near AS MATERIALIZED (
  SELECT e.memory_id, e.entry_id, e.context, e.user_id,
    (e.memory_id, ARRAY[e.context, e.user_id]) OPERATOR(pg_catalog.=) ANY (
      SELECT t.memory_id, ARRAY[t.context, t.user_id] FROM last t) AS is_own
    FROM {entries} e
   WHERE (e.memory_id, e.context) OPERATOR(pg_catalog.=) ANY (SELECT t.memory_id, t.context FROM last t)
     {in_e}{entry_stays}),
carriers AS (
  SELECT e.* FROM near e
   WHERE e.is_own OR ((e.memory_id, ARRAY[e.context, e.user_id]) OPERATOR(pg_catalog.=) ANY (
     SELECT o.memory_id, ARRAY[o.context, o.user_id] FROM {contexts} o
      WHERE (o.memory_id, o.context) OPERATOR(pg_catalog.=) ANY (SELECT n.memory_id, n.context FROM near n){in_o}
     )) IS NOT TRUE),
held AS (
  SELECT c.* FROM carriers c
   CROSS JOIN LATERAL (
     SELECT FROM {entries} e
      WHERE (e.memory_id, e.entry_id, e.context) OPERATOR(pg_catalog.=) (c.memory_id, c.entry_id, c.context){in_e}
        FOR UPDATE SKIP LOCKED) e),
free AS MATERIALIZED (
  SELECT t.* FROM due t
  EXCEPT
  SELECT t.* FROM (TABLE carriers EXCEPT TABLE held) b
    JOIN last t ON (b.memory_id, b.context) OPERATOR(pg_catalog.=) (t.memory_id, t.context)
   WHERE b.user_id IS NOT DISTINCT FROM t.user_id OR NOT b.is_own),
emptied AS (
  UPDATE {entries} e SET context = NULL FROM held c
   WHERE (e.memory_id, e.entry_id) OPERATOR(pg_catalog.=) (c.memory_id, c.entry_id){in_e}
     AND (c.memory_id, c.context) OPERATOR(pg_catalog.=) ANY (SELECT t.memory_id, t.context FROM free t)
     AND (NOT c.is_own OR (c.memory_id, ARRAY[c.context, c.user_id]) OPERATOR(pg_catalog.=) ANY (
       SELECT t.memory_id, ARRAY[t.context, t.user_id] FROM free t))),
gone AS (
  DELETE FROM {contexts} r USING free t
   WHERE (r.memory_id, r.context_id) OPERATOR(pg_catalog.=) (t.memory_id, t.context_id){in_r} RETURNING 1)
SELECT (SELECT pg_catalog.count(*) FROM due), (SELECT pg_catalog.count(*) FROM gone)
