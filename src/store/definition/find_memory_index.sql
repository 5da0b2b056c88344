SELECT i.indexrelid::pg_catalog.int8, i.indexrelid::pg_catalog.regclass::pg_catalog.text, i.indisvalid
  FROM pg_catalog.pg_index i
  JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) i.indexrelid
  JOIN pg_catalog.pg_am m
    ON m.oid OPERATOR(pg_catalog.=) c.relam AND m.amname OPERATOR(pg_catalog.=) 'memory_search'
 WHERE i.indrelid OPERATOR(pg_catalog.=) {table}::pg_catalog.oid AND i.indpred IS NULL
 ORDER BY i.indexrelid
