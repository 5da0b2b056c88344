SELECT DISTINCT r.memory_id::pg_catalog.text FROM {relation} r WHERE true{live}
