-- The transactions that attached partitions, as far as the snapshot of this statement sees them: 0 for one that every
-- snapshot has, null for a partition that this snapshot lacks. The rows are read by the same snapshot.
SELECT p.partition::pg_catalog.regclass::pg_catalog.text,
       (SELECT CASE WHEN pg_catalog.age(i.xmin) OPERATOR(pg_catalog.<) 1000000000
                    THEN i.xmin::pg_catalog.text::pg_catalog.int8 ELSE 0 END
          FROM pg_catalog.pg_inherits i
         WHERE i.inhrelid OPERATOR(pg_catalog.=) p.partition AND i.inhparent OPERATOR(pg_catalog.=) p.parent)
  FROM ROWS FROM (pg_catalog.unnest({parents}::pg_catalog.oid[]), pg_catalog.unnest({attached}::pg_catalog.oid[]))
         WITH ORDINALITY p (parent, partition, place)
 ORDER BY p.place
