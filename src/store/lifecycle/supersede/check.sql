{chain}
SELECT pg_catalog.count(*),
       pg_catalog.count(*) FILTER (WHERE superseded_by OPERATOR(pg_catalog.=) {old}::pg_catalog.uuid)
  FROM correction
