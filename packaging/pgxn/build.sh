#!/usr/bin/env bash
# The distribution for PGXN into dist/: memory_search-VERSION.zip, the files of the last commit and META.json.
# A user builds it by `make` and `make install PG_CONFIG=...`, as PGXN's client does; that needs Rust.
set -euo pipefail
# shellcheck source=packaging/stage.sh
. "$(dirname "${BASH_SOURCE[0]}")/../stage.sh"

cd "$MEMORY_SEARCH_REPO"
python3 packaging/pgxn/check_meta.py
git rev-parse --verify -q HEAD >/dev/null || die "the distribution is made of a commit, and this folder is no clone"
mkdir -p "$PACKAGES"
name=memory_search-$SOURCE_VERSION
file=$PACKAGES/$name.zip
rm -f "$PACKAGES"/memory_search-*.zip # of an earlier version
git archive --format=zip -9 --prefix="$name/" -o "$file" HEAD
say "$(basename "$file"), $(du -k "$file" | cut -f 1) kB: commit $(git rev-parse --short HEAD)"
