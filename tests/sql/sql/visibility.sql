-- Deleted and expired rows are absent everywhere: entries, contexts, and every statistic behind a score; asOf
-- moves the instant.
SELECT memory_create_store('vi', 4);
INSERT INTO vi.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
SELECT 'm', test.id(n), test.words(n, 8), test.vector(n), timestamptz '2025-01-01Z' + n * interval '1 day'
FROM generate_series(1, 40) n;
INSERT INTO vi.contexts (memory_id, context_id, context, embedding, creation_time)
SELECT 'm', test.id(n), test.words(n + 100, 8), test.vector(n + 100), timestamptz '2025-01-01Z' + n * interval '1 day'
FROM generate_series(1, 6) n;
INSERT INTO vi.entry_access VALUES ('m', test.id(3), 5, '2025-02-01Z');
SET memory_search.max_top_ke = 1000;

-- Everything that a search says, with all scores.
CREATE FUNCTION everything(options jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT md5(string_agg(memory_search('m', 'tea train hotel lisbon', 1000, 3, '[1,0.5,0,0]',
            options => options || jsonb_build_object('strategy', strategy, 'boosts', '{"popularity": 0.2}'::jsonb),
            store => 'vi')::text,
        '' ORDER BY strategy)
    || (SELECT string_agg(f::text, '' ORDER BY rank)
        FROM memory_search_entries('m', 'tea train hotel lisbon', 1000, store => 'vi', options => options) f))
  FROM (VALUES ('hybrid'), ('keyword'), ('semantic'), ('recent')) s(strategy) $$;
BEGIN; -- one instant for all ages
SELECT everything() AS before \gset
-- Rows with the same words, more used, newer and nearer: if they were visible, they would change every score.
INSERT INTO vi.entries (memory_id, entry_id, raw_entry, embedding, importance)
SELECT 'm', test.id(n), 'tea train hotel lisbon tea tea ' || test.words(n, 50), '[1,0.5,0,0]', 100
FROM generate_series(1001, 1020) n;
INSERT INTO vi.entry_access SELECT 'm', test.id(n), 1000, now() FROM generate_series(1001, 1020) n;
INSERT INTO vi.contexts (memory_id, context_id, context, embedding)
SELECT 'm', test.id(n), 'tea train hotel lisbon', '[1,0.5,0,0]'
FROM generate_series(1001, 1005) n;
SELECT everything() <> :'before' AS different_if_visible;
-- Deleted, they change nothing.
SELECT memory_delete('m', (SELECT array_agg(test.id(n)) FROM generate_series(1001, 1020) n), store => 'vi');
UPDATE vi.contexts SET deletion_scheduled_time = now() WHERE test.n(context_id) > 1000;
SELECT everything() = :'before' AS same_if_deleted;
-- Expired rows change nothing, either; a row that expires later is visible.
UPDATE vi.entries SET deletion_scheduled_time = NULL, expires_at = now() WHERE test.n(entry_id) > 1000;
SELECT everything() = :'before' AS same_if_expired;
UPDATE vi.entries SET expires_at = now() + interval '1 microsecond' WHERE test.n(entry_id) > 1000;
SELECT everything() <> :'before' AS visible_if_they_expire_later;
-- Rows of another memory: no statistic counts them.
UPDATE vi.contexts SET memory_id = 'other' WHERE test.n(context_id) > 1000;
DELETE FROM vi.entry_access WHERE test.n(entry_id) > 1000;
UPDATE vi.entries SET memory_id = 'other' WHERE test.n(entry_id) > 1000;
SELECT everything() = :'before' AS same_if_in_another_memory;
ROLLBACK;

-- A deletion that is scheduled for later hides at once.
UPDATE vi.entries SET deletion_scheduled_time = now() + interval '30 days' WHERE entry_id = test.id(1);
SELECT count(*) FROM memory_search_entries('m', '', 1000, store => 'vi') WHERE entry_id = test.id(1)::text;
UPDATE vi.entries SET deletion_scheduled_time = NULL WHERE entry_id = test.id(1);

-- asOf: the rows of that instant: not those created later, but those that are deleted or expire later.
UPDATE vi.entries SET deletion_scheduled_time = '2025-01-20Z' WHERE entry_id = test.id(5);
UPDATE vi.entries SET expires_at = '2025-01-20Z' WHERE entry_id = test.id(6);
UPDATE vi.contexts SET deletion_scheduled_time = '2025-01-20Z' WHERE context_id = test.id(6);
CREATE FUNCTION at_instant(instant text)
RETURNS TABLE (count bigint, newest bigint, has_5 bool, has_6 bool, latest_context timestamptz, contexts int)
LANGUAGE sql AS $$
  SELECT count(n), max(n), bool_or(n = 5), bool_or(n = 6), (r->>'latestContextTimestamp')::timestamptz,
    jsonb_array_length(r->'contexts')
  FROM (SELECT memory_search('m', '', 1000, 3, '[1,0,0,0]', options => jsonb_build_object('asOf', instant),
            store => 'vi')) s(r)
  LEFT JOIN LATERAL unnest(test.found(r)) n ON true
  GROUP BY r $$;
SET timezone = 'UTC';
SELECT instant, a.*
FROM (VALUES
  ('2024-12-31T00:00:00Z'), ('2025-01-02T00:00:00Z'), ('2025-01-06T00:00:00Z'),
  ('2025-01-07T00:00:00Z'), ('2025-01-19T23:59:59.999999Z'), ('2025-01-20T00:00:00Z'),
  ('2025-01-20T05:45:00+05:45'), ('2030-01-01T00:00:00Z')
) t(instant),
  LATERAL at_instant(instant) a;
-- The same rows by plain SQL.
SELECT instant,
  (SELECT count(*)
   FROM vi.entries
   WHERE creation_time <= instant
     AND (deletion_scheduled_time IS NULL OR deletion_scheduled_time > instant)
     AND (expires_at IS NULL OR expires_at > instant))
FROM (VALUES
  (timestamptz '2024-12-31Z'), ('2025-01-02Z'), ('2025-01-06Z'), ('2025-01-07Z'),
  ('2025-01-19T23:59:59.999999Z'), ('2025-01-20Z'), ('2025-01-20Z'), ('2030-01-01Z')
) t(instant);
-- Ages are those at that instant: recency of entry 1, made on 2025-01-02, with 30 days.
SELECT instant, round(recency_factor::numeric, 4) AS recency
FROM (VALUES ('2025-01-02T00:00:00Z'), ('2025-02-01T00:00:00Z'), ('2025-03-03T00:00:00Z')) t(instant),
  LATERAL memory_search_entries('m', '', 1000, store => 'vi', options => jsonb_build_object('asOf', instant))
WHERE entry_id = test.id(1)::text;
SELECT round(exp(-1)::numeric, 4), round(exp(-2)::numeric, 4);
DROP FUNCTION everything, at_instant;
DROP SCHEMA vi CASCADE;
