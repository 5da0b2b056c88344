-- Without the unique index on entry_key no entry can be stored by a key: the error of each function has the statement
-- that repairs it. Entries without a key can be stored.
SELECT memory_create_store('lki', 2);
DROP INDEX lki.entries_key;
SELECT call, test.error('SELECT ' || call)
FROM (VALUES
  (1, $$memory_add('m', 'tea', embedding => '[1,0]', entry_key => 'k', store => 'lki')$$),
  (2, $$memory_add_many('m', '[{"rawEntry": "tea", "embedding": [1,0], "entryKey": "k"}]', store => 'lki')$$),
  (3, $$memory_add('m', 'tea', embedding => '[1,0]', store => 'lki') IS NOT NULL$$)
) t(i, call) ORDER BY i;
SELECT fix FROM memory_doctor('lki') WHERE name = 'index of keys' \gexec
SELECT count(memory_add('m', text, embedding => '[1,0]', entry_key => 'k', store => 'lki')) AS stored
FROM unnest(ARRAY['tea', 'green tea']) text;
SELECT string_agg(raw_entry, ', ') AS kept FROM lki.entries;
DROP SCHEMA lki CASCADE;
