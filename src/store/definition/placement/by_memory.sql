SELECT p.partrelid::pg_catalog.int8
  FROM pg_catalog.unnest(ARRAY['entries', 'contexts', 'entry_access']) WITH ORDINALITY t (name, place)
  JOIN pg_catalog.pg_class r
    ON r.relname OPERATOR(pg_catalog.=) t.name::pg_catalog.name
   AND r.relnamespace OPERATOR(pg_catalog.=) {schema}::pg_catalog.regnamespace
  JOIN pg_catalog.pg_partitioned_table p
    ON p.partrelid OPERATOR(pg_catalog.=) r.oid AND p.partstrat OPERATOR(pg_catalog.=) 'h'
   AND p.partnatts OPERATOR(pg_catalog.=) 1
   AND p.partcollation[0] OPERATOR(pg_catalog.=) 'pg_catalog."default"'::pg_catalog.regcollation::pg_catalog.oid
  JOIN pg_catalog.pg_attribute a
    ON a.attrelid OPERATOR(pg_catalog.=) p.partrelid AND a.attnum OPERATOR(pg_catalog.=) p.partattrs[0]
   AND a.attname OPERATOR(pg_catalog.=) 'memory_id'
   AND a.atttypid OPERATOR(pg_catalog.=) 'pg_catalog.text'::pg_catalog.regtype
  JOIN pg_catalog.pg_opclass c
    ON c.oid OPERATOR(pg_catalog.=) p.partclass[0] AND c.opcdefault AND c.opcintype OPERATOR(pg_catalog.=) a.atttypid
   AND c.opcnamespace OPERATOR(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace
 ORDER BY t.place
