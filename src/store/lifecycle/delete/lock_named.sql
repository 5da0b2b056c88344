SELECT r.{key} FROM pg_catalog.unnest({ids}::pg_catalog.uuid[]) wanted (id)
 CROSS JOIN LATERAL (
   SELECT r.{key}, r.deletion_scheduled_time FROM {relation} r
    WHERE r.memory_id OPERATOR(pg_catalog.=) {memory} AND {the_row}) r
 -- Behind the look-up: within it the index of what was deleted would look best where statistics know nothing deleted.
 WHERE true{those}