-- memory_update: given values replace the old ones, null leaves them; a new text gets new words and a new embedding.
SET timezone = 'UTC';
CREATE SCHEMA up_embed;
-- The numbers of the letters a, b and c in a text, each plus 0.5.
CREATE FUNCTION up_embed.letters(input text) RETURNS vector LANGUAGE sql STABLE AS $$
  SELECT ARRAY(SELECT length(input) - length(replace(input, letter, '')) + 0.5
               FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c')) t(n, letter)
               ORDER BY n)::real[]::public.vector $$;
CREATE FUNCTION up_embed.two(text) RETURNS vector LANGUAGE sql AS $$ SELECT '[1,2]'::public.vector $$;
CREATE FUNCTION up_embed.none(text) RETURNS vector LANGUAGE sql AS $$ SELECT NULL::public.vector $$;
CREATE FUNCTION up_embed.fails(text) RETURNS vector LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the service is down' USING ERRCODE = '58030';
END $$;
SET memory_search.embedding_function = 'up_embed.letters';
SELECT memory_create_store('up');
SELECT memory_add('m', 'aaa kite', summary => 'a kite', context => 'kites', tags => '{toy,wind}',
    metadata => '{"k": "paper"}', importance => 40, user_id => 'ann', agent_id => 'bot', source_type => 'chat',
    creation_time => '2025-01-01Z', entry_id => test.id(1), store => 'up');
SELECT memory_add('m', 'bbb boat', creation_time => '2025-01-02Z', entry_id => test.id(2), store => 'up');
SELECT memory_add('other', 'aaa kite', creation_time => '2025-01-01Z', entry_id => test.id(1), store => 'up');
SELECT memory_touch('m', ARRAY[test.id(1)], 'up');
CREATE VIEW now AS
  SELECT raw_entry, summary, tags, metadata, importance, source_type, expires_at, embedding,
    embedding_model AS model, context, user_id, agent_id, creation_time,
    (SELECT access_count FROM up.entry_access a WHERE a.entry_id = e.entry_id AND a.memory_id = e.memory_id) AS used,
    test.words_of_entry('english', summary, raw_entry, tags, metadata) AS words
  FROM up.entries e WHERE memory_id = 'm' AND entry_id = test.id(1);
SELECT * FROM now;

-- Each argument alone: only its column, and the columns that are made of it, are new.
CREATE FUNCTION changed(call text) RETURNS TABLE (updated bigint, "column" text, value text) LANGUAGE plpgsql AS $$
DECLARE
  before jsonb;
  after jsonb;
  rows bigint;
BEGIN
  SELECT to_jsonb(e) INTO before FROM up.entries e WHERE memory_id = 'm' AND entry_id = test.id(1);
  EXECUTE 'SELECT ' || call INTO rows;
  SELECT to_jsonb(e) INTO after FROM up.entries e WHERE memory_id = 'm' AND entry_id = test.id(1);
  RETURN QUERY
    SELECT rows, key, after->>key FROM jsonb_object_keys(after) key WHERE after->key <> before->key ORDER BY key;
  IF NOT FOUND THEN
    RETURN QUERY SELECT rows, NULL, NULL;
  END IF;
END $$;
SELECT * FROM changed($$memory_update('m', test.id(1), raw_entry => 'ccc kettle', store => 'up')$$);
SELECT * FROM changed($$memory_update('m', test.id(1), summary => 'about b', store => 'up')$$);
SELECT * FROM changed($$memory_update('m', test.id(1), tags => '{steam,toy}', store => 'up')$$);
SELECT * FROM changed($$memory_update('m', test.id(1), metadata => '{"k": "iron", "n": 7}', store => 'up')$$);
SELECT * FROM changed($$memory_update('m', test.id(1), importance => 0, store => 'up')$$);
SELECT * FROM changed($$memory_update('m', test.id(1), importance => 100, store => 'up')$$);
SELECT * FROM changed($$memory_update('m', test.id(1), embedding => '[1,2,3]', store => 'up')$$);
SELECT * FROM changed($$memory_update('m', test.id(1), source_type => 'email', store => 'up')$$);
SELECT * FROM changed($$memory_update('m', test.id(1), expires_at => '2999-01-01Z', store => 'up')$$);
-- An update with the same values changes nothing, and counts as done. Several columns at once; a null leaves its
-- column.
SELECT * FROM changed($$memory_update('m', test.id(1), source_type => 'email', store => 'up')$$);
SELECT *
FROM changed($$memory_update('m', test.id(1), raw_entry => NULL, summary => NULL, tags => '{}', metadata => '{}',
                   importance => 7, embedding => NULL, source_type => NULL, expires_at => 'infinity', store => 'up')$$);
