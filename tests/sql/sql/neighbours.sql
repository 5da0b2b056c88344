-- Sessions: a filter, a group, and the neighbours of an entry. Neighbours are checked against the rule as SQL.
SELECT memory_create_store('nb', 4);
INSERT INTO nb.entries (memory_id, entry_id, raw_entry, embedding, user_id, session_id, source_type, creation_time,
  deletion_scheduled_time, expires_at)
SELECT CASE WHEN n % 50 = 0 THEN 'other' ELSE 'm' END, test.id(n), test.words(n, 6) || ' turn ' || n,
  CASE WHEN n % 5 > 0 THEN test.vector(n % 29) END,
  (ARRAY['ana', 'bo'])[n % 2 + 1], CASE WHEN n % 9 > 0 THEN 's' || (n / 40) % 4 END,
  CASE WHEN n % 3 = 0 THEN 'chat' ELSE 'mail' END,
  -- Ties of time follow the order in which the rows were added.
  timestamptz '2025-01-01Z' + (n / 3) * interval '1 hour', CASE WHEN n % 17 = 0 THEN timestamptz '2025-02-01Z' END,
  CASE WHEN n % 19 = 0 THEN timestamptz '2025-02-01Z' END
FROM generate_series(1, 400) n;

CREATE FUNCTION expected(found uuid[], before int, after int, of_user text) RETURNS jsonb LANGUAGE sql AS $$
  WITH visible AS (
    SELECT e.*, row_number() OVER (PARTITION BY session_id ORDER BY creation_time, entry_order) AS at FROM nb.entries e
    WHERE memory_id = 'm' AND session_id IS NOT NULL AND deletion_scheduled_time IS NULL AND expires_at IS NULL
      AND (of_user IS NULL OR user_id = of_user)
  ), pairs AS (
    SELECT f.rank, v.entry_id, v.at - h.at AS place
    FROM unnest(found) WITH ORDINALITY f (id, rank) JOIN visible h ON h.entry_id = f.id
    JOIN visible v ON v.session_id = h.session_id AND v.at - h.at BETWEEN -before AND after AND v.at <> h.at
  ), once AS (
    SELECT DISTINCT ON (entry_id) * FROM pairs WHERE entry_id <> ALL (found) ORDER BY entry_id, rank)
  SELECT jsonb_agg(coalesce(n, '[]') ORDER BY f.rank) FROM unnest(found) WITH ORDINALITY f (id, rank)
  LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_array(place, entry_id) ORDER BY place)
    FROM once WHERE once.rank = f.rank) o (n) ON true
$$;
CREATE FUNCTION same(query text, before int, after int, filters jsonb DEFAULT '{}', of_user text DEFAULT NULL)
RETURNS TABLE (neighbours bigint, same bool) LANGUAGE sql AS $$
  SELECT (SELECT count(*) FROM jsonb_path_query(shown, '$[*][*]')), shown = expected(found, before, after, of_user)
  FROM (SELECT array_agg((e->>'entryId')::uuid ORDER BY n) AS found,
      jsonb_agg((SELECT coalesce(jsonb_agg(jsonb_build_array(s->'place', s->'entryId') ORDER BY i), '[]')
                 FROM jsonb_array_elements(e->'neighbours') WITH ORDINALITY x (s, i)) ORDER BY n) AS shown
    FROM jsonb_array_elements(memory_search('m', query, 10, embedding => test.vector(length(query)), filters => filters,
        options => jsonb_build_object('neighbours', jsonb_build_object('before', before, 'after', after)),
        store => 'nb')->'entries') WITH ORDINALITY t (e, n)) f
$$;
SELECT query, before, after, s.*
FROM (VALUES ('turn', 1, 2), ('kite', 0, 3), ('storm turn 17', 20, 20), ('one two', 2, 0), ('', 1, 1)) q(query,
  before, after),
  LATERAL same(query, before, after) s;
