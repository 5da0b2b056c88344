-- memory_purge permanently removes deleted and expired entries, and nothing else.
SET timezone = 'UTC';
SELECT test.fill_with_kites(), memory_create_store('rp_never', 4), memory_create_store('rp_other', 4);
INSERT INTO rp_other.entries (memory_id, entry_id, raw_entry, deletion_scheduled_time, expires_at)
SELECT memory_id, entry_id, raw_entry, '2025-02-01Z', '2025-02-01Z'
FROM rp.entries;
INSERT INTO rp_other.contexts (memory_id, context_id, context, deletion_scheduled_time)
SELECT memory_id, context_id, context, '2025-02-01Z'
FROM rp.contexts;
SELECT test.answers_of_w('rp') AS before \gset

-- Purge, to the microsecond: rows that were deleted or expired before the time, not at it. Entries 1 to 3 deleted,
-- 4 to 6 expired, 7 both, context 1 deleted.
UPDATE rp.entries
SET deletion_scheduled_time = timestamptz '2025-03-01Z' + (test.n(entry_id) - 1) * interval '1 microsecond'
WHERE memory_id = 'm' AND test.n(entry_id) <= 3;
UPDATE rp.entries
SET expires_at = timestamptz '2025-03-01Z' + (test.n(entry_id) - 4) * interval '1 microsecond'
WHERE memory_id = 'm' AND test.n(entry_id) BETWEEN 4 AND 6;
UPDATE rp.entries
SET deletion_scheduled_time = '2025-03-03Z', expires_at = '2025-03-02Z'
WHERE memory_id = 'm' AND test.n(entry_id) = 7;
UPDATE rp.contexts SET deletion_scheduled_time = '2025-03-01Z' WHERE memory_id = 'm' AND context_id = test.id(1);
CREATE VIEW rows_left AS
  SELECT (SELECT string_agg(memory_id || test.n(entry_id), ' ' ORDER BY memory_id, entry_id)
          FROM rp.entries WHERE memory_id <> 'w') AS entries,
    (SELECT string_agg(memory_id || test.n(entry_id), ' ' ORDER BY memory_id, entry_id)
     FROM rp.entry_access WHERE memory_id <> 'w') AS counts,
    (SELECT string_agg(memory_id || test.n(context_id), ' ' ORDER BY context_id)
     FROM rp.contexts WHERE memory_id <> 'w') AS contexts;
SELECT memory_purge('2025-03-01Z', store => 'rp') AS none_at_the_instant;
SELECT memory_purge('2025-03-01 00:00:00.000001Z', store => 'rp') AS first_of_each;
SELECT * FROM rows_left;
SELECT memory_purge('2025-03-02 02:00:00.000001+02', store => 'rp') AS the_rest;
SELECT * FROM rows_left;
SELECT memory_purge('2025-03-02 02:00:00.000001+02', store => 'rp') AS again;
-- A purged entry can be neither restored nor explained.
SELECT memory_restore('m', ARRAY[test.id(1), test.id(4)], store => 'rp') AS nothing,
  memory_restore('m', whole_memory => true, store => 'rp') AS still_nothing;
SELECT outcome FROM memory_explain('m', 'kite', entry_id => test.id(1)::text, store => 'rp');
-- The other store, with the same ids and older deletions, has all of its rows.
SELECT (SELECT count(*) FROM rp_other.entries) AS entries, (SELECT count(*) FROM rp_other.contexts) AS contexts;

-- No answer has hidden rows or purged rows: the same bytes as in a store that never had them.
SELECT memory_delete('w', (SELECT array_agg(entry_id) FROM rp.entries WHERE test.n(entry_id) % 3 = 0),
    store => 'rp') AS deleted;
