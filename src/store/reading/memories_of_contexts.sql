
           UNION
           (SELECT DISTINCT c.memory_id COLLATE pg_catalog."default" AS memory_id FROM {contexts} c
             WHERE {visible_contexts}{wanted_contexts} ORDER BY 1 LIMIT {size})
