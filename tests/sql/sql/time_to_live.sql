-- ttl: an entry expires a time to live after its last use. Months and days follow the calendar, as in PostgreSQL.
SET timezone = 'UTC';
SELECT memory_create_store('tl', 4, 'simple');
SET memory_search.embed_on_write = off;
BEGIN;
SELECT test.n(memory_add('m', 'tea for a month', entry_id => test.id(1), ttl => '1 month', store => 'tl')),
  test.n(memory_add('m', 'tea for ever', entry_id => test.id(2), store => 'tl')),
  test.n(memory_add('m', 'tea until then', entry_id => test.id(3), expires_at => '2100-01-01Z', store => 'tl')),
  test.n(memory_add('m', 'tea of last year', entry_id => test.id(4), creation_time => '2020-01-01Z',
    ttl => '1 year 2 days 03:04:05.000006', store => 'tl'));
SELECT test.n(entry_id), status FROM memory_add_many('m', '[{"rawEntry": "tea of many", "ttl": "P3D",
  "entryId": "00000000-0000-0000-0000-000000000005"},
  {"rawEntry": "tea", "entryId": "00000000-0000-0000-0000-000000000006"}]', 'tl');
SELECT test.n(entry_id) AS n, time_to_live, expires_at = now() + time_to_live AS from_now FROM tl.entries ORDER BY 1;
SELECT test.n(entry_id::uuid) AS n, ttl, expires_at = now() + ttl::interval AS from_now
FROM memory_list('m', store => 'tl') ORDER BY 1;
COMMIT;
-- A touched or recalled entry lives for its time to live again; an expired entry is not revived.
UPDATE tl.entries SET expires_at = now() + interval '1 minute' WHERE time_to_live IS NOT NULL;
UPDATE tl.entries SET expires_at = now() - interval '1 second' WHERE entry_id = test.id(5);
BEGIN;
SELECT memory_touch('m', ARRAY[test.id(1), test.id(2), test.id(3), test.id(5)], 'tl') AS touched;
SELECT test.n(entry_id) AS n, expires_at = now() + time_to_live AS anew, expires_at < now() AS gone, access_count
FROM tl.entries LEFT JOIN tl.entry_access USING (memory_id, entry_id) ORDER BY 1;
COMMIT;
BEGIN;
SELECT test.found(memory_recall('m', 'last year', 1, options => '{"strategy": "keyword", "match": "all"}',
  store => 'tl'));
SELECT test.n(entry_id) AS n, expires_at = now() + time_to_live AS anew FROM tl.entries
WHERE time_to_live IS NOT NULL ORDER BY 1;
-- A search that is no use changes nothing.
UPDATE tl.entries SET expires_at = now() + interval '1 minute' WHERE entry_id = test.id(1);
SELECT count(*) FROM memory_search_entries('m', 'tea', 10, store => 'tl');
SELECT expires_at = now() + interval '1 minute' AS as_it_was FROM tl.entries WHERE entry_id = test.id(1);
COMMIT;
-- A transaction that began before another one used the entry does not shorten its life.
BEGIN;
UPDATE tl.entries SET expires_at = now() + time_to_live + interval '1 hour' WHERE entry_id = test.id(1);
SELECT memory_touch('m', ARRAY[test.id(1), test.id(4)], 'tl') AS touched;
SELECT test.n(entry_id) AS n, expires_at = now() + time_to_live AS anew,
  expires_at = now() + time_to_live + interval '1 hour' AS as_it_was FROM tl.entries
WHERE entry_id IN (test.id(1), test.id(4)) ORDER BY 1;
ROLLBACK;
-- A change: with ttl the time begins anew; with expires_at the entry ends then and no later.
BEGIN;
SELECT memory_update('m', test.id(2), ttl => '10 days', store => 'tl'),
  memory_update('m', test.id(1), expires_at => '2100-01-01Z', store => 'tl'),
  memory_update('m', test.id(4), expires_at => 'infinity', store => 'tl');
