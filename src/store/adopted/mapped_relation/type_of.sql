WITH RECURSIVE t AS (
  SELECT ty.oid, ty.typname, ty.typbasetype, ty.typtypmod AS modifier FROM pg_catalog.pg_type ty
   WHERE ty.oid OPERATOR(pg_catalog.=) {oid}::pg_catalog.oid
  UNION ALL
  SELECT ty.oid, ty.typname, ty.typbasetype, GREATEST(t.modifier, ty.typtypmod)
    FROM t JOIN pg_catalog.pg_type ty ON ty.oid OPERATOR(pg_catalog.=) t.typbasetype)
SELECT t.typname::pg_catalog.text,
       CASE WHEN t.oid OPERATOR(pg_catalog.<>) {oid}::pg_catalog.oid
         THEN pg_catalog.format_type(t.oid, t.modifier) END
  FROM t WHERE t.typbasetype OPERATOR(pg_catalog.=) 0::pg_catalog.oid
