-- A store whose searches show every field of an answer, and in which each option makes a difference.
CREATE EXTENSION memory_search CASCADE;
SELECT memory_create_store('reference', dimensions => 128);

CREATE FUNCTION public.direction(n int) RETURNS real[] LANGUAGE sql IMMUTABLE
RETURN (SELECT array_agg(sin(n * d / 20.0) ORDER BY d)::real[] FROM generate_series(1, 128) d);

INSERT INTO reference.entries
  (memory_id, entry_id, raw_entry, user_id, tags, importance, creation_time, embedding, embedding_model)
SELECT 'm', lpad(n::text, 32, '0')::uuid, texts[1 + n % 4] || ' ' || n, (ARRAY['ann', 'ben'])[1 + n / 5 % 2],
       ARRAY['all', (ARRAY['odd', 'even'])[1 + n % 2]],
       n % 101, timestamptz '2025-01-01Z' + n * interval '1 day', public.direction(n % 40)::halfvec,
       -- Some embeddings are by another embedder than the query's; a search reads these and does not compare them.
       CASE WHEN n % 10 = 0 THEN 'another' END
  FROM generate_series(1, 400) n,
       LATERAL (SELECT ARRAY['green tea with milk', 'black tea', 'green paint', 'a train to Lisbon']) w (texts);
-- They have intervals of validity.
UPDATE reference.entries SET valid_from = '2024-01-01Z', valid_until = '2999-01-01Z' WHERE importance < 100;
-- They have entities.
UPDATE reference.entries SET entities = ARRAY['Ann'] WHERE importance < 100;
-- Each has a link to another one.
INSERT INTO reference.links (memory_id, from_entry, to_entry, kind)
SELECT 'm', lpad(n::text, 32, '0')::uuid, lpad((1 + (n * 7) % 400)::text, 32, '0')::uuid, 'see'
  FROM generate_series(1, 400) n WHERE n <> 1 + (n * 7) % 400;
INSERT INTO reference.entry_access (memory_id, entry_id, access_count, last_accessed_at, helpful, unhelpful)
SELECT memory_id, entry_id, n, timestamptz '2025-01-01Z' + n * interval '1 hour', n % 4, n % 5
  FROM (SELECT memory_id, entry_id, row_number() OVER (ORDER BY entry_id) AS n FROM reference.entries) e
 WHERE n % 3 = 0;
-- A correction before the instant that searches are about.
INSERT INTO reference.entries (memory_id, raw_entry, creation_time, superseded_by, superseded_time)
VALUES ('m', 'a yellow submarine', '2025-01-01Z', lpad('9', 32, '0')::uuid, '2025-02-01Z');
INSERT INTO reference.contexts (memory_id, context, creation_time)
VALUES ('m', 'Tea is being bought.', '2025-02-01Z'), ('m', 'Green is the colour.', '2025-03-01Z'),
       ('m', 'A train is taken.', '2025-04-01Z');

-- Queries get an embedding without a model.
CREATE FUNCTION public.embed_question(text) RETURNS real[] LANGUAGE sql IMMUTABLE RETURN public.direction(7);
ALTER DATABASE reference SET memory_search.embedding_function = 'public.embed_question';
-- A reranker, so that an answer has the field that only a reranker adds.
CREATE FUNCTION reference.rerank(query text, entries text[]) RETURNS real[] LANGUAGE sql STABLE AS
  $$ SELECT array_fill(0.5::real, ARRAY[cardinality(entries)]) $$;
