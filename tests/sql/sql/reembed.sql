-- memory_reembed makes embeddings that are missing or from another embedder; also in batches, and each batch completely
-- or not at all.
CREATE SCHEMA re_embed;
-- The numbers of the letters a, b and c in a text, each plus 0.5; the second embedder counts them in reverse order. An
-- empty text has no meaning.
CREATE FUNCTION re_embed.first(input text) RETURNS vector LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN input <> ''
        THEN ARRAY(SELECT length(input) - length(replace(input, letter, '')) + 0.5
                   FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c')) t(n, letter)
                   ORDER BY n)::real[]::public.vector END $$;
CREATE FUNCTION re_embed.second(input text) RETURNS vector LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN input <> ''
        THEN ARRAY(SELECT length(input) - length(replace(input, letter, '')) + 0.5
                   FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c')) t(n, letter)
                   ORDER BY n DESC)::real[]::public.vector END $$;
CREATE FUNCTION re_embed.two(text) RETURNS vector LANGUAGE sql AS $$
  SELECT ARRAY[length($1), 1]::real[]::public.vector $$;
SET memory_search.embedding_function = 're_embed.first';
SELECT memory_create_store('re');
SELECT memory_add('m', 'aab', summary => 'ccc', tags => '{t}', importance => 7, entry_id => test.id(1),
    creation_time => '2025-01-01Z', store => 're');
SELECT memory_add('m', 'given', embedding => '[7,8,9]', entry_id => test.id(2), creation_time => '2025-01-02Z',
    store => 're');
INSERT INTO re.entries (memory_id, entry_id, raw_entry, summary, creation_time, deletion_scheduled_time, expires_at)
VALUES
  ('m', test.id(3), 'abc', 'bbb', '2025-01-03Z', NULL, NULL),
  ('m', test.id(4), 'b', NULL, '2025-01-04Z', '2025-02-01Z', NULL),
  ('m', test.id(5), 'c', NULL, '2025-01-05Z', NULL, '2025-02-01Z'),
  ('n', test.id(3), 'cc', NULL, '2025-01-03Z', NULL, NULL);
INSERT INTO re.contexts (memory_id, context_id, context, creation_time)
VALUES ('m', test.id(1), 'ca', '2025-01-01Z'), ('n', test.id(1), 'bb', '2025-01-01Z');
CREATE FUNCTION vectors() RETURNS TABLE (memory_id text, "row" text, embedding halfvec, embedding_model text)
LANGUAGE sql AS $$
  SELECT memory_id, 'entry ' || test.n(entry_id), embedding, embedding_model FROM re.entries
  UNION ALL
  SELECT memory_id, 'context ' || test.n(context_id), embedding, embedding_model FROM re.contexts ORDER BY 1, 2 $$;
SELECT * FROM vectors();

-- Only missing embeddings are made, also those of deleted entries, which may be restored, and of contexts. Then there
-- is nothing to do.
CREATE TABLE before AS
  SELECT to_jsonb(e) - ARRAY['embedding', 'embedding_model'] AS rest
  FROM re.entries e;
SELECT memory_reembed(store => 're') AS missing;
SELECT memory_reembed(store => 're') AS again;
SELECT * FROM vectors();
SELECT count(*) AS equal
FROM re.entries
WHERE embedding = memory_embed(coalesce(summary || E'\n', '') || raw_entry)::halfvec;
SELECT count(*) AS changed_besides
FROM (SELECT to_jsonb(e) - ARRAY['embedding', 'embedding_model'] FROM re.entries e
      EXCEPT SELECT rest FROM before) t;
SELECT test.found(memory_search('m', 'bbbbb', 1, options => '{"strategy": "semantic", "boosts": {"recency": 0}}',
    store => 're')) AS nearest;