SELECT memory_touch('m', ARRAY[test.id(1), test.id(4)], 'tl') AS touched;
SELECT test.n(entry_id) AS n, time_to_live, expires_at = now() + interval '10 days' AS in_ten_days,
  expires_at >= '2100-01-01Z' AS far_away FROM tl.entries WHERE test.n(entry_id) IN (1, 2, 4) ORDER BY 1;
COMMIT;
-- If expires_at is cleared, the entry never expires, and no use changes that; ttl together with clear is refused.
BEGIN;
SELECT memory_update('m', test.id(2), clear => '{expires_at}', store => 'tl'),
  memory_touch('m', ARRAY[test.id(2)], 'tl') AS touched;
SELECT time_to_live, expires_at FROM tl.entries WHERE entry_id = test.id(2);
SELECT test.error($$SELECT memory_update('m', test.id(2), ttl => '3 days', clear => '{expires_at}', store => 'tl')$$);
ROLLBACK;
-- If a key is stored again, the entry lives as the last call says.
BEGIN;
SELECT memory_add('k', 'one', entry_key => 'a', ttl => '1 day', store => 'tl') =
  memory_add('k', 'two', entry_key => 'a', store => 'tl') AS same;
SELECT raw_entry, time_to_live, expires_at FROM tl.entries WHERE memory_id = 'k';
COMMIT;
-- The export has a form that every session reads alike, and the import restores the value.
SET intervalstyle = 'sql_standard';
INSERT INTO tl.entries (memory_id, entry_id, raw_entry, time_to_live, expires_at)
VALUES ('x', test.id(10), 'all', '1 year -2 months 3 days -04:05:06.7', '2100-01-01Z');
SELECT line->>'ttl' AS ttl, line->>'expiresAt' AS expires_at FROM memory_export('x', store => 'tl') line;
INSERT INTO tl.entries (memory_id, entry_id, raw_entry, time_to_live) VALUES ('x', test.id(11), 'long', '2000 years');
RESET intervalstyle;
SELECT memory_import('y', line, 'tl') FROM memory_export('x', store => 'tl') line;
SELECT memory_id, time_to_live, expires_at FROM tl.entries WHERE memory_id IN ('x', 'y')
ORDER BY 1, 2;
-- A role that may count uses but not change entries is refused only if a use would prolong one of the entries.
CREATE ROLE regress_tl;
SELECT memory_grant('tl', 'regress_tl', 'reader');
GRANT INSERT, UPDATE ON tl.entry_access TO regress_tl;
SET ROLE regress_tl;
SELECT memory_touch('m', ARRAY[test.id(1)], 'tl') AS touched;
SELECT test.error($$SELECT memory_touch('m', ARRAY[test.id(1), test.id(2)], 'tl')$$);
RESET ROLE;
-- Refused.
SELECT n, test.error('SELECT ' || call) FROM (VALUES
  (1, $$memory_add('m', 'x', ttl => '1 day', expires_at => '2100-01-01Z', store => 'tl')$$),
  (2, $$memory_add('m', 'x', ttl => '0', store => 'tl')$$),
  (3, $$memory_add('m', 'x', ttl => '-1 day', store => 'tl')$$),
  (4, $$memory_add('m', 'x', ttl => '1001 years', store => 'tl')$$),
  (5, $$memory_add_many('m', '[{"rawEntry": "x"}, {"rawEntry": "x", "ttl": "soon"}]', 'tl')$$),
  (6, $$memory_add_many('m', '[{"rawEntry": "x", "ttl": "1 day", "expiresAt": "2100-01-01T00:00:00Z"}]', 'tl')$$),
  (7, $$memory_add_many('m', '[{"rawEntry": "x", "ttl": 5}]', 'tl')$$),
  (8, $$memory_update('m', test.id(1), ttl => '1 day', expires_at => '2100-01-01Z', store => 'tl')$$),
  (9, $$memory_import('m', '{"kind": "entry", "rawEntry": "x", "ttl": "''; DROP TABLE tl.entries; --"}', 'tl')$$))
  t(n, call) ORDER BY n;
-- The longest possible time to live.
SELECT memory_add('m', 'lasting', ttl => '1000 years', store => 'tl') IS NOT NULL AS added;
DROP OWNED BY regress_tl;
DROP ROLE regress_tl;
DROP SCHEMA tl CASCADE;
