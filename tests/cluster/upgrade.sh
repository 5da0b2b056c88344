#!/usr/bin/env bash
# From every release in sql/releases to the version that is installed: the stores that it made go on as
# they were, and after ALTER EXTENSION UPDATE the catalogs say of the extension what they say of a fresh
# one, object by object. A released version stays what it was. That the comparison sees what an update
# script forgets is shown on a made-up next version.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
queries=$MEMORY_SEARCH_REPO/tests/upgrade

# --- A PostgreSQL with an extension folder of its own -------------------------------------------

# Only a server with the old scripts can install an old version, and the installation may be somebody
# else's. A server finds its folders from the place of its program: one whose programs are copied to
# another root, under the same path, looks for all else there. That is linked, but for the extension folder.
root=$(mktemp -d /tmp/memory_search-scratch-XXXXXX)
trap 'scratch_on_exit; rm -rf "$root"' EXIT
chmod 755 "$root"
place=$(cd "$PG_BIN" && pwd -P)
share=$("$place/pg_config" --sharedir)
library=$("$place/pg_config" --pkglibdir)
share=$(cd "$share" && pwd -P) library=$(cd "$library" && pwd -P)

link_all() { # FROM TO: everything in FROM that TO has not
  local entry
  for entry in "$1"/*; do
    if [[ ! -e $2/${entry##*/} ]]; then ln -s "$entry" "$2/"; fi
  done
}
mkdir -p "$root$place" "$root$share/extension" "$(dirname "$root$library")"
cp "$place"/* "$root$place/"
link_all "$share/extension" "$root$share/extension"
link_all "$share" "$root$share"
if [[ ! -e $root$library ]]; then ln -s "$library" "$root$library"; fi
# The programs of a wheel look for their libraries up to three folders above.
folder=$place
for _ in 1 2 3; do
  folder=$(dirname "$folder")
  link_all "$folder" "$root$folder"
done
PG_BIN=$root$place
extension=$("$PG_BIN/pg_config" --sharedir)/extension
[[ $(cd "$extension" && pwd -P) == "$root"/* ]] || die "the copied PostgreSQL still looks into $extension"

version=$(sed -nE "s/^default_version *= *'(.*)'.*/\1/p" "$extension/memory_search.control")
built=$root/built.sql
cp "$extension/memory_search--$version.sql" "$built"
put() { # SCRIPT VERSION [VERSION]: as the script of a version, or from one to another
  rm -f "$extension/memory_search--$2${3:+--$3}.sql"
  cp "$1" "$extension/memory_search--$2${3:+--$3}.sql"
}
is_default() { # VERSION
  sed "s/^default_version.*/default_version = '$1'/" "$share/extension/memory_search.control" > "$root/control"
  rm -f "$extension/memory_search.control"
  cp "$root/control" "$extension/memory_search.control"
}

# --- What is compared ---------------------------------------------------------------------------

start_server
# Objects, and what the library is called with.
snapshot() { psql -X -q -At -v ON_ERROR_STOP=1 -f "$queries/snapshot.sql" "$@"; }
symbols() { psql -X -q -At -v ON_ERROR_STOP=1 -f "$queries/symbols.sql" "$@"; }
# The C functions that one version's SQL calls in another way than another's. Sessions run the SQL that
# was installed on the library that is there, so an old one must keep its arguments. One that passes no nulls
# (the fifth field) may call what takes them.
called_otherwise() { # OLD NEW
  awk -F ' [|] ' -v OFS=' | ' 'NR == FNR { new[$1] = $0; takes_nulls[$1] = $5 == "f"; next }
    takes_nulls[$1] { $5 = "f" }
    ($1 in new) && new[$1] != $0 { print $1 }' <(echo "$2") <(echo "$1")
}
differences() { # OLD NEW: a few lines of each difference
  diff <(echo "$1") <(echo "$2") | grep '^[<>]' | cut -c 1-300 | head -n 12 || true
}
# Ids of contexts are made by chance.
searches() { sql "$SEARCH_STORE" "$@" | sed -E 's/("contextId": ")[0-9a-f-]*/\1/g'; }
calls() { PGOPTIONS='-c client_min_messages=warning' psql -X -q -At -v ON_ERROR_STOP=1 -f "$queries/calls.sql" "$@" | sed -E 's/("contextId": ")[0-9a-f-]*/\1/g'; }
database() { sql "CREATE DATABASE $1" -d postgres; }
sqlstate() { psql -X -q -At -v VERBOSITY=sqlstate -c "$1" "${@:2}" 2>&1 || true; }

