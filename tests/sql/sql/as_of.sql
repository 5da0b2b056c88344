-- options.asOf: the entries visible at the instant, with their age at the instant and the contexts of that time. Every
-- later search with it gives the same bytes.
SELECT memory_create_store('ao', 4);
INSERT INTO ao.entries (memory_id, entry_id, raw_entry, embedding, importance, creation_time, deletion_scheduled_time,
  expires_at) VALUES
  ('m', test.id(1), 'tea in May', '[1,0,0,0]', 50, '2025-05-01Z', NULL, NULL),
  ('m', test.id(2), 'tea, deleted in July', '[1,0,0,0]', 50, '2025-05-02Z', '2025-07-01Z', NULL),
  ('m', test.id(3), 'tea, expired in July', '[1,0,0,0]', 50, '2025-05-03Z', NULL, '2025-07-01Z'),
  ('m', test.id(4), 'tea in June', '[1,0,0,0]', 50, '2025-06-01Z', NULL, NULL),
  ('m', test.id(5), 'tea in August', NULL, 50, '2025-08-01Z', NULL, NULL),
  ('m', test.id(6), 'tea to come', '[1,0,0,0]', 50, '3025-01-01Z', NULL, NULL),
  ('m', test.id(7), 'tea, deleted in August, expired in July', NULL, 50, '2025-05-04Z', '2025-08-01Z', '2025-07-01Z');
INSERT INTO ao.contexts (memory_id, context_id, context, creation_time, deletion_scheduled_time) VALUES
  ('m', test.id(1), 'May: tea', '2025-05-01Z', NULL),
  ('m', test.id(2), 'June: tea, deleted in July', '2025-06-01Z', '2025-07-01Z'),
  ('m', test.id(3), 'August: tea', '2025-08-01Z', NULL),
  ('m', test.id(4), 'to come: tea', '3025-01-01Z', NULL);

-- To the instant: what is created at it is there; what is deleted or expires at it is not.
CREATE FUNCTION seen(as_of text, strategy text DEFAULT 'keyword') RETURNS bigint[] LANGUAGE sql AS $$
  SELECT array_agg(n ORDER BY n)
  FROM unnest(test.found(memory_search('m', 'tea', 10, embedding => '[1,0,0,0]',
      options => jsonb_build_object('asOf', as_of, 'strategy', strategy), store => 'ao'))) n $$;
SELECT as_of, seen(as_of) AS keyword, seen(as_of, 'recent') AS recent, seen(as_of, 'hybrid') AS hybrid,
  seen(as_of, 'semantic') AS semantic,
  (SELECT array_agg(test.n(entry_id) ORDER BY entry_id)
   FROM ao.entries
   WHERE creation_time <= as_of::timestamptz
     AND (deletion_scheduled_time > as_of::timestamptz) IS NOT FALSE
     AND (expires_at > as_of::timestamptz) IS NOT FALSE) IS NOT DISTINCT FROM seen(as_of) AS as_sql
FROM (VALUES
  ('2025-04-30T23:59:59.999999Z'), ('2025-05-01T00:00:00Z'), ('2025-05-03T12:00:00Z'),
  ('2025-06-30T23:59:59.999999Z'), ('2025-07-01T00:00:00Z'), ('2025-07-01T01:59:59+02:00'),
  ('2025-07-01T02:00:00+02:00'), ('2025-08-01T00:00:00Z'), ('3025-01-01T00:00:00Z')
) t(as_of)
ORDER BY as_of::timestamptz, as_of;
-- Without asOf: neither the deleted nor the expired entries, but also those that are dated in the future.
SELECT array_agg(n ORDER BY n) AS now
FROM unnest(test.found(memory_search('m', 'tea', 10, options => '{"strategy": "keyword"}', store => 'ao'))) n;
-- Contexts.
SELECT as_of, answer->>'latestContext' AS latest, answer->>'latestContextTimestamp' AS at,
  (SELECT array_agg(test.n(c->>'contextId') ORDER BY c->>'contextId')
   FROM jsonb_array_elements(answer->'contexts') c) AS older
FROM (VALUES
  ('2025-04-01T00:00:00Z'), ('2025-05-15T00:00:00Z'), ('2025-06-15T00:00:00Z'),
  ('2025-07-15T00:00:00Z'), ('2025-08-15T00:00:00Z'), ('3025-01-02T00:00:00Z')
) t(as_of),
  LATERAL memory_search('m', 'tea', 0, 3, options => jsonb_build_object('asOf', as_of), store => 'ao') answer
ORDER BY as_of;
SELECT memory_build_context('m', 'tea', options => '{"asOf": "2025-05-15T00:00:00Z", "strategy": "keyword"}',
    store => 'ao');

-- Ages are computed at that instant.
SELECT as_of,
  string_agg(format('%s:%s', test.n(entry_id), round(recency_factor::numeric, 4)), ' ' ORDER BY entry_id) AS recency
