UPDATE {entries} e SET expires_at = n.expires_at
  FROM ROWS FROM (pg_catalog.unnest({ids}::pg_catalog.uuid[]), pg_catalog.unnest({expiries})) n (entry_id, expires_at)
 WHERE {of_memory} AND e.entry_id OPERATOR(pg_catalog.=) n.entry_id
