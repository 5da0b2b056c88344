SELECT a.attrelid, a.attname::pg_catalog.text, a.atttypid, a.atttypmod::pg_catalog.int8, t.typname::pg_catalog.text,
       pg_catalog.format_type(a.atttypid, NULL), pg_catalog.format_type(a.atttypid, a.atttypmod),
       -- Rows from before a constraint that was never validated may lack a value.
       a.attnotnull AND NOT EXISTS (
         SELECT FROM pg_catalog.pg_constraint k
          WHERE k.conrelid OPERATOR(pg_catalog.=) a.attrelid AND k.contype OPERATOR(pg_catalog.=) 'n'
            AND k.conkey OPERATOR(pg_catalog.=) ARRAY[a.attnum] AND NOT k.convalidated)
  FROM pg_catalog.pg_attribute a
  LEFT JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) a.atttypid
 WHERE a.attrelid OPERATOR(pg_catalog.=) ANY ({relations}::pg_catalog.oid[])
   AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped
