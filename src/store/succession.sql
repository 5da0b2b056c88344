WITH RECURSIVE
  going AS MATERIALIZED (SELECT r.memory_id, r.entry_id, r.superseded_by FROM {entries} r WHERE {goes}{in_r}),
  chain (memory_id, first, next) AS (
    SELECT g.memory_id, g.entry_id, g.superseded_by FROM going g WHERE g.superseded_by IS NOT NULL
    UNION
    SELECT c.memory_id, c.first, g.superseded_by FROM chain c
      JOIN going g ON g.memory_id OPERATOR(pg_catalog.=) c.memory_id AND g.entry_id OPERATOR(pg_catalog.=) c.next
     WHERE g.superseded_by IS NOT NULL),
  stays AS (
    SELECT c.memory_id, c.first, c.next FROM chain c
     WHERE NOT EXISTS (
       SELECT FROM going g
        WHERE g.memory_id OPERATOR(pg_catalog.=) c.memory_id AND g.entry_id OPERATOR(pg_catalog.=) c.next)),
  -- Locked in the order of the key, as everywhere.
  those AS MATERIALIZED (
    SELECT e.memory_id, e.entry_id, e.superseded_by FROM {entries} e
     WHERE e.superseded_by IS NOT NULL{in_e}
       AND EXISTS (
         SELECT FROM stays s
          WHERE s.memory_id OPERATOR(pg_catalog.=) e.memory_id AND s.first OPERATOR(pg_catalog.=) e.superseded_by)
     ORDER BY e.memory_id, e.entry_id FOR NO KEY UPDATE)
UPDATE {entries} e SET superseded_by = s.next
  FROM those t
  JOIN stays s ON s.memory_id OPERATOR(pg_catalog.=) t.memory_id AND s.first OPERATOR(pg_catalog.=) t.superseded_by
 WHERE e.memory_id OPERATOR(pg_catalog.=) t.memory_id AND e.entry_id OPERATOR(pg_catalog.=) t.entry_id{in_e}
