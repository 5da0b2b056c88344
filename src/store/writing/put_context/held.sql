SELECT c.context_id::pg_catalog.text FROM {contexts} c
 WHERE c.memory_id OPERATOR(pg_catalog.=) {memory}
   AND c.context_id OPERATOR(pg_catalog.=) ANY ({ids}::pg_catalog.uuid[]){not_deleted}
 ORDER BY c.context_id FOR KEY SHARE
