# shellcheck shell=bash
# Installs this extension into the server to measure. Sourced by the measuring scripts.
#   PG_CONFIG=...    another server's binaries than those that set-up fetches
#   SKIP_INSTALL=1   measures what is installed, as it is

# shellcheck source=pgrx-config/scratch_server.sh
. "$(dirname "${BASH_SOURCE[0]}")/../pgrx-config/scratch_server.sh"

# Settings with which memory_search is measured, and not the disk: enough cache, no waiting for writes.
# shellcheck disable=SC2034 # for the scripts that source this one
MEASURED_SETTINGS=("shared_buffers = 512MB" "fsync = off" "max_wal_size = 4GB" "max_parallel_workers_per_gather = 0")

build_to_measure() {
  if [[ -n ${SKIP_INSTALL:-} ]]; then return; fi
  "$MEMORY_SEARCH_REPO/pgrx-config/setup.sh"
  PG_CONFIG=${PG_CONFIG:-$PG18_CONFIG} MODEL='' "$MEMORY_SEARCH_REPO/pgrx-config/install.sh"
}

# One line for reports: the build that was measured, and the machine.
describe_build() {
  local commit changed='' processor
  processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
  processor="$(nproc) processors (${processor:-unknown})"
  if [[ -n ${SKIP_INSTALL:-} ]]; then
    # The working tree does not describe a build that was installed before.
    printf 'an installed build of unknown commit (SKIP_INSTALL); %s\n' "$processor"
    return
  fi
  commit=$(git -C "$MEMORY_SEARCH_REPO" rev-parse --short HEAD 2>/dev/null) || commit=unknown
  if [[ -n $(git -C "$MEMORY_SEARCH_REPO" status --porcelain -- src crates sql Cargo.lock 2>/dev/null) ]]; then changed=', changed'; fi
  printf 'commit %s%s; %s\n' "$commit" "$changed" "$processor"
}
