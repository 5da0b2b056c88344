-- A text of 5 MB of any kind can be stored, by memory_add and by INSERT, and is found by its early words.
SELECT memory_create_store('bt', 4), memory_create_store('bt_simple', 4, 'simple');
CREATE TABLE big (n int, kind text, text text);
-- Random words, none twice: the most lexemes that a text can have.
INSERT INTO big
SELECT 1, 'unique words', 'earlyword ' || string_agg(md5(g::text), ' ')
FROM generate_series(1, 160000) g;
-- Two-letter words of four-byte letters: the most bytes of lexemes for a character.
INSERT INTO big
SELECT 2, 'four bytes a letter',
  'earlyword ' || string_agg(chr(66560 + g % 40) || chr(66560 + g / 40 % 40) || chr(66560 + g / 1600 % 40), ' ')
FROM generate_series(1, 420000) g;
-- Hyphenated words are indexed whole and in parts.
INSERT INTO big
SELECT 3, 'hyphens',
  'earlyword '
    || string_agg(substr(md5(g::text), 1, 3) || '-' || substr(md5(g::text), 4, 3) || '-' || substr(md5(g::text), 7, 3),
        ' ')
FROM generate_series(1, 480000) g;
-- The host and the path of an address are words, too.
INSERT INTO big
SELECT 4, 'addresses', 'earlyword ' || string_agg('h' || g || '.io/p/' || substr(md5(g::text), 1, 8) || '?q=' || g, ' ')
FROM generate_series(1, 200000) g;
INSERT INTO big
SELECT 5, 'files and mails',
  'earlyword ' || string_agg('/u/' || g || '/' || substr(md5(g::text), 1, 4) || '.c a' || g || '@b.de', ' ')
FROM generate_series(1, 200000) g;
-- One word of 5 MB, one letter and digits of many scripts, numbers, no space at all.
INSERT INTO big SELECT 6, 'one word', 'earlyword ' || repeat('x', 5 * 1024 * 1024);
INSERT INTO big
SELECT 7, 'numbers', 'earlyword ' || string_agg('-' || g || '.' || g || 'e' || g % 9, ' ')
FROM generate_series(1, 330000) g;
INSERT INTO big
SELECT 8, 'ideographs', 'earlyword ' || string_agg(chr(19968 + g % 20000), '、')
FROM generate_series(1, 900000) g;
INSERT INTO big
SELECT 9, 'markup', 'earlyword ' || string_agg('<a href="' || g || '">&#' || g || ';</a>', '')
FROM generate_series(1, 200000) g;
SELECT n, kind, octet_length(text) >= 5 * 1024 * 1024 AS is_5_megabytes FROM big ORDER BY n;

-- The same texts as raw_entry, also in the language that keeps every word.
SELECT n, kind, test.n(memory_add('m', text, entry_id => test.id(n), store => 'bt')) = n AS stored FROM big ORDER BY n;
INSERT INTO bt_simple.entries (memory_id, entry_id, raw_entry) SELECT 'm', test.id(n), left(text, 200000) FROM big;
SELECT store, (SELECT array_agg(f::bigint ORDER BY f) FROM unnest(test.found(memory_search('m', 'earlyword', 10,
         options => '{"strategy": "keyword", "fallback": false}', store => store))) f)
FROM (VALUES ('bt'), ('bt_simple')) s(store);
SELECT count(*) AS complete FROM bt.entries JOIN big ON test.n(entry_id) = n WHERE raw_entry = text;

-- A plain INSERT stores them in all long fields at once.
INSERT INTO bt.entries (memory_id, entry_id, raw_entry, summary, context, tags, metadata)
SELECT 'all', test.id(n), text, text, text, ARRAY[text, 'late tag'], jsonb_build_object('text', text) FROM big;
SELECT array_agg(test.n(entry_id) ORDER BY test.n(entry_id))
FROM memory_search_entries('all', 'earlyword', 10, store => 'bt');
SELECT memory_put_context('m', text, store => 'bt') IS NOT NULL AS put FROM big ORDER BY n;
SELECT jsonb_array_length(memory_search('m', 'earlyword', 0, 3, store => 'bt')->'contexts') AS contexts;

-- Many tags and much metadata instead of long ones.
INSERT INTO bt.entries (memory_id, entry_id, raw_entry, tags, metadata)
SELECT 'many', test.id(1), 'x', array_agg('tag' || g), jsonb_object_agg('key' || g, 'value' || g)
FROM generate_series(1, 200000) g;
SELECT test.found(memory_search('many', 'x', filters => '{"tags": "tag199999", "metadata": {"key77777": "value77777"}}',
    store => 'bt'));

-- A text that ends in the middle of a letter at the limit of indexing: the limits count characters.
INSERT INTO bt.entries (memory_id, entry_id, raw_entry)
SELECT 'cut', test.id(n), 'earlyword ' || repeat('🧠', 59980 + n)
FROM generate_series(1, 20) n;
SELECT count(*) FROM memory_search_entries('cut', 'earlyword', 10, store => 'bt');
DROP TABLE big;
DROP SCHEMA bt, bt_simple CASCADE;
