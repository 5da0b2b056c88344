{chain}
SELECT FROM {entries} e
 WHERE e.memory_id OPERATOR(pg_catalog.=) {memory}
   AND (e.entry_id OPERATOR(pg_catalog.=) {old}::pg_catalog.uuid
     OR e.entry_id OPERATOR(pg_catalog.=) ANY (SELECT c.entry_id FROM correction c))
 ORDER BY e.entry_id FOR NO KEY UPDATE
