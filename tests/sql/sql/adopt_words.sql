-- Words of an adopted table: from a tsvector column that is named, from the only such column, or from the texts.
CREATE SCHEMA at_app;
CREATE TABLE at_app.words (id int PRIMARY KEY, line text, tsv tsvector, other tsvector);
INSERT INTO at_app.words VALUES
  (1, 'the trains of C++', to_tsvector('simple', 'the trains lexemeoftsv'), to_tsvector('simple', 'lexemeofother')),
  (2, 'a hotel', NULL, NULL),
  (3, '東京タワー', to_tsvector('simple', 'tower'), NULL);
CREATE VIEW at_app.one_tsvector AS SELECT id, line, tsv FROM at_app.words;
SET client_min_messages = notice;
SELECT memory_adopt_table('at_named', 'at_app.words',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line", "search_vector": "other"}', 'simple',
    with_index => false);
SELECT memory_adopt_table('at_only', 'at_app.one_tsvector',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line"}', 'simple', with_index => false);
SELECT memory_adopt_table('at_declined', 'at_app.one_tsvector',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line", "search_vector": null}', with_index => false);
SELECT memory_adopt_table('at_two', 'at_app.words',
  '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line"}', with_index => false);
SELECT memory_adopt_table('at_expression', 'at_app.words',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line",
      "search_vector": "setweight(to_tsvector(''english'', line), ''A'') || coalesce(other, '''')"}',
  with_index => false);
RESET client_min_messages;
SELECT query,
  (SELECT string_agg(name || ':'
         || (SELECT coalesce(string_agg(entry_id, ',' ORDER BY entry_id), '')
             FROM memory_search_entries('all', query, options => '{"strategy": "keyword", "fallback": false}',
                 store => 'at_' || name)),
       ' ' ORDER BY s.i)
   FROM (VALUES (1, 'named'), (2, 'only'), (3, 'declined'), (4, 'two'), (5, 'expression')) s(i, name)) AS found
FROM (VALUES
  (1, 'train'),
  (2, 'trains'),
  (3, 'the'),
  (4, 'lexemeoftsv'),
  (5, 'lexemeofother'),
  (6, 'C++'),
  (7, 'c'),
  (8, '京'),
  (9, 'hotel')
) q(i, query)
ORDER BY q.i;
-- Phrases and excluded words are looked for in the same place.
SELECT query,
  (SELECT array_agg(entry_id)
   FROM memory_search_entries('all', query, options => '{"strategy": "keyword"}', store => 'at_only')) AS only,
  (SELECT array_agg(entry_id)
   FROM memory_search_entries('all', query, options => '{"strategy": "keyword"}', store => 'at_declined')) AS declined
FROM (VALUES (1, '"trains lexemeoftsv"'), (2, '"trains of"'), (3, 'trains -lexemeoftsv')) q(i, query)
ORDER BY i;
-- The language is the given one, also if it has another name.
CREATE TEXT SEARCH CONFIGURATION at_app."It's mine" (COPY = pg_catalog.german);
CREATE TABLE at_app.zug (id int PRIMARY KEY, line text);
INSERT INTO at_app.zug VALUES (1, 'Die Züge fahren'), (2, 'Ein Haus');
SELECT memory_adopt_table('at_' || name, 'at_app.zug',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line"}', language, with_index => false)
FROM (VALUES ('german', 'german'), ('english', 'english'), ('mine', 'at_app.It''s mine')) l(name, language);
SELECT name,
  memory_search('all', 'Zug', options => '{"strategy": "keyword", "fallback": false}',
      store => 'at_' || name)->'count' AS zug,
  memory_search('all', 'die', options => '{"strategy": "keyword", "fallback": false}',
      store => 'at_' || name)->'count' AS die
FROM (VALUES ('german'), ('english'), ('mine')) l(name) ORDER BY 1;
SELECT DISTINCT language
FROM (SELECT language FROM at_german.entries
      UNION ALL SELECT language FROM at_english.entries
      UNION ALL SELECT language FROM at_mine.entries) l
ORDER BY 1;

SELECT count(memory_drop_store(nspname, force => true)) AS dropped
FROM pg_namespace WHERE nspname LIKE 'at\_%' AND nspname <> 'at_app';
SELECT count(*) AS tables
FROM pg_class WHERE relnamespace = 'at_app'::regnamespace AND relkind = 'r';
DROP SCHEMA at_app CASCADE;
