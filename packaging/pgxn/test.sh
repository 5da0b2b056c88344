#!/usr/bin/env bash
# The distribution for PGXN as its users get it: unpacked, without git, `make`, then `make install PG_CONFIG=...`, as
# PGXN's client calls it. It builds in the developer's cargo folder. dist/ must have the zip file (build.sh).
set -euo pipefail
# shellcheck source=packaging/stage.sh
. "$(dirname "${BASH_SOURCE[0]}")/../stage.sh"
# shellcheck source=packaging/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../checks.sh"

file=$PACKAGES/memory_search-$SOURCE_VERSION.zip
[[ -e $file ]] || die "$file is missing: build it by packaging/pgxn/build.sh"
work=$(mktemp -d /tmp/memory_search-pgxn-XXXXXX)
trap 'rm -rf "$work"' EXIT
python3 -m zipfile -e "$file" "$work"
tree=$work/memory_search-$SOURCE_VERSION
# Python's zipfile forgets which files are programs; PGXN's client does not.
python3 - "$file" "$work" <<'END'
import sys, zipfile, pathlib
for entry in zipfile.ZipFile(sys.argv[1]).infolist():
    mode = entry.external_attr >> 16
    if mode & 0o111 and not entry.is_dir():
        pathlib.Path(sys.argv[2], entry.filename).chmod(mode & 0o777)
END

holds "META.json of the zip file is as PGXN wants it" python3 "$tree/packaging/pgxn/check_meta.py" "$tree/META.json"
same "the zip file has the committed files and no others" \
  "$(git -C "$MEMORY_SEARCH_REPO" ls-tree -r --name-only HEAD | sort | sha256sum)" \
  "$(cd "$tree" && find . -type f -printf '%P\n' | sort | sha256sum)"
# Another tree, another path: cargo compiles our crates once more, and the others not.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$MEMORY_SEARCH_REPO/target}
# A server of its own, without the extension.
cp -r "$MEMORY_SEARCH_DEV/pg18" "$work/server"
config=$work/server/$PG18_WHEEL_PREFIX/bin/pg_config
find "$work/server" -name '*memory_search*' -prune -exec rm -rf {} +
library=$("$config" --pkglibdir)/memory_search.so
holds "make builds it" make -C "$tree" all PG_CONFIG="$config"
holds "and installs nothing" test ! -e "$library"
holds "make install installs it" make -C "$tree" install PG_CONFIG="$config"
holds "with its control file" grep -q "default_version = '$SOURCE_VERSION'" "$("$config" --sharedir)/extension/memory_search.control"
holds "and the library" test -s "$library"
echo "$PASSED passed, 0 failed"
