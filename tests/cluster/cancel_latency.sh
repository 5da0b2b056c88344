#!/usr/bin/env bash
# A search over 100,000 entries stops within 100 ms when its time is over, when it is cancelled and when its
# session is terminated, whatever it is doing. Nobody else notices.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
support=$(cd "$(dirname "${BASH_SOURCE[0]}")/support" && pwd)

start_server
create_extension
began="SELECT pg_postmaster_start_time()"
server=$(sql "$began")
psql -X -q -o /dev/null -v ON_ERROR_STOP=1 -v log="$SCRATCH_DIR/log" -f "$support/large_memory.sql" -f "$support/cancel_latency.sql"
check "100,000 entries, 100,000 access counts and 30,000 contexts were searched" "100000 100000 30000" \
  "$(sql "SELECT (SELECT count(*) FROM s.entries WHERE memory_id = 'm') || ' ' || (SELECT count(*) FROM s.entry_access) || ' ' || (SELECT count(*) FROM s.contexts WHERE memory_id = 'm')")"

# The least of the attempts of each measurement.
sql "CREATE VIEW least AS SELECT phase, how, min(milliseconds) AS milliseconds FROM measured GROUP BY phase, how"
echo "milliseconds without a look for interrupts, and until a stop took effect (timeout, cancel, terminate):"
sql "SELECT format('  %s  %s: %s, %s, %s', lpad(max(milliseconds) FILTER (WHERE how = 'stretch')::text, 5), phase, max(milliseconds) FILTER (WHERE how = 'statement_timeout'),
       max(milliseconds) FILTER (WHERE how = 'pg_cancel_backend'), max(milliseconds) FILTER (WHERE how = 'pg_terminate_backend'))
     FROM phases JOIN least USING (phase) GROUP BY n, phase ORDER BY n"
check "a statement that was stopped says why" '' "$(sql "SELECT DISTINCT message FROM measured WHERE message <> 'OK' AND message NOT LIKE CASE how
  WHEN 'statement_timeout' THEN '%canceling statement due to statement timeout%' WHEN 'pg_cancel_backend' THEN '%canceling statement due to user request%'
  WHEN 'pg_terminate_backend' THEN '%terminating connection due to administrator command%' ELSE '' END")"
check "each way of stopping stopped most statements" 3 "$(sql "SELECT count(*) FROM (SELECT FROM measured WHERE how <> 'stretch' GROUP BY how HAVING count(*) FILTER (WHERE message <> 'OK') > 12) h")"
while IFS='|' read -r phase milliseconds; do
  check_at_most "$phase: goes on for ms" 100 "$milliseconds"
done < <(sql "SELECT phase, max(milliseconds) FROM phases JOIN least USING (phase) WHERE phase !~ '^(adding|a plain INSERT|10,000 entries)' GROUP BY n, phase ORDER BY n")
# What the server itself does in one piece is its own.
while IFS='|' read -r phase own milliseconds; do
  check_at_most "$phase: goes on for ms more than $own" 100 "$milliseconds"
done < <(sql "SELECT p, own, max(milliseconds) FILTER (WHERE phase = p) - max(milliseconds) FILTER (WHERE phase = own) FROM least, (VALUES
  ('adding 5 MB', 'a plain INSERT of 5 MB'), ('adding a context of 5 MB', 'a plain INSERT of a context of 5 MB'), ('adding 5 MB of prose', 'a plain INSERT of 5 MB of prose'),
  ('10,000 entries', '10,000 entries as jsonb'), ('10,000 entries without duplicates', '10,000 entries as jsonb')) pairs (p, own) GROUP BY p, own ORDER BY p")
check "the server is the same" "$server" "$(sql "$began")"
checked
