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
        WHERE g.memory_id OPERATOR(pg_catalog.=) c.memory_id AND g.entry_id OPERATOR(pg_catalog.=) c.next))
