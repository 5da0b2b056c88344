-- The memory index, searches by the rows, and to_tsvector() with the extension's configuration make the same words of
-- texts: each lexeme, its positions, and its counts.
CREATE SCHEMA wsb_app;
SET memory_search.max_top_ke = 1000;
SET client_min_messages = warning;
-- Texts of every kind that the analyzer knows, texts at and beyond each limit, and texts that try to break out of a
-- literal.
CREATE TABLE texts (i int GENERATED ALWAYS AS IDENTITY, t text);
INSERT INTO texts (t) VALUES (''), (' '), ('a plain sentence of nothing in particular'), ('C++ and C#, F# and c++17'),
  ('C++#'), ('++ # +#+'), ('é++ ß# Ö#é++'), ('C++C++C++'), ('C###'), ('+ +'), ('東京の天気'), ('a東b京c'), ('東C++京#'),
  ('カタカナ ひらがな 漢字 豈'), ('한국어는 그대로'), ('naïve café'), ('😀 C++ 😀'), ($$it's a \ back\\slash \1 '' "quoted"$$),
  ('line' || E'\n' || 'break' || E'\t' || 'tab'), ('mail@example.org http://example.org/a?b=c#d 1.5e10 -7'),
  ('{"json": ["like", 1]}'), (repeat('a ', 30000) || 'beyond'), (repeat('東', 59999) || 'C++'),
  (repeat('x', 15998) || 'C++'), (repeat(E'\u00e9' || 'word ', 20000)), (repeat('ab C# ', 3000)),
  ((SELECT string_agg('w' || n, ' ') FROM generate_series(1, 12000) n)), (repeat('same ', 300));
INSERT INTO texts (t) VALUES ('src/a/b/c.rs:12 and/or TNF/IL-6'), ('v3.2.10 PG18.1-rc1 gpt-3.5'), ('R&D; AT&T'),
  ('ORA-00942'), ('joe.doe@db-17.example.org:25'), ('finished.Then e.g. this'), ('a@b'), ('สวัสดี ເຂົ້າ បាយ ထမင်း'),
  ('x:1 -5 .5'), ('东/京.txt é/ü.rs'), (repeat('src/ab.cd ', 6100)), (repeat('x', 15990) || '/y.z/AT&T');
INSERT INTO texts (t) SELECT text FROM test.hostile_texts() h(text);
CREATE TABLE rows_to_add AS
  SELECT t AS raw_entry, NULL::text AS summary, '{}'::text[] AS tags, '{}'::jsonb AS metadata FROM texts
  UNION ALL SELECT 'a text', t, '{}', '{}' FROM texts
  UNION ALL SELECT 'a text', 'a summary', ARRAY[t, 'tag', NULL, t], '{}' FROM texts
  UNION ALL SELECT 'a text', '', ARRAY[NULL, left(t, 9000), 'C++'], '{}' FROM texts
  UNION ALL SELECT 'a text', 'a summary', '{tag,C#}', jsonb_build_object(left(t, 9000), t, 'n', 1.50, 'b', true)
    FROM texts
  UNION ALL SELECT t, left(t, 100), ARRAY[left(t, 50)], jsonb_build_array(t, NULL, t, '{"deep": [1, {"C++": "C#"}]}')
    FROM texts
  UNION ALL SELECT '', '', ARRAY[NULL]::text[], m FROM (VALUES
    (jsonb '[]'), ('""'), ('null'), ('0'), ('{"a": {}}'), ('{"a": null}'), ('{"": ""}'), ('"C++ 東京"')) metadata(m)
  -- Metadata of 15,999 to 16,001 bytes: of the longest, only the beginning is text.
  UNION ALL SELECT 'a text', NULL, '{}', jsonb_build_object('key', repeat('東', 5) || repeat('word ', n / 5)
      || repeat('x', n % 5)) FROM generate_series(15973, 15975) n;
-- Ordinary prose, too, with words of other languages in it.
INSERT INTO rows_to_add (raw_entry, summary, tags, metadata)
SELECT test.words(n, 3 + n % 30)
  || (ARRAY[' Häuser, Straßen', ' flickornas böcker', ' бегущие собаки', ' running dogs'])[1 + n % 4]
  || (ARRAY['.', ' at 10:15, -7.5', ' (e.g. src/main.rs:7)', ''])[1 + n % 4],
  test.words(n + 700, n % 4),
  ARRAY[test.word(n), 'tag-' || n], jsonb_build_object('key_' || n % 5, n, 'place', test.words(n + 400, 2))
FROM generate_series(1, 200) n;
-- A store by its texts, and an adopted table by a column with the words that to_tsvector() makes of the same. Texts
-- beyond the bounds are compared by rows alone, and so are those with pairs of characters, which to_tsvector() lacks,
-- and those with more places than a tsvector has.
CREATE FUNCTION fill(language text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  compared bigint;
  fix text;
BEGIN
  PERFORM memory_create_store('wsb_' || language, 4, language);
  EXECUTE format('INSERT INTO wsb_%1$s.entries (memory_id, entry_id, raw_entry, summary, tags, metadata, creation_time)
    SELECT CASE WHEN octet_length(array_to_string(tags, ''  '')) > 8000 OR octet_length(metadata::text) > 16000
        OR length(summary) > 16000 OR length(raw_entry) > 60000
        OR concat(raw_entry, summary, tags, metadata) ~ ''[\u0e00-\u109f\u3040-\u30ff\u4e00-\u9fff\uf900-\ufaff]{2}''
        OR EXISTS (SELECT FROM unnest(test.words_of_entry(%1$L, summary, raw_entry, tags, metadata)) w
                   WHERE cardinality(w.positions) >= 255 OR 16383 = ANY (w.positions))
        THEN ''beyond'' ELSE ''m'' END,
      test.id(n), raw_entry, summary, tags, metadata, timestamptz ''2025-01-01Z'' + n * interval ''1 hour''
    FROM (SELECT row_number() OVER () AS n, * FROM rows_to_add) r
    -- The long texts are stored in one language only.
    WHERE %1$L = ''english'' OR length(to_jsonb(r)::text) < 3000', language);
  EXECUTE format('CREATE TABLE wsb_app.%1$s AS SELECT memory_id, entry_id AS id, raw_entry, creation_time AS made,
      test.words_of_entry(%1$L, summary, raw_entry, tags, metadata) AS words
    FROM wsb_%1$s.entries WHERE memory_id = ''m''', language);
  EXECUTE format('ALTER TABLE wsb_app.%s ADD PRIMARY KEY (id)', language);
  PERFORM memory_adopt_table('wsb_words_' || language, ('wsb_app.' || language)::regclass, '{"memory_id": "memory_id",
    "entry_id": "id", "raw_entry": "raw_entry", "creation_time": "made", "search_vector": "words"}',
    'public.memory_' || language, with_index => false);
  SELECT replace(d.fix, ' CONCURRENTLY', '') INTO fix
  FROM memory_doctor('wsb_words_' || language) d WHERE name = 'index of searches';
  EXECUTE fix;
  EXECUTE format('SELECT count(*) FROM wsb_app.%s WHERE length(words) > 0', language) INTO compared;
  RETURN compared;
END $$;
CREATE TABLE languages AS SELECT unnest('{english,german,simple,swedish,russian}'::text[]) AS language;
SELECT language, fill(language) AS with_words FROM languages;
-- The queries: lexemes, words as they are written, and neighbouring words in quotes.
CREATE TABLE asked (language text, kind text, query text);
INSERT INTO asked
SELECT language, kind, query
FROM languages, LATERAL (
  (SELECT 'lexeme', word FROM ts_stat('SELECT words FROM wsb_app.' || language) WHERE word ~ '^[ -~]{1,40}$'
   ORDER BY md5(word) LIMIT 40)
  UNION ALL
  (SELECT 'written', word FROM rows_to_add, regexp_split_to_table(left(raw_entry, 400), '[[:space:]]+') word
   WHERE word ~ '^[!#-~]{2,40}$' GROUP BY word ORDER BY md5(word) LIMIT 20)
  UNION ALL
  (SELECT 'phrase', format('"%s"', pair[1] || ' ' || pair[2])
   FROM rows_to_add, regexp_matches(left(raw_entry, 400), '([[:alnum:]/.+&-]+)[ ,]+([[:alnum:]/.+&-]+)', 'g') pair
   WHERE pair[1] || pair[2] ~ '^[ -~]*$'
   GROUP BY pair ORDER BY md5(pair::text) LIMIT 40)) q (kind, query);
CREATE FUNCTION answer(store text, memory text, query text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(concat_ws(' ', entry_id, bm25), ',' ORDER BY entry_id)
  FROM memory_search_entries(memory, query, 1000, store => store, options => '{"strategy": "keyword",
    "fallback": false, "candidates": 1000, "boosts": {"recency": 0, "importance": 0, "length": 0}}') $$;
CREATE TABLE by_index AS
SELECT *, answer('wsb_' || language, 'm', query) AS m,
  CASE language WHEN 'english' THEN answer('wsb_english', 'beyond', query) END AS beyond FROM asked;
SELECT language, kind, count(*) AS asked, count(m) AS found,
  count(*) FILTER (WHERE m IS DISTINCT FROM answer('wsb_words_' || language, 'm', query)) AS unlike_to_tsvector
FROM by_index GROUP BY language, kind ORDER BY language, kind;
SELECT DISTINCT memory_search('m', 'tea', store => prefix || language, options => '{"diagnostics": true}')
  #>> '{diagnostics,reads,0,path}' AS read_by
FROM languages, unnest('{wsb_,wsb_words_}'::text[]) prefix;
BEGIN;
SET LOCAL enable_indexscan = off;
SELECT DISTINCT memory_search('m', 'tea', store => 'wsb_' || language, options => '{"diagnostics": true}')
  #>> '{diagnostics,reads,0,path}' AS read_by FROM languages;
SELECT kind, count(m) AS found, count(beyond) AS beyond,
  count(*) FILTER (WHERE m IS DISTINCT FROM answer('wsb_' || language, 'm', query)) AS unlike_rows,
  count(*) FILTER (WHERE beyond IS DISTINCT FROM answer('wsb_' || language, 'beyond', query)) AS unlike_beyond
FROM by_index WHERE language = 'english' AND left(md5(query), 1) < '8' GROUP BY kind ORDER BY kind;
COMMIT;
-- Refused and accepted values: metadata may be null if somebody allowed it, and then there are fewer words.
SELECT i, split_part(test.error(format('INSERT INTO wsb_english.entries (memory_id, raw_entry, tags)
  VALUES (''x'', %s)', given)), ' DETAIL', 1) AS error
FROM (VALUES (1, $$NULL, '{}'$$), (2, $$'a', NULL$$)) t (i, given) ORDER BY i;
ALTER TABLE wsb_english.entries ALTER metadata DROP NOT NULL;
INSERT INTO wsb_english.entries (memory_id, entry_id, raw_entry, metadata, tags)
VALUES ('odd', test.id(1), 'a text', NULL, '{{kettle,drum},{drum,NULL}}');
-- No setting of the session changes how a text is read.
SET standard_conforming_strings = off;
SET search_path = pg_temp;
SET quote_all_identifiers = on;
SET default_text_search_config = 'pg_catalog.german';
INSERT INTO wsb_english.entries (memory_id, entry_id, raw_entry, summary, tags, metadata)
VALUES ('odd', test.id(2), 'C++ 東京 running', 'C#', '{C++}', '{"C#": "京"}');
RESET standard_conforming_strings;
RESET search_path;
RESET quote_all_identifiers;
RESET default_text_search_config;
CREATE TABLE odd AS SELECT query, test.found(memory_search('odd', query, store => 'wsb_english',
  options => '{"strategy": "keyword", "fallback": false}')) AS found
FROM unnest('{text,kettle,drum,c++,c#,京,runs,the}'::text[]) query;
SELECT * FROM odd;
BEGIN;
SET LOCAL enable_indexscan = off;
SELECT count(*) AS unlike_rows FROM odd WHERE found IS DISTINCT FROM test.found(memory_search('odd', query,
  store => 'wsb_english', options => '{"strategy": "keyword", "fallback": false}'));
COMMIT;
SELECT count(memory_drop_store(prefix || language, true)) AS dropped
FROM languages, unnest('{wsb_,wsb_words_}'::text[]) prefix;
DROP FUNCTION fill, answer;
DROP TABLE texts, rows_to_add, asked, by_index, odd, languages;
DROP SCHEMA wsb_app CASCADE;
