SELECT c.oid::pg_catalog.regclass::pg_catalog.text
  FROM pg_catalog.pg_partition_tree({index}::pg_catalog.oid::pg_catalog.regclass) t
  JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.relid
 CROSS JOIN LATERAL pg_catalog.pg_options_to_table(c.reloptions) o
 WHERE t.level OPERATOR(pg_catalog.>) 0 AND o.option_name OPERATOR(pg_catalog.=) 'ranking'
   AND NOT EXISTS (
     SELECT FROM pg_catalog.pg_class whole, pg_catalog.pg_options_to_table(whole.reloptions) of_whole
      WHERE whole.oid OPERATOR(pg_catalog.=) {index}::pg_catalog.oid
        AND of_whole.option_name OPERATOR(pg_catalog.=) 'ranking'
        AND of_whole.option_value OPERATOR(pg_catalog.=) o.option_value)
 ORDER BY 1
