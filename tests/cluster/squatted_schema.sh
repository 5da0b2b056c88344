#!/usr/bin/env bash
# Somebody was there first: a role prepares schemas, functions and types for the day that the extension
# or a store comes into them. What she could use against others is refused, with a hint; the rest does
# her no good.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

start_server
sql "CREATE ROLE mallory LOGIN; CREATE ROLE app LOGIN; CREATE ROLE keeper LOGIN CREATEDB; CREATE EXTENSION vector; GRANT CREATE ON DATABASE scratch TO mallory, app"

# What a statement answers: SQLSTATE and whether there is a hint, or what it says, or "done".
answer() { # STATEMENT PSQL-ARGUMENTS...
  local output
  output=$(psql -X -q -At -v VERBOSITY=verbose -c "$1" "${@:2}" 2>&1 || true)
  if [[ $output == *ERROR:* ]]; then
    echo "$(sed -nE 's/^ERROR: +([0-9A-Z]{5}):.*/\1/p' <<< "$output")$(if grep -q '^HINT: ' <<< "$output"; then echo ', with a hint'; fi)"
  else
    echo "${output:-done}"
  fi
}
installed() { sql "SELECT count(*) FROM pg_extension WHERE extname = 'memory_search'"; }

# --- Where the extension goes -------------------------------------------------------------------

sql "CREATE SCHEMA lab; GRANT ALL ON SCHEMA lab TO PUBLIC; CREATE FUNCTION lab.memory_search(text, text) RETURNS text LANGUAGE sql AS 'SELECT current_user::text'" -U mallory
check "a schema with a function of such a name is refused" "55000, with a hint" "$(answer 'CREATE EXTENSION memory_search SCHEMA lab')"
check "nothing is left of it" "0 1" "$(installed) $(sql "SELECT count(*) FROM pg_proc WHERE proname LIKE 'memory\_%'")"
for prepared in "PROCEDURE lab.memory_add() LANGUAGE sql AS ''" "AGGREGATE lab.memory_sum(int) (SFUNC = int4pl, STYPE = int)" "FUNCTION lab.memory_later() RETURNS int LANGUAGE sql AS 'SELECT 1'"; do
  sql "SET client_min_messages = warning; DROP SCHEMA lab CASCADE; CREATE SCHEMA lab; CREATE $prepared" -U mallory
  check "so is one with a ${prepared%% (*}" "55000, with a hint" "$(answer 'CREATE EXTENSION memory_search SCHEMA lab')"
done
for prepared in 'TABLE lab.memory_embedding ()' 'TYPE lab.memory_embedding AS ENUM ()' "DOMAIN lab.memory_embedding AS text"; do
  sql "SET client_min_messages = warning; DROP SCHEMA lab CASCADE; CREATE SCHEMA lab; CREATE $prepared" -U mallory
  check "one with our type in it is refused: $prepared" 42710 "$(answer 'CREATE EXTENSION memory_search SCHEMA lab' | cut -c 1-5)"
done
check "after all that, nothing of the extension is there" 0 "$(installed)"

# An empty schema of hers: a restored dump may look so, hence no error. She could drop it with all in it.
sql "SET client_min_messages = warning; DROP SCHEMA lab CASCADE; CREATE SCHEMA lab" -U mallory
said=$(answer 'CREATE EXTENSION memory_search SCHEMA lab')
check "an empty schema of hers is warned of, with her name and a hint" yes "$(if [[ $said == *WARNING*mallory*HINT* ]]; then echo yes; else echo "$said"; fi)"
check "she may not put the functions under her control" "42501" "$(answer 'ALTER FUNCTION lab.memory_search(jsonb) OWNER TO mallory' -U mallory)"
sql "DROP EXTENSION memory_search; DROP SCHEMA lab"
check "a schema that is not there is 3F000" 3F000 "$(answer 'CREATE EXTENSION memory_search SCHEMA nowhere')"

