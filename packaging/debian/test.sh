#!/usr/bin/env bash
# The Debian packages in a clean Debian, from installation to removal: test.sh [SUITE [MAJOR]]
# MAJOR is by default the PostgreSQL of the suite, and SUITE is trixie by default; dist/ must have its package
# (build.sh). If the suite lacks MAJOR, the test packs the server of set-up as Debian would (stand_in.sh). Needs root,
# mmdebstrap and Debian's archive. The server listens on a socket only, and all is removed at the end.
# shellcheck disable=SC2030,SC2031 # the package before has another version, in a subshell
set -euo pipefail
# Mounts of the test end with it.
if [[ -z ${OWN_MOUNTS:-} ]]; then
  (( EUID == 0 )) || { echo "test.sh: a Debian of its own is made by root only" >&2; exit 1; }
  OWN_MOUNTS=1 exec unshare --mount --propagation private "$0" "$@"
fi
# shellcheck source=packaging/stage.sh
. "$(dirname "${BASH_SOURCE[0]}")/../stage.sh"
# shellcheck source=packaging/debian/packages.sh
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
# shellcheck source=packaging/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../checks.sh"
# shellcheck source=packaging/debian/root.sh
. "$(dirname "${BASH_SOURCE[0]}")/root.sh"
# shellcheck source=packaging/debian/stand_in.sh
. "$(dirname "${BASH_SOURCE[0]}")/stand_in.sh"

build=$MEMORY_SEARCH_REPO/packaging/debian/build.sh
refused "a PostgreSQL that is none is refused before anything is packed" "PostgreSQL 15 is not supported: $SUPPORTED_MAJORS are" "$build" 18 15
refused "so is a model that is none" 'no model quick: wordllama and minilm are' env MODEL='wordllama quick' "$build"

suite=${1:-trixie}
trap root_remove EXIT
root_make "$suite"
own_major=$(in_root apt-cache depends postgresql | sed -nE 's/.*Depends: postgresql-([0-9]+)$/\1/p' | head -n 1)
major=${2:-$own_major}
name=postgresql-$major-memory-search
server=$PACKAGES/${name}_${DEBIAN_VERSION}_$ARCHITECTURE.deb
model=$PACKAGES/memory-search-model-${MODEL_NAME}_${DEBIAN_VERSION}_all.deb
symbols=$PACKAGES/$name-dbgsym_${DEBIAN_VERSION}_$ARCHITECTURE.deb
for file in "$server" "$model" "$symbols"; do
  [[ -e $file ]] || die "$file is missing: build it by packaging/debian/build.sh $major"
  cp "$file" "$ROOT/packages"
done

# The package before this one: the functions of the oldest release with the present library. An upgrade has this state
# between its two steps, and dpkg treats the files in the same way. Before the first release it is this version itself.
oldest=$(find "$MEMORY_SEARCH_REPO/sql" -name 'memory_search--*.sql' ! -name 'memory_search--*--*.sql' -printf '%f %p\n' | sort -V | head -n 1)
oldest=${oldest#* }
old=${oldest##*--} old=${old%.sql}
pack_before() (
  staged=$STAGE/before
  [[ -e $STAGE/$major/memory_search.so ]] || die "what was packed is gone: run packaging/debian/build.sh $major"
  rm -rf "$staged"
  cp -r "$STAGE/$major" "$staged"
  rm "$staged/extension"/*.sql
  cp "$oldest" "$staged/extension"
  sed -i "s/^default_version = .*/default_version = '$old'/" "$staged/extension/memory_search.control"
  PACKAGES=$ROOT/before DEBIAN_VERSION=$old~before-1
  mkdir -p "$PACKAGES"
  pack_server "$major" "$staged"
  rm -rf "$staged"
)
pack_before

if [[ $major != "$own_major" ]]; then
  say "PostgreSQL $major of set-up, where Debian would have its own"
  mkdir "$ROOT/stand-ins"
  stand_ins "$major" "$ROOT/stand-ins"
  in_root_quietly bash -c 'apt-get install -y --no-install-recommends /stand-ins/*.deb'
  in_root_quietly pg_createcluster "$major" main
fi
say "the package before, $old"
in_root_quietly apt-get install -y --no-install-recommends "/before/${name}_$old~before-1_$ARCHITECTURE.deb"
server_start "$major"
sql postgres 'CREATE DATABASE app TEMPLATE template0'
holds "its extension is made in a database, with a store" \
  sql app 'CREATE EXTENSION memory_search CASCADE' 'SELECT memory_create_store()'
holds "without its model it says so when something is stored" \
  sql_says app 'the package memory-search-model-wordllama' "SELECT memory_add('trip', 'The ferry leaves at nine.')"

say "apt install of $SOURCE_VERSION over it"
in_root_quietly apt-get install -y "/packages/$(basename "$server")" "/packages/$(basename "$model")"
# shellcheck disable=SC2016 # dpkg-query's ${Version}, not ours
same "the files are those of $DEBIAN_VERSION" "$DEBIAN_VERSION" "$(in_root dpkg-query -W -f '${Version}' "$name")"
same "the functions of $old go on working on the new library" 1 \
  "$(sql app "SELECT count(*) FROM memory_search_entries('trip', 'ferry')")"
sql app 'ALTER EXTENSION memory_search UPDATE'
same "ALTER EXTENSION makes it $SOURCE_VERSION" "$SOURCE_VERSION" \
  "$(sql app "SELECT extversion FROM pg_extension WHERE extname = 'memory_search'")"
same "what was stored before is found" 'The ferry leaves at nine.' \
  "$(sql app "SELECT raw_entry FROM memory_search_entries('trip', 'ferry')")"
same "the model, which is one for all servers, embeds" 256 "$(sql app "SELECT vector_dims(memory_embed('a kite'))")"

holds "the README's examples print what it shows" readme_examples
holds "every file is as it was packed" in_root dpkg --verify "$name" "memory-search-model-$MODEL_NAME"
holds "the library asks for nothing that is not there" \
  in_root bash -c "! ldd /usr/lib/postgresql/$major/lib/memory_search.so | grep 'not found'"
in_root_quietly apt-get install -y "/packages/$(basename "$symbols")"
id=$(readelf -n "$ROOT/usr/lib/postgresql/$major/lib/memory_search.so" | sed -n 's/.*Build ID: //p')
holds "the symbols are where debuggers look, and have our lines" \
  symbols_of "$ROOT/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"

say "removal"
in_root_quietly apt-get purge -y "$name" "$name-dbgsym" "memory-search-model-$MODEL_NAME"
same "purged, no file is left" '' \
  "$(cd "$ROOT" && find usr etc var/lib/postgresql \( -name '*memory_search*' -o -name '*memory-search*' \) -print)"
refused "a call then says which file is missing" 'could not access file "memory_search"' \
  sql app "SELECT memory_search('trip', 'ferry')"
same "what was stored is there all the same" 'The ferry leaves at nine.' "$(sql app 'SELECT raw_entry FROM memory.entries')"
in_root_quietly apt-get install -y "/packages/$(basename "$server")" "/packages/$(basename "$model")"
same "and is found again once the package is back" 'The ferry leaves at nine.' \
  "$(sql app "SELECT raw_entry FROM memory_search_entries('trip', 'ferry')")"
holds "the server's log tells of no crash and no internal error" log_is_clean
echo "$PASSED passed, 0 failed"
