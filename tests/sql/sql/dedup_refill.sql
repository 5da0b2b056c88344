-- dedupThreshold still gives the requested number of entries, if so many differ: no number of duplicates takes the
-- place of other entries.
SELECT memory_create_store('dr', 4), memory_create_store('dr_wide', 256);
-- 400 equal entries, and 6 others that fit less: by meaning, by words and in time they come after all of the 400.
INSERT INTO dr.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
SELECT 'm', test.id(n), 'tea tea tea', '[1,0,0,0]', timestamptz '2025-02-01Z' + n * interval '1 hour'
FROM generate_series(1, 400) n;
INSERT INTO dr.entries (memory_id, entry_id, raw_entry, embedding, creation_time) VALUES
  ('m', test.id(901), 'a cup of tea in the morning', '[0.7,0.7,0,0]', '2025-01-01Z'),
  ('m', test.id(902), 'a cup of tea at noon', '[0.6,0,0.8,0]', '2025-01-02Z'),
  ('m', test.id(903), 'a cup of tea in the evening', '[0.5,0,0,0.8]', '2025-01-03Z'),
  ('m', test.id(904), 'no tea at all today, but coffee', '[0.4,-0.9,0,0]', '2025-01-04Z'),
  ('m', test.id(905), 'a tea garden somewhere in the hills', '[0.3,0,-0.9,0]', '2025-01-05Z'),
  ('m', test.id(906), 'somebody said tea, and left the room', '[0.2,0,0,-0.9]', '2025-01-06Z');
CREATE FUNCTION found(strategy text, k int, how jsonb DEFAULT '{}', filters jsonb DEFAULT '{}', store text DEFAULT 'dr')
RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(CASE WHEN n <= 400 THEN 'twin' ELSE n::text END, ' ' ORDER BY place) FROM unnest(test.found(
    memory_search('m', 'tea', k, embedding => '[1,0,0,0]', filters => filters, store => found.store, options => how ||
      jsonb_build_object('strategy', strategy, 'dedupThreshold', 0.99,
        'boosts', '{"recency": 0, "importance": 0, "length": 0}'::jsonb))))
    WITH ORDINALITY f(n, place) $$;
-- One twin, then the others, in their order.
SELECT strategy, found(strategy, 5) FROM unnest('{hybrid,keyword,recent,semantic}'::text[]) strategy ORDER BY 1;
-- All of them, and no more: there are seven different ones.
SELECT strategy, found(strategy, 10) FROM unnest('{hybrid,keyword,recent,semantic}'::text[]) strategy ORDER BY 1;
-- The answer does not depend on the number of candidates.
SELECT candidates, strategy, found(strategy, 5, jsonb_build_object('candidates', candidates))
FROM unnest('{5,100,400}'::int[]) candidates, unnest('{hybrid,keyword,recent,semantic}'::text[]) strategy ORDER BY 1, 2;
-- Without the option, the answer has five twins; a search for one entry finds one.
SELECT strategy, found(strategy, 5, '{}') <> 'twin twin twin twin twin' AS fewer_twins, found(strategy, 1) AS one,
  test.found(memory_search('m', 'tea', 5, embedding => '[1,0,0,0]', store => 'dr',
    options => jsonb_build_object('strategy', strategy))) <@ ARRAY(SELECT generate_series(1, 400)::bigint)
    AS all_twins_without
FROM unnest('{hybrid,keyword,recent,semantic}'::text[]) strategy ORDER BY 1;
-- Floors, filters and asOf also apply to the further entries: nothing is found that they exclude.
SELECT found('semantic', 5, '{"minSimilarity": 0.35}') AS floor,
  found('semantic', 5, filters => '{"createdBefore": "2025-01-04T12:00:00Z"}') AS filtered,
  found('recent', 5, '{"asOf": "2025-01-03T12:00:00Z"}') AS as_of, found('hybrid', 5, '{"minScore": 0.99}') AS score;
-- Every row has its outcome: one twin returned, 399 duplicates of that one, the others returned.
SELECT regexp_replace(outcome, '0{8}-[-0-9]*', '...') AS outcome, count(*)
FROM memory_explain('m', 'tea', 7, '[1,0,0,0]',
  options => '{"strategy": "semantic", "dedupThreshold": 0.99}', store => 'dr') GROUP BY 1 ORDER BY 1;
-- Rows and recalls give the same; uses are counted only for returned entries.
SELECT array_agg(CASE WHEN test.n(entry_id) <= 400 THEN 0 ELSE test.n(entry_id) END ORDER BY rank) AS rows
FROM memory_search_entries('m', 'tea', 5, '[1,0,0,0]',
  options => '{"strategy": "semantic", "dedupThreshold": 0.99}', store => 'dr');
SELECT jsonb_array_length(memory_recall('m', 'tea', 5, embedding => '[1,0,0,0]', options => '{"dedupThreshold": 0.99}',
  store => 'dr')->'entries') AS recalled;
SELECT count(*) AS entries, sum(access_count) AS uses FROM dr.entry_access;
-- A memory of twins only: one is returned.
INSERT INTO dr.entries (memory_id, entry_id, raw_entry, embedding) SELECT 'twins', test.id(n), 'tea', '[1,0,0,0]'
FROM generate_series(1, 1500) n;
SELECT strategy, memory_search('twins', 'tea', 5, embedding => '[1,0,0,0]', store => 'dr', options =>
  jsonb_build_object('strategy', strategy, 'dedupThreshold', 0.5))->'count' AS found
FROM unnest('{hybrid,recent}'::text[]) strategy ORDER BY 1;
-- Entries without an embedding are duplicates of no entry.
INSERT INTO dr.entries (memory_id, entry_id, raw_entry) SELECT 'words', test.id(n), 'tea' FROM generate_series(1, 20) n;
SELECT memory_search('words', 'tea', 5, options => '{"dedupThreshold": 0.5}', store => 'dr')->'count' AS found;

-- If estimates choose which exact distances are computed, the index gives the same answer.
INSERT INTO dr_wide.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
SELECT 'm', test.id(CASE WHEN n > 1500 THEN n - 600 ELSE n END), 'tea',
  (SELECT array_agg((CASE WHEN n > 1500 THEN sin(n * g) ELSE sin(g) END)::real ORDER BY g)
    FROM generate_series(1, 256) g), '2025-01-01Z'
FROM (SELECT generate_series(1, 400) UNION ALL SELECT generate_series(1501, 1506)) t(n);
SELECT strategy, r #>> '{diagnostics,reads,0,path}' AS path, jsonb_array_length(r->'entries') AS found,
  (SELECT count(*) FROM unnest(test.found(r)) n WHERE n <= 400) AS twins
FROM unnest('{hybrid,keyword,semantic}'::text[]) strategy, LATERAL (
  SELECT memory_search('m', 'tea', 5, store => 'dr_wide',
  embedding => (SELECT array_agg(sin(g)::real ORDER BY g) FROM generate_series(1, 256) g),
  options => jsonb_build_object('strategy', strategy, 'dedupThreshold', 0.99, 'diagnostics', true)) AS r OFFSET 0) s
ORDER BY 1;
DROP FUNCTION found;
DROP SCHEMA dr, dr_wide CASCADE;
