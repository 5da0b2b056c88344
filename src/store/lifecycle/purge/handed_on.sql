UPDATE {contexts} c SET entry_id = g.entry_id
  FROM (
    SELECT g.memory_id, g.context_id, g.entry_id
      FROM ROWS FROM (
        pg_catalog.unnest({memories}), pg_catalog.unnest({given}::pg_catalog.uuid[]),
        pg_catalog.unnest({to}::pg_catalog.uuid[])) g (memory_id, context_id, entry_id) OFFSET 0) g
 WHERE (c.memory_id, c.context_id) OPERATOR(pg_catalog.=) (g.memory_id, g.context_id){in_c}