UPDATE rp.entries SET expires_at = '2025-03-01Z' WHERE memory_id = 'w' AND test.n(entry_id) % 5 = 0;
UPDATE rp.contexts SET deletion_scheduled_time = '2025-03-01Z' WHERE memory_id = 'w' AND test.n(context_id) % 3 = 0;
INSERT INTO rp_never.entries (memory_id, entry_id, raw_entry, embedding, creation_time, entry_order)
SELECT memory_id, entry_id, raw_entry, embedding, creation_time, entry_order
FROM rp.entries
WHERE memory_id = 'w' AND deletion_scheduled_time IS NULL AND expires_at IS NULL;
INSERT INTO rp_never.contexts (memory_id, context_id, context, embedding, creation_time)
SELECT memory_id, context_id, context, embedding, creation_time
FROM rp.contexts
WHERE memory_id = 'w' AND deletion_scheduled_time IS NULL;
INSERT INTO rp_never.entry_access SELECT a.* FROM rp.entry_access a JOIN rp_never.entries e USING (memory_id, entry_id);
SELECT test.answers_of_w('rp') = test.answers_of_w('rp_never') AS same_while_hidden,
  test.answers_of_w('rp', '{}') = test.answers_of_w('rp_never', '{}') AS same_now,
  test.answers_of_w('rp') = :'before' AS as_before;
SELECT memory_purge(store => 'rp') AS purged;
SELECT test.answers_of_w('rp') = test.answers_of_w('rp_never') AS same_when_gone,
  test.answers_of_w('rp', '{}') = test.answers_of_w('rp_never', '{}') AS same_now;
SELECT count(*) AS rows, count(*) FILTER (WHERE a.bm25 <> b.bm25) AS other_bm25
FROM test.bm25('rp', 'w', 'lisbon tea') a
FULL JOIN test.bm25('rp_never', 'w', 'lisbon tea') b USING (n);
SELECT (SELECT count(*) FROM rp.entries WHERE memory_id = 'w') AS entries,
  (SELECT count(*) FROM rp.contexts WHERE memory_id = 'w') AS contexts,
  (SELECT count(*) FROM rp.entry_access WHERE memory_id = 'w') AS counts;

-- By default a purge removes the entries that were deleted or expired before now. An entry that expires later stays,
-- even if the given time is later still, because nobody deleted it.
INSERT INTO rp.entries (memory_id, entry_id, raw_entry, creation_time, deletion_scheduled_time, expires_at) VALUES
  ('m', test.id(11), 'kite', '2025-01-01Z', NULL, NULL),
  ('m', test.id(12), 'kite', '2025-01-01Z', '9999-01-01Z', NULL),
  ('m', test.id(13), 'kite that expires later', '2025-01-01Z', NULL, '9999-01-01Z'),
  ('m', test.id(14), 'kite', '2025-01-01Z', '-infinity', NULL),
  ('m', test.id(15), 'kite for ever', '2025-01-01Z', NULL, 'infinity');
SELECT memory_delete('m', ARRAY[test.id(11)], store => 'rp');
SELECT memory_purge('-infinity', store => 'rp') AS before_all_times, memory_purge(store => 'rp') AS by_default;
SELECT entries FROM rows_left;
SELECT memory_restore('m', ARRAY[test.id(12)], store => 'rp') AS taken_back;
BEGIN;
SELECT memory_purge('infinity', store => 'rp') AS nothing_to_purge;
SELECT entries FROM rows_left;
ROLLBACK;
-- The default is the time of the call: now() is the time when the transaction began, before what it deletes.
BEGIN;
SELECT memory_delete('m', ARRAY[test.id(15)], store => 'rp');
SELECT memory_purge(now(), store => 'rp') AS not_yet, memory_purge(store => 'rp') AS by_default;
ROLLBACK;
SELECT entries FROM rows_left;

-- A call purges at most max_rows rows; the next calls continue, over batches and relations, until no row is left.
INSERT INTO rp.entries (memory_id, raw_entry, deletion_scheduled_time, expires_at)
SELECT 'bulk', 'x', CASE WHEN n % 2 = 0 THEN timestamptz '2025-03-01Z' END, '2025-03-01Z'
FROM generate_series(1, 2300) n;
INSERT INTO rp.contexts (memory_id, context, deletion_scheduled_time)
SELECT 'bulk', 'x', '2025-03-01Z'
FROM generate_series(1, 5) n;
INSERT INTO rp.entry_access (memory_id, entry_id, access_count)
SELECT memory_id, entry_id, 1
FROM rp.entries
WHERE memory_id = 'bulk';
DO $$
DECLARE
  purged bigint;
  rows_before bigint;
  rows_after bigint;
