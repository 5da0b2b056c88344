SELECT pg_catalog.string_agg(
         CASE WHEN a.attname IS NULL THEN
             pg_catalog.format('the column %s of %s is missing', wanted.name, wanted.relation)
           ELSE pg_catalog.format('the column %s of %s is of type %s instead of %s', wanted.name, wanted.relation,
             pg_catalog.format_type(a.atttypid, a.atttypmod), pg_catalog.format_type(wanted.type, NULL)) END,
         ', ' ORDER BY wanted.place) AS what,
       pg_catalog.bool_or(a.attname IS NOT NULL) AS has_other_types,
       pg_catalog.bool_or(c.relkind OPERATOR(pg_catalog.=) ANY (ARRAY['v', 'm']::pg_catalog."char"[])) AS is_of_view
  FROM (VALUES (1, 'entries', 'session_id', 'pg_catalog.text'::pg_catalog.regtype::pg_catalog.oid, true),
               (2, 'entries', 'entry_key', 'pg_catalog.text'::pg_catalog.regtype, false),
               (3, 'entries', 'valid_from', 'pg_catalog.timestamptz'::pg_catalog.regtype, true),
               (4, 'entries', 'valid_until', 'pg_catalog.timestamptz'::pg_catalog.regtype, true),
               (5, 'entries', 'time_to_live', 'pg_catalog.interval'::pg_catalog.regtype, false),
               (6, 'entries', 'embedding_model', 'pg_catalog.text'::pg_catalog.regtype, false),
               (7, 'contexts', 'embedding_model', 'pg_catalog.text'::pg_catalog.regtype, false),
               (8, 'contexts', 'entry_id', entry_id.atttypid, false),
               (9, 'entry_access', 'helpful', 'pg_catalog.int8'::pg_catalog.regtype, true),
               (10, 'entry_access', 'unhelpful', 'pg_catalog.int8'::pg_catalog.regtype, true),
               (11, 'entries', 'embedding_error', 'pg_catalog.text'::pg_catalog.regtype, false),
               (12, 'contexts', 'embedding_error', 'pg_catalog.text'::pg_catalog.regtype, false)
       ) wanted (place, relation, name, type, with_view)
  JOIN pg_catalog.pg_class c
    ON c.relnamespace OPERATOR(pg_catalog.=) n.oid AND c.relname OPERATOR(pg_catalog.=) wanted.relation::pg_catalog.name
  LEFT JOIN pg_catalog.pg_attribute a
    ON a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attname OPERATOR(pg_catalog.=) wanted.name::pg_catalog.name
   AND NOT a.attisdropped
 WHERE (a.atttypid OPERATOR(pg_catalog.=) wanted.type) IS NOT TRUE
   AND (wanted.with_view OR entries.relkind OPERATOR(pg_catalog.<>) ALL (ARRAY['v', 'm']::pg_catalog."char"[]))
