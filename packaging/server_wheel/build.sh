#!/usr/bin/env bash
# The wheel memory-search-server: the extension for PostgreSQL 18, and the embedding model. PostgreSQL itself and pgvector
# come with the wheel that it requires. build.sh [--installed] [FOLDER]
#   FOLDER        where it goes; without it dist/
#   --installed   packs the library that development has installed, which compiles nothing: for tests
# The wheel has no Python code. The program memory-search finds its files, and tells the server where they are.
set -euo pipefail
# shellcheck source=packaging/server_wheel/pack.sh
. "$(dirname "${BASH_SOURCE[0]}")/pack.sh"

installed=0
if [[ ${1:-} == --installed ]]; then installed=1; shift; fi
out=$(realpath -m "${1:-$PACKAGES}")

# A folder of its own: a test may pack beside a release.
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
files=$tree/memory_search_server
mkdir -p "$files/lib" "$files/share/memory_search/models" "$tree/licenses"
if (( installed )); then
  cp "$("$PG18_CONFIG" --pkglibdir)/memory_search.so" "$files/lib"
  mkdir "$files/share/extension"
  cp "$("$PG18_CONFIG" --sharedir)"/extension/memory_search{.control,--*.sql} "$files/share/extension"
else
  stage_release 18
  cp "$STAGE/18/memory_search.so" "$files/lib"
  cp -r "$STAGE/18/extension" "$files/share"
  cp "$STAGE/18/THIRD-PARTY-LICENSES" "$tree/licenses"
fi
stage_model "$MODEL_NAME"
cp -r "$STAGE/models/$MODEL_NAME" "$files/share/memory_search/models"
mv "$files/share/memory_search/models/$MODEL_NAME/LICENSE" "$tree/licenses/LICENSE-of-the-model"
cp "$MEMORY_SEARCH_REPO/LICENSE" "$tree/licenses"

minor=${PG18_WHEEL#*==}
cat > "$tree/METADATA" << METADATA
Metadata-Version: 2.4
Name: memory-search-server
Version: $SOURCE_VERSION
Summary: The PostgreSQL extension memory_search and its embedding model, for the server that memory-search up starts
License-Expression: PostgreSQL AND MIT
$(cd "$tree/licenses" && printf 'License-File: %s\n' *)
Requires-Python: >=3.9
Requires-Dist: ${PG18_WHEEL%%==*}>=${minor%.*},<19
Description-Content-Type: text/markdown

The compiled extension memory_search for PostgreSQL 18, and the model by which it embeds texts. The program
\`memory-search\` finds them here: \`pip install 'memory-search[server]'\` installs it, the Python client and the server.
METADATA
pack_wheel memory-search-server "py3-none-$(platform_tag "$files/lib/memory_search.so")" "$tree" "$out"
file=$(echo "$out"/memory_search_server-*.whl)
say "$(basename "$file"), $(du -k "$file" | cut -f 1) kB"
