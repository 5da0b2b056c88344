#!/usr/bin/env bash
# The TypeScript client's adapter to Mastra, compiled against Mastra itself: its vector store by node-postgres and by
# postgres.js, and Mastra's own memory on it. Apart from run_typescript.sh, as Mastra has 150 MB of packages.
#   run_mastra.sh
#   MEMORY_SEARCH_INSTALLED=1    the extension is installed already: neither set up nor build
# The packages go to the dev folder, pinned by tests/clients/mastra/package-lock.json. The last line says how many tests
# passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
client=$MEMORY_SEARCH_REPO/clients/typescript folder=$MEMORY_SEARCH_REPO/tests/clients/mastra
shared=$MEMORY_SEARCH_REPO/tests/clients/typescript
work=$MEMORY_SEARCH_DEV/clients/mastra
prepare_extension
node=$("$MEMORY_SEARCH_REPO/pgrx-config/node.sh")
PATH=$node:$PATH

mkdir -p "$work"
exec 9> "$work/.lock" # two runs at a time would tread on each other
flock 9
if ! cmp -s "$folder/package-lock.json" "$work/installed.json"; then
  say "fetching Mastra"
  cp "$folder/package.json" "$folder/package-lock.json" "$work/"
  (cd "$work" && npm ci --silent --no-audit --no-fund)
  cp "$folder/package-lock.json" "$work/installed.json"
fi
modules=$work/node_modules
rm -rf "$modules/memory-search"
mkdir -p "$modules/memory-search"
cp -r "$client/package.json" "$client/tsconfig.json" "$client/src" "$modules/memory-search/"
# With it the compiler would read our words for Mastra's interface, and not the interface.
rm "$modules/memory-search/src/mastra_core.d.ts"
node "$modules/typescript/bin/tsc" -p "$modules/memory-search"

# shellcheck disable=SC2119 # no further settings
start_server
create_extension
cp "$shared/server.ts" "$shared/tsconfig.json" "$folder"/*.ts "$SCRATCH_DIR/"
echo '{ "type": "module" }' > "$SCRATCH_DIR/package.json"
ln -s "$modules" "$SCRATCH_DIR/node_modules"
node "$shared/page.mjs" "$SCRATCH_DIR" memory-search/mastra
node "$modules/typescript/bin/tsc" -p "$SCRATCH_DIR"
status=0
node --test --test-reporter=spec "$SCRATCH_DIR/mastra.test.js" > "$SCRATCH_DIR/said" 2>&1 || status=$?
cat "$SCRATCH_DIR/said"
check_logs
if (( status )); then die "the adapter to Mastra is not as it should be"; fi
count_of() { sed -nE "s/^ℹ $1 ([0-9]+)\$/\1/p" "$SCRATCH_DIR/said"; }
[[ $(count_of skipped) == 0 && $(count_of todo) == 0 ]] || die "tests were skipped"
passed=$(count_of pass)
[[ $passed =~ ^[1-9] ]] || die "no test passed"
echo "$passed passed, 0 failed"
