-- Words are found without their accents, as written first; a letter that the store's language counts as its own is a
-- different one.
SELECT memory_create_store('ac', 4), count(memory_create_store('ac_' || language, 4, language))
FROM unnest('{german,swedish,spanish,turkish,french,russian,simple}'::text[]) language;
CREATE FUNCTION found(query text, memory text DEFAULT 'm', store text DEFAULT 'ac', how jsonb DEFAULT '{}')
RETURNS bigint[] LANGUAGE sql AS $$
  SELECT test.found(memory_search(memory, query, store => store,
    options => '{"strategy": "keyword", "fallback": false, "boosts": {"length": 0, "recency": 0}}' || how)) $$;
INSERT INTO ac.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'm', test.id(n), t, timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM unnest(ARRAY['we met at the cafe noir', 'we met at the café noir', 'Herr Müller wrote', 'die Straße nach Łódź',
  'a crème brûlée', 'ångström and œuvre', E'decomposed re\u0301sume\u0301', 'tea for two']) WITH ORDINALITY h (t, n);
-- An entry with the accents of the query comes first, with or without accents in the query.
SELECT query, found(query)
FROM (VALUES ('café'), ('cafe'), ('CAFÉ'), ('Muller'), ('müller'), ('strasse'), ('straße'), ('lodz'), ('brulee'),
  ('angstrom'), ('oeuvre'), ('resume'), ('résumé'), (E'cafe\u0301'), ('càfê')) q (query);
-- Words side by side are found in both forms. A quoted or excluded word with an accent is searched only with that
-- accent.
SELECT query, found(query)
FROM (VALUES ('"cafe noir"'), ('"the cafe"'), ('"café noir"'), ('"the café noir"'), ('met -café'), ('met -cafe'))
  q (query);
-- With match "all", the two forms of a word count as one word.
SELECT found('café noir', how => '{"match": "all"}') AS with_accent,
  found('cafe noir', how => '{"match": "all"}') AS without, found('café tea', how => '{"match": "all"}') AS never;
-- A word with an accent counts once: its entry gets the same score as an entry of the same length that has a word
-- without an accent.
INSERT INTO ac.entries (memory_id, entry_id, raw_entry) VALUES
  ('accent', test.id(1), 'café'), ('accent', test.id(2), 'pâté pâté'), ('accent', test.id(3), 'x y'),
  ('plain', test.id(1), 'cave z'), ('plain', test.id(2), 'pave pave z'), ('plain', test.id(3), 'x y');
SELECT memory, array_agg(details -> 'keyword' ->> 'bm25' ORDER BY entry_id) AS bm25
FROM (VALUES ('accent', 'café pâté'), ('plain', 'cave pave')) q (memory, query),
  memory_explain(memory, query, store => 'ac', options => '{"strategy": "keyword"}') GROUP BY memory ORDER BY memory;
-- No lexeme has one position twice, and a text without accents has only the lexemes of its words.
SELECT words FROM ac.entries JOIN test.words_of_store('ac') USING (memory_id, entry_id) WHERE memory_id = 'm'
ORDER BY creation_time;
-- The same holds for tags, for metadata with its keys, and for contexts.
SELECT memory_add('all', 'x', entry_id => test.id(1), summary => 'né', tags => '{naïve}',
  metadata => '{"größe": "crème", "é\"\\": ["à la", 1.5]}', store => 'ac', embedding => '[1,0,0,0]',
  context => 'the château');
SELECT query, found(query, 'all') FROM unnest('{ne,naive,grosse,creme,e,1.5}'::text[]) query;
INSERT INTO ac.contexts (memory_id, context, creation_time) VALUES ('all', 'a later one', clock_timestamp());
SELECT memory_search('all', 'chateau', 0, 3, store => 'ac', options => '{"strategy": "keyword"}')
  #>> '{contexts,0,context}' AS context, memory_search('all', 'castle', 0, 3, store => 'ac',
    options => '{"strategy": "keyword"}') #> '{contexts}' AS none;
