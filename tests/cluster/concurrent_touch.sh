#!/usr/bin/env bash
# Sessions that touch the same entries at the same time, in different orders: no count is lost, and
# none waits for another in a circle.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

start_server
create_extension
sql "$FILL_STORE" >/dev/null
sql 'TRUNCATE s.entry_access'

script=$SCRATCH_DIR/touch.sql
# Ten entries in an order of chance, one of them twice: a call counts each once.
cat > "$script" <<'SQL'
SELECT memory_touch('m', array_agg(id), store => 's')
FROM (SELECT lpad((1 + n % 10)::text, 32, '0')::uuid AS id FROM generate_series(1, 11) n ORDER BY random()) shuffled;
SQL
clients=8 transactions=150
echo "$clients sessions touch ten entries $transactions times each"
log=$SCRATCH_DIR/pgbench.log
if ! pgbench -n -c "$clients" -t "$transactions" -f "$script" >"$log" 2>&1; then cat "$log"; die "pgbench failed"; fi
calls=$(( clients * transactions ))
check "no call failed or waited in a circle" '' "$(grep -iE 'deadlock|error|aborted' "$log" || true)"
check "ten entries were counted" 10 "$(sql 'SELECT count(*) FROM s.entry_access')"
check "each was counted $calls times" "$calls $calls" "$(sql "SELECT min(access_count) || ' ' || max(access_count) FROM s.entry_access")"
check "a search shows the count" "$calls" \
  "$(sql "SELECT access_count FROM memory_search_entries('m', 'note 1', 10, store => 's') WHERE entry_id = lpad('1', 32, '0')::uuid::text")"
checked
