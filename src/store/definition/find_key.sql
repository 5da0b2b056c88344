SELECT pg_catalog.quote_ident(c.relname)
  FROM pg_catalog.pg_index i
  JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) i.indexrelid
 WHERE i.indrelid OPERATOR(pg_catalog.=) {table} AND i.indisunique AND i.indisvalid
   -- The server may quote every name.
   AND (i.indpred IS NULL
     OR pg_catalog.replace(pg_catalog.pg_get_expr(i.indpred, i.indrelid), '"', '') OPERATOR(pg_catalog.=) {rows})
   AND i.indnkeyatts OPERATOR(pg_catalog.=) 2
   AND 2 OPERATOR(pg_catalog.=) (
     SELECT pg_catalog.count(*) FROM pg_catalog.pg_attribute a
      WHERE a.attrelid OPERATOR(pg_catalog.=) i.indrelid
        AND ((a.attnum OPERATOR(pg_catalog.=) i.indkey[0] AND a.attname OPERATOR(pg_catalog.=) 'memory_id')
          OR (a.attnum OPERATOR(pg_catalog.=) i.indkey[1]
            AND a.attname OPERATOR(pg_catalog.=) {column}::pg_catalog.name)))
 ORDER BY 1 LIMIT 1
