# shellcheck shell=bash
# Builds the extension's library by cargo alone. Sourced by install.sh, install_script.sh, the demo and the tests. From
# the environment:
#   BUILD_PROFILE         cargo's profile: release, or demo, which compiles in two thirds of the time
#   EXTENSION_OPT_LEVEL   how far the extension itself is optimized, instead of as the profile says: not its crates, which
#                         libraries for several servers share

# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/paths.sh"

# The version in Cargo.toml, which is the extension's too.
# shellcheck disable=SC2034 # for the scripts that source this one
SOURCE_VERSION=$(sed -nE 's/^version *= *"(.*)".*/\1/p' "$MEMORY_SEARCH_REPO/Cargo.toml" | head -n 1)

BUILD_PROFILE=${BUILD_PROFILE:-release}

# The major version of a server; dies unless it is one that the extension supports.
supported_major() { # PG_CONFIG
  local version
  version=$("$1" --version | head -n 1)
  [[ $version =~ ^PostgreSQL\ ([0-9]+) ]] || die "$1 says '$version': is it PostgreSQL's pg_config?"
  [[ " $SUPPORTED_MAJORS " == *" ${BASH_REMATCH[1]} "* ]] \
    || die "$1 belongs to $version; supported are the major versions $SUPPORTED_MAJORS"
  echo "${BASH_REMATCH[1]}"
}

# Compiles beside set-up, in the background: these crates need no server, and set-up has fetched the server when they
# are done. build_library repeats a compilation that failed, and reports its errors.
begin_build() {
  command -v cargo >/dev/null && command -v cc >/dev/null || return 0
  say "compiling begins beside set-up"
  (
    cd "$MEMORY_SEARCH_REPO" || exit
    exec cargo build --quiet --profile "$BUILD_PROFILE" --lib --no-default-features --features pg18 --keep-going > /dev/null 2>&1 < /dev/null
  ) &
  # shellcheck disable=SC2034 # for the script that sources this one, to end it
  BEGUN_BUILD=$!
}

# Leaves the library's path in LIBRARY and cargo's folder in TARGET_FOLDER.
build_library() { # PG_CONFIG
  local major
  major=$(supported_major "$1")
  cd "$MEMORY_SEARCH_REPO" || die "$MEMORY_SEARCH_REPO is gone"
  local options=() package
  if [[ -n ${EXTENSION_OPT_LEVEL:-} ]]; then
    for package in memory_search pgrx; do # each server has its own of these
      options+=(--config "profile.$BUILD_PROFILE.package.$package.opt-level=$EXTENSION_OPT_LEVEL")
    done
  fi
  PGRX_PG_CONFIG_PATH=$1 cargo build --profile "$BUILD_PROFILE" --lib --no-default-features --features "pg$major" \
    ${options[@]+"${options[@]}"}
  # Wherever CARGO_TARGET_DIR or a configuration of cargo puts it.
  TARGET_FOLDER=$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]*)".*/\1/')
  # shellcheck disable=SC2034
  LIBRARY=$TARGET_FOLDER/$BUILD_PROFILE/libmemory_search.so
}
