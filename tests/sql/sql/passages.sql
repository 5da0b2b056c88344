-- A text of more than 200 words has an embedding for each passage, and is as near as its nearest one.
SET memory_search.embedding_function = 'test.embed';
SELECT memory_create_store('pa');
CREATE FUNCTION report(detail text) RETURNS text LANGUAGE sql AS $$
  SELECT repeat('The committee met and approved the usual minutes of its last session. ', 15) || detail
    || repeat(' The treasurer reported, and nobody objected to any of the figures.', 15) $$;
SELECT memory_add('m', report('A heron nested under the old bridge.'), entry_id => test.id(1), store => 'pa')
  IS NOT NULL,
  memory_add('m', 'A short note about the weather.', entry_id => test.id(2), store => 'pa') IS NOT NULL;
CREATE FUNCTION passages_of(of_entry int) RETURNS text LANGUAGE sql AS $$
  SELECT format('%s of %s dimensions by %s', cardinality(passage_embeddings),
    (SELECT string_agg(DISTINCT vector_dims(p)::text, ',') FROM unnest(passage_embeddings) p), embedding_model)
  FROM pa.entries WHERE entry_id = test.id(of_entry) $$;
SELECT passages_of(1), passages_of(2);
SELECT indexdef LIKE '%, embedding, passage_embeddings)%' AS is_in_the_index FROM pg_indexes
WHERE schemaname = 'pa' AND indexname = 'entries_memory';

-- Each way of writing makes the same vectors.
CREATE FUNCTION vectors(of_entry int) RETURNS text LANGUAGE sql AS $$
  SELECT md5(concat_ws('/', embedding, passage_embeddings, embedding_model)) FROM pa.entries
  WHERE entry_id = test.id(of_entry) $$;
SELECT memory_add_many('m', jsonb_build_array(
  jsonb_build_object('rawEntry', 'short', 'entryId', test.id(3)),
  jsonb_build_object('rawEntry', report('A heron nested under the old bridge.'), 'entryId', test.id(4)),
  jsonb_build_object('rawEntry', report('Something else.'), 'entryId', test.id(5), 'entryKey', 'k')), store => 'pa')
  IS NOT NULL;
SELECT vectors(4) = vectors(1) AS by_add_many, vectors(5) <> vectors(1) AS another_text;
SELECT memory_update('m', test.id(2), raw_entry => report('A heron nested under the old bridge.'), store => 'pa'),
  vectors(2) = vectors(1) AS by_update;
SELECT memory_update('m', test.id(2), raw_entry => 'Short again.', store => 'pa'), passages_of(2);
-- A summary is embedded with the whole text; passages are the text's own.
SELECT memory_update('m', test.id(4), summary => 'About a heron.', store => 'pa'),
  (SELECT passage_embeddings FROM pa.entries WHERE entry_id = test.id(4))
    = (SELECT passage_embeddings FROM pa.entries WHERE entry_id = test.id(1)) AS are_the_same;
-- An entry with a key: passages without an embedding get one, those of another text get new ones (see passages_kept).
UPDATE pa.entries SET passage_embeddings = passage_embeddings[1:1] WHERE entry_id = test.id(5);
SELECT memory_add('m', report('Something else.'), entry_key => 'k', store => 'pa') = test.id(5) AS same, passages_of(5);
SELECT memory_add('m', report('Another thing.'), entry_key => 'k', store => 'pa') = test.id(5) AS same, passages_of(5);
-- Embedding later: an entry that waits for its embedding gets those of its passages with it.
SET memory_search.embed_on_write = off;
SELECT memory_add('m', report('A heron nested under the old bridge.'), entry_id => test.id(6), store => 'pa')
  IS NOT NULL,
  passages_of(6);
RESET memory_search.embed_on_write;
SELECT memory_embed_pending(store => 'pa'), vectors(6) = vectors(1) AS by_embed_pending;
-- Embeddings of passages that are missing are made again, once, for long texts alone.
UPDATE pa.entries SET passage_embeddings = NULL WHERE entry_id IN (test.id(1), test.id(2), test.id(6));
INSERT INTO pa.entries (memory_id, raw_entry, embedding, embedding_model)
VALUES ('m', repeat('short ', 100), test.vector(600), 'test.embed');
SELECT memory_reembed(store => 'pa') AS nothing, memory_reembed(everything => true, store => 'pa') AS missing,
  memory_reembed(everything => true, store => 'pa') AS again, passages_of(1);
-- A text that the memory already has costs one embedding.
CREATE SEQUENCE calls;
CREATE FUNCTION counted(input text) RETURNS real[] LANGUAGE sql
  AS $$ SELECT test.embed(input) FROM nextval('public.calls') $$;
