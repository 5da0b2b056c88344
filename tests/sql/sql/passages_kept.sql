-- An entry whose text stays the same keeps the embeddings of its passages: the embedder is asked for the whole text
-- alone. Where they are of another text or by another embedder, or not all there, they are made anew.
CREATE FUNCTION report(detail text) RETURNS text LANGUAGE sql AS $$
  SELECT repeat('The committee met and approved the usual minutes of its last session. ', 15) || detail
    || repeat(' The treasurer reported, and nobody objected to any of the figures.', 15) $$;
CREATE SEQUENCE calls;
CREATE FUNCTION counted(input text) RETURNS real[] LANGUAGE sql
  AS $$ SELECT test.embed(input) FROM nextval('public.calls') $$;
CREATE FUNCTION another(input text) RETURNS real[] LANGUAGE sql
  AS $$ SELECT test.embed(input || '!') FROM nextval('public.calls') $$;
SET memory_search.embedding_function = 'public.counted';
SELECT memory_create_store('kp');
-- The calls of the embedder in a statement, and what it makes of an entry: marks in place of the embeddings of passages
-- show whether these are kept; an entry with the same texts, stored for the first time, shows what they should be.
CREATE FUNCTION asked(call text, before text DEFAULT NULL)
RETURNS TABLE (calls bigint, passages text, whole text, model text) LANGUAGE plpgsql AS $$
DECLARE
  marks halfvec[] := ARRAY[test.vector(901)::halfvec, test.vector(902)::halfvec, test.vector(903)::halfvec];
  fresh uuid;
BEGIN
  UPDATE kp.entries SET passage_embeddings = marks WHERE entry_key = 'k' AND cardinality(passage_embeddings) = 3;
  EXECUTE coalesce(before, 'SELECT');
  PERFORM setval('public.calls', 1);
  EXECUTE call;
  SELECT last_value - 1 INTO calls FROM public.calls;
  SET LOCAL memory_search.embed_on_write = on;
  SELECT memory_add('fresh', raw_entry, summary => summary, store => 'kp') INTO STRICT fresh
  FROM kp.entries WHERE entry_key = 'k';
  SELECT CASE WHEN e.passage_embeddings IS NULL THEN 'none' WHEN e.passage_embeddings = marks THEN 'kept'
      WHEN e.passage_embeddings = f.passage_embeddings THEN 'right' ELSE 'other' END,
    CASE e.embedding WHEN f.embedding THEN 'right' ELSE 'other' END, e.embedding_model
  INTO STRICT passages, whole, model
  FROM kp.entries e, kp.entries f WHERE e.entry_key = 'k' AND f.entry_id = fresh;
  RETURN NEXT;
