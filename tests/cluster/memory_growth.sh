#!/usr/bin/env bash
# A session that lives long takes no more memory: after thousands of searches, errors among them, and of
# additions, in one transaction and in many.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
support=$(cd "$(dirname "${BASH_SOURCE[0]}")/support" && pwd)

start_server
create_extension
sql "$FILL_STORE" >/dev/null
out=$SCRATCH_DIR/growth errors=$SCRATCH_DIR/errors
if ! psql -X -q -At -v ON_ERROR_STOP=1 -f "$support/memory_growth.sql" >"$out" 2>"$errors"; then tail -n 5 "$errors" >&2; die "the session failed"; fi

# Calls that fail on purpose fail, all others answer: six kinds of twenty.
check "3,000 of 10,000 searches in one transaction failed" "errors among them|3000|0" "$(grep errors "$out")"
check "3,000 of 10,000 searches in as many transactions failed" 3000 "$(grep -c ' ERROR: ' "$errors")"
check "2,000 entries were added in one transaction, 2,000 in many" "entries added|2000|2000" "$(tail -n 1 "$out")"
while IFS='|' read -r what private contexts; do
  check_at_most "$what: growth of private memory in kB" 5120 "$private"
  check_at_most "$what: growth of memory contexts in kB" 5120 "$contexts"
done < <(grep -E '^[0-9]+,000 ' "$out")
checked
