-- memory_embed and the local model.
SELECT vector_dims(v) AS dimensions, round(vector_norm(v)::numeric, 5) AS length
FROM memory_embed('the quick brown fox') v;
SELECT memory_embed('the quick brown fox') = memory_embed('the quick brown fox') AS deterministic,
  memory_embed('a') <> memory_embed('b') AS differs;
SELECT memory_embed(NULL) IS NULL AS null_is_null;
-- Texts with a similar meaning are near each other.
SELECT round((1 - (memory_embed('a small hotel near the beach') <=> memory_embed('a guesthouse by the sea')))::numeric,
      1)
  > round((1 - (memory_embed('a small hotel near the beach') <=> memory_embed('compiler error in line 5')))::numeric,
      1) AS nearer;
-- Every text with at least one character has an embedding of length 1.
SELECT text, round(vector_norm(memory_embed(text))::numeric, 4) AS length
FROM (VALUES ('🧠'), ('記憶'), ('a'), (E'\t'), ('!'), ('<s>'), (E'\x01'), ('ٱلْعَرَبِيَّة'), (E'e\u0301')) t(text);
SELECT round(vector_norm(memory_embed(text))::numeric, 4) AS length
FROM (VALUES (repeat('word ', 100000)), (repeat('x', 5000000)), (repeat('🧠', 100000))) t(text);
SELECT test.error($$SELECT memory_embed('')$$);

-- A store that is made without dimensions has the model's, and its texts are embedded: entries, contexts and queries.
SELECT memory_create_store('em');
SELECT memory_add('m', text, entry_id => test.id(n), creation_time => '2025-01-01Z', store => 'em')
FROM (VALUES
  (1, 'She prefers small guesthouses by the sea.'),
  (2, 'The compiler reports an error in line 5.'),
  (3, 'He is allergic to peanuts.')
) t(n, text);
SELECT count(*) AS embedded FROM em.entries WHERE vector_dims(embedding) = 256;
SELECT memory_put_context('m', 'planning a beach holiday', creation_time => '2025-01-01Z', store => 'em') IS NOT NULL,
  memory_put_context('m', 'debugging', creation_time => '2025-01-02Z', store => 'em') IS NOT NULL;
SELECT test.n(entry_id) AS n, strategy, keyword
FROM memory_search_entries('m', 'a hotel at the ocean', 1, store => 'em');
SELECT test.n(entry_id) AS n FROM memory_search_entries('m', 'food that makes him ill', 1, store => 'em');
SELECT c->>'context' AS context
FROM jsonb_array_elements(memory_search('m', 'vacation', 0, 1, store => 'em')->'contexts') c;
-- The summary and the text are embedded together.
SELECT memory_add('s', 'raw text', summary => 'a summary', entry_id => test.id(1), store => 'em');
SELECT l2_distance(embedding::vector, memory_embed(E'a summary\nraw text')) < 1e-2 AS embedded_together
FROM em.entries WHERE memory_id = 's';
-- The similarity is the similarity of the embeddings, up to half precision.
SELECT count(*), bool_and(abs(semantic - (1 - (memory_embed(raw_entry) <=> memory_embed('hotel')))) < 1e-3) AS equal
FROM memory_search_entries('m', 'hotel', store => 'em');
-- A text whose embedding has no direction is stored without an embedding and found by its words.
SELECT memory_add('e', '', entry_id => test.id(1), store => 'em');
SELECT embedding IS NULL AS none FROM em.entries WHERE memory_id = 'e';
-- A store of another dimension gets no embeddings, and is searched by words.
SELECT memory_create_store('em_3', 3);
SELECT memory_add('m', 'a kite', entry_id => test.id(1), store => 'em_3');
SELECT embedding IS NULL AS none FROM em_3.entries;
SELECT test.strategies(memory_search('m', 'kite', store => 'em_3')) AS strategies;
DROP SCHEMA em, em_3 CASCADE;
