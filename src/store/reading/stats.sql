SELECT e.memories, e.entries, e.visible, e.deleted, e.expired, e.superseded, e.without_embedding,
       (SELECT pg_catalog.count(*) FROM {contexts} c WHERE {visible_contexts}), size.tables, size.indexes
  FROM (SELECT pg_catalog.count(DISTINCT e.memory_id) FILTER (WHERE {visible}) AS memories,
               pg_catalog.count(*) AS entries,
               pg_catalog.count(*) FILTER (WHERE {visible}) AS visible,
               pg_catalog.count(*) FILTER (WHERE {deleted}) AS deleted,
               pg_catalog.count(*) FILTER (WHERE {expired}) AS expired,
               pg_catalog.count(*) FILTER (WHERE {superseded}) AS superseded,
               pg_catalog.count(*) FILTER (WHERE e.embedding IS NULL AND {visible}) AS without_embedding
          FROM {entries} e) e
  -- A table with its partitions; what is no table has no size.
  CROSS JOIN (
    SELECT COALESCE(pg_catalog.sum(pg_catalog.pg_table_size(part.relid)), 0)::pg_catalog.int8 AS tables,
           COALESCE(pg_catalog.sum(pg_catalog.pg_indexes_size(part.relid)), 0)::pg_catalog.int8 AS indexes
      FROM (SELECT t::pg_catalog.oid::pg_catalog.regclass AS relid FROM pg_catalog.unnest({tables}) t
             UNION SELECT {access}::pg_catalog.regclass) root
      CROSS JOIN LATERAL (
        SELECT root.relid UNION SELECT tree.relid FROM pg_catalog.pg_partition_tree(root.relid) tree) part
      JOIN pg_catalog.pg_class k ON k.oid OPERATOR(pg_catalog.=) part.relid
       AND k.relkind OPERATOR(pg_catalog.=) ANY (ARRAY['r', 'p', 'm']::pg_catalog."char"[])) size
