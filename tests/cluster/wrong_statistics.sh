#!/usr/bin/env bash
# A memory whose statistics are missing or wrong (just loaded, and neither vacuumed nor analysed; analysed when
# it held one row; mostly deleted) is searched in at most three times the time that it takes when they are
# right, and the answers are the same bytes.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

start_server "shared_buffers = '512MB'" "autovacuum = off"
create_extension
columns="memory_id, entry_id, raw_entry, embedding, creation_time"
sql "
  SELECT memory_create_store('fresh', 256), memory_create_store('stale', 256), memory_create_store('emptied', 256);
  INSERT INTO fresh.entries ($columns)
  SELECT 'm' || n % 5, lpad(n::text, 32, '0')::uuid,
    (SELECT string_agg('w' || floor(exp(8 * abs(sin(n * 17 + g * 31.7))))::int, ' ') FROM generate_series(1, 15) g),
    (SELECT array_agg(sin(n * g)::real) FROM generate_series(1, 256) g), timestamptz '2025-01-01Z' + n * interval '1 min'
  FROM generate_series(1, 25000) n;
  INSERT INTO stale.entries ($columns) SELECT $columns FROM fresh.entries ORDER BY entry_order LIMIT 1;" >/dev/null
# The planner takes each memory of this store for one entry.
sql "VACUUM ANALYZE stale.entries"
sql "INSERT INTO stale.entries ($columns) SELECT $columns FROM fresh.entries ORDER BY entry_order OFFSET 1"
# Of this one four in five rows are deleted after the statistics; they are still in the table and its indexes.
sql "
  INSERT INTO emptied.entries ($columns)
  SELECT memory_id, CASE n WHEN 3 THEN entry_id ELSE md5(n::text || entry_id::text)::uuid END, raw_entry, embedding, creation_time
  FROM fresh.entries, generate_series(1, 5) n ORDER BY entry_order, n;"
sql "CHECKPOINT" ; sql "VACUUM ANALYZE emptied.entries"
sql "DELETE FROM emptied.entries e WHERE NOT EXISTS (SELECT FROM fresh.entries g WHERE g.memory_id = e.memory_id AND g.entry_id = e.entry_id)"

sql "CREATE TABLE took (analysed bool, store text, i int, ms float8, answer text)"
measure() { # ANALYSED
  sql "DO \$\$
    DECLARE store text; began timestamptz; answer text;
    BEGIN
      FOR i IN 1..11 LOOP
        FOREACH store IN ARRAY ARRAY['fresh', 'stale', 'emptied'] LOOP
          began := clock_timestamp();
          answer := memory_search('m3', 'w' || 1 + i || ' w' || i * 37 || ' w' || i * 113, 10, store => store,
            embedding => (SELECT array_agg(sin(i * g / 3.0)::real) FROM generate_series(1, 256) g),
            options => '{\"asOf\": \"2026-01-01T00:00:00Z\"}');
          INSERT INTO took VALUES ($1, store, i, extract(epoch FROM clock_timestamp() - began) * 1000, answer);
        END LOOP;
      END LOOP;
    END \$\$"
}
measure false
sql "CHECKPOINT" ; sql "VACUUM ANALYZE fresh.entries" ; sql "CHECKPOINT" ; sql "VACUUM ANALYZE stale.entries" ; sql "ANALYZE emptied.entries"
measure true
measured=$(sql "
  SELECT store, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE NOT analysed)::numeric, 1),
    round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE analysed)::numeric, 1),
    round((percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE NOT analysed)
      / percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE analysed))::numeric, 2)
  FROM took GROUP BY store ORDER BY store")
check "three stores were measured" 3 "$(wc -l <<< "$measured")"
while IFS='|' read -r store before after ratio; do
  check_at_most "$store: $before ms, and $after ms with statistics; the ratio" 3 "$ratio"
done <<< "$measured"
check "each of 11 questions has one answer, whatever the statistics" "11|11" \
  "$(sql "SELECT count(DISTINCT i), count(DISTINCT (i, answer)) FROM took")"
checked
