INSERT INTO {aliases} (memory_id, alias, entity, creation_time)
SELECT {memory}, a.alias, a.entity, COALESCE(a.created, pg_catalog.clock_timestamp())
  FROM ROWS FROM (pg_catalog.unnest({names}), pg_catalog.unnest({entities}), pg_catalog.unnest({created}))
         WITH ORDINALITY a (alias, entity, created, place)
 ORDER BY a.place
