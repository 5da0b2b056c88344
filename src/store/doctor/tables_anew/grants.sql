-- The owner of a table, and grants on new tables like those on it.
SELECT pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(c.relowner)),
       pg_catalog.string_agg(
         'GRANT ' OPERATOR(pg_catalog.||) a.privilege_type OPERATOR(pg_catalog.||) ' ON ' OPERATOR(pg_catalog.||) {new}
           OPERATOR(pg_catalog.||) ' TO ' OPERATOR(pg_catalog.||)
           CASE WHEN a.grantee OPERATOR(pg_catalog.=) 0::pg_catalog.oid THEN 'PUBLIC'
                ELSE pg_catalog.quote_ident(r.rolname) END
           OPERATOR(pg_catalog.||) ';', E'\n' ORDER BY r.rolname, a.privilege_type)
         FILTER (WHERE a.privilege_type OPERATOR(pg_catalog.=) ANY (ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'])
           AND a.grantee OPERATOR(pg_catalog.<>) c.relowner
           AND (a.grantee OPERATOR(pg_catalog.=) 0::pg_catalog.oid OR r.rolname IS NOT NULL))
  FROM pg_catalog.pg_class c
  LEFT JOIN LATERAL pg_catalog.aclexplode(c.relacl) a ON true
  LEFT JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) a.grantee
 WHERE c.oid OPERATOR(pg_catalog.=) {like}::pg_catalog.oid
 GROUP BY c.relowner
