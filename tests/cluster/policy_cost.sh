#!/usr/bin/env bash
# A memory of 20,000 entries under row-level security is searched in at most twice the time it takes
# without, by meaning, by words and by both; and both ways give the same bytes.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

start_server "shared_buffers = '512MB'"
create_extension
# Two stores with the same rows, five memories of 20,000 entries in turn, so that the rows of one lie
# scattered over the table; one store is under a policy.
sql "
  SELECT memory_create_store('open', 256), memory_create_store('closed', 256);
  INSERT INTO open.entries (memory_id, entry_id, user_id, raw_entry, embedding, creation_time)
  SELECT 'm' || n % 5, lpad(n::text, 32, '0')::uuid, 'u' || n % 5,
    (SELECT string_agg('w' || floor(exp(8 * abs(sin(n * 17 + g * 31.7))))::int, ' ') FROM generate_series(1, 15) g),
    (SELECT array_agg(sin(n * g)::real) FROM generate_series(1, 256) g), timestamptz '2025-01-01Z' + n * interval '1 min'
  FROM generate_series(1, 100000) n;
  INSERT INTO closed.entries (memory_id, entry_id, user_id, raw_entry, embedding, creation_time)
  SELECT memory_id, entry_id, user_id, raw_entry, embedding, creation_time FROM open.entries;
  CREATE ROLE app;
  SELECT memory_grant('open', 'app'), memory_grant('closed', 'app');
  SET client_min_messages = warning;
  SELECT memory_enable_row_security('closed');" >/dev/null
# Commits have to be on disk before VACUUM can mark its rows as visible to all.
sql "CHECKPOINT" ; sql "VACUUM ANALYZE open.entries" ; sql "CHECKPOINT" ; sql "VACUUM ANALYZE closed.entries"

# The policy that memory_enable_row_security() makes is applied where the pages are read.
for store in open closed; do
  check "$store is read by index pages" "index pages" "$(sql "SET ROLE app; SET memory_search.user_id = 'u3';
    SELECT memory_search('m3', 'w1', store => '$store', options => '{\"diagnostics\": true}') #>> '{diagnostics,reads,0,path}'")"
done

# Both stores in turn, in one session; the median of each.
measured=$(sql "
  SET ROLE app;
  SET memory_search.user_id = 'u3';
  CREATE TEMP TABLE took (strategy text, store text, ms float8, answer text);
  DO \$\$
  DECLARE strategy text; store text; began timestamptz; answer text;
  BEGIN
    FOR i IN 1..11 LOOP
      FOREACH strategy IN ARRAY ARRAY['hybrid', 'keyword', 'semantic'] LOOP
        FOREACH store IN ARRAY ARRAY['open', 'closed'] LOOP
          began := clock_timestamp();
          answer := memory_search('m3', 'w' || 1 + i || ' w' || i * 37 || ' w' || i * 113, 10, store => store,
            embedding => (SELECT array_agg(sin(i * g / 3.0)::real) FROM generate_series(1, 256) g),
            options => jsonb_build_object('strategy', strategy, 'asOf', '2026-01-01T00:00:00Z'));
          INSERT INTO took VALUES (strategy, store, extract(epoch FROM clock_timestamp() - began) * 1000, answer);
        END LOOP;
      END LOOP;
    END LOOP;
  END \$\$;
  SELECT strategy, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE store = 'open')::numeric, 1),
    round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE store = 'closed')::numeric, 1),
    round((percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE store = 'closed')
      / percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE store = 'open'))::numeric, 2),
    count(DISTINCT answer) FILTER (WHERE store = 'open'), count(DISTINCT answer)
  FROM took GROUP BY strategy ORDER BY strategy;")
check "three strategies were measured" 3 "$(wc -l <<< "$measured")"
while IFS='|' read -r strategy open closed ratio answers all_answers; do
  check_at_most "$strategy: ${closed} ms under the policy, ${open} ms without; the ratio" 2 "$ratio"
  check "$strategy: $answers answers, the same bytes with and without the policy" "$answers" "$all_answers"
done <<< "$measured"
check "the policy is in force: another user finds nothing" 0 \
  "$(sql "SET ROLE app; SET memory_search.user_id = 'u1'; SELECT memory_search('m3', 'w1', store => 'closed')->>'count'")"
checked
