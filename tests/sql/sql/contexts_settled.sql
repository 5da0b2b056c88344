-- A session keeps, from one search to the next, which contexts have visible entries. The answers are the same bytes as
-- by the rows, after any change of the entries, and without a change the entries are not looked up again.
SET memory_search.max_top_kc = 20;
SELECT memory_create_store('settled', 4);
INSERT INTO settled.entries (memory_id, entry_id, user_id, raw_entry, context, creation_time)
SELECT 'm', test.id(n), CASE n % 3 WHEN 0 THEN 'ann' WHEN 1 THEN 'bob' END, 'entry ' || test.words(n, 5),
  CASE WHEN n % 4 = 0 THEN 'Context: ' || test.words(n % 80, 6) END, timestamptz '2025-01-01Z' + n * interval '1 h'
FROM generate_series(1, 400) n;
INSERT INTO settled.contexts (memory_id, context_id, user_id, context, creation_time, entry_id)
SELECT 'm', test.id(n), CASE n % 3 WHEN 0 THEN 'ann' WHEN 1 THEN 'bob' END, 'Context: ' || test.words(n % 80, 6),
  timestamptz '2025-01-01Z' + n * interval '1 h', CASE WHEN n % 10 > 0 THEN test.id(n) END
FROM generate_series(1, 300) n;
-- A memory that has grown has segments.
REINDEX TABLE settled.entries;
REINDEX TABLE settled.contexts;
VACUUM ANALYZE settled.entries, settled.contexts;
CREATE TABLE settled.calls AS SELECT query, filters::jsonb, options::jsonb
FROM (VALUES ('lisbon tea'), ('harbour'), ('context entry'), ('zzz')) q (query),
  (VALUES ('{}'), ('{"userId": "ann"}')) f (filters),
  (VALUES ('{}'), ('{"asOf": "2025-01-09T12:00:00Z"}'), ('{"strategy": "keyword"}'), ('{"includeSuperseded": true}'))
    o (options);
CREATE FUNCTION settled.answers() RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_agg(memory_search('m', query, 3, 20, NULL, filters, options, 'settled') - 'entries' ORDER BY c::text)
  FROM settled.calls c $$;
-- The number of calls whose answer by the index, asked twice, differs from that by the rows; and the number of
-- contexts.
CREATE FUNCTION settled.compared(OUT differ bigint, OUT contexts bigint) LANGUAGE plpgsql AS $$
DECLARE
  first jsonb := settled.answers();
  again jsonb := settled.answers();
  by_rows jsonb;
BEGIN
  PERFORM set_config('enable_indexscan', 'off', true);
  by_rows := settled.answers();
  PERFORM set_config('enable_indexscan', 'on', true);
  SELECT count(*) FILTER (WHERE f <> r OR a <> r), sum(jsonb_array_length(r->'contexts')) INTO differ, contexts
  FROM ROWS FROM (jsonb_array_elements(first), jsonb_array_elements(again), jsonb_array_elements(by_rows)) c (f, a, r);
END $$;
-- Whether a search reads few tuples of the key's index, and by which way it reads contexts.
CREATE FUNCTION settled.looked_up(OUT few boolean, OUT way text) LANGUAGE plpgsql AS $$
DECLARE
  answer jsonb;
  before bigint := pg_stat_get_xact_tuples_returned('settled.entries_pkey'::regclass);
BEGIN
  answer := memory_search('m', 'lisbon tea', 1, 20, store => 'settled',
    options => '{"strategy": "keyword", "diagnostics": true}');
  few := pg_stat_get_xact_tuples_returned('settled.entries_pkey'::regclass) - before < 50;
  way := jsonb_path_query_first(answer, '$.diagnostics.reads[*] ? (@.relation == "contexts").path')#>>'{}';
END $$;
SELECT * FROM settled.compared();
SELECT * FROM settled.looked_up();
-- Entries are deleted and restored. Other entries have the same context as one of them, but not as some others.
SELECT memory_delete('m', ARRAY[test.id(4), test.id(84), test.id(5), test.id(6), test.id(299)], store => 'settled');
SELECT * FROM settled.compared();
SELECT * FROM settled.looked_up();
SELECT memory_restore('m', ARRAY[test.id(4), test.id(5), test.id(299)], store => 'settled');
SELECT * FROM settled.compared();
BEGIN;
SAVEPOINT before;
SELECT memory_delete('m', ARRAY[test.id(7), test.id(8)], store => 'settled');
SELECT * FROM settled.compared();
ROLLBACK TO before;
SELECT * FROM settled.compared();
COMMIT;
-- Rows are removed, with their contexts or without them, and other rows take their place.
DELETE FROM settled.entries WHERE entry_id IN (test.id(11), test.id(12));
SELECT * FROM settled.compared();
SET session_replication_role = replica;
DELETE FROM settled.entries WHERE entry_id IN (test.id(13), test.id(14), test.id(16));
SELECT * FROM settled.compared();
VACUUM settled.entries;
INSERT INTO settled.entries (memory_id, entry_id, raw_entry)
VALUES ('m', test.id(1013), 'other'), ('m2', test.id(14), 'o');
VACUUM settled.entries;
SELECT * FROM settled.compared();
INSERT INTO settled.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(13), 'back');
RESET session_replication_role;
SELECT * FROM settled.compared();
-- Rows move, their contexts get another id, other entries bring contexts, and one expires.
UPDATE settled.entries SET raw_entry = raw_entry || ' moved' WHERE test.n(entry_id) BETWEEN 20 AND 90;
SELECT * FROM settled.compared();
UPDATE settled.entries SET entry_id = test.id(2000 + test.n(entry_id)) WHERE entry_id IN (test.id(101), test.id(102));
UPDATE settled.contexts SET entry_id = test.id(6) WHERE context_id IN (test.id(103), test.id(104));
UPDATE settled.entries SET expires_at = timestamptz '2025-01-09Z' + test.n(entry_id) * interval '1 h'
WHERE entry_id IN (test.id(9), test.id(17), test.id(18));
SELECT * FROM settled.compared();
SELECT memory_supersede('m', test.id(21), test.id(22), 'settled');
SELECT * FROM settled.compared();
-- New contexts, and indexes that are rebuilt.
SET memory_search.embed_on_write = off;
SELECT count(memory_add('m', 'entry ' || n, context => 'Context: tea ' || n, entry_id => test.id(n),
  creation_time => '2025-02-01Z', store => 'settled'))
FROM generate_series(3001, 3030) n;
SELECT * FROM settled.compared();
SELECT * FROM settled.looked_up();
REINDEX TABLE settled.entries;
REINDEX TABLE settled.contexts;
SELECT * FROM settled.compared();
SELECT * FROM settled.looked_up();
VACUUM FULL settled.entries;
SELECT * FROM settled.compared();
-- A role that sees only the rows of one user learns nothing of other users from what the session kept before.
CREATE ROLE cs_reader;
GRANT USAGE ON SCHEMA settled TO cs_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA settled TO cs_reader;
SELECT memory_enable_row_security('settled');
SET ROLE cs_reader;
SET memory_search.user_id = 'ann';
SELECT * FROM settled.compared();
SET memory_search.user_id = 'bob';
SELECT * FROM settled.compared();
RESET memory_search.user_id;
RESET ROLE;
SELECT * FROM settled.compared();
SELECT * FROM settled.looked_up();
SELECT memory_drop_store('settled', true);
DROP OWNED BY cs_reader;
DROP ROLE cs_reader;
