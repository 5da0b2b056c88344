-- The latest context of a memory, or of a user; the others by relevance, never the latest among them.
SELECT memory_create_store('lc', 4);
INSERT INTO lc.contexts (memory_id, context_id, user_id, context, embedding, creation_time) VALUES
  ('m', test.id(1), NULL, 'packing for the ferry to Sicily', '[1,0,0,0]', '2025-01-01Z'),
  ('m', test.id(2), 'ana', 'a guitar lesson', '[0,1,0,0]', '2025-01-02Z'),
  ('m', test.id(3), 'bo', 'the ferry was late', '[0.9,0.1,0,0]', '2025-01-03Z'),
  ('m', test.id(4), 'ana', 'tuning the guitar for the ferry party', NULL, '2025-01-04Z'),
  ('m', test.id(5), NULL, 'filing taxes', '[0,0,1,0]', '2025-01-05Z'),
  ('m', test.id(6), 'bo', 'ferry ferry ferry', '[1,0,0,0]', '2025-01-06Z'),
  ('other', test.id(7), 'ana', 'another memory with a ferry', '[1,0,0,0]', '2025-01-09Z');
CREATE FUNCTION contexts(r jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' | ', r->>'latestContext', r->>'latestContextTimestamp',
      (SELECT array_agg(test.n(c->>'contextId') ORDER BY place)::text
       FROM jsonb_array_elements(r->'contexts') WITH ORDINALITY c(c, place))) $$;

-- Without a user, 6 is the latest context of the memory, so it is not among the relevant ones, although it is the best
-- match.
SELECT contexts(memory_search('m', 'ferry', 0, 3, store => 'lc'));
SELECT contexts(memory_search('m', 'ferry', 0, kc, store => 'lc')) FROM generate_series(1, 3) kc;
-- By meaning, by meaning and words, and with an empty query.
SELECT contexts(memory_search('m', '', 0, 2, '[1,0,0,0]', store => 'lc')) AS by_meaning;
SELECT contexts(memory_search('m', 'guitar', 0, 3, '[1,0,0,0]', store => 'lc')) AS by_both;
SELECT contexts(memory_search('m', '', 0, 3, store => 'lc')) AS by_nothing;
SELECT contexts(memory_search('m', 'zebra', 0, 3, store => 'lc')) AS no_word_matches;
-- With a user, the latest and the relevant contexts are this user's.
SELECT who,
  contexts(memory_search('m', 'ferry guitar', 0, 3, '[1,0,0,0]', filters => jsonb_build_object('userId', who),
      store => 'lc'))
FROM (VALUES ('ana'), ('bo'), ('nobody')) t(who);
-- So in every form that says something about the user, also without the memory index.
CREATE VIEW by_users AS
SELECT i, filters, contexts(memory_search('m', 'ferry guitar', 0, 3, '[1,0,0,0]', filters => filters, store => 'lc'))
FROM (VALUES (1, '{"$not": {"userId": "bo"}}'::jsonb), (2, '{"$or": [{"userId": "ana"}, {"userId": "carl"}]}'),
  (3, '{"userId": {"$ne": "ana"}}'), (4, '{"$not": [{"userId": {"$like": "b%"}}, {"tags": "none"}]}'),
  (5, '{"$or": [{"userId": "ana", "tags": "none"}, {"userId": "bo", "importance": {"$gt": 90}}]}'),
  (6, '{"$or": [{"userId": "ana"}, {"tags": "none"}]}'), (7, '{"$not": {"userId": "bo", "tags": "none"}}'))
  t(i, filters);
SELECT * FROM by_users ORDER BY i;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM by_users ORDER BY i;
COMMIT;
DROP VIEW by_users;
-- Other filters and floors apply to entries, not to contexts.
SELECT contexts(memory_search('m', 'ferry', 0, 3, '[1,0,0,0]',
      filters => '{"agentId": "nobody", "minImportance": 99, "tags": "none"}',
      options => '{"minScore": 1, "minSimilarity": 1}', store => 'lc'))
  = contexts(memory_search('m', 'ferry', 0, 3, '[1,0,0,0]', store => 'lc')) AS unfiltered;
-- Scores decrease, stay within 0..1, and are the fused relevance: ranked over the contexts without the latest.
SELECT count(*) AS contexts, bool_and(score BETWEEN 0 AND 1) AS in_range,
  bool_and(score <= before IS NOT FALSE) AS falling
FROM (SELECT score, lag(score) OVER (ORDER BY place) AS before
      FROM jsonb_array_elements(memory_search('m', 'ferry', 0, 3, '[1,0,0,0]',
        store => 'lc')->'contexts') WITH ORDINALITY c(c, place),
        LATERAL (SELECT (c->>'score')::numeric) s(score)) t;
-- Age and boosts have no effect.
SELECT memory_search('m', 'ferry', 0, 3, '[1,0,0,0]', options => '{"boosts": {"recency": 0.9}}',
      store => 'lc')->'contexts'
  = memory_search('m', 'ferry', 0, 3, '[1,0,0,0]', store => 'lc')->'contexts' AS same;

-- If the latest context is deleted, the one before it is the latest.
UPDATE lc.contexts SET deletion_scheduled_time = now() WHERE context_id = test.id(6);
SELECT contexts(memory_search('m', 'ferry', 0, 3, store => 'lc'));
-- A single context is the latest, and there are no others.
SELECT contexts(memory_search('other', 'ferry', 0, 3, '[1,0,0,0]', store => 'lc'));
-- The latest context as of an instant.
SELECT contexts(memory_search('m', 'ferry', 0, 3, options => '{"asOf": "2025-01-03T00:00:00Z"}', store => 'lc'));
SELECT contexts(memory_search('m', 'ferry', 0, 3, options => '{"asOf": "2024-01-03T00:00:00Z"}', store => 'lc'));
-- Two contexts of the same instant: the one with the smaller id.
INSERT INTO lc.contexts (memory_id, context_id, context, creation_time)
SELECT 'tie', test.id(n), 'tied ' || n, '2025-01-01Z'
FROM (VALUES (3), (1), (2)) t(n);
SELECT contexts(memory_search('tie', 'tied', 0, 3, store => 'lc'));
DROP FUNCTION contexts;
DROP SCHEMA lc CASCADE;
