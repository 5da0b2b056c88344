WITH those AS MATERIALIZED (
  SELECT r.{key} FROM {relation} r
   WHERE r.memory_id OPERATOR(pg_catalog.=) {memory}{those}{only}
   ORDER BY r.{key} FOR NO KEY UPDATE)
UPDATE {relation} r SET deletion_scheduled_time = {time} FROM those
 WHERE r.memory_id OPERATOR(pg_catalog.=) {memory} AND r.{key} OPERATOR(pg_catalog.=) those.{key}{those}
