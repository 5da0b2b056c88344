WITH those AS MATERIALIZED ({locked})
UPDATE {relation} r SET deletion_scheduled_time = {time}
 WHERE r.memory_id OPERATOR(pg_catalog.=) {memory}
   AND r.{key} OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT those.{key} FROM those))
{returning}
