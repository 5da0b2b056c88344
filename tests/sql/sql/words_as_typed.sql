-- Words are found by typing what is seen, in any case, in operators as in other words.
SELECT memory_create_store('wat', 4, 'simple');
CREATE FUNCTION found(entry text, query text, word_match text DEFAULT 'any', store text DEFAULT 'wat') RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('DELETE FROM %I.entries', store);
  EXECUTE format('INSERT INTO %I.entries (memory_id, raw_entry) VALUES (''m'', $1)', store) USING entry;
  RETURN EXISTS (SELECT FROM memory_search_entries('m', query, store => store, options => jsonb_build_object(
    'strategy', 'keyword', 'fallback', false, 'match', word_match)));
END $$;
-- A word of several by case is the same word in another case, also in phrases, after a dash, and if all must match.
SELECT entry, query, found(entry, query), found(entry, query, 'all') AS all
FROM (VALUES
  (1, 'we host code on github today', 'GitHub'), (2, 'we host code on github today', '"GitHub"'),
  (3, 'we host code on github today', 'code -GitHub'), (4, 'we host on GitHub today', '"github today"'),
  (5, 'we host on GitHub today', '"on github today"'), (6, 'we host on GitHub today', '"on GitHub today"'),
  (7, 'the PostgreSQL extension', 'the extension -"postgresql extension"'), (8, 'call getUserName now', '"user name"'),
  (9, 'call getUserName now', 'name'), (10, 'call getUserName now', '"call getusername now"'),
  (11, 'call getUserName now', '"get now"'), (12, 'in app.userService.find', '"userservice.find"'),
  (13, 'a get_userName', '"get_username"')) v (i, entry, query)
ORDER BY i;
-- All that a dash precedes is excluded, except numbers and options.
SELECT string_agg(word, ' ' ORDER BY i) FILTER (WHERE NOT found('zebra ' || word, 'zebra -' || word)) AS excluded,
  string_agg(word, ' ' ORDER BY i) FILTER (WHERE found('zebra ' || word, 'zebra -' || word)) AS searched
FROM unnest('{C++,C#,R&D,Q&A,I/O,e-mail,x-ray,T-shirt,a_b,3D,5G,.NET,u.s.,#todo,@ann,😀,5,3.5%,10:30,m,-verbose}'
  ::text[]) WITH ORDINALITY w (word, i);
-- A quotation mark in a word is no operator; typographic ones are.
SELECT entry, query, found(entry, query)
FROM (VALUES (1, 'צה"ל תקף', 'צה"ל ארה"ב'), (2, 'a 5" hose', '5" hose 6" pipe'), (3, 'the red house', '“red house”'),
  (4, 'a house, red', '“red house”'), (5, 'a house, red', '„house red“'), (6, 'house red', 'house -«house red»'))
  v (i, entry, query)
ORDER BY i;
-- Words that look the same are the same, and those with accents are found without them within names.
CREATE TABLE wat_seen AS SELECT * FROM (VALUES
  (1, E'Donau\u00addampf\u00adschiff', 'Donaudampfschiff'), (2, E'long\u2011term', 'long-term'),
  (3, E'hello\u2060world', 'helloworld'), (4, E'за\u0301мок', 'замок'), (5, 'ＰｏｓｔｇｒｅＳＱＬ', 'postgresql'),
  (6, 'ｶﾌｪ', 'カフェ'), (7, E'葛\U000E0100城市', '葛城市'), (8, 'ﬁle', 'file'), (9, E'5 \u00b5m', E'5 \u03bcm'),
  (10, E'می\u200cروم', 'میروم'), (11, '⏰', '⏰'), (12, E'\u25b6\ufe0f', E'\u25b6\ufe0f'),
  (13, 'ΛΟΓΟΣ', 'λόγος')) v (i, one, other);
SELECT i, found(one, other) AND found(other, one) AS found,
  found(one, other, 'all') AND found(other, one, 'all') AS all,
  found(one, format('"%s"', other)) AND found(other, format('"%s"', one)) AS phrase
FROM wat_seen ORDER BY i;
SELECT i, found(one, other) AND found(other, one) AS found,
  found(one, other, 'all') AND found(other, one, 'all') AS all,
  found(one, format('"%s"', other)) AS phrase, found(other, format('"%s"', one)) AS accents_of_phrase
