-- expires_at: from that instant on an entry is in no answer, on every path, without any job that runs.
SET timezone = 'UTC';
SELECT memory_create_store('xp', 4), memory_create_store('xp_never', 4);
SELECT test.n(memory_add('m', 'tea for ever', embedding => '[1,0,0,0]', creation_time => '2025-01-01Z',
      entry_id => test.id(1), store => 'xp')) AS no_expiry,
  test.n(memory_add('m', 'tea, said null', embedding => '[1,0,0,0]', creation_time => '2025-01-02Z',
      entry_id => test.id(2), expires_at => NULL, store => 'xp')) AS null_expiry,
  test.n(memory_add('m', 'tea that never ends', embedding => '[1,0,0,0]', creation_time => '2025-01-03Z',
      entry_id => test.id(3), expires_at => 'infinity', store => 'xp')) AS infinity,
  test.n(memory_add('m', 'tea for an hour', embedding => '[1,0,0,0]', creation_time => '2025-01-04Z',
      entry_id => test.id(4), expires_at => now() + interval '1 hour', store => 'xp')) AS an_hour,
  test.n(memory_add('m', 'tea just gone', embedding => '[1,0,0,0]', creation_time => '2025-01-05Z',
      entry_id => test.id(5), expires_at => clock_timestamp(), store => 'xp')) AS now,
  test.n(memory_add('m', 'tea of May', embedding => '[1,0,0,0]', creation_time => '2025-01-06Z', entry_id => test.id(6),
      expires_at => '2025-05-01T02:00:00+02:00', store => 'xp')) AS may,
  test.n(memory_add('m', 'tea of never', embedding => '[1,0,0,0]', creation_time => '2025-01-07Z',
      entry_id => test.id(7), expires_at => '-infinity', store => 'xp')) AS never;
SELECT test.n(entry_id) AS n,
  CASE WHEN test.n(entry_id) NOT IN (4, 5) THEN expires_at END AS expires_at,
  expires_at > now() AS to_come
FROM xp.entries ORDER BY 1;

-- Each strategy, and each other function that returns entries.
CREATE FUNCTION sorted(found bigint[]) RETURNS bigint[] LANGUAGE sql IMMUTABLE
  RETURN (SELECT array_agg(n ORDER BY n) FROM unnest(found) n);
SELECT strategy,
  sorted(test.found(memory_search('m', 'tea', 10, embedding => '[1,0,0,0]',
      options => jsonb_build_object('strategy', strategy), store => 'xp')))
FROM (VALUES ('auto'), ('hybrid'), ('keyword'), ('recent'), ('semantic')) t(strategy) ORDER BY 1;
SELECT sorted(array_agg(test.n(entry_id))) AS as_rows FROM memory_search_entries('m', 'tea', 10, store => 'xp');
SELECT sorted(test.found(memory_recall('m', 'tea', 10, store => 'xp'))) AS recalled,
  memory_touch('m', ARRAY[test.id(5), test.id(6), test.id(7)], 'xp') AS touched;
SELECT sorted(array_agg(test.n(entry_id))) AS counted FROM xp.entry_access;
SELECT memory_build_context('m', 'tea', options => '{"strategy": "keyword"}',
    store => 'xp') ~ 'of May|just gone|of never' AS in_the_prompt;
SELECT i, sorted(test.found(memory_search('m', 'tea', 10, filters => filters, store => 'xp')))
FROM (VALUES
  (1, '{"createdAfter": "2025-01-04T00:00:00Z"}'::jsonb),
  (2, '{"accessCount": 0}'),
  (3, '{"importance": 50}')
) t(i, filters)
ORDER BY 1;
SELECT n, outcome
FROM (VALUES (1), (4), (5), (6), (7)) t(n),
  LATERAL memory_explain('m', 'tea', 10, entry_id => test.id(n)::text, store => 'xp')
ORDER BY 1;
SELECT count(*) AS rows FROM memory_explain('m', 'tea', 10, store => 'xp');
INSERT INTO xp.entries (memory_id, raw_entry, expires_at)
VALUES ('gone', 'tea', '2025-05-01Z'), ('gone', 'tea', '2025-06-01Z');
SELECT outcome FROM memory_explain('gone', 'tea', store => 'xp');
SELECT memory_search('gone', 'tea', store => 'xp');

-- asOf, to the microsecond: an entry is expired from that instant on. An entry that expires later is gone later.
SELECT as_of,
  sorted(test.found(memory_search('m', 'tea', 10, options => jsonb_build_object('asOf', as_of, 'strategy', 'keyword'),
      store => 'xp')))
FROM (VALUES ('2025-04-30T23:59:59.999999Z'), ('2025-05-01T00:00:00Z'), ('2999-01-01T00:00:00Z')) t(as_of)
ORDER BY 1;
SELECT n, as_of, outcome
FROM (VALUES
  (6, '2025-04-30T23:59:59.999999Z'),
  (6, '2025-05-01T00:00:00Z'),
  (4, '2999-01-01T00:00:00Z'),
  (6, '2025-01-05T00:00:00Z')
) t(n, as_of),
  LATERAL memory_explain('m', 'tea', 10, options => jsonb_build_object('asOf', as_of), entry_id => test.id(n)::text,
      store => 'xp')
