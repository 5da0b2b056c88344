-- The whole description of the store "s" in the catalogs, a fact a line.
SELECT fact FROM (
  SELECT 'owner of schema ' || pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 's'
  UNION ALL SELECT 'privilege on schema ' || a::text FROM pg_namespace, unnest(nspacl) a WHERE nspname = 's'
  UNION ALL SELECT 'comment on schema ' || obj_description('s'::regnamespace, 'pg_namespace')
  UNION ALL SELECT concat_ws(' ', 'relation', relname, relkind, relpersistence, relreplident, 'rls', relrowsecurity,
      relforcerowsecurity, reloptions::text)
    FROM pg_class WHERE relnamespace = 's'::regnamespace
  UNION ALL SELECT 'owner of ' || relname || ' ' || pg_get_userbyid(relowner)
    FROM pg_class WHERE relnamespace = 's'::regnamespace
  UNION ALL SELECT 'privilege on ' || relname || ' ' || a::text
    FROM pg_class, unnest(relacl) a WHERE relnamespace = 's'::regnamespace
  UNION ALL SELECT concat_ws(' ', 'privilege by default', defaclobjtype, a::text)
    FROM pg_default_acl, unnest(defaclacl) a WHERE defaclnamespace = 's'::regnamespace
  UNION ALL SELECT concat_ws(' ', 'column', relname, attname, format_type(atttypid, atttypmod), attnotnull,
      attidentity, attgenerated, attstorage, pg_get_expr(adbin, adrelid))
    FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relnamespace = 's'::regnamespace AND relkind = 'r'
  UNION ALL SELECT concat_ws(' ', 'privilege on', relname, attname, a::text)
    FROM pg_class c JOIN pg_attribute ON attrelid = c.oid, unnest(attacl) a WHERE relnamespace = 's'::regnamespace
  UNION ALL SELECT concat_ws(' ', 'comment on', relname, objsubid, description)
    FROM pg_class c JOIN pg_description d ON d.objoid = c.oid AND d.classoid = 'pg_class'::regclass
    WHERE relnamespace = 's'::regnamespace
  UNION ALL SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE connamespace = 's'::regnamespace
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 's'
  UNION ALL SELECT concat_ws(' ', 'policy', p::text,
      obj_description((SELECT oid FROM pg_policy WHERE polname = policyname), 'pg_policy'))
    FROM pg_policies p WHERE schemaname = 's'
  UNION ALL SELECT pg_get_triggerdef(t.oid)
    FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid WHERE relnamespace = 's'::regnamespace AND NOT tgisinternal
  UNION ALL SELECT concat_ws(' ', 'sequence', q.sequencename, q.start_value, q.increment_by, q.last_value)
    FROM pg_sequences q WHERE schemaname = 's'
  UNION ALL SELECT 'extension ' || extname || ' in ' || extnamespace::regnamespace FROM pg_extension
) f(fact) ORDER BY fact COLLATE "C"
