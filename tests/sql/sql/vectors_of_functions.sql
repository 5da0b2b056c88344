-- Vectors that an SQL function makes are checked and scaled as those of a caller are: one that halfvec cannot hold is
-- stored at length 1, and a null element is refused with the function's name. A text with such a vector does not keep
-- memory_embed_pending from embedding the others.
CREATE FUNCTION made(input text) RETURNS real[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE input
    WHEN 'huge' THEN ARRAY[3e6, 4e6, 0] WHEN 'tiny' THEN ARRAY[3e-12, 4e-12, 0]
    WHEN 'hole' THEN ARRAY[1, NULL, 0] WHEN 'nan' THEN ARRAY[1, 'NaN'::real, 0] ELSE ARRAY[0.6, 0.8, 0] END::real[] $$;
SET memory_search.embedding_function = 'public.made';
SELECT memory_create_store('vf', 3);
SELECT memory_add('m', text, store => 'vf') IS NOT NULL AS added FROM unnest('{plain,huge,tiny}'::text[]) text;
SELECT memory_add_many('many', '[{"rawEntry": "huge"}, {"rawEntry": "tiny"}]', store => 'vf') IS NOT NULL AS added;
SELECT memory_id, raw_entry, (embedding <=> '[0.6,0.8,0]')::numeric(4, 3) AS distance, l2_norm(embedding)::numeric(4, 3)
FROM vf.entries ORDER BY memory_id, raw_entry;
\set ON_ERROR_STOP off
SELECT memory_embed('hole');
\echo :SQLSTATE
SELECT memory_add('m', 'hole', store => 'vf');
SELECT memory_add_many('m', '[{"rawEntry": "plain"}, {"rawEntry": "hole"}]', store => 'vf');
SELECT memory_search('m', 'hole', store => 'vf');
SELECT memory_add_many('m', '[{"rawEntry": "nan"}]', store => 'vf');
\set ON_ERROR_STOP on
-- The same for rows of plain SQL.
INSERT INTO vf.entries (memory_id, entry_id, raw_entry)
SELECT 'p', test.id(n::int), text FROM unnest('{one,huge,hole,two,nan}'::text[]) WITH ORDINALITY t (text, n);
SELECT memory_embed_pending('p', store => 'vf');
SELECT raw_entry, embedding IS NOT NULL AS has_one, embedding_error FROM vf.entries WHERE memory_id = 'p' ORDER BY 1;
RESET memory_search.embedding_function;
SELECT memory_drop_store('vf', true);
DROP FUNCTION made;
