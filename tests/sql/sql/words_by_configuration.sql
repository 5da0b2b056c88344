-- Words are made by the analyzer and by the dictionaries of a text search configuration, which a memory index names.
-- Plain SQL has the same words by the configurations memory_<language>.
SELECT count(*) > 20 AS languages, count(*) FILTER (WHERE NOT EXISTS (SELECT FROM pg_ts_config m
    WHERE m.cfgnamespace = 'public'::regnamespace AND m.cfgname = 'memory_' || c.cfgname)) AS without
FROM pg_ts_config c WHERE cfgnamespace = 'pg_catalog'::regnamespace;
SELECT to_tsvector('public.memory_english', text)
FROM unnest(ARRAY['see src/index/row.rs:12', 'mail joe.doe@example.org', 'ORA-00942 at v3.2.10', 'AT&T and C++',
  'we met at the café', '東京タワー', 'สวัสดี', 'thumbs 👍 up', 'getUserName of memory_search']) text;
SELECT language, to_tsvector(('public.memory_' || language)::regconfig, text)
FROM (VALUES ('simple', 'Die Häuser'), ('german', 'Die Häuser'), ('swedish', 'får och idéer'),
  ('russian', 'ёлка и собаки')) t (language, text);
SELECT ts_headline('public.memory_english', 'a look into src/index/row.rs, please', to_tsquery('public.memory_english',
  'row'));
-- Dictionaries that look at several words, and dictionaries that replace a word.
CREATE TEXT SEARCH DICTIONARY wc_phrases (TEMPLATE = thesaurus, DictFile = thesaurus_sample,
  Dictionary = english_stem);
CREATE TEXT SEARCH DICTIONARY wc_synonyms (TEMPLATE = synonym, Synonyms = synonym_sample);
CREATE TEXT SEARCH CONFIGURATION wc_words (COPY = english);
ALTER TEXT SEARCH CONFIGURATION wc_words ALTER MAPPING FOR asciiword, asciihword, hword_asciipart
  WITH wc_phrases, wc_synonyms, english_stem;
CREATE TEXT SEARCH CONFIGURATION memory_wc_words (COPY = memory_english);
ALTER TEXT SEARCH CONFIGURATION memory_wc_words ALTER MAPPING FOR asciiword, asciihword, hword_asciipart
  WITH wc_phrases, wc_synonyms, english_stem;
SET client_min_messages = error;
SELECT memory_create_store('wc', 4, 'public.wc_words');
CREATE FUNCTION found(query text, store text DEFAULT 'wc') RETURNS bigint[] LANGUAGE sql AS $$
  SELECT array_agg(n ORDER BY n) FROM unnest(test.found(memory_search('m', query, 10, store => store,
    options => '{"strategy": "keyword", "fallback": false}'))) n $$;
CREATE FUNCTION read_by(store text DEFAULT 'wc') RETURNS text LANGUAGE sql AS $$
  SELECT memory_search('m', 'tea', store => store, options => '{"strategy": "keyword", "diagnostics": true}')
    #>> '{diagnostics,reads,0,path}' $$;
INSERT INTO wc.entries (memory_id, entry_id, raw_entry) VALUES
  ('m', test.id(1), 'supernovae stars shine'), ('m', test.id(2), 'a supernovae'), ('m', test.id(3), 'the stars'),
  ('m', test.id(4), 'booking my tickets'), ('m', test.id(5), 'postgresql runs'), ('m', test.id(6), 'pgsql/indices'),
  ('m', test.id(7), 'one two three four'), ('m', test.id(8), 'one two'), ('m', test.id(9), 'two one');
SELECT words FROM test.words_of_store('wc', 'wc_words') ORDER BY entry_id;
CREATE TABLE asked AS SELECT query, found(query) AS found
FROM unnest(ARRAY['sn', 'supernovae stars', 'supernovae', 'star', 'invitation', 'booking tickets', 'postgres', 'pgsql',
  'index', 'one two', '12', '"one two"', '"one two three"', 'two', 'sn shine', '"supernovae stars shine"']) query;
SELECT query, found, found IS NOT DISTINCT FROM (SELECT array_agg(test.n(entry_id) ORDER BY entry_id)
    FROM test.words_of_store('wc', 'wc_words') WHERE words @@ CASE WHEN query LIKE '"%'
      THEN phraseto_tsquery('memory_wc_words', query)
      ELSE replace(plainto_tsquery('memory_wc_words', query)::text, '&', '|')::tsquery END) AS as_sql
FROM asked;
BEGIN;
SET LOCAL enable_indexscan = off;
SELECT read_by(), count(*) FILTER (WHERE found IS DISTINCT FROM found(query)) AS unlike FROM asked;
COMMIT;

