-- The modulus of the partitions of entries by the hash of the memory.
SELECT pg_catalog.max((pg_catalog.regexp_match(
         pg_catalog.pg_get_expr(p.relpartbound, p.oid), 'modulus ([0-9]+)'))[1]::pg_catalog.int8)
  FROM pg_catalog.pg_partitioned_table h
  JOIN pg_catalog.pg_attribute a
    ON a.attrelid OPERATOR(pg_catalog.=) h.partrelid AND a.attnum OPERATOR(pg_catalog.=) h.partattrs[0]
  JOIN pg_catalog.pg_inherits i ON i.inhparent OPERATOR(pg_catalog.=) h.partrelid
  JOIN pg_catalog.pg_class p ON p.oid OPERATOR(pg_catalog.=) i.inhrelid
 WHERE h.partrelid OPERATOR(pg_catalog.=) {entries}::pg_catalog.oid AND h.partstrat OPERATOR(pg_catalog.=) 'h'
   AND h.partnatts OPERATOR(pg_catalog.=) 1 AND a.attname OPERATOR(pg_catalog.=) 'memory_id'
