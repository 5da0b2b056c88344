-- Keys of entries: storing under the same key again changes the entry that has it, for every way of storing.
SELECT memory_create_store('ek', 4);
CREATE VIEW shown AS
SELECT entry_id = test.id(1) AS is_first, entry_key, raw_entry, summary, tags, metadata, importance, user_id, agent_id,
  session_id, source_type, context, creation_time, expires_at, deletion_scheduled_time, embedding, embedding_model
FROM ek.entries;
SET memory_search.embed_on_write = off;
\x on
SELECT memory_add('m', 'one', 's', 'c', '{t}', '{"k": 1}', 60, '[1,0,0,0]', 'u', 'a', 'chat', '2025-01-01Z',
  test.id(1), 'ek', '2099-01-01Z', 'session', 'key') = test.id(1) AS added;
SELECT memory_touch('m', array[test.id(1)], 'ek');
-- Columns that the second call leaves out are as in a new entry; id, uses and time of creation stay, and so does the
-- embedding if the texts are the same.
SELECT memory_add('m', 'one', 's', entry_key => 'key', store => 'ek') = test.id(1) AS changed;
SELECT * FROM shown;
-- Another text has no embedding until the caller gives one; a time that is given replaces the old one.
SELECT memory_add('m', 'two', entry_key => 'key', store => 'ek',
  creation_time => '2025-02-01Z') = test.id(1) AS changed;
SELECT * FROM shown;
SELECT memory_add('m', 'two', entry_key => 'key', store => 'ek', embedding => '[0,1,0,0]') = test.id(1) AS changed,
  memory_add('m', 'two', entry_key => 'key', store => 'ek', embedding => '[0,0,2,0]', entry_id => test.id(1))
    = test.id(1) AS changed_again;
SELECT embedding, (SELECT access_count FROM ek.entry_access) AS uses FROM shown;
\x off
-- A deleted entry comes back, with the context that it is given now; the one from before stays deleted.
SELECT memory_delete('m', array[test.id(1)], store => 'ek');
SELECT memory_add('m', 'two', context => 'c', entry_key => 'key', store => 'ek') = test.id(1) AS changed;
SELECT raw_entry, deletion_scheduled_time, (SELECT count(*) FROM ek.contexts
  WHERE deletion_scheduled_time IS NULL) AS contexts FROM shown;
-- An entry that was corrected stays corrected.
SELECT memory_add('m', 'the correction', entry_id => test.id(2), store => 'ek') = test.id(2) AS added,
  memory_supersede('m', test.id(1), test.id(2), 'ek');
SELECT memory_add('m', 'two again', entry_key => 'key', store => 'ek') = test.id(1) AS changed;
SELECT raw_entry FROM memory_list('m', store => 'ek');
SELECT memory_supersede('m', test.id(1), NULL, 'ek');
-- The same key in another memory names another entry.
SELECT memory_add('n', 'elsewhere', entry_key => 'key', store => 'ek') <> test.id(1) AS is_another;
-- Refused calls, which change nothing.
SELECT memory_add('m', 'three', entry_key => 'key', entry_id => test.id(3), store => 'ek');
SELECT memory_add('m', 'three', entry_key => '', store => 'ek');
SELECT memory_add('m', 'three', entry_key => repeat('k', 1025), store => 'ek');
INSERT INTO ek.entries (memory_id, raw_entry, entry_key) VALUES ('m', 'three', 'key');
SELECT memory_id, entry_key, raw_entry FROM ek.entries ORDER BY memory_id, entry_key NULLS LAST;
-- Plain SQL.
INSERT INTO ek.entries (memory_id, raw_entry, entry_key) VALUES ('m', 'by hand', 'key')
ON CONFLICT (memory_id, entry_key) WHERE entry_key IS NOT NULL DO UPDATE SET raw_entry = EXCLUDED.raw_entry
RETURNING entry_id = test.id(1) AS changed;

