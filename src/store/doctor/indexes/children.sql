SELECT c.relkind OPERATOR(pg_catalog.=) 'p',
       EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent OPERATOR(pg_catalog.=) c.oid)
  FROM pg_catalog.pg_class c
 WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass({relation})
