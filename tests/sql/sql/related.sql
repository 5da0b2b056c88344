-- memory_related: the entries that links lead to, in both directions, the nearest first, and the entries that it leaves
-- out.
SELECT memory_create_store('rel', 4);
SET memory_search.store = 'rel';
SELECT count(memory_add('m', 'entry ' || n, summary => CASE WHEN n = 2 THEN 'the second' END, entry_id => test.id(n),
    embedding => test.vector(n), creation_time => timestamptz '2025-01-01Z' + n * interval '1 hour')) AS added
FROM generate_series(1, 60) n;
CREATE FUNCTION related(n int, depth int DEFAULT 2, kinds text[] DEFAULT NULL, max_entries int DEFAULT 100)
RETURNS TABLE (n bigint, hops int, weight numeric, kind text, via bigint, is_cut bool) LANGUAGE sql STABLE AS $$
  SELECT test.n(entry_id), hops, round(weight::numeric, 4), kind, test.n(via), is_cut
  FROM memory_related('m', test.id(n), depth, kinds, max_entries) $$;

-- A circle 1 - 2 - 3 - 4 - 1 with a tail 3 - 5 - 6 - 7: ends are reached from either side, each once.
SELECT count(memory_link('m', test.id(f), test.id(t), kind, w))
FROM (VALUES (1, 2, 'a', 0.5), (2, 3, 'b', 0.5), (3, 4, 'a', 1), (4, 1, 'a', 0.9), (3, 5, 'c', 1), (6, 5, 'c', 0.8),
             (6, 7, 'c', 1)) l (f, t, kind, w);
SELECT depth, r.* FROM generate_series(1, 4) depth, related(1, depth) r;
-- The best path counts; of equally good paths, the one by the better entry before.
SELECT memory_link('m', test.id(1), test.id(3), 'direct', 0.1);
SELECT * FROM related(1, 2) WHERE n = 3;
SELECT memory_unlink('m', test.id(1), test.id(3));
-- Only links of the given kinds are followed.
SELECT * FROM related(1, 4, '{a}');
SELECT count(*) AS none FROM related(1, 4, '{}');
SELECT entry_id = test.id(2)::text AS is_two, raw_entry, summary, creation_time = '2025-01-01 02:00Z' AS created
FROM memory_related('m', test.id(1), 1) WHERE kind = 'a' AND weight < 0.6;
-- A deleted entry leads nowhere; a superseded entry leads to the entries of its correction.
SELECT memory_delete('m', ARRAY[test.id(5)]);
SELECT max(hops) AS hops, count(*) FROM related(1, 4);
SELECT memory_restore('m', ARRAY[test.id(5)]), memory_supersede('m', test.id(5), test.id(8));
SELECT * FROM related(1, 4) WHERE hops > 2;
SELECT n, hops, via FROM related(8, 1);
SELECT memory_supersede('m', test.id(5), NULL);
-- A link that is no longer valid leads nowhere.
SELECT memory_link('m', test.id(6), test.id(7), 'c', 1, '2020-01-01Z', '2021-01-01Z');
SELECT count(*) FILTER (WHERE n = 7) AS seven FROM related(1, 4);

-- A star: equal entries come newest first. If there are more than requested, the answer is cut and says so.
SELECT count(memory_link('m', test.id(20), test.id(n), weight => 1.0 / (n % 3 + 1))) FROM generate_series(21, 60) n;
SELECT * FROM related(20, 1, max_entries => 4);
SELECT count(*), bool_and(is_cut) AS cut FROM related(20, 1, max_entries => 39);
SELECT count(*), bool_or(is_cut) AS cut FROM related(20, 4, max_entries => 40);
-- The answer has the requested number of entries, and says that there are more.
SELECT count(*), bool_and(is_cut) AS cut FROM related(21, 1, max_entries => 1);
SELECT count(*), bool_and(is_cut) AS cut FROM related(21, 2, max_entries => 1);
-- The answer is the same as a plain recursive query's.
CREATE TABLE random_links AS
  SELECT DISTINCT ON (f, t) 1 + abs(hashint4(i)) % 60 AS f, 1 + abs(hashint4(i + 1000)) % 60 AS t,
    round((abs(hashint4(i + 2000)) % 9 + 1)::numeric / 10, 1)::real AS w
  FROM generate_series(1, 90) i WHERE abs(hashint4(i)) % 60 <> abs(hashint4(i + 1000)) % 60 ORDER BY f, t, w;
