SELECT e.memories, e.entries, e.visible, e.deleted, e.expired, e.superseded, e.without_embedding,
       (SELECT pg_catalog.count(*) FROM {contexts} c WHERE {visible_contexts}{in_c})
  FROM (SELECT pg_catalog.count(DISTINCT e.memory_id) FILTER (WHERE {visible}) AS memories,
               pg_catalog.count(*) AS entries,
               pg_catalog.count(*) FILTER (WHERE {visible}) AS visible,
               pg_catalog.count(*) FILTER (WHERE {deleted}) AS deleted,
               pg_catalog.count(*) FILTER (WHERE {expired}) AS expired,
               pg_catalog.count(*) FILTER (WHERE {superseded}) AS superseded,
               pg_catalog.count(*) FILTER (WHERE e.embedding IS NULL AND {visible}) AS without_embedding
          FROM {entries} e WHERE true{in_e}) e
