UPDATE {entries} e SET superseded_by = {new}::pg_catalog.uuid, superseded_time = {time}
 WHERE e.memory_id OPERATOR(pg_catalog.=) {memory}
   AND e.entry_id OPERATOR(pg_catalog.=) {old}::pg_catalog.uuid{not_deleted}