SELECT count(memory_add('r', 'r ' || n, entry_id => test.id(n), embedding => test.vector(n),
    creation_time => timestamptz '2025-01-01Z' + n * interval '1 hour')) FROM generate_series(1, 60) n;
SELECT count(memory_link('r', test.id(f), test.id(t), 'k', w)) = count(*) AS made FROM random_links;
CREATE FUNCTION oracle(start int, most int) RETURNS TABLE (n int, hops int, weight float8) LANGUAGE plpgsql AS $$
DECLARE hop int := 0;
BEGIN
  CREATE TEMP TABLE found ON COMMIT DROP AS SELECT start AS n, 0 AS hops, 1::float8 AS weight;
  WHILE hop < most LOOP
    INSERT INTO found
      SELECT e.o, hop + 1, max(d.weight * e.w)
      FROM found d JOIN (SELECT f AS a, t AS o, w FROM random_links UNION ALL SELECT t, f, w FROM random_links) e
        ON e.a = d.n
      WHERE d.hops = hop AND e.o NOT IN (SELECT x.n FROM found x) GROUP BY e.o;
    hop := hop + 1;
  END LOOP;
  RETURN QUERY SELECT d.n, d.hops, d.weight FROM found d WHERE d.hops > 0;
  DROP TABLE found;
END $$;
CREATE FUNCTION of_function(start int, most int) RETURNS TABLE (n int, hops int, weight float8) LANGUAGE sql AS $$
  SELECT test.n(r.entry_id)::int, r.hops, round(r.weight::numeric, 5)::float8
  FROM memory_related('r', test.id(start), most) r $$;
SELECT count(*) AS asked, count(*) FILTER (WHERE NOT same) AS different
FROM generate_series(1, 60) start, generate_series(1, 4) most,
  LATERAL (SELECT NOT EXISTS (
      (SELECT f.n, f.hops, f.weight FROM of_function(start, most) f
        EXCEPT SELECT o.n, o.hops, round(o.weight::numeric, 5)::float8 FROM oracle(start, most) o)
      UNION ALL
      (SELECT o.n, o.hops, round(o.weight::numeric, 5)::float8 FROM oracle(start, most) o
        EXCEPT SELECT f.n, f.hops, f.weight FROM of_function(start, most) f))) s (same);
-- The heaviest links of each hop come first, then the newest.
SELECT count(*) FILTER (WHERE (hops, -weight, -n) < (before_hops, -before_weight, -before_n)) AS out_of_order
FROM (SELECT r.*, lag(hops) OVER w AS before_hops, lag(weight) OVER w AS before_weight, lag(n) OVER w AS before_n
      FROM generate_series(1, 60) start, LATERAL (
        SELECT test.n(entry_id) AS n, hops, weight, place, start
        FROM memory_related('r', test.id(start), 4) WITH ORDINALITY
          x (entry_id, hops, weight, kind, via, raw_entry, summary, creation_time, is_cut, place)) r
      WINDOW w AS (PARTITION BY r.start ORDER BY r.place)) t;
SELECT i, test.error('SELECT ' || call)
FROM (VALUES
  (1, $$memory_related('m', test.id(1), 0)$$),
  (2, $$memory_related('m', test.id(1), 5)$$),
  (3, $$memory_related('m', test.id(1), max_entries => 1001)$$),
  (4, $$memory_related('m', test.id(1), max_entries => NULL)$$),
  (5, $$memory_related('m', NULL::text)$$),
  (6, $$memory_related('m', test.id(99))$$),
  (7, $$memory_related('m', 'x')$$)) t (i, call) ORDER BY i;
SELECT count(*) AS unknown FROM memory_related('m', test.id(99));
RESET memory_search.store;
DROP FUNCTION related, oracle, of_function;
DROP TABLE random_links;
SELECT memory_drop_store('rel', true);