# The extension's schema is not pgvector's: what is in it under the names of pgvector is not taken for it.
sql 'CREATE DATABASE apart' -d postgres
sql "CREATE SCHEMA ext; CREATE EXTENSION vector SCHEMA ext; GRANT USAGE ON SCHEMA ext TO PUBLIC; GRANT CREATE ON SCHEMA public TO mallory" -d apart
psql -X -q -v ON_ERROR_STOP=1 -d apart -U mallory <<'SQL'
CREATE FUNCTION hers(ext.vector) RETURNS ext.vector LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'mallory runs as %', current_user; END $$;
CREATE FUNCTION array_to_vector(real[], int, bool) RETURNS ext.vector LANGUAGE sql RETURN hers(NULL);
CREATE FUNCTION array_to_vector(double precision[], int, bool) RETURNS ext.vector LANGUAGE sql RETURN hers(NULL);
CREATE FUNCTION halfvec_to_vector(ext.halfvec, int, bool) RETURNS ext.vector LANGUAGE sql RETURN hers(NULL);
SQL
create_extension -d apart
check "casts to memory_embedding call pgvector's functions, not those of such names beside it" ext "$(sql "SELECT string_agg(DISTINCT pronamespace::regnamespace::text, ' ') FROM pg_cast JOIN pg_proc p ON p.oid = castfunc WHERE casttarget = 'memory_embedding'::regtype" -d apart)"
sql "SELECT memory_create_store('s', 3)" -d apart >/dev/null
for embedding in 'ARRAY[1,2,3]::real[]' 'ARRAY[1,2,3]::double precision[]' "'[1,2,3]'::ext.halfvec" "'[1,2,3]'::ext.vector" "'[1,2,3]'"; do
  check "a search with $embedding runs none of hers" 0 "$(answer "SELECT memory_search('m', '', embedding => $embedding, store => 's')->'count'" -d apart)"
done
# Types too, and domains over pgvector's.
sql "DROP EXTENSION memory_search" -d apart
psql -X -q -v ON_ERROR_STOP=1 -d apart -U mallory -c "CREATE TYPE vector AS (hers int)" -c "CREATE DOMAIN halfvec AS ext.halfvec CHECK (hers(VALUE::ext.vector) IS NULL)" -c "CREATE DOMAIN jsonb AS text" -c "CREATE DOMAIN uuid AS text"
check "types of hers with the names of ours, of pgvector's and of PostgreSQL's are not taken" "done" "$(answer 'CREATE EXTENSION memory_search' -d apart)"
check "the functions take and give PostgreSQL's and pgvector's types" "" "$(sql "SELECT string_agg(DISTINCT t::regtype::text, ' ') FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.deptype = 'e' AND d.classid = 'pg_proc'::regclass
  CROSS JOIN unnest(coalesce(proallargtypes, proargtypes::oid[]) || prorettype) t JOIN pg_type ON pg_type.oid = t
  WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'memory_search') AND typnamespace = 'public'::regnamespace AND typname NOT LIKE '%memory_embedding'" -d apart)"
sql 'DROP DATABASE apart' -d postgres

# An ordinary role may install it, and gets no more than its use.
check "a role that may create in the database installs it in a schema of its own" "done" "$(answer 'CREATE SCHEMA tools' -U app)"
check "as a trusted extension" "done" "$(answer 'CREATE EXTENSION memory_search SCHEMA tools' -U app)"
for change in "ALTER FUNCTION tools.memory_search(jsonb) OWNER TO app" "ALTER FUNCTION tools.memory_search(jsonb) RESET search_path" "ALTER FUNCTION tools.memory_search(jsonb) SECURITY DEFINER" \
  "CREATE OR REPLACE FUNCTION tools.memory_search(request jsonb) RETURNS jsonb LANGUAGE sql AS 'SELECT request'" "ALTER TYPE tools.memory_embedding OWNER TO app"; do
  check "it may not: $change" 42501 "$(answer "$change" -U app | cut -c 1-5)"
