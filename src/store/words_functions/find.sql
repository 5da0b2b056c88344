SELECT p.oid::pg_catalog.regprocedure::pg_catalog.text, c.relname::pg_catalog.text, p.prosrc,
       l.lanname OPERATOR(pg_catalog.=) 'plpgsql' AND p.provolatile OPERATOR(pg_catalog.=) 'i'
         AND p.proconfig IS NULL AND NOT p.prosecdef,
       pg_catalog.pg_get_expr(e.adbin, e.adrelid)
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_attribute a
    ON a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attname OPERATOR(pg_catalog.=) 'search_vector'
  JOIN pg_catalog.pg_attrdef e
    ON e.adrelid OPERATOR(pg_catalog.=) c.oid AND e.adnum OPERATOR(pg_catalog.=) a.attnum
  JOIN pg_catalog.pg_depend d
    ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_attrdef'::pg_catalog.regclass
   AND d.objid OPERATOR(pg_catalog.=) e.oid
   AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass
  JOIN pg_catalog.pg_proc p
    ON p.oid OPERATOR(pg_catalog.=) d.refobjid AND p.pronamespace OPERATOR(pg_catalog.=) c.relnamespace
   AND p.proname OPERATOR(pg_catalog.=) CASE WHEN c.relname OPERATOR(pg_catalog.=) 'entries' THEN 'words_of_entry'
     ELSE 'words_of_context' END
  JOIN pg_catalog.pg_language l ON l.oid OPERATOR(pg_catalog.=) p.prolang
 WHERE c.relnamespace OPERATOR(pg_catalog.=) {schema}::pg_catalog.regnamespace
   AND c.relname OPERATOR(pg_catalog.=) ANY (ARRAY['entries', 'contexts']::pg_catalog.name[])
 ORDER BY c.relname DESC
