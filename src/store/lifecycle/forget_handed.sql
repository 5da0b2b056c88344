next AS MATERIALIZED (
  SELECT DISTINCT ON (o.memory_id, o.user_id, o.context) o.memory_id, o.user_id, o.context, o.entry_id
    FROM {entries} o
   WHERE o.memory_id OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT DISTINCT s.memory_id FROM going s))
     AND (o.context OPERATOR(pg_catalog.=) ANY (
       SELECT pg_catalog.unnest(s.contexts)
         FROM (SELECT pg_catalog.array_agg(DISTINCT s.context) AS contexts FROM going s) s)) IS TRUE
     AND o.user_id IS DISTINCT FROM {user}{in_o}
   ORDER BY o.memory_id, o.user_id, o.context, {is_deleted}, o.creation_time, o.entry_id),
handed AS (
  UPDATE {contexts} r SET entry_id = o.entry_id
    FROM going s
    JOIN next o ON (o.memory_id, o.context) OPERATOR(pg_catalog.=) (s.memory_id, s.context)
     AND o.user_id IS NOT DISTINCT FROM s.user_id
   WHERE (r.memory_id, r.context_id) OPERATOR(pg_catalog.=) (s.memory_id, s.context_id)
     AND s.user_id IS DISTINCT FROM {user}{in_r} RETURNING r.memory_id, r.context_id),
