-- The rows of a memory, moved next to each other: a search gives the same bytes, and reads fewer pages.
SELECT memory_create_store('side', 64);
SELECT setseed(0.5);
INSERT INTO side.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
SELECT 'memory ' || n % 60, test.id(n), 'tea ' || n % 7 || repeat(' ' || md5(n::text), 20),
       (SELECT array_agg(random()::real - 0.5) FROM generate_series(1, 64 + n - n)),
       timestamptz '2025-01-01Z' + n * interval '1 hour'
  FROM generate_series(1, 3000) n;
SELECT FROM memory_touch('memory 7',
  (SELECT array_agg(entry_id) FROM side.entries WHERE memory_id = 'memory 7'), store => 'side');
VACUUM ANALYZE side.entries;
CREATE FUNCTION question() RETURNS real[] LANGUAGE sql AS $$
  SELECT array_agg(sin(7 * g)::real ORDER BY g) FROM generate_series(1, 64) g $$;
CREATE FUNCTION answers() RETURNS TABLE (memory text, answer jsonb) LANGUAGE sql AS $$
  SELECT m, memory_search(m, 'tea 3', 10, store => 'side', embedding => question(),
      options => '{"asOf": "2026-01-01T00:00:00Z"}')
    FROM (SELECT 'memory ' || n AS m FROM generate_series(0, 59) n) memories $$;
-- The pages that a search touches, after the first search of the session.
CREATE FUNCTION pages() RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
  EXECUTE $e$ EXPLAIN (ANALYZE, BUFFERS, FORMAT json)
    SELECT memory_search('memory 7', 'tea 3', 10, store => 'side', embedding => question()) $e$ INTO plan;
  RETURN (plan #>> '{0,Plan,Shared Hit Blocks}')::int + (plan #>> '{0,Plan,Shared Read Blocks}')::int;
END $$;
CREATE TABLE before AS SELECT * FROM answers();
SELECT count(*), min(jsonb_array_length(answer -> 'entries')) AS entries FROM before;
SELECT pages() > 0 AS warm;
SELECT pages() AS pages_before \gset
SELECT count(DISTINCT (ctid::text::point)[0]) AS pages_of_rows FROM side.entries WHERE memory_id = 'memory 7';
CLUSTER side.entries USING entries_pkey;
VACUUM ANALYZE side.entries;
SELECT count(DISTINCT (ctid::text::point)[0]) AS pages_of_rows FROM side.entries WHERE memory_id = 'memory 7';
SELECT count(*) FILTER (WHERE a.answer::text <> b.answer::text) AS others FROM answers() a JOIN before b USING (memory);
SELECT pages() > 0 AS warm;
SELECT pages() AS pages_after \gset
-- 50 rows are on 50 pages; after CLUSTER a search reads at most 45 pages in all. Before PostgreSQL 17 each id is
-- looked up by itself.
SELECT :pages_before - :pages_after >= 35 AS fewer, :pages_after <= 45 AS few;
DROP FUNCTION answers, pages, question;
DROP TABLE before;
