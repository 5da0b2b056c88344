WITH those AS MATERIALIZED ({those}),
keys AS MATERIALIZED (
  SELECT t.memory_id, t.entry_id, l.from_entry, l.to_entry, l.kind FROM those t
   CROSS JOIN LATERAL (
     SELECT l.from_entry, l.to_entry, l.kind FROM {relation} l
      WHERE (l.memory_id, l.from_entry) OPERATOR(pg_catalog.=) (t.memory_id, t.entry_id){in_l}
     UNION ALL
     SELECT l.from_entry, l.to_entry, l.kind FROM {relation} l
      WHERE (l.memory_id, l.to_entry) OPERATOR(pg_catalog.=) (t.memory_id, t.entry_id){in_l}) l),
locked AS MATERIALIZED (
  SELECT k.* FROM keys k
   CROSS JOIN LATERAL (
     SELECT FROM {relation} l
      WHERE (l.memory_id, l.from_entry, l.to_entry, l.kind)
        OPERATOR(pg_catalog.=) (k.memory_id, k.from_entry, k.to_entry, k.kind){in_l} FOR UPDATE SKIP LOCKED) l),
in_use AS (TABLE keys EXCEPT TABLE locked)
SELECT pg_catalog.array_agg(t.memory_id), pg_catalog.array_agg(t.entry_id::pg_catalog.text) FROM those t
 WHERE NOT EXISTS (
   SELECT FROM in_use u WHERE (u.memory_id, u.entry_id) OPERATOR(pg_catalog.=) (t.memory_id, t.entry_id))
