-- A search in pages: {"cursor": true} asks for the first page, whose nextCursor brings the next one. All pages together
-- are the search for as many entries as a search may return, byte for byte.
SELECT memory_create_store('sp', 4, 'english');
INSERT INTO sp.entries (memory_id, entry_id, user_id, raw_entry, tags, metadata, importance, creation_time,
  deletion_scheduled_time, expires_at, superseded_by, superseded_time, embedding, entry_order)
SELECT 'p' || n % 3, test.id(n), CASE n % 3 WHEN 0 THEN NULL WHEN 1 THEN 'ann' ELSE 'bob' END,
  test.words(n, 2 + n % 9), ARRAY['t' || n % 7], jsonb_build_object('place', test.word(n + 50)), n % 101,
  timestamptz '2025-01-01Z' + n / 3 * interval '5 hours', CASE WHEN n % 17 = 0 THEN timestamptz '2025-03-01Z' END,
  CASE WHEN n % 13 = 0 THEN timestamptz '2025-03-15Z' END, CASE WHEN n % 19 = 0 THEN test.id(n + 3) END,
  CASE WHEN n % 19 = 0 THEN timestamptz '2025-02-20Z' END,
  CASE WHEN n % 8 > 0 THEN test.vector(n / 2)::halfvec END, n / 2
FROM generate_series(1, 420) n;
INSERT INTO sp.entry_access
SELECT memory_id, entry_id, test.n(entry_id) % 9, timestamptz '2025-03-10Z' FROM sp.entries WHERE importance % 2 = 0;
CREATE SCHEMA sp_app;
CREATE FUNCTION sp_app.by_length(query text, entries text[]) RETURNS real[] LANGUAGE sql STABLE AS $$
  SELECT array_agg(length(e) % 50 / 50.0 ORDER BY place)::real[] FROM unnest(entries) WITH ORDINALITY t(e, place) $$;
CREATE TABLE calls AS
SELECT query, embedding::memory_embedding AS embedding, filters::jsonb AS filters, options::jsonb AS options,
  memories::text[] AS memories
FROM (VALUES ('tea', NULL), ('lisbon museum cheap ferry', '[1,0.5,-0.2,0]'), ('', '[1,1,1,1]'), ('', NULL)
  ) q(query, embedding),
  (VALUES ('{}'), ('{"userId": "ann"}'), ('{"tags": ["t1", "t2"], "minImportance": 20}')) f(filters),
  (VALUES ('{}'), ('{"boosts": {"popularity": 0.2}, "candidates": 20}'), ('{"mmr": 0.6}'),
    ('{"atMost": {"userId": 20, "metadata.place": 1}}'), ('{"dedupThreshold": 0.8}'), ('{"fusion": "rrf"}'),
    ('{"fusion": "weighted"}'), ('{"strategy": "keyword", "match": "all"}'), ('{"strategy": "semantic"}'),
    ('{"strategy": "recent"}'), ('{"includeSuperseded": true}'), ('{"preset": "alfred"}'), ('{"relevantOnly": true}'),
    ('{"rerank": {"function": "sp_app.by_length"}}'), ('{"asOf": "2025-02-01T00:00:00Z"}')) o(options),
  (VALUES ('{p1}'), ('{p2,p0,p1}')) m(memories);
-- The calls are thinned out to a fifth: each filter with each of some options.
DELETE FROM calls WHERE abs(hashtext(calls::text)) % 5 > 0 AND (options <> '{"mmr": 0.6}' OR query <> 'tea');
-- Reads page after page, as a caller does, without contexts.
CREATE FUNCTION pages(c calls, size int, store text) RETURNS TABLE (entries jsonb, pages int) LANGUAGE plpgsql AS $$
DECLARE
  cursor jsonb := 'true';
  answer jsonb;
BEGIN
  entries := '[]'; pages := 0;
  LOOP
    answer := memory_search(c.memories, c.query, size, 1, c.embedding, c.filters,
      c.options || jsonb_build_object('cursor', cursor), store);
    entries := entries || (answer->'entries');
    pages := pages + 1;
    cursor := answer->'nextCursor';
    EXIT WHEN cursor = 'null';
    IF answer->>'count' <> size::text THEN
      RAISE EXCEPTION 'a page before the last has % of %', answer->>'count', size;
    END IF;
  END LOOP;
  RETURN NEXT;
