-- A session remembers the embeddings of its latest queries: for the same text, the same function and the same role.
SELECT memory_create_store('ec', 4);
CREATE SEQUENCE ec.calls;
-- Embeds by the first letter, and counts its calls, which a reading function cannot note otherwise.
CREATE FUNCTION ec.embed(t text) RETURNS real[] LANGUAGE sql VOLATILE
  RETURN CASE WHEN pg_catalog.nextval('ec.calls') > 0 AND t <> 'void'
        THEN ARRAY[ascii(t) - 96, 1, length(t), 0]::real[] END;
-- The number of calls of the embedding function since the last time that this function was called.
CREATE FUNCTION ec.calls() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  counted bigint := (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ec.calls);
BEGIN
  PERFORM setval('ec.calls', 1, false);
  RETURN counted;
END $$;
SET memory_search.embedding_function = 'ec.embed';
-- Every stored text is embedded again.
SELECT memory_add('m', 'apple', entry_id => test.id(1), creation_time => '2025-01-01Z', store => 'ec'),
  memory_add('m', 'banana', entry_id => test.id(2), creation_time => '2025-01-02Z', store => 'ec'),
  memory_add('m', 'apple', entry_id => test.id(3), creation_time => '2025-01-03Z', store => 'ec');
SELECT ec.calls();

