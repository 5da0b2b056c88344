pg_catalog.strpos({text}, '++') OPERATOR(pg_catalog.>) 0
    OR pg_catalog.strpos({text}, '#') OPERATOR(pg_catalog.>) 0
    OR pg_catalog.octet_length({text}) OPERATOR(pg_catalog.>) pg_catalog.length({text})
