-- options.contexts restricts the contexts of a search by their time of creation; the latest context is the newest of
-- these.
SELECT memory_create_store('ct', 4, 'english');
INSERT INTO ct.contexts (memory_id, context_id, user_id, context, creation_time)
SELECT 'm', test.id(n), 'u' || n % 2, 'context ' || n || ' of ' || (ARRAY['tea', 'coffee'])[1 + n % 2],
  timestamptz '2025-01-01Z' + n * interval '1 day'
FROM generate_series(1, 20) n;
CREATE FUNCTION contexts(asked jsonb, query text DEFAULT 'tea', kc int DEFAULT 2, filters jsonb DEFAULT NULL,
  memory text DEFAULT 'm', store text DEFAULT 'ct')
RETURNS text LANGUAGE sql AS $$
  SELECT format('%s: %s', answer->>'latestContext', coalesce(string_agg(c->>'context', ', ' ORDER BY place), '-'))
  FROM memory_search(memory, query, 0, kc, filters => filters, store => store,
      options => jsonb_build_object('contexts', asked)) answer
    LEFT JOIN jsonb_array_elements(answer->'contexts') WITH ORDINALITY t(c, place) ON true GROUP BY answer $$;
SELECT n, contexts(asked)
FROM (VALUES (1, 'null'::jsonb), (2, '{}'), (3, '{"createdBefore": "2025-01-08T00:00:00Z"}'),
  (4, '{"createdAt": {"$between": ["2025-01-05T00:00:00Z", "2025-01-08T00:00:00Z"]}}'),
  (5, '{"createdAfter": "2025-01-20T00:00:00Z"}'), (6, '{"createdAfter": "2026-01-01T00:00:00Z"}'),
  (7, '{"$or": [{"createdAt": "2025-01-03T00:00:00Z"}, {"createdAt": "2025-01-11T00:00:00Z"}]}'),
  (8, '{"$not": {"createdAfter": "2025-01-04T00:00:00Z"}}')) a(n, asked) ORDER BY n;
SELECT contexts('{"createdBefore": "2025-01-08T00:00:00Z"}', '') AS newest,
  contexts('{"createdBefore": "2025-01-08T00:00:00Z"}', filters => '{"userId": "u1"}') AS of_a_user;
-- Every bound is compared with plain SQL: the latest context, and the newest of the older ones.
SELECT count(*) AS bounds, count(*) FILTER (WHERE contexts(jsonb_build_object('createdBefore', before), '', 3)
  = (SELECT format('%s: %s', (array_agg(context))[1], coalesce(array_to_string((array_agg(context))[2:4], ', '), '-'))
     FROM (SELECT context FROM ct.contexts WHERE creation_time <= before::timestamptz ORDER BY creation_time DESC) c))
  AS same
FROM (SELECT to_char(timestamptz '2025-01-03Z' + n * interval '12 hours', 'YYYY-MM-DD"T"HH24:MI:SSOF:00') AS before
      FROM generate_series(1, 36) n) b;
-- A prompt contains the latest of them.
SELECT memory_build_context('m', 'tea', store => 'ct',
  options => '{"contexts": {"createdBefore": "2025-01-05T12:00:00Z"}}');
-- Contexts in a column of entries, also of an adopted table.
CREATE TABLE ct_notes AS SELECT n AS id, 'm' AS memory, 'note ' || n AS body, 'context ' || n AS about,
  timestamptz '2025-01-01Z' + n * interval '1 day' AS made FROM generate_series(1, 5) n;
SELECT memory_adopt_table('ct_adopted', 'ct_notes', '{"memory_id": "memory", "entry_id": "id", "raw_entry": "body",
  "context": "about", "creation_time": "made"}');
SELECT contexts('{"createdBefore": "2025-01-04T00:00:00Z"}', 'context', store => 'ct_adopted');
-- Filters on columns that contexts lack are refused, and so is the option if the answer has no contexts.
SELECT test.error(format('SELECT contexts(%L)', asked))
FROM (VALUES ('{"userId": "u1"}'), ('{"expiresAt": {"$exists": true}}'), ('{"createdat": "2025-01-01T00:00:00Z"}'),
  ('{"$or": [{"createdAfter": "2025-01-01T00:00:00Z"}, {"tags": ["a"]}]}'), ('[]'), ('"x"'),
  ('{"createdAfter": "soon"}')) a(asked);
SELECT test.error($$SELECT memory_search_entries('m', 'tea', store => 'ct', options => '{"contexts": {}}')$$);
DROP FUNCTION contexts;
SET client_min_messages = error;
SELECT memory_drop_store('ct', true), memory_drop_store('ct_adopted', true);
DROP TABLE ct_notes;
