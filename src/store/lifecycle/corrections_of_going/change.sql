{stays},
  those AS MATERIALIZED ({locked})
UPDATE {entries} e SET superseded_by = s.next
  FROM those t
  JOIN stays s ON s.memory_id OPERATOR(pg_catalog.=) t.memory_id AND s.first OPERATOR(pg_catalog.=) t.superseded_by
   AND s.next OPERATOR(pg_catalog.<>) t.entry_id
 WHERE e.memory_id OPERATOR(pg_catalog.=) t.memory_id AND e.entry_id OPERATOR(pg_catalog.=) t.entry_id{in_e}
