#!/usr/bin/env bash
# Builds the extension for one PostgreSQL server, in release mode, and installs it there, with the
# embedding model. From the environment:
#   PG_CONFIG   the server's pg_config; else the one on PATH
#   MODEL=none  leave the model out: memories then get their embeddings from the caller
#   SUDO=1      build as the user you are, use sudo only to copy the files
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/paths.sh"

case ${MODEL:=$MODEL_NAME} in
  none|"$MODEL_NAME") ;;
  *) die "MODEL is $MODEL_NAME (the default) or none" ;;
esac
export MODEL
as_owner=()
if [[ ${SUDO:-} == 1 ]]; then as_owner=(sudo); fi

# --- Is this a server that the extension can be installed into? --------------------------------

PG_CONFIG=${PG_CONFIG:-$(command -v pg_config || true)}
[[ -n $PG_CONFIG ]] || die "say which server: make install PG_CONFIG=/path/to/its/bin/pg_config"
[[ -x $PG_CONFIG && -f $PG_CONFIG ]] || die "$PG_CONFIG is not a program: PG_CONFIG must be the path of the server's pg_config"
PG_CONFIG=$(cd "$(dirname "$PG_CONFIG")" && pwd)/$(basename "$PG_CONFIG")

version=$("$PG_CONFIG" --version | head -n 1)
[[ $version =~ ^PostgreSQL\ ([0-9]+) ]] || die "$PG_CONFIG says '$version': is it PostgreSQL's pg_config?"
major=${BASH_REMATCH[1]}
[[ " $SUPPORTED_MAJORS " == *" $major "* ]] || die "$PG_CONFIG belongs to $version; supported are the major versions $SUPPORTED_MAJORS"

sharedir=$("$PG_CONFIG" --sharedir) libdir=$("$PG_CONFIG" --pkglibdir)
[[ -e $("$PG_CONFIG" --includedir-server)/postgres.h ]] \
  || die "the headers of $version are missing (Debian: apt-get install postgresql-server-dev-$major)"

control=$sharedir/extension/vector.control
[[ -e $control ]] || die "pgvector is not installed in $version: there is no $control (Debian: apt-get install postgresql-$major-pgvector)"
pgvector=$(sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" "$control")
[[ $(printf '%s\n' "$PGVECTOR_MINIMUM" "$pgvector" | sort -V | head -n 1) == "$PGVECTOR_MINIMUM" ]] \
  || die "pgvector $pgvector is too old: $PGVECTOR_MINIMUM or newer is needed"

if (( ${#as_owner[@]} == 0 )); then
  for folder in "$sharedir" "$sharedir/extension" "$libdir"; do
    [[ -w $folder ]] || die "you may not write to $folder. Run this as root, or build as yourself and copy with sudo:
  make install PG_CONFIG=$PG_CONFIG SUDO=1"
  done
fi

# --- Build ------------------------------------------------------------------------------------

stage=$MEMORY_SEARCH_DEV/stage
if [[ $PG_CONFIG == "$PG18_CONFIG" ]]; then
  [[ -e $PGRX_HOME/config.toml ]] || "$MEMORY_SEARCH_REPO/pgrx-config/setup.sh"
else
  "$MEMORY_SEARCH_REPO/pgrx-config/setup.sh" --for-own-server
  # Without this pgrx would compile against the headers of the PostgreSQL in its own notes.
  # --pg-config alone only says where the files go.
  export PGRX_PG_CONFIG_PATH=$PG_CONFIG
fi

say "building memory_search for $version (the first time takes minutes)"
make_dev_folder
rm -rf "$stage"
cd "$MEMORY_SEARCH_REPO"
# Packaged first and copied by ourselves: `cargo pgrx install --sudo` copies into the library that
# running servers have mapped, which crashes them; install(1) puts a new file in its place.
cargo pgrx package --pg-config "$PG_CONFIG" --no-default-features --features "pg$major" --out-dir "$stage"

# --- Copy -------------------------------------------------------------------------------------

put_file() { # SOURCE DESTINATION MODE
  ${as_owner[@]+"${as_owner[@]}"} install -D -m "$3" "$1" "$2"
}

say "installing into $libdir and $sharedir"
while IFS= read -r -d '' file; do
  case $file in
    *.so) put_file "$stage/$file" "/$file" 755 ;;
    *) put_file "$stage/$file" "/$file" 644 ;;
  esac
done < <(cd "$stage" && find . -type f -printf '%P\0')
rm -rf "$stage"

if [[ $MODEL != none ]]; then
  for file in "$MODEL_DIR"/*; do
    put_file "$file" "$sharedir/memory_search/models/$MODEL_NAME/$(basename "$file")" 644
  done
fi
say "installed. In a database: CREATE EXTENSION memory_search CASCADE;"
