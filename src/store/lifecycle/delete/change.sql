-- By an array, which is looked up in the index of the key: a join with those would take a loop over them for each row
-- that statistics say are few, such as the deleted ones of a memory that was deleted since.
WITH those AS MATERIALIZED ({locked})
UPDATE {relation} r SET deletion_scheduled_time = {time}
 WHERE r.memory_id OPERATOR(pg_catalog.=) {memory}
   AND r.{key} OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT those.{key} FROM those))
{returning}
