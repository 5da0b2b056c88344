-- memory_learn finds the weights that suit judgements, and the option `ranking` of the memory index has them.
-- Each of 80 subjects has an old entry with its word twice, and a new one with its word once.
SELECT memory_create_store('lr', 4);
SELECT count(memory_add('m', 'subject' || n || CASE age WHEN 300 THEN ' again subject' || n ELSE ' once' END,
    entry_id => test.id(n * 10 + age % 7), store => 'lr',
    creation_time => timestamptz '2030-01-01Z' - make_interval(days => age, mins => n)))
FROM generate_series(1, 80) n, unnest(ARRAY[300, 1]) age;
-- Judgements whose helpful entry is the new one, or the old one. Their instant is the judgement's.
CREATE FUNCTION judged(n int, age int, more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object(
    'request', jsonb_build_object('memoryId', 'm', 'query', 'what about subject' || n,
      'options', '{"asOf": "2030-01-01T00:00:00Z"}'::jsonb || more),
    'helpful', jsonb_build_array(test.id(n * 10 + age % 7))) $$;
CREATE FUNCTION judgements(age int, count int DEFAULT 80) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_agg(judged(n, age) ORDER BY n) FROM generate_series(1, count) n $$;
CREATE FUNCTION ages(options jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT array_agg(round(extract(epoch FROM timestamptz '2030-01-01Z' - creation_time) / 86400) ORDER BY rank)::text
  FROM memory_search_entries('m', 'what about subject7', 2, store => 'lr',
      options => '{"asOf": "2030-01-01T00:00:00Z"}'::jsonb || options) $$;

-- It reports weights, and changes nothing.
SELECT ages() AS old_first;
SELECT r - 'ranking' - 'changes' - 'gain' - 'interval' - 'before' AS report, (r->>'gain')::float8 > 0.2 AS gains,
  (r->'interval'->>0)::float8 > 0 AS is_certain,
  (SELECT (c->>'after')::float8 > (c->>'before')::float8 FROM jsonb_array_elements(r->'changes') c
   WHERE c->>'option' = 'boosts.recency') AS recency_grows,
  r->'ranking' #>> '{boosts,recency}' = (SELECT c->>'after' FROM jsonb_array_elements(r->'changes') c
   WHERE c->>'option' = 'boosts.recency') AS is_proposed
FROM memory_learn(judgements(1), 'lr') r;
SELECT ages() AS as_before, (SELECT reloptions FROM pg_class WHERE oid = 'lr.entries_memory'::regclass) AS options;
-- If the old entries helped, the present weights fit already.
SELECT r->>'verdict' AS verdict, r->'ranking' AS ranking, r->'changes' AS changes, r->'before' AS before
FROM memory_learn(judgements(300), 'lr') r;
-- With apply, it applies them: an option of the index has them, and every search ranks by them.
SELECT r->>'verdict' AS verdict, r->'applied' AS applied FROM memory_learn(judgements(1), 'lr', apply => true) r;
SELECT ages() AS new_first, ages('{"preset": "default"}') AS built_in, ages('{"boosts": {"recency": 0}}') AS given,
  (SELECT option_value::jsonb #>> '{boosts,recency}' FROM pg_class, pg_options_to_table(reloptions)
   WHERE oid = 'lr.entries_memory'::regclass) AS recency;
SELECT r->>'verdict' AS verdict_after_learning FROM memory_learn(judgements(1), 'lr') r;
SELECT status, detail LIKE '%lr.entries_memory, with the scoring {%' AS is_shown
FROM memory_doctor('lr') WHERE name = 'index of searches';
-- All functions rank by them: the answer is the same as with options that have the same values.
SELECT '{"boosts": {"recency": 0.4, "importance": 0.2}, "recency": {"days": 90}}' AS ranking \gset
ALTER INDEX lr.entries_memory SET (ranking = :'ranking');
CREATE FUNCTION answers(options text) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT memory_search('m', 'again subject7', options => options::jsonb, store => 'lr')::text
  UNION ALL SELECT memory_explain('m', 'again subject7', options => options::jsonb, store => 'lr')::text
  UNION ALL SELECT memory_build_context('m', 'again subject7', options => options::jsonb, store => 'lr')
  UNION ALL SELECT memory_search_entries(ARRAY['m', 'other'], 'again subject7', 9, options => options::jsonb,
      store => 'lr')::text
  UNION ALL SELECT memory_search('m', '', options => options::jsonb, store => 'lr')::text $$;
SELECT count(*), count(DISTINCT a) FROM (
  SELECT answers('{"asOf": "2030-01-01T00:00:00Z"}') UNION ALL
  SELECT answers(('{"asOf": "2030-01-01T00:00:00Z"}'::jsonb || :'ranking')::text)) t(a);
-- A cursor is valid only for the scoring by which its page was ranked.
SELECT memory_search('m', 'subject7', 1, options => '{"cursor": true}', store => 'lr')->>'nextCursor' AS cursor \gset
SELECT jsonb_array_length(memory_search('m', 'subject7', 1, options => jsonb_build_object('cursor', :'cursor'),
    store => 'lr')->'entries') AS entries;
ALTER INDEX lr.entries_memory SET (ranking = '{"boosts": {"recency": 0.3}}');
SELECT test.error(format('SELECT memory_search(''m'', ''subject7'', 1, options => %L, store => ''lr'')',
    jsonb_build_object('cursor', :'cursor')));
ALTER INDEX lr.entries_memory RESET (ranking);
SELECT test.error(format('SELECT memory_search(''m'', ''subject7'', 1, options => %L, store => ''lr'')',
    jsonb_build_object('cursor', :'cursor')));
SELECT ages() AS old_first;

-- A null in the option means no value, and other values stay beside the learned ones.
ALTER INDEX lr.entries_memory SET (ranking = '{"boosts": null, "recency": null, "popularity": {"cap": 7}}');
SELECT r->>'verdict' AS verdict FROM memory_learn(judgements(1), 'lr', apply => true) r;
SELECT ages() AS new_first, (SELECT option_value::jsonb - 'boosts' FROM pg_class, pg_options_to_table(reloptions)
  WHERE oid = 'lr.entries_memory'::regclass) AS beside;
SELECT test.error($$SELECT ages('{"boosts": {"importance": 0.8}}')$$);
ALTER INDEX lr.entries_memory RESET (ranking);
-- It learns nothing from too few judgements, from one repeated question, or from differences by chance.
SELECT r FROM memory_learn(judgements(1, 49), 'lr') r;
SELECT r->>'verdict' AS verdict FROM memory_learn((SELECT jsonb_agg(judged(7, 1)) FROM generate_series(1, 60)), 'lr') r;
SELECT r->>'verdict' AS verdict, r->'ranking' AS ranking
FROM memory_learn((SELECT jsonb_agg(judged(n, CASE WHEN md5(n::text) < '8' THEN 1 ELSE 300 END))
    FROM generate_series(1, 80) n), 'lr') r;
SELECT memory_learn('[]', 'lr');
-- A question with another sign at its end, or other words with the same answer, counts as the same question.
SELECT r->'used' AS used, r->'different' AS different FROM memory_learn((
  SELECT jsonb_agg(jsonb_set(judged(n, 1), '{request,query}', to_jsonb('what about subject' || n || sign)))
  FROM generate_series(1, 20) n, unnest(ARRAY['', '?', ' ?', ' please tell', '...']) sign), 'lr') r;
-- Searches by an embedding alone are different ones.
UPDATE lr.entries SET embedding = test.vector(test.n(entry_id))::vector(4);
SELECT r->'used' AS used, r->'different' AS different FROM memory_learn((
  SELECT jsonb_agg(jsonb_build_object('helpful', jsonb_build_array(test.id(n * 10 + 1)), 'request', jsonb_build_object(
        'memoryId', 'm', 'query', '', 'embedding', to_jsonb(test.vector(n * 10 + 1)))))
  FROM generate_series(1, 55) n), 'lr') r;
UPDATE lr.entries SET embedding = NULL;
-- Entries of two memories may have one id: it counts as helpful once.
INSERT INTO lr.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'm2', entry_id, raw_entry, creation_time FROM lr.entries;
SELECT (r->'before')::float8 <= 1 AS is_a_share
FROM memory_learn((SELECT jsonb_agg(jsonb_set(j, '{request,memoryId}', '["m", "m2"]'))
    FROM jsonb_array_elements(judgements(300)) j), 'lr') r;
DELETE FROM lr.entries WHERE memory_id = 'm2';
-- It learns nothing from a helpful entry that the caller does not see, that is no entry, or that no search finds.
SELECT r->'judgements' AS judgements, r->'used' AS used FROM memory_learn(jsonb_build_array(judged(1, 1),
    judged(2, 1) || '{"helpful": ["00000000-0000-0000-0000-999999999999"]}', judged(3, 1) || '{"helpful": ["no id"]}',
    judged(4, 1) || jsonb_build_object('helpful', jsonb_build_array(test.id(51))),
    judged(5, 1) || jsonb_build_object('helpful', jsonb_build_array(test.id(51), upper(test.id(56)::text))),
    judged(6, 1, '{"strategy": "recent"}')), 'lr') r;

-- Wrong judgements are refused, and the error names their place.
SELECT given, test.error(format('SELECT memory_learn(%L, ''lr'')', given)) FROM (VALUES
  ('{}'), ('[1]'), ('[{"request": {"memoryId": "m", "query": "q"}}]'), ('[{"helpful": ["a"]}]'),
  ('[{"request": {"memoryId": "m", "query": "q", "store": "lr"}, "helpful": ["a"]}]'),
  ('[{"request": {"memoryId": "m", "query": "q", "options": {"boosts": {"recency": 0.2}}}, "helpful": ["a"]}]'),
  ('[{"request": {"memoryId": "m", "query": "q", "filters": {"nothing": 1}}, "helpful": ["a"]}]')) t(given);
SELECT test.error('SELECT memory_learn(NULL)'), test.error($$SELECT memory_learn('[]', 'lr', NULL)$$);
SELECT test.error($$SELECT memory_learn('[]', 'nowhere')$$);
SELECT test.error($$SELECT memory_learn(judgements(1, 49), 'lr', apply => true)$$);
SELECT regexp_replace(test.error($$SELECT memory_learn(judgements(300), 'lr', apply => true)$$), '-?\d\.\d+', 'n', 'g');
SELECT ranking, test.error(format('ALTER INDEX lr.entries_memory SET (ranking = %L)', ranking)) FROM (VALUES
  (''), ('{}'), ('[]'), ('{"strategy": "keyword"}'), ('{"boosts": {"recncy": 0.2}}'), ('{"boosts": {"recency": 2}}'),
  ('{"boosts": {"recency": 0.6, "importance": 0.5}}')) t(ranking);
-- Only the owner of the table may apply; others may ask.
CREATE ROLE lr_reader;
SELECT memory_grant('lr', 'lr_reader', 'reader');
GRANT EXECUTE ON FUNCTION judged, judgements TO lr_reader;
SET ROLE lr_reader;
SELECT r->>'verdict' AS verdict FROM memory_learn(judgements(1), 'lr') r;
SELECT test.error($$SELECT memory_learn(judgements(1), 'lr', apply => true)$$);
-- This is checked before any search: a judgement that no search accepts is not reached.
SELECT test.error($$SELECT memory_learn('[{"request": {"memoryId": "m", "query": "q", "filters": {"no": 1}},
  "helpful": ["a"]}]', 'lr', apply => true)$$);
RESET ROLE;
-- Row security holds: nothing is learned from entries that the caller does not see.
ALTER TABLE lr.entries ENABLE ROW LEVEL SECURITY;
CREATE POLICY old_ones ON lr.entries FOR SELECT TO lr_reader USING (creation_time < '2029-12-01Z');
SET ROLE lr_reader;
SELECT r->'judgements' AS judgements, r->'used' AS used FROM memory_learn(judgements(1), 'lr') r;
RESET ROLE;
DROP POLICY old_ones ON lr.entries;
ALTER TABLE lr.entries DISABLE ROW LEVEL SECURITY;

-- The index of an adopted table keeps the scoring; a view has no index.
CREATE TABLE lr_notes AS
SELECT memory_id AS m, entry_id AS id, raw_entry AS line, creation_time AS made FROM lr.entries;
ALTER TABLE lr_notes ADD PRIMARY KEY (id), ADD COLUMN meaning vector(4);
SELECT memory_adopt_table('lr_own', 'lr_notes', '{"memory_id": "m", "entry_id": "id", "raw_entry": "line",
  "creation_time": "made", "embedding": "meaning"}');
SELECT r->>'verdict' AS verdict, r->'applied' AS applied FROM memory_learn(judgements(1), 'lr_own', apply => true) r;
CREATE VIEW lr_seen AS SELECT * FROM lr_notes;
SELECT memory_adopt_table('lr_view', 'lr_seen', '{"memory_id": "m", "entry_id": "id", "raw_entry": "line",
  "creation_time": "made", "embedding": "meaning"}');
SELECT r->>'verdict' AS verdict FROM memory_learn(judgements(1), 'lr_view') r;
SELECT test.error($$SELECT memory_learn(judgements(1), 'lr_view', apply => true)$$);
-- The server cannot change options of an index of partitions: there the option is given when the index is made.
-- On PostgreSQL 16 stores have no partitions.
SELECT current_setting('server_version_num')::int >= 170000 AS has_partitions \gset
SELECT CASE WHEN :'has_partitions' THEN '2' ELSE 'NULL' END AS partitions,
  CASE WHEN :'has_partitions' THEN '0A000' ELSE 'ok' END AS expected \gset
SELECT memory_create_store('lr_parts', 4, partitions => :partitions);
INSERT INTO lr_parts.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT memory_id, entry_id, raw_entry, creation_time FROM lr.entries;
SELECT test.outcome($$SELECT memory_learn(judgements(1), 'lr_parts', apply => true)$$) = :'expected' AS is_as_expected;
SELECT pg_get_indexdef('lr_parts.entries_memory'::regclass) AS definition \gset
DROP INDEX lr_parts.entries_memory;
SELECT regexp_replace(:'definition', ' ON ONLY ', ' ON ')
  || ' WITH (ranking = ''{"boosts": {"recency": 0.4}}'')' AS definition
\gset
:definition;
SELECT rank, timestamptz '2030-01-01Z' - creation_time < '30 days' AS is_new
FROM memory_search_entries('m', 'what about subject7', 2, store => 'lr_parts',
  options => '{"asOf": "2030-01-01T00:00:00Z"}') ORDER BY rank;
-- The doctor's statement for an index that lacks a column keeps it.
ALTER INDEX lr.entries_memory SET (ranking = '{"boosts": {"recency": 0.35}}');
SELECT pg_get_indexdef('lr.entries_memory'::regclass) AS definition \gset
DROP INDEX lr.entries_memory;
SELECT replace(replace(:'definition', 'source_type, ', ''), 'agent_id, ', '') AS lacking \gset
:lacking;
SELECT fix FROM memory_doctor('lr') WHERE name = 'index of searches' \gset
:fix
SELECT reloptions FROM pg_class WHERE oid = 'lr.entries_memory'::regclass;
SELECT status FROM memory_doctor('lr') WHERE name = 'index of searches';
-- So do its statements for an index that is invalid, of a store and of an adopted table.
SELECT memory_adopt_table('lr_kept', 'lr_notes', '{"memory_id": "m", "entry_id": "id", "raw_entry": "line",
  "creation_time": "made", "embedding": "meaning"}');
SELECT d.indexrelid::regclass AS adopted FROM pg_index d JOIN pg_class c ON c.oid = d.indexrelid
WHERE d.indrelid = 'lr_notes'::regclass AND c.relam = (SELECT oid FROM pg_am WHERE amname = 'memory_search') \gset
ALTER INDEX :adopted SET (ranking = '{"boosts": {"recency": 0.35}}');
UPDATE pg_index SET indisvalid = false
WHERE indexrelid IN ('lr.entries_memory'::regclass, :'adopted'::regclass);
SELECT store, fix LIKE '%ranking = ''{"boosts": {"recency": 0.35}}''%' AS keeps_it
FROM unnest(ARRAY['lr', 'lr_kept']) store, memory_doctor(store) d WHERE d.name = 'index of searches' ORDER BY store;
SELECT fix FROM memory_doctor('lr') WHERE name = 'index of searches' \gset
:fix
SELECT reloptions FROM pg_class WHERE oid = 'lr.entries_memory'::regclass;
SELECT memory_drop_store('lr_kept', force => true);

SELECT memory_drop_store(name, force => true) FROM unnest(ARRAY['lr_own', 'lr_view', 'lr_parts', 'lr']) name;
DROP VIEW lr_seen;
DROP TABLE lr_notes;
DROP FUNCTION judgements, judged, ages, answers;
DROP ROLE lr_reader;