-- An empty summary is a value: then the embedding is of the text alone.
SELECT * FROM changed($$memory_update('m', test.id(1), summary => '', store => 'up')$$);
SELECT * FROM now;

-- The entry is not found by its old words, but by the new ones; another entry is nearest to the old meaning.
SELECT memory_update('m', test.id(1), 'a violin', 'strings', '{music}', '{"maker": "cremona"}', store => 'up');
CREATE FUNCTION by_words(query text) RETURNS bigint[] LANGUAGE sql
  RETURN test.found(memory_search('m', query, options => '{"strategy": "keyword", "fallback": false}', store => 'up'));
SELECT word, by_words(word)
FROM (VALUES
  (1, 'kettle'), (2, 'kite'), (3, 'toy'), (4, 'steam'), (5, 'iron'), (6, 'violin'), (7, 'strings'),
  (8, 'music'), (9, 'cremona'), (10, 'boat')
) t(i, word)
ORDER BY i;
SELECT memory_update('m', test.id(1), 'ccccc', '', store => 'up');
SELECT letter,
  test.found(memory_search('m', letter, 1,
      options => '{"strategy": "semantic", "boosts": {"recency": 0, "importance": 0, "length": 0}}',
      store => 'up')) AS nearest
FROM (VALUES ('aaaa'), ('bbbb'), ('cccc')) t(letter) ORDER BY 1;
SELECT memory_update('m', test.id(1), 'aaaa', store => 'up');
SELECT letter,
  test.found(memory_search('m', letter, 1,
      options => '{"strategy": "semantic", "boosts": {"recency": 0, "importance": 0, "length": 0}}',
      store => 'up')) AS nearest
FROM (VALUES ('aaaa'), ('bbbb'), ('ccab')) t(letter) ORDER BY 1;
SELECT e->>'rawEntry' AS raw_entry, e->>'importance' AS importance, e->>'accessCount' AS used
FROM jsonb_array_elements(memory_search('m', 'aaaa', 1, store => 'up')->'entries') e;
-- The embedding is that of summary and text as they are now.
SELECT n,
  memory_update('m', test.id(1), raw_entry => text, summary => summary, store => 'up') AS updated,
  (SELECT embedding = memory_embed(coalesce(nullif(e.summary, '') || E'\n', '') || e.raw_entry)::halfvec
   FROM up.entries e WHERE memory_id = 'm' AND entry_id = test.id(1)) AS equal
FROM (VALUES (1, 'cab', 'abc'), (2, 'bb', NULL), (3, NULL, 'cccc'), (4, 'a', '')) t(n, text, summary)
ORDER BY n;
SELECT raw_entry, summary, embedding FROM now;
-- A given embedding is the caller's, also beside new text; new text without one makes it the embedder's again.
SELECT * FROM changed($$memory_update('m', test.id(1), raw_entry => 'bb', embedding => '[9,9,8]', store => 'up')$$);
SELECT * FROM changed($$memory_update('m', test.id(1), raw_entry => 'bc', store => 'up')$$);
SELECT format_type(pg_typeof(given), NULL) AS type, memory_update('m', test.id(1), embedding => given, store => 'up')
FROM (SELECT '[1,2,3]'::vector AS given) t
UNION ALL SELECT 'halfvec', memory_update('m', test.id(1), embedding => '[1,2,4]'::halfvec, store => 'up')
UNION ALL SELECT 'real[]', memory_update('m', test.id(1), embedding => ARRAY[1, 2, 5]::real[], store => 'up');
SELECT embedding, model FROM now;

