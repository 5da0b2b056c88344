WITH those AS MATERIALIZED ({those}),
theirs AS MATERIALIZED (
  SELECT c.memory_id, c.entry_id, c.context_id,
         (SELECT o.entry_id FROM {entries} o
           WHERE (o.memory_id, o.context) OPERATOR(pg_catalog.=) (c.memory_id, c.context)
             AND o.user_id IS NOT DISTINCT FROM c.user_id{in_o}
             AND NOT EXISTS (
               SELECT FROM those t WHERE (o.memory_id, o.entry_id) OPERATOR(pg_catalog.=) (t.memory_id, t.entry_id))
           ORDER BY {is_deleted}, o.creation_time, o.entry_id LIMIT 1) AS next_entry_id
    FROM those t
   CROSS JOIN LATERAL (
     SELECT c.memory_id, c.context_id, c.entry_id, c.user_id, c.context FROM {contexts} c
      WHERE {of_entry} FOR UPDATE SKIP LOCKED) c),
settled AS MATERIALIZED (
  SELECT h.* FROM theirs h
    LEFT JOIN LATERAL (
      SELECT true AS is_locked FROM {entries} o
       WHERE (o.memory_id, o.entry_id) OPERATOR(pg_catalog.=) (h.memory_id, h.next_entry_id){in_o}
         FOR KEY SHARE SKIP LOCKED) o ON true
   WHERE h.next_entry_id IS NULL OR o.is_locked),
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
