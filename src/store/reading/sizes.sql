-- A table with its partitions; a relation that is no table has no size.
SELECT COALESCE(pg_catalog.sum(pg_catalog.pg_table_size(part.relid)), 0)::pg_catalog.int8 AS tables,
       COALESCE(pg_catalog.sum(pg_catalog.pg_indexes_size(part.relid)), 0)::pg_catalog.int8 AS indexes
  FROM (SELECT t::pg_catalog.oid::pg_catalog.regclass AS relid FROM pg_catalog.unnest({tables}) t
         UNION SELECT {access}::pg_catalog.regclass) root
  CROSS JOIN LATERAL (
    SELECT root.relid UNION SELECT tree.relid FROM pg_catalog.pg_partition_tree(root.relid) tree) part
  JOIN pg_catalog.pg_class k ON k.oid OPERATOR(pg_catalog.=) part.relid
   AND k.relkind OPERATOR(pg_catalog.=) ANY (ARRAY['r', 'p', 'm']::pg_catalog."char"[])
