-- Ids of memories that TOAST compressed in wide rows: every path finds every entry of these memories, and none of
-- others.
SELECT memory_create_store('cmi', 256);
CREATE TABLE ids (i int, id text);
INSERT INTO ids SELECT i, id FROM (VALUES
  (1, 'user-00000000-0000-0000-0000-000000000042'), (2, 'user-00000000-0000-0000-0000-000000000043'),
  (3, repeat('x', 60)), (4, repeat('x', 61)), (5, repeat('x', 60) || 'y'), (6, repeat('ab', 500)),
  (7, repeat('é', 150)), (8, 'plain')) t(i, id);
-- A text that stays large when it is compressed: so TOAST also compresses the id, to make the row smaller.
CREATE FUNCTION wide(seed bigint) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN (SELECT string_agg(md5(seed || ' ' || g), ' ') FROM generate_series(1, 50) g);
-- 40 entries a memory: wide ones, short ones, and some that are too long for the index of searches.
CREATE FUNCTION fill() RETURNS void LANGUAGE sql AS $$
  INSERT INTO cmi.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
  SELECT id, test.id(i * 100 + n), 'zebra ' || CASE
      WHEN n % 10 = 0 THEN (SELECT string_agg('w' || g, ' ') FROM generate_series(1, 900) g)
      WHEN n % 3 = 0 THEN 'short' ELSE wide(i * 100 + n) END,
    (SELECT array_agg(sin((i + n) * g)::real ORDER BY g) FROM generate_series(1, 256) g),
    timestamptz '2025-01-01Z' + n * interval '1 hour'
  FROM ids, generate_series(1, 40) n $$;
SELECT fill();
-- They are compressed in some rows and not in others: one id has two forms.
SELECT i, left(id, 12) AS id, octet_length(id) AS bytes, count(pg_column_compression(memory_id)) > 0 AS some_compressed,
  min(pg_column_size(memory_id)) < octet_length(id) AS smaller,
  max(pg_column_size(memory_id)) > octet_length(id) AS some_plain
FROM ids JOIN cmi.entries e ON memory_id = id GROUP BY i, id ORDER BY i;
SELECT count(*) > 0 AS some_are_long FROM test.words_of_store('cmi') WHERE length(words) > 800;

