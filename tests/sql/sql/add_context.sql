-- memory_add(context => ...) keeps the snapshot on the entry, and appends a context when it differs from the newest.
SET timezone = 'UTC';
SELECT memory_create_store('ax', 4);
-- Day d, entry n, context, user: the answer says what the entry kept and how many contexts there are.
CREATE FUNCTION add_on(day int, text text, who text DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
  SELECT memory_add('m', 'entry ' || day, context => text, user_id => who,
      creation_time => timestamptz '2025-01-01Z' + day * interval '1 day', entry_id => test.id(day),
      store => 'ax')::text $$;
CREATE VIEW snapshots AS
  SELECT context, user_id, extract(doy FROM creation_time) - 1 AS day
  FROM ax.contexts ORDER BY creation_time, context;
SELECT add_on(1, 'planning Lisbon');
SELECT add_on(2, 'planning Lisbon');
TABLE snapshots;
SELECT add_on(3, 'planning Porto');
SELECT add_on(4, 'planning Lisbon');
TABLE snapshots;
-- A blank or absent context is none.
SELECT add_on(5, NULL), add_on(6, ''), add_on(7, E' \n ');
SELECT count(*) FROM ax.contexts;
SELECT test.n(entry_id), context IS NULL AS is_null, length(context)
FROM ax.entries WHERE test.n(entry_id) >= 5 ORDER BY 1;
-- Each user has a newest context of their own.
SELECT add_on(8, 'planning Lisbon', 'ana'), add_on(9, 'planning Lisbon', 'ana'), add_on(10, 'planning Lisbon', 'bo');
TABLE snapshots;
-- An entry of the past is compared with the context that was the newest at its time: on day 2 that was the same one.
SELECT memory_add('m', 'late arrival', context => 'planning Lisbon', creation_time => '2025-01-03 12:00Z',
    store => 'ax') IS NOT NULL;
SELECT count(*) FROM ax.contexts;
SELECT memory_add('m', 'late arrival', context => 'planning Lisbon', creation_time => '2025-01-04 12:00Z',
    store => 'ax') IS NOT NULL;
SELECT count(*) FROM ax.contexts;
-- No new context is compared with a deleted one.
UPDATE ax.contexts SET deletion_scheduled_time = now();
SELECT add_on(20, 'planning Lisbon');
SELECT count(*) FROM ax.contexts WHERE deletion_scheduled_time IS NULL;
-- Another memory has contexts of its own.
SELECT memory_add('other', 'x', context => 'planning Lisbon', store => 'ax') IS NOT NULL;
SELECT memory_id, count(*) FROM ax.contexts WHERE deletion_scheduled_time IS NULL GROUP BY 1 ORDER BY 1;
-- A statement that adds an entry and fails leaves no context.
SELECT test.error($$SELECT memory_add('third', 'x', context => 'lost', store => 'ax'), 1 / (random() * 0)::int$$);
SELECT count(*) FROM ax.contexts WHERE memory_id = 'third';

-- memory_put_context stores one snapshot, repeated or not.
SELECT memory_put_context('p', 'first', creation_time => '2025-01-01Z', store => 'ax') IS NOT NULL,
  memory_put_context('p', 'first', user_id => 'ana', embedding => '[1,0,0,0]', creation_time => '2025-01-02Z',
      store => 'ax') IS NOT NULL;
SELECT context, user_id, creation_time, embedding FROM ax.contexts WHERE memory_id = 'p' ORDER BY creation_time;
SELECT test.error(statement) FROM (VALUES
  ($$SELECT memory_put_context(NULL, 'x', store => 'ax')$$),
  ($$SELECT memory_put_context('', 'x', store => 'ax')$$),
  ($$SELECT memory_put_context('p', NULL, store => 'ax')$$),
  ($$SELECT memory_put_context('p', 'x', user_id => '', store => 'ax')$$),
  ($$SELECT memory_put_context('p', 'x', embedding => '[1,2]', store => 'ax')$$),
  ($$SELECT memory_put_context('p', 'x', store => 'nowhere')$$),
  ($$SELECT memory_put_context('p', 'x', store => '')$$)
) t(statement);
DROP VIEW snapshots;
DROP FUNCTION add_on;
DROP SCHEMA ax CASCADE;
