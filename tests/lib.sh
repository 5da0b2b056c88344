# shellcheck shell=bash
# Functions that all runners share. Sourced, never run.

# shellcheck source=pgrx-config/scratch_server.sh
. "$(dirname "${BASH_SOURCE[0]}")/../pgrx-config/scratch_server.sh"

# Sets up, builds and installs into the PostgreSQL that the private servers run on; quick when that
# is done. run_all.sh does it once and tells the tiers so.
prepare_extension() {
  if [[ -n ${MEMORY_SEARCH_INSTALLED:-} ]]; then return; fi
  "$MEMORY_SEARCH_REPO/pgrx-config/setup.sh"
  PG_CONFIG=${PG_CONFIG:-$PG18_CONFIG} "$MEMORY_SEARCH_REPO/pgrx-config/install.sh"
  # Without this check the tests could run against another script than the source gives: a function's new argument would
  # be in the library alone.
  "$MEMORY_SEARCH_REPO/pgrx-config/install_script.sh" --check
}

# Every error in these servers' logs with its SQLSTATE.
LOG_PREFIX="log_line_prefix = '%m [%p] %e %q%u@%d '"
start_server() { scratch_start "$LOG_PREFIX" "$@"; }

# A crash restarts the server, and an internal error is a bug of ours: no log may tell of one.
check_logs() {
  local dir
  for dir in "${SCRATCH_DIRS[@]}"; do
    if grep -E 'terminated by signal| XX[0-9]{3} ' "$dir/log" >&2; then die "a crash or an internal error is above"; fi
  done
}

# Runs SQL in a session of its own, with unaligned output; an error ends the script.
sql() { psql -X -q -At -v ON_ERROR_STOP=1 -c "$1" "${@:2}"; }

# With pgvector, whose notice does not matter here.
create_extension() {
  PGOPTIONS='-c client_min_messages=warning' sql 'CREATE EXTENSION memory_search CASCADE' "$@"
}

# PgBouncer in transaction mode before the newest server, for roles that log in by it: POOL_HOST and POOL_PORT. The script
# stops it by stop_pooler when it ends.
POOL_HOST='' POOL_PORT=''
start_pooler() { # ROLE...
  local words pooler role
  words=$("$MEMORY_SEARCH_REPO/pgrx-config/pgbouncer.sh")
  mapfile -t pooler <<< "$words"
  POOL_HOST=$(mktemp -d /tmp/memory_search-scratch-XXXXXX) POOL_PORT=$(( PGPORT + 1 ))
  sed -e "s|SERVER_SOCKET|$PGHOST|; s|SERVER_PORT|$PGPORT|; s|POOL_PORT|$POOL_PORT|; s|FOLDER|$POOL_HOST|" \
    "$MEMORY_SEARCH_REPO/tests/clients/pgbouncer.ini" > "$POOL_HOST/pgbouncer.ini"
  for role in "$@"; do printf '"%s" ""\n' "$role"; done > "$POOL_HOST/users"
  if (( EUID == 0 )); then chown -R "$(server_user)" "$POOL_HOST"; fi
  as_server_user "${pooler[@]}" -q -d "$POOL_HOST/pgbouncer.ini"
}

stop_pooler() {
  if [[ -z $POOL_HOST ]]; then return; fi
  if [[ -s $POOL_HOST/pid ]]; then kill "$(< "$POOL_HOST/pid")" 2>/dev/null || true; fi
  rm -rf "$POOL_HOST"
  POOL_HOST=
}

# SQL of a store with 200 entries and 5 contexts.
# shellcheck disable=SC2034 # for the scripts that source this one
FILL_STORE=$(< "$MEMORY_SEARCH_REPO/tests/cluster/support/fill_store.sql")
