#!/usr/bin/env bash
# Checks that this commit may be released, and makes all files that are then published:
#   release.sh                  all of it
#   release.sh --checks-only    ends before anything is packed
#   release.sh --tree-only      ends before anything is compiled: the checks of the tree and of git, in a second
# It sends nothing anywhere and sets no tag; its last lines list the remaining steps.
set -euo pipefail
# shellcheck source=packaging/stage.sh
. "$(dirname "${BASH_SOURCE[0]}")/../stage.sh"
packaging=$MEMORY_SEARCH_REPO/packaging

case ${1:-} in
  ''|--checks-only|--tree-only) ;;
  *) die "usage: release.sh [--checks-only|--tree-only]" ;;
esac

# Programs that the packages' tests need must be there before an hour of compiling.
if [[ -z ${1:-} ]]; then
  missing=()
  for program in dpkg-deb mmdebstrap lintian; do
    command -v "$program" >/dev/null || missing+=("${program/dpkg-deb/dpkg}")
  done
  (( ${#missing[@]} == 0 )) || die "${missing[*]} missing: apt-get install ${missing[*]}, or see what is left to do by --checks-only"
  (( EUID == 0 )) || die "the packages are tried in a Debian of their own, which only root can make: run this as root"
fi

cd "$MEMORY_SEARCH_REPO"
say "is $SOURCE_VERSION complete?"
changed=$(git status --porcelain)
[[ -z $changed ]] || die "there are changes that no commit has:
$changed"
tagged=$(git rev-parse -q --verify "v$SOURCE_VERSION^{commit}" || true)
[[ -z $tagged || $tagged == "$(git rev-parse HEAD)" ]] || die "the tag v$SOURCE_VERSION is that of another commit, $tagged"
python3 packaging/release/check_release.py
if [[ ${1:-} == --tree-only ]]; then exit; fi

say "does the source say what the install script says, and does every earlier version become this one?"
pgrx-config/setup.sh
PG_CONFIG=$PG18_CONFIG pgrx-config/install.sh
pgrx-config/install_script.sh --check
MEMORY_SEARCH_INSTALLED=1 tests/run_cluster.sh upgrade
if [[ ${1:-} == --checks-only ]]; then exit; fi

rm -rf "$PACKAGES"
"$packaging/debian/build.sh"
"$packaging/tarball/build.sh"
"$packaging/pgxn/build.sh"
(release_environment; pgrx-config/wheel.sh "$PACKAGES")
"$packaging/test.sh"
MEMORY_SEARCH_INSTALLED=1 tests/run_wheel.sh "$PACKAGES"
(cd "$PACKAGES" && sha256sum -- * > SHA256SUMS)
say "$PACKAGES has what is handed out, and SHA256SUMS of it. What is left: 'make test-long' on this commit, then
  git tag v$SOURCE_VERSION: pushed, it lets .github/workflows/release.yml do all this on both processors and hand it out.
  By hand: dist/memory_search-$SOURCE_VERSION.zip to PGXN and the wheels to PyPI, if that is wanted"
