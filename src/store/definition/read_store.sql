SELECT
  pg_catalog.quote_ident(n.nspname),                                                              -- 1
  entries.oid::pg_catalog.int8,                                                                   -- 2
  contexts.oid::pg_catalog.int8,                                                                  -- 3
  type.typname::pg_catalog.text,                                                                  -- 4
  embedding.atttypmod::pg_catalog.int8,                                                           -- 5
  type.oid::pg_catalog.int8,                                                                      -- 6
  -- 7: the language, as an adopted table's view or a constraint says it
  (pg_catalog.regexp_match(definition.text, '''((?:[^'']|'''')+)''::(?:text AS language|regconfig IS NOT NULL)'))[1],
  vector_schema.name,                                                                             -- 8
  -- 9: whether the words of entries are in a column
  entries.relkind OPERATOR(pg_catalog.=) ANY (ARRAY['v', 'm']::pg_catalog."char"[])
    AND pg_catalog.strpos(definition.text, 'NULL::tsvector AS search_vector') OPERATOR(pg_catalog.=) 0,
  memory_id.atttypid::pg_catalog.int8,                                                            -- 10
  entry_id.atttypid::pg_catalog.int8,                                                             -- 11
  -- 12: whether entries are no table
  entries.relkind OPERATOR(pg_catalog.<>) ALL (ARRAY['r', 'p']::pg_catalog."char"[]),
  policy.setting,                                                                                 -- 13
  -- 14: whether an entry may lack a creation time: no NOT NULL, or one that was never validated
  entries.relkind OPERATOR(pg_catalog.<>) ALL (ARRAY['r', 'p']::pg_catalog."char"[]) OR NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute a
     WHERE a.attrelid OPERATOR(pg_catalog.=) entries.oid AND a.attname OPERATOR(pg_catalog.=) 'creation_time'
       AND a.attnotnull AND NOT EXISTS (
         SELECT FROM pg_catalog.pg_constraint k
          WHERE k.conrelid OPERATOR(pg_catalog.=) entries.oid AND k.contype OPERATOR(pg_catalog.=) 'n'
            AND k.conkey OPERATOR(pg_catalog.=) ARRAY[a.attnum] AND NOT k.convalidated)),
  -- 15: whether they are a view
  entries.relkind OPERATOR(pg_catalog.=) ANY (ARRAY['v', 'm']::pg_catalog."char"[]),
  -- 16: whether a table has partitions
  'p' OPERATOR(pg_catalog.=) ANY (ARRAY[entries.relkind, contexts.relkind]),
  lacking.what,                                                                                   -- 17
  vector_functions.distance,                                                                      -- 18
  vector_functions.cast_from_reals,                                                               -- 19
  vector_functions.dimensions,                                                                    -- 20
  definition.text IS NULL,                                                                        -- 21
  lacking.has_other_types,                                                                        -- 22
  lacking.is_of_view,                                                                             -- 23
  -- 24: where uses are counted
  (SELECT access.oid::pg_catalog.int8 FROM pg_catalog.pg_class access
    WHERE access.relnamespace OPERATOR(pg_catalog.=) n.oid AND access.relname OPERATOR(pg_catalog.=) 'entry_access'),
  -- 25: whether the policies on the other tables go with that on entries (13)
  {other_policies},
  EXISTS ({index_of_keys})                                                                        -- 26
FROM pg_catalog.pg_namespace n
LEFT JOIN pg_catalog.pg_class entries
  ON entries.relnamespace OPERATOR(pg_catalog.=) n.oid AND entries.relname OPERATOR(pg_catalog.=) 'entries'
LEFT JOIN pg_catalog.pg_class contexts
  ON contexts.relnamespace OPERATOR(pg_catalog.=) n.oid AND contexts.relname OPERATOR(pg_catalog.=) 'contexts'
LEFT JOIN pg_catalog.pg_attribute memory_id
  ON memory_id.attrelid OPERATOR(pg_catalog.=) entries.oid AND memory_id.attname OPERATOR(pg_catalog.=) 'memory_id'
LEFT JOIN pg_catalog.pg_attribute entry_id
  ON entry_id.attrelid OPERATOR(pg_catalog.=) entries.oid AND entry_id.attname OPERATOR(pg_catalog.=) 'entry_id'
LEFT JOIN pg_catalog.pg_attribute embedding
  ON embedding.attrelid OPERATOR(pg_catalog.=) entries.oid AND embedding.attname OPERATOR(pg_catalog.=) 'embedding'
 AND NOT embedding.attisdropped
LEFT JOIN pg_catalog.pg_type type ON type.oid OPERATOR(pg_catalog.=) embedding.atttypid
-- Both tables of a store have the constraint.
LEFT JOIN LATERAL (
  SELECT CASE
    WHEN entries.relkind OPERATOR(pg_catalog.=) ANY (ARRAY['v', 'm']::pg_catalog."char"[])
      THEN pg_catalog.pg_get_viewdef(entries.oid)
    -- The server writes no expression of a table that was dropped meanwhile.
    ELSE (SELECT COALESCE(pg_catalog.pg_get_expr(k.conbin, k.conrelid), '') FROM pg_catalog.pg_constraint k
           WHERE k.conrelid OPERATOR(pg_catalog.=) ANY (ARRAY[entries.oid, contexts.oid])
             AND k.contype OPERATOR(pg_catalog.=) 'c'
             AND k.conname OPERATOR(pg_catalog.=)
                 ANY (ARRAY['entries_language', 'contexts_language']::pg_catalog.name[])
           ORDER BY k.conname DESC LIMIT 1) END AS text
  ) definition ON true
LEFT JOIN LATERAL (
  SELECT pg_catalog.quote_ident(vn.nspname) AS name
    FROM pg_catalog.pg_extension x
    JOIN pg_catalog.pg_namespace vn ON vn.oid OPERATOR(pg_catalog.=) x.extnamespace
   WHERE x.extname OPERATOR(pg_catalog.=) 'vector') vector_schema ON true
-- The functions behind the cosine distance of two vectors and the cast of real[] to one, and what counts dimensions.
LEFT JOIN LATERAL (
  SELECT o.oprcode::pg_catalog.oid::pg_catalog.int8 AS distance, k.castfunc::pg_catalog.int8 AS cast_from_reals,
         p.oid::pg_catalog.int8 AS dimensions
    FROM pg_catalog.pg_extension x
    JOIN pg_catalog.pg_operator o
      ON o.oprnamespace OPERATOR(pg_catalog.=) x.extnamespace AND o.oprname OPERATOR(pg_catalog.=) '<=>'
     AND o.oprleft OPERATOR(pg_catalog.=) type.oid AND o.oprright OPERATOR(pg_catalog.=) type.oid
    JOIN pg_catalog.pg_cast k
      ON k.castsource OPERATOR(pg_catalog.=) 'pg_catalog.float4[]'::pg_catalog.regtype
     AND k.casttarget OPERATOR(pg_catalog.=) type.oid
    JOIN pg_catalog.pg_proc p
      ON p.pronamespace OPERATOR(pg_catalog.=) x.extnamespace AND p.proname OPERATOR(pg_catalog.=) 'vector_dims'
     AND p.pronargs OPERATOR(pg_catalog.=) 1 AND p.proargtypes[0] OPERATOR(pg_catalog.=) type.oid
   WHERE x.extname OPERATOR(pg_catalog.=) 'vector') vector_functions ON true
LEFT JOIN LATERAL ({own_policy}) policy ON true
LEFT JOIN LATERAL ({lacking}) lacking ON true
WHERE n.nspname OPERATOR(pg_catalog.=) {name}
