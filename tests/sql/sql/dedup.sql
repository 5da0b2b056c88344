-- dedupThreshold: the best of near duplicates stays, the order is kept, and others move up to fill the answer.
SELECT memory_create_store('dd', 4);
-- Three groups of near twins (similarity in a group over 0.999, across groups at most 0.8), two entries between, three
-- without embedding.
INSERT INTO dd.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
SELECT 'm', test.id(n), 'kite ' || n,
  CASE WHEN n <= 5 THEN format('[1,%s,0,0]', n / 200.0)
      WHEN n <= 9 THEN format('[0.8,0.6,%s,0]', n / 300.0)
      WHEN n <= 12 THEN format('[0.5,0,0.8,%s]', n / 400.0)
      WHEN n = 13 THEN '[0.9,0.3,0.3,0.1]'
      WHEN n = 14 THEN '[0.1,0.2,0.1,0.9]' END::halfvec,
  timestamptz '2025-01-01Z' + n * interval '1 day'
FROM generate_series(1, 17) n;
SET memory_search.max_top_ke = 100;
CREATE FUNCTION found(options jsonb, k int DEFAULT 50, query text DEFAULT '') RETURNS bigint[] LANGUAGE sql AS $$
  SELECT test.found(memory_search('m', query, k, embedding => '[1,0,0,0]',
      options => '{"boosts": {"recency": 0, "importance": 0, "length": 0}}' || options, store => 'dd')) $$;
-- The rule in SQL: from the best entry down, an entry stays if no entry that stays is more similar than the threshold.
CREATE FUNCTION by_rule(threshold float8, k int DEFAULT 50, query text DEFAULT '') RETURNS bigint[]
LANGUAGE plpgsql AS $$
DECLARE
  stays bigint[] := '{}';
  candidate bigint;
BEGIN
  FOREACH candidate IN ARRAY found('{}', 50, query) LOOP
    CONTINUE WHEN EXISTS (SELECT FROM dd.entries a, dd.entries b
                          WHERE a.memory_id = 'm' AND b.memory_id = 'm'
                            AND a.entry_id = test.id(candidate) AND test.n(b.entry_id) = ANY (stays)
                            AND 1 - (a.embedding <=> b.embedding) > threshold);
    stays := stays || candidate;
    EXIT WHEN cardinality(stays) = k;
  END LOOP;
  RETURN stays;
END $$;
SELECT found('{}') AS without;
SELECT threshold,
  found(jsonb_build_object('dedupThreshold', threshold)) AS found,
  found(jsonb_build_object('dedupThreshold', threshold)) = by_rule(threshold) AS as_the_rule
FROM (VALUES (1.0), (0.99995), (0.999), (0.95), (0.85), (0.75), (0.5), (0)) t(threshold)
ORDER BY 1 DESC;
-- The same with words: entries without an embedding take part, and are duplicates of no entry.
SELECT threshold,
  found(jsonb_build_object('dedupThreshold', threshold), query => 'kite')
    = by_rule(threshold, query => 'kite') AS as_the_rule,
  found(jsonb_build_object('dedupThreshold', threshold), query => 'kite') @> '{15,16,17}' AS all_without_embedding
FROM (VALUES (1.0), (0.999), (0.95), (0.85), (0)) t(threshold) ORDER BY 1 DESC;
-- top_ke entries are returned if there are enough: a dropped duplicate makes room, and does not shorten the
-- answer.
SELECT k, found('{}', k) AS without, found('{"dedupThreshold": 0.95}', k) AS found,
  found('{"dedupThreshold": 0.95}', k) = by_rule(0.95, k) AS as_the_rule
FROM (VALUES (1), (2), (3), (4), (10)) t(k) ORDER BY k;
-- If the candidates are set higher, further entries are found behind more twins than the usual number of candidates.
INSERT INTO dd.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
SELECT 'crowd', test.id(n), 'x', '[1,0,0,0]', timestamptz '2025-01-01Z'
FROM generate_series(1, 200) n
UNION ALL
SELECT 'crowd', test.id(200 + n), 'y', format('[0.%s,%s,%s,%s]', n, n % 2, n % 3, n % 5)::halfvec, '2025-01-01Z'
FROM generate_series(1, 4) n;
SELECT memory_search('crowd', '', 5, embedding => '[1,0,0,0]',
    options => '{"dedupThreshold": 0.95, "candidates": 1000}', store => 'dd')->'count' AS five;
-- The better one of two near duplicates stays, the older or the newer one.
SELECT found('{"dedupThreshold": 0.95, "boosts": {"importance": 0.8}}', 1) AS before;
UPDATE dd.entries SET importance = 100 WHERE entry_id = test.id(4);
SELECT found('{"dedupThreshold": 0.95, "boosts": {"importance": 0.8}}', 1) AS after;
UPDATE dd.entries SET importance = 50 WHERE entry_id = test.id(4);
-- Scores and order of the remaining entries are as without the option.
SELECT count(*) AS rows,
  count(*) FILTER (WHERE a.score <> b.score OR a.semantic <> b.semantic) AS changed,
  array_agg(a.rank ORDER BY b.rank) = array_agg(a.rank ORDER BY a.rank) AS same_order
FROM memory_search_entries('m', 'kite', 50, '[1,0,0,0]', store => 'dd', options => '{"asOf": "2025-06-01T00:00:00Z"}') a
JOIN memory_search_entries('m', 'kite', 50, '[1,0,0,0]',
    options => '{"dedupThreshold": 0.95, "asOf": "2025-06-01T00:00:00Z"}', store => 'dd') b USING (entry_id);
-- By words alone and by age alone, the option works as well: the newest of twins stays.
SELECT found('{"strategy": "recent", "dedupThreshold": 0.95}') AS recent,
  found('{"strategy": "recent", "dedupThreshold": 0.95}', 4) AS four_recent,
  found('{"strategy": "keyword", "dedupThreshold": 0.95}', query => 'kite') AS keyword;
-- Two entries with the same text but without embeddings are no near duplicates.
INSERT INTO dd.entries (memory_id, entry_id, raw_entry, creation_time)
VALUES ('text', test.id(1), 'same words', '2025-01-01Z'), ('text', test.id(2), 'same words', '2025-01-02Z');
SELECT test.found(memory_search('text', 'words', options => '{"dedupThreshold": 0.1}', store => 'dd')) AS same_text;
SELECT o, test.error(format('SELECT memory_search(''m'', '''', options => %L, store => ''dd'')', o))
FROM (VALUES
  (1, '{"dedupThreshold": 1.01}'),
  (2, '{"dedupThreshold": -0.1}'),
  (3, '{"dedupThreshold": "high"}')
) t(i, o)
ORDER BY i;
DROP FUNCTION found, by_rule;
DROP SCHEMA dd CASCADE;
