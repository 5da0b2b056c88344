-- memory_explain says which passage of a long text is nearest to the query, and where it is in the text.
CREATE FUNCTION report(detail text) RETURNS text LANGUAGE sql AS $$
  SELECT repeat('Das Komitee prüfte die üblichen Protokolle und nahm sie später an. ', 18) || detail
    || repeat(' Der Kassenwart berichtete, und niemand erhob Einwände gegen die Zahlen.', 18) $$;
-- This embedder knows two topics, and how much of a text is about something else.
CREATE FUNCTION topics(t text) RETURNS real[] LANGUAGE sql IMMUTABLE AS $$
  SELECT ARRAY[regexp_count(t, 'heron|bird'), regexp_count(t, 'blue|colour'), regexp_count(t, '\w+') / 50.0]::real[] $$;
SET memory_search.embedding_function = 'public.topics';
SELECT memory_create_store('px');
SELECT memory_add('m', report('A heron nested there.'), entry_id => test.id(1), store => 'px') IS NOT NULL,
  memory_add('m', report('The roof was blue, a fine colour.'), entry_id => test.id(2), store => 'px') IS NOT NULL,
  memory_add('m', 'One bird sang.', entry_id => test.id(3), store => 'px') IS NOT NULL,
  memory_add('m', repeat('blue ', 60) || report('heron'), entry_id => test.id(4), store => 'px') IS NOT NULL;
CREATE FUNCTION explained(query text, options jsonb DEFAULT '{"strategy": "semantic"}', entry int DEFAULT NULL,
  most int DEFAULT 10)
RETURNS TABLE (n bigint, number int, of_all int, is_the_nearness boolean, detail text, begins text) LANGUAGE sql AS $$
  SELECT test.n(x.entry_id), (p->>'number')::int, (p->>'of')::int,
    round((p->>'cosine')::numeric, 5) = round((details#>>'{semantic,cosine}')::numeric, 5),
    substring(substr(raw_entry, (p#>>'{range,0}')::int + 1, (p#>>'{range,1}')::int - (p#>>'{range,0}')::int)
      FROM 'heron|roof'), p->>'text'
  FROM memory_explain('m', query, most, store => 'px', options => options, entry_id => test.id(entry)::text) x
  LEFT JOIN px.entries e ON e.entry_id::text = x.entry_id, LATERAL (SELECT details#>'{semantic,passage}') l(p)
  ORDER BY x.entry_id $$;
SELECT * FROM explained('birds');
SELECT * FROM explained('a colour');
SELECT * FROM explained('Kassenwart', '{}');
-- The ends of the range are those of the passage.
SELECT substr(raw_entry, range[1] + 1, range[2] - range[1]) ~ '^(Das|Der|A) .*\.$' AS is_of_sentences,
  substr(raw_entry, range[1], 1) AS before, substr(raw_entry, range[2] + 1, 1) AS behind
FROM px.entries e, memory_explain('m', 'birds', store => 'px', entry_id => e.entry_id::text),
  LATERAL (SELECT array_agg(n::int ORDER BY i) FROM jsonb_array_elements_text(details#>'{semantic,passage,range}')
    WITH ORDINALITY r(n, i)) r(range)
WHERE e.entry_id = test.id(1);
-- Only for the entries that are returned, or for the one that is asked for; not if only words are compared.
SELECT count(*) AS rows, count(number) AS with_passage FROM explained('birds', most => 2);
SELECT n, number FROM explained('birds', entry => 2, most => 1);
SELECT count(*) AS rows, count(number) AS with_passage FROM explained('Kassenwart', '{"strategy": "keyword"}');
-- The application's embeddings are of other passages than the text has: only it knows which one the number means.
UPDATE px.entries SET passage_embeddings = passage_embeddings[2:2] WHERE entry_id = test.id(1);
SELECT (details#>'{semantic,passage}') - 'cosine'::text AS passage
FROM memory_explain('m', 'birds', store => 'px', entry_id => test.id(1)::text);
-- No passage is compared: other dimensions, another embedder, no embedding of the whole text.
UPDATE px.entries SET passage_embeddings = ARRAY['[1,0]']::halfvec[] WHERE entry_id = test.id(1);
UPDATE px.entries SET embedding_model = 'another' WHERE entry_id = test.id(2);
UPDATE px.entries SET embedding = NULL WHERE entry_id = test.id(4);
SELECT n, number FROM explained('bird Komitee', '{}');
-- A passage without a direction is near to nothing; among others that have one it is not named.
UPDATE px.entries SET passage_embeddings = ARRAY['[0,0,0]', '[0,0,0]']::halfvec[] WHERE entry_id = test.id(1);
UPDATE px.entries SET embedding_model = 'public.topics', passage_embeddings = ARRAY['[0,0,0]', '[0,0,1]']::halfvec[]
WHERE entry_id = test.id(2);
SELECT n, number, of_all FROM explained('bird Komitee', '{}');
-- Several memories.
SELECT memory_add('n', report('A heron and a bird.'), entry_id => test.id(1), store => 'px') IS NOT NULL;
SELECT memory_id, details#>>'{semantic,passage,number}' AS number
FROM memory_explain(ARRAY['m', 'n'], 'birds', store => 'px', entry_id => test.id(1)::text) ORDER BY 1;
RESET memory_search.embedding_function;
SELECT memory_drop_store('px', true);
DROP FUNCTION report, topics, explained;
