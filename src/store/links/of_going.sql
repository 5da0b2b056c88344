keys AS MATERIALIZED (
  SELECT DISTINCT l.* FROM {going} t
   CROSS JOIN LATERAL (
     SELECT l.memory_id, l.from_entry, l.to_entry, l.kind FROM {links} l
      WHERE (l.memory_id, l.from_entry) OPERATOR(pg_catalog.=) (t.memory_id, t.entry_id){in_l}
     UNION ALL
     SELECT l.memory_id, l.from_entry, l.to_entry, l.kind FROM {links} l
      WHERE (l.memory_id, l.to_entry) OPERATOR(pg_catalog.=) (t.memory_id, t.entry_id){in_l}) l
   ORDER BY 1, 2, 3, 4),
locked AS (
  SELECT k.* FROM keys k
   CROSS JOIN LATERAL (
     SELECT FROM {links} l
      WHERE (l.memory_id, l.from_entry, l.to_entry, l.kind)
        OPERATOR(pg_catalog.=) (k.memory_id, k.from_entry, k.to_entry, k.kind){in_l} FOR UPDATE) l),
unlinked AS (
  DELETE FROM {links} l USING locked k
   WHERE (l.memory_id, l.from_entry, l.to_entry, l.kind)
     OPERATOR(pg_catalog.=) (k.memory_id, k.from_entry, k.to_entry, k.kind){in_l} RETURNING 1),