-- Forms that the stemmer folds are one word, a stop word stays one, and a letter of the language keeps its accent.
INSERT INTO ac_german.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(1), 'für Herrn Müller');
INSERT INTO ac_french.entries (memory_id, entry_id, raw_entry)
VALUES ('m', test.id(1), 'elle a été aimée à côté des créations');
INSERT INTO ac_swedish.entries (memory_id, entry_id, raw_entry)
VALUES ('m', test.id(1), 'får och idé'), ('m', test.id(2), 'far');
INSERT INTO ac_spanish.entries (memory_id, entry_id, raw_entry)
VALUES ('m', test.id(1), 'año canción'), ('m', test.id(2), 'ano');
INSERT INTO ac_turkish.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(1), 'kısa gölge kâğıt');
INSERT INTO ac_russian.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(1), 'ёлка и йод');
INSERT INTO ac_simple.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(1), 'Ελλάδα Việt ёлка йод');
SELECT language, query, found(query, store => 'ac_' || language)
FROM (VALUES ('german', 'muller'), ('german', 'fur'), ('french', 'creations'), ('french', 'cote'), ('french', 'aimee'),
  ('french', 'ete'), ('swedish', 'far'), ('swedish', 'får'), ('swedish', 'ide'), ('spanish', 'ano'), ('spanish', 'año'),
  ('spanish', 'cancion'), ('turkish', 'kisa'), ('turkish', 'golge'), ('turkish', 'kağıt'), ('russian', 'елка'),
  ('russian', 'иод'), ('simple', 'ελλαδα'), ('simple', 'viet'), ('simple', 'елка'), ('simple', 'иод'))
  q (language, query);
SELECT words FROM test.words_of_store('ac_german', 'german')
UNION ALL SELECT words FROM test.words_of_store('ac_french', 'french');
-- Searches by the rows find the same as those by the memory index, also over several memories.
CREATE FUNCTION answers(query text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_agg(memory_search(memories, query, store => 'ac',
    options => '{"strategy": "keyword", "asOf": "2030-01-01T00:00:00Z"}'))
  FROM (VALUES (ARRAY['m']), (ARRAY['m', 'accent', 'plain'])) m (memories) $$;
CREATE TABLE by_index AS SELECT query, answers(query)
FROM unnest('{café,cafe,müller,"crème brûlée tea"}'::text[]) query;
DROP INDEX ac.entries_memory;
SELECT query, answers = answers(query) AS alike FROM by_index;
-- Snippets mark both forms.
SELECT query, entry #>> '{snippet,text}' AS snippet
FROM (VALUES ('cafe'), ('café')) q (query), jsonb_array_elements(memory_search('m', query, store => 'ac',
  options => '{"strategy": "keyword", "snippets": true}') -> 'entries') entry;
-- The worst texts fit, and take no longer than others.
SET statement_timeout = '20s';
SET client_min_messages = error;
INSERT INTO ac.entries (memory_id, raw_entry, summary, tags, metadata)
SELECT 'worst', t, t, ARRAY[t], jsonb_build_object('k', left(t, 7000))
FROM (SELECT string_agg('é' || chr(97 + i % 26) || chr(97 + i / 26 % 26) || chr(97 + i / 676), ' ')
      FROM generate_series(0, 16000) i
      UNION ALL SELECT string_agg(chr(192 + i % 20) || chr(256 + i / 20 % 60) || chr(7840 + i / 1200), ' ')
      FROM generate_series(0, 20000) i
      UNION ALL SELECT string_agg('é' || chr(97 + i % 26) || '/ü' || chr(97 + i / 26 % 26) || '/ö' || chr(97 + i / 676),
        ' ') FROM generate_series(0, 8000) i
      UNION ALL SELECT repeat('é', 60000) UNION ALL SELECT repeat('日本é', 20000)) h (t);
SELECT count(*) FROM ac.entries WHERE memory_id = 'worst';
RESET client_min_messages;
RESET statement_timeout;
DROP TABLE by_index;
DROP FUNCTION found, answers;
SELECT count(memory_drop_store(store, true))
FROM unnest('{ac,ac_german,ac_swedish,ac_spanish,ac_turkish,ac_french,ac_russian,ac_simple}'::text[]) store;
