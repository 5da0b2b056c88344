SELECT c.relname::pg_catalog.text, pg_catalog.pg_has_role(c.relowner, 'USAGE'),
       pg_catalog.pg_get_userbyid(c.relowner)::pg_catalog.text,
       c.relkind OPERATOR(pg_catalog.=) 'r'
         AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits i
                          WHERE i.inhparent OPERATOR(pg_catalog.=) c.oid OR i.inhrelid OPERATOR(pg_catalog.=) c.oid)
  FROM pg_catalog.pg_class c
 WHERE c.relnamespace OPERATOR(pg_catalog.=) {schema}::pg_catalog.regnamespace
   AND c.relname OPERATOR(pg_catalog.=) ANY ({names}::pg_catalog.name[])
 ORDER BY c.relname
