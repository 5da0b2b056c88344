-- options.snippets adds to each entry the passage that fits the query, with its words marked, with every text search
-- configuration.
SELECT memory_create_store('sn', 4);
INSERT INTO sn.entries (memory_id, entry_id, raw_entry, summary, creation_time, embedding)
SELECT 'm', test.id(n), t, s, timestamptz '2025-01-01Z' + n * interval '1 day', e::vector
FROM (VALUES
  (1, repeat('It rained all day and nobody went out. ', 30) || 'Then we were flying kites by the sea. '
    || repeat('Nobody was there. ', 30), NULL, NULL),
  (2, 'A kite, short.', 'about a kite', NULL),
  (3, repeat('Only meaning finds what says nothing of it. ', 20), NULL, '[1,0,0,0]'),
  (4, 'Marks in it: <b>kite</b> & <i>more</i>.', NULL, NULL),
  (5, repeat('x', 4000) || ' well-known kites ' || repeat('y', 4000), NULL, NULL),
  (6, '東京の凧は高い。' || repeat('風が吹く。', 100) || '凧が飛ぶ。', NULL, NULL)) v(n, t, s, e);
CREATE FUNCTION snippets(query text, options jsonb DEFAULT '{"snippets": true}', store text DEFAULT 'sn',
  memory text DEFAULT 'm') RETURNS TABLE (n int, snippet text, words text[]) LANGUAGE sql AS $$
  SELECT test.n(e->>'entryId'), e->'snippet'->>'text', array(
      SELECT substr(e->'snippet'->>'text', (r->>0)::int + 1, (r->>1)::int - (r->>0)::int)
      FROM jsonb_array_elements(e->'snippet'->'ranges') r)
  FROM jsonb_array_elements(memory_search(memory, query, 10, options => jsonb_build_object('strategy', 'keyword')
    || options, store => store)->'entries') e ORDER BY 1 $$;
SELECT * FROM snippets('flying a kite at sea');
-- Options of the caller: length, marks, number of passages.
SELECT * FROM snippets('flying a kite at sea', '{"snippets": {"maxCharacters": 40, "start": "[", "stop": "]"}}')
WHERE n IN (1, 2);
SELECT * FROM snippets('rained sea', '{"snippets": {"maxCharacters": 45, "perEntry": 3, "start": "", "stop": ""}}')
WHERE n = 1;
SELECT * FROM snippets('well-known', '{"snippets": {"maxCharacters": 20}}');
SELECT * FROM snippets('凧', '{"snippets": {"maxCharacters": 20}}');
SELECT * FROM snippets('東京', '{"snippets": {"maxCharacters": 20}}');
-- For an entry that is found by meaning alone it is the beginning; a search by meaning marks words, too.
SELECT left(e->'snippet'->>'text', 60) AS beginning, e->'snippet'->'ranges' AS ranges
FROM jsonb_array_elements(memory_search('m', 'zebra', 1, embedding => '[1,0,0,0]', options => '{"snippets": true}',
  store => 'sn')->'entries') e;
SELECT left(e->'snippet'->>'text', 27) AS beginning, e->'snippet'->'ranges'->0 AS first
FROM jsonb_array_elements(memory_search('m', 'meanings', 1, embedding => '[1,0,0,0]',
  options => '{"snippets": true, "strategy": "semantic"}', store => 'sn')->'entries') e;
SELECT count(*) AS newest, bool_and(e->'snippet'->'ranges' = '[]') AS nothing_marked
FROM jsonb_array_elements(memory_search('m', '', 3, options => '{"snippets": true}', store => 'sn')->'entries') e;
-- In the brief form it is a field like others, and naming the field asks for it.
SELECT jsonb_path_query_array(memory_search('m', 'kite', 3, options => o, store => 'sn'), '$.entries[*].keyvalue().key')
FROM (VALUES ('{"strategy": "keyword", "fields": ["snippet"]}'::jsonb),
  ('{"strategy": "keyword", "fields": ["snippet", "entryId"], "snippets": {"maxCharacters": 20}}'),
  ('{"strategy": "keyword", "fields": ["snippet", "entryId"], "snippets": false}'),
  ('{"strategy": "keyword", "fields": ["entryId"], "snippets": true}')) v(o);
