-- The newest entries that pass a filter: if few pass, they are read by the memory index, with the same bytes as by the
-- rows.
SELECT memory_create_store('nf', 4);
SET memory_search.embed_on_write = off;
SET memory_search.max_top_ke = 40;
-- Several entries of one instant, users with few entries or only old ones, entries of little importance.
INSERT INTO nf.entries (memory_id, entry_id, user_id, raw_entry, tags, metadata, importance, creation_time)
SELECT CASE WHEN n % 25 = 0 THEN 'other' ELSE 'm' END, test.id(n * 7919 % 12007),
  CASE WHEN n % 700 = 3 THEN 'ann' WHEN n < 400 THEN 'old' WHEN n % 3 = 0 THEN 'bob' END, test.words(n % 500, 5),
  CASE WHEN n % 900 = 4 THEN ARRAY['rare'] ELSE ARRAY['t' || n % 5] END,
  CASE WHEN n % 3000 = 11 THEN '{"kind": "rare", "n": [1, 2]}' ELSE jsonb_build_object('kind', n % 7) END,
  n % 100, timestamptz '2025-01-01Z' + n / 4 * interval '1 min'
FROM generate_series(1, 12000) n;
-- A thousand of one instant.
INSERT INTO nf.entries (memory_id, entry_id, user_id, raw_entry, creation_time)
SELECT 'm', test.id(20000 + n * 577 % 1009), 'many', 'alike', '2024-12-01Z' FROM generate_series(1, 1000) n;
-- Entries are deleted, will expire, will be created, are corrected by a present, a deleted or a corrected entry.
UPDATE nf.entries SET deletion_scheduled_time = '2025-01-02T12:00:00Z'
WHERE test.n(entry_id) % 11 = 0 AND user_id IN ('ann', 'old');
UPDATE nf.entries SET expires_at = creation_time + interval '1 day' WHERE test.n(entry_id) % 13 = 0 AND user_id = 'old';
UPDATE nf.entries SET expires_at = '2999-01-01Z' WHERE test.n(entry_id) % 13 = 1 AND user_id = 'ann';
UPDATE nf.entries e SET superseded_by = c.entry_id, superseded_time = '2025-01-03Z'
FROM (SELECT entry_id, lag(entry_id) OVER (ORDER BY creation_time, entry_id) AS before FROM nf.entries
  WHERE user_id = 'old' AND memory_id = 'm') c
WHERE e.entry_id = c.before AND e.memory_id = 'm' AND test.n(e.entry_id) % 3 = 0;
INSERT INTO nf.entries (memory_id, entry_id, user_id, raw_entry, creation_time)
VALUES ('m', test.id(30001), 'ann', 'to come', '2999-01-01Z');
REINDEX TABLE nf.entries;
-- Documents of the tail, and rows whose newest versions lie on other pages.
INSERT INTO nf.entries (memory_id, entry_id, user_id, raw_entry, tags, creation_time)
SELECT 'm', test.id(31000 + n), (ARRAY['ann', 'bob', 'old'])[n % 3 + 1], 'late', '{rare}', '2025-01-01Z'
FROM generate_series(1, 40) n;
UPDATE nf.entries SET raw_entry = 'changed' WHERE user_id = 'ann' AND test.n(entry_id) % 5 = 0;
DELETE FROM nf.entries WHERE user_id = 'ann' AND test.n(entry_id) % 17 = 0;
CREATE TABLE nf.calls AS
SELECT memories, top_ke, query, filters::jsonb, options::jsonb || '{"boosts": {"recency": 0}}' AS options
FROM (VALUES ('{m}'::text[], 3), ('{m}', 40), ('{m,other,none}', 5)) m (memories, top_ke),
  (VALUES ('', '{"strategy": "recent"}'), ('nosuchword', '{"strategy": "keyword"}'),
    ('', '{"strategy": "recent", "asOf": "2025-01-02T00:00:00Z"}'),
    ('', '{"strategy": "recent", "asOf": "2025-01-03T00:00:00Z", "includeSuperseded": true}'),
    ('', '{"strategy": "recent", "dedupThreshold": 0.9}')) o (query, options),
  (VALUES ('{"userId": "nobody"}'), ('{"userId": "ann"}'), ('{"userId": ["ann", "old"]}'), ('{"userId": "old"}'),
    ('{"userId": "bob"}'), ('{"userId": "many"}'), ('{"tags": ["rare"]}'), ('{"tags": ["t1"]}'),
    ('{"metadata": {"kind": "rare"}}'), ('{"metadata": {"n": [2]}, "userId": "old"}'), ('{"metadata": {"kind": 3}}'),
    ('{"metadata": {"kind": "none"}}'), ('{"minImportance": 99}'), ('{"minImportance": 20, "userId": "ann"}'),
    ('{"createdBefore": "2025-01-01T00:30:00Z", "userId": "old"}'), ('{"createdAfter": "2025-02-01T00:00:00Z"}'),
    ('{"createdBefore": "2024-12-15T00:00:00Z"}')) f (filters);
