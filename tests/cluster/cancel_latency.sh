#!/usr/bin/env bash
# A search over 100,000 entries stops soon when its time is over, when it is cancelled and when its session is
# terminated, whatever it is doing. Nobody else notices. Looks for interrupts cannot be counted from outside, and
# milliseconds tell as much of the machine as of the statement. So the measure is taken beside each statement, in the
# same session: it goes on for no longer than plain SQL takes to read the same entries twice. A machine that is slow,
# or busy all the time, is so for both; what is prolonged by chance is measured again.
#   BY_THE_CLOCK=1   no longer than 100 ms: for a machine that does nothing else
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
support=$(cd "$(dirname "${BASH_SOURCE[0]}")/support" && pwd)

start_server
create_extension
began="SELECT pg_postmaster_start_time()"
server=$(sql "$began")
psql -X -q -o /dev/null -v ON_ERROR_STOP=1 -v log="$SCRATCH_DIR/log" -v by_the_clock="${BY_THE_CLOCK:-}" \
  -f "$support/large_memory.sql" -f "$support/cancel_latency.sql"
check "100,000 entries, 100,000 access counts and 30,000 contexts were searched" "100000 100000 30000" \
  "$(sql "SELECT (SELECT count(*) FROM s.entries WHERE memory_id = 'm') || ' ' || (SELECT count(*) FROM s.entry_access) || ' ' || (SELECT count(*) FROM s.contexts WHERE memory_id = 'm')")"

# The least of the attempts of each measurement.
sql "CREATE VIEW least AS SELECT phase, how, min(milliseconds) AS milliseconds,
    min((milliseconds - own) / pass) AS passes, round(min(pass)) AS pass, min(own) AS own
  FROM measured GROUP BY phase, how"
echo "milliseconds without a look for interrupts, until a stop took effect (timeout, cancel, terminate);"
echo "of these the server's own, and of a pass:"
sql "SELECT format('  %s  %s: %s, %s, %s; %s, %s',
       lpad(max(milliseconds) FILTER (WHERE how = 'stretch')::text, 5), phase,
       max(milliseconds) FILTER (WHERE how = 'statement_timeout'),
       max(milliseconds) FILTER (WHERE how = 'pg_cancel_backend'),
       max(milliseconds) FILTER (WHERE how = 'pg_terminate_backend'), max(own), max(pass))
     FROM phases JOIN least USING (phase) GROUP BY n, phase ORDER BY n"
check "a statement that was stopped says why" '' "$(sql "SELECT DISTINCT message FROM measured WHERE message <> 'OK' AND message NOT LIKE CASE how
  WHEN 'statement_timeout' THEN '%canceling statement due to statement timeout%' WHEN 'pg_cancel_backend' THEN '%canceling statement due to user request%'
  WHEN 'pg_terminate_backend' THEN '%terminating connection due to administrator command%' ELSE '' END")"
check "each way of stopping stopped each statement" '' "$(sql "SELECT string_agg(phase || ': ' || how, ', ')
  FROM phases, unnest(ARRAY['statement_timeout', 'pg_cancel_backend', 'pg_terminate_backend']) how
  WHERE NOT EXISTS (SELECT FROM measured m WHERE m.phase = phases.phase AND m.how = how.how AND message <> 'OK')")"
unit="plain passes"
if [[ -n ${BY_THE_CLOCK:-} ]]; then unit="units of 50 ms"; fi
while IFS='|' read -r phase passes; do
  check_at_most "$phase: goes on for, in $unit" 2 "$passes"
done < <(sql "SELECT phase, round(max(passes), 2) FROM phases JOIN least USING (phase) GROUP BY n, phase ORDER BY n")
check "the server is the same" "$server" "$(sql "$began")"
checked