SET memory_search.embedding_function = 'public.counted';
SELECT setval('calls', 1) AS before, memory_add('m', report('A heron nested under the old bridge.'), if_similar => 0.99,
  store => 'pa') IS NOT NULL AS answered, currval('calls') AS after;
SET memory_search.embedding_function = 'test.embed';
-- Embeddings of passages by the caller: only together with that of the whole text, of its dimensions, not in an update.
SELECT memory_add_many('own', jsonb_build_array(jsonb_build_object('rawEntry', 'a', 'entryId', test.id(7),
  'embedding', test.vector(1), 'passageEmbeddings', jsonb_build_array(test.vector(2), test.vector(3)))), store => 'pa')
  IS NOT NULL;
SELECT passages_of(7),
  embedding = test.vector(1)::halfvec AND passage_embeddings[2] = test.vector(3)::halfvec AS are_given
FROM pa.entries WHERE entry_id = test.id(7);
SELECT test.error(format('SELECT memory_add_many(''own'', %L, store => ''pa'')',
  jsonb_build_array('{"rawEntry": "a"}' || given || jsonb_build_object('passageEmbeddings', passages))))
FROM jsonb_build_object('embedding', test.vector(1)) one, LATERAL (VALUES
  ('{}'::jsonb, '[[1, 2, 3, 4]]'::jsonb), (one, '[[1, 2]]'), (one, '[1, 2]'), (one, '{}'), (one, '[[1, 2, "x", 4]]'),
  (one, '[[0, 0, 0, 0]]')) v (given, passages);
SELECT memory_update('own', test.id(7), embedding => test.vector(5), store => 'pa'), passages_of(7);

-- Vectors that a search does not compare, stored by plain SQL, are left out of an export.
UPDATE pa.entries SET passage_embeddings = ARRAY['[1,0,0,0]', NULL, '[0,0,0,0]', '[1,2]', '[0,1,0,0]']::halfvec[]
WHERE entry_id = test.id(7);
SELECT line->'passageEmbeddings' AS kept FROM memory_export('own', store => 'pa') line;
UPDATE pa.entries SET embedding = NULL WHERE entry_id = test.id(7);
SELECT line->'passageEmbeddings' AS kept FROM memory_export('own', store => 'pa') line;

-- An export has them, and an import brings them back to the last digit, whatever digits the session shows.
CREATE TABLE exported AS SELECT line FROM memory_export('m', store => 'pa') line;
SET extra_float_digits = -15;
SELECT count(line->'passageEmbeddings') > 0 AS has_passages,
  (SELECT jsonb_agg(line) FROM exported) = jsonb_agg(line) AS alike
FROM memory_export('m', store => 'pa') line;
SHOW extra_float_digits;
RESET extra_float_digits;
DROP TABLE exported;
SELECT memory_import('copy', (SELECT jsonb_agg(line) FROM memory_export('m', store => 'pa') line), store => 'pa') > 0
  AS imported;
SELECT count(*) AS entries, count(c.passage_embeddings) AS with_passages,
  count(*) FILTER (WHERE (c.embedding, c.passage_embeddings) IS DISTINCT FROM (e.embedding, e.passage_embeddings))
    AS others
FROM pa.entries e JOIN pa.entries c ON c.memory_id = 'copy' AND c.raw_entry = e.raw_entry
  AND c.summary IS NOT DISTINCT FROM e.summary WHERE e.memory_id = 'm' AND e.entry_id = c.entry_id;
RESET memory_search.embedding_function;

-- A search by meaning finds the detail, and the snippet is the passage with it, though it has no word of the query.
-- This embedder knows two topics, and how much of a text is about something else.
CREATE FUNCTION topics(t text) RETURNS real[] LANGUAGE sql IMMUTABLE AS $$
  SELECT ARRAY[regexp_count(t, 'heron|bird'), regexp_count(t, 'blue|colour'), regexp_count(t, '\w+') / 50.0]::real[] $$;
SET memory_search.embedding_function = 'public.topics';
SELECT memory_create_store('pl');
SELECT memory_add('m', report('A heron nested under the old bridge.'), entry_id => test.id(1), store => 'pl')
  IS NOT NULL,
  memory_add('m', report('The roof was painted blue.'), entry_id => test.id(2), store => 'pl') IS NOT NULL,
  memory_add('m', 'We had soup.', entry_id => test.id(3), store => 'pl') IS NOT NULL;
CREATE FUNCTION best(query text, strategy text DEFAULT 'semantic', characters int DEFAULT 900)
RETURNS TABLE (n bigint, snippet text) LANGUAGE sql AS $$
  SELECT test.n(e->>'entryId'), e->'snippet'->>'text'
  FROM jsonb_array_elements(memory_search('m', query, 1, store => 'pl', options => jsonb_build_object(
    'strategy', strategy, 'snippets', jsonb_build_object('maxCharacters', characters)))->'entries') e $$;
