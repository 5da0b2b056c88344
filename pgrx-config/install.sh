#!/usr/bin/env bash
# Builds the extension for one PostgreSQL server, optimized, and installs it there, with the
# embedding model. From the environment:
#   PG_CONFIG        the server's pg_config; else the one on PATH
#   MODEL            the embedding models: wordllama (the default), minilm, both ("wordllama minilm"), or none: memories
#                    then get their embeddings from the caller. A model that is installed already stays
#   SUDO=1           build as the user you are, use sudo only to copy the files
#   DEBUG_SYMBOLS=1  install the debug symbols too
#   install.sh --build   only builds: `make`, as PGXN's client calls it before `make install`
set -euo pipefail
# shellcheck source=pgrx-config/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/build.sh"

build_only=0
case ${1:-} in
  '') ;;
  --build) build_only=1 ;;
  *) die "usage: install.sh [--build]" ;;
esac
export MODEL=${MODEL:-$MODEL_NAME}
"$MEMORY_SEARCH_REPO/pgrx-config/install_models.sh" --check
as_owner=()
if [[ ${SUDO:-} == 1 ]]; then as_owner=(sudo); fi

# --- Is this a server that the extension can be installed into? --------------------------------

PG_CONFIG=${PG_CONFIG:-$(command -v pg_config || true)}
[[ -n $PG_CONFIG ]] || die "say which server: make install PG_CONFIG=/path/to/its/bin/pg_config"
[[ -x $PG_CONFIG && -f $PG_CONFIG ]] || die "$PG_CONFIG is not a program: PG_CONFIG must be the path of the server's pg_config"
PG_CONFIG=$(cd "$(dirname "$PG_CONFIG")" && pwd)/$(basename "$PG_CONFIG")

major=$(supported_major "$PG_CONFIG")
version=$("$PG_CONFIG" --version | head -n 1)

sharedir=$("$PG_CONFIG" --sharedir) libdir=$("$PG_CONFIG" --pkglibdir)
[[ -e $("$PG_CONFIG" --includedir-server)/postgres.h ]] \
  || die "the headers of $version are missing (Debian: apt-get install postgresql-server-dev-$major)"

control=$sharedir/extension/vector.control
[[ -e $control ]] || die "pgvector is not installed in $version: there is no $control (Debian: apt-get install postgresql-$major-pgvector)"
pgvector=$(sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" "$control")
[[ $(printf '%s\n' "$PGVECTOR_MINIMUM" "$pgvector" | sort -V | head -n 1) == "$PGVECTOR_MINIMUM" ]] \
  || die "pgvector $pgvector is too old: $PGVECTOR_MINIMUM or newer is needed"

if (( ${#as_owner[@]} == 0 && ! build_only )); then
  for folder in "$sharedir" "$sharedir/extension" "$libdir"; do
    [[ -w $folder ]] || die "you may not write to $folder. Run this as root, or build as yourself and copy with sudo:
  make install PG_CONFIG=$PG_CONFIG SUDO=1"
  done
fi

# --- Build ------------------------------------------------------------------------------------

if [[ $PG_CONFIG != "$PG18_CONFIG" ]]; then
  "$MEMORY_SEARCH_REPO/pgrx-config/setup.sh" --for-own-server
elif [[ ! -e $MODEL_DIR/.version ]]; then
  "$MEMORY_SEARCH_REPO/pgrx-config/setup.sh"
fi
script=$MEMORY_SEARCH_REPO/sql/memory_search--$SOURCE_VERSION.sql
[[ -e $script ]] || die "$script is missing: write it by 'make install-script'"

say "building memory_search for $version (the first time takes minutes)"
make_dev_folder
build_library "$PG_CONFIG"
if (( build_only )); then exit; fi

# --- Strip ------------------------------------------------------------------------------------

# The library that cargo writes has 27 MB, of which 19 are symbols for debugging. They are split off, as packagers of
# PostgreSQL do, who have a package of their own for them (-dbgsym, -debuginfo): here the file stays below cargo's
# folder, one for each server version, until the next build. With DEBUG_SYMBOLS=1 it goes to .debug beside the library,
# where gdb and perf look first; /usr/lib/debug belongs to the system's packages.
symbols=$TARGET_FOLDER/debug-symbols/pg$major/memory_search.so.debug
stage=$MEMORY_SEARCH_DEV/stage
rm -rf "$stage"
mkdir -p "$stage" "$(dirname "$symbols")"
objcopy --only-keep-debug --compress-debug-sections=zlib "$LIBRARY" "$symbols"
objcopy --strip-unneeded --add-gnu-debuglink="$symbols" "$LIBRARY" "$stage/memory_search.so"
sed "s/@CARGO_VERSION@/$SOURCE_VERSION/" "$MEMORY_SEARCH_REPO/memory_search.control" > "$stage/memory_search.control"

# --- Copy -------------------------------------------------------------------------------------

# A running server has the library mapped: written over, it would crash. install(1) puts a new file in its place.
put_file() { # SOURCE DESTINATION MODE
  ${as_owner[@]+"${as_owner[@]}"} install -D -m "$3" "$1" "$2"
}

say "installing into $libdir and $sharedir"
put_file "$stage/memory_search.so" "$libdir/memory_search.so" 755
for file in "$stage/memory_search.control" "$script" "$MEMORY_SEARCH_REPO"/sql/memory_search--*--*.sql; do
  [[ -e $file ]] || continue # no release to update from
  put_file "$file" "$sharedir/extension/$(basename "$file")" 644
done
installed_symbols=$libdir/.debug/memory_search.so.debug
if [[ ${DEBUG_SYMBOLS:-} == 1 ]]; then
  put_file "$symbols" "$installed_symbols" 644
elif [[ -e $installed_symbols ]]; then # of another build
  ${as_owner[@]+"${as_owner[@]}"} rm -f "$installed_symbols"
fi
rm -rf "$stage"

PG_CONFIG=$PG_CONFIG "$MEMORY_SEARCH_REPO/pgrx-config/install_models.sh"
say "installed. In a database: CREATE EXTENSION memory_search CASCADE;"
