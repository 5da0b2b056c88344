SELECT pg_catalog.quote_literal(pg_catalog.format('%I.%I', n.nspname, c.cfgname)),
       pg_catalog.format('%I.%I', n.nspname, c.cfgname)
  FROM pg_catalog.pg_ts_config c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.cfgnamespace
 WHERE c.cfgname OPERATOR(pg_catalog.=) {placeholder}
    OR pg_catalog.format('%s.%s', n.nspname, c.cfgname) OPERATOR(pg_catalog.=) {placeholder}
    OR pg_catalog.format('%I.%I', n.nspname, c.cfgname) OPERATOR(pg_catalog.=) {placeholder}
 ORDER BY pg_catalog.format('%I.%I', n.nspname, c.cfgname) OPERATOR(pg_catalog.<>) {placeholder},
       pg_catalog.format('%s.%s', n.nspname, c.cfgname) OPERATOR(pg_catalog.<>) {placeholder},
       n.nspname OPERATOR(pg_catalog.<>) 'pg_catalog', n.nspname LIMIT 1
