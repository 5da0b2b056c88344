SELECT w.place,
       (CASE WHEN t.typtype OPERATOR(pg_catalog.=) 'd' THEN t.typbasetype ELSE t.oid END)::pg_catalog.int8,
       pg_catalog.format_type(w.wanted, NULL)
  FROM ROWS FROM (pg_catalog.unnest({names}), pg_catalog.unnest({types}::pg_catalog.oid[])) WITH ORDINALITY
    w (name, wanted, place)
  JOIN pg_catalog.pg_attribute a
    ON a.attrelid OPERATOR(pg_catalog.=) {table}::pg_catalog.oid AND a.attname OPERATOR(pg_catalog.=) w.name
   AND NOT a.attisdropped
  JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) a.atttypid
 WHERE a.atttypid OPERATOR(pg_catalog.<>) w.wanted
 ORDER BY w.place
