-- Names in a question: with accents in either form of Unicode, in scripts without blanks, but not if the name is a
-- time. Searches by the index and by the rows agree.
SELECT memory_create_store('na', 4);
INSERT INTO na.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
SELECT memory, test.id(n), format('%s: The harbour was beautiful in the rain', author), '[1,0,0,0]',
  timestamptz '2025-03-07Z' + n * interval '1 day'
FROM (VALUES
  ('accents', 1, E'Jos\u00e9'), ('accents', 2, 'Ben'), ('accents', 3, E'Jose\u0301'), ('accents', 4, 'Ben'),
  ('accents', 5, E'Jos\u00e9'), ('accents', 6, E'Jose\u0301'),
  ('scripts', 1, '李娜'), ('scripts', 2, 'アナ'), ('scripts', 3, 'สมชาย'), ('scripts', 4, 'Ben'),
  ('scripts', 5, '李娜'), ('scripts', 6, 'アナ'), ('scripts', 7, 'สมชาย'), ('scripts', 8, 'Ben'),
  ('months', 1, 'April'), ('months', 2, 'Ben'), ('months', 30, 'April'), ('months', 31, 'Ben')) v(memory, n, author);
CREATE FUNCTION lifted(memory text, query text, lift text DEFAULT 'author') RETURNS bigint[]
LANGUAGE sql AS $$
  SELECT array_agg(test.n((e->>'entryId')::uuid) ORDER BY 1)
  FROM jsonb_array_elements(memory_search(memory, query, 10, embedding => '[1,0,0,0]', store => 'na',
        options => '{"asOf": "2025-06-01T00:00:00Z"}')->'entries') e
  WHERE (e#>>ARRAY['scores', lift])::float8 > 0 $$;
CREATE VIEW answers AS
SELECT i, memory, query, (SELECT array_agg(n ORDER BY n) FROM unnest(lifted(memory, query)) n) AS author,
  (SELECT array_agg(n ORDER BY n) FROM unnest(lifted(memory, query, 'date')) n) AS date
FROM (VALUES
  (1, 'accents', E'what did Jos\u00e9 say of the harbour?'),
  (2, 'accents', E'what did Jose\u0301 say of the harbour?'),
  (3, 'accents', 'what did Jos say of the harbour?'),
  (4, 'scripts', '李娜昨天说了什么？'),
  (5, 'scripts', '昨日アナは何を描いた'),
  (6, 'scripts', 'アナウンスは何時'),
  (7, 'scripts', 'สมชายพูดว่าอะไร'),
  (8, 'months', 'What did April say of the harbour?'),
  (9, 'months', 'What did Ben say of the harbour in April?'),
  (10, 'months', 'What did April say of the harbour in April?'),
  (11, 'months', E'How was the harbour in April ''25?')) q(i, memory, query);
TABLE answers ORDER BY i;
CREATE TABLE by_index AS TABLE answers;
DROP INDEX na.entries_memory;
SELECT count(*) AS questions, count(*) FILTER (WHERE a IS DISTINCT FROM b) AS other
FROM by_index b JOIN answers a USING (i);
DROP VIEW answers;
DROP FUNCTION lifted;
DROP TABLE by_index;
DROP SCHEMA na CASCADE;
