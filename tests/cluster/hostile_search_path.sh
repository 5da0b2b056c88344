#!/usr/bin/env bash
# A schema of somebody else, early on the search path, with a shadow of everything that PostgreSQL and
# pgvector have: no function of the extension uses any of it, whoever calls, and its answers stay the
# same. So they do under each setting of the caller that changes how SQL is read or written.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
calls=$MEMORY_SEARCH_REPO/tests/upgrade/calls.sql

start_server "track_functions = all"
create_extension
# An ordinary role has a store; another role lays the traps.
sql "CREATE ROLE app LOGIN; CREATE ROLE mallory LOGIN; GRANT CREATE ON DATABASE scratch TO app, mallory"
sql "$FILL_STORE" -U app >/dev/null

# --- Every function is called -------------------------------------------------------------------

# The answers are long: only what differs is shown.
same() { # WHAT EXPECTED GOT
  check "$1" '' "$(diff <(echo "$2") <(echo "$3") | cut -c 1-200 | head -n 12)"
}
# Ids of contexts are made by chance.
answers() { # psql's arguments
  psql -X -q -At -v ON_ERROR_STOP=1 "$@" -c 'DO $$ BEGIN PERFORM pg_catalog.pg_stat_force_next_flush(); END $$' 2>&1 | sed -E 's/("contextId": ")[0-9a-f-]*/\1/g'
}
uncalled="SELECT string_agg(p.oid::regprocedure::text, ', ' ORDER BY p.proname) FROM pg_proc p
  JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension x ON d.refclassid = 'pg_extension'::regclass AND x.oid = d.refobjid AND x.extname = 'memory_search'
  WHERE coalesce(pg_stat_get_function_calls(p.oid), 0) = 0"
declare -A before
for role in postgres app; do
  sql 'SELECT pg_stat_reset()' >/dev/null
  before[$role]=$(answers -U "$role" -f "$calls")
  check "$role calls every function: none of them lacks a line in tests/upgrade/calls.sql" '' "$(sql "$uncalled")"
done
same "the role and the superuser get the same answers" "${before[postgres]}" "${before[app]}"

# --- The traps ----------------------------------------------------------------------------------

traps=$SCRATCH_DIR/traps.sql
cat > "$traps" <<'SQL'
SET search_path = pg_catalog;
SET check_function_bodies = off;
SET client_min_messages = error;
CREATE SCHEMA evil;
GRANT USAGE ON SCHEMA evil TO PUBLIC;
CREATE FUNCTION evil.count_step(int8) RETURNS int8 LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'evil.count was used'; END $$;
CREATE AGGREGATE evil.count(*) (SFUNC = evil.count_step, STYPE = int8, INITCOND = '0');
DO $traps$
DECLARE
  shadow record;
  body CONSTANT text := 'RETURNS %s LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION ''evil.%% was used'', %L; END $$';
  -- What PL/pgSQL takes and gives.
  usable CONSTANT regtype[] := ARRAY(SELECT oid FROM pg_type WHERE typtype <> 'p' OR typname ~ '^any(element|array|nonarray|enum|range|multirange|compatible.*)$');