-- The calls are thinned out to a fifth.
DELETE FROM nf.calls c WHERE abs(hashtext(c::text)) % 5 > 0;
CREATE FUNCTION nf.answers() RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_agg(memory_search(memories, query, top_ke, 1, NULL, filters, options, 'nf') ORDER BY c::text)
  FROM nf.calls c $$;
-- The number of calls whose answer by the index differs from that by the rows, and the number of entries.
CREATE FUNCTION nf.compared(OUT differ bigint, OUT entries bigint) LANGUAGE plpgsql AS $$
DECLARE
  by_index jsonb := nf.answers();
  by_rows jsonb;
BEGIN
  PERFORM set_config('enable_indexscan', 'off', true);
  by_rows := nf.answers();
  PERFORM set_config('enable_indexscan', 'on', true);
  SELECT count(*) FILTER (WHERE i <> r), sum((r->'count')::int) INTO differ, entries
  FROM ROWS FROM (jsonb_array_elements(by_index), jsonb_array_elements(by_rows)) c (i, r);
END $$;
-- The number of entries that a search finds, and whether it reads few rows.
CREATE FUNCTION nf.looked_at(filters jsonb, OUT entries int, OUT few boolean) LANGUAGE plpgsql AS $$
DECLARE
  looked_at bigint;
BEGIN
  SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) INTO looked_at
  FROM pg_stat_xact_user_tables WHERE relid = 'nf.entries'::regclass;
  entries := memory_search('m', '', 5, 1, filters => filters, options => '{"strategy": "recent"}',
    store => 'nf')->'count';
  SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) - looked_at < 1500 INTO few
  FROM pg_stat_xact_user_tables WHERE relid = 'nf.entries'::regclass;
END $$;
SELECT * FROM nf.compared();
SELECT filters, l.* FROM (VALUES ('{"userId": "nobody"}'::jsonb), ('{"userId": "ann"}'), ('{"userId": "old"}'),
  ('{"tags": ["rare"]}'), ('{"metadata": {"kind": "rare"}}'), ('{"metadata": {"kind": "none"}}'),
  ('{"minImportance": 99}'), ('{"userId": "bob"}')) f (filters), nf.looked_at(filters) l ORDER BY filters::text;
VACUUM ANALYZE nf.entries;
SELECT * FROM nf.compared();
-- In a transaction that has written, and in one whose reads must be recorded.
BEGIN;
UPDATE nf.entries SET importance = 99, user_id = 'ann' WHERE test.n(entry_id) % 500 = 1;
SELECT * FROM nf.compared();
ROLLBACK;
SELECT * FROM nf.compared();
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM nf.compared();
COMMIT;
-- A role that sees only the rows of one user, by the store's own policy and by another one.
CREATE ROLE nf_reader;
GRANT USAGE ON SCHEMA nf TO nf_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA nf TO nf_reader;
SELECT memory_enable_row_security('nf');
SET ROLE nf_reader;
SET memory_search.user_id = 'ann';
SELECT * FROM nf.compared();
SET memory_search.user_id = 'old';
SELECT * FROM nf.compared();
RESET memory_search.user_id;
SELECT * FROM nf.compared();
RESET ROLE;
CREATE POLICY more ON nf.entries FOR SELECT TO nf_reader USING (importance > 90);
SET ROLE nf_reader;
SET memory_search.user_id = 'ann';
SELECT * FROM nf.compared();
RESET memory_search.user_id;
RESET ROLE;
SELECT memory_drop_store('nf', true);
DROP OWNED BY nf_reader;
DROP ROLE nf_reader;