-- An update of other columns keeps the embedding, byte by byte, with every embedder, and with other values in the row.
SET memory_search.embedding_function = 'up_embed.fails';
CREATE TABLE versions AS
  SELECT xmin::text AS version, to_jsonb(e) - 'tags' AS rest
  FROM up.entries e WHERE memory_id = 'm' AND entry_id = test.id(1);
SELECT memory_update('m', test.id(1), tags => '{new}', store => 'up');
SELECT e.xmin::text <> version AS rewritten,
  to_jsonb(e) - 'tags' = rest AS rest_is_same,
  tags
FROM up.entries e, versions WHERE memory_id = 'm' AND entry_id = test.id(1);
-- If an embedder fails, the call fails, and changes nothing.
SELECT test.error($$SELECT memory_update('m', test.id(1), raw_entry => 'new', tags => '{newer}', store => 'up')$$);
SELECT raw_entry, tags FROM now;
-- If no embedder fits, a warning says that an embedding is lost; the old embedding does not stay with the new text.
SET memory_search.embedding_function = 'up_embed.two';
SELECT memory_update('m', test.id(1), raw_entry => 'a lamp', store => 'up');
SELECT raw_entry, embedding, model, by_words('lamp') FROM now;
SELECT memory_update('m', test.id(1), raw_entry => 'a torch', store => 'up') AS nothing_to_lose;
-- An empty text needs no embedding, so that nothing is said.
SELECT memory_update('m', test.id(1), raw_entry => 'a lantern', embedding => '[1,1,1]', clear => '{summary}',
  store => 'up') AS given, memory_update('m', test.id(1), raw_entry => '', store => 'up') AS emptied;
SELECT raw_entry, embedding FROM now;
SELECT memory_update('m', test.id(1), raw_entry => 'a candle', embedding => '[1,1,1]', store => 'up') AS given;
SELECT raw_entry, embedding, model, by_words('candle') FROM now;
-- A text without meaning for the embedder gets no embedding, either.
SET memory_search.embedding_function = 'up_embed.none';
SET client_min_messages = error;
SELECT memory_update('m', test.id(1), raw_entry => '', store => 'up');
RESET client_min_messages;
SELECT raw_entry, embedding, model FROM now;
SET memory_search.embedding_function = 'up_embed.letters';
SELECT memory_update('m', test.id(1), raw_entry => 'a kite', summary => 'toys', store => 'up') AS back;
SELECT raw_entry, embedding, model FROM now;

-- Impossible updates are refused with the argument's name, and change nothing.
SELECT to_jsonb(e) AS before FROM up.entries e WHERE memory_id = 'm' AND entry_id = test.id(1) \gset
SELECT i, test.error(format('SELECT memory_update(%s, store => ''up'')', arguments))
FROM (VALUES
  (1, $$'m', test.id(1), raw_entry => 'x', embedding => '[1,2]'$$),
  (2, $$'m', test.id(1), embedding => '[1,2,3,4]'$$),
  (3, $$'m', test.id(1), embedding => '[0,0,0]'$$),
  (4, $$'m', test.id(1), embedding => ARRAY[1,'NaN',2]::real[]$$),
  (5, $$'m', test.id(1), importance => -1$$),
  (6, $$'m', test.id(1), importance => 101, raw_entry => 'x'$$),
  (7, $$'m', test.id(1), metadata => '[1]'$$),
  (8, $$'m', test.id(1), metadata => '"text"'$$),
  (9, $$'m', test.id(1), metadata => 'null'$$),
  (10, $$'m', test.id(1), source_type => ''$$),
  (11, $$'m', test.id(1)$$),
  (12, $$'m', test.id(1), raw_entry => NULL$$),
  (13, $$NULL, test.id(1), 'x'$$),
  (14, $$'m', NULL, 'x'$$),
  (15, $$'', test.id(1), 'x'$$)
) t(i, arguments)
ORDER BY i;
SELECT test.error($$SELECT memory_update('m', test.id(1), 'x', store => 'nowhere')$$),
  test.error($$SELECT memory_update('m', 'no uuid', 'x', store => 'up')$$);