done
sql "DROP EXTENSION memory_search; DROP SCHEMA tools" -U app
check "the extension's schema cannot be changed later" 0A000 "$(create_extension; answer 'ALTER EXTENSION memory_search SET SCHEMA pg_catalog' | cut -c 1-5)"
check "nobody but its owner puts functions beside ours in public" 42501 "$(answer "CREATE FUNCTION public.memory_search(text, text) RETURNS text LANGUAGE sql AS 'SELECT 1'" -U mallory)"

# --- Where a store goes -------------------------------------------------------------------------

sql "CREATE TABLE notes (id bigint, body text); INSERT INTO notes VALUES (1, 'tea'); GRANT SELECT ON notes TO PUBLIC"
ways=("memory_create_store('%s', 3)" "memory_adopt_table('%s', 'notes', '{\"memory_id\": \"''a''\", \"entry_id\": \"id\", \"raw_entry\": \"body\"}')")
sql "CREATE SCHEMA closed; CREATE SCHEMA open; GRANT ALL ON SCHEMA open TO PUBLIC" -U mallory
for role in app postgres; do
  for way in "${ways[@]}"; do
    # shellcheck disable=SC2059 # the call is the format
    call=$(printf "SELECT $way" open)
    check "$role: a store in a schema of mallory's, who could drop and replace it, is refused: ${way%%(*}" "42501, with a hint" "$(answer "$call" -U "$role")"
  done
done
for way in "${ways[@]}"; do
  # shellcheck disable=SC2059
  check "a store where one may not create is refused: ${way%%(*}" 42501 "$(answer "$(printf "SELECT $way" closed)" -U app | cut -c 1-5)"
done
check "nothing of a store is in her schemas" 0 "$(sql "SELECT count(*) FROM pg_class WHERE relnamespace IN ('open'::regnamespace, 'closed'::regnamespace)")"
check "she may make one there herself" "done" "$(answer "SELECT memory_create_store('open', 3)" -U mallory)"
check "then it is hers, and others get nothing by its name: search" 42501 "$(answer "SELECT memory_search('m', 'tea', store => 'open')" -U app)"
check "then it is hers, and others get nothing by its name: add" 42501 "$(answer "SELECT memory_add('m', 'tea', store => 'open')" -U app)"
# Relations, types and functions that wait in a schema.
for prepared in 'TABLE %s.entries (memory_id text)' 'VIEW %s.entries AS SELECT 1 AS memory_id' 'TABLE %s.contexts ()' 'TABLE %s.entry_access ()' 'MATERIALIZED VIEW %s.entries AS SELECT 1' 'SEQUENCE %s.contexts' 'TYPE %s.entries AS (a int)'; do
  # shellcheck disable=SC2059
  sql "CREATE SCHEMA taken; CREATE $(printf "$prepared" taken); GRANT ALL ON SCHEMA taken TO PUBLIC" -U mallory
  for role in app postgres; do
    check "$role: one is refused where this waits: ${prepared/\%s/s}" "42710, with a hint" "$(answer "SELECT memory_create_store('taken', 3)" -U "$role")"
  done
  sql "SET client_min_messages = warning; DROP SCHEMA taken CASCADE" -U mallory
done
for name in pg_temp pg_temp_3 pg_toast pg_catalog pg_new; do
  check "a store named $name is refused" yes "$(case $(answer "SELECT memory_create_store('$name', 3)" | cut -c 1-5) in 42939|42501) echo yes ;; *) echo "no: $(answer "SELECT memory_create_store('$name', 3)")" ;; esac)"
done
# In a schema of the DBA, of the database's owner or of one's own role it is as safe as in any other.
sql "CREATE ROLE team; GRANT team TO app; CREATE SCHEMA of_dba; CREATE SCHEMA of_team AUTHORIZATION team; CREATE SCHEMA of_app AUTHORIZATION app; GRANT ALL ON SCHEMA of_dba TO app"
for schema in of_dba of_team of_app; do
  check "a store in the schema $schema is made, with its tables owned by who made it" "done app" "$(answer "SELECT memory_create_store('$schema', 3)" -U app) $(sql "SELECT DISTINCT relowner::regrole FROM pg_class WHERE relnamespace = '$schema'::regnamespace AND relkind = 'r'")"
