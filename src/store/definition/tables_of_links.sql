-- Recognized by their columns: in a store of an older version a user's own tables may have the names. Ids have the
-- types of the store's ids, and all other columns one type each.
SELECT c.relname::pg_catalog.text, c.oid::pg_catalog.int8, lacks.missing, lacks.of_other_types
  FROM pg_catalog.pg_class c
 CROSS JOIN (VALUES
   ('links', ARRAY['memory_id', 'from_entry', 'to_entry', 'kind', 'weight', 'valid_from', 'valid_until', 'metadata',
                   'creation_time'],
     ARRAY[NULL, NULL, NULL, 'text', 'float4', 'timestamptz', 'timestamptz', 'jsonb', 'timestamptz']),
   ('aliases', ARRAY['memory_id', 'alias', 'entity', 'creation_time'], ARRAY[NULL, 'text', 'text', 'timestamptz'])
 ) wanted (name, columns, types)
 CROSS JOIN LATERAL (
   SELECT pg_catalog.array_agg(named.name ORDER BY place) FILTER (WHERE y.oid IS NULL) AS missing,
          pg_catalog.array_agg(named.name ORDER BY place)
            FILTER (WHERE y.typname OPERATOR(pg_catalog.<>) named.type::pg_catalog.name
            OR named.type IS NOT NULL
           AND y.typnamespace OPERATOR(pg_catalog.<>) 'pg_catalog'::pg_catalog.regnamespace) AS of_other_types
     FROM ROWS FROM (pg_catalog.unnest(wanted.columns), pg_catalog.unnest(wanted.types)) WITH ORDINALITY
       named (name, type, place)
     LEFT JOIN pg_catalog.pg_attribute a
       ON a.attrelid OPERATOR(pg_catalog.=) c.oid AND NOT a.attisdropped
      AND a.attname OPERATOR(pg_catalog.=) named.name::pg_catalog.name
     LEFT JOIN pg_catalog.pg_type y ON y.oid OPERATOR(pg_catalog.=) a.atttypid) lacks
 WHERE c.relnamespace OPERATOR(pg_catalog.=) {schema}::pg_catalog.regnamespace
   AND c.relname OPERATOR(pg_catalog.=) wanted.name::pg_catalog.name
   AND c.relkind OPERATOR(pg_catalog.=) ANY (ARRAY['r', 'p', 'f']::pg_catalog."char"[])
