SELECT e.entry_id::pg_catalog.text, e.valid_from, e.valid_until FROM {entries} e
 WHERE e.memory_id OPERATOR(pg_catalog.=) {memory}
   AND e.entry_id OPERATOR(pg_catalog.=) ANY (ARRAY[{old}, {new}]::pg_catalog.uuid[]){not_deleted}
 ORDER BY e.entry_id FOR NO KEY UPDATE
