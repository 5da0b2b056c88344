-- Embeddings by another embedder than the query's are not compared: such entries are found by words alone, on every
-- path. An embedding that the caller gave is compared with every query.
CREATE SCHEMA oe_embed;
-- Two embedders that put the same letter in other places; both make 256 dimensions.
CREATE FUNCTION oe_embed.one(t text) RETURNS real[] LANGUAGE sql IMMUTABLE
  RETURN (SELECT array_agg((cos(ascii(t) * g) + 0.01)::real ORDER BY g) FROM generate_series(1, 256) g);
CREATE FUNCTION oe_embed.two(t text) RETURNS real[] LANGUAGE sql IMMUTABLE
  RETURN (SELECT array_agg((sin(ascii(t) * g) + 0.01)::real ORDER BY g) FROM generate_series(1, 256) g);
SET memory_search.embedding_function = 'oe_embed.one';
SELECT memory_create_store('oe', 256);
-- Entries by either embedder, by a caller, and without an embedding. All begin with the letter of the query.
SELECT memory_add('m', 'tea by one', entry_id => test.id(1), creation_time => '2025-01-01Z', store => 'oe');
SET memory_search.embedding_function = 'oe_embed.two';
SELECT memory_add('m', 'tea by two', entry_id => test.id(2), creation_time => '2025-01-02Z', store => 'oe');
SELECT memory_add('m', 'tea by hand', entry_id => test.id(3), creation_time => '2025-01-03Z', store => 'oe',
  embedding => oe_embed.one('t'));
INSERT INTO oe.entries (memory_id, entry_id, raw_entry, creation_time)
VALUES ('m', test.id(4), 'tea without', '2025-01-04Z');
SELECT test.n(entry_id) AS n, embedding_model, embedding IS NOT NULL AS embedded FROM oe.entries ORDER BY entry_id;

