#!/usr/bin/env bash
# Fails on a line of SQL that a reviewer would have to scroll: more than 120 characters in a *.sql or *.spec file.
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/paths.sh"
cd "$MEMORY_SEARCH_REPO"

say "width of SQL"
# Releases stay as they were made.
exempt=(-path ./sql/releases)
# Characters and not bytes.
wide=$(find . \( -path ./.git -o -path ./target -o -path ./.dev -o "${exempt[@]}" \) -prune -o \
  -type f \( -name '*.sql' -o -name '*.spec' \) -print0 | LC_ALL=C.UTF-8 xargs -0 grep -HnE '.{121,}' | cut -c1-160 || true)
[[ -z $wide ]] || die "lines of more than 120 characters:
$wide"
