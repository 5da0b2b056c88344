UPDATE {entries} e SET valid_until = LEAST(e.valid_until, {at})
 WHERE e.memory_id OPERATOR(pg_catalog.=) {memory}
   AND e.entry_id OPERATOR(pg_catalog.=) {old}::pg_catalog.uuid{not_deleted}
