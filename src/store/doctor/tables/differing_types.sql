SELECT pg_catalog.format_type(e.atttypid, e.atttypmod), pg_catalog.format_type(c.atttypid, c.atttypmod)
  FROM pg_catalog.pg_attribute e, pg_catalog.pg_attribute c
 WHERE e.attrelid OPERATOR(pg_catalog.=) {entries}::pg_catalog.oid
   AND c.attrelid OPERATOR(pg_catalog.=) {contexts}::pg_catalog.oid
   AND e.attname OPERATOR(pg_catalog.=) 'embedding' AND c.attname OPERATOR(pg_catalog.=) 'embedding'
   AND (e.atttypid OPERATOR(pg_catalog.<>) c.atttypid OR e.atttypmod OPERATOR(pg_catalog.<>) c.atttypmod)