done
# Functions and operators that wait in the store's own schema are never called.
sql "CREATE SCHEMA waiting AUTHORIZATION app"
psql -X -q -v ON_ERROR_STOP=1 -U app <<'SQL'
CREATE FUNCTION waiting.trap(text, text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a trap was used'; END $$;
CREATE OPERATOR waiting.= (LEFTARG = text, RIGHTARG = text, FUNCTION = waiting.trap);
CREATE FUNCTION waiting.to_tsvector(regconfig, text) RETURNS tsvector LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a trap was used'; END $$;
CREATE TEXT SEARCH CONFIGURATION waiting.english (COPY = pg_catalog.simple);
CREATE DOMAIN waiting.text AS pg_catalog.text CHECK (false);
SQL
check "a store beside traps is made" "done" "$(answer "SELECT memory_create_store('waiting', 3)" -U app)"
check "and used" 1 "$(answer "SELECT memory_add('m', 'running', embedding => '[1,2,3]', store => 'waiting')" -U app >/dev/null; answer "SELECT memory_search('m', 'runs', store => 'waiting')->'count'" -U app)"

# A language is the one that its name says, not one whose name reads alike in a schema before it.
sql "CREATE SCHEMA words; CREATE TEXT SEARCH CONFIGURATION words.mine (COPY = pg_catalog.german)"
sql "CREATE SCHEMA before; CREATE TEXT SEARCH CONFIGURATION before.\"words.mine\" (COPY = pg_catalog.simple); CREATE TEXT SEARCH CONFIGURATION before.english (COPY = pg_catalog.simple)" -U mallory
for language in words.mine english pg_catalog.english; do
  sql "SELECT memory_create_store('spoken', 3, '$language')" >/dev/null
  check "the language $language is the one of that schema, english that of pg_catalog" yes "$(case $(sql "SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'spoken.contexts'::regclass AND pg_get_expr(adbin, adrelid) LIKE 'to_tsvector%'") in
    "to_tsvector('${language#pg_catalog.}'::regconfig,"*) echo yes ;; *) echo "no: $(sql "SELECT DISTINCT refobjid::regconfig FROM pg_depend WHERE refclassid = 'pg_ts_config'::regclass AND objid IN (SELECT oid FROM pg_attrdef WHERE adrelid = 'spoken.contexts'::regclass)")" ;; esac)"
  sql "SELECT memory_drop_store('spoken')" >/dev/null
done

# --- A restored dump ----------------------------------------------------------------------------

# The extension in a schema that an ordinary role owns, and a store of that role: whoever restores it.
sql 'CREATE DATABASE source OWNER app' -d postgres
sql 'CREATE EXTENSION vector' -d source # pgvector may not be trusted
sql "CREATE SCHEMA tools; CREATE EXTENSION memory_search SCHEMA tools; SELECT tools.memory_create_store('s', 3); SELECT tools.memory_add('m', 'green tea', 'tea', 'a context', embedding => '[1,2,3]', creation_time => '2025-01-01Z', store => 's') IS NOT NULL" -U app -d source >/dev/null
search="SELECT tools.memory_search('m', 'tea', embedding => '[1,2,3]', options => '{\"asOf\": \"2025-06-01T00:00:00Z\"}', store => 's')"
found=$(sql "$search" -U app -d source)
check "the source finds its entry" yes "$(if [[ $found == *'green tea'* ]]; then echo yes; fi)"
pg_dump -d source > "$SCRATCH_DIR/dump.sql"
if (( EUID == 0 )); then chmod 644 "$SCRATCH_DIR/dump.sql"; fi
sql 'CREATE DATABASE by_superuser' -d postgres
said=$(psql -X -q -v ON_ERROR_STOP=1 -d by_superuser -f "$SCRATCH_DIR/dump.sql" 2>&1 >/dev/null || true)
check "restored by the superuser: no error" '' "$(grep ERROR <<< "$said" || true)"
check "restored by the superuser: the same answer to the owner" "$found" "$(sql "$search" -U app -d by_superuser)"
sql 'CREATE DATABASE by_keeper' -d postgres -U keeper
sql 'CREATE EXTENSION vector' -d by_keeper
pg_dump -d source --no-owner --no-privileges > "$SCRATCH_DIR/dump.sql"
psql -X -q -v ON_ERROR_STOP=1 -d by_keeper -U keeper < <(grep -vE '^(CREATE|COMMENT ON) EXTENSION( IF NOT EXISTS)? vector' "$SCRATCH_DIR/dump.sql") >/dev/null
check "restored by another role without owners: the same answer to that role" "$found" "$(sql "$search" -U keeper -d by_keeper)"
check "and nothing to the one of before" 42501 "$(answer "$search" -U app -d by_keeper)"
# --- A schema that only looks like a store ------------------------------------------------------

