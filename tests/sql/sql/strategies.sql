-- Strategies: the choice of auto, the entries that each finds, and the fallbacks.
SELECT memory_create_store('st', 4);
INSERT INTO st.entries (memory_id, entry_id, raw_entry, embedding, importance, creation_time) VALUES
  ('m', test.id(1), 'the ferry to Sicily', '[1,0,0,0]', 80, '2025-01-01Z'),
  ('m', test.id(2), 'a guitar lesson', '[0,1,0,0]', 20, '2025-01-02Z'),
  ('m', test.id(3), 'a ferry without a vector', NULL, 50, '2025-01-03Z'),
  ('m', test.id(4), 'filing taxes', '[0.9,0.1,0,0]', 49, '2025-01-04Z'),
  ('words', test.id(5), 'no vectors in this memory', NULL, 50, '2025-01-01Z'),
  ('trivia', test.id(6), 'nothing important', NULL, 49, '2025-01-01Z');
CREATE FUNCTION run(memory text, query text, vector text, options jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT test.strategies(r)::text || ' ' || test.found(r)::text
  FROM (SELECT memory_search(memory, query, embedding => vector::memory_embedding, options => options,
            store => 'st')) s(r) $$;

-- auto chooses by the inputs. The model's vectors do not fit this store, so a text alone leads to keyword.
SELECT query, vector, run('m', query, vector, '{}') AS auto
FROM (VALUES
  ('ferry', '[1,0,0,0]'),
  ('ferry', NULL),
  ('', '[1,0,0,0]'),
  ('*', '[1,0,0,0]'),
  ('', NULL),
  ('*', NULL),
  (E' \n\t', NULL),
  (' * ', NULL)
) t(query, vector);
-- Each strategy by name, without fallback.
SELECT strategy, query, vector,
  run('m', query, vector, jsonb_build_object('strategy', strategy, 'fallback', false)) AS found
FROM (VALUES ('hybrid'), ('semantic'), ('keyword'), ('recent')) s(strategy),
  (VALUES ('ferry', '[1,0,0,0]'), ('ferry', NULL), ('', '[1,0,0,0]'), ('', NULL), ('zebra', NULL)) t(query, vector)
ORDER BY strategy, query, vector;
-- With fallback: semantic -> keyword -> recent. The last step returns only entries of importance 50 and more.
SELECT strategy, query, vector, run('m', query, vector, jsonb_build_object('strategy', strategy)) AS found
FROM (VALUES ('hybrid'), ('semantic'), ('keyword'), ('recent')) s(strategy),
  (VALUES ('ferry', NULL), ('', NULL), ('zebra', NULL)) t(query, vector)
ORDER BY strategy, query, vector;
SELECT memory,
  run(memory, 'ferry', '[1,0,0,0]', '{"strategy": "semantic"}') AS semantic,
  run(memory, 'vectors', '[1,0,0,0]', '{"strategy": "semantic"}') AS semantic_by_words,
  run(memory, 'zebra', NULL, '{}') AS auto
FROM (VALUES ('m'), ('words'), ('trivia'), ('unknown')) t(memory);
-- If the caller names recent, it returns all entries.
SELECT run('trivia', 'zebra', NULL, '{"strategy": "recent"}'), run('trivia', '', NULL, '{}');
-- A floor or a filter that leaves nothing is intended by the caller: no fallback.
SELECT run('m', 'ferry', '[1,0,0,0]', '{"minScore": 1}') AS min_score,
  run('m', '', '[0,0,1,0]', '{"minSimilarity": 0.5}') AS min_similarity;
SELECT memory_search('m', 'ferry', embedding => '[1,0,0,0]', filters => '{"userId": "nobody"}',
    store => 'st')->'count' AS filtered;

-- minSimilarity keeps near rows, and rows without a vector whose words match.
SELECT floor, run('m', 'ferry', '[1,0,0,0]', jsonb_build_object('minSimilarity', floor))
FROM (VALUES (-1), (0.5), (0.995), (1)) t(floor);
-- The newest entries do not replace those that are near enough, unless the query asks for nothing.
SELECT run('words', 'zebra', '[1,0,0,0]', '{}') AS without, run('words', 'zebra', '[1,0,0,0]', '{"minSimilarity": 0.5}')
  AS with_floor, run('words', 'zebra', NULL, '{"preset": "alfred"}') AS of_preset,
  run('words', 'vectors', NULL, '{"preset": "alfred", "strategy": "keyword"}') AS other_strategy,
  run('words', '', NULL, '{"preset": "alfred"}') AS of_nothing;
-- minScore cuts by the final score.
SELECT floor,
  run('m', 'ferry', '[1,0,0,0]',
      jsonb_build_object('minScore', floor, 'boosts', '{"recency": 0, "importance": 0, "length": 0}'::jsonb))
FROM (VALUES (0), (0.2), (0.6), (1)) t(floor);
-- recent: newest first; the scores decrease from 1 in equal steps.
SELECT test.n(entry_id), strategy, round(score::numeric, 4) AS score, semantic, keyword, bm25
FROM memory_search_entries('m', '', store => 'st') ORDER BY rank;
-- Weights of 0 and 1 make a hybrid search one of its halves.
SELECT run('m', 'guitar', '[1,0,0,0]',
      '{"weights": {"semantic": 1}, "boosts": {"recency": 0, "importance": 0, "length": 0}}') AS meaning,
  run('m', 'guitar', '[1,0,0,0]',
      '{"weights": {"keyword": 1}, "boosts": {"recency": 0, "importance": 0, "length": 0}}') AS words;
DROP FUNCTION run;
DROP SCHEMA st CASCADE;
