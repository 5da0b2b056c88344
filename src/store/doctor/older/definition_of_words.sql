SELECT CASE WHEN c.relkind OPERATOR(pg_catalog.=) 'v' THEN pg_catalog.pg_get_viewdef(c.oid)
       ELSE (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid)
               FROM pg_catalog.pg_attribute a
               JOIN pg_catalog.pg_attrdef d
                 ON d.adrelid OPERATOR(pg_catalog.=) a.attrelid AND d.adnum OPERATOR(pg_catalog.=) a.attnum
              WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid
                AND a.attname OPERATOR(pg_catalog.=) 'search_vector') END
  FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) {entries}::pg_catalog.oid