# There is no registry, so anybody can make one, with columns of any type and without a value. Whoever
# names it gets an error or an answer; the server lives on.
impostor=$SCRATCH_DIR/impostor.sql
cat > "$impostor" <<'SQL'
SET client_min_messages = error;
CREATE SCHEMA impostor;
CREATE DOMAIN impostor.number AS int;
CREATE TYPE impostor.pair AS (a int, b text);
-- Each column of a store with a value of its own type, and values of other types.
CREATE TABLE impostor.columns (relation text, name text, type text, value text);
INSERT INTO impostor.columns VALUES
  ('entries', 'memory_id', 'text', '''m'''), ('entries', 'entry_id', 'uuid DEFAULT gen_random_uuid()', 'gen_random_uuid()'), ('entries', 'user_id', 'text', '''u'''), ('entries', 'agent_id', 'text', '''a'''),
  ('entries', 'raw_entry', 'text', '''green tea'''), ('entries', 'summary', 'text', '''tea'''), ('entries', 'context', 'text', '''c'''), ('entries', 'tags', 'text[]', '''{a}'''),
  ('entries', 'metadata', 'jsonb', '''{}'''), ('entries', 'source_type', 'text', '''chat'''), ('entries', 'importance', 'smallint', '50'), ('entries', 'creation_time', 'timestamptz', 'now()'),
  ('entries', 'deletion_scheduled_time', 'timestamptz', 'NULL'), ('entries', 'expires_at', 'timestamptz', 'NULL'), ('entries', 'superseded_by', 'uuid', 'NULL'), ('entries', 'superseded_time', 'timestamptz', 'NULL'),
  ('entries', 'embedding', 'halfvec(3)', '''[1,2,3]'''), ('entries', 'embedding_model', 'text', '''x'''), ('entries', 'entry_order', 'bigint', '1'), ('entries', 'search_vector', 'tsvector', '''green:1B tea:2A'''),
  ('contexts', 'memory_id', 'text', '''m'''), ('contexts', 'context_id', 'uuid DEFAULT gen_random_uuid()', 'gen_random_uuid()'), ('contexts', 'user_id', 'text', '''u'''), ('contexts', 'context', 'text', '''about tea'''),
  ('contexts', 'creation_time', 'timestamptz', 'now()'), ('contexts', 'deletion_scheduled_time', 'timestamptz', 'NULL'), ('contexts', 'embedding', 'halfvec(3)', '''[1,2,3]'''), ('contexts', 'embedding_model', 'text', '''x'''),
  ('contexts', 'search_vector', 'tsvector', '''tea:1'''), ('entry_access', 'memory_id', 'text', '''m'''), ('entry_access', 'entry_id', 'uuid', 'gen_random_uuid()'), ('entry_access', 'access_count', 'bigint', '1'),
  ('entry_access', 'last_accessed_at', 'timestamptz', 'NULL');
