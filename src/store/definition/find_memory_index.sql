SELECT i.indexrelid::pg_catalog.int8 AS index_oid, i.indexrelid::pg_catalog.regclass::pg_catalog.text AS name, (
    -- The columns of the table behind those of the index, with their types; an empty name for an expression.
    SELECT pg_catalog.json_agg(
             pg_catalog.json_build_array(
               COALESCE(a.attname::pg_catalog.text, ''), COALESCE(a.atttypid::pg_catalog.int8, 0))
             ORDER BY k.place)
      FROM pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY k (attribute, place)
      LEFT JOIN pg_catalog.pg_attribute a
        ON a.attrelid OPERATOR(pg_catalog.=) i.indrelid AND a.attnum OPERATOR(pg_catalog.=) k.attribute
  ) AS columns
  FROM pg_catalog.pg_index i
  JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) i.indexrelid
  JOIN pg_catalog.pg_am m
    ON m.oid OPERATOR(pg_catalog.=) c.relam AND m.amname OPERATOR(pg_catalog.=) 'memory_search'
 WHERE i.indrelid OPERATOR(pg_catalog.=) entries.oid AND i.indisvalid AND i.indpred IS NULL
 -- Of several the one that holds most.
 ORDER BY i.indnatts DESC, i.indexrelid LIMIT 1
