WITH RECURSIVE own AS (
  SELECT r.oid FROM pg_catalog.pg_roles r WHERE r.rolname OPERATOR(pg_catalog.=) CURRENT_USER
  UNION
  SELECT m.roleid FROM own JOIN pg_catalog.pg_auth_members m ON m.member OPERATOR(pg_catalog.=) own.oid)
SELECT EXISTS (
         SELECT FROM pg_catalog.pg_class c
          WHERE c.relnamespace OPERATOR(pg_catalog.=) n.oid
            AND c.relname OPERATOR(pg_catalog.=) ANY (ARRAY['entries', 'contexts', 'entry_access']::pg_catalog.name[])),
       owner.rolsuper OR owner.rolname OPERATOR(pg_catalog.=) 'pg_database_owner'
         OR n.nspowner OPERATOR(pg_catalog.=) ANY (SELECT own.oid FROM own)
         OR n.nspowner OPERATOR(pg_catalog.=) (
           SELECT d.datdba FROM pg_catalog.pg_database d
            WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()),
       pg_catalog.quote_ident(owner.rolname)
  FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_roles owner ON owner.oid OPERATOR(pg_catalog.=) n.nspowner
 WHERE n.nspname OPERATOR(pg_catalog.=) {placeholder}
