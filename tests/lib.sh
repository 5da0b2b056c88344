# shellcheck shell=bash
# What all runners share. Sourced, never run.

# shellcheck source=pgrx-config/scratch_server.sh
. "$(dirname "${BASH_SOURCE[0]}")/../pgrx-config/scratch_server.sh"

# Sets up, builds and installs into the PostgreSQL that the private servers run on; quick when that
# is done. run_all.sh does it once and tells the tiers so.
prepare_extension() {
  if [[ -n ${MEMORY_SEARCH_INSTALLED:-} ]]; then return; fi
  "$MEMORY_SEARCH_REPO/pgrx-config/setup.sh"
  PG_CONFIG=${PG_CONFIG:-$PG18_CONFIG} "$MEMORY_SEARCH_REPO/pgrx-config/install.sh"
  # What is tested would not be what the source says: a function's new argument is in the library alone.
  "$MEMORY_SEARCH_REPO/pgrx-config/install_script.sh" --check
}

# Every error in these servers' logs with its SQLSTATE.
LOG_PREFIX="log_line_prefix = '%m [%p] %e %q%u@%d '"
start_server() { scratch_start "$LOG_PREFIX" "$@"; }

# --- For the scripts in tests/cluster ----------------------------------------------------------

# A crash restarts the server, and an internal error is a bug of ours: no log may tell of one.
check_logs() {
  local dir
  for dir in "${SCRATCH_DIRS[@]}"; do
    check "no crash and no internal error in the server's log" '' "$(grep -E 'terminated by signal| XX[0-9]{3} ' "$dir/log" || true)"
  done
}

# One SQL text in a session of its own; its result unaligned, an error ends the script.
sql() { psql -X -q -At -v ON_ERROR_STOP=1 -c "$1" "${@:2}"; }

# With pgvector; the notice that it came along says nothing here.
create_extension() {
  PGOPTIONS='-c client_min_messages=warning' sql 'CREATE EXTENSION memory_search CASCADE' "$@"
}

# A check with what it compared: `check "what holds" EXPECTED GOT`.
CHECKS=0
check() {
  if [[ $2 != "$3" ]]; then
    printf 'FAILED: %s\n  expected: %s\n  got:      %s\n' "$1" "$2" "$3" >&2
    exit 1
  fi
  CHECKS=$(( CHECKS + 1 ))
  echo "  ok: $1"
}
# A number that may not exceed a limit.
check_at_most() {
  if ! awk -v got="$3" -v limit="$2" 'BEGIN { exit !(got != "" && got + 0 <= limit + 0) }'; then
    printf 'FAILED: %s\n  at most: %s\n  got:     %s\n' "$1" "$2" "$3" >&2
    exit 1
  fi
  CHECKS=$(( CHECKS + 1 ))
  echo "  ok: $1: $3, at most $2"
}
# The same for a number that may not stay below one.
check_at_least() { # WHAT LIMIT GOT
  if ! awk -v got="$3" -v limit="$2" 'BEGIN { exit !(got != "" && got + 0 >= limit + 0) }'; then
    printf 'FAILED: %s\n  at least: %s\n  got:      %s\n' "$1" "$2" "$3" >&2
    exit 1
  fi
  CHECKS=$(( CHECKS + 1 ))
  echo "  ok: $1: $3, at least $2"
}
# The last line of each script; run_cluster.sh adds the numbers up.
checked() {
  check_logs
  echo "$CHECKS passed"
}

# SQL of a store with 200 entries and 5 contexts, and ten searches of it.
FILL_STORE=$(< "$MEMORY_SEARCH_REPO/tests/cluster/support/fill_store.sql")
# shellcheck disable=SC2034 # for the scripts that source this one
SEARCH_STORE=$(< "$MEMORY_SEARCH_REPO/tests/cluster/support/search_store.sql")
