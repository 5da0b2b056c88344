-- The next memories after one, by the key, in the order of its collation.
WITH RECURSIVE memories (memory_id) AS (
  (SELECT r.memory_id FROM {relation} r
    WHERE {last}::pg_catalog.text IS NULL OR r.memory_id OPERATOR(pg_catalog.>) {last}
    ORDER BY r.memory_id LIMIT 1)
  UNION ALL
  SELECT (SELECT r.memory_id FROM {relation} r WHERE r.memory_id OPERATOR(pg_catalog.>) m.memory_id
           ORDER BY r.memory_id LIMIT 1)
    FROM memories m
   WHERE m.memory_id IS NOT NULL)
SELECT m.memory_id::pg_catalog.text FROM memories m WHERE m.memory_id IS NOT NULL LIMIT {most}
