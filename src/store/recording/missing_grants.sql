-- A role that writes entries writes their history, by the same statement.
SELECT DISTINCT 'GRANT ' OPERATOR(pg_catalog.||) p.portion OPERATOR(pg_catalog.||) ' ON {history} TO '
         OPERATOR(pg_catalog.||) CASE WHEN a.grantee OPERATOR(pg_catalog.=) 0::pg_catalog.oid THEN 'PUBLIC'
                                      ELSE pg_catalog.quote_ident(r.rolname) END
  FROM (
    SELECT a.grantee, a.privilege_type
      FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a
     WHERE c.oid OPERATOR(pg_catalog.=) {entries}::pg_catalog.oid
    UNION
    SELECT a.grantee, a.privilege_type
      FROM pg_catalog.pg_attribute c, pg_catalog.aclexplode(c.attacl) a
     WHERE c.attrelid OPERATOR(pg_catalog.=) {entries}::pg_catalog.oid
       AND a.privilege_type OPERATOR(pg_catalog.<>) 'SELECT') a
  JOIN (VALUES ('SELECT', 'SELECT', 'SELECT'), ('INSERT', 'INSERT', '{insert}'), ('UPDATE', 'INSERT', '{insert}'),
               ('DELETE', 'DELETE', 'DELETE')) p (privilege, needed, portion)
    ON p.privilege OPERATOR(pg_catalog.=) a.privilege_type
  LEFT JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) a.grantee
 WHERE NOT CASE WHEN p.needed OPERATOR(pg_catalog.=) 'INSERT'
         THEN pg_catalog.has_any_column_privilege(a.grantee, {table}::pg_catalog.oid, 'INSERT')
         ELSE pg_catalog.has_table_privilege(a.grantee, {table}::pg_catalog.oid, p.needed) END
   AND (a.grantee OPERATOR(pg_catalog.=) 0::pg_catalog.oid OR r.rolname IS NOT NULL)
 ORDER BY 1
