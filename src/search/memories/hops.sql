-- From one memory to the next by the key, which is ordered bytewise here: the hops begin at the prefix and end behind
-- it.
WITH RECURSIVE memories (memory_id) AS (
  (SELECT r.memory_id FROM {relation} r WHERE r.memory_id OPERATOR(pg_catalog.>=) {prefix}
    ORDER BY r.memory_id LIMIT 1)
  UNION ALL
  SELECT (SELECT r.memory_id FROM {relation} r WHERE r.memory_id OPERATOR(pg_catalog.>) m.memory_id
           ORDER BY r.memory_id LIMIT 1)
    FROM memories m
   WHERE m.memory_id IS NOT NULL AND pg_catalog.starts_with(m.memory_id, {prefix}))
-- A memory whose rows are all deleted is none any more, before they are purged too.
SELECT m.memory_id::pg_catalog.text FROM memories m
 WHERE pg_catalog.starts_with(m.memory_id, {prefix})
   AND EXISTS (SELECT FROM {relation} r WHERE r.memory_id OPERATOR(pg_catalog.=) m.memory_id{live})
 LIMIT {most}
