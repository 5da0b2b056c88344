UPDATE {entries} e SET valid_from = {at}
 WHERE e.memory_id OPERATOR(pg_catalog.=) {memory}
   AND e.entry_id OPERATOR(pg_catalog.=) {new}::pg_catalog.uuid{not_deleted}
