#!/usr/bin/env bash
# A memory whose statistics are missing or wrong (just loaded, and neither vacuumed nor analysed; analysed when it held
# one row; mostly deleted) is searched by reading at most a quarter more pages than when they are right, and the answers
# are the same bytes. What VACUUM spares is told apart: at most a page for each row.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

start_server "shared_buffers = '512MB'" "autovacuum = off"
create_extension
columns="memory_id, entry_id, raw_entry, embedding, creation_time"
# Five memories of 5,000 entries in turn. A memory has 50 topics: its entries lie around as many directions.
sql "
  SELECT memory_create_store('fresh', 256), memory_create_store('stale', 256), memory_create_store('emptied', 256);
  INSERT INTO fresh.entries ($columns)
  SELECT 'm' || n % 5, lpad(n::text, 32, '0')::uuid,
    (SELECT string_agg('w' || floor(exp(8 * abs(sin(n * 17 + g * 31.7))))::int, ' ') FROM generate_series(1, 15) g),
    direction[1 + n / 5 % 50] + direction[1 + n / 5 % 50] + direction[51 + n % 997],
    timestamptz '2025-01-01Z' + n * interval '1 min'
  FROM generate_series(1, 25000) n, (SELECT array_agg(direction) AS direction FROM (
    SELECT array_agg(sin(d * g * g) ORDER BY g)::real[]::halfvec AS direction
    FROM generate_series(1, 1047) d, generate_series(1, 256) g GROUP BY d ORDER BY d) d) directions;
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

sql "CREATE TABLE searched (state text, store text, strategy text, pages int, answers int, hash text)"
# Eleven searches of every kind: what they answer, and the pages that one of them reads, as EXPLAIN counts them. The
# first time a session reads catalogs and plans; that is not counted.
search_all() { # STATE
  sql "DO \$\$
    DECLARE store text; strategy text; searches text; answers int; hash text; plan json;
    BEGIN
      FOREACH store IN ARRAY ARRAY['fresh', 'stale', 'emptied'] LOOP
        FOREACH strategy IN ARRAY ARRAY['hybrid', 'keyword', 'semantic'] LOOP
          searches := format(\$sql\$SELECT memory_search('m3', 'w' || 1 + i || ' w' || i * 37 || ' w' || i * 113, 10,
              store => %L,
              embedding => (SELECT array_agg(sin(i * g * g)::real ORDER BY g) FROM generate_series(1, 256) g),
              options => '{\"strategy\": \"%s\", \"asOf\": \"2026-01-01T00:00:00Z\"}') AS answer
            FROM generate_series(1, 11) i\$sql\$, store, strategy);
          EXECUTE format(\$sql\$WITH searched AS MATERIALIZED (%s)
            SELECT count(DISTINCT answer), md5(string_agg(answer::text, ' ')) FROM searched\$sql\$, searches)
            INTO answers, hash;
          EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF, FORMAT JSON) ' || searches INTO plan;
          INSERT INTO searched VALUES ('$1', store, strategy,
            ((plan #>> '{0,Plan,Shared Hit Blocks}')::int + (plan #>> '{0,Plan,Shared Read Blocks}')::int) / 11,
            answers, hash);
        END LOOP;
      END LOOP;
    END \$\$"
}
search_all before
sql "ANALYZE fresh.entries, stale.entries, emptied.entries"
search_all analysed
# Commits have to be on disk before VACUUM can mark its rows as visible to all.
for store in fresh stale emptied; do sql "CHECKPOINT" ; sql "VACUUM $store.entries"; done
search_all vacuumed

# Statistics may only change the plans of the statements around the pass, such as the one that fetches the ten entries
# shown: with those of "stale", which say one entry to a memory, the planner looks these up in an index that is read
# longer. A row on a page that is not marked as visible to all is looked up in the table, whatever the statistics
# say, so against a vacuumed table each row may cost a page more; in "emptied" 25,000 rows, the deleted ones too.
while IFS='|' read -r store strategy rows before analysed vacuumed; do
  check_at_most "$store, $strategy: pages, with right statistics $analysed" "$(( analysed * 5 / 4 ))" "$before"
  check_at_most "$store, $strategy: pages, also vacuumed $vacuumed" "$(( vacuumed + rows ))" "$before"
done < <(sql "
  SELECT store, strategy, CASE store WHEN 'emptied' THEN 25000 ELSE 5000 END,
    max(pages) FILTER (WHERE state = 'before'), max(pages) FILTER (WHERE state = 'analysed'),
    max(pages) FILTER (WHERE state = 'vacuumed')
  FROM searched GROUP BY store, strategy ORDER BY store, strategy")
check "three stores were searched in three ways, before, analysed and vacuumed" "27|11|11" \
  "$(sql "SELECT count(*), min(answers), max(answers) FROM searched")"
check "the answers are the same bytes, whatever the statistics" "hybrid 1, keyword 1, semantic 1" "$(sql "
  SELECT string_agg(strategy || ' ' || hashes, ', ' ORDER BY strategy)
  FROM (SELECT strategy, count(DISTINCT hash) AS hashes FROM searched GROUP BY strategy) s")"
checked
