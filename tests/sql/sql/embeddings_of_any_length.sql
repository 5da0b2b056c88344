-- pgvector computes in single precision: vectors that are very long or very short have a distance of 0, 1 or 2, or
-- none, for any direction. Scans by the memory index and searches find the same as reading every row.
CREATE SCHEMA lengths;
SET search_path = lengths, public;
CREATE FUNCTION vec(n float8, length float8 DEFAULT 1, dims int DEFAULT 48) RETURNS vector LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg((sin(n * k) * length)::real ORDER BY k)::vector FROM generate_series(1, dims) k $$;
CREATE TABLE notes (id int PRIMARY KEY, memory_id text, raw_entry text, emb vector(48));
-- Some tables are filled before the index is built, others after it: the rows are in segments and in a tail.
CREATE FUNCTION fill(first int, last int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO notes SELECT n, 'm' || n % 2, test.words(n, 3), CASE n % 9
    WHEN 1 THEN vec(n, 1e25) WHEN 2 THEN vec(n, 1e-25) WHEN 3 THEN vec(n, 3e-20) WHEN 4 THEN vec(n, 2e19)
    WHEN 5 THEN NULL WHEN 6 THEN vec(n, 0) ELSE vec(n) END
  FROM generate_series(first, last) n $$;
SELECT fill(1, 900);
CREATE INDEX notes_memory ON notes USING memory_search (memory_id, to_tsvector('english', raw_entry), emb)
  INCLUDE (id);
SELECT fill(901, 2600);

-- In the order of the distance. Many are as far away as others, so that distances are compared, not ids.
CREATE FUNCTION ordered(query vector, rows int, is_by_index boolean) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE found float8[];
BEGIN
  PERFORM set_config(setting, (NOT is_by_index)::text, true)
  FROM unnest('{enable_seqscan,enable_sort}'::text[]) setting;
  PERFORM set_config(setting, is_by_index::text, true)
  FROM unnest('{enable_indexscan,enable_bitmapscan}'::text[]) setting;
  SELECT array_agg(distance) INTO found FROM (
    SELECT emb <=> query AS distance FROM notes WHERE memory_id = 'm1' ORDER BY emb <=> query LIMIT rows) found;
  RETURN found;
END $$;
SELECT length, rows, count(*) AS queries,
  count(*) FILTER (WHERE ordered(query, rows, true) IS DISTINCT FROM ordered(query, rows, false)) AS different
FROM unnest(ARRAY[1, 0, 1e25, 1e-25, 3e-20, 2e19]) length, unnest(ARRAY[3, 40, NULL]) rows, generate_series(1, 4) n,
  LATERAL (SELECT vec(n * 0.77, length) AS query) q
GROUP BY length, rows ORDER BY length, rows;
CREATE FUNCTION explained(query text) RETURNS SETOF text LANGUAGE plpgsql AS
  $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || query; END $$;
SET enable_seqscan = off; SET enable_sort = off;
SELECT replace(plan, vec(3, 1e25)::text, '...') AS plan
FROM explained($$SELECT id FROM notes WHERE memory_id = 'm1' ORDER BY emb <=> vec(3, 1e25) LIMIT 5$$) plan;
RESET enable_seqscan; RESET enable_sort;

-- The same by a search. A serializable transaction reads the rows.
SELECT memory_adopt_table('lengths_store', 'notes', '{"entry_id": "id", "memory_id": "memory_id",
  "raw_entry": "raw_entry", "embedding": "emb"}', with_index => false);
SELECT replace(fix, ' CONCURRENTLY', '') AS fix
FROM memory_doctor('lengths_store') WHERE name = 'index of searches' AND status <> 'ok' \gset
DROP INDEX notes_memory;
:fix
SELECT fill(2601, 3000);
CREATE FUNCTION asked(n int, length float8) RETURNS jsonb LANGUAGE sql AS $$
  SELECT memory_search('m1', 'tea', 10, embedding => vec(n * 0.77, length)::real[], store => 'lengths_store',
    options => '{"strategy": "semantic", "fallback": false, "diagnostics": true, "asOf": "2025-06-01T00:00:00Z"}') $$;
CREATE FUNCTION answers() RETURNS TABLE (n int, length float8, path text, entries jsonb) LANGUAGE sql AS $$
  SELECT n, length, answer #>> '{diagnostics,reads,0,path}', answer->'entries'
  FROM generate_series(1, 4) n, unnest(ARRAY[1, 1e25, 1e-25, 3e-20, 2e19]) length, asked(n, length) answer $$;
CREATE TABLE by_index AS SELECT * FROM answers();
BEGIN ISOLATION LEVEL SERIALIZABLE;
CREATE TABLE by_rows AS SELECT * FROM answers();
COMMIT;
SELECT length, i.path, count(*) AS queries, sum(jsonb_array_length(i.entries)) > 0 AS finds,
  count(*) FILTER (WHERE i.entries <> r.entries) AS different
FROM by_index i JOIN by_rows r USING (n, length) GROUP BY length, i.path ORDER BY length;
SELECT name, value FROM pg_index i JOIN pg_class c ON c.oid = indexrelid JOIN pg_am m ON m.oid = relam,
  memory_index_check(indexrelid)
WHERE indrelid = 'notes'::regclass AND amname = 'memory_search' AND name IN ('rows compared', 'documents in segments');
SET client_min_messages = warning;
SELECT memory_drop_store('lengths_store', true);
DROP SCHEMA lengths CASCADE;
