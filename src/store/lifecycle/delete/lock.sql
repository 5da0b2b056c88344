SELECT r.{key} FROM {relation} r
 WHERE r.memory_id OPERATOR(pg_catalog.=) {memory}{those}{only}
 ORDER BY r.{key}