-- The next statement follows a change of the configuration: in queries, in new rows, and in rows that it reads. The
-- words in the index stay until a REINDEX. A rolled back change has no effect.
CREATE TEXT SEARCH CONFIGURATION wc_changing (COPY = english);
SELECT memory_create_store('wc_changing', 4, 'public.wc_changing');
INSERT INTO wc_changing.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(1), 'she runs');
SELECT found('running', 'wc_changing') AS stemmed;
BEGIN;
ALTER TEXT SEARCH CONFIGURATION wc_changing ALTER MAPPING FOR asciiword WITH simple;
INSERT INTO wc_changing.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(2), 'he runs');
SELECT found('running', 'wc_changing') AS running, found('runs', 'wc_changing') AS runs;
ROLLBACK;
SELECT found('running', 'wc_changing') AS running;
ALTER TEXT SEARCH CONFIGURATION wc_changing ALTER MAPPING FOR asciiword WITH simple;
INSERT INTO wc_changing.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(2), 'he runs');
SELECT found('running', 'wc_changing') AS running, found('runs', 'wc_changing') AS runs;
BEGIN;
SET LOCAL enable_indexscan = off;
SELECT read_by('wc_changing'), found('runs', 'wc_changing') AS runs;
COMMIT;
REINDEX INDEX wc_changing.entries_memory;
SELECT found('runs', 'wc_changing') AS built_anew;
-- A configuration that a store or an index names cannot be dropped. It may get another name and schema; then all works
-- as before: new rows, searches by the index, VACUUM, REINDEX.
SELECT test.error('DROP TEXT SEARCH CONFIGURATION wc_changing');
CREATE TABLE wc_plain (person text, body text);
CREATE TEXT SEARCH CONFIGURATION wc_of_index (COPY = simple);
CREATE INDEX wc_plain_memory ON wc_plain USING memory_search (person, body) WITH (language = 'public.wc_of_index');
SELECT test.error('DROP TEXT SEARCH CONFIGURATION wc_of_index');
CREATE SCHEMA wc_moved;
ALTER TEXT SEARCH CONFIGURATION wc_changing RENAME TO "wc's Words";
ALTER TEXT SEARCH CONFIGURATION "wc's Words" SET SCHEMA wc_moved;
INSERT INTO wc_changing.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(3), 'tea runs');
\connect -
SET client_min_messages = error;
INSERT INTO wc_changing.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(4), 'it runs');
VACUUM wc_changing.entries;
SELECT read_by('wc_changing'), found('runs', 'wc_changing') AS runs;
REINDEX INDEX wc_changing.entries_memory;
SELECT read_by('wc_changing'), found('runs', 'wc_changing') AS runs;
-- An index that is built beside the present one, whose option has the old name, is built by the same configuration.
REINDEX INDEX CONCURRENTLY wc_changing.entries_memory;
SELECT read_by('wc_changing'), found('runs', 'wc_changing') AS runs;
SELECT status, detail FROM memory_doctor('wc_changing') WHERE name = 'index of searches';
-- Another configuration that gets the old name does not make the store's words.
CREATE TEXT SEARCH CONFIGURATION public.wc_changing (COPY = german);
INSERT INTO wc_changing.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(5), 'der runs');
SELECT found('der', 'wc_changing') AS der;
DROP INDEX wc_changing.entries_memory;
\set ECHO none
SELECT fix FROM memory_doctor('wc_changing') WHERE name = 'index of searches' \gexec
\set ECHO all
SELECT read_by('wc_changing'), found('runs', 'wc_changing') AS runs, (SELECT reloptions FROM pg_class
  WHERE oid = 'wc_changing.entries_memory'::regclass);

-- Options: options without a meaning are refused.
CREATE TABLE wc_notes (topic text, title text, body varchar, tags varchar(9)[], extra jsonb, at timestamptz,
  meaning vector(3), no int PRIMARY KEY);
SELECT i, test.error('CREATE INDEX ON wc_notes USING memory_search ' || definition)
FROM (VALUES (1, $$(topic, body) WITH (language = 'klingon')$$), (2, $$(topic, body) WITH (language = 'wc_words')$$),
  (3, $$(topic, body) WITH (language = 'public.wc_words')$$), (4, $$(topic, body) WITH (weights = 'E')$$),
  (5, $$(topic, body) WITH (weights = 'AB')$$), (6, $$(topic, title, body) WITH (weights = 'ab')$$),
  (7, $$(topic, title, body) WITH (weights = 'BA')$$), (8, $$(topic, meaning) WITH (language = 'german')$$),
  (9, $$(topic) WITH (weights = 'A')$$), (10, $$(topic, body) WITH (fillfactor = 70)$$),
  (11, $$(topic, body, to_tsvector('english', body))$$), (12, $$(topic, tags, extra)$$),
  (13, $$(topic, body) WITH (language = 'a b')$$), (14, $$(topic, body) WITH (language = '')$$)) t (i, definition)
