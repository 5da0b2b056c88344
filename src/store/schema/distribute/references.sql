-- The references between a store's tables. Citus has none that change the column by which rows are distributed.
SELECT c.oid::pg_catalog.regclass::pg_catalog.text, pg_catalog.quote_ident(k.conname),
       (SELECT pg_catalog.quote_ident(a.attname) FROM pg_catalog.pg_attribute a
         WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum OPERATOR(pg_catalog.=) k.conkey[2])
  FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) k.conrelid
 WHERE k.contype OPERATOR(pg_catalog.=) 'f' AND k.confrelid OPERATOR(pg_catalog.=) {entries}::pg_catalog.oid
   AND c.relnamespace OPERATOR(pg_catalog.=) {schema}::pg_catalog.regnamespace
   AND c.relname OPERATOR(pg_catalog.=) ANY ({names}::pg_catalog.name[])
 ORDER BY c.relname, k.conname
