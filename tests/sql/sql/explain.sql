-- memory_explain takes a search apart: contributions that add up to the score, what became of each candidate, and why
-- an entry, or every entry, is missing.
SELECT memory_create_store('ex', 4);
INSERT INTO ex.entries (memory_id, entry_id, raw_entry, embedding, importance, creation_time)
SELECT 'm', test.id(n), test.words(n, 2 + n % 7), CASE WHEN n % 6 > 0 THEN test.vector(n) END, n * 37 % 101,
  timestamptz '2025-06-01Z' - n * interval '9 hours'
FROM generate_series(1, 150) n;
INSERT INTO ex.entry_access
SELECT 'm', test.id(n), n % 13 * 11, '2025-04-01Z'
FROM generate_series(1, 150) n
WHERE n % 2 = 0;
SET memory_search.max_top_ke = 1000;

-- Every row of every scoring rule: the parts add up; the score is the one that the search gives; the details are its
-- columns; and each part is its weight times its factor, on the scale that the rule gives it.
CREATE FUNCTION taken_apart(options jsonb)
RETURNS TABLE (rows bigint, missing bigint, not_adding_up bigint, other_score bigint, other_details bigint,
  wrong_importance bigint, wrong_recency bigint, wrong_popularity bigint, wrong_keyword bigint)
