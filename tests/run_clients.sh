#!/usr/bin/env bash
# Every function with every type of argument by every driver, straight and by PgBouncer in transaction mode, then the
# programs of docs/guide/drivers.md:
#   run_clients.sh [DRIVER...]   all of them, or the calls by some: run_clients.sh psycopg2 'asyncpg jsonb codec'
#   MEMORY_SEARCH_INSTALLED=1    the extension is installed already: neither set up nor build
# The drivers go to the dev folder, pinned by tests/clients. A language that is not on this machine is reported and not
# counted, and so is PgBouncer, which pgrx-config/pgbouncer.sh fetches if it is not installed. The last line has the
# number of cells of the matrix and of programs that passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
folder=$MEMORY_SEARCH_REPO/tests/clients
drivers=$MEMORY_SEARCH_DEV/clients/drivers
prepare_extension

# --- The drivers --------------------------------------------------------------------------------

mkdir -p "$drivers"
if ! cmp -s "$folder/requirements.txt" "$drivers/python/requirements.txt"; then
  say "fetching the drivers of Python"
  rm -rf "$drivers/python"
  python3 -m venv "$drivers/python"
  "$drivers/python/bin/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary=:all: \
    -r "$folder/requirements.txt"
  cp "$folder/requirements.txt" "$drivers/python/requirements.txt"
fi
if node=$("$MEMORY_SEARCH_REPO/pgrx-config/node.sh"); then
  PATH=$node:$PATH
  if ! cmp -s "$folder/drivers/package-lock.json" "$drivers/node/installed.json"; then
    say "fetching the drivers of node"
    mkdir -p "$drivers/node"
    cp "$folder/drivers/package.json" "$folder/drivers/package-lock.json" "$drivers/node/"
    (cd "$drivers/node" && npm ci --silent --no-audit --no-fund)
    cp "$folder/drivers/package-lock.json" "$drivers/node/installed.json"
  fi
  # Node looks for modules from the folder of the program.
  cp "$folder/drivers/node.mjs" "$drivers/node/node.mjs"
  export NODE_CLIENT=$drivers/node/node.mjs
fi
if command -v cargo >/dev/null; then
  say "building the drivers of Rust"
  # A copy, in which check_page.py puts the page's program beside ours.
  mkdir -p "$drivers/package/src/bin"
  cp -p "$folder/rust/Cargo.toml" "$folder/rust/Cargo.lock" "$drivers/package/"
  cp -p "$folder"/rust/src/*.rs "$drivers/package/src/"
  export CARGO_TARGET_DIR=$drivers/rust RUST_PACKAGE=$drivers/package
  cargo build --quiet --locked --manifest-path "$drivers/package/Cargo.toml" --bin memory-search-clients
  export RUST_CLIENT=$drivers/rust/debug/memory-search-clients
fi

# --- The servers --------------------------------------------------------------------------------

url() { # SOCKET_FOLDER PORT
  echo "postgresql://$PGUSER@${1//\//%2F}:$2/$PGDATABASE"
}

on_exit() {
  local status=$?
  stop_pooler
  scratch_stop
  return "$status"
}
trap on_exit EXIT
# shellcheck disable=SC2119 # no further settings
start_server
export PYTHONDONTWRITEBYTECODE=1
python3 "$folder/cases.py" | PGOPTIONS='-c client_min_messages=error' psql -X -q -v ON_ERROR_STOP=1 -o /dev/null -f -
DATABASE_URL=$(url "$PGHOST" "$PGPORT")
export DATABASE_URL
if "$MEMORY_SEARCH_REPO/pgrx-config/pgbouncer.sh" > "$SCRATCH_DIR/pgbouncer"; then
  start_pooler "$PGUSER"
  POOLED_URL=$(url "$POOL_HOST" "$POOL_PORT")
  export POOLED_URL
else
  echo "*** NOT run: PgBouncer is not on this machine, and its package cannot be fetched"
fi
if (( $# )); then
  "$drivers/python/bin/python" "$folder/matrix.py" "$@"
  exit
fi

total=0
for program in matrix check_page; do
  "$drivers/python/bin/python" "$folder/$program.py" | tee "$SCRATCH_DIR/said" || exit 1
  count=$(sed -nE '$s/^([1-9][0-9]*) passed, 0 failed$/\1/p' "$SCRATCH_DIR/said")
  [[ -n $count ]] || die "$program.py did not say how many passed"
  total=$(( total + count ))
done
check_logs
echo "$total passed, 0 failed"
