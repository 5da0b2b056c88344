#!/usr/bin/env bash
# Builds the client in clients/typescript, as a package beside the drivers that its tests and examples use:
#   build.sh    prints the folder of node's modules in which all of them are
# Its packages go to the dev folder, pinned by package-lock.json. Exit code 3: this machine cannot, and the output
# says why.
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../../pgrx-config/paths.sh"
client=$MEMORY_SEARCH_REPO/clients/typescript locks=$MEMORY_SEARCH_REPO/tests/clients/typescript
work=$MEMORY_SEARCH_DEV/clients/typescript
missing() { echo "$*"; exit 3; }
node=$("$MEMORY_SEARCH_REPO/pgrx-config/node.sh") || missing "there is no node, nor can it be fetched"
PATH=$node:$PATH

make_dev_folder
mkdir -p "$work"
exec 9> "$work/.lock" # two runs at a time would tread on each other
flock 9
if ! cmp -s "$locks/package-lock.json" "$work/installed.json"; then
  cp "$locks/package.json" "$locks/package-lock.json" "$work/"
  (cd "$work" && npm ci --silent --no-audit --no-fund >&2)
  cp "$locks/package-lock.json" "$work/installed.json"
fi
# A copy, because node looks for the client's packages from the folder in which it is. It is made once for a source,
# because another run's tests may be reading it.
package=$work/node_modules/memory-search
source=$(cd "$client" && find package.json tsconfig.json src -type f -print0 | sort -z | xargs -0 sha256sum)
if [[ ! -e $package/.source || $(< "$package/.source") != "$source" ]]; then
  rm -rf "$package"
  mkdir -p "$package"
  cp -r "$client/package.json" "$client/tsconfig.json" "$client/src" "$package/"
  node "$work/node_modules/typescript/bin/tsc" -p "$package" >&2
  echo "$source" > "$package/.source"
fi
echo "$work/node_modules"
