-- The remainders without a partition, each with the table that has the name of its partition and is none, or is being
-- detached. Only tables whose partitions all have one modulus.
SELECT t.relname::pg_catalog.text, whole.modulus, n.remainder,
       CASE WHEN own.oid IS NOT NULL
            THEN pg_catalog.format('%I.%I', s.nspname, own.relname) END, pending.inhrelid IS NOT NULL,
       pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(t.relowner)::pg_catalog.text)
  FROM pg_catalog.pg_namespace s
  JOIN pg_catalog.pg_class t
    ON t.relnamespace OPERATOR(pg_catalog.=) s.oid
   AND t.relname OPERATOR(pg_catalog.=)
     ANY (ARRAY['entries', 'contexts', 'entry_access', 'links', 'aliases']::pg_catalog.name[])
  JOIN pg_catalog.pg_partitioned_table h
    ON h.partrelid OPERATOR(pg_catalog.=) t.oid AND h.partstrat OPERATOR(pg_catalog.=) 'h'
 CROSS JOIN LATERAL (
    SELECT pg_catalog.min(bound.numbers[1]::pg_catalog.int8) AS modulus,
           pg_catalog.max(bound.numbers[1]::pg_catalog.int8) AS most,
           pg_catalog.array_agg(bound.numbers[2]::pg_catalog.int8)
             FILTER (WHERE NOT i.inhdetachpending) AS remainders
      FROM pg_catalog.pg_inherits i
      JOIN pg_catalog.pg_class p ON p.oid OPERATOR(pg_catalog.=) i.inhrelid
     CROSS JOIN LATERAL (
        SELECT pg_catalog.regexp_match(pg_catalog.pg_get_expr(p.relpartbound, p.oid),
          'modulus ([0-9]+), remainder ([0-9]+)')) bound (numbers)
     WHERE i.inhparent OPERATOR(pg_catalog.=) t.oid) have
 CROSS JOIN LATERAL (
    -- A table whose partitions are all detached has as many as those beside it.
    SELECT COALESCE(have.modulus, pg_catalog.max((pg_catalog.regexp_match(
             pg_catalog.pg_get_expr(p.relpartbound, p.oid), 'modulus ([0-9]+)'))[1]::pg_catalog.int8)) AS modulus
      FROM pg_catalog.pg_class beside
      JOIN pg_catalog.pg_inherits i ON i.inhparent OPERATOR(pg_catalog.=) beside.oid
      JOIN pg_catalog.pg_class p ON p.oid OPERATOR(pg_catalog.=) i.inhrelid
     WHERE beside.relnamespace OPERATOR(pg_catalog.=) s.oid) whole
 CROSS JOIN LATERAL pg_catalog.generate_series(0, whole.modulus OPERATOR(pg_catalog.-) 1) n (remainder)
  LEFT JOIN pg_catalog.pg_class own
    ON own.relnamespace OPERATOR(pg_catalog.=) s.oid AND own.relkind OPERATOR(pg_catalog.=) 'r'
   AND own.relname OPERATOR(pg_catalog.=)
     pg_catalog.concat(t.relname, '_', n.remainder)::pg_catalog.name
  LEFT JOIN pg_catalog.pg_inherits pending
    ON pending.inhrelid OPERATOR(pg_catalog.=) own.oid AND pending.inhparent OPERATOR(pg_catalog.=) t.oid
   AND pending.inhdetachpending
 WHERE s.oid OPERATOR(pg_catalog.=) {schema}::pg_catalog.regnamespace
   AND have.modulus IS NOT DISTINCT FROM have.most
   AND NOT n.remainder OPERATOR(pg_catalog.=) ANY (COALESCE(have.remainders, '{}'))
   AND (own.oid IS NULL OR NOT own.relispartition OR pending.inhrelid IS NOT NULL)
 ORDER BY t.relname, n.remainder
