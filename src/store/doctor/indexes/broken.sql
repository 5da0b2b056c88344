-- Also the memory indexes that are valid, for a look at the types of their columns. An index of a partition has those
-- of the index of all partitions.
SELECT i.indexrelid::pg_catalog.int8, i.indexrelid::pg_catalog.regclass::pg_catalog.text,
       NOT (i.indisvalid AND i.indisready), c.relkind OPERATOR(pg_catalog.=) 'I',
       m.amname OPERATOR(pg_catalog.=) 'memory_search' AND NOT c.relispartition,
       i.indnkeyatts::pg_catalog.int8, i.indnatts::pg_catalog.int8, i.indrelid::pg_catalog.int8
  FROM pg_catalog.pg_index i
  JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) i.indexrelid
  JOIN pg_catalog.pg_am m ON m.oid OPERATOR(pg_catalog.=) c.relam
 WHERE i.indrelid OPERATOR(pg_catalog.=) ANY ({tables}::pg_catalog.oid[])
   AND (m.amname OPERATOR(pg_catalog.=) 'memory_search' OR NOT (i.indisvalid AND i.indisready))
 ORDER BY 2
