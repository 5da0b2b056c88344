WITH relation AS (
  SELECT c.oid FROM pg_catalog.pg_class c
   WHERE c.relnamespace OPERATOR(pg_catalog.=) {schema}::pg_catalog.regnamespace
     AND (c.relname OPERATOR(pg_catalog.=) ANY (ARRAY['entries', 'contexts', 'entry_access']::pg_catalog.name[])
       OR c.oid OPERATOR(pg_catalog.=) ANY ({more}::pg_catalog.oid[])))
SELECT pg_catalog.pg_has_role(n.nspowner, 'USAGE')
   AND pg_catalog.starts_with(pg_catalog.obj_description(n.oid, 'pg_namespace'), {made_for_store})
   AND NOT EXISTS (
     SELECT FROM pg_catalog.pg_depend d
      WHERE d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_namespace'::pg_catalog.regclass
        AND d.refobjid OPERATOR(pg_catalog.=) n.oid
        AND NOT (
          d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass
          AND d.objid OPERATOR(pg_catalog.=) ANY ({functions}::pg_catalog.regprocedure[]::pg_catalog.oid[]))
        AND NOT (
          d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
          AND (
            d.objid OPERATOR(pg_catalog.=) ANY (SELECT oid FROM relation)
            OR EXISTS (
              SELECT FROM pg_catalog.pg_depend own
               WHERE own.classid OPERATOR(pg_catalog.=) d.classid AND own.objid OPERATOR(pg_catalog.=) d.objid
                 AND own.refclassid OPERATOR(pg_catalog.=) d.classid
                 AND own.deptype OPERATOR(pg_catalog.=) ANY (ARRAY['a', 'i']::pg_catalog."char"[])
                 AND own.refobjid OPERATOR(pg_catalog.=) ANY (SELECT oid FROM relation)))))
  FROM pg_catalog.pg_namespace n WHERE n.oid OPERATOR(pg_catalog.=) {schema}::pg_catalog.regnamespace
