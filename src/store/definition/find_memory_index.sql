SELECT i.indexrelid::pg_catalog.int8, i.indexrelid::pg_catalog.regclass::pg_catalog.text, i.indisvalid,
       i.indnkeyatts::pg_catalog.int8, options.language, options.weights, built_by.configuration,
       options.ranking, i.indnatts::pg_catalog.int8
  FROM pg_catalog.pg_index i
  JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) i.indexrelid
  JOIN pg_catalog.pg_am m
    ON m.oid OPERATOR(pg_catalog.=) c.relam AND m.amname OPERATOR(pg_catalog.=) 'memory_search'
  LEFT JOIN LATERAL (
    SELECT pg_catalog.max(o.option_value) FILTER (WHERE o.option_name OPERATOR(pg_catalog.=) 'language') AS language,
           pg_catalog.max(o.option_value) FILTER (WHERE o.option_name OPERATOR(pg_catalog.=) 'weights') AS weights,
           pg_catalog.max(o.option_value) FILTER (WHERE o.option_name OPERATOR(pg_catalog.=) 'ranking') AS ranking
      FROM pg_catalog.pg_options_to_table(c.reloptions) o) options ON true
  -- The text search configuration that it was built by. It is found by OID, so it may have been renamed since.
  LEFT JOIN LATERAL (
    SELECT pg_catalog.max(d.refobjid::pg_catalog.int8) AS configuration
      FROM pg_catalog.pg_depend d
     WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
       AND d.objid OPERATOR(pg_catalog.=) i.indexrelid
       AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_ts_config'::pg_catalog.regclass
    HAVING pg_catalog.count(DISTINCT d.refobjid) OPERATOR(pg_catalog.=) 1) built_by ON true
 WHERE i.indrelid OPERATOR(pg_catalog.=) {table}::pg_catalog.oid AND i.indpred IS NULL
 ORDER BY i.indexrelid