END $$;
CREATE FUNCTION stored(raw_entry text, more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT format('SELECT memory_add_many(''m'', %L, store => ''kp'')',
    jsonb_build_array(jsonb_build_object('rawEntry', raw_entry, 'entryKey', 'k') || more)) $$;
CREATE FUNCTION added(raw_entry text, more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
  SELECT format('SELECT memory_add(''m'', %L, entry_key => ''k'', store => ''kp''%s)', raw_entry, more) $$;
CREATE FUNCTION changed(arguments text) RETURNS text LANGUAGE sql AS $$
  SELECT format('SELECT memory_update(''m'', (SELECT entry_id FROM kp.entries WHERE entry_key = ''k''), store => ''kp'',
    %s)', arguments) $$;

-- The same text.
SELECT * FROM asked(added(report('One.')));
SELECT * FROM asked(added(report('One.')));
SELECT * FROM asked(added(report('One.'), ', tags => ''{t}'', if_similar => 0.9'));
SELECT * FROM asked(stored(report('One.')));
SELECT * FROM asked(changed(format('raw_entry => %L', report('One.'))));
SELECT * FROM asked(changed('importance => 70'));
-- Another summary, which is only a part of the whole text.
SELECT * FROM asked(changed('summary => ''In short'''));
SELECT * FROM asked(added(report('One.'), ', summary => ''Shorter'''));
SELECT * FROM asked(stored(report('One.'), '{"summary": "In a word"}'));
SELECT * FROM asked(changed('clear => ''{summary}'''));
-- Another text.
SELECT * FROM asked(added(report('Number two.')));
SELECT * FROM asked(stored(report('The third one.')));
SELECT * FROM asked(changed(format('raw_entry => %L', report('The fourth one of them.'))));
-- Some embeddings of passages are missing, or there are others than the model makes.
CREATE FUNCTION with_passages(passages text) RETURNS text LANGUAGE sql AS $$
  SELECT format('UPDATE kp.entries SET passage_embeddings = %s, raw_entry = %L, summary = NULL WHERE entry_key = ''k''',
    passages, report('Five.')) || '; ' || 'UPDATE kp.entries SET embedding = test.embed(raw_entry)::halfvec' $$;
SELECT way, there.v, a.* FROM (VALUES (1, 'memory_add', added(report('Five.'))),
    (2, 'memory_add_many', stored(report('Five.'))),
    (3, 'memory_update', changed('summary => ''Five'''))) w (n, way, call),
  (VALUES (1, 'passage_embeddings'), (2, 'NULL'), (3, '''{}'''), (4, 'passage_embeddings[:2]'),
    (5, 'passage_embeddings || passage_embeddings[1]'), (6, 'passage_embeddings[:2] || ''[1,2]''::halfvec'),
    (7, 'passage_embeddings[:2] || ARRAY[NULL::halfvec]')) there (n, v),
  asked(call, with_passages(there.v)) a
ORDER BY w.n, there.n;
-- The embedding of the whole text is missing, to which those of passages belong.
SELECT way, a.* FROM (VALUES (1, 'memory_add', added(report('Five.'))), (2, 'memory_add_many', stored(report('Five.'))),
    (3, 'memory_update', changed('summary => ''None'''))) w (n, way, call),
  asked(call, 'UPDATE kp.entries SET embedding = NULL WHERE entry_key = ''k''') a
ORDER BY w.n;
-- A short text has no passages, even if plain SQL has left some in its row.
SELECT memory_add('m', report('Long at first.'), entry_key => 'b', store => 'kp') IS NOT NULL;
UPDATE kp.entries SET raw_entry = 'brief' WHERE entry_key = 'b';
SELECT memory_add('m', 'brief', summary => 'b', entry_key => 'b', store => 'kp') IS NOT NULL;
SELECT passage_embeddings IS NULL AS has_none,
  embedding = test.embed(concat_ws(E'\n', summary, raw_entry))::halfvec AS is_its
FROM kp.entries WHERE entry_key = 'b';
-- A passage without meaning for the embedder has the embedding of the whole text, also after another summary.
CREATE FUNCTION of_letters(input text) RETURNS real[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN input LIKE '%zz%' AND input NOT LIKE '%cats%' THEN NULL
    ELSE ARRAY[length(input) % 7 + 1, ascii(input), 1, 2]::real[] END $$;
SET memory_search.embedding_function = 'public.of_letters';
SELECT memory_add('m', repeat('word ', 130) || '. ' || repeat('zz ', 130), summary => 'cats', entry_key => 'z',
  store => 'kp') IS NOT NULL;
SELECT memory_update('m', entry_id, summary => 'A longer one of cats', store => 'kp') FROM kp.entries
WHERE entry_key = 'z';
SELECT cardinality(passage_embeddings), passage_embeddings[2] = embedding AS is_of_the_new_whole,
  embedding = of_letters(summary || E'\n' || raw_entry)::halfvec AS whole_is_new
FROM kp.entries WHERE entry_key = 'z';
SET memory_search.embedding_function = 'public.counted';
-- Another embedder; a short text, too, gets the embedding of the embedder that stores it.
SET memory_search.embedding_function = 'public.another';
SELECT * FROM asked(added(report('Five.')), with_passages('passage_embeddings'));
SET memory_search.embedding_function = 'public.counted';
SELECT * FROM asked(stored(report('Five.')));
SET memory_search.embedding_function = 'public.another';
SELECT * FROM asked(changed('summary => ''By another'''));
SELECT memory_add('m', 'short', entry_key => 's', store => 'kp') IS NOT NULL;
SET memory_search.embedding_function = 'public.counted';
SELECT memory_add('m', 'short', entry_key => 's', store => 'kp') IS NOT NULL;
SELECT embedding_model, embedding = test.embed('short')::halfvec AS is_its FROM kp.entries WHERE entry_key = 's';
-- Plain SQL has changed the text, or the function now makes other vectors: the present ones are not of this text.
SELECT * FROM asked(added(report('The very sixth.')),
  format('UPDATE kp.entries SET raw_entry = %L, summary = NULL WHERE entry_key = ''k''', report('The very sixth.')));
SELECT * FROM asked(changed(format('raw_entry => %L', report('Seven.'))),
  format('UPDATE kp.entries SET raw_entry = %L WHERE entry_key = ''k''', report('Seven.')));
-- Embeddings by the caller stay if both texts stay, and are replaced with another text.
SELECT * FROM asked(added(report('Seven.')), 'UPDATE kp.entries SET embedding_model = NULL WHERE entry_key = ''k''');
SELECT * FROM asked(stored(report('Seven.')));
SELECT * FROM asked(added(report('Seven.'), ', if_similar => 0.9'));
SELECT * FROM asked(added(report('Seven.'), ', summary => ''7'''));
SELECT * FROM asked(added(report('Seven.'), ', summary => ''7'', embedding => ''[1,0,0,0]'''));
SELECT * FROM asked(added(report('Seven.'), ', summary => ''7'''));
SELECT * FROM asked(changed('summary => ''Seven'''));
-- The texts are embedded later.
SELECT * FROM asked(added(report('Seven.'), ', summary => ''Seven'''), 'SET LOCAL memory_search.embed_on_write = off');
SELECT * FROM asked(added(report('Eight.')), 'SET LOCAL memory_search.embed_on_write = off');

-- Passages are embedded before the row is locked, so that other sessions do not wait for the embedder. The xmax of a
-- row that this transaction has locked is the transaction's number.
CREATE SEQUENCE under_lock;
CREATE FUNCTION watching(input text) RETURNS real[] LANGUAGE sql AS $$
  SELECT count(nextval('public.under_lock')) FROM kp.entries
  WHERE entry_key = 'k' AND xmax = pg_current_xact_id_if_assigned()::xid;
  SELECT public.counted(input) $$;
SET memory_search.embedding_function = 'public.watching';
CREATE FUNCTION while_locked(call text) RETURNS TABLE (calls bigint, while_locked bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM setval('public.calls', 1), setval('public.under_lock', 1);
  EXECUTE call;
  RETURN QUERY SELECT c.last_value - 1, l.last_value - 1 FROM public.calls c, public.under_lock l;
END $$;
SELECT * FROM while_locked(added(report('The lock.')));
SELECT * FROM while_locked(added(report('A second lock.'), ', if_similar => 0.9'));
SELECT * FROM while_locked(added(report('A second lock.'), ', if_similar => 0.9'));
SELECT * FROM while_locked(changed(format('raw_entry => %L', report('The third of the locks.'))));
SELECT * FROM while_locked(changed('summary => ''Locked'''));
-- The function sees whether the row is locked.
SELECT * FROM while_locked('SELECT FROM kp.entries WHERE entry_key = ''k'' FOR UPDATE; ' || added(report('Nine.')));
RESET memory_search.embedding_function;
SELECT memory_drop_store('kp', true);
DROP SEQUENCE calls, under_lock;
DROP FUNCTION report, counted, another, of_letters, asked, stored, added, changed, with_passages, watching;
DROP FUNCTION while_locked;
