#!/usr/bin/env bash
# What a search reads, which unlike its time is the same on every machine: rows and pages at three sizes of
# memory, in a store that holds ten times as many entries besides. A change that makes a search read more fails here.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

start_server "shared_buffers = '512MB'" "autovacuum = off"
create_extension
# Memories of 100, 3,000 and 20,000 entries, scattered among those of 2,000 others.
sql "SELECT memory_create_store('s', 256)" >/dev/null
sql "INSERT INTO s.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
  SELECT CASE WHEN n % 1000 = 0 THEN 'small' WHEN n % 33 = 0 THEN 'medium' WHEN n % 5 = 0 THEN 'large' ELSE 'm' || n % 1999 END,
    lpad(n::text, 32, '0')::uuid,
    (SELECT string_agg('w' || floor(exp(8 * abs(sin(n * 17 + g * 31.7))))::int, ' ') FROM generate_series(1, 15) g),
    -- Around 200 topics, as embeddings of texts lie: their signs say much. (Those of single directions by chance
    -- say so little that all rows would be read.)
    direction[1 + n / 33 % 200] + direction[1 + n / 33 % 200] + direction[201 + n % 997],
    timestamptz '2025-01-01Z' + n * interval '1 min'
  FROM generate_series(1, 100000) n, (SELECT array_agg(direction) AS direction FROM (
    SELECT array_agg(sin(d * g * g) ORDER BY g)::real[]::halfvec AS direction
    FROM generate_series(1, 1197) d, generate_series(1, 256) g GROUP BY d ORDER BY d) d) directions"
sql "INSERT INTO s.contexts (memory_id, context, creation_time, embedding)
  SELECT memory_id, 'context ' || g, timestamptz '2025-01-01Z' + g * interval '1 day', (SELECT array_agg(sin(g * d)::real) FROM generate_series(1, 256) d)
  FROM unnest(ARRAY['small', 'medium', 'large']) memory_id, generate_series(1, 20) g"
sql "CHECKPOINT" ; sql "VACUUM ANALYZE s.entries" ; sql "VACUUM ANALYZE s.contexts" ; sql "VACUUM ANALYZE s.entry_access"

search() { # MEMORY STRATEGY
  echo "memory_search('$1', 'w2 w40 w300', 5, store => 's', embedding => (SELECT array_agg(sin(7 * g * g)::real ORDER BY g) FROM generate_series(1, 256) g),
    options => '{\"strategy\": \"$2\", \"asOf\": \"2026-01-01T00:00:00Z\", \"diagnostics\": true}')"
}
# The pages of the second search of a session: the first one reads catalogs and plans.
pages() { # MEMORY STRATEGY
  sql "DO \$\$ BEGIN PERFORM $(search "$1" "$2"); END \$\$; EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT $(search "$1" "$2")" \
    | sed -n 's/^ *Buffers: shared hit=\([0-9]*\).*/\1/p' | head -n 1
}
while read -r memory strategy entries most_pages; do
  found=$(sql "SELECT r->>'path', r->>'rows' FROM jsonb_path_query_first($(search "$memory" "$strategy"), '\$.diagnostics.reads[0]') r")
  check "$memory, $strategy: the way and the rows" "${entries/@/ }" "$found"
  check_at_most "$memory, $strategy: pages" "$most_pages" "$(pages "$memory" "$strategy")"
done <<'TABLE'
small hybrid index@pages|100 220
small keyword index@pages|100 80
small recent newest|5 80
medium hybrid index@pages|3027 1300
medium keyword index@pages|3027 320
medium recent newest|5 80
large hybrid index@pages|19297 2700
large keyword index@pages|19297 1700
large recent newest|5 80
TABLE
checked
