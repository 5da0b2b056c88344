SELECT pg_catalog.format('%I.%I', n.nspname, c.relname),
       pg_catalog.string_agg(DISTINCT pg_catalog.quote_ident(a.attname), ', ')
  FROM pg_catalog.pg_rewrite r
  JOIN pg_catalog.pg_depend d
    ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass
   AND d.objid OPERATOR(pg_catalog.=) r.oid
   AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
   AND d.refobjid OPERATOR(pg_catalog.<>) r.ev_class AND d.refobjsubid OPERATOR(pg_catalog.>) 0
  JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) d.refobjid
  JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
  JOIN pg_catalog.pg_attribute a
    ON a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum OPERATOR(pg_catalog.=) d.refobjsubid
 WHERE r.ev_class OPERATOR(pg_catalog.=) {view}::pg_catalog.oid GROUP BY n.nspname, c.relname ORDER BY 1
