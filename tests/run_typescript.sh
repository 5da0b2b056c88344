#!/usr/bin/env bash
# The TypeScript client in clients/typescript, by node-postgres and by postgres.js: its methods, its types, its adapters
# except Mastra's (run_mastra.sh), the types of the examples on its page, and its names against docs/reference.
#   run_typescript.sh [TEST...]  all of tests/clients/typescript, or some: run_typescript.sh names values
#   MEMORY_SEARCH_INSTALLED=1    the extension is installed already: neither set up nor build
# If the machine has no node, pgrx-config/node.sh fetches one. The last line says how many tests passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
folder=$MEMORY_SEARCH_REPO/tests/clients/typescript
prepare_extension
node=$("$MEMORY_SEARCH_REPO/pgrx-config/node.sh")
PATH=$node:$PATH
modules=$("$folder/build.sh") || die "the client is not built: ${modules:-see above}"

# shellcheck disable=SC2119 # no further settings
start_server
create_extension
cp "$folder"/*.ts "$folder/tsconfig.json" "$SCRATCH_DIR/"
echo '{ "type": "module" }' > "$SCRATCH_DIR/package.json"
ln -s "$modules" "$SCRATCH_DIR/node_modules"
node "$folder/page.mjs" "$SCRATCH_DIR" memory-search/{ai,langchain,langgraph}
node "$modules/typescript/bin/tsc" -p "$SCRATCH_DIR"
tests=("$SCRATCH_DIR"/*.test.js)
if (( $# )); then tests=("${@/#/$SCRATCH_DIR/}"); tests=("${tests[@]/%/.test.js}"); fi

status=0
# One file at a time: they share a server, and each has a store of its own name.
node --test --test-concurrency=1 --test-reporter=spec "${tests[@]}" > "$SCRATCH_DIR/said" 2>&1 || status=$?
cat "$SCRATCH_DIR/said"
check_logs
if (( status )); then die "the TypeScript client is not as it should be"; fi
count_of() { sed -nE "s/^ℹ $1 ([0-9]+)\$/\1/p" "$SCRATCH_DIR/said"; }
# A skipped test would never be seen to fail.
[[ $(count_of skipped) == 0 && $(count_of todo) == 0 ]] || die "tests were skipped"
passed=$(count_of pass)
[[ $passed =~ ^[1-9] ]] || die "no test passed"
echo "$passed passed, 0 failed"
