WITH those AS MATERIALIZED ({those}),
theirs AS MATERIALIZED (
  SELECT c.memory_id, c.context_id, c.entry_id,
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
free AS MATERIALIZED (
  SELECT t.memory_id, t.entry_id FROM those t
   WHERE NOT EXISTS (
     SELECT FROM (
       SELECT c.memory_id, c.context_id FROM {contexts} c WHERE {of_entry} OFFSET 0) c
      WHERE NOT EXISTS (
        SELECT FROM theirs h
         WHERE (h.memory_id, h.context_id) OPERATOR(pg_catalog.=) (c.memory_id, c.context_id)))),
handed_on AS (
  UPDATE {contexts} c SET entry_id = h.next_entry_id
    FROM (
      SELECT h.memory_id, h.context_id, h.next_entry_id FROM theirs h
        JOIN free t ON (h.memory_id, h.entry_id) OPERATOR(pg_catalog.=) (t.memory_id, t.entry_id)
       WHERE h.next_entry_id IS NOT NULL OFFSET 0) h
   WHERE (c.memory_id, c.context_id) OPERATOR(pg_catalog.=) (h.memory_id, h.context_id){in_c})
SELECT (SELECT pg_catalog.count(*) FROM those), pg_catalog.array_agg(t.memory_id::pg_catalog.text),
       pg_catalog.array_agg(t.entry_id::pg_catalog.text) FROM free t
