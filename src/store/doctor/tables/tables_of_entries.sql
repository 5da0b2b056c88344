WITH RECURSIVE r AS (
  SELECT c.oid, c.relkind FROM pg_catalog.pg_class c
   WHERE c.oid OPERATOR(pg_catalog.=) {entries}::pg_catalog.oid
  UNION
  SELECT c.oid, c.relkind FROM r
    JOIN pg_catalog.pg_rewrite w ON w.ev_class OPERATOR(pg_catalog.=) r.oid
    JOIN pg_catalog.pg_depend d
      ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass
     AND d.objid OPERATOR(pg_catalog.=) w.oid
     AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
    JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) d.refobjid
   WHERE r.relkind OPERATOR(pg_catalog.=) 'v')
SELECT r.oid::pg_catalog.int8 FROM r
 WHERE r.relkind OPERATOR(pg_catalog.=) ANY (ARRAY['r', 'p', 'm']::pg_catalog."char"[]) ORDER BY 1
