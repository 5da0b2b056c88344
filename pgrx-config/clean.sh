#!/usr/bin/env bash
# Stops the private servers and removes all that set-up, builds, demo and tests have made.
set -euo pipefail
# shellcheck source=pgrx-config/cluster.sh
. "$(dirname "${BASH_SOURCE[0]}")/cluster.sh"

if [[ -d $MEMORY_SEARCH_DEV ]]; then
  # The marker is ours alone: a folder that MEMORY_SEARCH_DEV names by mistake stays.
  [[ -O $MEMORY_SEARCH_DEV && -e $MEMORY_SEARCH_DEV/.memory_search-dev ]] \
    || die "$MEMORY_SEARCH_DEV was not made by the set-up: left alone"
  for folder in "$MEMORY_SEARCH_DEV"/*/data; do
    if [[ -d $folder ]]; then cluster_stop "${folder%/data}" immediate; fi
  done
  rm -rf "$MEMORY_SEARCH_DEV"
  say "removed $MEMORY_SEARCH_DEV"
fi

if (( EUID == 0 )) && [[ $(getent passwd "$SERVER_SYSTEM_USER") == *"$SERVER_SYSTEM_USER_NOTE"* ]]; then
  if compgen -G '/var/tmp/memory_search-dev-*' >/dev/null; then
    say "the system user $SERVER_SYSTEM_USER stays: another copy of the repository may use it"
  else
    # In a container whose first process doesn't collect the dead, a stopped server still counts as running;
    # --force removes the user all the same.
    userdel --force "$SERVER_SYSTEM_USER"
    say "removed the system user $SERVER_SYSTEM_USER"
  fi
fi

cd "$MEMORY_SEARCH_REPO"
rm -rf target dist benches/data
find . -path ./.git -prune -o \( -name __pycache__ -o -name regression.diffs -o -name regression.out \) -print0 \
  | xargs -0 -r rm -rf
say "removed the build folder and the results of tests"