ORDER BY i;
-- An index keeps the options of its build: other options count from the next build on.
INSERT INTO wc_plain VALUES ('m', 'die Häuser');
ALTER INDEX wc_plain_memory SET (language = 'german');
INSERT INTO wc_plain VALUES ('m', 'ein Haus');
VACUUM wc_plain;
SET enable_seqscan = off;
SELECT count(*) FROM wc_plain WHERE person = 'm';
SELECT count(*) > 0 AS is_sound FROM memory_index_check('wc_plain_memory');
REINDEX INDEX wc_plain_memory;
INSERT INTO wc_plain VALUES ('m', 'das Haus');
SELECT count(*) FROM wc_plain WHERE person = 'm';
SELECT count(*) > 0 AS is_sound FROM memory_index_check('wc_plain_memory');
-- The condition of an index keeps the configuration that it names from being dropped.
CREATE TEXT SEARCH CONFIGURATION wc_condition (COPY = simple);
CREATE INDEX wc_partial ON wc_plain USING memory_search (person, body)
  WHERE to_tsvector('public.wc_condition', body) @@ 'tea'::tsquery;
SELECT test.error('DROP TEXT SEARCH CONFIGURATION wc_condition');
DROP INDEX wc_partial;
-- An index with an expression records its configuration once, at each build, and finds it after a rename.
CREATE TEXT SEARCH CONFIGURATION wc_expression (COPY = simple);
CREATE INDEX wc_lower ON wc_plain USING memory_search (person, (lower(body))) WITH (language = 'public.wc_expression');
REINDEX INDEX wc_lower;
ALTER TEXT SEARCH CONFIGURATION wc_expression RENAME TO wc_of_expression;
REINDEX INDEX wc_lower;
SELECT count(*) AS recorded FROM pg_depend
 WHERE objid = 'wc_lower'::regclass AND refclassid = 'pg_ts_config'::regclass;
DROP INDEX wc_lower;
-- The configuration in an expression with words is not that of an option.
CREATE TABLE wc_letters (id uuid PRIMARY KEY, box text NOT NULL, body text);
SELECT memory_adopt_table('wc_adopted', 'wc_letters', '{"memory_id": "box", "entry_id": "id", "raw_entry": "body",
  "search_vector": "to_tsvector(''german'', body)"}');
SELECT status FROM memory_doctor('wc_adopted') WHERE name = 'index of searches';
-- REINDEX CONCURRENTLY gives the new index what the server had recorded for the old one. The words are those of the
-- option nevertheless, in queries and in new rows, and memory_doctor says how to record it.
SELECT memory_create_store('wc_concurrently', 4, 'english');
INSERT INTO wc_concurrently.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(1), 'die Häuser');
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I, ADD CONSTRAINT %2$I %s', conrelid::regclass, conname,
    replace(pg_get_constraintdef(oid), 'english', 'german')) AS change
  FROM pg_constraint WHERE connamespace = 'wc_concurrently'::regnamespace AND pg_get_constraintdef(oid) LIKE '%english%'
  ORDER BY conrelid::regclass::text \gexec
SELECT read_by('wc_concurrently'), found('Haus', 'wc_concurrently') AS haus;
ALTER INDEX wc_concurrently.entries_memory SET (language = 'german');
ALTER INDEX wc_concurrently.contexts_memory SET (language = 'german');
-- Between the options and the build, the rows are read, and memory_doctor says what is left to do.
SELECT read_by('wc_concurrently'), found('Haus', 'wc_concurrently') AS haus;
SELECT status, detail FROM memory_doctor('wc_concurrently') WHERE name = 'index of searches';
REINDEX INDEX wc_concurrently.contexts_memory;
REINDEX INDEX CONCURRENTLY wc_concurrently.entries_memory;
INSERT INTO wc_concurrently.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(2), 'ein Haus');
SELECT read_by('wc_concurrently'), found('Haus', 'wc_concurrently') AS haus,
  (SELECT count(*) > 0 FROM memory_index_check('wc_concurrently.entries_memory')) AS is_sound;
SELECT status, detail, fix FROM memory_doctor('wc_concurrently') WHERE name = 'index of searches';
RESET enable_seqscan;
SELECT test.error('DROP TEXT SEARCH CONFIGURATION wc_of_index') AS not_named_any_longer;

