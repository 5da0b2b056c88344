#!/usr/bin/env bash
# Writes the install script of this version to sql/releases, where tests/cluster/test_upgrade.py starts from.
# Run it when a version is complete and installed:
#   freeze_release.sh           refuses a version that is frozen already
#   freeze_release.sh --again   replaces it: only as long as nobody has it
#   PG_CONFIG                   where it is installed; else the PostgreSQL 18 of set-up
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/paths.sh"

again=0
case ${1:-} in
  '') ;;
  --again) again=1 ;;
  *) die "usage: freeze_release.sh [--again]" ;;
esac

extension=$("${PG_CONFIG:-$PG18_CONFIG}" --sharedir)/extension
version=$(sed -nE "s/^default_version *= *'(.*)'.*/\1/p" "$extension/memory_search.control")
source_version=$(sed -nE 's/^version *= *"(.*)".*/\1/p' "$MEMORY_SEARCH_REPO/Cargo.toml" | head -n 1)
[[ $version == "$source_version" ]] || die "$version is installed, Cargo.toml says $source_version: install this version first (pgrx-config/install.sh)"
built=$extension/memory_search--$version.sql
frozen=$MEMORY_SEARCH_REPO/sql/releases/memory_search--$version.sql
if [[ -e $frozen ]] && (( ! again )); then
  die "$version is frozen already. For a new version change the one in Cargo.toml and write sql/memory_search--$version--NEW.sql;
  as long as nobody has $version: freeze_release.sh --again"
fi

# pgrx says of every object where in the source it was, and of every type its name in Rust: that
# changes without any change of what is installed.
mkdir -p "$(dirname "$frozen")"
awk -v version="$version" '
  function write_block(   i, first) {
    if (!kept) return
    first = 1
    for (i = 1; i <= lines; i++) {
      if (first && line[i] == "") continue
      if (first) print ""
      first = 0
      print line[i]
    }
  }
  BEGIN {
    print "-- memory_search " version " as it was released: what updates start from, and tests of them. Never changed."
    print "\\echo Use \"CREATE EXTENSION memory_search\" to load this file. \\quit"
  }
  /^\/\* <begin connected objects> \*\/$/ { lines = 0; kept = 0; head = 0; is_function = 0; next }
  /^\/\* <\/end connected objects> \*\/$/ { write_block(); kept = 0; next }
  # Where it was in the source, then its name there, then what it needs.
  /^-- [^ ]+\.rs:[0-9]+$/ { kept = 1; head = 2; next }
  head == 2 { head = 1; next }
  head == 1 && /^-- (requires|creates):$/ { next }
  head == 1 && /^--   / { next }
  head == 1 && /^-- Skipped due to / { kept = 0 }
  { head = 0 }
  kept {
    if (sub(/^CREATE  *FUNCTION /, "CREATE FUNCTION ")) is_function = 1
    if (is_function) { sub(/ *\/\*.*\*\/ *$/, ""); gsub(/\t/, "  ") }
    sub(/ +$/, "")
    line[++lines] = $0
  }' "$built" > "$frozen.new"
# A new form of what pgrx writes must not lose an object unseen.
functions() { grep -cE '^CREATE +FUNCTION' "$1" || true; }
if grep -nE '\.rs:[0-9]|connected objects|/\* ' "$frozen.new" >&2 || [[ $(functions "$frozen.new") != "$(functions "$built")" ]]; then
  die "pgrx writes its script in another form now: $frozen.new is not right, change this script"
fi
mv "$frozen.new" "$frozen"
say "frozen: sql/releases/memory_search--$version.sql, $(functions "$frozen") functions"