-- Each page has its own neighbours: an entry of another page may be a neighbour on this one.
SELECT page, shown = expected(found, 2, 2, NULL) AS same, other_pages > 0 AS has_those_of_another
FROM (SELECT memory_search('m', 'turn', 5, options => '{"neighbours": {"before": 2, "after": 2}, "cursor": true}',
    store => 'nb') AS first) f,
  LATERAL (SELECT memory_search('m', 'turn', 5, store => 'nb', options => jsonb_build_object('cursor',
    first->'nextCursor', 'neighbours', '{"before": 2, "after": 2}'::jsonb)) AS second) s,
  LATERAL (VALUES (1, first, second), (2, second, first)) p(page, answer, other),
  LATERAL (SELECT array_agg((e->>'entryId')::uuid ORDER BY n) AS found,
      jsonb_agg((SELECT coalesce(jsonb_agg(jsonb_build_array(s->'place', s->'entryId') ORDER BY i), '[]')
                 FROM jsonb_array_elements(e->'neighbours') WITH ORDINALITY x (s, i)) ORDER BY n) AS shown
    FROM jsonb_array_elements(answer->'entries') WITH ORDINALITY t (e, n)) g,
  LATERAL (SELECT count(*) AS other_pages FROM jsonb_array_elements(other->'entries') e
    WHERE jsonb_path_exists(answer, '$.entries[*].neighbours[*].entryId ? (@ == $id)', jsonb_build_object('id',
      e->'entryId'))) o;
-- Only the filter on users restricts neighbours; searches without the memory index show the same neighbours.
SELECT s.* FROM same('turn', 1, 2, '{"sourceType": "chat"}') s;
SELECT s.* FROM same('turn', 1, 2, '{"userId": "ana"}', 'ana') s;
SELECT s.* FROM same('turn', 1, 2, '{"$not": {"userId": "bo"}}', 'ana') s;
SELECT s.* FROM same('turn', 1, 2, '{"$or": [{"userId": "ana"}, {"userId": "carl"}]}', 'ana') s;
BEGIN;
DROP INDEX nb.entries_memory;
SELECT s.* FROM same('turn', 1, 2) s;
ROLLBACK;
-- The fields of a neighbour, with long texts cut, also in the brief form. An answer without the option has none.
SELECT jsonb_pretty(e) FROM jsonb_array_elements(memory_search('m', 'turn 45', 1,
  filters => ('{"ids": ["' || test.id(45)
    || '"]}')::jsonb, options => '{"neighbours": {"after": 1}, "fields": ["rawEntry"], "maxCharacters": 5}',
    store => 'nb')->'entries') e;
SELECT jsonb_pretty(e->'neighbours') FROM jsonb_array_elements(memory_search('m', 'turn 44', 1, filters => ('{"ids": ["'
    || test.id(44) || '"]}')::jsonb, options => '{"neighbours": {"before": 1, "after": 1}}',
    store => 'nb')->'entries') e;
SELECT bool_or(e ? 'neighbours') FROM jsonb_array_elements(memory_search('m', 'turn', store => 'nb')->'entries') e;
-- A prompt shows them in their order.
SELECT memory_build_context('m', 'turn 44', token_budget => 300,
  filters => ('{"ids": ["' || test.id(44) || '"]}')::jsonb,
  options => '{"neighbours": {"before": 1, "after": 1}}', store => 'nb');
-- In a search over several memories, each entry has the neighbours of its own memory, though the sessions have one
-- name.
SELECT e->>'memoryId' AS memory, test.n(e->>'entryId') AS entry, array_agg(test.n(n.entry_id)) AS neighbours,
  bool_and(n IS NULL OR n.memory_id = e->>'memoryId' AND n.session_id = h.session_id) AS its_own
FROM jsonb_array_elements(memory_search('{m,other}'::text[], 'turn', 10,
    filters => jsonb_build_object('ids', ARRAY[test.id(50), test.id(200), test.id(52), test.id(201)]),
    options => '{"neighbours": {"before": 1, "after": 1}}', store => 'nb')->'entries') e
  JOIN nb.entries h ON h.entry_id = (e->>'entryId')::uuid
  LEFT JOIN LATERAL (SELECT i.* FROM jsonb_array_elements(e->'neighbours') x
    JOIN nb.entries i ON i.entry_id = (x->>'entryId')::uuid) n ON true
GROUP BY 1, 2 ORDER BY 1, 2;
-- Neighbours at present and at an earlier instant: the entries that are visible at that instant.
SELECT jsonb_path_query_array(memory_search('m', 'turn', 1, filters => ('{"ids": ["' || test.id(33) || '"]}')::jsonb,
  options => jsonb_build_object('asOf', instant, 'neighbours', '{"after": 1}'::jsonb), store => 'nb'),
  '$.entries[*].neighbours[*].entryId') FROM (VALUES ('2025-01-30T00:00:00Z'), ('2025-03-01T00:00:00Z')) t(instant);

