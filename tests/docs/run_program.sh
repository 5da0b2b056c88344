#!/usr/bin/env bash
# Runs a program of docs/guide/clients.md, python.md or typescript.md: run_program.sh python|typescript|rust FOLDER
# FOLDER holds it as example.py, example.ts or example.rs. Its packages go to the dev folder, pinned by
# versions.sh and by the lock files in tests/docs/clients and tests/clients/typescript. Exit code 3: this machine cannot
# run it; the output says why.
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../pgrx-config/paths.sh"
language=$1 folder=$2
locks=$MEMORY_SEARCH_REPO/tests/docs/clients
missing() { echo "$*"; exit 3; }
make_dev_folder

case $language in
  python)
    venv=$MEMORY_SEARCH_DEV/venv
    requirements=$(for wheel in "${PSYCOPG_WHEELS[@]}"; do
      read -r -d '' -a words <<< "$wheel" || true
      printf '%s' "${words[0]}"; printf ' --hash=sha256:%s' "${words[@]:1}"; echo
    done)
    if [[ ! -e $venv/psycopg.txt || $(< "$venv/psycopg.txt") != "$requirements" ]]; then
      if [[ ! -x $venv/bin/pip ]]; then python3 -m venv "$venv" >&2 || missing "Python has no venv"; fi
      printf '%s\n' "$requirements" > "$folder/psycopg.txt"
      "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
        -r "$folder/psycopg.txt" >&2
      cp "$folder/psycopg.txt" "$venv/psycopg.txt"
    fi
    PYTHONPATH=$MEMORY_SEARCH_REPO/clients/python/src PYTHONDONTWRITEBYTECODE=1 \
      exec "$venv/bin/python" "$folder/example.py" ;;
  typescript)
    # The drivers and the client, as in the client's tests; its exit code is the script's.
    modules=$("$MEMORY_SEARCH_REPO/tests/clients/typescript/build.sh") || {
      status=$?
      echo "$modules"
      exit "$status"
    }
    PATH=$("$MEMORY_SEARCH_REPO/pgrx-config/node.sh"):$PATH
    cp "$locks/tsconfig.json" "$folder/"
    echo '{ "type": "module" }' > "$folder/package.json"
    ln -s "$modules" "$folder/node_modules"
    cd "$folder"
    node node_modules/typescript/bin/tsc -p .
    # postgres.js reads no folder of a socket in a URL; like node-postgres it takes what lacks from PGHOST and others.
    DATABASE_URL=postgresql:///${DATABASE_URL##*/} exec node example.js ;;
  rust)
    command -v cargo >/dev/null || missing "no cargo"
    cp "$locks/Cargo.toml" "$locks/Cargo.lock" "$folder/"
    cd "$folder"
    CARGO_TARGET_DIR=$MEMORY_SEARCH_DEV/clients/rust exec cargo run --quiet --locked ;;
  *) die "no such language: $language" ;;
esac
