SELECT DISTINCT COALESCE(o.oprcode::pg_catalog.oid, d.refobjid)::pg_catalog.int8
  FROM pg_catalog.pg_rewrite r
  JOIN pg_catalog.pg_depend d
    ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass
   AND d.objid OPERATOR(pg_catalog.=) r.oid
   AND d.refclassid OPERATOR(pg_catalog.=) ANY (
     ARRAY['pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_operator'::pg_catalog.regclass])
  LEFT JOIN pg_catalog.pg_operator o
    ON d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_operator'::pg_catalog.regclass
   AND o.oid OPERATOR(pg_catalog.=) d.refobjid
 WHERE r.ev_class OPERATOR(pg_catalog.=) {view}::pg_catalog.oid
