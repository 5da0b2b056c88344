-- A search of several memories applies the aliases of each memory to that memory alone, by the index and by the rows.
SELECT memory_create_store('aom', 4);
SET memory_search.store = 'aom';
-- Robert is Bob in b, Ann in c, and nobody else in a.
SELECT memory, memory_alias(memory, 'Robert', name) FROM (VALUES ('b', 'Bob'), ('c', 'Ann')) a(memory, name);
SELECT count(memory_add(memory, name || ' likes tea in ' || memory, entities => ARRAY[name],
    entry_id => test.id(n), embedding => ARRAY[1, n, 0, 0]::real[], creation_time => '2025-01-01Z'))
FROM (SELECT memory, name, row_number() OVER () AS n
  FROM unnest('{a,b,c,d}'::text[]) memory, unnest('{Ann,Bob,Robert}'::text[]) name) e;
SET memory_search.max_top_ke = 50;
CREATE FUNCTION pg_temp.found(memories text[], query text, filter jsonb, options jsonb) RETURNS text
LANGUAGE sql AS $$
  SELECT string_agg(e->>'memoryId' || ':' || split_part(e->>'rawEntry', ' ', 1), ' ' ORDER BY e->>'memoryId',
    e->>'rawEntry')
  FROM jsonb_array_elements(memory_search(memories, query, 50, embedding => '[1,2,0,0]',
    filters => jsonb_build_object('entities', filter), options => options)->'entries') e $$;
CREATE TABLE aom_asked AS
SELECT f AS filter, s AS strategy, q AS query, pg_temp.found('{a,b,c,d}', q, f, s) AS found
FROM unnest('{"\"Bob\"","\"Robert\"","{\"$nin\": [\"Bob\"]}","{\"$all\": [\"Ann\", \"Robert\"]}"}'::jsonb[]) f,
  unnest('{"{}","{\"strategy\": \"keyword\"}","{\"strategy\": \"semantic\"}","{\"strategy\": \"recent\"}"}'::jsonb[]) s,
  unnest('{tea,""}'::text[]) q;
SELECT filter, found, count(*) FROM aom_asked GROUP BY 1, 2 ORDER BY 1, 2;
SET enable_indexscan = off;
SELECT count(*) AS differ FROM aom_asked
WHERE found IS DISTINCT FROM pg_temp.found('{a,b,c,d}', query, filter, strategy);
RESET enable_indexscan;
-- Each memory by itself gives the same entries.
SELECT count(*) AS differ FROM aom_asked WHERE found IS DISTINCT FROM nullif(concat_ws(' ',
  pg_temp.found('{a}', query, filter, strategy), pg_temp.found('{b}', query, filter, strategy),
  pg_temp.found('{c}', query, filter, strategy), pg_temp.found('{d}', query, filter, strategy)), '');
RESET memory_search.max_top_ke;
DROP TABLE aom_asked;
RESET memory_search.store;
SELECT memory_drop_store('aom', true);
