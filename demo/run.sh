#!/usr/bin/env bash
# The demo: from a bare machine to searches over a loaded memory, in a private server.
# From the environment, all optional:
#   MEMORY=file.jsonl   your own memories instead of the sample ones
#   MAP='raw_entry=content creation_time=created_at'   your names for our fields
#   QUERY='...'         your own question; needed with MEMORY
#   MEMORY_ID=...       the memory to ask; else all of them up to five, else the largest
set -euo pipefail
# shellcheck source=pgrx-config/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/../pgrx-config/build.sh"
unset PG_CONFIG # the demo's server is the one that set-up fetches
# Who has compiled for tests or for a server compiles no second time.
if [[ ! -e ${CARGO_TARGET_DIR:-$MEMORY_SEARCH_REPO/target}/release/libmemory_search.so ]]; then export BUILD_PROFILE=demo; fi
demo=$MEMORY_SEARCH_REPO/demo

own_file=${MEMORY:-}
file=${own_file:-$demo/sample_memory.jsonl}
query=${QUERY:-}
if [[ -n $own_file && -z $query ]]; then
  die "with MEMORY give a question too: make demo MEMORY=$own_file QUERY='what do you want to know?'"
fi

if [[ -t 1 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
  bold=$'\e[1m' blue=$'\e[36m' dim=$'\e[2m' plain=$'\e[0m'
  columns=$(tput cols 2>/dev/null || echo 80)
  width=$(( columns - 55 < 30 ? 30 : columns - 55 > 70 ? 70 : columns - 55 ))
else
  bold='' blue='' dim='' plain='' width=70
fi

sql() { psql -X -q -P pager=off -v ON_ERROR_STOP=1 "$@"; }
shown_sql() { # a statement that the reader might type too
  printf '%s%s%s\n' "$blue" "$1" "$plain"
  sql -At -o /dev/null -c "$1"
}

# --- The memories: checked first, for what is wrong with them should not come to light last ------

command -v python3 >/dev/null || "$MEMORY_SEARCH_REPO/pgrx-config/setup.sh"
mapping=()
for pair in ${MAP:-}; do mapping+=(--map "$pair"); done
script=$(mktemp)
BEGUN_BUILD=''
trap 'rm -f "$script"; if [[ -n $BEGUN_BUILD ]]; then kill "$BEGUN_BUILD" 2>/dev/null || true; fi' EXIT
python3 "$demo/load_memory.py" "$file" ${mapping[@]+"${mapping[@]}"} > "$script" || exit 1

# --- Set-up, build, server ----------------------------------------------------------------------

if [[ ! -x $PG18_CONFIG ]]; then begin_build; fi
"$MEMORY_SEARCH_REPO/pgrx-config/setup.sh"
PG_CONFIG=$PG18_CONFIG MODEL='' SUDO='' "$MEMORY_SEARCH_REPO/pgrx-config/install.sh"
"$MEMORY_SEARCH_REPO/pgrx-config/server.sh" start demo
# shellcheck source=/dev/null
. "$MEMORY_SEARCH_DEV/demo/connection.env"

# --- Database, extension, store, entries --------------------------------------------------------

sql -d postgres -c 'SET client_min_messages = warning' \
  -c 'DROP DATABASE IF EXISTS demo WITH (FORCE)' -c 'CREATE DATABASE demo'
export PGOPTIONS='-c client_min_messages=warning' # no notice of pgvector being installed too
echo
shown_sql 'CREATE EXTENSION memory_search CASCADE;'
shown_sql 'SELECT memory_create_store();'
printf '%s%s%s\n' "$blue" 'SELECT memory_add(memory_id => ..., raw_entry => ..., ...);  -- for each line of the file' "$plain"
seconds=$SECONDS
loaded=$(sql -f "$script")
say "$loaded from $file, in $(( SECONDS - seconds )) s"

# --- Searches -----------------------------------------------------------------------------------

show_search() { # CALL SHOW-CONTEXTS
  sql -v search="$1" -v text_width="$width" -v show_contexts="$2" -f "$demo/show_search.sql"
}

# A block of searches.sql: comment lines (the first is the title), then a statement up to its end.
show_block() { # TITLE REMARKS SHOW STATEMENT
  local call=$4
  printf '\n%s%s%s\n' "$bold" "$1" "$plain"
  if [[ -n $2 ]]; then printf '%s%s%s\n' "$dim" "$2" "$plain"; fi
  printf '%s%s%s\n\n' "$blue" "$4" "$plain"
  call=${call#SELECT }
  call=${call%;}
  case $3 in
    json) sql -At -c "$4" ;;
    contexts) show_search "$call" true ;;
    *) show_search "$call" false ;;
  esac
}

show_file() { # FILE
  local line title='' remarks='' show='' statement=''
  while IFS= read -r line || [[ -n $line ]]; do
    case $line in
      '') title='' remarks='' show='' ;;
      '-- show: '*) show=${line#-- show: } ;;
      '-- '*) if [[ -z $title ]]; then title=${line#-- }; else remarks+=${remarks:+$'\n'}${line#-- }; fi ;;
      *)
        statement+=${statement:+$'\n'}$line
        if [[ $line == *';' ]]; then
          show_block "$title" "$remarks" "$show" "$statement"
          statement=''
        fi ;;
    esac
  done < "$1"
}

show_query() { # QUESTION; PostgreSQL does the quoting
  local memory statement memories=()
  mapfile -d '' -t memories < <(sql -At0 -v wanted="${MEMORY_ID:-}" <<'SQL'
SELECT memory_id FROM memory.entries
 WHERE :'wanted' IN ('', memory_id)
 GROUP BY memory_id ORDER BY count(*) DESC, memory_id
 LIMIT CASE WHEN (SELECT count(DISTINCT memory_id) FROM memory.entries) <= 5 THEN 5 ELSE 1 END;
SQL
  )
  (( ${#memories[@]} )) || die "no entry of $file is in a memory ${MEMORY_ID:-}"
  for memory in "${memories[@]}"; do
    statement=$(sql -At -v memory="$memory" -v query="$1" \
      <<< "SELECT format('SELECT memory_search(%L, %L);', :'memory', :'query');")
    show_block "In the memory $memory" '' '' "$statement"
  done
}

if [[ -n $query ]]; then
  show_query "$query"
else
  show_file "$demo/searches.sql"
fi

# --- What next ----------------------------------------------------------------------------------

printf '\n%sThe server is still running. Try your own:%s\n' "$bold" "$plain"
printf '  connect:  %q -h %s -U postgres -d demo\n' "$(command -v psql)" "$PGHOST"
printf '  stop:     make demo-stop\n'
printf "  your own memories:  make demo MEMORY=file.jsonl QUERY='...'  (demo/README.md says how)\n\n"
say "the demo is complete"
