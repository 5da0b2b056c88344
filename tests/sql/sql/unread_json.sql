-- JSON that jsonb refuses, in a table whose metadata are of type json: the row is found, its metadata count as empty,
-- and memory_doctor counts it.
CREATE TABLE uj_notes (id int PRIMARY KEY, body text, meta json);
INSERT INTO uj_notes VALUES
  (1, 'a red kite', '{"colour": "red"}'),
  (2, 'a blue kite', '{"colour": "bl\u0000ue"}'),
  (3, 'a green kite', '{"path": "C:\\u0000", "colour": "green"}'),
  (4, 'a grey kite', '{"colour": "\\\u0000"}'),
  (5, 'a white kite', '{"smile": "\ud83d\ude00"}'),
  (6, 'a black kite', '{"half": "\ud83d"}'),
  (7, 'a pink kite', '{"half": "\ude00\ud83d"}'),
  (8, 'a brown kite', NULL),
  (10, 'a lime kite', '{"size": 1e400000}'),
  (11, 'a teal kite', '{"size": 1E-20000}'),
  (12, 'a mauve kite', '{"hash\"1e400000": "1e400000", "size": 1e9, "end": "\\"}'),
  (13, 'a plum kite', ('{"size": 0.' || repeat('1', 16383) || 'e-9999}')::json),
  (14, 'a rose kite', ('{"size": ' || repeat('1', 131073) || '}')::json),
  (15, 'a mint kite', ('{"size": 0.' || repeat('1', 254) || 'e-999}')::json);
SELECT memory_adopt_table('uj', 'uj_notes',
  '{"memory_id": "''m''", "entry_id": "id", "raw_entry": "body", "metadata": "meta"}', with_index => false);
-- Exactly the metadata that jsonb refuses are left out.
SELECT e.entry_id, left(e.metadata::text, 60) AS metadata,
  e.metadata_is_refused = NOT pg_input_is_valid(n.meta::text, 'jsonb') AS as_jsonb_does
FROM uj.entries e JOIN uj_notes n ON n.id = e.entry_id ORDER BY 1;
SET memory_search.max_top_ke = 20;
CREATE FUNCTION found(query text, filters jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(e->>'entryId', ' ' ORDER BY e->>'entryId')
  FROM jsonb_array_elements(memory_search('m', query, 20, filters => filters, options => '{"strategy": "keyword"}',
    store => 'uj')->'entries') e $$;
SELECT found('kite'), found('blue'), found('green'), found('kite', '{"metadata": {"colour": "red"}}') AS red;
SELECT status, detail, fix FROM memory_doctor('uj') WHERE name = 'metadata of entries';
UPDATE uj_notes SET meta = NULL WHERE id IN (2, 4, 6, 7, 10, 11, 13, 14);
SELECT status, detail FROM memory_doctor('uj') WHERE name = 'metadata of entries';
-- The words are made by an expression that an index or a column may hold, and read alike under another setting.
DO $$
BEGIN
  EXECUTE (SELECT replace(fix, 'CONCURRENTLY', '') FROM memory_doctor('uj') WHERE name = 'index of searches');
END $$;
SELECT name, status FROM memory_doctor('uj') WHERE status <> 'ok';
INSERT INTO uj_notes VALUES (9, 'a gold kite', '{"colour": "g\u0000ld"}');
SELECT found('kite'), found('gold');
RESET memory_search.max_top_ke;
DROP FUNCTION found;
DROP SCHEMA uj CASCADE;
DROP TABLE uj_notes;
SET standard_conforming_strings = off;
CREATE TABLE uj_notes (id int PRIMARY KEY, body text, meta json);
INSERT INTO uj_notes VALUES (1, 'a kite', E'{"colour": "bl\\u0000ue"}'), (2, 'a kite', E'{"path": "C:\\\\u0000"}');
SELECT memory_adopt_table('uj', 'uj_notes',
  '{"memory_id": "''m''", "entry_id": "id", "raw_entry": "body", "metadata": "meta"}', with_index => false);
SELECT entry_id, metadata FROM uj.entries ORDER BY 1;
RESET standard_conforming_strings;
DROP SCHEMA uj CASCADE;
-- A copy of such a table is refused, because it would leave out rows.
SELECT memory_create_store('uj', 3);
SELECT left(test.error($$SELECT memory_import_table('uj', 'uj_notes',
  '{"memory_id": "''m''", "entry_id": "id", "raw_entry": "body", "metadata": "meta"}')$$), 5) AS refused;
SELECT memory_drop_store('uj', true);
DROP TABLE uj_notes;