-- Another embedder: the embeddings of the first one are made again; those of the caller stay.
SET memory_search.embedding_function = 're_embed.second';
SELECT memory_reembed('n', store => 're') AS one_memory, memory_reembed('nowhere', store => 're') AS no_memory;
SELECT memory_id,
  count(*) FILTER (WHERE embedding_model = 're_embed.first') AS first,
  count(*) FILTER (WHERE embedding_model = 're_embed.second') AS second
FROM vectors() GROUP BY 1 ORDER BY 1;
SELECT memory_reembed(store => 're') AS all_of_them, memory_reembed(store => 're') AS again;
SELECT * FROM vectors();
-- Everything: that, too.
SELECT memory_reembed(everything => true, store => 're') AS the_given_one,
  memory_reembed(everything => true, store => 're') AS again;
SELECT * FROM vectors() WHERE row = 'entry 2';

-- In batches: at most max_rows rows a call, until no row is left, over entries and contexts.
SET memory_search.embedding_function = 're_embed.first';
SELECT call, memory_reembed(max_rows => 3, store => 're') FROM generate_series(1, 4) call;
SELECT memory_reembed('m', max_rows => 1, everything => true, store => 're') AS nothing_left,
  count(*) FILTER (WHERE embedding_model = 're_embed.first') AS first
FROM vectors();
SET memory_search.embedding_function = 're_embed.second';
SELECT memory_reembed('m', max_rows => 2, store => 're') AS two_of_m;
SELECT memory_id, count(*) FILTER (WHERE embedding_model = 're_embed.second') AS second
FROM vectors() GROUP BY 1 ORDER BY 1;
-- More rows than are read at once; some of them mean nothing to the embedder: they count as done, and
-- have no embedding.
INSERT INTO re.entries (memory_id, entry_id, raw_entry)
SELECT 'many', test.id(n), CASE WHEN n % 100 > 3 THEN repeat('a', n % 5) || 'b' ELSE '' END
FROM generate_series(1, 450) n;
SELECT memory_reembed('many', store => 're') AS all_of_them, memory_reembed('many', store => 're') AS again;
SELECT count(*) FILTER (WHERE embedding IS NULL) AS without, count(*) FILTER (WHERE raw_entry = '') AS empty
FROM re.entries WHERE memory_id = 'many';
SELECT memory_reembed('many', everything => true, store => 're') >= 0 AS ran,
  memory_reembed('many', everything => true, store => 're') AS again;