END $$;
CREATE FUNCTION whole(c calls, store text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT memory_search(c.memories, c.query, 1000, 1, c.embedding, c.filters, c.options, store)->'entries' $$;
CREATE FUNCTION compared(store text)
RETURNS TABLE (calls bigint, same bigint, with_entries bigint, pages boolean, twice bigint) LANGUAGE sql AS $$
  SELECT count(*), count(*) FILTER (WHERE p.entries = w), count(*) FILTER (WHERE w <> '[]'),
    bool_and(p.pages = greatest(1, ceil(jsonb_array_length(w) / s.size::numeric))),
    count(*) FILTER (WHERE jsonb_array_length(p.entries) <> (SELECT count(DISTINCT e->>'entryId')
      FROM jsonb_array_elements(p.entries) e))
  FROM (SELECT c AS call, 7 + abs(hashtext(c::text)) % 80 AS size FROM calls c) s,
    whole(s.call, store) w, pages(s.call, s.size, store) p $$;
SET memory_search.max_top_ke = 1000;
VACUUM sp.entries;
BEGIN;
SELECT * FROM compared('sp');
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM compared('sp');
COMMIT;
-- A page of one entry, of all entries, and of all but one; pages of different sizes.
SELECT size, p.pages, p.entries = w AS same
FROM calls c, whole(c, 'sp') w, (VALUES (1), (-1), (0)) d(less),
  LATERAL (SELECT CASE WHEN less = 1 THEN 1 ELSE jsonb_array_length(w) + less END) s(size), pages(c, size, 'sp') p
WHERE query = 'tea' AND filters = '{"userId": "ann"}' AND options = '{"mmr": 0.6}' AND memories = '{p1}';
CREATE FUNCTION page(size int, cursor jsonb, more jsonb DEFAULT '{}', query text DEFAULT 'tea',
  memory text DEFAULT 'p1', filters jsonb DEFAULT NULL, embedding memory_embedding DEFAULT NULL)
RETURNS jsonb LANGUAGE sql AS $$
  SELECT memory_search(memory, query, size, embedding => embedding, filters => filters, store => 'sp',
    options => jsonb_build_object('cursor', cursor) || more) $$;
SELECT page(3, 'true')->'nextCursor' AS first \gset
SELECT page(5, :'first')->'nextCursor' AS second \gset
SELECT (page(3, 'true')->'entries') || (page(5, :'first')->'entries') || (page(4, :'second')->'entries')
  = memory_search('p1', 'tea', 12, store => 'sp', options => '{"candidates": 1000}')->'entries' AS same;
-- Without cursor the answer has none; memory_recall has pages, too, and so has the JSON request.
SELECT memory_search('p1', 'tea', store => 'sp') ? 'nextCursor' AS unasked,
  memory_search('p1', 'tea', store => 'sp', options => '{"cursor": false}') ? 'nextCursor' AS without,
  memory_search('p1', 'tea', store => 'sp', options => '{"cursor": null}') ? 'nextCursor' AS null_is_without,
  page(1000, 'true')->'nextCursor' AS behind_all, page(5, 'true', memory => 'nobody')->'nextCursor' AS of_nobody;
SELECT memory_search(jsonb_build_object('memoryId', 'p1', 'query', 'tea', 'top_ke', 5, 'store', 'sp', 'options',
    jsonb_build_object('cursor', :'first'::jsonb)))->'entries' = page(5, :'first')->'entries' AS by_request;
SELECT memory_recall('p1', 'tea', 3, options => jsonb_build_object('cursor', :'first'::jsonb), store => 'sp')->>'count'
  AS recalled;
-- Writes between two pages: no entry is shown twice, no hidden entry is shown, and every remaining entry is shown.
-- Entries are deleted, expire, are corrected, changed and added.
CREATE TABLE first_page AS
  SELECT e->>'entryId' AS id FROM jsonb_array_elements(page(20, 'true')->'entries') e;
SELECT page(20, 'true')->'nextCursor' AS cursor \gset
CREATE TABLE rest AS
  SELECT e->>'entryId' AS id, place
  FROM jsonb_array_elements(page(1000, :'cursor')->'entries') WITH ORDINALITY t(e, place);
SET memory_search.embed_on_write = off;
SELECT memory_delete('p1', ARRAY(SELECT id::uuid FROM rest WHERE place IN (1, 4)), store => 'sp') AS deleted,
  memory_delete('p1', ARRAY(SELECT id::uuid FROM first_page LIMIT 3), store => 'sp') AS deleted_of_first,
  (SELECT sum(memory_update('p1', id::uuid, expires_at => now(), store => 'sp')) FROM rest WHERE place = 2) AS expired,
  (SELECT sum(memory_update('p1', id::uuid, raw_entry => 'tea tea', store => 'sp')) FROM rest WHERE place = 30)
    AS better,
  memory_add('p1', 'tea', entry_id => test.id(9001), store => 'sp') IS NOT NULL AS added;
RESET memory_search.embed_on_write;
SELECT count(*) AS shown, count(*) FILTER (WHERE id IN (SELECT id FROM first_page)) AS twice,
  count(*) FILTER (WHERE id IN (SELECT id FROM rest WHERE place IN (1, 2, 4))) AS gone,
  (SELECT count(*) FROM rest) - 3 - count(*) FILTER (WHERE id IN (SELECT id FROM rest)) AS left_out,
  bool_or(id = test.id(9001)::text) AS has_the_new_one
FROM (SELECT e->>'entryId' AS id FROM jsonb_array_elements(page(1000, :'cursor')->'entries') e) p;
-- Ages are those of the first page: no score decreases between two pages.
INSERT INTO sp.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'young', test.id(n), 'tea ' || n, now() FROM generate_series(1, 3) n;
CREATE FUNCTION young(cursor jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT page(1, cursor, '{"boosts": {"recency": 0.9}, "recency": {"days": 0.001}}', memory => 'young') $$;
BEGIN;
SELECT young('true')->'nextCursor' AS cursor \gset
SELECT young(:'cursor')->'entries' AS second_page \gset
COMMIT;
SELECT pg_sleep(0.3);
SELECT young(:'cursor')->'entries' = :'second_page' AS same,
  (young('true')->'entries') #> '{0,scores,recency}' < :'second_page'::jsonb #> '{0,scores,recency}' AS new_is_later;
DROP FUNCTION young;
-- The pages end where a search ends: highest_top_ke limits the entries of all pages together.
SET memory_search.highest_top_ke = 10;
SELECT pages, jsonb_array_length(entries) AS entries
FROM calls c, pages(c, 4, 'sp') WHERE query = 'tea' AND filters = '{}' AND options = '{}' AND memories = '{p1}';
SELECT test.error(format($$SELECT page(5, %L)$$, :'first'));
RESET memory_search.highest_top_ke;
-- A cursor is valid only for its own request, with any number of entries and contexts; other texts are refused.
SELECT test.error(format('SELECT page(5, %L, %s)', :'first', arguments))
FROM (VALUES ($$query => 'ferry'$$), ($$memory => 'p2'$$), ($$filters => '{"userId": "ann"}'$$), ($$filters => '{}'$$),
  ($$embedding => '[1,0,0,0]'$$), ($$more => '{"mmr": 0.5}'$$)) a(arguments);
SET memory_search.typos = on;
SELECT test.error(format('SELECT page(5, %L)', :'first'));
SELECT page(5, 'true')->'nextCursor' AS with_typos \gset
RESET memory_search.typos;
SELECT test.error(format('SELECT page(5, %L)', :'with_typos'));
SELECT left(test.error(format('SELECT page(5, %L)', cursor::jsonb)), 24) AS refused
FROM (VALUES ('"x"'), ('""'), ('1'), ('[]'), ('{}'), (to_jsonb(substr(:'first', 2, 40))::text),
  (to_jsonb(trim('"' FROM :'first') || 'A')::text)) c(cursor);
SELECT test.error('SELECT ' || call)
FROM (VALUES ($$memory_search_entries('p1', 'tea', options => '{"cursor": true}', store => 'sp')$$),
  ($$memory_build_context('p1', 'tea', options => '{"cursor": true}', store => 'sp')$$),
  ($$memory_explain('p1', 'tea', options => '{"cursor": true}', store => 'sp')$$),
  ($$memory_search('p1', 'tea', 0, options => '{"cursor": true}', store => 'sp')$$)) c(call);
-- An adopted table, with ids that are no uuids, and under row-level security.
CREATE TABLE sp_app.notes AS
  SELECT memory_id, 'note ' || test.n(entry_id) AS id, user_id, raw_entry, tags, metadata, importance, creation_time,
    embedding FROM sp.entries WHERE deletion_scheduled_time IS NULL AND superseded_by IS NULL AND expires_at IS NULL;
SELECT memory_adopt_table('sp_adopted', 'sp_app.notes', '{"memory_id": "memory_id", "entry_id": "id", "raw_entry":
  "raw_entry", "user_id": "user_id", "tags": "tags", "metadata": "metadata", "importance": "importance",
  "creation_time": "creation_time", "embedding": "embedding"}');
SELECT * FROM compared('sp_adopted');
SET client_min_messages = error;
CREATE ROLE sp_reader;
SELECT memory_enable_row_security('sp'), memory_grant('sp', 'sp_reader');
GRANT USAGE ON SCHEMA sp_app TO PUBLIC;
GRANT SELECT ON calls TO sp_reader;
RESET client_min_messages;
SET ROLE sp_reader;
SET memory_search.user_id = 'bob';
SELECT * FROM compared('sp');
RESET ROLE;
DROP FUNCTION page, compared, whole, pages;
DROP TABLE calls, first_page, rest;
SET client_min_messages = error;
SELECT memory_drop_store('sp', true), memory_drop_store('sp_adopted', true);
DROP SCHEMA sp_app CASCADE;
DROP ROLE sp_reader;
