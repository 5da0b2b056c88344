WITH RECURSIVE chain (memory_id, first, next) AS (
  SELECT r.memory_id, r.entry_id, r.superseded_by FROM ({those}) t
    JOIN {entries} r ON (r.memory_id, r.entry_id) OPERATOR(pg_catalog.=) (t.memory_id, t.entry_id)
   WHERE r.superseded_by IS NOT NULL{in_r}
  UNION
  SELECT c.memory_id, c.first, r.superseded_by FROM chain c
    JOIN {entries} r ON (r.memory_id, r.entry_id) OPERATOR(pg_catalog.=) (c.memory_id, c.next)
   WHERE {goes} AND r.superseded_by IS NOT NULL{in_r})
SELECT pg_catalog.array_agg(c.memory_id::pg_catalog.text), pg_catalog.array_agg(c.first::pg_catalog.text)
  FROM chain c
  JOIN {entries} r ON (r.memory_id, r.entry_id) OPERATOR(pg_catalog.=) (c.memory_id, c.next)
 WHERE ({goes}) IS NOT TRUE{in_r}
   AND EXISTS (
     SELECT FROM {entries} e
      WHERE (e.memory_id, e.superseded_by) OPERATOR(pg_catalog.=) (c.memory_id, c.first)
        AND e.entry_id OPERATOR(pg_catalog.<>) c.next{in_e})
