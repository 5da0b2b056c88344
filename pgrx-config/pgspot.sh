#!/usr/bin/env bash
# pgspot checks that functions, operators and types of others on the search path cannot change the meaning of our SQL.
# Every name in it has a schema, and nothing is created "or replaced".
#   pgspot.sh               the SQL in the repository: install scripts, updates, releases
#   pgspot.sh --installed   also every statement that the functions of the installed extension run when each
#                           of them is called, on a throwaway server
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tests/lib.sh"

# pgspot wants this pglast, PostgreSQL's own parser. Its wheels: CPython 3.10 to 3.14, each for x86_64 and aarch64.
PGSPOT=pgspot==0.9.4
PGSPOT_HASHES=(a3ca665f78107cf41f4932a830666cd42f4aa4502801bd7e43486ac625c0bb23)
PGLAST=pglast==7.21
PGLAST_HASHES=(
  a02617c29cd39d8309120e68ebafb613e6e8cf95914f6c880fca25c8efe9c370 3303fd17831e8b33f2fdf4db0b9216af32ae78b04668d161f6d1f499a22f7d31
  7547b1c4b14058879c8a2a1512ff6e3fe507d137a54375213b10d9017e194fcd a7df89256b1b1cc08918313e35e93f09120c13df026d11c6562be27247a0e8b5
  2006f89ab517700e33c9f81d3dee6ae2ce0888b91e2e0be59d008fb37e8cc2a0 0bdf65cd077d635e839dd9cadf765e3153122a99c6b0a30c65964f344f962ca4
  6a22b218be5572a1dbfdf2da59161bc11bb4d0ac0c28f484b7c0b609f92193ac 5b21e5bb302b604eed3fa9ce1362fb6c0d766da2d00f50996709381ac01c582d
  c2570105213438a76216a98e38f7b42f70531cf1bc14eec360ce0d152f951548 875a4d07b4c1fd4d9da2bc833aca283f683707a8a6af037f0b58658e0724514b
)

installed=0
case ${1:-} in
  '') ;;
  --installed) installed=1 ;;
  *) die "usage: pgspot.sh [--installed]" ;;
esac

venv=$MEMORY_SEARCH_DEV/pgspot
requirements() {
  printf '%s' "$PGSPOT"; printf ' --hash=sha256:%s' "${PGSPOT_HASHES[@]}"; echo
  printf '%s' "$PGLAST"; printf ' --hash=sha256:%s' "${PGLAST_HASHES[@]}"; echo
}
if [[ ! -e $venv/.version || $(< "$venv/.version") != "$PGSPOT $PGLAST" ]]; then
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || die "pgspot needs Python 3.10 or newer; python3 is $(python3 --version)"
  say "fetching $PGSPOT"
  make_dev_folder
  rm -rf "$venv"
  python3 -m venv "$venv"
  requirements > "$venv/requirements.txt"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes -r "$venv/requirements.txt"
  echo "$PGSPOT $PGLAST" > "$venv/.version"
fi

# Each finding is a failure, and so is a text that pgspot cannot read. The other lines of its output are filtered out.
spot() { # WHAT ALLOWED-FINDINGS ARGUMENTS...
  local what=$1 allowed=$2 output findings status=0
  shift 2
  output=$("$venv/bin/pgspot" "$@" 2>&1) || status=$?
  findings=$(grep -vE '^[^ ]+: *$|^ *(TOTAL: )?Errors: [0-9]+ Warnings: [0-9]+ Unknown: 0 *$|^ *$' <<< "$output" | grep -vE "$allowed" || true)
  if [[ -n $findings ]] || { (( status != 0 )) && [[ $allowed == NONE ]]; }; then
    printf '%s\n' "${findings:-$output}" >&2
    die "pgspot has found something in $what: it is above, and \"$venv/bin/pgspot --explain PS...\" explains it"
  fi
  echo "pgspot: $what: clean"
}

cd "$MEMORY_SEARCH_REPO"
for file in sql/schema/*.sql sql/releases/*.sql sql/memory_search--*.sql; do
  if [[ $file == *--*--*.sql ]]; then continue; fi # an update, see below
  if [[ -e $file ]]; then spot "$file" NONE "$file"; fi
done
# An update may replace objects of the release before it, so pgspot reads that release first.
for file in sql/memory_search--*--*.sql; do
  [[ -e $file ]] || continue
  from=${file#sql/memory_search--}
  from=sql/releases/memory_search--${from%%--*}.sql
  [[ -e $from ]] || die "$file updates a version that is not in sql/releases: $from"
  spot "$file" NONE -a "$from" "$file"
done
if (( ! installed )); then exit; fi

start_server "shared_preload_libraries = 'pg_stat_statements'" "pg_stat_statements.track = 'all'"
create_extension
sql 'CREATE EXTENSION pg_stat_statements'
sql "$FILL_STORE" >/dev/null
# Constants would come as parameters, and literals of types that need one could not be read.
sql 'SELECT pg_stat_statements_reset()' >/dev/null
PGOPTIONS='-c client_min_messages=warning' psql -X -q -At -v ON_ERROR_STOP=1 -f tests/upgrade/calls.sql >/dev/null
# The statements that PostgreSQL itself runs for a foreign key or a view's definition are left out. An assignment of
# PL/pgSQL is a SELECT.
statements="SELECT regexp_replace(query, '^[a-z_]+ := ', 'SELECT ') || ';' FROM pg_stat_statements WHERE NOT toplevel AND query !~ '^SELECT .* FROM ONLY .* FOR KEY SHARE OF x' AND query !~ 'FROM pg_catalog.pg_rewrite WHERE ev_class ='"
# The expressions of an adopted table's index are as the server writes them, for the path that the functions have.
statements+=" AND query !~ '^CREATE INDEX ON [^ ]+ USING memory_search'"
definition="'^(CREATE|ALTER|COMMENT|DROP|GRANT|LOCK) '"
sql "$statements AND query ~ $definition ORDER BY query" > "$SCRATCH_DIR/definitions.sql"
sql "$statements AND query !~ $definition ORDER BY query" > "$SCRATCH_DIR/queries.sql"
definitions=$(grep -cE "^(CREATE|ALTER|COMMENT|DROP|GRANT|LOCK) " "$SCRATCH_DIR/definitions.sql")
queries=$(grep -cE '^(SELECT|INSERT|UPDATE|DELETE|WITH|EXPLAIN) ' "$SCRATCH_DIR/queries.sql")
(( definitions > 50 && queries > 50 )) || die "too few statements were seen: $definitions definitions and $queries others"
# Functions that stay in a store must be safe by themselves. Statements that run once also have the functions' own
# search_path: so they may use IS DISTINCT FROM, which has no form with a schema.
# Trigger functions have a search_path, which pg_stat_statements writes as $1; memory_doctor checks it in the catalog.
# Without it pgspot takes their transition tables for tables on the path.
trigger_functions='PS005: Function without explicit search_path: [^ ]+[.](record_history|notify_changes)[(]'
transition_tables='PS017: Unqualified object reference: (old|new)_rows '
allowed="^($trigger_functions|$transition_tables)"
spot "the $definitions definitions of stores" "$allowed" "$SCRATCH_DIR/definitions.sql"
allowed="^(PS001: Unqualified operator: '=' in [^ ]+ IS (NOT )?DISTINCT FROM |$transition_tables)"
spot "the $queries other statements of the functions" "$allowed" "$SCRATCH_DIR/queries.sql"
check_logs
