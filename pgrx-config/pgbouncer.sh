#!/usr/bin/env bash
# PgBouncer for the tests: the installed one, or else Debian's package, unpacked in the dev folder without root and
# without installing it. Prints the words of its command, a line each. Quick when it is there.
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/paths.sh"

if installed=$(command -v pgbouncer); then
  echo "$installed"
  exit
fi

folder=$MEMORY_SEARCH_DEV/pgbouncer
make_dev_folder
exec 9> "$MEMORY_SEARCH_DEV/.lock" # two runs at a time would tread on each other
flock 9
if [[ ! -e $folder/.version || $(< "$folder/.version") != "$PGBOUNCER" ]]; then
  command -v apt-get >/dev/null || die "PgBouncer is not on this machine, nor apt-get to fetch it: install pgbouncer"
  new=$MEMORY_SEARCH_DEV/downloads/pgbouncer
  rm -rf "$new"
  mkdir -p "$new/state/lists/partial" "$new/cache"
  # The libraries that servers mostly lack; any Debian has the others.
  packages() { # APT'S OPTIONS...
    apt-cache "$@" depends pgbouncer 2>/dev/null | sed -nE 's/^ *\|?Depends: (libc-?ares.*|libevent-.*)$/\1/p'
  }
  download() { # APT'S OPTIONS...
    local libraries
    mapfile -t libraries < <(packages "$@")
    (cd "$new" && apt-get "$@" download -q pgbouncer "${libraries[@]}")
  }
  # The system's lists of packages may be missing, or older than the archive: then this uses lists of its own.
  if ! download > "$new/said" 2>&1; then
    own=(-o "Dir::State=$new/state" -o "Dir::Cache=$new/cache" -o Dir::State::status=/var/lib/dpkg/status)
    { apt-get "${own[@]}" update -q && download "${own[@]}"; } >> "$new/said" 2>&1 \
      || { cat "$new/said" >&2; die "Debian's package pgbouncer cannot be fetched; what apt-get said is above"; }
  fi
  for package in "$new"/*.deb; do dpkg -x "$package" "$new/unpacked"; done
  version=$("$new/unpacked/usr/sbin/pgbouncer" --version 2>/dev/null \
    || LD_LIBRARY_PATH=$(echo "$new"/unpacked/usr/lib/*-linux-gnu) "$new/unpacked/usr/sbin/pgbouncer" --version)
  version=$(sed -n 's/^PgBouncer //p' <<< "$version")
  [[ $(printf '%s\n' "$PGBOUNCER" "$version" | sort -V | head -n 1) == "$PGBOUNCER" ]] \
    || die "the tests want PgBouncer $PGBOUNCER or newer; Debian's is $version"
  echo "$PGBOUNCER" > "$new/unpacked/.version"
  rm -rf "$folder"
  mv "$new/unpacked" "$folder"
  rm -rf "$new"
fi
printf '%s\n' env "LD_LIBRARY_PATH=$(echo "$folder"/usr/lib/*-linux-gnu)" "$folder/usr/sbin/pgbouncer"
