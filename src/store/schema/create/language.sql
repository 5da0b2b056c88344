SELECT pg_catalog.quote_literal(f.name), f.name, f.rank
  FROM (
    SELECT pg_catalog.format('%I.%I', n.nspname, c.cfgname) AS name,
           CASE
             WHEN pg_catalog.format('%I.%I', n.nspname, c.cfgname) OPERATOR(pg_catalog.=) {placeholder} THEN 1
             WHEN pg_catalog.format('%s.%s', n.nspname, c.cfgname) OPERATOR(pg_catalog.=) {placeholder} THEN 2
             WHEN n.nspname OPERATOR(pg_catalog.=) 'pg_catalog' THEN 3
             WHEN EXISTS (
               SELECT FROM pg_catalog.pg_depend d
                 JOIN pg_catalog.pg_extension e ON e.oid OPERATOR(pg_catalog.=) d.refobjid
                WHERE (d.classid, d.objid, d.refclassid, d.deptype) OPERATOR(pg_catalog.=)
                      ('pg_catalog.pg_ts_config'::pg_catalog.regclass, c.oid,
                       'pg_catalog.pg_extension'::pg_catalog.regclass, 'e'::pg_catalog."char")
                  AND e.extname OPERATOR(pg_catalog.=) 'memory_search') THEN 4
             ELSE 5
           END::pg_catalog.int8 AS rank
      FROM pg_catalog.pg_ts_config c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.cfgnamespace
     WHERE (c.cfgname OPERATOR(pg_catalog.=) {placeholder}
        AND n.oid OPERATOR(pg_catalog.<>) pg_catalog.pg_my_temp_schema()
        AND NOT pg_catalog.pg_is_other_temp_schema(n.oid)
        AND pg_catalog.has_schema_privilege(n.oid, 'USAGE'))
        OR pg_catalog.format('%s.%s', n.nspname, c.cfgname) OPERATOR(pg_catalog.=) {placeholder}
        OR pg_catalog.format('%I.%I', n.nspname, c.cfgname) OPERATOR(pg_catalog.=) {placeholder}) f
 ORDER BY f.rank, f.name
