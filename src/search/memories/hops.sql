-- From one memory to the next by the key, whose order is that of the column's collation. Where this is the order of
-- bytes, the hops begin at the prefix and end behind it; elsewhere they go by every memory.
WITH RECURSIVE order_of_ids AS MATERIALIZED (
  SELECT (d.datlocprovider OPERATOR(pg_catalog.=) 'b'
          OR d.datlocprovider OPERATOR(pg_catalog.=) 'c'
             AND d.datcollate OPERATOR(pg_catalog.=) ANY ('{C,POSIX}'::pg_catalog.text[]))
         AS is_of_bytes
    FROM pg_catalog.pg_database d WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()),
memories (memory_id) AS (
  (SELECT r.memory_id FROM {relation} r
    WHERE r.memory_id OPERATOR(pg_catalog.>=) CASE WHEN (SELECT o.is_of_bytes FROM order_of_ids o) THEN {prefix}
                                                  ELSE '' END
    ORDER BY r.memory_id LIMIT 1)
  UNION ALL
  SELECT (SELECT r.memory_id FROM {relation} r WHERE r.memory_id OPERATOR(pg_catalog.>) m.memory_id
           ORDER BY r.memory_id LIMIT 1)
    FROM memories m
   WHERE m.memory_id IS NOT NULL
     AND (pg_catalog.starts_with(m.memory_id, {prefix}) OR NOT (SELECT o.is_of_bytes FROM order_of_ids o)))
-- What is deleted to the last row is no memory any more, before it is purged too.
SELECT m.memory_id FROM memories m
 WHERE pg_catalog.starts_with(m.memory_id, {prefix})
   AND EXISTS (SELECT FROM {relation} r WHERE r.memory_id OPERATOR(pg_catalog.=) m.memory_id{live})
 LIMIT {most}
