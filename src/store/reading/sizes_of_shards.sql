SELECT COALESCE(pg_catalog.sum(s.tables), 0)::pg_catalog.int8,
       COALESCE(pg_catalog.sum(s.whole OPERATOR(pg_catalog.-) s.tables), 0)::pg_catalog.int8
  FROM (SELECT pg_catalog.citus_table_size(t::pg_catalog.oid::pg_catalog.regclass) AS tables,
               pg_catalog.citus_total_relation_size(t::pg_catalog.oid::pg_catalog.regclass) AS whole
          FROM (SELECT pg_catalog.unnest({tables}) UNION ALL
                SELECT {access}::pg_catalog.regclass::pg_catalog.oid::pg_catalog.text) u (t)) s