SELECT to_jsonb(e) = :'before' AS unchanged FROM up.entries e WHERE memory_id = 'm' AND entry_id = test.id(1);
-- If no such entry exists, or it is deleted, the result is 0, and no embedder is called.
SET memory_search.embedding_function = 'up_embed.fails';
SELECT memory_delete('m', ARRAY[test.id(2)], store => 'up') AS deleted,
  memory_update('m', test.id(2), 'x', store => 'up') AS deleted_entry,
  memory_update('m', test.id(99), 'x', store => 'up') AS unknown,
  memory_update('nowhere', test.id(1), 'x', store => 'up') AS no_memory,
  memory_update('other', test.id(2), 'x', store => 'up') AS in_another_memory;
SET memory_search.embedding_function = 'up_embed.letters';
SELECT memory_restore('m', ARRAY[test.id(2)], store => 'up') AS restored,
  memory_update('m', test.id(2), 'bbb ship', store => 'up') AS updated;
SELECT memory_id, test.n(entry_id) AS n, raw_entry FROM up.entries ORDER BY 1, 2;
-- An expired entry can be given more time; a superseded entry can be changed.
SELECT memory_update('m', test.id(1), expires_at => '2025-01-01Z', store => 'up') AS updated;
SELECT by_words('kite') AS expired;
SELECT memory_update('m', test.id(1), expires_at => now() + interval '1 hour', store => 'up') AS updated;
SELECT by_words('kite') AS alive;
SELECT memory_supersede('m', test.id(2), test.id(1), 'up') AS superseded,
  memory_update('m', test.id(2), 'bbb raft', store => 'up') AS updated;
SELECT by_words('raft') AS hidden, raw_entry, test.n(superseded_by) AS superseded_by
FROM up.entries WHERE memory_id = 'm' AND entry_id = test.id(2);

-- The update belongs to the transaction and its rollback; it needs the right to update.
BEGIN;
SELECT memory_update('m', test.id(1), 'a guitar', store => 'up');
SELECT by_words('guitar') AS guitar, by_words('kite') AS kite;
ROLLBACK;
SELECT by_words('guitar') AS guitar, by_words('kite') AS kite;
BEGIN READ ONLY;
SELECT memory_update('m', test.id(1), 'a guitar', store => 'up');
ROLLBACK;
-- An embedding that the caller gave stays if the texts are given again as they are; another text gets a new one.
SELECT memory_add('given', 'a text', 'its summary', entry_id => test.id(1), store => 'up',
    embedding => (SELECT array_agg(n::real) FROM pg_attribute a, generate_series(1, a.atttypmod) n
      WHERE a.attrelid = 'up.entries'::regclass AND a.attname = 'embedding')) IS NOT NULL AS added;
CREATE TEMPORARY TABLE given AS SELECT embedding FROM up.entries WHERE memory_id = 'given';
SELECT memory_update('given', test.id(1), raw_entry => 'a text', importance => 70, store => 'up'),
  memory_update('given', test.id(1), summary => 'its summary', store => 'up');
SELECT e.importance, e.embedding = g.embedding AS stays, e.embedding_model FROM up.entries e, given g
WHERE memory_id = 'given';
SELECT memory_update('given', test.id(1), raw_entry => 'another text', store => 'up');
SELECT e.embedding = g.embedding AS stays FROM up.entries e, given g WHERE memory_id = 'given';
DROP TABLE given;
CREATE ROLE up_user;
GRANT USAGE ON SCHEMA up, up_embed TO up_user;
GRANT SELECT, INSERT, DELETE ON ALL TABLES IN SCHEMA up TO up_user;
SET ROLE up_user;
SELECT test.error($$SELECT memory_update('m', test.id(1), importance => 1, store => 'up')$$);
RESET ROLE;
GRANT UPDATE (importance) ON up.entries TO up_user;
SET ROLE up_user;
SELECT memory_update('m', test.id(1), importance => 1, store => 'up') AS that_column,
  test.error($$SELECT memory_update('m', test.id(1), importance => 1, tags => '{}', store => 'up')$$) AS another;
RESET ROLE;
RESET memory_search.embedding_function;
DROP VIEW now;
DROP TABLE versions;
DROP FUNCTION changed, by_words;
DROP SCHEMA up, up_embed CASCADE;
DROP OWNED BY up_user;
DROP ROLE up_user;
