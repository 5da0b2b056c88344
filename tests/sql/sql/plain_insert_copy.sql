-- A store's tables are ordinary tables: rows from INSERT, COPY and UPDATE are found like any others.
SELECT memory_create_store('pi', 4);
INSERT INTO pi.entries (memory_id, entry_id, raw_entry, embedding, creation_time) VALUES
  ('m', test.id(1), 'the kettle whistles', '[1,0,0,0]', '2025-01-01Z'),
  ('m', test.id(2), 'the cat sleeps', NULL, '2025-01-02Z');
COPY pi.entries (memory_id, entry_id, raw_entry, summary, tags, metadata, embedding, creation_time) FROM stdin;
m	00000000-0000-0000-0000-000000000003	the kettle is red	\N	{kitchen}	{"room": "pantry"}	[0,1,0,0]	2025-01-03Z
m	00000000-0000-0000-0000-000000000004	nothing of note	about the attic	{}	{}	\N	2025-01-04Z
\.
INSERT INTO pi.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'many', test.id(n),
  'row ' || n || CASE WHEN n % 100 = 0 THEN ' kettle' ELSE '' END,
  timestamptz '2025-01-01Z' + n * interval '1 min'
FROM generate_series(1, 3000) n;
INSERT INTO pi.contexts (memory_id, context, creation_time) VALUES ('m', 'about kettles', '2025-01-01Z');

SELECT test.found(memory_search('m', word, options => '{"strategy": "keyword", "fallback": false}', store => 'pi'))
FROM (VALUES ('kettle'), ('pantry'), ('kitchen'), ('attic'), ('cat'), ('zebra')) t(word);
SELECT test.found(memory_search('m', '', 1, embedding => '[1,0,0,0]', store => 'pi'));
SELECT memory_search('m', '', 0, store => 'pi')->>'latestContext' AS latest;
SELECT test.found(memory_search('many', 'kettle', 3, store => 'pi'));
SELECT memory_search('many', 'kettle', 10, store => 'pi')->'count' AS at_most;

-- An updated row is found by its new values.
UPDATE pi.entries SET raw_entry = 'the teapot is red' WHERE entry_id = test.id(3);
SELECT test.found(memory_search('m', word, options => '{"strategy": "keyword", "fallback": false}', store => 'pi'))
FROM (VALUES ('kettle'), ('teapot')) t(word);
DELETE FROM pi.entries WHERE memory_id = 'm' AND entry_id = test.id(1);
SELECT test.found(memory_search('m', 'whistle', options => '{"strategy": "keyword", "fallback": false}',
    store => 'pi'));

-- The context column of an entry is kept, and never searched as an entry.
SELECT memory_add('c', 'we talked', context => 'submarine', entry_id => test.id(1), store => 'pi');
SELECT test.found(memory_search('c', 'submarine', options => '{"strategy": "keyword", "fallback": false}',
      store => 'pi')) AS entries,
  memory_search('c', 'submarine', store => 'pi')->>'latestContext' AS latest;

-- Constraints hold for all roles. (The detail shows the row, with its random id.)
SELECT split_part(test.error(statement), ' DETAIL', 1) FROM (VALUES
  ($$INSERT INTO pi.entries (memory_id, raw_entry) VALUES ('', 'x')$$),
  ($$INSERT INTO pi.entries (memory_id) VALUES ('m')$$),
  ($$INSERT INTO pi.entries (memory_id, raw_entry, importance) VALUES ('m', 'x', 101)$$),
  ($$INSERT INTO pi.entries (memory_id, raw_entry, embedding) VALUES ('m', 'x', '[1,2]')$$),
  ($$INSERT INTO pi.entry_access VALUES ('m', test.id(77), 1)$$),
  ($$INSERT INTO pi.entry_access VALUES ('m', test.id(2), -1)$$),
  ($$INSERT INTO pi.entries (memory_id, raw_entry, tags) VALUES ('m', 'x', '{{a,b},{c,d}}')$$)
) t(statement);
-- Metadata that is no object is refused by memory_add, but not by INSERT, and a search returns it.
INSERT INTO pi.entries (memory_id, entry_id, raw_entry, metadata, tags)
VALUES ('odd', test.id(1), 'x', '["list"]', ARRAY[NULL, 'a', 'a', '']), ('odd', test.id(2), 'x', 'null', '{}');
SELECT e->'metadata' AS metadata, e->'tags' AS tags
FROM jsonb_array_elements(memory_search('odd', 'x', store => 'pi')->'entries') e
ORDER BY e->>'entryId';
SELECT test.n(entry_id), tags, metadata FROM memory_search_entries('odd', 'x', store => 'pi') ORDER BY 1;
DROP SCHEMA pi CASCADE;