-- Batches go on after such rows, and come to an end.
CREATE FUNCTION until_done(memory text, everything bool, piece int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  FOR attempt IN 1 .. 20 LOOP
    IF memory_reembed(memory, everything, piece, 're') = 0 THEN
      RETURN (SELECT string_agg(format('%s by %s', rows, embedding_model), ', ' ORDER BY embedding_model)
              FROM (SELECT embedding_model, count(*) AS rows
                    FROM re.entries WHERE memory_id = memory AND raw_entry <> '' GROUP BY 1) t);
    END IF;
  END LOOP;
  RETURN 'no end after 20 calls';
END $$;
SET memory_search.embedding_function = 're_embed.first';
SELECT until_done('many', false, 100);
SET memory_search.embedding_function = 're_embed.second';
SELECT until_done('many', true, 100);
INSERT INTO re.entries (memory_id, entry_id, raw_entry)
SELECT 'empty first', test.id(n), CASE WHEN n > 3 THEN 'a' ELSE '' END
FROM generate_series(1, 5) n;
SELECT until_done('empty first', false, 1) AS missing;
SET memory_search.embedding_function = 're_embed.first';
SELECT until_done('empty first', true, 1) AS everything;
SET memory_search.embedding_function = 're_embed.second';
-- An embedding by another embedder is removed if this embedder finds no meaning in the text, because its distances
-- would mean nothing.
UPDATE re.entries
SET embedding = '[1,2,3]', embedding_model = 're_embed.first'
WHERE memory_id = 'many' AND entry_id = test.id(1);
SELECT memory_reembed('many', store => 're') >= 0 AS ran;
SELECT embedding FROM re.entries WHERE memory_id = 'many' AND entry_id = test.id(1);
SELECT memory_reembed(store => 're') >= 0 AS ran;
SELECT status FROM memory_doctor('re') WHERE name = 'one embedder';
DELETE FROM re.entries WHERE memory_id IN ('many', 'empty first');

-- A cancelled call has changed nothing: all of its rows are as before. The next call goes on.
CREATE FUNCTION re_embed.slow(input text) RETURNS vector LANGUAGE plpgsql AS $$
BEGIN
  IF input = 'slow' THEN
    PERFORM pg_sleep(60);
  END IF;
  RETURN re_embed.first(input);
END $$;
INSERT INTO re.entries (memory_id, entry_id, raw_entry)
SELECT 'slow', test.id(n), CASE n WHEN 7 THEN 'slow' ELSE 'a' END
FROM generate_series(1, 10) n;
SET memory_search.embedding_function = 're_embed.slow';
SET statement_timeout = '300ms';
SELECT memory_reembed('slow', store => 're');
\echo :SQLSTATE
SELECT count(*) AS rows, count(embedding) AS embedded, count(embedding_model) AS of_a_model
FROM re.entries WHERE memory_id = 'slow';
-- The embeddings of an earlier batch stay.
RESET statement_timeout;
SELECT memory_reembed('slow', max_rows => 4, store => 're') AS piece;
SET statement_timeout = '300ms';
SELECT memory_reembed('slow', max_rows => 4, store => 're') AS next_piece;
RESET statement_timeout;
SELECT count(*) AS rows, count(embedding) AS embedded FROM re.entries WHERE memory_id = 'slow';
UPDATE re.entries SET raw_entry = 'quick' WHERE raw_entry = 'slow';
SELECT memory_reembed('slow', store => 're') AS the_rest;
SELECT count(*) AS rows, count(embedding) AS embedded FROM re.entries WHERE memory_id = 'slow';
-- They also stay if the embedder begins to fail for every text.
CREATE SEQUENCE re_embed.calls;
CREATE FUNCTION re_embed.fails(input text) RETURNS vector LANGUAGE plpgsql AS $$
BEGIN
  IF nextval('re_embed.calls') > 5 THEN
    RAISE EXCEPTION 'the service is down' USING ERRCODE = '58030';
  END IF;
  RETURN re_embed.second(input);
END $$;
SET memory_search.embedding_function = 're_embed.fails';
SELECT memory_reembed('slow', store => 're');
SELECT embedding_model, count(*), count(embedding_error) AS refused FROM re.entries WHERE memory_id = 'slow' GROUP BY 1;
DELETE FROM re.entries WHERE memory_id = 'slow';

-- An embedder of another dimension is refused; after the hint's statement it works.
SET memory_search.embedding_function = 're_embed.two';
SELECT test.error($$SELECT memory_reembed(store => 're')$$),
  test.error($$SELECT memory_reembed(everything => true, store => 're')$$);
CREATE FUNCTION follow_the_hint() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  hint text;
  change text;
BEGIN
  PERFORM memory_reembed(store => 're');
EXCEPTION
  WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    change := substring(hint FROM 'ALTER TABLE .*USING NULL;');
    EXECUTE change;
    EXECUTE replace(regexp_replace(change, ', ALTER COLUMN passage_embeddings [^,;]*', ''),
    substring(hint FROM 'ALTER TABLE (\S+) '), substring(hint FROM 'likewise the column embedding of (\S+)\.$'));
END $$;
SELECT follow_the_hint();
SELECT memory_reembed(store => 're') AS all_of_them, memory_reembed(store => 're') AS again;
SELECT * FROM vectors();
SELECT test.strategies(answer) AS strategies, test.found(answer) AS found,
  jsonb_array_length(answer->'contexts') AS contexts,
  answer->>'latestContext' AS latest
FROM memory_search('m', 'abc', 1, store => 're') answer;
-- The same if the function keeps its name: a better embedder replaces it.
CREATE OR REPLACE FUNCTION re_embed.two(text) RETURNS vector LANGUAGE sql AS $$
  SELECT ARRAY[length($1), 1, 2]::real[]::public.vector $$;
SELECT follow_the_hint();
SELECT memory_reembed(store => 're') AS all_of_them, memory_reembed(store => 're') AS again;
SELECT count(*) AS rows, count(embedding) AS embedded FROM vectors();
-- The same if plain SQL removed the embeddings.
UPDATE re.entries SET embedding = NULL WHERE memory_id = 'm';
SELECT status FROM memory_doctor('re') WHERE name = 'entries without embedding';
SELECT memory_reembed(store => 're') AS those;
SELECT count(*) AS rows, count(embedding) AS embedded FROM vectors();

-- If no function is set, the local model embeds; without an embedder the call fails.
RESET memory_search.embedding_function;
SELECT memory_create_store('re_local');
INSERT INTO re_local.entries (memory_id, entry_id, raw_entry, summary)
VALUES ('m', test.id(1), 'a cup of green tea', NULL), ('m', test.id(2), 'she took the train', 'a journey');
SELECT memory_reembed(store => 're_local');
SELECT test.n(entry_id) AS n, embedding_model,
  embedding = memory_embed(coalesce(summary || E'\n', '') || raw_entry)::halfvec AS equal
FROM re_local.entries ORDER BY 1;
SELECT test.found(memory_search('m', 'a hot drink', 1, store => 're_local')) AS by_meaning;
SET memory_search.model = '';
SELECT test.error($$SELECT memory_reembed(store => 're_local')$$);
RESET memory_search.model;
SET memory_search.embedding_function = 're_embed.nowhere';
SELECT test.error($$SELECT memory_reembed(store => 're_local')$$);
SET memory_search.embedding_function = 're_embed.first';
-- A column without fixed dimensions takes all of them.
SET memory_search.embedding_function = '';
SET memory_search.model = '';
SELECT memory_create_store('re_any');
RESET memory_search.model;
INSERT INTO re_any.entries (memory_id, entry_id, raw_entry, embedding)
VALUES ('m', test.id(1), 'a', '[1,2,3,4]'), ('m', test.id(2), 'b', NULL);
SET memory_search.embedding_function = 're_embed.first';
SELECT memory_reembed(store => 're_any') AS missing, memory_reembed(everything => true, store => 're_any') AS rest;
SELECT test.n(entry_id) AS n, embedding FROM re_any.entries ORDER BY 1;

SELECT test.error(statement)
FROM (VALUES
  (1, $$SELECT memory_reembed(max_rows => 0, store => 're_any')$$),
  (2, $$SELECT memory_reembed(max_rows => -5, store => 're_any')$$),
  (3, $$SELECT memory_reembed(everything => NULL, store => 're_any')$$),
  (4, $$SELECT memory_reembed('', store => 're_any')$$),
  (5, $$SELECT memory_reembed(store => 'nowhere')$$)
) t(i, statement)
ORDER BY i;
UPDATE re_any.entries SET embedding = NULL;
BEGIN READ ONLY;
SELECT left(test.error($$SELECT memory_reembed(store => 're_any')$$), 5);
ROLLBACK;
CREATE ROLE re_user;
GRANT USAGE ON SCHEMA re_any, re_embed TO re_user;
GRANT SELECT, INSERT, DELETE ON ALL TABLES IN SCHEMA re_any TO re_user;
SET ROLE re_user;
SELECT test.error($$SELECT memory_reembed(store => 're_any')$$);
RESET ROLE;
RESET memory_search.embedding_function;
DROP TABLE before;
DROP FUNCTION vectors, until_done, follow_the_hint;
DROP SCHEMA re, re_local, re_any, re_embed CASCADE;
DROP OWNED BY re_user;
DROP ROLE re_user;
