-- Phrases, excluded words and BM25 apply to all of an entry that is searched: also behind its 16,383rd word, and behind
-- the 255th occurrence of a word, where a tsvector ends. The oracles are LIKE and the formula.
SELECT memory_create_store('pl', 2, 'simple');
CREATE FUNCTION many(words int) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN (SELECT string_agg(chr(97 + i % 26) || i % 10, ' ') FROM generate_series(1, words) i);
INSERT INTO pl.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
SELECT 'm', test.id(n), text, format('[1,%s]', n)::halfvec, timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM unnest(ARRAY[
  (SELECT string_agg(format('the server x%s failed', i), ' ') FROM generate_series(1, 300) i) || ' server finale',
  (SELECT string_agg(format('the server x%s failed', i), ' ') FROM generate_series(1, 290) i) || ' finale server',
  many(17000) || ' purple elephant sings',
  many(17000) || ' purple song of an elephant that sings',
  'purple elephant sings ' || many(17000),
  many(16382) || ' purple elephant',
  many(16381) || ' purple elephant',
  repeat('elephant ', 255) || 'purple elephant',
  'server finale', 'purple elephant', 'the elephant sings', 'finale'
]) WITH ORDINALITY e(text, n);
CREATE TABLE asked AS
SELECT i, wanted, excluded, concat_ws(' ', 'server elephant finale sings purple',
  (SELECT string_agg(format('"%s"', p), ' ') FROM unnest(wanted) p),
  (SELECT string_agg(format('-"%s"', p), ' ') FROM unnest(excluded) p)) AS query
FROM (VALUES
  (1, '{server finale}'::text[], '{}'::text[]),
  (2, '{server x299}', '{}'),
  (3, '{}', '{server x299}'),
  (4, '{purple elephant}', '{}'),
  (5, '{purple elephant sings}', '{}'),
  (6, '{}', '{purple elephant}'),
  (7, '{sings}', '{purple elephant sings,server}'),
  (8, '{elephant purple}', '{}'),
  (9, '{failed the,x300 failed}', '{finale server}'),
  (10, '{}', '{sings}')) q(i, wanted, excluded);
CREATE FUNCTION held(text text, phrase text) RETURNS bool LANGUAGE sql IMMUTABLE
  RETURN ' ' || text || ' ' LIKE '% ' || phrase || ' %';
CREATE FUNCTION by_text(wanted text[], excluded text[]) RETURNS bigint[] LANGUAGE sql AS $$
  SELECT array_agg(test.n(entry_id) ORDER BY entry_id) FROM pl.entries
  WHERE memory_id = 'm'
    AND (SELECT bool_or(held(raw_entry, w)) FROM unnest('{server,elephant,finale,sings,purple}'::text[]) w)
    AND (SELECT coalesce(bool_and(held(raw_entry, p)), true) FROM unnest(wanted) p)
    AND (SELECT coalesce(bool_and(NOT held(raw_entry, p)), true) FROM unnest(excluded) p) $$;
CREATE FUNCTION by_search(query text, options jsonb) RETURNS bigint[] LANGUAGE sql AS $$
  SELECT array_agg(test.n(entry_id) ORDER BY entry_id)
  FROM memory_search_entries('m', query, 50, '[1, 0]', store => 'pl', options => '{"fallback": false}' || options) $$;
SET memory_search.max_top_ke = 50;
CREATE VIEW compared AS
SELECT i, by_text(wanted, excluded) AS found,
  bool_and(by_search(query, o) IS NOT DISTINCT FROM by_text(wanted, excluded)) AS as_the_texts
FROM asked, (VALUES ('{"strategy": "keyword"}'::jsonb), ('{"match": "any"}')) o(o)
GROUP BY i, wanted, excluded ORDER BY i;
SELECT i, found, as_the_texts AS by_index FROM compared;

-- Every occurrence counts. All entries have the same distinct words, so that their lengths do not matter.
INSERT INTO pl.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'counts', test.id(n), many(m) || repeat(' zebra', n) || ' a1', timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM (VALUES (1, 17000), (5, 17000), (20, 17000), (300, 260), (900, 260), (7000, 260)) v(n, m);
CREATE VIEW counted AS
SELECT test.n(entry_id) AS zebras, round(bm25::numeric, 5) AS bm25,
  round((ln(1 + 0.5 / 6.5) * test.n(entry_id) * 1.9 / (test.n(entry_id) + 0.9))::numeric, 5) AS by_hand
FROM memory_search_entries('counts', 'zebra', 10, options => '{"strategy": "keyword"}', store => 'pl') ORDER BY 1;
TABLE counted;

-- Characters that stand for words: a text of 17,000 of them is searched to its end.
INSERT INTO pl.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'signs', test.id(n), repeat('我们去海边看', 2833) || text, timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM (VALUES (1, '紫色大象唱歌'), (2, '大象唱紫色歌')) v(n, text);
CREATE VIEW signs AS
SELECT query, test.found(memory_search('signs', query, store => 'pl',
  options => '{"strategy": "keyword", "fallback": false}')) AS found
FROM (VALUES (1, '"紫色大象"'), (2, '象唱 -"紫色大象"'), (3, '"大象唱"')) q(i, query) ORDER BY i;
TABLE signs;

-- The rows answer the same.
DROP INDEX pl.entries_memory;
SELECT bool_and(as_the_texts) AS by_rows FROM compared;
TABLE counted;
TABLE signs;
RESET memory_search.max_top_ke;
DROP VIEW compared, counted, signs;
DROP FUNCTION by_search, by_text, held, many;
DROP TABLE asked;
DROP SCHEMA pl CASCADE;
