SELECT EXISTS (
  SELECT FROM pg_catalog.pg_index i
    JOIN pg_catalog.pg_attribute a
      ON a.attrelid OPERATOR(pg_catalog.=) i.indrelid AND a.attnum OPERATOR(pg_catalog.=) i.indkey[0]
   WHERE i.indrelid OPERATOR(pg_catalog.=) {oid}::pg_catalog.oid AND i.indisunique AND i.indisvalid AND i.indimmediate
     AND i.indpred IS NULL AND i.indexprs IS NULL AND i.indnkeyatts OPERATOR(pg_catalog.=) 1
     AND a.attnotnull AND {is_column}
     -- A table that inherits from this one may repeat its keys.
     AND NOT EXISTS (
       SELECT FROM pg_catalog.pg_class c
        WHERE c.oid OPERATOR(pg_catalog.=) i.indrelid AND c.relkind OPERATOR(pg_catalog.=) 'r' AND c.relhassubclass))