BEGIN
  FOR shadow IN
    SELECT DISTINCT ON (p.proname, p.proargtypes::oid[]) p.proname, p.proretset,
      format_type(p.prorettype, NULL) AS result,
      (SELECT coalesce(string_agg(CASE WHEN p.provariadic <> 0 AND place = p.pronargs THEN 'VARIADIC ' ELSE '' END || format_type(t, NULL), ', ' ORDER BY place), '')
       FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY a (t, place)) AS arguments
    FROM pg_proc p WHERE p.pronamespace IN ('pg_catalog'::regnamespace, 'public'::regnamespace)
      AND p.proargtypes::oid[] <@ usable::oid[] AND (p.prorettype = ANY (usable) OR p.prorettype IN ('void'::regtype, 'record'::regtype))
      AND NOT (p.proname = 'count' AND p.pronargs = 0)
  LOOP
    EXECUTE format('CREATE FUNCTION evil.%I(%s) ' || body, shadow.proname, shadow.arguments,
      CASE WHEN shadow.proretset THEN 'SETOF ' ELSE '' END || shadow.result, shadow.proname);
  END LOOP;
  -- Those that take anything, for the types that are most likely.
  FOR shadow IN
    SELECT DISTINCT p.proname, a.arguments FROM pg_proc p, (VALUES ('text'), ('text, text'), ('text, text, text'), ('text, name'), ('text, name, name'), ('name'), ('uuid')) a (arguments)
    WHERE p.pronamespace = 'pg_catalog'::regnamespace AND '"any"'::regtype = ANY (p.proargtypes::oid[])
      AND NOT EXISTS (SELECT FROM pg_proc mine WHERE mine.pronamespace = 'evil'::regnamespace AND mine.proname = p.proname AND oidvectortypes(mine.proargtypes) = a.arguments)
  LOOP
    EXECUTE format('CREATE FUNCTION evil.%I(%s) ' || body, shadow.proname, shadow.arguments, 'text', shadow.proname);
  END LOOP;
  FOR shadow IN
    SELECT o.oid, o.oprname, format_type(nullif(o.oprleft, 0), NULL) AS l, format_type(o.oprright, NULL) AS r, format_type(o.oprresult, NULL) AS result
    FROM pg_operator o WHERE o.oprnamespace IN ('pg_catalog'::regnamespace, 'public'::regnamespace)
      AND (o.oprleft = 0 OR o.oprleft = ANY (usable)) AND o.oprright = ANY (usable) AND o.oprresult = ANY (usable)
  LOOP
    EXECUTE format('CREATE FUNCTION evil.%I(%s) ' || body, 'operator ' || shadow.oid, concat_ws(', ', shadow.l, shadow.r), shadow.result, shadow.oprname);
    EXECUTE format('CREATE OPERATOR evil.%s (%s RIGHTARG = %s, FUNCTION = evil.%I)', shadow.oprname, 'LEFTARG = ' || shadow.l || ',', shadow.r, 'operator ' || shadow.oid);
  END LOOP;
  FOR shadow IN SELECT relname FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v') UNION ALL VALUES ('entries'), ('contexts'), ('entry_access') LOOP
    EXECUTE format('CREATE TABLE evil.%I ()', shadow.relname);
  END LOOP;
  FOR shadow IN SELECT typname FROM pg_type WHERE typnamespace IN ('pg_catalog'::regnamespace, 'public'::regnamespace) AND typtype <> 'c' AND typname !~ '^_' LOOP
    EXECUTE format('CREATE DOMAIN evil.%I AS int4 CHECK (false)', shadow.typname);
  END LOOP;
  FOR shadow IN SELECT cfgname FROM pg_ts_config LOOP EXECUTE format('CREATE TEXT SEARCH CONFIGURATION evil.%I (COPY = simple)', shadow.cfgname); END LOOP;
  FOR shadow IN SELECT dictname FROM pg_ts_dict LOOP EXECUTE format('CREATE TEXT SEARCH DICTIONARY evil.%I (TEMPLATE = pg_catalog.simple)', shadow.dictname); END LOOP;
  CREATE COLLATION evil."C" FROM pg_catalog."POSIX";
END $traps$;
SQL
# What a session has of its own comes before all others, where it is asked for.
own_traps=$SCRATCH_DIR/own_traps.sql
cat > "$own_traps" <<'SQL'
SET client_min_messages = error;
DO $traps$
DECLARE name text;
BEGIN
  FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v')
    UNION ALL VALUES ('entries'), ('contexts'), ('entry_access') LOOP
    EXECUTE format('CREATE TEMPORARY TABLE %I ()', name);
  END LOOP;
  FOREACH name IN ARRAY '{text,uuid,jsonb,int2,int4,int8,float4,float8,timestamptz,tsvector,tsquery,regconfig,regclass,name,vector,halfvec,memory_embedding}'::text[] LOOP
    EXECUTE format('CREATE DOMAIN pg_temp.%I AS pg_catalog.int4 CHECK (false)', name);
  END LOOP;
