-- What columns are missing, or of another type, and whether there is one of another type.
SELECT pg_catalog.string_agg(
         CASE WHEN a.attname IS NULL THEN pg_catalog.format('the column %s is missing', wanted.name)
           ELSE pg_catalog.format('the column %s is of type %s instead of %s', wanted.name,
             pg_catalog.format_type(a.atttypid, a.atttypmod), pg_catalog.format_type(wanted.type, NULL)) END,
         ', ' ORDER BY wanted.place),
       pg_catalog.bool_or(a.attname IS NOT NULL)
  FROM (VALUES (1, 'valid_from'::pg_catalog.name, 'pg_catalog.timestamptz'::pg_catalog.regtype::pg_catalog.oid),
               (2, 'valid_until', 'pg_catalog.timestamptz'::pg_catalog.regtype),
               (3, 'time_to_live', 'pg_catalog.interval'::pg_catalog.regtype)) wanted (place, name, type)
  LEFT JOIN pg_catalog.pg_attribute a
    ON a.attrelid OPERATOR(pg_catalog.=) {entries}::pg_catalog.oid AND NOT a.attisdropped
   AND a.attname OPERATOR(pg_catalog.=) wanted.name
 WHERE (a.atttypid OPERATOR(pg_catalog.=) wanted.type) IS NOT TRUE
