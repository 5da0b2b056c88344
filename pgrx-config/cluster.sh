# shellcheck shell=bash
# The one place that creates, starts and stops a private PostgreSQL server. Sourced by server.sh
# (named servers that stay) and scratch_server.sh (one for each test). A server is a folder:
#   DIR/data  DIR/log  DIR/connection.env (only while it runs)  DIR/socket_folder (a line)

# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/paths.sh"

# PG_CONFIG chooses other binaries than the PostgreSQL 18 that set-up fetches.
PG_BIN=${PG_CONFIG:+$("$PG_CONFIG" --bindir)}
PG_BIN=${PG_BIN:-$PG18_PREFIX/bin}

# Settings of the caller's shell must not lead a test to another server.
unset PGHOST PGHOSTADDR PGPORT PGUSER PGDATABASE PGPASSWORD PGSERVICE PGOPTIONS PGSSLMODE PGDATA

cluster_running() { # DIR
  [[ -d $1/data ]] && as_server_user "$PG_BIN/pg_ctl" -D "$1/data" status >/dev/null 2>&1
}

# Copies a data folder that initdb made, because initdb takes 20 times as long as the copy. initdb runs again if the
# programs or these options have changed.
new_data_folder() { # MAJOR
  local folder=$MEMORY_SEARCH_DEV/initdb/$1 made_by
  local options=(--username=postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync --no-instructions)
  made_by="$(cksum < "$PG_BIN/postgres") $(server_user) ${options[*]}"
  make_dev_folder
  mkdir -p "$folder"
  exec 9> "$folder/.lock" # two would make it at the same time
  flock 9
  if [[ ! -e $folder/made_by || $(< "$folder/made_by") != "$made_by" ]]; then
    rm -rf "$folder/data" "$folder/made_by"
    if (( EUID == 0 )); then chown "$(server_user)" "$folder"; fi
    as_server_user "$PG_BIN/initdb" -D "$folder/data" "${options[@]}" > "$folder/log" 2>&1 9>&- \
      || { cat "$folder/log" >&2; die "initdb failed"; }
    echo "$made_by" > "$folder/made_by"
  fi
  exec 9>&-
  echo "$folder/data"
}

# Creates the data folder when there is none (or only the remains of an interrupted attempt, or
# one of another major version). The copied server.conf, written last, says it is whole.
cluster_create() { # DIR
  local dir=$1 major
  [[ -x $PG_BIN/initdb ]] || die "no PostgreSQL in $PG_BIN: run pgrx-config/setup.sh first"
  major=$("$PG_BIN/postgres" --version | sed -E 's/^[^0-9]*([0-9]+).*/\1/')
  if [[ -e $dir/data/server.conf && $(< "$dir/data/PG_VERSION") == "$major" ]]; then return; fi
  ensure_server_user
  rm -rf "${dir:?}/data"
  mkdir -p "$dir"
  if (( EUID == 0 )); then chown "$(server_user)" "$dir"; fi
  cp -a "$(new_data_folder "$major")" "$dir/data"
  printf "include 'server.conf'\ninclude_if_exists 'local.conf'\n" >> "$dir/data/postgresql.conf"
  cp "$MEMORY_SEARCH_REPO/pgrx-config/server.conf" "$dir/data/server.conf"
}

# Starts it with the given extra settings, and creates the database when it is missing.
cluster_start() { # DIR DATABASE [SETTINGS]
  local dir=$1 database=$2 settings=${3:-} socket
  cluster_remove_socket "$dir"
  # A socket's path may have 107 bytes at most, so it can't be in DIR.
  socket=$(mktemp -d /tmp/memory_search-XXXXXX)
  if (( EUID == 0 )); then chown "$(server_user)" "$socket"; fi
  echo "$socket" > "$dir/socket_folder"
  cp "$MEMORY_SEARCH_REPO/pgrx-config/server.conf" "$dir/data/server.conf"
  printf "unix_socket_directories = '%s'\nport = 5432\n%s\n" "$socket" "$settings" > "$dir/data/local.conf"

  if ! as_server_user "$PG_BIN/pg_ctl" -D "$dir/data" -l "$dir/log" -w -t 60 -s start; then
    tail -n 20 "$dir/log" >&2
    cluster_remove_socket "$dir"
    die "the server in $dir did not start; its log is above"
  fi
  {
    printf 'export PGHOST=%q PGPORT=5432 PGUSER=postgres PGDATABASE=%q\n' "$socket" "$database"
    # shellcheck disable=SC2016 # the reader's PATH, not ours
    printf 'export PATH=%q:$PATH\n' "$PG_BIN"
  } > "$dir/connection.env"
  if [[ -z $(cluster_psql "$socket" -c "SELECT 1 FROM pg_database WHERE datname = '$database'") ]]; then
    cluster_psql "$socket" -c "CREATE DATABASE \"$database\""
  fi
}

cluster_psql() { # SOCKET_FOLDER ARGUMENTS...
  local socket=$1
  shift
  "$PG_BIN/psql" -X -q -At -v ON_ERROR_STOP=1 -h "$socket" -p 5432 -U postgres -d postgres "$@"
}

cluster_stop() { # DIR [MODE]
  if cluster_running "$1"; then
    as_server_user "$PG_BIN/pg_ctl" -D "$1/data" -m "${2:-fast}" -w -t 60 -s stop
  fi
  rm -f "$1/connection.env"
  cluster_remove_socket "$1"
}

cluster_remove_socket() { # DIR
  local socket
  if [[ -e $1/socket_folder ]]; then
    socket=$(< "$1/socket_folder")
    if [[ $socket == /tmp/memory_search-?????? ]]; then rm -rf "$socket"; fi
    rm -f "$1/socket_folder"
  fi
}

# Makes DIR a physical copy of a running server, one that will follow it as a standby.
cluster_copy() { # DIR SOCKET_FOLDER
  mkdir -p "$1"
  if (( EUID == 0 )); then chown "$(server_user)" "$1"; fi
  as_server_user "$PG_BIN/pg_basebackup" -h "$2" -p 5432 -U postgres -D "$1/data" -R -c fast
}
