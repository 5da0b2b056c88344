#!/usr/bin/env bash
# A store that 0.1.0 made goes on working on this version, and what it lacks memory_doctor names with the statements
# that bring it up to date: after them it is, column by column and index by index, what memory_create_store() makes.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

start_server
create_extension
sql "SELECT memory_create_store('fresh')" >/dev/null
psql -X -q -o /dev/null -v ON_ERROR_STOP=1 -f "$MEMORY_SEARCH_REPO/tests/upgrade/store_0.1.0.sql"

fill() { # STORE
  sql "SELECT count(memory_add('m', 'note ' || n || (ARRAY[' of a hotel by the sea', ' of the train'])[1 + n % 2],
      metadata => CASE WHEN n = 7 THEN '{\"gardener\": true}'::jsonb END, entry_id => lpad(n::text, 32, '0')::uuid,
      context => CASE WHEN n % 10 = 0 THEN 'part ' || n END, creation_time => timestamptz '2025-01-01Z' + n * interval '1 hour',
      store => '$1')) FROM generate_series(1, 50) n"
  sql "SELECT memory_put_context('m', 'put by itself', creation_time => '2025-01-01T05:00:00Z', store => '$1')" >/dev/null
}
searches() { # STORE
  sql "SELECT memory_search('m', query, 10, 3, options => '{\"asOf\": \"2025-06-01T00:00:00Z\"}', store => '$1')
    FROM unnest(ARRAY['a hotel', 'train 31', 'part 20', '']) query" | sed -E 's/("contextId": ")[0-9a-f-]*/\1/g'
}
contexts() { # STORE
  sql "WITH s AS MATERIALIZED (SELECT memory_search('m', '', 0, 3, store => '$1') AS r) SELECT concat_ws(', ', r->>'latestContext',
    (SELECT string_agg(x->>'context', ', ') FROM jsonb_array_elements(r->'contexts') x)) FROM s"
}
by_key() { sql "SELECT memory_search('m', 'gardener', options => '{\"strategy\": \"keyword\", \"fallback\": false}', store => '$1')->'count'"; }
definition() { # STORE: its columns, indexes and constraints
  sql "SELECT a.attrelid::regclass::text, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated, pg_get_expr(d.adbin, d.adrelid)
      FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE a.attrelid IN ('$1.entries'::regclass, '$1.contexts'::regclass, '$1.entry_access'::regclass) AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY 1, 2" | sed "s/$1\./store./g"
  sql "SELECT indexdef FROM pg_indexes WHERE schemaname = '$1' ORDER BY 1" | sed "s/ $1\./ store./g"
  sql "SELECT conrelid::regclass::text, contype, pg_get_constraintdef(oid) FROM pg_constraint
      WHERE connamespace = '$1'::regnamespace AND contype <> 'n' ORDER BY 1, 2, 3" | sed "s/$1\./store./g"
}

check "the store of 0.1.0 takes 50 entries" 50 "$(fill memory)"
check "and so does a fresh one" 50 "$(fill fresh)"
check "both give the same documents" "$(searches fresh)" "$(searches memory)"
check "a key of metadata is a word in the fresh one, not in the older" "1 0" "$(by_key fresh) $(by_key memory)"
check "memory_doctor names what the older store lacks" "contexts of entries, words of metadata" \
  "$(sql "SELECT string_agg(name, ', ') FROM memory_doctor('memory') WHERE status <> 'ok' AND name <> 'statistics'")"
delete_one() { sql "SELECT memory_delete('m', ARRAY[lpad('50', 32, '0')::uuid], store => '$1')" >/dev/null; }
delete_one memory ; delete_one fresh
check "a context outlives its entry in the older store, not in the fresh one" "part 50 part 40" \
  "$(contexts memory | cut -d , -f 1) $(contexts fresh | cut -d , -f 1)"

sql "SELECT fix FROM memory_doctor('memory') WHERE fix IS NOT NULL AND name <> 'statistics'" > "$SCRATCH_DIR/fixes.sql"
psql -X -q -o /dev/null -v ON_ERROR_STOP=1 -f "$SCRATCH_DIR/fixes.sql"
check "after the statements it gives, it has nothing to name" '' \
  "$(sql "SELECT string_agg(name, ', ') FROM memory_doctor('memory') WHERE status <> 'ok' AND name <> 'statistics'")"
check "the older store is defined as a fresh one is" '' "$(diff <(definition fresh) <(definition memory) || true)"
check "its contexts know their entries, and one that was put by itself knows none" "5 1" \
  "$(sql "SELECT count(entry_id), count(*) - count(entry_id) FROM memory.contexts" | tr '|' ' ')"
check "a context is deleted with its entry" "$(contexts fresh)" "$(contexts memory)"
check "a key of metadata is a word" 1 "$(by_key memory)"
check "both give the same documents again" "$(searches fresh)" "$(searches memory)"
check "it is read by the pages of its index" "index pages" \
  "$(sql "SELECT memory_search('m', 'train', store => 'memory', options => '{\"diagnostics\": true}') #>> '{diagnostics,reads,0,path}'")"
checked
