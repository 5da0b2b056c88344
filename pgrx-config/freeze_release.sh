#!/usr/bin/env bash
# Copies the install script of this version to sql/releases, where tests/cluster/test_upgrade.py starts from, and notes
# its checksum there, by which `make release` sees that no released script has changed.
# Run it when a version is complete:
#   freeze_release.sh           refuses a version that is frozen already
#   freeze_release.sh --again   replaces it: only as long as nobody has it
set -euo pipefail
# shellcheck source=pgrx-config/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/build.sh"

again=0
case ${1:-} in
  '') ;;
  --again) again=1 ;;
  *) die "usage: freeze_release.sh [--again]" ;;
esac

cd "$MEMORY_SEARCH_REPO"
script=sql/memory_search--$SOURCE_VERSION.sql
frozen=sql/releases/memory_search--$SOURCE_VERSION.sql
if [[ -e $frozen ]] && (( ! again )); then
  die "$SOURCE_VERSION is frozen already. For a new version change the one in Cargo.toml, write sql/memory_search--$SOURCE_VERSION--NEW.sql,
  remove $script and run 'make install-script'; as long as nobody has $SOURCE_VERSION: freeze_release.sh --again"
fi
"$MEMORY_SEARCH_REPO/pgrx-config/install_script.sh" --check

mkdir -p sql/releases
{
  echo "-- memory_search $SOURCE_VERSION as it was released: what updates start from, and tests of them. Never changed."
  tail -n +2 "$script" # all but its own remark
} > "$frozen.new"
mv "$frozen.new" "$frozen"
# Its own line only: those of earlier versions are what they were.
cd sql/releases
{ grep -v "  memory_search--$SOURCE_VERSION.sql\$" SHA256SUMS || true; sha256sum -- "memory_search--$SOURCE_VERSION.sql"; } > SHA256SUMS.new
mv SHA256SUMS.new SHA256SUMS
cd "$MEMORY_SEARCH_REPO"
say "frozen: $frozen, $(grep -c '^CREATE FUNCTION' "$frozen") functions"
