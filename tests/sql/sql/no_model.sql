-- Without a model everything works by words; embeddings come from the caller.
SET memory_search.model = '';
SELECT test.error($$SELECT memory_embed('kite')$$);
-- Without a dimension the column takes any.
SELECT memory_create_store('nm');
SELECT format_type(atttypid, atttypmod)
FROM pg_attribute WHERE attrelid = 'nm.entries'::regclass AND attname = 'embedding';
SELECT memory_add('m', 'a red kite', context => 'kites', entry_id => test.id(1), creation_time => '2025-01-01Z',
    store => 'nm');
SELECT memory_add('m', 'a blue kite', embedding => '[1,0,0]', entry_id => test.id(2), creation_time => '2025-01-02Z',
    store => 'nm');
SELECT memory_add('m', 'a cup of tea', embedding => '[1,0]', entry_id => test.id(3), creation_time => '2025-01-03Z',
    store => 'nm');
SELECT test.n(entry_id) AS n, embedding FROM nm.entries ORDER BY 1;
SELECT test.strategies(r) AS strategies, test.found(r) AS found FROM memory_search('m', 'kite', store => 'nm') r;
-- Vectors are compared with vectors of their own dimension.
SELECT v, test.strategies(r) AS strategies, test.found(r) AS found
FROM (VALUES ('[1,0.5,0]'), ('[0,1]'), ('[1]')) t(v),
  LATERAL memory_search('m', '', embedding => v::memory_embedding, store => 'nm') r;
SELECT test.strategies(r) AS strategies, test.found(r) AS found
FROM memory_search('m', 'tea', embedding => '[1,0.5,0]', store => 'nm', options => '{"boosts": {"recency": 0}}') r;
SELECT memory_create_store('nm_3', 3);
SELECT memory_add('m', 'a kite', entry_id => test.id(1), store => 'nm_3');
SELECT test.found(memory_search('m', 'kite', store => 'nm_3'));
RESET memory_search.model;

-- When the model is back, new text is embedded; the old rows stay as they are.
SELECT memory_add('m', 'a green kite', entry_id => test.id(4), creation_time => '2025-01-04Z', store => 'nm');
SELECT test.n(entry_id) AS n, vector_dims(embedding) AS dimensions FROM nm.entries ORDER BY 1;
SELECT test.strategies(r) AS strategies, (SELECT array_agg(n ORDER BY n) FROM unnest(test.found(r)) n) AS found
FROM memory_search('m', 'kite', store => 'nm') r;

-- If a model is missing or damaged, memory_embed says so, and searches continue by words.
SET memory_search.model = 'no-such-model';
-- Each folder is named once; their number depends on the server.
SELECT regexp_replace(regexp_replace(test.error($$SELECT memory_embed('kite')$$), '"/[^"]*/', '"/.../', 'g'),
  '(, nor "/.../no-such-model")+', ', nor others');
SELECT count(*) > 1 AS some, count(*) = count(DISTINCT folder) AS each_once
FROM regexp_matches(test.error($$SELECT memory_embed('kite')$$), '"/[^"]*"', 'g') folder;
SELECT test.strategies(memory_search('m', 'kite', store => 'nm')) AS strategies;
SET memory_search.model = '/';
SELECT regexp_replace(test.error($$SELECT memory_embed('kite')$$), '\(os error \d+\)', '(...)');
RESET memory_search.model;
SELECT vector_dims(memory_embed('kite')) AS back;
DROP SCHEMA nm, nm_3 CASCADE;