END $traps$;
RESET client_min_messages;
SQL
if (( EUID == 0 )); then chmod 644 "$traps" "$own_traps"; fi
psql -X -q -v ON_ERROR_STOP=1 -U mallory -f "$traps"

count() { sql "SELECT count(*) FROM pg_$1 WHERE $2 = 'evil'::regnamespace"; }
check "more than 2,500 functions are shadowed" t "$(sql "SELECT $(count proc pronamespace) > 2500")"
check "more than 700 operators" t "$(sql "SELECT $(count operator oprnamespace) > 700")"
check "more than 80 types" t "$(sql "SELECT count(*) > 80 FROM pg_type WHERE typnamespace = 'evil'::regnamespace AND typtype = 'd'")"
# What the extension's statements use, by name: a shadow that could not be made would trap nothing.
check "each function and operator of pgvector is among them, and of memory_search" '' "$(sql "SELECT string_agg(p.proname, ', ') FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
  AND NOT (p.proargtypes::regtype[] && '{cstring,internal}'::regtype[] OR p.prorettype::regtype = ANY ('{cstring,internal}')) AND NOT EXISTS (SELECT FROM pg_proc e WHERE e.pronamespace = 'evil'::regnamespace AND e.proname = p.proname AND e.proargtypes = p.proargtypes)")"
check "and each operator that takes a text, name, number, time, uuid, jsonb, tsvector or array" '' "$(sql "SELECT string_agg(o.oid::regoperator::text, ', ') FROM pg_operator o WHERE o.oprnamespace = 'pg_catalog'::regnamespace
  AND '{text,name,int2,int4,int8,float4,float8,numeric,timestamptz,interval,uuid,jsonb,tsvector,tsquery,oid,\"char\",bool,anyarray,anycompatiblearray}'::regtype[] && ARRAY[oprleft::regtype, oprright::regtype]
  AND NOT EXISTS (SELECT FROM pg_operator e WHERE e.oprnamespace = 'evil'::regnamespace AND e.oprname = o.oprname AND e.oprleft = o.oprleft AND e.oprright = o.oprright)")"

# --- Nobody falls into them ---------------------------------------------------------------------

paths=('evil, pg_temp, public, pg_catalog' 'pg_temp, evil, pg_catalog, public')
falls() { psql -X -q -At -c "SET search_path = ${paths[0]}" -c "$1" 2>&1 | grep -oE 'evil\.[^ ]+ was used|cannot |does not|relation' || true; }
for statement in "SELECT pg_catalog.now() > pg_catalog.now()" "SELECT now()" "SELECT count(*) FROM pg_catalog.pg_class" "SELECT lower('A'::pg_catalog.text)" "SELECT memory_search('{}'::pg_catalog.jsonb)"; do
  check "the traps work: $statement" yes "$(if [[ $(falls "$statement") == *'was used' ]]; then echo yes; fi)"
done
check "the traps work: SELECT ... FROM entries" 0 "$(psql -X -q -At -v ON_ERROR_STOP=1 -f "$own_traps" -c "SET search_path = ${paths[1]}" -c "SELECT pg_catalog.count(*) FROM entries")"

used="SELECT coalesce(sum(pg_stat_get_function_calls(oid)), 0) FROM pg_proc WHERE pronamespace = 'evil'::regnamespace"
for role in postgres app; do
  for path in "${paths[@]}"; do
    sql 'SELECT pg_stat_reset()' >/dev/null
    same "$role, search_path = $path: the same answers" "${before[$role]}" "$(answers -U "$role" -f "$own_traps" -c "SET search_path = $path" -f "$calls")"
    check "$role, search_path = $path: every function was called, and none of the traps" "0 " "$(sql "$used") $(sql "$uncalled")"
  done
  # Plans outlive the path they were made under.
  twice=$(answers -U "$role" -f "$calls" -f "$own_traps" -c "SET search_path = ${paths[0]}" -f "$calls" -c 'RESET search_path' -f "$calls")
  same "$role: the same answers before, under and after such a path in one session" "${before[$role]}"$'\n'"${before[$role]}"$'\n'"${before[$role]}" "$twice"