SELECT n, snippet LIKE '…%heron%…' AS shows_it, length(snippet) FROM best('birds');
SELECT n, snippet LIKE '…%blue%…' AS shows_it, length(snippet) FROM best('a colour');
SELECT * FROM best('birds', characters => 60);
-- A passage with a word of the query comes first, wherever it is in the text.
SELECT * FROM best('birds, treasurer', 'hybrid', 60);
SELECT snippet FROM best('treasurer', 'keyword', 60);
SELECT memory_build_context('m', 'birds', store => 'pl', options => '{"strategy": "semantic",
    "snippets": {"maxCharacters": 900}}')
  LIKE '%heron%' AS in_a_prompt;
-- If an application stores passages that it cut in another way, they find the entry, and the beginning is shown.
UPDATE pl.entries SET passage_embeddings = passage_embeddings || passage_embeddings[1] WHERE entry_id = test.id(1);
SELECT * FROM best('birds', characters => 60);
-- A text that is similar to a passage of a long one is another text: it is stored.
SELECT memory_add('m', 'blue ' || repeat('soup ', 60), if_similar => 0.9, store => 'pl') <> test.id(2) AS is_stored,
  memory_add('m', 'blue ' || repeat('soup ', 370), if_similar => 0.9, store => 'pl') = test.id(2) AS is_there;
-- Without an embedding of the whole text, or with one by another embedder, passages do not count.
UPDATE pl.entries SET embedding_model = 'another' WHERE entry_id = test.id(1);
SELECT n FROM best('birds');
UPDATE pl.entries SET embedding_model = 'public.topics', embedding = NULL WHERE entry_id = test.id(1);
SELECT n FROM best('birds');
RESET memory_search.embedding_function;

-- Comparison with an oracle: entries with up to 40 passages, some of which are nearer to the query than other entries.
CREATE FUNCTION v(n int, p int) RETURNS halfvec LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg((hashint4extended(n, p * 100 + g) % 1000)::real)::halfvec FROM generate_series(1, 16) g $$;
SELECT memory_create_store('po', 16);
INSERT INTO po.entries (memory_id, entry_id, raw_entry, embedding, passage_embeddings, creation_time)
SELECT 'm', test.id(n), 'w' || n, v(n, 0), CASE n % 5
  WHEN 0 THEN (SELECT array_agg(v(n, CASE WHEN n % 50 > 0 THEN p ELSE 1 END)) FROM generate_series(1, 1 + n % 40) p)
  WHEN 1 THEN ARRAY[NULL, v(n, 9), '[1,2,3]'] END, timestamptz '2025-01-01Z' + n * interval '1 min'
FROM generate_series(1, 6000) n;
CREATE FUNCTION query(n int) RETURNS halfvec LANGUAGE sql AS $$
  SELECT CASE n % 3 WHEN 0 THEN v(n * 50, 1) WHEN 1 THEN v(n * 5, 2) ELSE v(n, 77) END $$;
CREATE FUNCTION found(n int, memory text DEFAULT 'm') RETURNS bigint[] LANGUAGE sql AS $$
  SELECT array_agg(found ORDER BY found) FROM unnest(test.found(memory_search(memory, '', 10, embedding => query(n),
    store => 'po', options => '{"strategy": "semantic"}'))) found $$;
CREATE FUNCTION oracle(n int, memory text DEFAULT 'm') RETURNS bigint[] LANGUAGE sql AS $$
  SELECT array_agg(test.n(entry_id) ORDER BY test.n(entry_id)) FROM (
    SELECT e.entry_id, least(e.embedding <=> q, (SELECT min(p <=> q)
      FROM unnest(e.passage_embeddings) p WHERE vector_dims(p) = 16)) AS d
    -- OFFSET: computed once, and not for each passage.
    FROM po.entries e, (SELECT query(n) AS q OFFSET 0) q WHERE e.memory_id = memory ORDER BY d LIMIT 10) nearest $$;