database fresh
create_extension -d fresh
objects=$(snapshot -d fresh)
called=$(symbols -d fresh)
sql "$FILL_STORE" -d fresh >/dev/null
found=$(searches -d fresh)
answers=$(calls -d fresh)
check "the catalogs tell of more than 200 facts" t "$(sql "SELECT $(wc -l <<< "$objects") > 200")"
check "10 searches of a store find 10 documents" 10 "$(wc -l <<< "$found")"

# --- The library and the SQL say the same version -----------------------------------------------

check "what is installed is of the version in Cargo.toml" "$(sed -nE 's/^version *= *"(.*)".*/\1/p' "$MEMORY_SEARCH_REPO/Cargo.toml" | head -n 1)" "$version"
if (( $(sql "SELECT current_setting('server_version_num')::int / 10000") >= 18 )); then
  check "and so is the library" "$version" "$(psql -X -q -At -d fresh -c "LOAD 'memory_search'" -c "SELECT version FROM pg_get_loaded_modules() WHERE module_name = 'memory_search'")"
else
  echo "THIS POSTGRESQL DOES NOT TELL A LIBRARY'S VERSION: it is compared from PostgreSQL 18 on"
fi

# --- From every release -------------------------------------------------------------------------

releases=()
for file in "$MEMORY_SEARCH_REPO"/sql/releases/memory_search--*.sql; do
  [[ -e $file ]] || die "sql/releases holds no release: write it by pgrx-config/freeze_release.sh"
  release=${file##*/memory_search--}
  releases+=("${release%.sql}")
done
for release in "${releases[@]}"; do
  database=from_${release//[^0-9a-z]/_}
  database "$database"
  put "$MEMORY_SEARCH_REPO/sql/releases/memory_search--$release.sql" "$release"
  PGOPTIONS='-c client_min_messages=warning' sql "CREATE EXTENSION memory_search VERSION '$release' CASCADE" -d "$database"
  if [[ $release == "$version" ]]; then
    changed=$(differences "$(snapshot -d "$database")" "$objects")
    [[ -z $changed ]] || { printf '< released\n> built now\n%s\n' "$changed" >&2
      die "memory_search $release was released with other objects than those that are built now: they are above.
  Give it a new version in Cargo.toml, and write sql/memory_search--$release--NEW.sql, which makes the one out of the other.
  (As long as nobody has $release, pgrx-config/freeze_release.sh --again replaces what was released.)"; }
  fi
  # The released SQL on the library that is there now.
  check "$release: its SQL calls the library in no other way than $version does" '' "$(called_otherwise "$(symbols -d "$database")" "$called")"
  sql "$FILL_STORE" -d "$database" >/dev/null
  before=$(searches -d "$database")
  check "$release: its store is filled and searched before the update" 10 "$(wc -l <<< "$before")"
  rows="SELECT md5(string_agg(e::text, '' ORDER BY entry_id)) FROM s.entries e"
  bytes=$(sql "$rows" -d "$database")

  put "$built" "$version"
  sql 'ALTER EXTENSION memory_search UPDATE' -d "$database"
  check "$release: after the update it is $version" "$version" "$(sql "SELECT extversion FROM pg_extension WHERE extname = 'memory_search'" -d "$database")"
  check "$release: updated, it is like a fresh $version, object by object" '' "$(differences "$(snapshot -d "$database")" "$objects")"
  check "$release: the update changed no entry" "$bytes" "$(sql "$rows" -d "$database")"
  check "$release: 10 documents as before the update" '' "$(differences "$before" "$(searches -d "$database")")"
  check "$release: and as a fresh $version gives them" '' "$(differences "$found" "$(searches -d "$database")")"
  check "$release: every function works on its store as on one of $version" '' "$(differences "$answers" "$(calls -d "$database")")"
  sql "DROP DATABASE $database" -d postgres
done
put "$built" "$version"

# --- Would we see what an update forgets? --------------------------------------------------------

# The next version: a function, a privilege, a comment, a cost, a cast and an operator more than this one, and a function less.
next=${version%.*}.$(( ${version##*.} + 1 ))
function="CREATE FUNCTION memory_next(name text DEFAULT 'mcp') RETURNS jsonb STRICT STABLE PARALLEL RESTRICTED SET search_path TO pg_catalog, pg_temp LANGUAGE c AS 'MODULE_PATHNAME', 'memory_tool_spec_wrapper';"
news=(
  "$function"
  "COMMENT ON FUNCTION memory_next IS 'of the next version';"
  'REVOKE EXECUTE ON FUNCTION memory_next FROM PUBLIC;'
  'ALTER FUNCTION memory_embed(text) COST 77;'
  "COMMENT ON TYPE memory_embedding IS 'as before, but better';"
  'CREATE CAST (memory_embedding AS pg_catalog.jsonb) WITH INOUT;'
  'CREATE FUNCTION memory_next_same(a memory_embedding, b memory_embedding) RETURNS boolean IMMUTABLE LANGUAGE sql RETURN a::vector OPERATOR(pg_catalog.=) b::vector;'
  'CREATE OPERATOR === (LEFTARG = memory_embedding, RIGHTARG = memory_embedding, FUNCTION = memory_next_same);'
  'DROP FUNCTION memory_tool_spec(text);'
)
# pgvector's operators are not in pg_catalog.
vector_schema=$(sql "SELECT quote_ident(extnamespace::regnamespace::text) FROM pg_extension WHERE extname = 'vector'" -d fresh)
news=("${news[@]//OPERATOR(pg_catalog.=)/OPERATOR($vector_schema.=)}")
script() { # NEWS...: of an update
  printf '%s\n' "$@" > "$root/script.sql"
}
{ cat "$built"; printf '%s\n' "${news[@]}"; } > "$root/next.sql"
put "$root/next.sql" "$next"
is_default "$next"
database next
create_extension -d next
next_objects=$(snapshot -d next)

database hop
PGOPTIONS='-c client_min_messages=warning' sql "CREATE EXTENSION memory_search VERSION '$version' CASCADE" -d hop
sql "$FILL_STORE" -d hop >/dev/null
check "without an update script there is no way to $next: 22023, and $version stays" "ERROR:  22023 $version" "$(sqlstate 'ALTER EXTENSION memory_search UPDATE' -d hop) $(sql "SELECT extversion FROM pg_extension WHERE extname = 'memory_search'" -d hop)"
script "${news[@]}"
put "$root/script.sql" "$version" "$next"
hop() { # to the next version and back again: what differs from a fresh one, and the version
  psql -X -q -At -v ON_ERROR_STOP=1 -d hop -c BEGIN -c 'ALTER EXTENSION memory_search UPDATE' -f "$queries/snapshot.sql" -c ROLLBACK
}
check "a complete update script makes a fresh $next out of $version" '' "$(differences "$(hop)" "$next_objects")"
for missing in "${!news[@]}"; do
  forgetful=("${news[@]}")
  unset "forgetful[$missing]"
  # What needs the function goes with it.
  if (( missing == 0 )); then unset 'forgetful[1]' 'forgetful[2]'; fi
  if (( missing == 6 )); then unset 'forgetful[7]'; fi
  script "${forgetful[@]}"
  put "$root/script.sql" "$version" "$next"
  check "one that forgets this is seen: ${news[missing]:0:60}..." yes "$(if [[ -n $(differences "$(hop)" "$next_objects") ]]; then echo yes; fi)"
done
# Labels and defaults are no objects of their own.
for change in 's/ STABLE / VOLATILE /' 's/ PARALLEL RESTRICTED / PARALLEL SAFE /' 's/ STRICT / /' "s/DEFAULT 'mcp'/DEFAULT 'openai'/" 's/(name text/(format text/' 's/SET search_path TO pg_catalog, pg_temp/SET search_path TO pg_catalog/' 's/ STABLE / STABLE SECURITY DEFINER /'; do
  script "$(sed "$change" <<< "$function")" "${news[@]:1}"
  put "$root/script.sql" "$version" "$next"
  check "one that does this is seen: $change" yes "$(if [[ -n $(differences "$(hop)" "$next_objects") ]]; then echo yes; fi)"
done

# Released SQL on a newer library: a C function that was released keeps its arguments.
check "the next version calls the library in the ways of this one" '' "$(called_otherwise "$called" "$(symbols -d next)")"
script "${news[@]}" "CREATE FUNCTION memory_touch(memory_id text, store text) RETURNS bigint LANGUAGE c AS 'MODULE_PATHNAME', 'memory_touch_wrapper';"
put "$root/script.sql" "$version" "$next"
sql "ALTER FUNCTION memory_touch RENAME TO memory_touch_before" -d hop
changed=$(psql -X -q -At -v ON_ERROR_STOP=1 -d hop -c BEGIN -c 'ALTER EXTENSION memory_search UPDATE' -c 'ALTER EXTENSION memory_search DROP FUNCTION memory_touch_before' -f "$queries/symbols.sql" -c ROLLBACK)
passes_null=$(sed -E '/^memory_embed_wrapper /s/ [|] t$/ | f/' <<< "$called")
check "one that passes nulls to memory_embed_wrapper, which takes none, is seen" memory_embed_wrapper "$(called_otherwise "$passes_null" "$called")"
check "one that passes none where they are taken is not" '' "$(called_otherwise "$called" "$passes_null")"
check "one that calls memory_touch_wrapper with other arguments is seen" memory_touch_wrapper "$(called_otherwise "$called" "$changed")"
sql "ALTER FUNCTION memory_touch_before RENAME TO memory_touch" -d hop

# Newer SQL on the library of before: the update is refused whole.
script "${news[@]}" "CREATE FUNCTION memory_later() RETURNS bigint LANGUAGE c AS 'MODULE_PATHNAME', 'memory_later_wrapper';"
put "$root/script.sql" "$version" "$next"
check "an update to SQL whose library is not there yet is 42883, and $version stays" "ERROR:  42883 $version" "$(sqlstate 'ALTER EXTENSION memory_search UPDATE' -d hop) $(sql "SELECT extversion FROM pg_extension WHERE extname = 'memory_search'" -d hop)"
check "with the same objects" '' "$(differences "$(snapshot -d hop)" "$objects")"
check "and the same answers" '' "$(differences "$found" "$(searches -d hop)")"

# The complete one, to stay: in a session that has searched before, with its plans.
script "${news[@]}"
put "$root/script.sql" "$version" "$next"
got=$(psql -X -q -At -v ON_ERROR_STOP=1 -d hop -c "SELECT memory_search('m', 'tea', store => 's')->'count'" -c 'ALTER EXTENSION memory_search UPDATE' -c "SELECT memory_search('m', 'tea', store => 's')->'count'" -c "SELECT memory_next()->>'name'" | tr '\n' ' ')
check "updated within a session: its searches go on, and the new function is there" "5 5 memory_search " "$got"
check "10 documents as before" '' "$(differences "$found" "$(searches -d hop)")"
checked