BEGIN
  FOREACH purged IN ARRAY ARRAY[1, 3, 2000, 1000, 1000] LOOP
    SELECT (SELECT count(*) FROM rp.entries) + (SELECT count(*) FROM rp.contexts) INTO rows_before;
    DECLARE
      most bigint := purged;
    BEGIN
      purged := memory_purge(max_rows => most, store => 'rp');
      SELECT (SELECT count(*) FROM rp.entries) + (SELECT count(*) FROM rp.contexts) INTO rows_after;
      RAISE WARNING 'max_rows %: says %, removed %, counts left %', most, purged, rows_before - rows_after,
        (SELECT count(*) FROM rp.entry_access WHERE memory_id = 'bulk');
    END;
  END LOOP;
END $$;
SELECT memory_purge(store => 'rp') AS nothing_left;
SELECT * FROM rows_left;
-- Thousands of rows at once.
INSERT INTO rp.entries (memory_id, raw_entry, expires_at)
SELECT 'bulk', 'x', '2025-03-01Z'
FROM generate_series(1, 2300) n;
SELECT memory_purge(store => 'rp') AS all_of_them;
SELECT test.error(statement)
FROM (VALUES
  (1, $$SELECT memory_purge(max_rows => 0, store => 'rp')$$),
  (2, $$SELECT memory_purge(max_rows => -1, store => 'rp')$$),
  (3, $$SELECT memory_purge(NULL, store => 'rp')$$),
  (4, $$SELECT memory_purge(store => 'nowhere')$$),
  (5, $$SELECT memory_purge(store => '')$$),
  (6, $$SELECT memory_purge(max_rows => 9223372036854775807, store => 'rp')$$)
) t(i, statement)
ORDER BY i;
BEGIN READ ONLY;
SELECT test.error($$SELECT memory_purge(store => 'rp')$$) AS purge;
ROLLBACK;

-- A role without the privilege to delete purges nothing, even if it may delete from one of the tables; restoring is an
-- update.
CREATE ROLE rp_user;
GRANT USAGE ON SCHEMA rp TO rp_user;
GRANT SELECT ON ALL TABLES IN SCHEMA rp TO rp_user;
UPDATE rp.entries SET deletion_scheduled_time = '2025-03-01Z' WHERE memory_id = 'm';
UPDATE rp.contexts SET deletion_scheduled_time = '2025-03-01Z' WHERE memory_id = 'm';
CREATE FUNCTION left_to_purge() RETURNS text LANGUAGE sql SECURITY DEFINER AS $$
  SELECT format('%s entries, %s contexts', (SELECT count(*) FROM rp.entries WHERE deletion_scheduled_time IS NOT NULL),
      (SELECT count(*) FROM rp.contexts WHERE deletion_scheduled_time IS NOT NULL)) $$;
SET ROLE rp_user;
SELECT test.error($$SELECT memory_restore('m', whole_memory => true, store => 'rp')$$) AS restore,
  test.error($$SELECT memory_purge(store => 'rp')$$) AS purge,
  left_to_purge();
RESET ROLE;
GRANT INSERT, UPDATE ON ALL TABLES IN SCHEMA rp TO rp_user;
SET ROLE rp_user;
SELECT test.error($$SELECT memory_restore('m', whole_memory => true, store => 'rp')$$) AS restore,
  test.error($$SELECT memory_purge(store => 'rp')$$) AS purge,
  left_to_purge();
RESET ROLE;
GRANT DELETE ON rp.contexts TO rp_user;
SET ROLE rp_user;
SELECT memory_purge(store => 'rp');
SELECT left_to_purge();
RESET ROLE;
GRANT DELETE ON rp.entries TO rp_user;
SET ROLE rp_user;
-- Counts are removed with their entries by the foreign key: no right on them is needed.
SELECT memory_purge(store => 'rp');
RESET ROLE;
SELECT * FROM rows_left;
DROP FUNCTION left_to_purge;
DROP VIEW rows_left;
DROP SCHEMA rp, rp_never, rp_other CASCADE;
DROP OWNED BY rp_user;
DROP ROLE rp_user;
