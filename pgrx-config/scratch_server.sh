# shellcheck shell=bash
# A throwaway server for one test script. Source it, then:
#   scratch_start "work_mem = '8MB'"   creates and starts one, exports PGHOST, PGPORT, PGUSER,
#                                      PGDATABASE=scratch and a PATH with its psql
#   scratch_stop                       stops and removes all that this script started
# It is removed when the script ends, however that happens, and the script's exit code stays. A
# script with an EXIT trap of its own calls scratch_on_exit in it. SCRATCH_DIR is the newest
# server's folder (data, log); SCRATCH_KEEP=1 leaves the folders for a look.

# shellcheck source=pgrx-config/cluster.sh
. "$(dirname "${BASH_SOURCE[0]}")/cluster.sh"

SCRATCH_DIR=
SCRATCH_DIRS=()

scratch_start() { # [SETTINGS...], each a line
  if [[ -z $(trap -p EXIT) ]]; then trap scratch_on_exit EXIT; fi
  make_dev_folder
  SCRATCH_DIR=$(mktemp -d /tmp/memory_search-scratch-XXXXXX)
  SCRATCH_DIRS+=("$SCRATCH_DIR")
  cluster_create "$SCRATCH_DIR"
  cluster_start "$SCRATCH_DIR" scratch "$(printf '%s\n' "$@")"
  # shellcheck source=/dev/null
  . "$SCRATCH_DIR/connection.env"
}

# shellcheck disable=SC2120 # the mode is for the caller to give or leave
scratch_stop() { # [MODE]
  local dir
  for dir in ${SCRATCH_DIRS[@]+"${SCRATCH_DIRS[@]}"}; do
    cluster_stop "$dir" "${1:-immediate}" || true
    if [[ -n ${SCRATCH_KEEP:-} ]]; then
      echo "kept: $dir" >&2
    else
      rm -rf "$dir"
    fi
  done
  SCRATCH_DIRS=()
}

scratch_on_exit() {
  local status=$?
  set +e
  scratch_stop
  return "$status"
}