LANGUAGE sql AS $$
  SELECT count(*),
    count(*) FILTER (WHERE x.score IS NULL OR f.score IS NULL),
    count(*) FILTER (WHERE abs(x.semantic + x.keyword + x.recency + x.importance + x.popularity - x.score) > 1e-9),
    count(*) FILTER (WHERE abs(x.score - f.score) > 1e-9 OR place <> rank),
    count(*) FILTER (WHERE (details#>>'{semantic,cosine}')::float8 IS DISTINCT FROM f.semantic
        OR (details#>>'{keyword,bm25}')::float8 IS DISTINCT FROM f.bm25
        OR (details->>'relevance')::float8 IS DISTINCT FROM relevance
        OR (details#>>'{recency,factor}')::float8 IS DISTINCT FROM recency_factor
        OR (details#>>'{importance,factor}')::float8 IS DISTINCT FROM importance_factor
        OR (details#>>'{popularity,factor}')::float8 IS DISTINCT FROM popularity_factor),
    count(*) FILTER (WHERE abs(x.importance - wi * importance_factor
          * CASE rule WHEN 'scaled' THEN relevance * lift WHEN 'sum' THEN 1 ELSE (1 - wr) * (1 - wp) END) > 1e-9),
    count(*) FILTER (WHERE abs(x.recency - wr * recency_factor
          * CASE rule WHEN 'scaled' THEN relevance * lift WHEN 'sum' THEN 1 ELSE 1 - wp END) > 1e-9),
    count(*) FILTER (WHERE abs(x.popularity - wp * popularity_factor
          * CASE rule WHEN 'scaled' THEN relevance * lift ELSE 1 END) > 1e-9),
    count(*) FILTER (WHERE abs(x.keyword - coalesce(
              (details#>>'{keyword,weight}')::float8 * (details#>>'{keyword,normalised}')::float8, 0)
          * (details->>'scale')::float8 * lift
          * CASE rule WHEN 'scaled' THEN 1 - wi - wr - wp WHEN 'sum' THEN 0.5 ELSE (1 - wi) * (1 - wr) * (1 - wp) END)
        > 1e-9)
  FROM (SELECT *, (details#>>'{importance,weight}')::float8 AS wi, (details#>>'{recency,weight}')::float8 AS wr,
          (details#>>'{popularity,weight}')::float8 AS wp, (details->>'lift')::float8 AS lift,
          CASE options->>'preset'
              WHEN 'alfred' THEN 'sum'
              WHEN 'cortex' THEN 'in turn'
              WHEN 'cortex_boost' THEN 'in turn'
              ELSE 'scaled' END AS rule
        FROM memory_explain('m', 'tea garden violin', 1000, '[0.5,-0.5,0.5,0.5]',
            options => options || '{"asOf": "2025-06-01T00:00:00Z"}', store => 'ex')
        WHERE score IS NOT NULL) x
  FULL JOIN memory_search_entries('m', 'tea garden violin', 1000, '[0.5,-0.5,0.5,0.5]',
      options => options || '{"asOf": "2025-06-01T00:00:00Z"}', store => 'ex') f USING (entry_id) $$;
SELECT o, t.*
FROM (VALUES
  (1, '{}'::jsonb),
  (2, '{"boosts": {"popularity": 0.2}}'),
  (3, '{"fusion": "weighted"}'),
  (4, '{"fusion": "rrf"}'),
  (5, '{"strategy": "keyword"}'),
  (6, '{"strategy": "semantic"}'),
  (7, '{"preset": "alfred", "dedupThreshold": 1}'),
  (8, '{"preset": "alfred", "dedupThreshold": 1, "minSimilarity": -1}')
) o(i, o),
  taken_apart(o) t
ORDER BY i;
-- Here similarities below 0 occur together with matching words: the part by words stays the same.
SELECT o, t.*
FROM (VALUES (1, '{"preset": "cortex"}'::jsonb), (2, '{"preset": "cortex_boost"}')) o(i, o), taken_apart(o) t
ORDER BY i;
-- Computed by hand, in halves: relevance 1 of both signals on the scale of the evidence, importance 0.5 of weight 0.2,
-- age 30 days of 60 linear, weight 0.1.
INSERT INTO ex.entries (memory_id, entry_id, raw_entry, summary, embedding, creation_time) VALUES
  ('hand', test.id(1), 'green tea, and more text than sixty characters: nobody would read it in a table', NULL,
   '[1,0,0,0]', '2025-05-02Z'),
  ('hand', test.id(2), 'nothing', 'A summary', '[0,1,0,0]', '2025-06-01Z');
SELECT place, outcome, round(score::numeric, 4) AS score, round(semantic::numeric, 4) AS semantic,
  round(keyword::numeric, 4) AS keyword, round(recency::numeric, 4) AS recency,
  round(importance::numeric, 4) AS importance, round(popularity::numeric, 4) AS popularity, entry,
  test.n(entry_id) AS n
FROM memory_explain('hand', 'tea', 5, '[1,0,0,0]',
    options => '{"asOf": "2025-06-01T00:00:00Z", "boosts": {"importance": 0.2, "length": 0},
                 "recency": {"curve": "linear", "days": 60}}',
    store => 'ex');

-- The outcome of each candidate.
INSERT INTO ex.entries (memory_id, entry_id, raw_entry, embedding, creation_time) VALUES
  ('fate', test.id(1), 'tea', '[1,0,0,0]', '2025-05-01Z'),
  ('fate', test.id(2), 'tea', '[1,0.01,0,0]', '2025-05-02Z'),
  ('fate', test.id(3), 'tea', '[0.8,0.6,0,0]', '2025-05-03Z'),
  ('fate', test.id(4), 'coffee', '[0.6,0.8,0,0]', '2025-05-04Z'),
  ('fate', test.id(5), 'coffee', '[0.1,1,0,0]', '2025-05-05Z'),
  ('fate', test.id(6), 'coffee', NULL, '2025-05-06Z'),
  ('fate', test.id(7), 'tea', NULL, '2025-05-07Z');
CREATE FUNCTION fates(options jsonb, k int DEFAULT 10, entry bigint DEFAULT NULL)
RETURNS TABLE (place int, n bigint, outcome text, scored bool)
LANGUAGE sql AS $$
  SELECT x.place, test.n(x.entry_id), x.outcome, x.score IS NOT NULL
  FROM memory_explain('fate', 'tea', k, '[1,0,0,0]',
      options => '{"boosts": {"recency": 0, "importance": 0, "length": 0}}' || options,
      entry_id => test.id(entry)::text, store => 'ex') x
  ORDER BY 1, 2 $$;
SELECT * FROM fates('{}', 2);
SELECT * FROM fates('{"dedupThreshold": 0.95}', 2);
SELECT * FROM fates('{"minSimilarity": 0.5}');
SELECT * FROM fates('{"minScore": 0.4}');
SELECT * FROM fates('{"minSimilarity": 0.7, "minScore": 0.7, "dedupThreshold": 0.95}', 1);
SELECT * FROM fates('{"strategy": "semantic", "minSimilarity": 0.5}') WHERE n = 7 OR place IS NULL;
-- The candidates with the outcome "returned" are the entries of the search.
SELECT array_agg(n ORDER BY place) FILTER (WHERE outcome = 'returned') AS explained,
  test.found(memory_search('fate', 'tea', 3, embedding => '[1,0,0,0]',
      options => '{"dedupThreshold": 0.95, "minSimilarity": 0.2,
                   "boosts": {"recency": 0, "importance": 0, "length": 0}}',
      store => 'ex')) AS found
FROM fates('{"dedupThreshold": 0.95, "minSimilarity": 0.2}', 3);
-- One entry alone keeps its place.
SELECT * FROM fates('{"dedupThreshold": 0.95}', 2, 2)
UNION ALL SELECT * FROM fates('{"dedupThreshold": 0.95}', 2, 4)
UNION ALL SELECT * FROM fates('{"candidates": 2}', 2, 5);

-- Why a named entry is missing.
INSERT INTO ex.entries (memory_id, entry_id, raw_entry, embedding, user_id, agent_id, tags, metadata, source_type,
  importance, creation_time, deletion_scheduled_time, expires_at) VALUES
  ('why', test.id(1), 'tea', '[1,0,0,0]', 'ann', 'bot', '{warm}', '{"k": 1}', 'chat', 50, '2025-05-01Z', NULL, NULL),
  ('why', test.id(2), 'tea', '[1,0,0,0]', NULL, NULL, '{}', '{}', NULL, 10, '2025-05-02Z', NULL, NULL),
  ('why', test.id(3), 'tea', '[1,0,0,0]', NULL, NULL, '{}', '{}', NULL, 50, '2025-05-03Z', '2025-05-20Z', NULL),
  ('why', test.id(4), 'tea', '[1,0,0,0]', NULL, NULL, '{}', '{}', NULL, 50, '2025-05-04Z', NULL, '2025-05-20Z'),
  ('why', test.id(5), 'coffee', NULL, NULL, NULL, '{}', '{}', NULL, 50, '2025-05-05Z', NULL, NULL);
INSERT INTO ex.entry_access VALUES ('why', test.id(1), 7, '2025-05-10Z');
CREATE FUNCTION why(entry text, filters jsonb DEFAULT '{}', options jsonb DEFAULT '{}', query text DEFAULT 'tea',
  memory text DEFAULT 'why')
RETURNS text
LANGUAGE sql AS $$
  SELECT string_agg(outcome || CASE WHEN score IS NOT NULL THEN ' with a score' ELSE '' END, '; ')
  FROM memory_explain(memory, query, filters => filters, options => options, entry_id => entry, store => 'ex',
      embedding => '[1,0,0,0]') $$;
SELECT why(test.id(99)::text) AS unknown, why('no uuid') AS no_uuid,
  why(test.id(1)::text, memory => 'hand') AS is_there,
  why(test.id(3)::text, memory => 'hand') AS in_another_memory;
SELECT why(test.id(3)::text) AS deleted, why(test.id(4)::text) AS expired,
  why(test.id(1)::text, options => '{"asOf": "2025-04-30T00:00:00Z"}') AS later,
  why(test.id(5)::text) AS no_signal;
SELECT why(test.id(3)::text, options => '{"asOf": "2025-05-10T00:00:00Z"}') AS not_yet_deleted,
  why(test.id(4)::text, options => '{"asOf": "2025-05-10T00:00:00Z"}') AS not_yet_expired;
SELECT filters, why(test.id(2)::text, filters) AS entry_2, why(test.id(1)::text, filters) AS entry_1
FROM (VALUES
  (1, '{"userId": "ann"}'::jsonb),
  (2, '{"agentId": "bot"}'),
  (3, '{"tags": "warm"}'),
  (4, '{"importance": {"$gte": 20}}'),
  (5, '{"minImportance": 20}'),
  (6, '{"createdBefore": "2025-05-01T12:00:00Z"}'),
  (7, '{"createdAfter": "2025-05-02T12:00:00Z"}'),
  (8, '{"sourceType": "chat"}'),
  (9, '{"accessCount": {"$gt": 6}}'),
  (10, '{"metadata": {"k": 1}}'),
  (11, '{"userId": "ann", "metadata": {"k": 1}, "tags": "warm"}')
) f(i, filters)
ORDER BY i;
SELECT why(test.id(1)::text, options => '{"strategy": "keyword"}', query => 'coffee -tea') AS excluded,
  why(test.id(1)::text, options => '{"strategy": "keyword"}', query => '"green tea"') AS no_phrase,
  why(test.id(2)::text, options => '{"strategy": "semantic", "candidates": 1}', query => '',
      memory => 'hand') AS among_the_candidates;
-- The reason is about this one entry: other entries have an embedding.
SELECT why(test.id(5)::text, query => '') NOT LIKE '%no entry has an embedding%' AS gives_no_wrong_reason;
SELECT why(test.id(1)::text, options => '{"candidates": 5, "strategy": "semantic"}', memory => 'm',
    query => '') AS too_far;
-- A reason is true of this entry: raising the number of candidates helps only if it can find the entry, and an entry
-- with an embedding may hold the words, too, if meaning is not looked for.
SELECT memory_explain.outcome AS none_asked_for
FROM memory_explain('fate', 'tea', 0, '[1,0,0,0]', entry_id => test.id(1)::text, store => 'ex');
INSERT INTO ex.entries (memory_id, entry_id, raw_entry, embedding)
VALUES ('fate', test.id(8), 'milk', '[0,0,0,0]'), ('fate', test.id(9), 'milk', NULL);
SELECT query, strategy, n, why(test.id(n)::text, options => jsonb_build_object('strategy', strategy), query => query,
    memory => 'fate') AS outcome
FROM (VALUES ('tea', 'hybrid', 8), ('tea', 'semantic', 8), ('milk', 'semantic', 8), ('milk', 'semantic', 9),
    ('tea', 'keyword', 8), ('milk', 'hybrid', 8)) t(query, strategy, n);
INSERT INTO ex.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
SELECT 'embedded', test.id(n), CASE WHEN n % 2 = 0 THEN 'word zebra ' ELSE 'word ' END || n, '[1,0,0,0]',
  '2026-01-01Z'::timestamptz + n * interval '1 hour'
FROM generate_series(1, 200) n;
SELECT query, options, n, outcome
FROM (VALUES ('word', '{"strategy": "keyword"}', 1), ('word', '{"strategy": "keyword", "candidates": 300}', 1),
    ('word zebra', '{"strategy": "keyword", "match": "all"}', 1),
    ('word zebra', '{"strategy": "keyword", "match": "all"}', 2), ('milk word', '{"strategy": "keyword"}', 1))
    t(query, options, n),
  memory_explain('embedded', query, 5, entry_id => test.id(n)::text, options => options::jsonb, store => 'ex');
-- An id is a uuid in any notation.
INSERT INTO ex.entries (memory_id, entry_id, raw_entry, embedding)
VALUES ('why', 'abcdefab-0000-0000-0000-000000000000', 'tea', '[1,0,0,0]');
SELECT why('abcdefab-0000-0000-0000-000000000000') AS lower, why('ABCDEFAB-0000-0000-0000-000000000000') AS upper;

-- The reason why nothing is found at all: one row has it.
CREATE FUNCTION nothing(memory text, filters jsonb DEFAULT '{}', query text DEFAULT 'tea', k int DEFAULT 5,
  embedding memory_embedding DEFAULT NULL, options jsonb DEFAULT '{}')
RETURNS TABLE (place int, outcome text, entry_id text, score float8)
LANGUAGE sql AS $$
  SELECT x.place, x.outcome, x.entry_id, x.score
  FROM memory_explain(memory, query, k, embedding, filters, options, store => 'ex') x $$;
SELECT * FROM nothing('empty');
SELECT * FROM nothing('fate', k => 0);
SELECT * FROM nothing('why', '{"userId": "bob"}');
SELECT * FROM nothing('why', '{"userId": "ann", "importance": {"$lt": 20}, "tags": ["cold"]}');
SELECT * FROM nothing('why', query => 'coffee -tea -coffee', options => '{"strategy": "keyword"}');
SELECT * FROM nothing('why', query => 'zebra', options => '{"fallback": false}');
SELECT * FROM nothing('why', query => 'the', options => '{"fallback": false, "strategy": "keyword"}');
INSERT INTO ex.entries (memory_id, entry_id, raw_entry, deletion_scheduled_time)
VALUES ('all deleted', test.id(1), 'tea', now());
SELECT * FROM nothing('all deleted');
INSERT INTO ex.entries (memory_id, entry_id, raw_entry) VALUES ('words only', test.id(1), 'coffee');
SELECT * FROM nothing('words only', embedding => '[1,0,0,0]', options => '{"fallback": false}');
-- A reason must be true: this query has a word, but semantic search does not need one; and here a filter leaves
-- entries that do not have the words.
SELECT outcome LIKE '%no entry has an embedding%' AS says_why,
  outcome NOT LIKE '%no searchable word%' AS gives_no_wrong_reason
FROM nothing('words only', query => 'coffee', embedding => '[1,0,0,0]',
    options => '{"fallback": false, "strategy": "semantic"}');
SELECT outcome LIKE '%signal%' AS says_why
FROM nothing('why', '{"userId": "ann"}', query => 'zebra', options => '{"fallback": false}');
-- An entry without an embedding may hold the words and rank below the best candidates, or hold too few of them.
INSERT INTO ex.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'many', test.id(1000 + n), 'word ' || n, '2026-01-01'::timestamptz + n * interval '1 minute'
FROM generate_series(1, 100) n;
SELECT query, options, outcome FROM (VALUES ('word', '{}'), ('word', '{"candidates": 200}'),
  ('word zebra', '{"match": "all"}'), ('zebra', '{}')) t (query, options),
  memory_explain('many', query, 5, entry_id => test.id(1001)::text, store => 'ex', options => options::jsonb);
DROP FUNCTION taken_apart, fates, why, nothing;
DROP SCHEMA ex CASCADE;