CREATE FUNCTION compared() RETURNS TABLE (way text, same bigint, different bigint) LANGUAGE sql AS $$
  SELECT (SELECT memory_search('m', '', embedding => query(1), store => 'po',
      options => '{"strategy": "semantic", "diagnostics": true}') #>> '{diagnostics,reads,0,path}'),
    count(*) FILTER (WHERE is_same), count(*) FILTER (WHERE NOT is_same)
  FROM (SELECT found(n) = oracle(n) AS is_same FROM generate_series(1, 30) n) c $$;
SELECT * FROM compared();
-- A memory in which most entries have no embedding, so that it has fewer vectors than entries.
INSERT INTO po.entries (memory_id, entry_id, raw_entry, embedding, passage_embeddings)
SELECT 'few', test.id(n), 'w' || n, v(n, 0),
  CASE WHEN n % 50 = 0 THEN (SELECT array_agg(x.v) FROM (SELECT v(n, 1) AS v FROM generate_series(1, 9)) x) END
FROM generate_series(5, 3000, 5) n;
INSERT INTO po.entries (memory_id, raw_entry) SELECT 'few', 'none ' || n FROM generate_series(1, 4000) n;
SELECT count(*) FILTER (WHERE is_same) AS same, count(*) FILTER (WHERE NOT is_same) AS different
FROM (SELECT found(n, 'few') = oracle(n, 'few') AS is_same FROM generate_series(1, 30) n) c;
DELETE FROM po.entries WHERE memory_id = 'm' AND test.n(entry_id) % 7 = 0;
VACUUM po.entries;
SELECT * FROM compared();
REINDEX INDEX po.entries_memory;
SELECT * FROM compared();
SELECT count(*) > 0 AS is_sound FROM memory_index_check('po.entries_memory');
SELECT status, detail LIKE '1.00 of %' AS finds_all FROM memory_doctor('po') WHERE name = 'recall of searches';
SET enable_indexscan = off;
SELECT * FROM compared();
RESET enable_indexscan;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM compared();
COMMIT;
SELECT count(*) FILTER (WHERE is_same) AS same, count(*) FILTER (WHERE NOT is_same) AS different
FROM (SELECT found(n, 'few') = oracle(n, 'few') AS is_same FROM generate_series(1, 30) n) c;
-- if_similar compares whole texts only, even if passages are nearer.
SELECT count(*) FILTER (WHERE memory_add('m', 'new', embedding => query(n), if_similar => 0.2, store => 'po')
  = (SELECT entry_id FROM po.entries WHERE memory_id = 'm' ORDER BY embedding <=> query(n) LIMIT 1)) AS same
FROM generate_series(1, 30) n;
-- By words and meaning together, an entry that words find also has the similarity of its nearest passage.
SELECT count(*) FILTER (WHERE by_index = by_rows) AS same, count(*) FILTER (WHERE by_index <> by_rows) AS different
FROM (
  SELECT memory_search('m', 'w' || n || ' w' || n + 5, embedding => query(n), store => 'po') AS by_index,
    set_config('enable_indexscan', 'off', true),
    memory_search('m', 'w' || n || ' w' || n + 5, embedding => query(n), store => 'po') AS by_rows,
    set_config('enable_indexscan', 'on', true)
  FROM generate_series(1, 20) n) both_ways;

-- Plain SQL by the index orders rows by the embeddings of whole texts, each row once.
SET enable_seqscan = off;
SET enable_sort = off;
EXPLAIN (COSTS off) SELECT entry_id FROM po.entries WHERE memory_id = 'm' ORDER BY embedding <=> v(5, 1) LIMIT 10;
CREATE TEMP TABLE by_index AS
  SELECT n, ARRAY(SELECT entry_id FROM po.entries WHERE memory_id = 'm' ORDER BY embedding <=> v(n * 5, 1)) AS ids
  FROM generate_series(1, 5) n;
RESET enable_seqscan;
RESET enable_sort;
SET enable_indexscan = off;
SELECT count(*) AS same FROM by_index
WHERE ids = ARRAY(SELECT entry_id FROM po.entries WHERE memory_id = 'm' ORDER BY embedding <=> v(n * 5, 1));
RESET enable_indexscan;

-- History records no change of columns that are computed from the text. An index takes one column of passages.
SELECT memory_keep_history(store => 'po');
UPDATE po.entries SET passage_embeddings = NULL WHERE entry_id = test.id(5);
SELECT count(*) AS recorded FROM po.history;
CREATE TABLE pages (doc text, embedding vector(3), parts vector(3)[]);
CREATE INDEX ON pages USING memory_search (doc, embedding, parts);
INSERT INTO pages VALUES ('d', '[1,0,0]', ARRAY['[0,1,0]', '[0,0,1]']::vector[]), ('d', NULL, NULL), ('d', NULL, '{}');
SELECT embedding FROM pages WHERE doc = 'd' ORDER BY embedding <=> '[0,1,0]';
CREATE INDEX ON pages USING memory_search (doc, parts, (parts[1:1]));

-- A column of another type is named, as for other columns.
ALTER TABLE pl.entries ALTER passage_embeddings TYPE text USING NULL;
SELECT test.error($$SELECT memory_search('m', 'birds', store => 'pl')$$);
SELECT memory_drop_store('pa', true), memory_drop_store('pl', true), memory_drop_store('po', true);
DROP TABLE pages, by_index;
DROP FUNCTION counted;
DROP SEQUENCE calls;
DROP FUNCTION report, passages_of, vectors, topics, best, compared, oracle, found, query, v;
