-- A session's own schema pg_temp comes before all others, if a search path names it first.
SET client_min_messages = error;
DO $traps$
DECLARE
  name text;
BEGIN
  FOR name IN
    SELECT relname FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v')
    UNION ALL VALUES ('entries'), ('contexts'), ('entry_access')
  LOOP
    EXECUTE format('CREATE TEMPORARY TABLE %I ()', name);
  END LOOP;
  FOREACH name IN ARRAY ('{text,uuid,jsonb,int2,int4,int8,float4,float8,timestamptz,tsvector,tsquery,regconfig,'
    'regclass,name,vector,halfvec,memory_embedding,memory_text,memory_jsonb,memory_int4,memory_uuid}')::text[]
  LOOP
    EXECUTE format('CREATE DOMAIN pg_temp.%I AS pg_catalog.int4 CHECK (false)', name);
  END LOOP;
END $traps$;
RESET client_min_messages;
