#!/usr/bin/env bash
# No stack trace, and so no path of whoever built the library, reaches a client, whatever the server's environment says;
# nor does the environment of the session change by that.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

start_server
as_server_user env RUST_BACKTRACE=1 "$PG_BIN/pg_ctl" -D "$SCRATCH_DIR/data" -l "$SCRATCH_DIR/log" -w -t 60 -m fast restart >/dev/null
create_extension
sql "SELECT memory_create_store('s', 4)" >/dev/null

error() { psql -X -q -At -v VERBOSITY=verbose -c "$1" 2>&1 || true; }
# By our own code, by a statement of ours that the server refuses, and by the server alone.
for call in "memory_search('m', 'x', 99, store => 's')" "memory_search('m', 'x', embedding => '[1]', store => 's')" \
  "memory_search('m', 'x', store => 'nowhere')" "memory_adopt_table('a', 's.entries', '{\"memory_id\": \"memory_id +\", \"entry_id\": \"1\", \"raw_entry\": \"2\"}')" \
  "1 / (memory_embed('x') IS NULL)::int"; do
  said=$(error "SELECT $call")
  check "$call: an error is said" yes "$(if [[ $said == *ERROR:* ]]; then echo yes; fi)"
  check "and no stack trace" '' "$(grep -iE 'backtrace|\.rs:|/rustc/|/src/|begin_unwind|[0-9]+: [a-z_]+::' <<< "${said//LOCATION:*/}" || true)"
done
check "the log holds none either" '' "$(grep -E '^ +[0-9]+: [a-z_<]|/rustc/' "$SCRATCH_DIR/log" || true)"
# A program that the session's process starts says what its environment is.
check "the session's process keeps the environment that the server gave it" '1 and no more' \
  "$(sql "SELECT memory_embed('x') IS NULL; CREATE TEMP TABLE said (line text);
    COPY said FROM PROGRAM 'echo \$RUST_BACKTRACE and \${RUST_LIB_BACKTRACE-no more}'; SELECT line FROM said" | tail -n 1)"
checked
