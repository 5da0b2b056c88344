  SELECT i.memory_id{collation} AS memory_id
    FROM ((SELECT DISTINCT e.memory_id{collation} AS memory_id FROM {entries} e
            WHERE {visible}{wanted_entries} AND e.memory_id IS NOT NULL ORDER BY 1 LIMIT {size}){of_contexts}) i
   ORDER BY 1 LIMIT {size}