FROM (VALUES (1, 'Straße123', 'Strasse123'), (2, 'Zürich2024', 'zurich2024'), (3, 'résumé.pdf', 'resume.pdf'),
  (4, 'café_noir', 'cafe_noir'), (5, 'São_Paulo', 'sao_paulo'), (6, 'joe@müller.example', 'joe@muller.example'),
  (7, 'café-2024', 'cafe-2024'), (8, '/año/été', '/ano/ete')) v (i, one, other) ORDER BY i;
SELECT one, to_tsvector('memory_english', one) AS words
FROM unnest(ARRAY['résumé.pdf', 'Zürich2024', E'a\u00adb', 'ΛΟΓΟΣ']) one;
-- With a thesaurus, words have no accents, whether or not a text with its phrases came before.
CREATE TEXT SEARCH DICTIONARY wat_phrases (TEMPLATE = thesaurus, DictFile = thesaurus_sample,
  Dictionary = english_stem);
CREATE TEXT SEARCH CONFIGURATION wat_words (COPY = english);
ALTER TEXT SEARCH CONFIGURATION wat_words ALTER MAPPING FOR asciiword WITH wat_phrases, english_stem;
SELECT memory_create_store('wat_thesaurus', 4, 'public.wat_words');
SELECT entry, query, found(entry, query, store => 'wat_thesaurus')
FROM (VALUES (1, 'a crème', 'creme'), (2, 'supernovae stars', 'sn'), (3, 'a crème', 'creme'), (4, 'a creme', 'crème'),
  (5, 'pâtisserie at GitHub', 'patisserie'), (6, 'at GitHub', '"at github"'), (7, 'at GitHub', 'hub'))
  v (i, entry, query)
ORDER BY i;
-- ts_headline shows a text as it is.
CREATE TABLE wat_shown (i int GENERATED ALWAYS AS IDENTITY, t text);
INSERT INTO wat_shown (t) VALUES ('call AT&T now'), ('C++, C# and std/C++'), ('memory_search of getUserName'),
  ('v3.2.10 db_17.example.net'), ('C:\a\b_c.txt'), ('PG18.1-rc2 ./a/b ~/x PROJ-12-34 2024-05-03T10:00'),
  (E'cafe\u0301.pdf ok'),
  ('❤️ ▶️ 👨‍👩‍👧 東京タワー ｶﾌｪ Ａ１'), (E'a\u00adb long\u2011term ﬁ µ'),
  (repeat(' ', 5000) || 'x' || repeat('y', 3000) || ' z'),
  ('a' || repeat(E'\u00ad', 3000) || 'b c'), ('https://example.com:8080/a/b?x=1#f joe.doe@example.org'),
  ('Vec<String> &amp; </div> he/she'), (''), (repeat('a_b C++ ', 9000));
INSERT INTO wat_shown (t) SELECT text FROM test.hostile_texts() h (text);
SELECT count(*) > 20 AS texts, count(*) FILTER (WHERE ts_headline('memory_english', t,
  to_tsquery('memory_english', query),
  'HighlightAll=true, StartSel="", StopSel=""') <> t) AS others
FROM wat_shown, unnest('{zebra,a,c++,"2024"}'::text[]) query;
SELECT ts_headline('memory_english', t, websearch_to_tsquery('memory_english', query), 'HighlightAll=true') AS shown
FROM (VALUES (1, 'call AT&T now', 'AT&T'), (2, 'in C++ now', 'C++'), (3, 'a memory_search', 'memory_search'),
  (4, 'v3.2.10 of it', '3.2.10'), (5, 'by getUserName()', 'getUserName'), (6, 'ＡＢ１ and ❤️', 'ab1'),
  (7, 'see src/index/row.rs', 'row')) v (i, t, query)
ORDER BY i;
-- Texts that look the same have the same embedding.
SELECT memory_embed(E'cafe\u0301 cre\u0301me') = memory_embed('café créme') AS composed,
  memory_embed(E'10\u00a0km of long\u2011term Donau\u00addampf')
    = memory_embed('10 km of long-term Donaudampf') AS seen;
DROP FUNCTION found;
DROP TABLE wat_seen, wat_shown;
SET client_min_messages = warning;
SELECT memory_drop_store('wat', true), memory_drop_store('wat_thesaurus', true);
DROP TEXT SEARCH CONFIGURATION wat_words;
DROP TEXT SEARCH DICTIONARY wat_phrases;