-- Many entries at once.
SELECT ordinality, status, entry_id = test.id(1) AS is_first FROM memory_add_many('m', '[
  {"rawEntry": "new", "entryKey": "new", "sessionId": "s2"}, {"rawEntry": "three", "entryKey": "key", "summary": "t"},
  {"rawEntry": "without"}]', 'ek');
SELECT raw_entry, summary, entry_key, session_id, creation_time = '2025-02-01Z' AS keeps_time
FROM ek.entries WHERE memory_id = 'm' ORDER BY raw_entry;
SELECT status, count(*) FROM memory_add_many('many',
    (SELECT jsonb_agg(jsonb_build_object('rawEntry', 'text ' || n, 'entryKey', 'k' || n)) FROM generate_series(1,
    2500) n),
    'ek') GROUP BY 1;
SELECT status, count(*), (SELECT count(*) FROM ek.entries WHERE memory_id = 'many') FROM memory_add_many('many',
    (SELECT jsonb_agg(jsonb_build_object('rawEntry', 'new text ' || n, 'entryKey', 'k' || n))
     FROM generate_series(2401, 2600) n), 'ek') GROUP BY 1 ORDER BY 1;
SELECT count(*) FILTER (WHERE raw_entry LIKE 'new%') AS new, count(*) FROM ek.entries WHERE memory_id = 'many';
SELECT memory_add_many('m', '[{"rawEntry": "a", "entryKey": "x"}, {"rawEntry": "b"},
  {"rawEntry": "c", "entryKey": "x"}]', 'ek');
SELECT memory_add_many('m', '[{"rawEntry": "a", "entryKey": "key",
  "entryId": "00000000-0000-0000-0000-000000000009"}]', 'ek');

-- An exported key is imported again.
SELECT memory_import('copy', (SELECT jsonb_agg(line) FROM memory_export('m', store => 'ek') line), 'ek');
SELECT entry_key, session_id, raw_entry FROM ek.entries WHERE memory_id = 'copy' ORDER BY raw_entry;
-- Searches and lists show keys and sessions; a key and a session can be changed.
SELECT memory_update('m', test.id(1), entry_key => 'renamed', session_id => 's3', user_id => 'ana', agent_id => 'bot',
  creation_time => '2024-01-01Z', store => 'ek');
SELECT memory_update('m', test.id(1), entry_key => 'new', store => 'ek');
SELECT e->>'entryKey' AS key, e->>'sessionId' AS session, e->>'userId' AS user_id, e->>'agentId' AS agent,
  e->>'creationTime' AS created
FROM jsonb_array_elements(memory_search('m', 'three', store => 'ek')->'entries') e WHERE e->>'entryKey' = 'renamed';
SELECT entry_key, session_id FROM memory_get('m', array[test.id(1)], store => 'ek');
SELECT entry_key, session_id FROM memory_list('m', '{"sessionId": ["s3", "s2"]}', store => 'ek') ORDER BY 1;

-- Entries are found, listed, counted and deleted by their keys, with each way of reading the rows.
CREATE FUNCTION by_key(filters jsonb) RETURNS TABLE (found text[], listed text[], counted bigint) LANGUAGE sql AS $$
  SELECT (SELECT array_agg(e.entry_key ORDER BY e.entry_key) FROM memory_search_entries('many', 'text', 1000,
      filters => filters, options => '{"candidates": 5000}', store => 'ek') f
      JOIN ek.entries e ON e.memory_id = 'many' AND e.entry_id = f.entry_id::uuid),
    (SELECT array_agg(entry_key ORDER BY entry_key)
     FROM memory_list('many', filters, page_size => 1000, store => 'ek')),
    memory_count('many', filters, 'ek') $$;
