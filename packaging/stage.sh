# shellcheck shell=bash
# The parts of every package: the library of each PostgreSQL as users get it, its files, and the models. Sourced by
# the scripts that pack. Results go to PACKAGES.
#   stage_release MAJOR   leaves in STAGE/MAJOR: memory_search.so, stripped, memory_search.so.debug, extension/ with the
#                         control file and the SQL, and THIRD-PARTY-LICENSES
#   stage_model NAME      leaves in STAGE/models/NAME: the model's files, among them LICENSE
# Two runs on one commit give the same packages: SOURCE_DATE_EPOCH is the time of all files.

# shellcheck source=pgrx-config/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/../pgrx-config/build.sh"

# shellcheck disable=SC2034 # for the scripts that source this one
PACKAGES=$MEMORY_SEARCH_REPO/dist
STAGE=$MEMORY_SEARCH_DEV/packages/stage

: "${SOURCE_DATE_EPOCH:=$(git -C "$MEMORY_SEARCH_REPO" log -1 --format=%ct 2>/dev/null || stat -c %Y "$MEMORY_SEARCH_REPO/CHANGELOG.md")}"
export SOURCE_DATE_EPOCH

# The server whose headers a package is compiled with: the system's server if it has headers, else the server of set-up.
headers_of() { # MAJOR
  local config=/usr/lib/postgresql/$1/bin/pg_config
  if [[ -x $config && -e $("$config" --includedir-server)/postgres.h ]]; then echo "$config"; return; fi
  config=PG$1_CONFIG
  echo "${!config}"
}

# Every package is compiled in this way, independently of the developer's environment: fully optimized, in a folder of
# its own, and without a path of this machine inside. If two folders fit a path, the later one counts.
release_environment() {
  local name folder
  while IFS= read -r name; do unset "$name"; done < <(compgen -e | grep -E '^CARGO_(PROFILE_|INCREMENTAL|BUILD_|ENCODED_)' || true)
  export CARGO_TARGET_DIR=$MEMORY_SEARCH_DEV/packages/target RUSTFLAGS='' BUILD_PROFILE=release
  for folder in "$MEMORY_SEARCH_REPO=memory_search" "${CARGO_HOME:-$HOME/.cargo}=cargo" "$CARGO_TARGET_DIR=target" \
    "$(rustc --print sysroot)=rust"; do
    RUSTFLAGS+="${RUSTFLAGS:+ }--remap-path-prefix=${folder%=*}=/usr/src/${folder##*=}"
  done
}

# This check precedes the first compilation or packing, because each takes minutes.
are_supported() { # MAJOR...
  local major
  for major in "$@"; do
    [[ " $SUPPORTED_MAJORS " == *" $major "* ]] || die "PostgreSQL $major is not supported: $SUPPORTED_MAJORS are"
  done
}

are_models() { # NAME...
  local name
  for name in "$@"; do
    [[ $name == "$MODEL_NAME" || $name == "$MINILM_NAME" ]] || die "there is no model $name: $MODEL_NAME and $MINILM_NAME are"
  done
}

stage_release() { # MAJOR
  local folder=$STAGE/$1 config
  config=$(headers_of "$1")
  if [[ ! -x $config ]]; then "$MEMORY_SEARCH_REPO/pgrx-config/setup.sh" --for-tests; fi
  say "building memory_search $SOURCE_VERSION for $("$config" --version | head -n 1) (minutes)"
  make_dev_folder
  ( release_environment; build_library "$config" )
  local library=$MEMORY_SEARCH_DEV/packages/target/release/libmemory_search.so
  rm -rf "$folder"
  mkdir -p "$folder/extension"
  objcopy --only-keep-debug --compress-debug-sections=zlib "$library" "$folder/memory_search.so.debug"
  # No --add-gnu-debuglink: debuggers find the symbols of a package by the build id.
  objcopy --strip-unneeded "$library" "$folder/memory_search.so"
  no_path_of_this_machine "$folder/memory_search.so" "$folder/memory_search.so.debug"
  sed "s/@CARGO_VERSION@/$SOURCE_VERSION/" "$MEMORY_SEARCH_REPO/memory_search.control" > "$folder/extension/memory_search.control"
  find "$MEMORY_SEARCH_REPO/sql" -maxdepth 1 \( -name "memory_search--$SOURCE_VERSION.sql" -o -name 'memory_search--*--*.sql' \) \
    -exec cp -t "$folder/extension" {} +
  python3 "$MEMORY_SEARCH_REPO/packaging/licences/third_party.py" memory_search > "$folder/THIRD-PARTY-LICENSES"
}

# With the folder of the sources in it, the package would differ from machine to machine.
no_path_of_this_machine() { # FILE...
  local path file expanded
  for file in "$@"; do
    expanded=$(mktemp)
    objcopy --decompress-debug-sections "$file" "$expanded"
    for path in "$MEMORY_SEARCH_REPO" "$MEMORY_SEARCH_DEV" "${CARGO_HOME:-$HOME/.cargo}" "$(rustc --print sysroot)"; do
      if grep -qaF "$path/" "$expanded"; then
        rm -f "$expanded"
        die "$file contains the path $path of this machine"
      fi
    done
    rm -f "$expanded"
  done
}

stage_model() { # NAME
  local folder=$STAGE/models/$1
  if [[ ! -e $MODELS_DIR/$1/.version ]]; then MODEL=$1 "$MEMORY_SEARCH_REPO/pgrx-config/setup.sh" --for-own-server; fi
  rm -rf "$folder"
  mkdir -p "$folder"
  cp -r "$MODELS_DIR/$1/." "$folder"
  rm "$folder/.version"
  # The README with which the model was published names its licence; a redistributed model needs the text as well.
  if [[ $1 == "$MINILM_NAME" ]]; then
    cat "$MEMORY_SEARCH_REPO/packaging/licences/"{minilm,Apache-2.0}.txt > "$folder/LICENSE"
  fi
  [[ -s $folder/LICENSE ]] || die "the model $1 has no licence"
}

# Sets the time of every file, and rights that do not depend on the user who packs.
settle_files() { # FOLDER
  find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  find "$1" -type d -exec chmod 755 {} +
  find "$1" -type f -exec chmod 644 {} +
}
