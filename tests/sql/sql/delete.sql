-- memory_delete hides at once, names what it deletes, and removes nothing.
SELECT memory_create_store('de', 4);
SELECT memory_add('m', 'kite number ' || n, entry_id => test.id(n), creation_time => '2025-01-01Z', store => 'de')
FROM generate_series(1, 5) n;
SELECT memory_add('other', 'kite', entry_id => test.id(1), store => 'de');
SELECT memory_put_context('m', 'about kites', creation_time => '2025-01-01Z', store => 'de') IS NOT NULL;

SELECT memory_delete('m', ARRAY[test.id(1), test.id(2)], store => 'de');
SELECT test.found(memory_search('m', 'kite', store => 'de')), memory_search('m', '', store => 'de')->'count' AS recent;
-- Entries that are hidden already or do not exist are not counted; nulls and an empty list name none.
SELECT memory_delete('m', ARRAY[test.id(1), test.id(3), test.id(99), NULL], store => 'de');
SELECT memory_delete('m', '{}', store => 'de');
SELECT memory_delete('unknown', ARRAY[test.id(4)], store => 'de');
-- An entry with the same id in another memory stays.
SELECT test.found(memory_search('other', 'kite', store => 'de'));
SELECT count(*) AS rows, count(deletion_scheduled_time) AS hidden FROM de.entries;
-- Deleting twice keeps the first time.
SELECT min(deletion_scheduled_time) AS first FROM de.entries WHERE entry_id = test.id(1) AND memory_id = 'm' \gset
SELECT memory_delete('m', ARRAY[test.id(1)], store => 'de');
SELECT deletion_scheduled_time = :'first' AS unchanged FROM de.entries WHERE entry_id = test.id(1) AND memory_id = 'm';

-- Hidden within the same transaction, back after a rollback.
BEGIN;
SELECT memory_delete('m', ARRAY[test.id(4)], store => 'de');
SELECT test.found(memory_search('m', 'kite', store => 'de'));
ROLLBACK;
SELECT test.found(memory_search('m', 'kite', store => 'de'));

-- The whole memory, contexts too.
SELECT memory_search('m', '', store => 'de')->>'latestContext' AS latest;
SELECT memory_delete('m', whole_memory => true, store => 'de');
SELECT memory_search('m', 'kite', store => 'de');
SELECT memory_search('other', 'kite', store => 'de')->'count' AS other;
SELECT count(*) AS rows FROM de.entries;

SELECT test.error(statement) FROM (VALUES
  ($$SELECT memory_delete('other', store => 'de')$$),
  ($$SELECT memory_delete('other', NULL, store => 'de')$$),
  ($$SELECT memory_delete('other', '{}', whole_memory => NULL, store => 'de')$$),
  ($$SELECT memory_delete('other', '{}', whole_memory => true, store => 'de')$$),
  ($$SELECT memory_delete(NULL, ARRAY[test.id(1)], store => 'de')$$),
  ($$SELECT memory_delete('', ARRAY[test.id(1)], store => 'de')$$),
  ($$SELECT memory_delete('other', whole_memory => true, store => 'nowhere')$$),
  ($$SELECT memory_delete('other', whole_memory => true, store => '')$$)
) t(statement);
SELECT memory_search('other', 'kite', store => 'de')->'count' AS other;
DROP SCHEMA de CASCADE;
