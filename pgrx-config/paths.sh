# shellcheck shell=bash
# Paths, the user of the servers, and functions by which scripts report. Sourced by every script.

# The server's user must be able to read all files that are made here, so the caller's umask must not apply.
umask 022

MEMORY_SEARCH_REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

# The folder for everything that set-up fetches or makes. PostgreSQL refuses to run as root, and
# the user it runs as instead can't read a repository under /root: root's folder is elsewhere,
# one for each repository.
if [[ -z ${MEMORY_SEARCH_DEV:-} ]]; then
  if (( EUID == 0 )); then
    MEMORY_SEARCH_DEV=/var/tmp/memory_search-dev-$(printf %s "$MEMORY_SEARCH_REPO" | cksum | cut -d ' ' -f 1)
  else
    MEMORY_SEARCH_DEV=$MEMORY_SEARCH_REPO/.dev
  fi
fi

# shellcheck source=pgrx-config/versions.sh
. "$MEMORY_SEARCH_REPO/pgrx-config/versions.sh"

PG18_PREFIX=$MEMORY_SEARCH_DEV/pg18/$PG18_WHEEL_PREFIX
# shellcheck disable=SC2034 # for the scripts that source this one
PG18_CONFIG=$PG18_PREFIX/bin/pg_config
# shellcheck disable=SC2034
PG16_CONFIG=$MEMORY_SEARCH_DEV/pg16/$PG16_WHEEL_PREFIX/bin/pg_config
# shellcheck disable=SC2034
PG17_CONFIG=$MEMORY_SEARCH_DEV/pg17/bin/pg_config
# shellcheck disable=SC2034
MODELS_DIR=$MEMORY_SEARCH_DEV/model
# shellcheck disable=SC2034
MODEL_DIR=$MODELS_DIR/$MODEL_NAME
# pgrx's build script takes the headers of this server. With this variable it reads no other part of pgrx's own set-up:
# neither PGRX_HOME nor its config.toml, which cargo-pgrx would write.
export PGRX_PG_CONFIG_PATH=$PG18_CONFIG
export MEMORY_SEARCH_REPO MEMORY_SEARCH_DEV

# Progress with the seconds since the first script of a chain began.
: "${MEMORY_SEARCH_STARTED:=$EPOCHSECONDS}"
export MEMORY_SEARCH_STARTED
say() { printf '[%4ds] %s\n' "$(( EPOCHSECONDS - MEMORY_SEARCH_STARTED ))" "$*"; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# Makes the dev folder. Its marker allows `make clean` to remove it; the owner is checked because anybody may create a
# folder in /var/tmp and wait for root to run programs from it.
make_dev_folder() {
  mkdir -p "$MEMORY_SEARCH_DEV"
  [[ -O $MEMORY_SEARCH_DEV ]] || die "$MEMORY_SEARCH_DEV belongs to somebody else: remove it, or set MEMORY_SEARCH_DEV"
  [[ -e $MEMORY_SEARCH_DEV/.memory_search-dev ]] || : > "$MEMORY_SEARCH_DEV/.memory_search-dev"
}

# The user that servers run as. Root's choice is written down: a `postgres` user that some package
# adds later could not stop, or read, the servers that are there.
SERVER_SYSTEM_USER=memory_search
SERVER_SYSTEM_USER_NOTE="made by memory_search's set-up" # allows `make clean` to remove it
server_user() {
  if (( EUID != 0 )); then id -un
  elif [[ -e $MEMORY_SEARCH_DEV/server-user ]]; then cat "$MEMORY_SEARCH_DEV/server-user"
  elif id postgres >/dev/null 2>&1; then echo postgres
  else echo "$SERVER_SYSTEM_USER"
  fi
}

ensure_server_user() {
  local user
  user=$(server_user)
  if ! id "$user" >/dev/null 2>&1; then
    useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin \
      --comment "$SERVER_SYSTEM_USER_NOTE" "$user"
  fi
  if (( EUID == 0 )) && [[ ! -e $MEMORY_SEARCH_DEV/server-user ]]; then
    # Parallel tests read it at any time, so it must never be incomplete.
    echo "$user" > "$MEMORY_SEARCH_DEV/server-user.$$"
    mv "$MEMORY_SEARCH_DEV/server-user.$$" "$MEMORY_SEARCH_DEV/server-user"
  fi
}

# Runs a program as that user; give absolute paths. The program starts in /, because the user may be unable to read the
# current folder, and without RUST_BACKTRACE, which would put a Rust stack trace into every SQL error.
as_server_user() (
  cd /
  if (( EUID == 0 )); then
    exec runuser -u "$(server_user)" -- env -u RUST_BACKTRACE LC_ALL=C.UTF-8 "$@"
  fi
  exec env -u RUST_BACKTRACE LC_ALL=C.UTF-8 "$@"
)