SET memory_search.max_top_ke = 1000;
CREATE FUNCTION asked(id text, how jsonb DEFAULT '{}', filters jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
  SELECT memory_search(id, 'zebra', 1000, filters => filters, store => 'cmi',
    options => '{"candidates": 1000, "asOf": "2025-06-01T00:00:00Z"}' || how,
    embedding => (SELECT array_agg(sin(7 * g)::real) FROM generate_series(1, 256) g)) $$;
CREATE FUNCTION way(filters jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(DISTINCT asked(id, '{"diagnostics": true}', filters) #>> '{diagnostics,reads,0,path}', ' and ')
  FROM ids $$;
-- For each id and strategy: the entries found, all entries of the memory, and the entries of other memories.
CREATE FUNCTION found(filters jsonb DEFAULT '{}')
RETURNS TABLE (strategy text, whole bigint, parts bigint, others bigint, digest text) LANGUAGE sql AS $$
  SELECT strategy, count(*) FILTER (WHERE right_ones = 40), count(*) FILTER (WHERE right_ones < 40), sum(wrong),
    left(md5(string_agg(answer::text, '' ORDER BY i)), 8)
  FROM unnest('{hybrid,keyword,recent,semantic}'::text[]) strategy, ids,
    LATERAL (SELECT asked(id, jsonb_build_object('strategy', strategy), filters) AS answer OFFSET 0) a,
    LATERAL (SELECT count(*) FILTER (WHERE n / 100 = i) AS right_ones, count(*) FILTER (WHERE n / 100 <> i) AS wrong
      FROM unnest(test.found(answer)) n) c GROUP BY strategy ORDER BY strategy $$;
CREATE TABLE kept AS SELECT * FROM found();
SELECT way(), strategy, whole, parts, others FROM kept;
CREATE FUNCTION compared(filters jsonb DEFAULT '{}') RETURNS TABLE (way text, whole text, same bigint)
LANGUAGE sql AS $$
  SELECT way(filters), string_agg(f.whole::text, ' '), count(*) FILTER (WHERE f.digest = k.digest)
  FROM found(filters) f JOIN kept k USING (strategy) $$;
-- The index is built anew, the table is rewritten, VACUUM runs, rows are rewritten: the index may hold another form.
REINDEX TABLE cmi.entries;
SELECT * FROM compared();
VACUUM FULL cmi.entries;
SELECT * FROM compared();
VACUUM cmi.entries;
SELECT * FROM compared();
UPDATE cmi.entries SET raw_entry = 'zebra ' ||
  CASE raw_entry WHEN 'zebra short' THEN wide(test.n(entry_id)) ELSE 'short' END
WHERE test.n(entry_id) % 10 IN (2, 4, 6);
TRUNCATE kept;
INSERT INTO kept SELECT * FROM found();
SELECT way(), strategy, whole, parts, others FROM kept;
-- In a serializable transaction, by a filter that is tested on the rows, and by the rows alone.
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM compared();
COMMIT;
SELECT way, whole, same FROM compared('{"metadata": {}}');
DROP INDEX cmi.entries_memory;
SELECT * FROM compared();
\set ECHO none
SELECT fix FROM memory_doctor('cmi') WHERE name = 'index of searches' \gexec
\set ECHO all
SELECT * FROM compared();
-- A memory of long entries alone.
SELECT count(*) AS long_ones FROM cmi.entries WHERE raw_entry LIKE '%w900%' AND memory_id = repeat('x', 60);
SELECT jsonb_array_length(memory_search(repeat('x', 60), 'w900', 100, options => '{"strategy": "keyword"}',
  store => 'cmi')->'entries') AS found;
-- Ids without rows, before, between and after the existing ones; also an existing id with one character more.
SELECT left(id, 12) AS id, octet_length(id) AS bytes,
  jsonb_array_length(asked(id, '{"fallback": false}')->'entries') AS found
FROM unnest(ARRAY['a', repeat('x', 59), repeat('x', 62), repeat('ab', 499) || 'a', repeat('z', 1000),
  'user-00000000-0000-0000-0000-00000000004']) id
ORDER BY octet_length(id), id COLLATE "C";
-- Many memories whose ids begin alike, on many pages: each finds its own entries.
CREATE FUNCTION tenant(i int) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN 'tenant-' || repeat('0', 40) || lpad(i::text, 4, '0');
INSERT INTO cmi.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
SELECT tenant(i), test.id(i * 10 + n), 'zebra ' || wide(i * 10 + n),
  (SELECT array_agg(sin((i + n) * g)::real ORDER BY g) FROM generate_series(1, 256) g), '2025-01-01Z'
FROM generate_series(1, 300) i, generate_series(1, 3) n;
SELECT count(*) AS entries, count(pg_column_compression(memory_id)) AS compressed FROM cmi.entries
WHERE memory_id LIKE 'tenant-%';
SELECT count(*) AS memories, count(*) FILTER (WHERE found @> ARRAY[i * 10 + 1, i * 10 + 2, i * 10 + 3]::bigint[]
  AND cardinality(found) = 3) AS right_ones
FROM generate_series(1, 300) i, LATERAL (SELECT test.found(memory_search(tenant(i), 'zebra', 10,
  options => '{"strategy": "keyword"}', store => 'cmi')) AS found) f;
-- An id without entries, between the others.
SELECT memory_search(tenant(17) || 'x', 'zebra', store => 'cmi')->'count' AS nobody;
DROP FUNCTION compared, found, way, asked, fill, wide, tenant;
DROP TABLE kept, ids;
DROP SCHEMA cmi CASCADE;