-- An index on a table's own columns is used by the store that adopts the table, if it makes the same words.
INSERT INTO wc_notes
SELECT 'm', test.words(n, 2), test.words(n + 50, 9), ARRAY[test.word(n)], jsonb_build_object('n', n),
  timestamptz '2026-01-01Z' + n * interval '1 hour', (test.vector(n))[1:3]::vector, n
FROM generate_series(1, 60) n;
SELECT memory_adopt_table('wc_notes', 'wc_notes', '{"memory_id": "topic", "entry_id": "no", "summary": "title",
  "raw_entry": "body", "creation_time": "at", "embedding": "meaning"}', with_index => false);
CREATE FUNCTION answers() RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(entry_id || ' ' || score, ',' ORDER BY rank)
  FROM memory_search_entries('m', 'tea lisbon hotels', 50, '[1,2,3]',
    store => 'wc_notes', options => '{"asOf": "2027-01-01T00:00:00Z"}') $$;
SELECT answers() AS by_rows \gset
CREATE FUNCTION served_by(definition text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'DROP INDEX IF EXISTS wc_notes_index';
  EXECUTE 'CREATE INDEX wc_notes_index ON wc_notes USING memory_search ' || definition;
  RETURN read_by('wc_notes');
END $$;
SELECT i, definition, served_by(definition), answers() = :'by_rows' AS same
FROM (VALUES (1, '(topic, title, body, meaning) INCLUDE (at, no)'),
  (2, $$(topic, title, body, meaning) INCLUDE (at, no) WITH (weights = 'AB', language = 'pg_catalog.english')$$),
  (3, $$(topic, body, title, meaning) INCLUDE (at, no) WITH (weights = 'BA')$$),
  (4, '(topic, body, title, meaning) INCLUDE (at, no)'),
  (5, $$(topic, title, body, meaning) INCLUDE (at, no) WITH (weights = 'AA')$$),
  (6, $$(topic, title, body, meaning) INCLUDE (at, no) WITH (language = 'german')$$),
  (7, '(topic, body, meaning) INCLUDE (at, no)'), (8, '(topic, title, body, tags, meaning) INCLUDE (at, no)'))
  t (i, definition) ORDER BY i;
-- A condition on another key is tested on the rows.
SELECT served_by('(topic, title, body, meaning) INCLUDE (at, no)');
SET enable_seqscan = off;
SET enable_indexscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM wc_notes WHERE topic = 'm' AND title = 'tea lisbon';
RESET enable_indexscan;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM wc_notes WHERE topic = 'm' AND title = 'tea lisbon';
SELECT count(*) AS titles, count(*) FILTER (WHERE
    (SELECT count(*) FROM wc_notes n WHERE n.topic = 'm' AND n.title = t.title)
      <> (SELECT count(*) FROM wc_notes n WHERE n.topic || '' = 'm' AND n.title || '' = t.title)) AS other
FROM wc_notes t;
RESET enable_bitmapscan;
RESET enable_seqscan;

-- Without the extension all rows and columns are there; with it again, what the doctor says makes searches fast again.
SELECT found('supernovae') AS before, md5(string_agg(e::text, '' ORDER BY entry_id)) AS rows_before
FROM wc.entries e \gset
BEGIN;
DROP EXTENSION memory_search CASCADE;
SELECT md5(string_agg(e::text, '' ORDER BY entry_id)) = :'rows_before' AS all_there FROM wc.entries e;
INSERT INTO wc.entries (memory_id, entry_id, raw_entry, creation_time)
VALUES ('m', test.id(20), 'a supernovae without it', '2020-01-01Z');
CREATE EXTENSION memory_search;
SELECT read_by(), found('supernovae');
\set ECHO none
SELECT fix FROM memory_doctor('wc') WHERE name = 'index of searches' \gexec
\set ECHO all
SELECT read_by(), found('supernovae'), (SELECT count(*) FROM memory_doctor('wc') WHERE status = 'error') AS errors;
ROLLBACK;
SELECT read_by(), found('supernovae') = :'before' AS as_before;
SELECT count(memory_drop_store(store, true)) FROM unnest('{wc,wc_changing,wc_notes,wc_concurrently,wc_adopted}'::text[])
  store;
DROP FUNCTION found, read_by, answers, served_by;
DROP TABLE asked, wc_plain, wc_notes, wc_letters;
DROP SCHEMA wc_moved CASCADE;
DROP TEXT SEARCH CONFIGURATION wc_words, memory_wc_words, wc_changing, wc_of_index, wc_condition, wc_of_expression;
DROP TEXT SEARCH DICTIONARY wc_phrases, wc_synonyms;
