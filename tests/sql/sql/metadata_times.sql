-- A bound in $date compares texts of the metadata as instants, in every notation and under every time zone and date
-- style of the session. The oracle knows each value's instant.
SELECT memory_create_store('mt', 4);
CREATE TABLE due (n int, value jsonb, instant timestamptz);
INSERT INTO due VALUES
  (1, '"2025-06-27T11:42:03Z"', '2025-06-27 11:42:03Z'),
  (2, '"2025-06-27T13:42:03+02:00"', '2025-06-27 11:42:03Z'),
  (3, '"2025-06-27 11:42:03.000001+00"', '2025-06-27 11:42:03.000001Z'),
  (4, '"2025-06-27"', '2025-06-27Z'),
  (5, '"2025-06-27T23:30:00"', '2025-06-27 23:30Z'),
  (6, '"2025-06-28T00:30+0100"', '2025-06-27 23:30Z'),
  (7, '"2025-06-27t11:42:02.123456789z"', '2025-06-27 11:42:02.123457Z'),
  (8, '"tomorrow"', NULL), (9, '"27.06.2025"', NULL), (10, '20250627', NULL), (11, 'null', NULL),
  (12, '"2025-13-45T00:00:00Z"', NULL), (13, '"2025-06-27T25:00:00Z"', NULL), (14, '{"at": "2025-06-27"}', NULL),
  (15, '"0001-01-01"', '0001-01-01Z'), (16, '"9999-12-31T23:59:59Z"', '9999-12-31 23:59:59Z');
SELECT count(memory_add('m', 'due ' || n, metadata => jsonb_build_object('due', value), entry_id => test.id(n),
  store => 'mt')) FROM due;
SELECT count(memory_add('lists', 'due ' || n, metadata => jsonb_build_object('due', value), entry_id => test.id(n),
  store => 'mt')) AS lists FROM (VALUES (21, '["2025-01-01", "2025-12-31"]'::jsonb), (22, '["x", 5]'),
  (23, '[["2025-01-01"], 7]'), (24, '[[["2025-01-01"]]]')) t(n, value);

CREATE FUNCTION passing(memory text, operators text) RETURNS int[] LANGUAGE sql AS $$
  SELECT array_agg(test.n(e.entry_id) ORDER BY test.n(e.entry_id))
    FROM memory_search_entries(memory, '', k => 50, store => 'mt',
      filters => jsonb_build_object('metadata.due', operators::jsonb)) e $$;
CREATE FUNCTION expected(operator text, bound timestamptz) RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE
  found int[];
BEGIN
  EXECUTE format('SELECT array_agg(n ORDER BY n) FROM due WHERE instant %s $1', operator)
    INTO found USING bound;
  RETURN found;
END $$;
-- Each operator at each instant, and a microsecond beside it, in three time zones and date styles.
SELECT zone, count(*) AS compared, count(*) FILTER (WHERE own IS NOT DISTINCT FROM oracle) AS equal,
  count(DISTINCT oracle) AS answers
FROM (VALUES ('UTC', 'ISO, MDY'), ('Asia/Tokyo', 'SQL, DMY'), ('America/Los_Angeles', 'German')) z(zone, style),
  LATERAL (SELECT set_config('TimeZone', zone, false), set_config('DateStyle', style, false)) settings(a, b),
  LATERAL (
    SELECT passing('m', format('{"%s": {"$date": %s}}', named, written)) AS own, expected(operator, bound) AS oracle
      FROM (VALUES ('$eq', '='), ('$gt', '>'), ('$gte', '>='), ('$lt', '<'), ('$lte', '<=')) o(named, operator),
        (SELECT DISTINCT instant + beside * interval '1 us' AS bound FROM due, generate_series(-1, 1) beside
          WHERE instant IS NOT NULL AND n < 15) b,
        to_json(to_char(bound AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) written
     WHERE settings.a = zone) t
GROUP BY zone ORDER BY zone;
RESET TimeZone;
RESET DateStyle;
SELECT operators, passing('m', operators) AS of_one, passing('lists', operators) AS of_lists FROM (VALUES
  ('{"$between": [{"$date": "2025-06-27T00:00:00Z"}, {"$date": "2025-06-27T12:00:00Z"}]}'),
  ('{"$gt": {"$date": "2025-06-01T00:00:00Z"}, "$lt": {"$date": "2025-06-30T00:00:00Z"}}'),
  ('{"$in": [{"$date": "2025-06-27T12:42:03+01:00"}, {"$date": "2025-01-01T00:00:00Z"}]}'),
  ('{"$nin": [{"$date": "2025-06-27T11:42:03Z"}]}'), ('{"$ne": {"$date": "2025-06-27T23:30:00Z"}}'),
  ('{"$not": [{"$gte": {"$date": "2025-06-27T00:00:00Z"}}]}')) t(operators);
-- Functions that list, count and delete compare times alike.
SELECT memory_count('m', '{"metadata.due": {"$lt": {"$date": "2025-06-27T11:42:03Z"}}}', 'mt') AS counted,
  (SELECT count(*) FROM memory_list('m', '{"metadata": {"due": {"$lt": {"$date": "2025-06-27T11:42:03Z"}}}}',
    store => 'mt')) AS listed;
-- A value that is no time is refused.
SELECT test.error(format('SELECT memory_count(''m'', %L, ''mt'')', filters)) FROM (VALUES
  ('{"metadata.due": {"$gt": {"$date": "2025-06-27"}}}'), ('{"metadata.due": {"$gt": {"$date": 5}}}'),
  ('{"metadata.due": {"$like": {"$date": "2025-06-27T00:00:00Z"}}}'),
  ('{"metadata.due": {"$date": "2025-06-27T00:00:00Z"}}'),
  ('{"metadata.due": {"$in": [{"$date": "2025-06-27T00:00:00Z"}, "2025"]}}'),
  ('{"metadata": {"$date": "2025-06-27T00:00:00Z"}}'),
  ('{"metadata.due": {"$between": {"$date": "2025-06-27T00:00:00Z"}}}')) t(filters);
-- A list of any length takes one look at each row; its length is limited.
SELECT memory_count('m', jsonb_build_object('metadata.due', jsonb_build_object('$in', list)), 'mt') AS of_thousand
FROM (SELECT jsonb_agg(jsonb_build_object('$date', to_char('2025-06-27 11:25:24'::timestamp + n * interval '1 s',
  'YYYY-MM-DD"T"HH24:MI:SS"Z"'))) AS list FROM generate_series(0, 999) n) l;
SELECT left(test.error($$SELECT memory_count('m', jsonb_build_object('metadata.due', jsonb_build_object('$in',
  (SELECT jsonb_agg('{"$date": "2025-06-27T11:42:03Z"}'::jsonb) FROM generate_series(0, 1000)))), 'mt')$$), 90)
  AS too_many;
DROP TABLE due;
DROP FUNCTION passing, expected;
DROP SCHEMA mt CASCADE;
