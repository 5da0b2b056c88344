-- The entries, and each of their partitions: a statement fires the triggers of the table that it names, and no others.
SELECT c.oid::pg_catalog.regclass::pg_catalog.text,
       c.relnamespace OPERATOR(pg_catalog.=) e.relnamespace
  FROM (SELECT {entries}::pg_catalog.oid AS oid
         UNION SELECT t.relid FROM pg_catalog.pg_partition_tree({entries}::pg_catalog.oid::pg_catalog.regclass) t) t
  JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.oid
  JOIN pg_catalog.pg_class e ON e.oid OPERATOR(pg_catalog.=) {entries}::pg_catalog.oid
 ORDER BY c.oid
