handed AS (
  UPDATE {contexts} r SET entry_id = o.entry_id
    FROM going s
   CROSS JOIN LATERAL (
     SELECT o.entry_id FROM {entries} o
      WHERE (o.memory_id, o.context) OPERATOR(pg_catalog.=) (s.memory_id, s.context)
        AND o.user_id IS NOT DISTINCT FROM s.user_id{in_o}
      ORDER BY {is_deleted}, o.creation_time, o.entry_id LIMIT 1) o
   WHERE (r.memory_id, r.context_id) OPERATOR(pg_catalog.=) (s.memory_id, s.context_id)
     AND s.user_id IS DISTINCT FROM {user}{in_r} RETURNING r.memory_id, r.context_id),
