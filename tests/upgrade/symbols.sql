-- The library's functions as the installed SQL calls them: name, arguments and result. Overloads with other types call
-- the same C functions, by types with the same layout.
SET search_path = pg_catalog;
SELECT concat_ws(' | ', p.prosrc, p.proargtypes::regtype[]::text, p.prorettype::regtype, p.proretset,
  p.proisstrict, p.proallargtypes::regtype[]::text)
FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension x ON d.refclassid = 'pg_extension'::regclass AND x.oid = d.refobjid
WHERE x.extname = 'memory_search' AND p.prolang = (SELECT oid FROM pg_language WHERE lanname = 'c')
  AND NOT EXISTS (SELECT FROM unnest(p.proargtypes) a JOIN pg_type t ON t.oid = a
                  WHERE t.typname ~ '^_?memory_(text|jsonb|int4|uuid|timestamptz)$')
ORDER BY 1;