CREATE TABLE impostor.others (type text, value text);
INSERT INTO impostor.others VALUES ('boolean', 'true'), ('bigint', '7'), ('double precision', '1.5'), ('"char"', '''t'''), ('name', '''tea'''), ('text', '''tea'''), ('timestamptz', 'now()'),
  ('jsonb', '''{"a": 1}'''), ('int[]', '''{1}'''), ('impostor.number', '7'), ('impostor.pair', 'ROW(1, ''b'')'), ('vector', '''[1,2]'''), ('none', 'NULL');
CREATE TABLE impostor.calls (call text);
INSERT INTO impostor.calls VALUES ($$memory_search('m', 'tea', store => 'x')$$), ($$memory_search('m', '', 10, 3, store => 'x')$$),
  ($$memory_search_entries('m', 'tea', embedding => '[1,2,3]', filters => '{"accessCount": {"$gte": 0}, "metadata": {}}', options => '{"dedupThreshold": 0.9}', store => 'x')$$),
  ($$memory_explain('m', 'tea', store => 'x')$$), ($$memory_recall('m', 'tea', store => 'x')$$), ($$memory_add('m', 'tea', context => 'c', store => 'x')$$), ($$memory_put_context('m', 'c', store => 'x')$$),
  ($$memory_update('m', (SELECT gen_random_uuid()), 'new', store => 'x')$$), ($$memory_reembed(everything => true, store => 'x')$$), ($$memory_delete('m', whole_memory => true, store => 'x')$$),
  ($$memory_doctor('x')$$), ($$memory_purge('infinity', store => 'x')$$), ($$memory_forget_user('u', 'x')$$), ($$memory_drop_store('x', true)$$);
CREATE FUNCTION impostor.outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE statement;
  RAISE EXCEPTION USING ERRCODE = 'UNDO0';
EXCEPTION WHEN SQLSTATE 'UNDO0' THEN RETURN 'ok'; WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE FUNCTION impostor.make(odd_relation text, odd_name text, odd_type text, odd_value text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE one record;
BEGIN
  DROP SCHEMA IF EXISTS x CASCADE;
  CREATE SCHEMA x;
  FOR one IN SELECT relation, string_agg(format('%I %s', name, CASE WHEN odd AND odd_type <> 'none' THEN odd_type ELSE type END), ', ' ORDER BY name) AS columns,
      string_agg(CASE WHEN odd THEN odd_value ELSE value END, ', ' ORDER BY name) AS row
    FROM (SELECT *, (relation, name) = (odd_relation, odd_name) AS odd FROM impostor.columns) c GROUP BY relation LOOP
    EXECUTE format('CREATE TABLE x.%I (%s); INSERT INTO x.%1$I VALUES (%3$s)', one.relation, one.columns, one.row);
  END LOOP;
END $$;
SQL
# In a line what was odd, the error, and the call that met it. (make gives an empty one.)
cat >> "$impostor" <<'SQL'
SELECT format('SELECT impostor.make(%L, %L, %L, %L); SELECT %L || outcome || ''; from '' || call FROM impostor.calls, LATERAL (SELECT impostor.outcome(''SELECT * FROM '' || call) AS outcome) o WHERE outcome ~ ''^XX'';',
  relation, name, o.type, o.value, relation || '.' || name || ' of type ' || o.type || ': ')
FROM impostor.columns c, impostor.others o WHERE c.type <> o.type ORDER BY relation, name, o.type \gexec
SQL
if (( EUID == 0 )); then chmod 644 "$impostor"; fi
found=$(psql -X -q -At -f "$impostor" 2>&1 | grep . || true)
check "a store with columns of other types, or without a value in one, gives no internal error and no crash" '' "$(head -n 4 <<< "$found")$(if (( $(wc -l <<< "$found") > 4 )); then echo " ... and $(( $(wc -l <<< "$found") - 4 )) more lines"; fi)"
checked