ORDER BY 1, 2;
-- An entry that is deleted later is requested as of a time before it was made.
UPDATE xp.entries SET deletion_scheduled_time = '2025-06-01Z' WHERE entry_id = test.id(6);
SELECT as_of, outcome
FROM (VALUES ('2025-01-05T00:00:00Z'), ('2025-05-15T00:00:00Z'), ('2025-06-15T00:00:00Z')) t(as_of),
  LATERAL memory_explain('m', 'tea', 10, options => jsonb_build_object('asOf', as_of), entry_id => test.id(6)::text,
      store => 'xp')
ORDER BY 1;
UPDATE xp.entries SET deletion_scheduled_time = NULL;

-- Contexts that are on entries expire with them.
INSERT INTO xp.entries (memory_id, entry_id, raw_entry, context, creation_time, expires_at) VALUES
  ('c', test.id(1), 'x', 'kites of January', '2025-01-01Z', NULL),
  ('c', test.id(2), 'x', 'kites of February', '2025-02-01Z', '2025-05-01Z'),
  ('c', test.id(3), 'x', 'kites of March', '2025-03-01Z', now() - interval '1 microsecond'),
  ('c', test.id(4), 'x', 'kites, older', '2024-12-01Z', '2025-05-01Z');
SELECT as_of, answer->>'latestContext' AS latest,
  (SELECT array_agg(c->>'context' ORDER BY c->>'context') FROM jsonb_array_elements(answer->'contexts') c) AS older
FROM (VALUES
  ('{}'::jsonb), ('{"asOf": "2025-04-01T00:00:00Z"}'), ('{"asOf": "2025-05-01T00:00:00Z"}'),
  ('{"asOf": "2999-01-01T00:00:00Z"}')
) t(as_of),
  LATERAL memory_search('c', 'kites', 0, 3, options => as_of, store => 'xp') answer
ORDER BY as_of->>'asOf' NULLS FIRST;

-- No statistic counts it: the same bytes as in a store without it. Here a third of 60 entries expires, and
-- was used the most.
SELECT count(memory_add('w', test.words(n, 3 + n % 7), embedding => test.vector(n),
    creation_time => timestamptz '2025-01-01Z' + n * interval '1 hour',
    expires_at => CASE WHEN n % 3 = 0 THEN timestamptz '2025-05-01Z' END, entry_id => test.id(n), store => 'xp'))
FROM generate_series(1, 60) n;
INSERT INTO xp.entry_access
SELECT memory_id, entry_id, CASE WHEN expires_at IS NULL THEN test.n(entry_id) ELSE 1000 END, '2025-02-01Z'
FROM xp.entries
WHERE memory_id = 'w';
INSERT INTO xp_never.entries (memory_id, entry_id, raw_entry, embedding, creation_time, entry_order)
SELECT memory_id, entry_id, raw_entry, embedding, creation_time, entry_order
FROM xp.entries
WHERE memory_id = 'w' AND expires_at IS NULL;
INSERT INTO xp_never.entry_access SELECT a.* FROM xp.entry_access a JOIN xp_never.entries e USING (memory_id, entry_id);
CREATE FUNCTION answers(store text, options jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT md5(string_agg(memory_search('w', 'tea train hotel lisbon', 10, 3, '[1,0.5,0,0]',
            options => options || jsonb_build_object('strategy', strategy, 'boosts', '{"popularity": 0.2}'::jsonb),
            store => store)::text,
        '' ORDER BY strategy)
    || (SELECT string_agg(x::text, '' ORDER BY x.place)
        FROM memory_explain('w', 'lisbon tea', 10, '[1,0.5,0,0]', options => options, store => store) x))
  FROM (VALUES ('hybrid'), ('keyword'), ('semantic'), ('recent')) s(strategy) $$;
SELECT options, answers('xp', options) = answers('xp_never', options) AS same
FROM (VALUES
  ('{}'::jsonb), ('{"asOf": "2025-04-30T23:59:59Z"}'), ('{"asOf": "2025-05-01T00:00:00Z"}'),
  ('{"asOf": "2999-01-01T00:00:00Z"}')
) t(options)
ORDER BY options->>'asOf' NULLS FIRST;

-- The entry exists until it is purged, and comes back with a later time; deletion and restoring do not change it.
SELECT memory_update('m', test.id(6), expires_at => '2999-06-01Z', store => 'xp') AS longer;
SELECT sorted(test.found(memory_search('m', 'tea', 10, store => 'xp'))) AS back;
SELECT memory_delete('m', ARRAY[test.id(5)], store => 'xp') AS deleted,
  memory_restore('m', ARRAY[test.id(5)], store => 'xp') AS restored;
SELECT memory_purge(store => 'xp') AS purged;
SELECT memory_id, array_agg(test.n(entry_id) ORDER BY entry_id) AS left
FROM xp.entries WHERE memory_id <> 'w' GROUP BY 1 ORDER BY 1;
SELECT answers('xp') = answers('xp_never') AS same_when_purged;
-- The argument is a time: a text that is none is refused.
SELECT test.error($$SELECT memory_add('m', 'x', expires_at => 'soon', store => 'xp')$$);
DROP FUNCTION sorted, answers;
DROP SCHEMA xp, xp_never CASCADE;
