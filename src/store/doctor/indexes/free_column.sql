SELECT n.name
  FROM (SELECT {name}, 1
        UNION ALL
        SELECT pg_catalog.concat({name}, '_', g), g FROM pg_catalog.generate_series(2, 1600) g) n (name, place)
 WHERE NOT EXISTS (
   SELECT FROM pg_catalog.pg_attribute a
    WHERE a.attrelid OPERATOR(pg_catalog.=) {oid}::pg_catalog.oid
      AND a.attname OPERATOR(pg_catalog.=) n.name::pg_catalog.name)
 ORDER BY n.place LIMIT 1
