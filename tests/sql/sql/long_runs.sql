-- Long runs without blanks take no longer than other texts, in queries and in entries. PostgreSQL's own parser takes
-- half a minute for 64 kB of them. Words within a run are found.
SET client_min_messages = warning;
SELECT memory_create_store('lr', 4);
CREATE FUNCTION found(query text) RETURNS bigint[] LANGUAGE sql RETURN
  test.found(memory_search('m', query, store => 'lr', options => '{"strategy": "keyword", "fallback": false}'));
INSERT INTO lr.entries (memory_id, entry_id, raw_entry)
SELECT 'm', test.id(n), t FROM unnest(ARRAY[
  'see https://example.org/' || (SELECT string_agg('folder' || i, '/') FROM generate_series(1, 200) i) || '/last.html',
  'short src/a_b/c.rs stays whole', (SELECT string_agg('part' || i, '_') FROM generate_series(1, 300) i)])
  WITH ORDINALITY h (t, n);
-- A word within a long run is found by itself, and the run by all of it.
SELECT query, found(query) FROM (VALUES ('last.html'), ('example.org'), ('src/a_b/c.rs'), ('"src/a_b/c.rs"')) q (query);
SELECT found(raw_entry) FROM lr.entries ORDER BY entry_id;
-- Metadata stays JSON with the same numbers.
INSERT INTO lr.entries (memory_id, entry_id, raw_entry, metadata)
SELECT 'json', test.id(n), 'x', jsonb_build_object(t, t, 'n', 1.5)
FROM unnest(ARRAY[repeat('a/"', 200), repeat('\/', 300), repeat('_"\', 200), repeat(E'/\n', 200)])
  WITH ORDINALITY h (t, n);
SELECT count(*) AS rows, count(*) FILTER (WHERE words @@ '''1.5''') AS numbers,
  (SELECT count(*) FROM memory_search_entries('json', '1.5', 10, store => 'lr', options => '{"strategy": "keyword"}'))
    AS found
FROM test.words_of_store('lr') WHERE memory_id = 'json';
-- For each, PostgreSQL's own parser takes 20 s and more.
SET statement_timeout = '10s';
SELECT found(repeat(shape, 64000 / length(shape))) FROM unnest('{./,~/,A_}'::text[]) shape;
SELECT found(repeat(shape, 50000 / length(shape))) FROM unnest('{a_b-c.,A_1,é_./}'::text[]) shape;
INSERT INTO lr.entries (memory_id, raw_entry) SELECT 'slow', repeat(shape, 64000 / length(shape))
FROM unnest('{./,~/,A_,a_b-c.,A_1,é_./}'::text[]) shape;
RESET statement_timeout;
DROP FUNCTION found;
SELECT memory_drop_store('lr', true);
