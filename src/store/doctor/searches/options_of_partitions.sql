-- The parts of an index of partitions that have another scoring than it, and those that make other words than the
-- store. The server does not record that an index depends on a text search configuration of its own, like simple.
SELECT c.oid::pg_catalog.regclass::pg_catalog.text,
       part.ranking IS NOT NULL AND part.ranking IS DISTINCT FROM whole.ranking,
       c.relkind OPERATOR(pg_catalog.=) 'i'
         AND (built_by.configuration IS DISTINCT FROM {configuration} OR part.weights IS DISTINCT FROM whole.weights),
       whole.weights
  FROM pg_catalog.pg_partition_tree({index}::pg_catalog.oid::pg_catalog.regclass) t
  JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.relid
  JOIN pg_catalog.pg_class w ON w.oid OPERATOR(pg_catalog.=) {index}::pg_catalog.oid
 CROSS JOIN LATERAL (
    SELECT pg_catalog.max(o.option_value) FILTER (WHERE o.option_name OPERATOR(pg_catalog.=) 'ranking') AS ranking,
           pg_catalog.max(o.option_value) FILTER (WHERE o.option_name OPERATOR(pg_catalog.=) 'weights') AS weights
      FROM pg_catalog.pg_options_to_table(c.reloptions) o) part
 CROSS JOIN LATERAL (
    SELECT pg_catalog.max(o.option_value) FILTER (WHERE o.option_name OPERATOR(pg_catalog.=) 'ranking') AS ranking,
           pg_catalog.max(o.option_value) FILTER (WHERE o.option_name OPERATOR(pg_catalog.=) 'weights') AS weights
      FROM pg_catalog.pg_options_to_table(w.reloptions) o) whole
 CROSS JOIN LATERAL (
    SELECT pg_catalog.max(d.refobjid::pg_catalog.int8) AS configuration
      FROM pg_catalog.pg_depend d
     WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
       AND d.objid OPERATOR(pg_catalog.=) c.oid
       AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_ts_config'::pg_catalog.regclass) built_by
 WHERE t.level OPERATOR(pg_catalog.>) 0
 ORDER BY 1
