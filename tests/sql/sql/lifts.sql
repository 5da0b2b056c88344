-- Lifts of an entry among entries of equal relevance: the question names its author, or the time of its creation; or
-- its length. Also relevance, which is comparable between memories.
SELECT memory_create_store('li', 4);
INSERT INTO li.entries (memory_id, entry_id, raw_entry, user_id, agent_id, embedding, creation_time) VALUES
  ('talk', test.id(1), 'Ana: The harbour was beautiful in the rain', NULL, NULL, '[1,0,0,0]', '2025-03-07 10:00Z'),
  ('talk', test.id(2), 'Ben: The harbour was beautiful in the rain', NULL, NULL, '[1,0,0,0]', '2025-03-20 10:00Z'),
  ('talk', test.id(3), 'Ana: We took the ferry home', NULL, NULL, '[0,1,0,0]', '2025-04-01 10:00Z'),
  ('talk', test.id(4), 'Ben: Nobody else was on board', NULL, NULL, '[0,0,1,0]', '2025-04-01 10:01Z'),
  ('ids', test.id(1), 'The harbour was beautiful', 'ana', 'bot', '[1,0,0,0]', '2025-03-07Z'),
  ('ids', test.id(2), 'The harbour was beautiful', 'ben', 'bot', '[1,0,0,0]', '2025-03-07Z'),
  ('ids', test.id(3), 'The harbour was beautiful', NULL, 'helper', '[1,0,0,0]', '2025-03-07Z'),
  ('ids', test.id(4), 'The harbour was beautiful', 'ana', 'bot', '[1,0,0,0]', '2025-03-06Z'),
  ('ids', test.id(5), 'The harbour was beautiful', NULL, 'helper', '[1,0,0,0]', '2025-03-06Z');