-- The filter on sessions, with each way of reading the rows.
CREATE FUNCTION counted(filters jsonb) RETURNS bigint LANGUAGE sql AS $$
  SELECT count(*) FROM memory_search_entries('m', 'turn', 1000, filters => filters, options => '{"candidates": 1000}',
    store => 'nb') $$;
CREATE TABLE filter (filters jsonb, condition text);
INSERT INTO filter VALUES
  ('{"sessionId": "s1"}', $$session_id = 's1'$$), ('{"sessionId": ["s1", "s3"]}', $$session_id IN ('s1', 's3')$$),
  ('{"sessionId": {"$ne": "s1"}}', $$session_id IS DISTINCT FROM 's1'$$),
  ('{"sessionId": {"$exists": false}}', 'session_id IS NULL'), ('{"sessionId": {"$like": "s%"}}',
    $$session_id LIKE 's%'$$),
  ('{"$not": {"sessionId": "s2"}}', $$(session_id = 's2') IS NOT TRUE$$),
  ('{"$or": [{"sessionId": "s0"}, {"userId": "ana"}]}', $$session_id = 's0' OR user_id = 'ana'$$);
CREATE FUNCTION expected_count(condition text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  EXECUTE 'SELECT count(*) FROM nb.entries WHERE memory_id = ''m'' AND deletion_scheduled_time IS NULL
    AND expires_at IS NULL
    AND (' || condition || ')' INTO n;
  RETURN n;
END $$;
SELECT filters, expected_count(condition), counted(filters) = expected_count(condition) AS found,
  memory_count('m', filters, 'nb') = expected_count(condition) AS counted FROM filter;
BEGIN;
DROP INDEX nb.entries_memory;
SELECT bool_and(counted(filters) = expected_count(condition)) AS without_index FROM filter;
ROLLBACK;
-- At most n entries of one session.
SELECT session_id, count(*) <= 2 AS few FROM memory_search_entries('m', 'turn', 20,
  options => '{"atMost": {"sessionId": 2}}',
  store => 'nb') f JOIN nb.entries e ON e.entry_id = f.entry_id::uuid AND e.memory_id = 'm'
WHERE session_id IS NOT NULL GROUP BY 1 ORDER BY 1;
SELECT memory_search('m', 'x', options => '{"neighbours": {"before": 21}}', store => 'nb');
SELECT memory_search('m', 'x', options => '{"neighbours": {"befor": 1}}', store => 'nb');
SELECT memory_search('m', 'x', options => '{"neighbours": 1}', store => 'nb');
SELECT * FROM memory_search_entries('m', 'x', options => '{"neighbours": {"before": 1}}', store => 'nb');

-- An adopted table: sessions if a column is mapped, otherwise none.
CREATE TABLE chat (id bigint PRIMARY KEY, room text, thread text, body text, at timestamptz);
INSERT INTO chat SELECT n, 'r', 't' || n % 2, 'line ' || n, timestamptz '2025-01-01Z' + n * interval '1 min'
  FROM generate_series(1, 10) n;
SELECT memory_adopt_table('nb_chat', 'chat', '{"memory_id": "room", "entry_id": "id", "raw_entry": "body",
  "session_id": "thread", "creation_time": "at"}', 'english');
SELECT jsonb_path_query_array(memory_search('r', 'line 5', 1, options => '{"neighbours": {"before": 1, "after": 2}}',
  store => 'nb_chat'), '$.entries[*].neighbours[*].rawEntry');
SELECT memory_count('r', '{"sessionId": "t1"}', 'nb_chat');
SELECT memory_adopt_table('nb_plain', 'chat', '{"memory_id": "room", "entry_id": "id", "raw_entry": "body"}',
  'english');
SELECT memory_count('r', '{"sessionId": "t1"}', 'nb_plain');
SELECT memory_count('r', '{"entryKey": "t1"}', 'nb_plain');
SELECT jsonb_path_query(memory_search('r', 'line 5', 1, options => '{"neighbours": {"before": 1}}',
  store => 'nb_plain'),
  '$.entries[*].neighbours');
SELECT memory_drop_store('nb_chat', true), memory_drop_store('nb_plain', true), memory_drop_store('nb', true);
DROP TABLE chat, filter;
DROP FUNCTION expected, same, counted, expected_count;
