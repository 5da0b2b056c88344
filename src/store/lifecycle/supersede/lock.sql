{chain}
SELECT FROM (
    SELECT {old}::pg_catalog.uuid AS id UNION SELECT c.entry_id FROM correction c ORDER BY 1) wanted
 CROSS JOIN LATERAL (
   SELECT e.entry_id FROM {entries} e
    WHERE e.memory_id OPERATOR(pg_catalog.=) {memory} AND {the_wanted} FOR NO KEY UPDATE) e
