-- Keys, texts, numbers and booleans of metadata are words, with the least weight; contexts have none of them.
SELECT memory_create_store('mw', 4), memory_create_store('mw_german', 4, 'german');
INSERT INTO mw.entries (memory_id, entry_id, raw_entry, metadata, creation_time) VALUES
  ('m', test.id(1), 'a parcel', '{"carrier": "Pelican", "weight": 17}', '2025-01-01Z'),
  ('m', test.id(2), 'a letter',
    '{"registered": true, "stamps": {"country": "Norway", "count": [3, 4]}}', '2025-01-02Z'),
  ('m', test.id(3), 'the carrier came', '{}', '2025-01-03Z'),
  ('m', test.id(4), 'a postcard', '{"tracking number": "C++", "lost": false, "note": null}', '2025-01-04Z'),
  ('m', test.id(5), 'a box', '[{"deep": [{"deeper": "walnut"}]}, "oak"]', '2025-01-05Z');
SELECT test.n(entry_id) AS n, words FROM test.words_of_store('mw') ORDER BY entry_id;
CREATE FUNCTION found(query text, store text DEFAULT 'mw') RETURNS bigint[] LANGUAGE sql AS $$
  SELECT test.found(memory_search('m', query, options => '{"strategy": "keyword", "fallback": false,
    "boosts": {"recency": 0, "importance": 0, "length": 0}}', store => store)) $$;
-- Entries are found by a key, a text, a number or a boolean at any depth; also by words and stems of a key.
SELECT i, query, found(query) FROM (VALUES (1, 'pelican'), (2, '17'), (3, 'weights'), (4, 'true'), (5, 'false'),
  (6, 'stamp country'), (7, 'Norway'), (8, '4'), (9, 'tracking'), (10, 'numbers'), (11, 'C++'), (12, 'deeper'),
  (13, 'oak'), (14, 'null'), (15, 'zebra')) t(i, query) ORDER BY i;
-- A word of the text counts more than a key of the metadata.
SELECT found('carrier');
-- Phrases and excluded words are also looked up in metadata.
SELECT found('"tracking number"') AS phrase, found('carrier -pelican') AS without,
  found('carrier -weight') AS without_a_key;
-- Of a longer document, only the beginning is searched, keys included.
INSERT INTO mw.entries (memory_id, entry_id, raw_entry, metadata, creation_time)
SELECT 'm', test.id(6), 'long',
  (SELECT jsonb_object_agg('key' || n, 'value' || n) FROM generate_series(1, 2000) n), '2025-01-06Z';
SELECT octet_length(metadata::text) > 16000 AS is_long, found('key1') AS first, found('value1') AS its_value,
  found('key2000 value2000') AS far_back
FROM mw.entries WHERE entry_id = test.id(6);
-- A change of metadata changes the found entries.
SELECT memory_update('m', test.id(1), metadata => '{"courier": false}', store => 'mw') AS updated;
SELECT found('pelican') AS before, found('courier') AS after, found('false');
-- The words are those of the store's language.
INSERT INTO mw_german.entries (memory_id, entry_id, raw_entry, metadata)
VALUES ('m', test.id(1), 'x', '{"Häuser": ["Straßen", 5]}');
SELECT found('haus', 'mw_german') AS stem_of_a_key, found('strasse', 'mw_german') AS of_a_value,
  found('5', 'mw_german') AS number;
-- The metadata of an adopted table are read in the same way, from a column or from an expression.
CREATE TABLE mw_notes (id uuid PRIMARY KEY, body text, extra jsonb);
INSERT INTO mw_notes VALUES (test.id(1), 'a parcel', '{"carrier": "Pelican", "express": true}');
SELECT memory_adopt_table('mw_adopted', 'mw_notes', '{"memory_id": "''m''", "entry_id": "id",
    "raw_entry": "body", "metadata": "extra"}'),
  memory_adopt_table('mw_part', 'mw_notes', '{"memory_id": "''m''", "entry_id": "id",
    "raw_entry": "body", "metadata": "extra - ''carrier''"}');
SELECT store, found('carrier', store) AS key, found('true', store) AS boolean
FROM unnest('{mw_adopted,mw_part}'::text[]) store ORDER BY 1;
DROP FUNCTION found;
DROP SCHEMA mw, mw_german, mw_adopted, mw_part CASCADE;
DROP TABLE mw_notes;
