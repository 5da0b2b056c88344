SELECT e.memory_id, e.entry_id FROM {entries} e
 WHERE (e.memory_id, e.context) OPERATOR(pg_catalog.=) ANY (
     SELECT c.memory_id, c.context FROM {contexts} c WHERE c.user_id OPERATOR(pg_catalog.=) {user}{in_c})
   AND e.user_id IS DISTINCT FROM {user}{in_e}
   AND e.memory_id OPERATOR(pg_catalog.=) ANY (ARRAY(
     SELECT DISTINCT c.memory_id FROM {contexts} c WHERE c.user_id OPERATOR(pg_catalog.=) {user}{in_c}))
   AND ((e.memory_id, e.context, COALESCE(e.user_id, ''), e.user_id IS NULL) OPERATOR(pg_catalog.=) ANY (
     SELECT o.memory_id, o.context, COALESCE(o.user_id, ''), o.user_id IS NULL FROM {contexts} o
      WHERE o.memory_id OPERATOR(pg_catalog.=) ANY (ARRAY(
        SELECT DISTINCT c.memory_id FROM {contexts} c WHERE c.user_id OPERATOR(pg_catalog.=) {user}{in_c})){in_o}
     )) IS NOT TRUE