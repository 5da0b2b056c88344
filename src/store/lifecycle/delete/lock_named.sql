SELECT r.{key} FROM pg_catalog.unnest({ids}::pg_catalog.uuid[]) wanted (id)
 CROSS JOIN LATERAL (
   SELECT r.{key}, r.deletion_scheduled_time FROM {relation} r
    WHERE r.memory_id OPERATOR(pg_catalog.=) {memory} AND {the_row}) r
 -- This condition comes after the look-up: within it the planner would choose the index of deleted rows if the
 -- statistics know of none.
 WHERE true{those}