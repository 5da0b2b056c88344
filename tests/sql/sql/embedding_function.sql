-- memory_search.embedding_function: a user's own SQL function embeds instead of the model.
CREATE SCHEMA "Emb";
-- Three dimensions: how many of the letters a, b and c a text has, and a bit, so that any text has a direction.
CREATE FUNCTION "Emb".letters(input text) RETURNS vector LANGUAGE sql STABLE AS $$
  SELECT ARRAY(SELECT length(input) - length(replace(input, letter, '')) + 0.5
               FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c')) t(n, letter)
               ORDER BY n)::real[]::public.vector $$;
CREATE FUNCTION "Emb".two(text) RETURNS vector LANGUAGE sql AS $$ SELECT '[1,2]'::public.vector $$;
CREATE FUNCTION "Emb".halves(text) RETURNS halfvec LANGUAGE sql AS $$ SELECT '[1,2,3]'::public.halfvec $$;
CREATE FUNCTION "Emb".reals(text) RETURNS real[] LANGUAGE sql AS $$ SELECT '{1,2,3}'::real[] $$;
CREATE FUNCTION "Emb".nulls(text) RETURNS vector LANGUAGE sql AS $$ SELECT NULL::public.vector $$;
CREATE FUNCTION "Emb".zeros(text) RETURNS vector LANGUAGE sql AS $$ SELECT '[0,0,0]'::public.vector $$;
CREATE FUNCTION "Emb".nan(text) RETURNS real[] LANGUAGE sql AS $$ SELECT '{1,NaN,3}'::real[] $$;
CREATE FUNCTION "Emb".fails(text) RETURNS vector LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the service is down' USING ERRCODE = '58030', HINT = 'Wait.';
END $$;
CREATE FUNCTION "Emb".words(text) RETURNS text LANGUAGE sql AS $$ SELECT 'words' $$;
CREATE FUNCTION "Emb".numbers(int) RETURNS vector LANGUAGE sql AS $$ SELECT '[1,2,3]'::public.vector $$;

SET memory_search.embedding_function = '"Emb".letters';
SELECT memory_embed('aabc');
SELECT memory_create_store('ef');
SELECT format_type(atttypid, atttypmod)
FROM pg_attribute WHERE attrelid = 'ef.entries'::regclass AND attname = 'embedding';
SELECT memory_add('m', text, entry_id => test.id(n), creation_time => '2025-01-01Z', store => 'ef')
FROM (VALUES (1, 'aaa'), (2, 'bbb'), (3, 'cccab')) t(n, text);
SELECT test.n(entry_id) AS n, embedding FROM ef.entries ORDER BY 1;
SELECT query, test.found(memory_search('m', query, 1, store => 'ef')) FROM (VALUES ('a'), ('bbbbb'), ('cc')) t(query);
SELECT memory_put_context('m', 'bac', store => 'ef') IS NOT NULL;
SELECT embedding FROM ef.contexts;

-- Other results, and no result. A vector of another dimension than the store's is not used.
SELECT name, embed, nullif(add, embed) AS "add, if otherwise", nullif(search, embed) AS "search, if otherwise"
FROM (SELECT name,
        set_config('memory_search.embedding_function', '"Emb".' || name, false),
        test.error($$SELECT memory_embed('x')$$) AS embed,
        test.error($$SELECT memory_add('n', 'x', store => 'ef')$$) AS add,
        test.error($$SELECT memory_search('m', 'aaa', store => 'ef')$$) AS search
      FROM (VALUES
        ('letters'), ('two'), ('halves'), ('reals'), ('nulls'), ('zeros'), ('nan'), ('fails'), ('words'),
        ('numbers'), ('unknown'), ('two; DROP SCHEMA ef'), ('two(text)'), ('"')
      ) t(name)
      OFFSET 0) tried;
SELECT name,
  set_config('memory_search.embedding_function', name, false) IS NOT NULL AS set,
  test.error($$SELECT memory_search('m', 'aaa', store => 'ef')$$) AS search
FROM (VALUES ('two'), ('no.where'), ('pg_catalog.upper'), (' "Emb".two ')) t(name);
SET memory_search.embedding_function = '"Emb".two';
SELECT memory_add('d', 'aaa', entry_id => test.id(1), store => 'ef');
SELECT embedding IS NULL AS none FROM ef.entries WHERE memory_id = 'd';
SELECT test.strategies(memory_search('m', 'aaa', store => 'ef')) AS strategies;
-- If an embedding is given, no function is called, even if the setting names one that fails.
SET memory_search.embedding_function = '"Emb".fails';
SELECT test.found(memory_search('m', '', 1, embedding => '[0,1,0]', store => 'ef'));
RESET memory_search.embedding_function;
SELECT vector_dims(memory_embed('aabc')) AS model_again;

-- The function runs with the caller's own rights: a role that may not call it gets 42501.
CREATE ROLE ef_user;
GRANT USAGE ON SCHEMA "Emb", ef TO ef_user;
GRANT SELECT ON ALL TABLES IN SCHEMA ef TO ef_user;
REVOKE EXECUTE ON FUNCTION "Emb".letters FROM PUBLIC;
SET ROLE ef_user;
SET memory_search.embedding_function = '"Emb".letters';
DO $$
BEGIN
  PERFORM memory_search('m', 'aaa', store => 'ef');
EXCEPTION
  WHEN OTHERS THEN
    RAISE WARNING '% %', SQLSTATE, SQLERRM;
END $$;
RESET ROLE;
RESET memory_search.embedding_function;
DROP OWNED BY ef_user;
DROP ROLE ef_user;
DROP SCHEMA "Emb", ef CASCADE;
