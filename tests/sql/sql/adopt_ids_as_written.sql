-- Ids of adopted tables in every notation of their type: of corrections, and in the filters ids and excludeIds.
CREATE SCHEMA aw_app;
-- Numbers of 19 digits, as snowflakes have. 2 corrects 1, 3 corrects 2 and is deleted: so 2 is shown.
CREATE TABLE aw_app.numbers (id bigint PRIMARY KEY, line text, fixed_by text, fixed_at timestamptz, gone timestamptz);
INSERT INTO aw_app.numbers VALUES
  (1234567890123456781, 'tea one', '1234567890123456782', '2025-01-01Z', NULL),
  (1234567890123456782, 'tea two', '1234567890123456783', '2025-01-02Z', NULL),
  (1234567890123456783, 'tea three', NULL, NULL, '2025-01-03Z'),
  (1234567890123456784, 'tea four', '-9223372036854775808', '2025-01-01Z', NULL),
  (-9223372036854775808, 'tea five', NULL, NULL, NULL),
  (6, 'tea six', '99999999999999999999', '2025-01-01Z', NULL),
  (7, 'tea seven', 'seven', '2025-01-01Z', NULL);
SELECT memory_adopt_table('aw_numbers', 'aw_app.numbers', '{"memory_id": "''m''", "entry_id": "id", "raw_entry": "line",
  "superseded_by": "fixed_by", "superseded_time": "fixed_at", "deletion_scheduled_time": "gone"}');
CREATE TABLE aw_app.uuids (id uuid PRIMARY KEY, line text, fixed_by text, fixed_at timestamptz);
INSERT INTO aw_app.uuids VALUES
  (test.id(1), 'tea one', replace(test.id(2)::text, '-', ''), '2025-01-01Z'),
  (test.id(2), 'tea two', upper('{' || test.id(3)::text || '}'), '2025-01-02Z'),
  (test.id(3), 'tea three', NULL, NULL),
  (test.id(4), 'tea four', 'nothing', '2025-01-02Z');
SELECT memory_adopt_table('aw_uuids', 'aw_app.uuids', '{"memory_id": "''m''", "entry_id": "id", "raw_entry": "line",
  "superseded_by": "fixed_by", "superseded_time": "fixed_at"}');
CREATE FUNCTION lines(store text, filters jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(raw_entry, ', ' ORDER BY raw_entry COLLATE "C")
  FROM memory_search_entries('m', 'tea', 10, filters => filters, options => '{"strategy": "keyword"}',
    store => store) $$;
SELECT lines('aw_numbers') AS numbers, lines('aw_uuids') AS uuids;
SELECT memory_count('m', store => 'aw_numbers') AS numbers, memory_count('m', store => 'aw_uuids') AS uuids;

-- A text is compared as it is; another id is the same in every notation. A text that cannot be an id names no entry.
CREATE TABLE aw_app.texts (id text PRIMARY KEY, line text);
INSERT INTO aw_app.texts VALUES ('A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'tea upper'),
  ('b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'tea lower');
SELECT memory_adopt_table('aw_texts', 'aw_app.texts', '{"memory_id": "''m''", "entry_id": "id", "raw_entry": "line"}');
SELECT memory_create_store('aw_own', 4);
INSERT INTO aw_own.entries (memory_id, entry_id, raw_entry)
SELECT 'm', test.id(n), 'tea ' || n FROM generate_series(1, 3) n;
SELECT store, ids, lines(store, jsonb_build_object('ids', ids)) AS ids,
  lines(store, jsonb_build_object('excludeIds', ids)) AS others
FROM (VALUES
  (1, 'aw_texts', '["A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"]'::jsonb),
  (2, 'aw_texts', '["B0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"]'),
  (3, 'aw_numbers', '["6", 1234567890123456782, " +7 "]'),
  (4, 'aw_numbers', '["six", "99999999999999999999"]'),
  (5, 'aw_own', '["00000000000000000000000000000001", "{00000000-0000-0000-0000-000000000002}"]'),
  (6, 'aw_own', '["one"]')
) t(i, store, ids) ORDER BY i;
SELECT array_agg(test.n(entry_id)) AS all_but_the_first
FROM memory_delete_where('m', '{"excludeIds": ["00000000000000000000000000000001"]}', store => 'aw_own');
SELECT test.error($$SELECT memory_delete_where('m', '{"excludeIds": ["one"]}', store => 'aw_own')$$);
SET client_min_messages = error;
DROP SCHEMA aw_own, aw_texts, aw_uuids, aw_numbers, aw_app CASCADE;
DROP FUNCTION lines;
