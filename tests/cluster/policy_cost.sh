#!/usr/bin/env bash
# What row-level security adds to a search of a memory of 20,000 entries: at most 50 pages. By meaning, by
# words and by both the same statements give the same rows, the index is read in the same way, and the answers are
# the same bytes. These are counts, which unlike times are the same on every machine.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

start_server "shared_buffers = '512MB'" "autovacuum = off" \
  "shared_preload_libraries = 'pg_stat_statements'" "pg_stat_statements.track = 'all'"
create_extension
# Two stores with the same rows, five memories of 20,000 entries in turn, so that the rows of one lie scattered over the
# table; one store is under a policy. A memory has 200 topics: its entries lie around as many directions.
sql "
  SELECT memory_create_store('open', 256), memory_create_store('closed', 256);
  INSERT INTO open.entries (memory_id, entry_id, user_id, raw_entry, embedding, creation_time)
  SELECT 'm' || n % 5, lpad(n::text, 32, '0')::uuid, 'u' || n % 5,
    (SELECT string_agg('w' || floor(exp(8 * abs(sin(n * 17 + g * 31.7))))::int, ' ') FROM generate_series(1, 15) g),
    direction[1 + n / 5 % 200] + direction[1 + n / 5 % 200] + direction[201 + n % 997],
    timestamptz '2025-01-01Z' + n * interval '1 min'
  FROM generate_series(1, 100000) n, (SELECT array_agg(direction) AS direction FROM (
    SELECT array_agg(sin(d * g * g) ORDER BY g)::real[]::halfvec AS direction
    FROM generate_series(1, 1197) d, generate_series(1, 256) g GROUP BY d ORDER BY d) d) directions;
  INSERT INTO closed.entries (memory_id, entry_id, user_id, raw_entry, embedding, creation_time)
  SELECT memory_id, entry_id, user_id, raw_entry, embedding, creation_time FROM open.entries ORDER BY entry_order;
  CREATE ROLE app;
  SELECT memory_grant('open', 'app'), memory_grant('closed', 'app');
  SET client_min_messages = warning;
  SELECT memory_enable_row_security('closed');
  CREATE EXTENSION pg_stat_statements;
  GRANT pg_read_all_stats TO app;
  GRANT EXECUTE ON FUNCTION pg_stat_statements_reset TO app" >/dev/null
# Commits have to be on disk before VACUUM can mark its rows as visible to all.
sql "CHECKPOINT" ; sql "VACUUM ANALYZE open.entries" ; sql "CHECKPOINT" ; sql "VACUUM ANALYZE closed.entries"

# Eleven searches in a session that has searched before: the first time it reads catalogs and plans. Prints how many
# answers they are, their hash, and for each search the way and the rows of its pass, the statements that it runs, the
# rows that these give, and the pages of it all.
counted() { # STORE STRATEGY
  local searches="SELECT memory_search('m3', 'w' || 1 + i || ' w' || i * 37 || ' w' || i * 113, 10, store => '$1',
      embedding => (SELECT array_agg(sin(i * g * g)::real ORDER BY g) FROM generate_series(1, 256) g),
      options => '{\"strategy\": \"$2\", \"asOf\": \"2026-01-01T00:00:00Z\", \"diagnostics\": true}') AS answer
    FROM generate_series(1, 11) i"
  sql "SET ROLE app; SET memory_search.user_id = 'u3'" -c '\o /dev/null' -c "$searches" \
    -c 'SELECT pg_stat_statements_reset()' -c '\o' -c "WITH answers AS MATERIALIZED ($searches)
      SELECT count(DISTINCT answer - 'diagnostics'), md5(string_agg((answer - 'diagnostics')::text, ' ')),
        string_agg(DISTINCT read->>'path', ', '), round(sum((read->>'rows')::int) / 11)
      FROM answers, jsonb_array_elements(answer #> '{diagnostics,reads}') read" \
    -c "SELECT trim_scale(round(sum(calls) FILTER (WHERE NOT toplevel) / 11, 1)),
        trim_scale(round(sum(rows) FILTER (WHERE NOT toplevel) / 11, 1)),
        round(sum(shared_blks_hit + shared_blks_read) FILTER (WHERE query LIKE 'WITH answers %') / 11)
      FROM pg_stat_statements" | paste -sd '|'
}
for strategy in hybrid keyword semantic; do
  open=$(counted open "$strategy") closed=$(counted closed "$strategy")
  IFS='|' read -r answers hash path rows statements rows_given pages <<< "$open"
  IFS='|' read -r _ hash_closed path_closed rows_closed statements_closed rows_given_closed pages_closed <<< "$closed"
  check "$strategy: eleven questions have eleven answers" 11 "$answers"
  check "$strategy: the same bytes with and without the policy" "$hash" "$hash_closed"
  # The policy that memory_enable_row_security() makes is applied where the pages are read.
  check "$strategy: 20,000 rows by index pages, with and without the policy" "index pages 20000, index pages 20000" \
    "$path $rows, $path_closed $rows_closed"
  check "$strategy: $statements statements that give $rows_given rows, with and without the policy" \
    "$statements $rows_given" "$statements_closed $rows_given_closed"
  # Who asks, and which policies there are, takes a few pages of catalogs, and planning a few dozen with a policy or
  # without. A plan that applied the policy row by row to the table would read thousands.
  check_at_most "$strategy: pages under the policy, $pages without" "$(( pages + 50 ))" "$pages_closed"
done
check "the policy is in force: another user finds nothing" 0 \
  "$(sql "SET ROLE app; SET memory_search.user_id = 'u1'; SELECT memory_search('m3', 'w1', store => 'closed')->>'count'")"
checked
