-- memory_delete_where deletes the entries that filters name, as memory_delete does; first it says which these are.
SELECT memory_create_store('dw', 4);
SET memory_search.embed_on_write = off;
SELECT count(memory_add('m', 'entry ' || n, context => 'context ' || n, entry_id => test.id(n),
  tags => ARRAY['t' || n % 3],
    user_id => 'u' || n % 2, creation_time => timestamptz '2025-01-01Z' + n * interval '1 day', store => 'dw')) AS added
FROM generate_series(1, 12) n;
SELECT memory_add('other', 'entry', tags => '{t1}', entry_id => test.id(1), store => 'dw') IS NOT NULL AS added;
SELECT memory_delete('m', ARRAY[test.id(1)], store => 'dw') AS hidden_already,
  memory_supersede('m', test.id(4), test.id(5), 'dw') AS corrected;
CREATE VIEW there AS SELECT memory_id, array_agg(test.n(entry_id) ORDER BY entry_id) AS entries
  FROM dw.entries WHERE deletion_scheduled_time IS NULL GROUP BY memory_id;
-- A dry run is the default: the visible entries that memory_list would give.
SELECT test.n(entry_id), deleted FROM memory_delete_where('m', '{"tags": ["t1"]}', store => 'dw');
SELECT array_agg(entry_id::text) = (SELECT array_agg(entry_id ORDER BY entry_id) FROM memory_list('m',
  '{"tags": ["t1"]}', store => 'dw')) AS same
FROM memory_delete_where('m', '{"tags": ["t1"]}', store => 'dw');
SELECT * FROM there ORDER BY 1;
BEGIN READ ONLY;
SELECT count(*) AS in_a_dry_run FROM memory_delete_where('m', '{"tags": ["t1"]}', store => 'dw');
SELECT test.error($$SELECT memory_delete_where('m', '{"tags": ["t1"]}', false, 'dw')$$);
COMMIT;
SELECT test.n(entry_id), deleted FROM memory_delete_where('m', '{"tags": ["t1"]}', false, 'dw');
SELECT * FROM there ORDER BY 1;
SELECT count(*) AS again FROM memory_delete_where('m', '{"tags": ["t1"]}', false, 'dw');
-- The contexts of the entries are deleted and restored with them.
SELECT memory_search('m', '', 0, store => 'dw')->>'latestContext' AS latest;
SELECT memory_delete_where('m', '{"createdAfter": "2025-01-12T00:00:00Z"}', false, 'dw') IS NOT NULL AS deleted;
SELECT memory_search('m', '', 0, store => 'dw')->>'latestContext' AS latest;
SELECT memory_restore('m', ARRAY[test.id(11), test.id(12)], store => 'dw') AS restored;
SELECT memory_search('m', '', 0, store => 'dw')->>'latestContext' AS latest;
-- Trees of filters, counts of use, ids.
SELECT memory_touch('m', ARRAY[test.id(2), test.id(3)], 'dw') AS touched;
SELECT filters, (SELECT array_agg(test.n(entry_id)) FROM memory_delete_where('m', filters, store => 'dw')) AS entries
FROM (VALUES ('{"$or": [{"accessCount": {"$gte": 1}}, {"userId": "u0", "tags": ["t2"]}]}'::jsonb),
  ('{"rawEntry": {"$like": "% 1_"}}'), ('{"ids": ["00000000-0000-0000-0000-000000000005", "x"]}'),
    ('{"ids": []}')) f(filters);
-- A condition that every entry passes deletes nothing, but is refused.
SELECT test.error(format('SELECT memory_delete_where(%L, %L, store => %L)', 'm', filters, 'dw'))
FROM (VALUES ('{}'::jsonb), ('{"tags": []}'), ('{"userId": null}'), ('{"$or": [{"tags": "t1"}, {}]}'),
  ('{"$and": [{}]}'), ('{"excludeIds": []}'), ('{"userId": {"$nin": []}}'), ('{"tags": {"$nin": []}}'),
  ('{"tags": {"$all": []}}'), ('{"tags": {"$contains": []}}'), ('{"rawEntry": {"$contains": ""}}'),
  ('{"rawEntry": {"$like": "%"}}'), ('{"rawEntry": {"$exists": true}}'), ('{"$not": {"ids": []}}'),
  ('{"$not": {"userId": {"$in": []}}}'), ('{"metadata": {}}'), ('{"$or": [{"userId": "u0"}, {"metadata": {}}]}'),
  ('{"minImportance": 0}'), ('{"importance": {"$lte": 100}}'), ('{"importance": {"$ne": 101}}'),
  ('{"importance": {"$exists": true}}'), ('{"accessCount": {"$gte": 0}}'),
  ('{"$or": [{"userId": "u0"}, {"minImportance": 0}]}'), ('{"tag": ["t1"]}'), ('[]')) f(filters);
SELECT count(*) AS of_this_importance FROM memory_delete_where('m', '{"minImportance": 1, "importance": {"$lt": 100}}',
  store => 'dw');
SELECT test.error('SELECT ' || call)
FROM (VALUES ($$memory_delete_where('m', NULL, store => 'dw')$$), ($$memory_delete_where(NULL, '{"tags": "t1"}',
  store => 'dw')$$),
  ($$memory_delete_where('m', '{"tags": "t1"}', NULL, 'dw')$$), ($$memory_delete_where('m', '{"tags": "t1"}',
    store => 'no_such_store')$$)) c(call);
-- An adopted table's application owns its rows.
CREATE TABLE dw_notes (id uuid PRIMARY KEY, body text);
SELECT memory_adopt_table('dw_adopted', 'dw_notes', '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "body"}');
SELECT test.error($$SELECT memory_delete_where('all', '{"tags": "t1"}', false, 'dw_adopted')$$);
-- Row-level security and privileges are the caller's.
SET client_min_messages = error;
CREATE ROLE dw_writer;
CREATE ROLE dw_reader;
SELECT memory_enable_row_security('dw'), memory_grant('dw', 'dw_writer', 'writer'), memory_grant('dw', 'dw_reader');
RESET client_min_messages;
SET ROLE dw_reader;
SET memory_search.user_id = 'u1';
SELECT count(*) AS in_a_dry_run FROM memory_delete_where('m', '{"tags": ["t0", "t2"]}', store => 'dw');
SELECT test.error($$SELECT memory_delete_where('m', '{"tags": ["t0", "t2"]}', false, 'dw')$$);
SET ROLE dw_writer;
SELECT array_agg(test.n(entry_id)) AS of_u1 FROM memory_delete_where('m', '{"tags": ["t0", "t2"]}', false, 'dw');
RESET ROLE;
SELECT * FROM there ORDER BY 1;
DROP VIEW there;
SELECT memory_drop_store('dw', true), memory_drop_store('dw_adopted', true);
DROP TABLE dw_notes;
DROP ROLE dw_writer, dw_reader;
