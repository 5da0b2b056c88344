-- Recognized by their columns: in a store of an older version a user's own tables may have the names. Ids have the
-- types of the store's ids, and all other columns one type each.
SELECT c.relname::pg_catalog.text, c.oid::pg_catalog.int8
  FROM pg_catalog.pg_class c
 CROSS JOIN (VALUES
   ('links', ARRAY['memory_id', 'from_entry', 'to_entry', 'kind', 'weight', 'valid_from', 'valid_until', 'metadata',
                   'creation_time'],
     ARRAY[NULL, NULL, NULL, 'text', 'float4', 'timestamptz', 'timestamptz', 'jsonb', 'timestamptz']),
   ('aliases', ARRAY['memory_id', 'alias', 'entity', 'creation_time'], ARRAY[NULL, 'text', 'text', 'timestamptz'])
 ) wanted (name, columns, types)
 WHERE c.relnamespace OPERATOR(pg_catalog.=) {schema}::pg_catalog.regnamespace
   AND c.relname OPERATOR(pg_catalog.=) wanted.name::pg_catalog.name
   AND c.relkind OPERATOR(pg_catalog.=) ANY (ARRAY['r', 'p']::pg_catalog."char"[])
   AND NOT EXISTS (
     SELECT FROM ROWS FROM (pg_catalog.unnest(wanted.columns), pg_catalog.unnest(wanted.types)) named (name, type)
      WHERE NOT EXISTS (
        SELECT FROM pg_catalog.pg_attribute a
          JOIN pg_catalog.pg_type y ON y.oid OPERATOR(pg_catalog.=) a.atttypid
         WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND NOT a.attisdropped
           AND a.attname OPERATOR(pg_catalog.=) named.name::pg_catalog.name
           AND (named.type IS NULL
             OR y.typname OPERATOR(pg_catalog.=) named.type::pg_catalog.name
            AND y.typnamespace OPERATOR(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace)))