-- The snippet is made of the whole text, even if the answer cuts the text; without the option there is none.
SELECT e->>'rawEntry' AS raw_entry, e->'snippet'->>'text' AS snippet
FROM jsonb_array_elements(memory_search('m', 'flying', 1, options => '{"strategy": "keyword", "maxCharacters": 10,
  "snippets": {"maxCharacters": 40}}', store => 'sn')->'entries') e;
SELECT count(*) FILTER (WHERE e ? 'snippet') AS with_snippets
FROM jsonb_array_elements(memory_search('m', 'kite', 5, store => 'sn')->'entries') e;
-- Other configurations: without stemming, German, a user's own with synonyms for whole words and one for prefixes.
CREATE TEXT SEARCH DICTIONARY sn_words (TEMPLATE = simple, STOPWORDS = english);
CREATE TEXT SEARCH CONFIGURATION sn_config (COPY = pg_catalog.english);
ALTER TEXT SEARCH CONFIGURATION sn_config ALTER MAPPING FOR asciiword WITH sn_words;
SELECT memory_create_store('sn_simple', 4, 'simple'), memory_create_store('sn_german', 4, 'german'),
  memory_create_store('sn_own', 4, 'public.sn_config');
SELECT count(memory_add('m', t, entry_id => test.id(n), store => s))
FROM unnest('{sn_simple,sn_german,sn_own}'::text[]) s, (VALUES (1, 'Häuser am See, ein Haus: the kites of a kite'),
  (2, 'C++ and C# at https://example.org/a/b.html, -5 or 3.14, v1.2.3, ana@example.org')) v(n, t);
SELECT s AS store, q AS query, snippet FROM unnest('{sn_simple,sn_german,sn_own}'::text[]) s,
  unnest('{haus,kite,C#,example.org,ana@example.org,3.14,1.2.3}'::text[]) q, snippets(q, store => s) ORDER BY 1, 2;
-- The marked words are the words that the server's own headline marks.
INSERT INTO sn.entries (memory_id, entry_id, raw_entry)
SELECT 'h', test.id(n), replace(test.words(n, 30), 'e ', CASE WHEN n % 2 = 0 THEN 'es, ' ELSE E'ing.\n' END)
FROM generate_series(1, 50) n;
SELECT count(*) AS texts, count(*) FILTER (WHERE ours = theirs) AS same,
  count(*) FILTER (WHERE theirs ~ '<b>') AS marked
FROM generate_series(1, 40) n, LATERAL (SELECT test.words(n * 7, 4)) w(q),
  LATERAL (SELECT s.snippet AS ours, ts_headline('english', e.raw_entry,
      replace(plainto_tsquery('english', q)::text, '&', '|')::tsquery, 'HighlightAll=true') AS theirs
    FROM snippets(q, '{"snippets": {"maxCharacters": 10000}, "fallback": false}', 'sn', 'h') s
    JOIN sn.entries e ON e.memory_id = 'h' AND test.n(e.entry_id) = s.n) h;
-- In a prompt long entries are their passages, without marks unless they are given; short ones are whole.
SELECT memory_build_context('m', 'flying a kite at sea', options => '{"strategy": "keyword",
  "asOf": "2026-01-01T00:00:00Z",
  "snippets": {"maxCharacters": 40}}', store => 'sn', top_ke => 2);
SELECT memory_build_context('m', 'flying a kite at sea', options => '{"strategy": "keyword",
  "asOf": "2026-01-01T00:00:00Z",
  "snippets": {"maxCharacters": 40, "start": "**", "stop": "**"}}', store => 'sn', top_ke => 1);
-- Wrong options are refused; rows have no snippets.
SELECT o AS options, test.error(format('SELECT memory_search(%L, %L, options => %L, store => %L)', 'm', 'kite',
  jsonb_build_object('snippets', o), 'sn'))
FROM (VALUES ('{"maxcharacters": 50}'::jsonb), ('{"max": 50}'), ('{"maxCharacters": 5}'), ('{"perEntry": 0}'),
  ('"yes"'),
  ('{"start": "<b>"}'), ('{"start": 1, "stop": "x"}'),
  (jsonb_build_object('start', repeat('x', 101), 'stop', ''))) v(o);
SELECT test.error($$SELECT memory_search_entries('m', 'kite', options => '{"snippets": true}', store => 'sn')$$);
SELECT count(*) > 0 AS explained FROM memory_explain('m', 'kite', options => '{"snippets": true}', store => 'sn');
-- A text of a megabyte takes as long as its words need, and can be interrupted.
INSERT INTO sn.entries (memory_id, entry_id, raw_entry) SELECT 'big', test.id(1),
  string_agg(CASE WHEN n IN (1000, 70000) THEN 'kite' ELSE md5((n % 30000)::text) END, ' ' ORDER BY n)
FROM generate_series(1, 80000) n;
SELECT length(snippet) < 320 AS is_short, words FROM snippets('kite', memory => 'big');
DROP FUNCTION snippets;
SELECT memory_drop_store('sn', true), memory_drop_store('sn_simple', true), memory_drop_store('sn_german', true),
  memory_drop_store('sn_own', true);
DROP TEXT SEARCH CONFIGURATION sn_config;
DROP TEXT SEARCH DICTIONARY sn_words;
