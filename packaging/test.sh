#!/usr/bin/env bash
# Tests all packages in dist/: test.sh. `make deb tarball dist` builds them.
# The last line has the number of checks that passed.
set -euo pipefail
# shellcheck source=packaging/stage.sh
. "$(dirname "${BASH_SOURCE[0]}")/stage.sh"
packaging=$MEMORY_SEARCH_REPO/packaging
output=$(mktemp)
trap 'rm -f "$output"' EXIT
total=0
counting() { # SCRIPT [ARGUMENT...]
  local count
  "$@" 2>&1 | tee "$output" || die "$1 failed"
  count=$(sed -nE '$s/^([1-9][0-9]*) passed, 0 failed$/\1/p' "$output")
  [[ -n $count ]] || die "$1 did not say how many checks passed"
  total=$(( total + count ))
}

"$packaging/docker/lint.sh"
say "the tarball"
counting "$packaging/tarball/test.sh"
say "the distribution for PGXN"
counting "$packaging/pgxn/test.sh"
majors=()
for major in $SUPPORTED_MAJORS; do
  if compgen -G "$PACKAGES/postgresql-$major-memory-search_*.deb" >/dev/null; then majors+=("$major"); fi
done
(( ${#majors[@]} )) || die "dist/ has no Debian packages: make deb"
if command -v lintian >/dev/null; then
  say "lintian"
  # These are no packages of Debian's own archive, and the maintainer may be unset. Licences are full copies, in the
  # place that images keep when they drop all other documentation; minilm has no notice of copyright.
  ours=(initial-upload-closes-no-bugs bogus-mail-host bogus-mail-host-in-debian-changelog copyright-without-copyright-notice
    copyright-file-contains-full-apache-2-license copyright-not-using-common-license-for-{apache2,lgpl})
  lintian --allow-root --fail-on error,warning --suppress-tags "$(IFS=,; echo "${ours[*]}")" "$PACKAGES"/*.deb
else
  echo "*** NOT run: lintian is not installed"
fi
for major in "${majors[@]}"; do
  say "the Debian packages for PostgreSQL $major"
  counting "$packaging/debian/test.sh" trixie "$major"
done
say "what the Dockerfile does"
counting "$packaging/docker/test.sh"
echo "$total passed, 0 failed"
