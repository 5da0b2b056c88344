-- The partitions that the snapshot of this statement lacks. The rows are read by the same snapshot.
SELECT p.partition::pg_catalog.regclass::pg_catalog.text
  FROM ROWS FROM (pg_catalog.unnest({parents}::pg_catalog.oid[]), pg_catalog.unnest({attached}::pg_catalog.oid[]))
         p (parent, partition)
 WHERE NOT EXISTS (
   SELECT FROM pg_catalog.pg_inherits i
    WHERE i.inhrelid OPERATOR(pg_catalog.=) p.partition AND i.inhparent OPERATOR(pg_catalog.=) p.parent)
