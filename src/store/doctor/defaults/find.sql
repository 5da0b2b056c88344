SELECT wanted.place
  FROM ROWS FROM (pg_catalog.unnest({tables}), pg_catalog.unnest({columns})) WITH ORDINALITY
    wanted (name, of_column, place)
  JOIN pg_catalog.pg_class c
    ON c.relnamespace OPERATOR(pg_catalog.=) {schema}::pg_catalog.regnamespace
   AND c.relname OPERATOR(pg_catalog.=) wanted.name::pg_catalog.name
   AND c.relkind OPERATOR(pg_catalog.=) ANY (ARRAY['r', 'p']::pg_catalog."char"[])
  JOIN pg_catalog.pg_attribute a
    ON a.attrelid OPERATOR(pg_catalog.=) c.oid AND NOT a.attisdropped
   AND a.attname OPERATOR(pg_catalog.=) wanted.of_column::pg_catalog.name
 WHERE a.attnotnull AND NOT a.atthasdef AND a.attidentity OPERATOR(pg_catalog.=) ''
 ORDER BY wanted.place
