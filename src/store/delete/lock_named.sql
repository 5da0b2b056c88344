SELECT r.{key} FROM pg_catalog.unnest({ids}::pg_catalog.uuid[]) wanted (id)
 CROSS JOIN LATERAL (
   SELECT r.{key} FROM {relation} r WHERE r.memory_id OPERATOR(pg_catalog.=) {memory} AND {the_row}) r