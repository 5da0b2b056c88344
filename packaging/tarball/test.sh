#!/usr/bin/env bash
# The tarball on a server whose own folders nobody may write, as in an image: a PostgreSQL 18 without the extension.
# The model is found beside the library. dist/ must have the tarball (build.sh).
set -euo pipefail
# shellcheck source=packaging/stage.sh
. "$(dirname "${BASH_SOURCE[0]}")/../stage.sh"
# shellcheck source=packaging/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../checks.sh"

build=$MEMORY_SEARCH_REPO/packaging/tarball/build.sh
refused "an older PostgreSQL is refused before anything is compiled" 'PostgreSQL 17 looks for extensions in its own' "$build" 18 17
refused "so is one that is none" "PostgreSQL x is not supported: $SUPPORTED_MAJORS are" "$build" 18 x
refused "and a model that is none" 'no model quick: wordllama and minilm are' env MODEL=quick "$build"

major=18
file=$PACKAGES/memory_search-$SOURCE_VERSION-pg$major-$(uname -m).tar.gz
[[ -e $file ]] || die "$file is missing: build it by packaging/tarball/build.sh"
work=$(mktemp -d /tmp/memory_search-tarball-XXXXXX)
chmod 755 "$work"
cleaned_up() {
  local status=$?
  set +e
  if declare -F scratch_stop >/dev/null; then scratch_stop; fi
  chmod -R u+w "$work"
  rm -rf "$work"
  exit "$status"
}
trap cleaned_up EXIT

# A server of its own, with pgvector and without memory_search, and read-only.
cp -r "$MEMORY_SEARCH_DEV/pg$major" "$work/server"
prefix=$work/server/$PG18_WHEEL_PREFIX
find "$work/server" \( -name '*memory_search*' \) -prune -exec rm -rf {} +
chmod -R a-w "$work/server"
export PG_CONFIG=$prefix/bin/pg_config
# shellcheck source=tests/lib.sh
. "$MEMORY_SEARCH_REPO/tests/lib.sh"
own_folders() { find "$work/server" -type f -exec sha256sum {} + | sort | sha256sum; }
before=$(own_folders)

mkdir "$work/apart"
tar -xzf "$file" -C "$work/apart"
place=$work/apart/memory_search
for part in lib/memory_search.so share/extension/memory_search{.control,--"$SOURCE_VERSION".sql} \
  "share/memory_search/models/$MODEL_NAME/model.safetensors" settings.sql LICENSE THIRD-PARTY-LICENSES; do
  holds "the tar file has $part" test -s "$place/$part"
done
chmod -R a-w "$place"

start_server
refused "without the settings there is no such extension" 'extension "memory_search" is not available' create_extension
settings() { psql -X -q -f "$place/settings.sql" -v folder="${1-$place}"; }
refused "no folder is refused" 'must be an absolute path without a colon, not ""' \
  psql -X -q -f "$place/settings.sql"
refused "so is a relative one, with which the server would find no extension" 'not "memory_search"' settings memory_search
refused "so is one with a colon, which are two" 'without a colon, not "/srv:/opt"' settings /srv:/opt
refused "so is the folder around it" "there is no $work/apart/share/extension/memory_search.control" settings "$work/apart"
same "and none is noted" "\$system \$libdir" \
  "$(sql "SELECT concat_ws(' ', current_setting('extension_control_path'), current_setting('dynamic_library_path'))")"
holds "settings.sql makes them" settings
holds "and made twice, once with a slash at the end" settings "$place/"
same "they name the folder once, behind the server's own" "\$system:$place/share \$libdir:$place/lib" \
  "$(sql "SELECT concat_ws(' ', current_setting('extension_control_path'), current_setting('dynamic_library_path'))")"
holds "with them it is made" create_extension
sql 'SELECT memory_create_store()' >/dev/null
sql "SELECT memory_add('trip', 'She prefers guesthouses.')" >/dev/null
same "it embeds by the model beside the library" 256 "$(sql "SELECT vector_dims(memory_embed('a kite'))")"
same "and finds by meaning" 'She prefers guesthouses.' \
  "$(sql "SELECT raw_entry FROM memory_search_entries('trip', 'where does she like to stay?', options => '{\"strategy\": \"semantic\"}')")"
holds "no session logged a crash or an internal error" check_logs
scratch_stop fast
same "no file of the server has changed" "$before" "$(own_folders)"
echo "$PASSED passed, 0 failed"
