UPDATE {contexts} c SET entry_id = n.entry_id
  FROM (
    SELECT c.memory_id, c.context_id, o.entry_id
      FROM {entries} r
      JOIN {contexts} c
        ON (c.memory_id, c.entry_id) OPERATOR(pg_catalog.=) (r.memory_id, r.entry_id){in_c}
       AND c.user_id IS DISTINCT FROM {user}
     CROSS JOIN LATERAL (
       SELECT o.entry_id FROM {entries} o
        WHERE (o.memory_id, o.context) OPERATOR(pg_catalog.=) (c.memory_id, c.context)
          AND o.user_id IS NOT DISTINCT FROM c.user_id{in_o}
        ORDER BY {is_deleted}, o.creation_time, o.entry_id LIMIT 1{lock}) o
     WHERE {of_user}{in_r} OFFSET 0) n
 WHERE (c.memory_id, c.context_id) OPERATOR(pg_catalog.=) (n.memory_id, n.context_id){in_c}
