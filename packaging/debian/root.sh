# shellcheck shell=bash
# A clean Debian in a folder, with a server in it, for the test of the packages. Sourced by test.sh, which has mounts of
# its own. ROOT is the folder.

root_make() { # SUITE
  command -v mmdebstrap >/dev/null || die "mmdebstrap is missing (Debian: apt-get install mmdebstrap)"
  # Short: the path of the server's socket below it may have 107 bytes.
  ROOT=$(mktemp -d /tmp/memory_search-root-XXXXXX)
  chmod 755 "$ROOT"
  say "a clean $1 (a minute)"
  mmdebstrap --quiet --variant=apt "$1" "$ROOT" 2> "$ROOT.log" || { tail -n 20 "$ROOT.log" >&2; die "mmdebstrap failed"; }
  mount -t proc proc "$ROOT/proc"
  mount -t tmpfs tmpfs "$ROOT/dev/shm"
  mkdir "$ROOT/packages"
  in_root_quietly apt-get update
  # This file keeps the servers of installed packages from starting; the tests start them.
  printf '#!/bin/sh\nexit 101\n' > "$ROOT/usr/sbin/policy-rc.d"
  chmod 755 "$ROOT/usr/sbin/policy-rc.d"
}

root_remove() {
  local status=$?
  set +e
  if [[ -n ${ROOT:-} ]]; then
    if [[ -n ${SERVER_MAJOR:-} ]]; then in_root pg_ctlcluster "$SERVER_MAJOR" main stop -m immediate >/dev/null 2>&1; fi
    umount "$ROOT/proc" "$ROOT/dev/shm"
    # A mount that still exists is not emptied.
    rm -rf --one-file-system "$ROOT"
    rm -f "$ROOT.log"
  fi
  exit "$status"
}

# A machine whose locale is UTF-8: Debian gives a new cluster the locale of the user that installs it.
in_root() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$ROOT" "$@"
}

in_root_quietly() {
  in_root "$@" > "$ROOT.log" 2>&1 || { tail -n 30 "$ROOT.log" >&2; die "failed in the clean Debian: $*"; }
}

# The cluster that Debian's package has made. The tests connect by its socket.
server_start() { # MAJOR
  SERVER_MAJOR=$1
  local etc=$ROOT/etc/postgresql/$1/main
  printf "listen_addresses = ''\nssl = off\nfsync = off\nlog_line_prefix = '%%m [%%p] %%e '\n" > "$etc/conf.d/test.conf"
  echo 'local all all trust' > "$etc/pg_hba.conf"
  in_root_quietly pg_ctlcluster "$1" main start
  export PGHOST=$ROOT/run/postgresql PGPORT=5432 PGUSER=postgres
}

sql() { # DATABASE STATEMENT...
  local database=$1 statement statements=()
  shift
  for statement in "$@"; do statements+=(-c "$statement"); done
  PGOPTIONS='-c client_min_messages=warning' psql -X -q -At -v ON_ERROR_STOP=1 -d "$database" "${statements[@]}"
}

sql_says() { # DATABASE PATTERN STATEMENT
  sql "$1" "$3" 2>&1 | grep -E -- "$2"
}

readme_examples() {
  cd "$MEMORY_SEARCH_REPO" && PYTHONDONTWRITEBYTECODE=1 python3 tests/docs/check_examples.py README.md
}

symbols_of() { # FILE
  # The output is read to its end: otherwise a signal would end readelf.
  readelf --debug-dump=decodedline "$1" 2>/dev/null | grep -c 'pipeline.rs'
}

log_is_clean() {
  ! grep -hE 'terminated by signal| XX[0-9]{3} ' "$ROOT"/var/log/postgresql/*.log
}