CREATE FUNCTION found(query text, options text DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(format('%s:%s', test.n(entry_id), round(semantic::numeric, 3)), ' ' ORDER BY rank)
  FROM memory_search_entries('m', query,
      options => options::jsonb || '{"asOf": "2025-06-01T00:00:00Z", "boosts": {"recency": 0}}', store => 'ec') $$;
SELECT found('avocado') AS first, found('avocado') AS again;
SELECT ec.calls();
SELECT found('avocado') AS in_another_statement;
SELECT ec.calls() AS none;
-- All functions that search share the cache; blanks around the text do not count; another text has an entry of its own.
SELECT test.found(memory_search('m', 'avocado', store => 'ec')) AS search,
  test.found(memory_search('{"memoryId": "m", "query": "avocado", "store": "ec"}')) AS request,
  (SELECT count(*) FROM memory_explain('m', ' avocado ', store => 'ec')) AS explained,
  memory_build_context('m', 'avocado', store => 'ec') <> '' AS built,
  test.found(memory_recall('m', 'avocado', store => 'ec')) AS recalled;
SELECT ec.calls() AS none;
SELECT found('Avocado') IS NOT NULL AS other_case, found('b') IS NOT NULL AS other_text;
SELECT ec.calls() AS two;
-- Searches that need no embedding request none; many rows with a few different texts request one for each text.
SELECT found('cherry', '{"strategy": "keyword"}') IS NOT NULL AS keyword,
  found('', '{}') IS NOT NULL AS recent,
  found('cherry', '{"strategy": "recent"}') IS NOT NULL AS recent_too;
SELECT ec.calls() AS none;
SELECT count(*)
FROM (SELECT 'date ' || i % 3 AS query FROM generate_series(1, 30) i) q,
  LATERAL memory_search_entries('m', q.query, 1, store => 'ec');
SELECT ec.calls() AS three;
-- The cache does not keep that a text has no embedding; memory_embed and memory_add embed each time.
SELECT found('void') LIKE '%:' AS first, found('void') LIKE '%:' AS again;
SELECT ec.calls() AS two;
SELECT vector_dims(memory_embed('avocado')) AS dims,
  memory_add('m', 'avocado', entry_id => test.id(4), creation_time => '2025-01-04Z', store => 'ec');
SELECT ec.calls() AS two;

-- If the cache is switched off, each search embeds, and the cache is emptied.
SET memory_search.embedding_cache = 0;
SELECT found('avocado') = found('avocado') AS same;
SELECT ec.calls() AS two;
RESET memory_search.embedding_cache;
SELECT found('avocado') = found('avocado') AS same;
SELECT ec.calls() AS one;
-- It keeps as many embeddings as the setting says, the ones that were used last.
SET memory_search.embedding_cache = 2;
SELECT count(found(query)) FROM (VALUES (1, 'x'), (2, 'y'), (3, 'x'), (4, 'z'), (5, 'x')) q(i, query);
SELECT ec.calls() AS three;
SELECT found('y') IS NOT NULL AS was_dropped;
SELECT ec.calls() AS one;
RESET memory_search.embedding_cache;

-- A function that was replaced or renamed counts as another one: the embeddings are never mixed.
SELECT found('avocado') AS before;
CREATE OR REPLACE FUNCTION ec.embed(t text) RETURNS real[] LANGUAGE sql VOLATILE
  RETURN ARRAY[1, 100, 1, 0 * pg_catalog.nextval('ec.calls')]::real[];
SELECT ec.calls() >= 0 AS reset;
SELECT found('avocado') AS after, found('avocado') AS again;
SELECT ec.calls() AS one;
CREATE FUNCTION ec.embed_too(t text) RETURNS real[] LANGUAGE sql VOLATILE
  RETURN ARRAY[1, 0, 0, 0 * pg_catalog.nextval('ec.calls')]::real[];
-- (As if callers had given the embeddings: no query is compared with embeddings of another embedder.)
UPDATE ec.entries SET embedding_model = NULL;
SET memory_search.embedding_function = 'ec.embed_too';
SELECT found('avocado') AS by_another;
SET memory_search.embedding_function = 'ec.embed';
SELECT found('avocado') AS by_the_first_again;
SELECT ec.calls() AS one;
-- After a rollback of the replacement the embeddings are as before.
BEGIN;
CREATE OR REPLACE FUNCTION ec.embed(t text) RETURNS real[] LANGUAGE sql VOLATILE RETURN ARRAY[0, 0, 1, 0]::real[];
SELECT found('avocado') AS in_the_transaction;
ROLLBACK;
SELECT found('avocado') AS as_before;

-- A function that one transaction replaces twice is another one each time.
BEGIN;
CREATE OR REPLACE FUNCTION ec.embed(t text) RETURNS real[] LANGUAGE sql VOLATILE RETURN ARRAY[0, 0, 1, 0]::real[];
SELECT found('avocado') AS first;
CREATE OR REPLACE FUNCTION ec.embed(t text) RETURNS real[] LANGUAGE sql VOLATILE RETURN ARRAY[0, 1, 0, 0]::real[];
SELECT found('avocado') AS second;
ROLLBACK;

-- A role does not get an embedding that another role requested: the function may return another vector for it, or an
-- error.
CREATE ROLE ec_reader;
GRANT USAGE ON SCHEMA ec TO ec_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA ec TO ec_reader;
GRANT USAGE ON SEQUENCE ec.calls TO ec_reader;
CREATE OR REPLACE FUNCTION ec.embed(t text) RETURNS real[] LANGUAGE sql VOLATILE
  RETURN CASE current_user
      WHEN 'ec_reader' THEN ARRAY[0, 0, 1, 0]::real[]
      ELSE ARRAY[1, 0, 0, 0 * pg_catalog.nextval('ec.calls')]::real[] END;
SELECT found('avocado') AS owner;
SET ROLE ec_reader;
SELECT found('avocado') AS reader, found('avocado') AS again;
RESET ROLE;
SELECT found('avocado') AS owner_again;
SELECT ec.calls() AS one;
REVOKE ALL ON FUNCTION ec.embed FROM PUBLIC;
SET ROLE ec_reader;
SELECT test.error($$SELECT memory_search('m', 'avocado', store => 'ec')$$) AS without_the_privilege;
RESET ROLE;
RESET memory_search.embedding_function;
DROP FUNCTION found;
DROP SCHEMA ec CASCADE;
DROP ROLE ec_reader;