-- n, and its similarity to the query if it has one.
CREATE FUNCTION found(query text, options jsonb DEFAULT '{}', filters jsonb DEFAULT '{}',
  embedding memory_embedding DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(test.n(entry_id) || coalesce(':' || round(semantic::numeric, 2), ''), ' ' ORDER BY entry_id)
  FROM memory_search_entries('m', query, 10, embedding => embedding, filters => filters,
    options => options || '{"asOf": "2025-06-01T00:00:00Z"}', store => 'oe') $$;
CREATE FUNCTION by_each(filters jsonb DEFAULT '{}')
RETURNS TABLE (embedder text, semantic text, hybrid text, keyword text) LANGUAGE plpgsql AS $$
BEGIN
  FOREACH embedder IN ARRAY '{one,two}'::text[] LOOP
    PERFORM set_config('memory_search.embedding_function', 'oe_embed.' || embedder, false);
    RETURN QUERY SELECT embedder, found('tea', '{"strategy": "semantic"}', filters),
      found('tea', '{"strategy": "hybrid"}', filters), found('tea', '{"strategy": "keyword"}', filters);
  END LOOP;
END $$;
SELECT * FROM by_each();
-- The same by the rows of the table, and by a filter that is tested on the rows.
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM by_each();
COMMIT;
SELECT * FROM by_each('{"metadata": {}}');
-- A vector that the caller gives is compared with all of them, with every setting of the embedder.
SELECT found('tea', embedding => oe_embed.one('t')) AS one, found('tea', embedding => oe_embed.two('t')) AS two;
-- By meaning alone, only comparable embeddings count; the other entries are not found without a word of the query.
SET memory_search.embedding_function = 'oe_embed.one';
SELECT found('tz', '{"fallback": false}') AS no_word, found('tz', '{"fallback": false, "minSimilarity": 0.9}') AS floor,
  found('tea', '{"minSimilarity": 0.9}') AS floor_and_words;
-- The diagnostics count them, and have no such field if there are none.
CREATE FUNCTION others(options jsonb DEFAULT '{}', filters jsonb DEFAULT '{}', embedding memory_embedding DEFAULT NULL)
RETURNS TABLE (path text, others text) LANGUAGE sql AS $$
  SELECT string_agg(r->>'path', ' ' ORDER BY place), string_agg(coalesce(r->>'otherEmbedder', '-'), ' ' ORDER BY place)
  FROM jsonb_array_elements(memory_search('m', 'tea', filters => filters, embedding => embedding, store => 'oe',
    options => options || '{"diagnostics": true}') #> '{diagnostics,reads}') WITH ORDINALITY t(r, place) $$;
SELECT strategy, o.* FROM unnest('{hybrid,keyword,recent,semantic}'::text[]) strategy,
  others(jsonb_build_object('strategy', strategy)) o ORDER BY 1;
SELECT * FROM others(filters => '{"metadata": {}}');
SELECT * FROM others(embedding => oe_embed.two('t'));
-- The explanation says so, for one entry and for all.
SELECT n, outcome FROM generate_series(1, 4) n, memory_explain('m', 'tz', entry_id => test.id(n)::text,
  options => '{"fallback": false}', store => 'oe') ORDER BY n;
SELECT outcome FROM memory_explain('m', 'tea', entry_id => test.id(2)::text, store => 'oe',
  options => '{"strategy": "semantic", "fallback": false}');
SELECT count(memory_add('strange', 'tea ' || n, entry_id => test.id(n), store => 'oe')) AS added
FROM generate_series(1, 3) n;
SET memory_search.embedding_function = 'oe_embed.two';
SELECT outcome !~ 'no entry has an embedding' AS gives_no_wrong_reason
FROM memory_explain('strange', 'zebra', options => '{"fallback": false}', store => 'oe');
SELECT test.strategies(memory_search('strange', 'zebra', store => 'oe')) AS falls_back,
  test.strategies(memory_search('strange', 'tea', store => 'oe')) AS by_words;

-- The same holds for contexts.
SELECT memory_put_context('m', 'tea leaves', creation_time => '2025-01-01Z', store => 'oe') IS NOT NULL AS by_two;
SET memory_search.embedding_function = 'oe_embed.one';
SELECT memory_put_context('m', 'teapots', creation_time => '2025-01-02Z', store => 'oe') IS NOT NULL AS by_one,
  memory_put_context('m', 'the latest', creation_time => '2025-01-03Z', store => 'oe') IS NOT NULL AS by_one_too;
CREATE FUNCTION contexts(query text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(c->>'context', ', ' ORDER BY place) FROM jsonb_array_elements(
    memory_search('m', query, 0, 3, store => 'oe')->'contexts') WITH ORDINALITY c(c, place) $$;
SELECT contexts('tz') AS by_one, contexts('leaves') AS and_words;
SET memory_search.embedding_function = 'oe_embed.two';
SELECT contexts('tz') AS by_two, contexts('leaves') AS and_words;

-- When they are embedded again, they are compared again.
SET memory_search.embedding_function = 'oe_embed.one';
SELECT memory_reembed('m', store => 'oe') AS embedded;
SELECT found('tea', '{"strategy": "semantic"}') AS found;
-- Entries by two embedders are no near duplicates, even with equal numbers; entries by one embedder are.
UPDATE oe.entries SET embedding = oe_embed.one('t')::vector::halfvec,
  embedding_model = CASE WHEN entry_id = test.id(1) THEN 'oe_embed.two' ELSE 'oe_embed.one' END
WHERE memory_id = 'm';
SELECT found('tea', '{"strategy": "recent", "dedupThreshold": 0.5}') AS recent,
  found('tea', '{"dedupThreshold": 0.5}', embedding => oe_embed.one('t')) AS given;
-- Rows by another embedder do not hide comparable ones: 3000 have the numbers of the query, and 12 others are further.
INSERT INTO oe.entries (memory_id, entry_id, raw_entry, embedding, embedding_model, creation_time)
SELECT 'many', test.id(n), 'x', CASE WHEN n <= 3000 THEN oe_embed.one('t') ELSE
    (SELECT array_agg((cos(ascii('t') * g) + sin(g * n))::real ORDER BY g) FROM generate_series(1, 256) g) END,
  CASE WHEN n <= 3000 THEN 'oe_embed.two' ELSE 'oe_embed.one' END, '2025-01-01Z' FROM generate_series(1, 3012) n;
SELECT strategy, (SELECT count(*) FROM unnest(test.found(r)) n WHERE n > 3000) AS by_one,
  (SELECT count(*) FROM unnest(test.found(r)) n WHERE n <= 3000) AS by_another
FROM unnest('{hybrid,semantic}'::text[]) strategy, LATERAL (SELECT memory_search('many', 'tea', 10, store => 'oe',
  options => jsonb_build_object('strategy', strategy, 'fallback', false)) AS r OFFSET 0) s ORDER BY 1;
SELECT memory_search('many', 'tea', 10, filters => '{"metadata": {}}', store => 'oe')->'count' AS by_rows;
-- Without an embedder no embeddings are compared, and none counts as another embedder's; words find the entries.
SET memory_search.embedding_function = '';
SET memory_search.model = '';
SELECT found('tea') AS by_words, o.* FROM others() o;
RESET memory_search.model;
RESET memory_search.embedding_function;
DROP FUNCTION found, by_each, contexts, others;
DROP SCHEMA oe, oe_embed CASCADE;
