WITH those AS MATERIALIZED ({those})
SELECT pg_catalog.array_agg(t.memory_id), pg_catalog.array_agg(t.entry_id::pg_catalog.text) FROM those t
 WHERE (t.memory_id, t.entry_id) OPERATOR(pg_catalog.=) ANY (
   SELECT c.memory_id, c.entry_id FROM {contexts} c
     JOIN {entries} o ON (o.memory_id, o.context) OPERATOR(pg_catalog.=) (c.memory_id, c.context)
      AND o.user_id IS NOT DISTINCT FROM c.user_id{in_o}
    WHERE (c.memory_id, c.entry_id) OPERATOR(pg_catalog.=) ANY (TABLE those){in_c}
      AND ((o.memory_id, o.entry_id) OPERATOR(pg_catalog.=) ANY ({going})) IS NOT TRUE)
