-- Ids of memories that TOAST compressed in wide rows: every path finds every entry of theirs, and none of a neighbour's.
\pset format unaligned
SELECT memory_create_store('cmi', 256);
CREATE TABLE ids (i int, id text);
INSERT INTO ids SELECT i, id FROM (VALUES
  (1, 'user-00000000-0000-0000-0000-000000000042'), (2, 'user-00000000-0000-0000-0000-000000000043'),
  (3, repeat('x', 60)), (4, repeat('x', 61)), (5, repeat('x', 60) || 'y'), (6, repeat('ab', 1200)), (7, repeat('é', 150)), (8, 'plain')) t(i, id);
-- 40 entries a memory: most are wide enough to be compressed, some are short, some are too long for the index of searches.
CREATE FUNCTION fill() RETURNS void LANGUAGE sql AS $$
  INSERT INTO cmi.entries (memory_id, entry_id, raw_entry, metadata, embedding, creation_time)
  SELECT id, test.id(i * 100 + n), 'zebra ' || CASE WHEN n % 10 = 0 THEN (SELECT string_agg('w' || g, ' ') FROM generate_series(1, 900) g)
      WHEN n % 3 = 0 THEN 'short' ELSE test.words(i * 100 + n, 20) END,
    CASE WHEN n % 3 = 0 THEN '{}' ELSE jsonb_build_object('pad', repeat('wide ', 420)) END,
    (SELECT array_agg(sin((i + n) * g)::real ORDER BY g) FROM generate_series(1, 256) g), timestamptz '2025-01-01Z' + n * interval '1 hour'
  FROM ids, generate_series(1, 40) n $$;
SELECT fill();
-- They are compressed in some rows and not in others: one id has two forms.
SELECT i, left(id, 12) AS id, octet_length(id) AS bytes, min(pg_column_size(memory_id)) AS smallest, max(pg_column_size(memory_id)) AS largest,
  count(pg_column_compression(memory_id)) > 0 AS some_compressed, count(*) > count(pg_column_compression(memory_id)) AS some_plain
FROM ids JOIN cmi.entries e ON memory_id = id GROUP BY i, id ORDER BY i;
SELECT count(*) > 0 AS some_are_long FROM cmi.entries WHERE length(search_vector) > 800;

SET memory_search.max_top_ke = 1000;
CREATE FUNCTION asked(id text, how jsonb DEFAULT '{}', filters jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
  SELECT memory_search(id, 'zebra', 1000, filters => filters, options => '{"candidates": 1000, "asOf": "2025-06-01T00:00:00Z"}' || how,
    embedding => (SELECT array_agg(sin(7 * g)::real) FROM generate_series(1, 256) g), store => 'cmi') $$;
CREATE FUNCTION way(filters jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(DISTINCT asked(id, '{"diagnostics": true}', filters) #>> '{diagnostics,reads,0,path}', ' and ') FROM ids $$;
-- Of each id and strategy: the entries found, of those that are there, and those of others.
CREATE FUNCTION found(filters jsonb DEFAULT '{}') RETURNS TABLE (strategy text, whole bigint, parts bigint, others bigint, digest text)
LANGUAGE sql AS $$
  SELECT strategy, count(*) FILTER (WHERE right_ones = 40), count(*) FILTER (WHERE right_ones < 40), sum(wrong), left(md5(string_agg(answer::text, '' ORDER BY i)), 8)
  FROM unnest('{hybrid,keyword,recent,semantic}'::text[]) strategy, ids,
    LATERAL (SELECT asked(id, jsonb_build_object('strategy', strategy), filters) AS answer OFFSET 0) a,
    LATERAL (SELECT count(*) FILTER (WHERE n / 100 = i) AS right_ones, count(*) FILTER (WHERE n / 100 <> i) AS wrong
      FROM unnest(test.found(answer)) n) c GROUP BY strategy ORDER BY strategy $$;
CREATE TABLE kept AS SELECT * FROM found();
SELECT way(), strategy, whole, parts, others FROM kept;
CREATE FUNCTION compared(filters jsonb DEFAULT '{}') RETURNS TABLE (way text, whole text, same bigint) LANGUAGE sql AS $$
  SELECT way(filters), string_agg(f.whole::text, ' '), count(*) FILTER (WHERE f.digest = k.digest) FROM found(filters) f JOIN kept k USING (strategy) $$;
-- The index built anew, the table written anew, VACUUM, each row written again: what is in the index may be another form.
REINDEX TABLE cmi.entries;
SELECT * FROM compared();
VACUUM FULL cmi.entries;
SELECT * FROM compared();
VACUUM cmi.entries;
SELECT * FROM compared();
UPDATE cmi.entries SET metadata = CASE WHEN metadata = '{}' THEN jsonb_build_object('pad', repeat('wide ', 420)) ELSE '{}' END WHERE test.n(entry_id) % 2 = 0;
TRUNCATE kept;
INSERT INTO kept SELECT * FROM found();
SELECT way(), strategy, whole, parts, others FROM kept;
-- A statement that the index serves, the rows of the table, and no index at all.
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM compared();
COMMIT;
SELECT way, whole, same FROM compared('{"metadata": {}}');
DROP INDEX cmi.entries_scan, cmi.entries_scan_long;
SELECT * FROM compared();
\set ECHO none
SELECT fix FROM memory_doctor('cmi') WHERE name = 'index of searches' \gexec
\set ECHO all
SELECT * FROM compared();
-- The short index of long entries alone.
SELECT count(*) AS long_ones FROM cmi.entries WHERE raw_entry LIKE '%w900%' AND memory_id = repeat('x', 60);
SELECT jsonb_array_length(memory_search(repeat('x', 60), 'w900', 100, options => '{"strategy": "keyword"}', store => 'cmi')->'entries') AS found;
-- An id that is nobody's, before, between and behind those that are there; the same signs and one more.
SELECT left(id, 12) AS id, octet_length(id) AS bytes, jsonb_array_length(asked(id, '{"fallback": false}')->'entries') AS found
FROM unnest(ARRAY['a', repeat('x', 59), repeat('x', 62), repeat('ab', 1199) || 'a', repeat('z', 2000), 'user-00000000-0000-0000-0000-00000000004']) id
ORDER BY octet_length(id), id COLLATE "C";
-- Many memories of one beginning on many pages: each finds its own.
INSERT INTO cmi.entries (memory_id, entry_id, raw_entry, metadata, creation_time)
SELECT 'tenant-' || repeat('0', 40) || lpad(i::text, 4, '0'), test.id(i * 10 + n), 'zebra', jsonb_build_object('pad', repeat('wide ', 420)), '2025-01-01Z'
FROM generate_series(1, 300) i, generate_series(1, 3) n;
SELECT count(pg_column_compression(memory_id)) AS compressed, count(DISTINCT memory_id) AS memories FROM cmi.entries WHERE memory_id LIKE 'tenant-%';
SELECT count(*) FILTER (WHERE found @> ARRAY[i * 10 + 1, i * 10 + 2, i * 10 + 3]::bigint[] AND cardinality(found) = 3) AS right_ones, count(*) AS memories
FROM generate_series(1, 300) i, LATERAL (SELECT test.found(memory_search('tenant-' || repeat('0', 40) || lpad(i::text, 4, '0'), 'zebra', 10,
  options => '{"strategy": "keyword"}', store => 'cmi')) AS found) f;
DROP FUNCTION compared, found, way, asked, fill;
DROP TABLE kept, ids;
DROP SCHEMA cmi CASCADE;