CREATE TABLE key_filter (filters jsonb, condition text);
INSERT INTO key_filter VALUES ('{"entryKey": "k7"}', $$entry_key = 'k7'$$),
  ('{"entryKey": ["k7", "k2601", "k2600"]}', $$entry_key IN ('k7', 'k2600')$$),
  ('{"entryKey": {"$like": "k12_"}}', $$entry_key LIKE 'k12_'$$),
  ('{"$not": {"entryKey": {"$ilike": "K%"}}}', 'false'), ('{"entryKey": {"$exists": false}}', 'false'),
  ('{"entryKey": {"$in": ["k1", "k2"]}, "rawEntry": {"$like": "%2"}}', $$entry_key = 'k2'$$);
CREATE FUNCTION keys_where(condition text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE keys text[];
BEGIN
  EXECUTE 'SELECT array_agg(entry_key ORDER BY entry_key) FROM ek.entries WHERE memory_id = ''many'' AND ('
    || condition || ')' INTO keys;
  RETURN keys;
END $$;
SELECT filters, counted, found IS NOT DISTINCT FROM keys AS found, listed IS NOT DISTINCT FROM keys AS listed
FROM key_filter, LATERAL by_key(filters), LATERAL keys_where(condition) keys;
BEGIN;
DROP INDEX ek.entries_memory;
SELECT bool_and(found IS NOT DISTINCT FROM keys) AS without_index
FROM key_filter, LATERAL by_key(filters), LATERAL keys_where(condition) keys;
ROLLBACK;
SELECT count(*) AS deleted
FROM memory_delete_where('many', '{"entryKey": ["k7", "k8"]}', dry_run => false, store => 'ek');
SELECT memory_count('many', '{"entryKey": ["k7", "k8", "k9"]}', 'ek');

-- Nothing is stored if a similar enough entry is there already.
RESET memory_search.embed_on_write;
SELECT memory_add('alike', 'red kite', embedding => '[1,0,0,0]', entry_id => test.id(11), store => 'ek') IS NOT NULL,
  memory_add('alike', 'blue kite', embedding => '[0,1,0,0]', entry_id => test.id(12), store => 'ek') IS NOT NULL;
SELECT memory_add('alike', 'a red kite', embedding => '[0.99,0.01,0,0]', if_similar => 0.97, store => 'ek')
  = test.id(11) AS was_there;
SELECT memory_add('alike', 'a kite', embedding => '[0.7,0.7,0,0]', if_similar => 0.97, store => 'ek')
  NOT IN (test.id(11), test.id(12)) AS is_new;
-- One statement sees the rows that it stored itself.
SELECT count(DISTINCT memory_add('alike', 'green ' || n, embedding => '[0,0,1,0]', if_similar => 0.97,
  store => 'ek')) AS ids
FROM generate_series(1, 5) n;
SELECT raw_entry FROM memory_list('alike', order_by => 'createdAt', store => 'ek');
-- Deleted entries and entries of other memories do not count as similar, and a call with a key changes the entry with
-- this key, even if another one is more similar.
SELECT memory_delete('alike', array[test.id(11)], store => 'ek');
SELECT memory_add('alike', 'red again', embedding => '[1,0,0,0]', if_similar => 0.97,
  store => 'ek') <> test.id(11) AS is_new,
  memory_add('other', 'red', embedding => '[1,0,0,0]', if_similar => 0.97, store => 'ek') IS NOT NULL AS is_new;
SELECT memory_add('alike', 'keyed', embedding => '[0,0,0,1]', entry_key => 'k', store => 'ek')
  = memory_add('alike', 'keyed anew', embedding => '[0,0,0,1]', entry_key => 'k', if_similar => 0.9,
    store => 'ek') AS same;
SELECT raw_entry FROM ek.entries WHERE memory_id = 'alike' AND entry_key = 'k';
SELECT memory_add('alike', 'x', if_similar => 1.5, embedding => '[1,0,0,0]', store => 'ek');
SELECT memory_add('alike', 'x', if_similar => 'NaN', embedding => '[1,0,0,0]', store => 'ek');
SET memory_search.embed_on_write = off;
SELECT memory_add('alike', 'x', if_similar => 0.9, store => 'ek');
