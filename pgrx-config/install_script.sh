#!/usr/bin/env bash
# The install script of this version, the SQL that CREATE EXTENSION runs, is committed: sql/memory_search--VERSION.sql.
# So installing needs nothing but cargo, and a reader of a change sees what it does to the SQL.
#   install_script.sh           writes it from the library as built now
#   install_script.sh --check   fails when it is not what the library says
#   PG_CONFIG                   the server to build for, the script being the same for all; else the PostgreSQL 18 of set-up
set -euo pipefail
# shellcheck source=pgrx-config/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/build.sh"

check=0
case ${1:-} in
  '') ;;
  --check) check=1 ;;
  *) die "usage: install_script.sh [--check]" ;;
esac
PG_CONFIG=${PG_CONFIG:-$PG18_CONFIG}
if [[ $PG_CONFIG == "$PG18_CONFIG" ]]; then "$MEMORY_SEARCH_REPO/pgrx-config/setup.sh"; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build_library "$PG_CONFIG"
# The section with pgrx's description of each function; an unstripped and a stripped library have it.
objcopy -O binary --only-section=.pgrxsc "$LIBRARY" "$work/pgrxsc"
[[ -s $work/pgrxsc ]] || die "$LIBRARY has no section .pgrxsc: has the linker left it out?"
# In the profile in which what it is made of is compiled already, and beside the extension: alone it would have features
# of its own, and a dozen crates would be compiled again.
cargo build -q --profile "$BUILD_PROFILE" --no-default-features --features "memory_search/pg$(supported_major "$PG_CONFIG")" \
  -p memory_search -p memory-search-install-script --bin memory-search-install-script
"$TARGET_FOLDER/$BUILD_PROFILE/memory-search-install-script" < "$work/pgrxsc" > "$work/script.sql"

script=sql/memory_search--$SOURCE_VERSION.sql
# An update script has two versions in its name.
others=$(find sql -maxdepth 1 -name 'memory_search--*.sql' ! -name 'memory_search--*--*.sql' ! -path "$script")
[[ -z $others ]] || die "an install script of another version than $SOURCE_VERSION: $others. A released one belongs in sql/releases"
if (( ! check )); then
  cp "$work/script.sql" "$script"
  say "written: $script, $(grep -c '^CREATE FUNCTION' "$script") functions"
elif ! diff -u "$script" "$work/script.sql" >&2; then
  die "$script is not what the source says: the difference is above. Write it by 'make install-script', and look at it with git diff;
  an update from the release before must make the same changes (sql/memory_search--OLD--$SOURCE_VERSION.sql)"
else
  say "$script is what the source says"
fi
