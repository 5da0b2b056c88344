SELECT c.context_id::pg_catalog.text FROM (
  SELECT c.context_id, c.context, c.entry_id FROM {contexts} c
   WHERE c.memory_id OPERATOR(pg_catalog.=) {memory}{not_deleted}
     AND c.user_id IS NOT DISTINCT FROM {user} AND c.creation_time OPERATOR(pg_catalog.<=) {created}
   ORDER BY c.creation_time DESC, c.context_id LIMIT 1) c
 WHERE c.context OPERATOR(pg_catalog.=) {context}
   AND (c.entry_id IS NULL OR (
     SELECT true FROM {entries} i WHERE i.memory_id OPERATOR(pg_catalog.=) {memory} AND {the_entry}) IS TRUE)
