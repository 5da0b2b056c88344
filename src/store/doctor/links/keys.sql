SELECT EXISTS (
         SELECT FROM pg_catalog.pg_constraint k
          WHERE k.conrelid OPERATOR(pg_catalog.=) {links}::pg_catalog.oid
            AND k.contype OPERATOR(pg_catalog.=) ANY (ARRAY['p', 'u']::pg_catalog."char"[])
            AND pg_catalog.array_length(k.conkey, 1) OPERATOR(pg_catalog.=) 4),
       EXISTS (
         SELECT FROM pg_catalog.pg_index i
           JOIN pg_catalog.pg_attribute a
             ON a.attrelid OPERATOR(pg_catalog.=) i.indrelid AND a.attnum OPERATOR(pg_catalog.=) i.indkey[1]
            AND a.attname OPERATOR(pg_catalog.=) 'superseded_by'
          WHERE i.indrelid OPERATOR(pg_catalog.=) {entries}::pg_catalog.oid AND i.indisvalid)
