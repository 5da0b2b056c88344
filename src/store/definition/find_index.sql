SELECT i.indexrelid::pg_catalog.int8 AS index_oid
  FROM pg_catalog.pg_index i
  JOIN pg_catalog.pg_class c
    ON c.oid OPERATOR(pg_catalog.=) i.indexrelid AND c.relname OPERATOR(pg_catalog.=) '{index}'
  JOIN pg_catalog.pg_am m ON m.oid OPERATOR(pg_catalog.=) c.relam AND m.amname OPERATOR(pg_catalog.=) 'btree'
 WHERE i.indrelid OPERATOR(pg_catalog.=) entries.oid AND i.indisvalid AND i.indexprs IS NULL
   AND i.indnkeyatts OPERATOR(pg_catalog.=) {key_columns}
   AND pg_catalog.pg_get_expr(i.indpred, i.indrelid)
         OPERATOR(pg_catalog.=) pg_catalog.concat('(', {predicate}::pg_catalog.text, ' {test})')
   AND 0 OPERATOR(pg_catalog.=) ALL (i.indoption::pg_catalog.int2[])
   AND i.indcollation[0] OPERATOR(pg_catalog.=) memory_id.attcollation
   AND NOT EXISTS (
     SELECT FROM pg_catalog.unnest(i.indclass::pg_catalog.oid[]) k (class)
       JOIN pg_catalog.pg_opclass o ON o.oid OPERATOR(pg_catalog.=) k.class
      WHERE NOT o.opcdefault OR o.opcnamespace OPERATOR(pg_catalog.<>) 'pg_catalog'::pg_catalog.regnamespace)
   AND {columns} OPERATOR(pg_catalog.=) (
     SELECT pg_catalog.string_agg(pg_catalog.concat(a.attname, ' ', a.atttypid), ',' ORDER BY k.place)
       FROM pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY k (attribute, place)
       JOIN pg_catalog.pg_attribute a
         ON a.attrelid OPERATOR(pg_catalog.=) i.indrelid AND a.attnum OPERATOR(pg_catalog.=) k.attribute)