FROM (VALUES ('2025-05-03T00:00:00Z'), ('2025-06-01T00:00:00Z'), ('2025-06-16T00:00:00Z')) t(as_of),
  LATERAL memory_search_entries('m', 'tea', 10,
      options => jsonb_build_object('asOf', as_of, 'strategy', 'keyword',
          'recency', '{"curve": "linear", "days": 60}'::jsonb),
      store => 'ao')
GROUP BY as_of ORDER BY as_of;
SELECT test.n(entry_id) AS n, round(recency_factor::numeric, 4) AS recency,
  round(exp(-extract(epoch FROM timestamptz '2025-06-16Z' - creation_time) / 86400 / 30)::numeric, 4) AS by_hand
FROM memory_search_entries('m', 'tea', 10, options => '{"asOf": "2025-06-16T00:00:00Z", "strategy": "keyword"}',
    store => 'ao')
ORDER BY n;
-- The statistics of words are as if the later rows did not exist, too.
SELECT count(*) AS rows,
  bool_and(abs(f.bm25 - ln(1 + 0.5 / 4.5) * 1.9 / (1 + 0.9 * (0.85 + 0.15 * length / average))) < 1e-6) AS equal
FROM memory_search_entries('m', 'tea', 10, options => '{"asOf": "2025-05-15T00:00:00Z", "strategy": "keyword"}',
    store => 'ao') f
JOIN (SELECT entry_id::text, length(words)::float8 AS length, avg(length(words)) OVER ()::float8 AS average
      FROM ao.entries JOIN test.words_of_store('ao') USING (memory_id, entry_id)
      WHERE creation_time <= '2025-05-15Z') e USING (entry_id);

-- A search as of an instant gives the same bytes again after later entries, contexts and deletions.
CREATE FUNCTION answers() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT strategy
    || memory_search('m', query, 10, 3, embedding,
        options => more || jsonb_build_object('asOf', as_of, 'strategy', strategy,
          'boosts', '{"popularity": 0.1}'::jsonb),
        store => 'ao')::text
  FROM (VALUES ('auto'), ('hybrid'), ('keyword'), ('semantic'), ('recent')) s(strategy),
    (VALUES
      ('tea', '[1,0,0,0]'::memory_embedding),
      ('', '[0,1,0,0]'),
      ('tea in June', NULL),
      ('zebra', NULL)
    ) q(query, embedding),
    (VALUES
      ('2025-05-15T00:00:00Z'), ('2025-06-15T00:00:00Z'), ('2025-07-15T00:00:00Z'),
      ('2025-09-15T00:00:00Z')
    ) a(as_of),
    (VALUES ('{}'::jsonb), ('{"expand": true, "neighbours": {"before": 1, "after": 1}}')) o(more) $$;
-- The entries are turns of a session, and two are linked.
UPDATE ao.entries SET session_id = 's';
SELECT memory_link('m', test.id(1), test.id(4), store => 'ao');
CREATE TABLE first AS SELECT row_number() OVER () AS i, a FROM answers() a;
SELECT count(*) AS answers, count(DISTINCT a) > 40 AS they_differ, count(*) FILTER (WHERE a <> b) AS changed
FROM first JOIN (SELECT row_number() OVER () AS i, b FROM answers() b) second USING (i);
SELECT memory_add('m', 'tea of today', embedding => '[1,0,0,0]', importance => 100, entry_id => test.id(8),
      session_id => 's', store => 'ao') IS NOT NULL AS added,
  memory_put_context('m', 'today: tea', store => 'ao') IS NOT NULL AS put,
  memory_delete('m', ARRAY[test.id(1)], store => 'ao') AS hidden;
UPDATE ao.entries SET expires_at = now() WHERE entry_id = test.id(4);
UPDATE ao.contexts SET deletion_scheduled_time = now() WHERE context_id = test.id(1);
SELECT count(*) AS answers, count(*) FILTER (WHERE a <> b) AS changed
FROM first JOIN (SELECT row_number() OVER () AS i, b FROM answers() b) second USING (i);
SELECT test.found(memory_search('m', 'tea', 10, options => '{"strategy": "keyword", "boosts": {"recency": 0}}',
    store => 'ao')) @> '{1}' AS deleted_is_still_found_now;
SELECT as_of,
  test.error(format('SELECT memory_search(''m'', ''tea'', options => %L, store => ''ao'')',
      jsonb_build_object('asOf', as_of)))
FROM (VALUES ('2025-05-15'), ('2025-05-15T00:00:00'), ('yesterday'), ('2025-02-30T00:00:00Z'), ('')) t(as_of)
ORDER BY as_of;
DROP TABLE first;
DROP FUNCTION seen, answers;
DROP SCHEMA ao CASCADE;
