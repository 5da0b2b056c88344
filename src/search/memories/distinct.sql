SELECT DISTINCT r.memory_id::pg_catalog.text FROM {relation} r
 WHERE pg_catalog.starts_with(r.memory_id::pg_catalog.text, {prefix}) {live} LIMIT {most}
