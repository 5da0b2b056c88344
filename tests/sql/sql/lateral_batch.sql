-- memory_search_entries joined to a table of queries answers each row like a separate call.
SELECT memory_create_store('lb', 4), memory_create_store('lb_two', 4, 'simple');
INSERT INTO lb.entries (memory_id, entry_id, raw_entry, embedding, user_id, tags, importance, creation_time)
SELECT 'm' || n % 3, test.id(n), test.words(n, 2 + n % 11), CASE WHEN n % 4 > 0 THEN test.vector(n) END,
  'u' || n % 5, ARRAY['t' || n % 2], n % 101,
  timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM generate_series(1, 600) n;
INSERT INTO lb_two.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'm0', test.id(1000 + n), test.words(n, 5), timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM generate_series(1, 100) n;
INSERT INTO lb.entry_access SELECT memory_id, entry_id, 5, '2025-01-20Z' FROM lb.entries WHERE test.n(entry_id) % 3 = 0;
-- 160 queries: other memories, texts, numbers, embeddings, filters, options and stores.
CREATE TABLE queries AS
  SELECT i, 'm' || i % 4 AS memory,
    CASE WHEN i % 9 = 0 THEN '' ELSE test.words(i + 7000, 1 + i % 4) END AS query,
    i % 11 AS k,
    CASE WHEN i % 3 = 0 THEN test.vector(i + 500)::vector::memory_embedding END AS embedding,
    CASE i % 4 WHEN 1 THEN '{"userId": "u2"}'::jsonb WHEN 2 THEN '{"tags": "t1", "minImportance": 40}' END AS filters,
    '{"asOf": "2025-03-01T00:00:00Z"}'::jsonb
      || (ARRAY['{}', '{"strategy": "keyword"}', '{"preset": "cortex"}', '{"boosts": {"popularity": 0.3}}',
          '{"fusion": "rrf"}']::jsonb[])[1 + i % 5] AS options,
    CASE WHEN i % 8 = 7 THEN 'lb_two' ELSE 'lb' END AS store
  FROM generate_series(1, 160) i;
CREATE TABLE single (i int, answer text);
DO $$
DECLARE
  q record;
BEGIN
  FOR q IN SELECT * FROM queries ORDER BY md5(i::text) LOOP
    INSERT INTO single
    SELECT q.i, f::text
    FROM memory_search_entries(q.memory, q.query, q.k, q.embedding, q.filters, q.options, q.store) f;
  END LOOP;
END $$;
CREATE FUNCTION compared() RETURNS TABLE (rows bigint, queries bigint, only_single bigint, only_joined bigint)
LANGUAGE sql AS $$
  WITH joined AS (SELECT q.i, f::text AS answer
                  FROM queries q,
                    LATERAL memory_search_entries(q.memory, q.query, q.k, q.embedding, q.filters, q.options, q.store) f)
  SELECT (SELECT count(*) FROM joined), (SELECT count(DISTINCT i) FROM joined),
    (SELECT count(*) FROM (SELECT * FROM single EXCEPT ALL SELECT * FROM joined) t),
    (SELECT count(*) FROM (SELECT * FROM joined EXCEPT ALL SELECT * FROM single) t) $$;
SELECT count(*) AS rows, count(DISTINCT answer) > 500 AS they_differ FROM single;
SELECT only_single, only_joined, rows = (SELECT count(*) FROM single) AS as_many FROM compared();
-- The same with other plans: the rows may come in another order, and no plan needs to be kept.
SET enable_nestloop = off;
SET plan_cache_mode = force_generic_plan;
SELECT only_single, only_joined FROM compared();
SET plan_cache_mode = force_custom_plan;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT only_single, only_joined FROM compared();
RESET enable_nestloop;
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET plan_cache_mode;
-- The ranks of each query are 1, 2, 3, and its scores decrease.
SELECT count(*) AS queries,
  count(*) FILTER (WHERE ranks <> (SELECT array_agg(n) FROM generate_series(1, cardinality(ranks)) n)) AS gaps,
  count(*) FILTER (WHERE rising) AS rising
FROM (SELECT i, array_agg(rank ORDER BY rank) AS ranks, bool_or(score > before) AS rising
      FROM (SELECT q.i, f.rank, f.score, lag(f.score) OVER (PARTITION BY q.i ORDER BY f.rank) AS before
            FROM queries q,
              LATERAL memory_search_entries(q.memory, q.query, q.k, q.embedding, q.filters, q.options, q.store) f) t
      GROUP BY i) t;
-- LEFT JOIN keeps a query without an answer; a row with NULL is refused.
SELECT q.query, f.rank,
  test.n(f.entry_id)
    = (SELECT b.n
       FROM test.bm25('lb', q.memory, q.query) b
       ORDER BY round(b.bm25::numeric, 6) DESC, b.n DESC LIMIT 1) AS is_the_best
FROM (VALUES (1, 'm1', 'tea'), (2, 'nowhere', 'tea'), (3, 'm2', 'lantern')) q(i, memory, query)
LEFT JOIN LATERAL memory_search_entries(q.memory, q.query, 1,
    options => '{"strategy": "keyword", "boosts": {"recency": 0, "importance": 0, "length": 0}}',
    store => 'lb') f ON true
ORDER BY q.i;
SELECT test.error($$SELECT *
                    FROM (VALUES ('m1', 'tea'), ('m1', NULL)) q(memory, query),
                      LATERAL memory_search_entries(q.memory, q.query, 1, store => 'lb') f$$);
-- A view joins the found entries of each row to the table; a scalar subquery searches for each row.
CREATE VIEW best AS
  SELECT q.i, e.importance, f.importance AS told, e.raw_entry = f.raw_entry AS same_text
  FROM queries q, LATERAL memory_search_entries(q.memory, q.query, 1, q.embedding, q.filters, q.options, 'lb') f
  JOIN lb.entries e ON e.memory_id = f.memory_id AND e.entry_id = f.entry_id::uuid;
SELECT count(*) > 50 AS many, count(*) FILTER (WHERE importance <> told OR NOT same_text) AS off FROM best;
SELECT count(*) AS queries,
  count(*) FILTER (WHERE test.found(memory_search(memory, query, k, 1, embedding, filters, options,
        store)) IS DISTINCT FROM coalesce(
        (SELECT array_agg(test.n(f.entry_id) ORDER BY f.rank)
         FROM memory_search_entries(memory, query, k, embedding, filters, options, store) f),
        '{}')) AS off
FROM queries;
DROP VIEW best;
DROP TABLE queries, single;
DROP FUNCTION compared;
DROP SCHEMA lb, lb_two CASCADE;