CREATE FUNCTION first(memory text, query text, options jsonb DEFAULT '{}', vector vector DEFAULT '[1,0,0,0]')
RETURNS text
LANGUAGE sql AS $$
  SELECT string_agg(format('%s (author %s, date %s)', test.n((e->>'entryId')::uuid), e#>>'{scores,author}',
        e#>>'{scores,date}'), ', ' ORDER BY place)
  FROM jsonb_array_elements(memory_search(memory, query, 2, embedding => vector, store => 'li',
        options => '{"asOf": "2025-05-01T00:00:00Z"}' || options)->'entries') WITH ORDINALITY j(e, place) $$;
SELECT query, first('talk', query)
FROM (VALUES (1, 'how was the harbour?'), (2, 'what did Ana say of the harbour?'), (3, 'how did BEN like the harbour?'),
  (4, 'how was the harbour on 7 March 2025?'), (5, 'how was the harbour in April?'),
  (6, 'how was the harbour from 18 to 22 March?'), (7, 'harbour: was war am 7. März 2025?')) q(i, query) ORDER BY i;
-- If the text names no author, the ids do: the user is checked first, then the agent.
SELECT first('ids', 'what did Ana think of the harbour') AS ana, first('ids', 'what did the helper think') AS helper,
  first('ids', 'what did the bot think') AS bot;
-- Each lift can be switched off, and a preset with a formula of its own has none.
SELECT first('talk', 'what did Ana say of the harbour?', '{"boosts": {"author": 0}}') AS without_author,
  first('talk', 'how was the harbour on 7 March 2025?', '{"boosts": {"date": 0}}') AS without_date,
  first('talk', 'what did Ana say of the harbour?', '{"preset": "cortex"}') AS cortex;
-- memory_explain shows them.
SELECT test.n(entry_id) AS n, details->'author' AS author, details->'date' AS date,
  round((details#>>'{length,factor}')::numeric, 3) AS length, round((details->>'lift')::numeric, 3) AS lift
FROM memory_explain('talk', 'what did Ana say of the harbour on 7 March 2025?', 2, '[1,0,0,0]', store => 'li')
ORDER BY place LIMIT 2;

-- Searches by the rows give the same as those by the index, also for long texts that are compressed or stored out of
-- line.
INSERT INTO li.entries (memory_id, entry_id, raw_entry, user_id, embedding, creation_time)
SELECT 'long', test.id(n),
  CASE n % 4 WHEN 0 THEN 'Zoë: ' WHEN 1 THEN '李娜: ' ELSE '' END || repeat(test.words(n, 5) || ' ', 1 + n * n % 900)
    || CASE WHEN n % 7 = 0 THEN (SELECT string_agg(md5((n * i)::text), ' ') FROM generate_series(1, 400) i) ELSE '' END,
  CASE WHEN n % 5 = 0 THEN 'kim' END, CASE WHEN n % 6 > 0 THEN test.vector(n) END,
  timestamptz '2025-01-01Z' + n * interval '13 hours'
FROM generate_series(1, 120) n;
CREATE TABLE asked AS
  SELECT q, v, o
  FROM (VALUES ('tea garden'), ('what did Zoë say of tea'), ('李娜 violin'), ('tea of kim in February'),
      ('violin on 7 January 2025'), ('yesterday'), ('')) q(q),
    (VALUES (NULL), ('[0.5,-0.5,0.5,0.5]'::vector)) v(v),
    (VALUES ('{}'::jsonb), ('{"strategy": "keyword"}'), ('{"relevantOnly": true}'), ('{"candidates": 5}')) o(o);
CREATE FUNCTION answered() RETURNS TABLE (q text, v text, o jsonb, answer jsonb) LANGUAGE sql AS $$
  SELECT q, v::text, o, memory_search('long', q, 10, embedding => v, store => 'li',
    options => '{"asOf": "2025-06-01T00:00:00Z"}' || o) FROM asked $$;
CREATE TABLE by_index AS SELECT * FROM answered();
DROP INDEX li.entries_memory;
SELECT count(*) AS searches, count(DISTINCT i.answer) > 20 AS they_differ,
  count(*) FILTER (WHERE i.answer IS DISTINCT FROM r.answer) AS other
FROM by_index i JOIN answered() r ON i.q = r.q AND i.o = r.o AND i.v IS NOT DISTINCT FROM r.v;

-- A single entry that has nothing to do with the question has a low relevance, although it is the only one.
INSERT INTO li.entries (memory_id, entry_id, raw_entry, embedding) VALUES
  ('lunch', test.id(1), 'Lunch was pasta', '[0,1,0,0]'),
  ('pair', test.id(1), 'The lecture is on quantum chromodynamics', '[0.5,0.5,0.5,0.5]'),
  ('pair', test.id(2), 'Quantum chromodynamics lectures begin in May', '[0.51,0.5,0.5,0.5]');
SELECT memory, query, string_agg(format('%s: %s', test.n(entry_id), round(relevance::numeric, 2)), ', ' ORDER BY rank)
FROM (VALUES ('lunch', 'quantum chromodynamics lectures', '[1,0,0,0]'::vector),
    ('pair', 'quantum chromodynamics lectures', '[0.5,0.5,0.5,0.5]')) q(memory, query, vector),
  LATERAL memory_search_entries(memory, query, 5, vector, store => 'li') f
GROUP BY 1, 2 ORDER BY 1;
SELECT memory_search('lunch', 'quantum chromodynamics lectures', embedding => '[1,0,0,0]', store => 'li',
    options => '{"relevantOnly": true}')->'count' AS of_lunch,
  memory_search('pair', 'quantum chromodynamics lectures', embedding => '[0.5,0.5,0.5,0.5]', store => 'li',
    options => '{"relevantOnly": true}')->'count' AS of_the_pair;
SELECT outcome FROM memory_explain('lunch', 'quantum chromodynamics lectures', 5, '[1,0,0,0]', store => 'li',
  options => '{"relevantOnly": true}');
DROP FUNCTION first, answered;
DROP TABLE asked, by_index;
DROP SCHEMA li CASCADE;
