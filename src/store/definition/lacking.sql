SELECT pg_catalog.string_agg(
         CASE WHEN a.attname IS NULL THEN
             pg_catalog.format('the column %s of %s is missing', wanted.name, wanted.relation)
           ELSE pg_catalog.format('the column %s of %s is of type %s instead of %s', wanted.name, wanted.relation,
             pg_catalog.format_type(a.atttypid, a.atttypmod), pg_catalog.format_type(wanted.type, NULL)) END,
         ', ' ORDER BY wanted.place) AS what,
       pg_catalog.bool_or(a.attname IS NOT NULL OR NOT wanted.anew) AS has_other_types,
       pg_catalog.bool_or(c.relkind OPERATOR(pg_catalog.=) ANY (ARRAY['v', 'm']::pg_catalog."char"[])) AS is_of_view
  FROM (VALUES (1, 'entries', 'session_id', 'pg_catalog.text'::pg_catalog.regtype::pg_catalog.oid, true, true),
               (2, 'entries', 'entry_key', 'pg_catalog.text'::pg_catalog.regtype, false, true),
               (3, 'entries', 'valid_from', 'pg_catalog.timestamptz'::pg_catalog.regtype, true, true),
               (4, 'entries', 'valid_until', 'pg_catalog.timestamptz'::pg_catalog.regtype, true, true),
               (5, 'entries', 'time_to_live', 'pg_catalog.interval'::pg_catalog.regtype, false, true),
               (6, 'entries', 'embedding_model', 'pg_catalog.text'::pg_catalog.regtype, false, true),
               (7, 'contexts', 'embedding_model', 'pg_catalog.text'::pg_catalog.regtype, false, true),
               (8, 'contexts', 'entry_id', entry_id.atttypid, false, true),
               (9, 'entry_access', 'helpful', 'pg_catalog.int8'::pg_catalog.regtype, true, true),
               (10, 'entry_access', 'unhelpful', 'pg_catalog.int8'::pg_catalog.regtype, true, true),
               -- What the rows held is lost, or is of a type of the store's own.
               (11, 'entries', 'user_id', NULL, false, false),
               (12, 'entries', 'agent_id', NULL, false, false),
               (13, 'entries', 'raw_entry', NULL, false, false),
               (14, 'entries', 'summary', NULL, false, false),
               (15, 'entries', 'context', NULL, false, false),
               (16, 'entries', 'tags', NULL, false, false),
               (17, 'entries', 'metadata', NULL, false, false),
               (18, 'entries', 'source_type', NULL, false, false),
               (19, 'entries', 'importance', NULL, false, false),
               (20, 'entries', 'creation_time', NULL, false, false),
               (21, 'entries', 'deletion_scheduled_time', NULL, false, false),
               (22, 'entries', 'expires_at', NULL, false, false),
               (23, 'entries', 'superseded_by', NULL, false, false),
               (24, 'entries', 'superseded_time', NULL, false, false),
               (25, 'entries', 'embedding', NULL, false, false),
               (26, 'entries', 'entry_order', NULL, false, false),
               (28, 'contexts', 'memory_id', NULL, true, false),
               (29, 'contexts', 'context_id', NULL, true, false),
               (30, 'contexts', 'user_id', NULL, true, false),
               (31, 'contexts', 'context', NULL, true, false),
               (32, 'contexts', 'creation_time', NULL, true, false),
               (33, 'contexts', 'deletion_scheduled_time', NULL, true, false),
               (34, 'contexts', 'embedding', NULL, true, false),
               (36, 'entry_access', 'memory_id', NULL, true, false),
               (37, 'entry_access', 'entry_id', NULL, true, false),
               (38, 'entry_access', 'access_count', NULL, true, false),
               (39, 'entry_access', 'last_accessed_at', NULL, true, false),
               (40, 'entries', 'embedding_error', 'pg_catalog.text'::pg_catalog.regtype, false, true),
               (41, 'contexts', 'embedding_error', 'pg_catalog.text'::pg_catalog.regtype, false, true),
               (42, 'entries', 'entities', 'pg_catalog.text[]'::pg_catalog.regtype, true, true)
       ) wanted (place, relation, name, type, with_view, anew)
  JOIN pg_catalog.pg_class c
    ON c.relnamespace OPERATOR(pg_catalog.=) n.oid AND c.relname OPERATOR(pg_catalog.=) wanted.relation::pg_catalog.name
  LEFT JOIN pg_catalog.pg_attribute a
    ON a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attname OPERATOR(pg_catalog.=) wanted.name::pg_catalog.name
   AND NOT a.attisdropped
 WHERE (a.attname IS NULL OR a.atttypid OPERATOR(pg_catalog.<>) wanted.type)
   AND (wanted.with_view OR entries.relkind OPERATOR(pg_catalog.<>) ALL (ARRAY['v', 'm']::pg_catalog."char"[]))