done

# The embedder is named by a setting. Its name is not looked for on the caller's path.
sql "CREATE FUNCTION public.embed(text) RETURNS public.vector LANGUAGE sql RETURN public.memory_embed('hotel')"
sql "CREATE FUNCTION evil.embed(text) RETURNS public.vector LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION \$\$evil.embed was used\$\$; END'" -U mallory
embed() { psql -X -q -At -v VERBOSITY=sqlstate -f "$own_traps" -c "SET search_path = ${paths[0]}" -c "SET memory_search.embedding_function = '$1'" -c "SELECT public.memory_embed('tea') OPERATOR(public.=) '$hotel'" 2>&1; }
hotel=$(sql "SELECT memory_embed('hotel')")
check "an embedder's name without a schema is 42704" "ERROR:  42704" "$(embed embed)"
check "one with a schema is called" t "$(embed public.embed)"

# Rows that come by INSERT, COPY or UPDATE get their words and defaults just so, and maintenance runs no trap.
rows=$(psql -X -q -At -v ON_ERROR_STOP=1 -U app -f "$own_traps" -c "SET search_path = ${paths[0]}" -c "INSERT INTO s.entries (memory_id, raw_entry, tags) VALUES ('plain', 'running trains', '{kite}')" \
  -c "UPDATE s.entries SET summary = 'C++' WHERE memory_id OPERATOR(pg_catalog.=) 'plain'" -c "REINDEX TABLE s.entries" -c "ANALYZE s.entries" -c "SELECT search_vector, importance FROM s.entries WHERE memory_id OPERATOR(pg_catalog.=) 'plain'")
check "INSERT, UPDATE, REINDEX and ANALYZE run none either" "'c':1A 'cplusplus':2A 'kite':5C 'run':3B 'train':4B|50" "$rows"
sql "DELETE FROM s.entries WHERE memory_id = 'plain'"

# --- CREATE EXTENSION under such a path ---------------------------------------------------------

snapshot() { psql -X -q -At -v ON_ERROR_STOP=1 -f "$MEMORY_SEARCH_REPO/tests/upgrade/snapshot.sql"; }
objects=$(snapshot)
sql "SET client_min_messages = error; DROP EXTENSION memory_search CASCADE" # with the traps that take its type
check "CREATE EXTENSION into the first schema of that path is 55000: it holds functions of such names" "ERROR:  55000" \
  "$(psql -X -q -At -v VERBOSITY=sqlstate -c "SET search_path = ${paths[0]}" -c 'CREATE EXTENSION memory_search' 2>&1 || true)"
psql -X -q -v ON_ERROR_STOP=1 -f "$own_traps" -c "SET search_path = ${paths[0]}" -c 'CREATE EXTENSION memory_search SCHEMA public'
same "into another it makes the same objects as under the default path" "$objects" "$(snapshot)"
same "and then gives the same answers" "${before[app]}" "$(answers -U app -f "$calls")"

# --- Settings of the caller ---------------------------------------------------------------------

# Of those that change how SQL, names, numbers and times are read or written, and how plans are made.
while IFS= read -r setting; do
  same "SET $setting: the same answers" "${before[app]}" "$(answers -U app -c "SET $setting" -f "$calls")"
done <<'SETTINGS'
quote_all_identifiers = on
standard_conforming_strings = off
backslash_quote = off
transform_null_equals = on
array_nulls = off
DateStyle = 'SQL, DMY'
TimeZone = 'Asia/Kathmandu'
IntervalStyle = 'sql_standard'
default_text_search_config = 'pg_catalog.german'
bytea_output = 'escape'
check_function_bodies = off
plan_cache_mode = 'force_generic_plan'
enable_indexscan = off
row_security = off
debug_parallel_query = on
SETTINGS
checked
