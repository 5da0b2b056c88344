WITH those AS MATERIALIZED ({those}),
theirs AS MATERIALIZED (
  SELECT c.* FROM those t
   CROSS JOIN LATERAL (
     SELECT c.memory_id, c.context_id, c.entry_id, c.user_id, c.context FROM {contexts} c
      WHERE {of_entry}) c
   WHERE c.context_id OPERATOR(pg_catalog.=) ANY (SELECT pg_catalog.unnest({held}::pg_catalog.uuid[]))),
next AS MATERIALIZED (
  SELECT DISTINCT ON (o.memory_id, o.user_id, o.context) o.memory_id, o.user_id, o.context, o.entry_id
    FROM {entries} o
   WHERE o.memory_id OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT DISTINCT h.memory_id FROM theirs h))
     AND (o.context OPERATOR(pg_catalog.=) ANY (
       SELECT pg_catalog.unnest(h.contexts)
         FROM (SELECT pg_catalog.array_agg(DISTINCT h.context) AS contexts FROM theirs h) h)) IS TRUE
     AND ((o.memory_id, o.entry_id) OPERATOR(pg_catalog.=) ANY (TABLE those)) IS NOT TRUE{in_o}
   ORDER BY o.memory_id, o.user_id, o.context, {is_deleted}, o.creation_time, o.entry_id),
settled AS MATERIALIZED (
  SELECT h.memory_id, h.entry_id, h.context_id, n.entry_id AS next_entry_id FROM theirs h
    LEFT JOIN next n
      ON (n.memory_id, n.context) OPERATOR(pg_catalog.=) (h.memory_id, h.context)
     AND n.user_id IS NOT DISTINCT FROM h.user_id
    LEFT JOIN LATERAL (
      SELECT true AS is_locked FROM {entries} o
       WHERE (o.memory_id, o.entry_id, o.context) OPERATOR(pg_catalog.=) (h.memory_id, n.entry_id, h.context)
         AND o.user_id IS NOT DISTINCT FROM h.user_id{in_o} FOR SHARE SKIP LOCKED) o ON true
   WHERE n.entry_id IS NULL OR o.is_locked),
in_use AS (
  SELECT c.* FROM those t
   CROSS JOIN LATERAL (SELECT c.memory_id, c.entry_id, c.context_id FROM {contexts} c WHERE {of_entry}) c
  EXCEPT
  SELECT h.memory_id, h.entry_id, h.context_id FROM settled h)
SELECT t.memory_id, t.entry_id::pg_catalog.text, h.context_id::pg_catalog.text, h.next_entry_id::pg_catalog.text
  FROM those t
  LEFT JOIN settled h ON (h.memory_id, h.entry_id) OPERATOR(pg_catalog.=) (t.memory_id, t.entry_id)
 WHERE NOT EXISTS (
   SELECT FROM in_use u WHERE (u.memory_id, u.entry_id) OPERATOR(pg_catalog.=) (t.memory_id, t.entry_id))
