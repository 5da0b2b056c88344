-- The schema "evil" with a shadow of every object of PostgreSQL and pgvector: a function that is called raises
-- "evil.NAME was used", and a type accepts no value.
SET search_path = pg_catalog;
SET check_function_bodies = off;
SET client_min_messages = error;
CREATE SCHEMA evil;
GRANT USAGE ON SCHEMA evil TO PUBLIC;
CREATE FUNCTION evil.count_step(int8) RETURNS int8 LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'evil.count was used';
END $$;
CREATE AGGREGATE evil.count(*) (SFUNC = evil.count_step, STYPE = int8, INITCOND = '0');
DO $traps$
DECLARE
  shadow record;
  body CONSTANT text :=
    'RETURNS %s LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION ''evil.%% was used'', %L; END $$';
  -- The types of PL/pgSQL's arguments and results.
  usable CONSTANT regtype[] := ARRAY(SELECT oid FROM pg_type
    WHERE typtype <> 'p' OR typname ~ '^any(element|array|nonarray|enum|range|multirange|compatible.*)$');
BEGIN
  FOR shadow IN
    SELECT DISTINCT ON (p.proname, p.proargtypes::oid[]) p.proname, p.proretset,
      format_type(p.prorettype, NULL) AS result,
      (SELECT coalesce(string_agg(CASE WHEN p.provariadic <> 0 AND place = p.pronargs THEN 'VARIADIC ' ELSE '' END
          || format_type(t, NULL), ', ' ORDER BY place), '')
       FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY a (t, place)) AS arguments
    FROM pg_proc p WHERE p.pronamespace IN ('pg_catalog'::regnamespace, 'public'::regnamespace)
      AND p.proargtypes::oid[] <@ usable::oid[]
      AND (p.prorettype = ANY (usable) OR p.prorettype IN ('void'::regtype, 'record'::regtype))
      AND NOT (p.proname = 'count' AND p.pronargs = 0)
  LOOP
    EXECUTE format('CREATE FUNCTION evil.%I(%s) ' || body, shadow.proname, shadow.arguments,
      CASE WHEN shadow.proretset THEN 'SETOF ' ELSE '' END || shadow.result, shadow.proname);
  END LOOP;
  -- Functions with arguments of type "any", for the types that are most likely.
  FOR shadow IN
    SELECT DISTINCT p.proname, a.arguments FROM pg_proc p,
      unnest('{"text","text, text","text, text, text","text, name","text, name, name","name","uuid"}'::text[])
        a (arguments)
    WHERE p.pronamespace = 'pg_catalog'::regnamespace AND '"any"'::regtype = ANY (p.proargtypes::oid[])
      AND NOT EXISTS (SELECT FROM pg_proc mine WHERE mine.pronamespace = 'evil'::regnamespace
        AND mine.proname = p.proname AND oidvectortypes(mine.proargtypes) = a.arguments)
  LOOP
    EXECUTE format('CREATE FUNCTION evil.%I(%s) ' || body, shadow.proname, shadow.arguments, 'text', shadow.proname);
  END LOOP;
  FOR shadow IN
    SELECT o.oid, o.oprname, format_type(nullif(o.oprleft, 0), NULL) AS l, format_type(o.oprright, NULL) AS r,
      format_type(o.oprresult, NULL) AS result
    FROM pg_operator o WHERE o.oprnamespace IN ('pg_catalog'::regnamespace, 'public'::regnamespace)
      AND (o.oprleft = 0 OR o.oprleft = ANY (usable)) AND o.oprright = ANY (usable) AND o.oprresult = ANY (usable)
  LOOP
    EXECUTE format('CREATE FUNCTION evil.%I(%s) ' || body, 'operator ' || shadow.oid,
      concat_ws(', ', shadow.l, shadow.r), shadow.result, shadow.oprname);
    EXECUTE format('CREATE OPERATOR evil.%s (%s RIGHTARG = %s, FUNCTION = evil.%I)', shadow.oprname,
      'LEFTARG = ' || shadow.l || ',', shadow.r, 'operator ' || shadow.oid);
  END LOOP;
  FOR shadow IN
    SELECT relname FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v')
    UNION ALL VALUES ('entries'), ('contexts'), ('entry_access')
  LOOP
    EXECUTE format('CREATE TABLE evil.%I ()', shadow.relname);
  END LOOP;
  FOR shadow IN
    SELECT typname FROM pg_type WHERE typnamespace IN ('pg_catalog'::regnamespace, 'public'::regnamespace)
      AND typtype <> 'c' AND typname !~ '^_'
  LOOP
    EXECUTE format('CREATE DOMAIN evil.%I AS int4 CHECK (false)', shadow.typname);
  END LOOP;
  FOR shadow IN SELECT cfgname FROM pg_ts_config LOOP
    EXECUTE format('CREATE TEXT SEARCH CONFIGURATION evil.%I (COPY = simple)', shadow.cfgname);
  END LOOP;
  FOR shadow IN SELECT dictname FROM pg_ts_dict LOOP
    EXECUTE format('CREATE TEXT SEARCH DICTIONARY evil.%I (TEMPLATE = pg_catalog.simple)', shadow.dictname);
  END LOOP;
  CREATE COLLATION evil."C" FROM pg_catalog."POSIX";
END $traps$;
