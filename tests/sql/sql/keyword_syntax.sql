-- Strategy keyword: words are OR-ed, match asks for all, "phrases" and -words demand; texts that people write verbatim
-- (codes, names, addresses, paths, versions) are found as written, before similar ones, and so is a part of Japanese
-- and Chinese text.
SELECT memory_create_store('ks', 4), memory_create_store('ks_simple', 4, 'simple');
CREATE FUNCTION found(query text, memory text DEFAULT 'm', store text DEFAULT 'ks', options jsonb DEFAULT '{}')
RETURNS bigint[]
LANGUAGE sql AS $$
  SELECT test.found(memory_search(memory, query, 10, store => store,
      options => '{"strategy": "keyword", "fallback": false, "boosts": {"recency": 0, "importance": 0, "length": 0}}'
        || options)) $$;
INSERT INTO ks.entries (memory_id, entry_id, raw_entry, creation_time) VALUES
  ('m', test.id(1), 'green tea in the garden', '2025-01-01Z'),
  ('m', test.id(2), 'a green garden', '2025-01-02Z'),
  ('m', test.id(3), 'tea, and a garden that is green', '2025-01-03Z'),
  ('m', test.id(4), 'coffee in the house', '2025-01-04Z'),
  ('m', test.id(5), 'nothing of all this', '2025-01-05Z');
SELECT query, found(query) AS any, found(query, options => '{"match": "all"}') AS all
FROM (VALUES
  (1, 'tea'),
  (2, 'green tea'),
  (3, 'coffee tea'),
  (4, '"green tea"'),
  (5, '"tea green"'),
  (6, '"green tea" coffee'),
  (7, 'green -tea'),
  (8, 'garden -"green tea"'),
  (9, 'house garden -green'),
  (10, 'tea zebra'),
  (11, '-tea'),
  (12, 'green --tea'),
  (13, 'green - tea'),
  (14, 'green "tea'),
  (15, '"green garden" -coffee'),
  (16, 'GREEN -Teas')
) t(i, query)
ORDER BY i;

-- In the default strategy, and in hybrid and semantic, quotes and dashes demand nothing, whether or not there
-- is an embedding.
UPDATE ks.entries SET embedding = CASE WHEN entry_id = test.id(5) THEN '[0,1,0,0]' ELSE '[1,0,0,0]' END::halfvec;
SELECT query,
  (SELECT array_agg(n ORDER BY n)
   FROM unnest(test.found(memory_search('m', query, 10, store => 'ks',
       options => '{"fallback": false}'))) n) AS by_default,
  (SELECT array_agg(n ORDER BY n)
   FROM unnest(test.found(memory_search('m', query, 10, embedding => '[1,0,0,0]', store => 'ks'))) n) AS with_embedding,
  (SELECT array_agg(n ORDER BY n)
   FROM unnest(test.found(memory_search('m', query, 10, embedding => '[1,0,0,0]', store => 'ks',
       options => '{"strategy": "semantic"}'))) n) AS semantic
FROM (VALUES
  (1, '"tea green" garden'),
  (2, 'garden -green'),
  (3, '-tea'),
  (4, 'did she read "coffee table"? -green')
) t(i, query)
ORDER BY i;
-- With match, all strategies apply them.
SELECT test.found(memory_search('m', 'garden -tea', 10, embedding => '[1,0,0,0]', store => 'ks',
    options => '{"match": "any", "boosts": {"recency": 0}}')) AS hybrid_with_match;

-- Verbatim: each code is among newer texts that look like it. The first entry found has it as written.
CREATE TABLE verbatim (n int, written text, looks_like text[]);
INSERT INTO verbatim VALUES
  (1, 'E1042', '{E1043,E104,1042,E 1042}'),
  (2, 'foo_bar', '{foo,bar,foobar,foo_baz}'),
  (4, 'ada.lovelace@example.com', '{ada@example.com,example.com,"ada lovelace",ada.byron@example.com}'),
  (5, '/etc/nginx/nginx.conf', '{/etc/nginx,nginx.conf,"etc nginx",/etc/apache/apache.conf}'),
  (6, 'v1.2.3', '{v1.2.4,1.2.3,v1.2,"version 1"}'),
  (7, 'ERR_TLS_4417', '{ERR_TLS_4418,ERR_4417,TLS,"the TLS err was 441"}'),
  (8, 'KL1694', '{KL1695,KL,1694}'),
  (9, 'node-red', '{node,red,"a red node","node js"}'),
  (10, '2025-06-27', '{2025-06-28,2025-07-27,2025}'),
  (11, '192.168.10.7', '{192.168.10.8,192.168.1.7,"10 7"}'),
  (12, 'getUserById', '{getUser,"get user by id",getUserByName}'),
  (13, 'https://example.org/a/b?c=1', '{https://example.org/a,example.org,https://example.org/x/y}'),
  (14, '+49 30 901820', '{+49 30 901821,"49 30"}');
INSERT INTO ks.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'verbatim', test.id(n * 100), format('We saw %s yesterday evening', written),
  timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM verbatim
UNION ALL
SELECT 'verbatim', test.id(n * 100 + place), format('We saw %s yesterday evening', other),
  timestamptz '2025-02-01Z' + (n * 10 + place) * interval '1 hour'
FROM verbatim, unnest(looks_like) WITH ORDINALITY o(other, place);
INSERT INTO ks_simple.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT memory_id, entry_id, raw_entry, creation_time
FROM ks.entries
WHERE memory_id = 'verbatim';
SELECT written,
  (found(written, 'verbatim'))[1] = n * 100 AS english,
  (found(written, 'verbatim', 'ks_simple'))[1] = n * 100 AS simple,
  (found(format('do you remember %s there?', written), 'verbatim'))[1] = n * 100 AS in_a_sentence,
  (found('"' || written || '"', 'verbatim'))[1] = n * 100 AS quoted,
  (found(lower(written), 'verbatim'))[1] = n * 100 AS lower
FROM verbatim ORDER BY n;
-- The parts of a code in another order are the same words, but not the same quoted phrase.
INSERT INTO ks.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'scrambled', test.id(n), text, timestamptz '2025-01-01Z' + n * interval '1 day'
FROM (VALUES
  (1, 'The log says ERR_TLS_4417 again'),
  (2, 'an err of 4417 in TLS'),
  (3, 'foo_bar is null'),
  (4, 'bar, and then foo'),
  (5, 'node-red runs'),
  (6, 'a red node')
) t(n, text);
SELECT written,
  (SELECT array_agg(n ORDER BY n) FROM unnest(found(written, 'scrambled')) n) AS plain,
  found('"' || written || '"', 'scrambled') AS quoted
FROM (VALUES ('ERR_TLS_4417'), ('foo_bar'), ('node-red')) t(written) ORDER BY 1;
-- C++ is not C.
INSERT INTO ks.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'c', test.id(n), format('She writes %s at work', language), timestamptz '2025-01-01Z' + n * interval '1 day'
FROM (VALUES (1, 'C++'), (2, 'C'), (3, 'C#'), (4, 'Pascal')) t(n, language);
SELECT 1 = ANY (found('C++', 'c')) AS is_found, (found('C++', 'c'))[1] = 1 AS is_first;

-- Text without spaces is found by a part of it, ranked by the share of the part that it has: kanji, kana and Chinese.
INSERT INTO ks.entries (memory_id, entry_id, raw_entry, summary, tags, creation_time) VALUES
  ('cjk', test.id(1), '明日東京駅で会議があります', NULL, '{}', '2025-01-01Z'),
  ('cjk', test.id(2), '京都のホテルを予約しました', NULL, '{}', '2025-01-02Z'),
  ('cjk', test.id(3), '彼女は花生过敏，请告诉餐厅', NULL, '{}', '2025-01-03Z'),
  ('cjk', test.id(4), '会议改到星期五下午三点', NULL, '{}', '2025-01-04Z'),
  ('cjk', test.id(5), 'a note in English', '週末は大阪', '{}', '2025-01-05Z'),
  ('cjk', test.id(6), 'another note', NULL, '{北京}', '2025-01-06Z'),
  ('cjk', test.id(7), 'the word 東京tower in a sentence', NULL, '{}', '2025-01-07Z');
INSERT INTO ks_simple.entries (memory_id, entry_id, raw_entry, summary, tags, creation_time)
SELECT memory_id, entry_id, raw_entry, summary, tags, creation_time
FROM ks.entries
WHERE memory_id = 'cjk';
SELECT query, found(query, 'cjk', 'ks') AS english, found(query, 'cjk', 'ks_simple') AS simple
FROM (VALUES
  (1, '東京駅'), (2, '会議'), (3, 'ホテル'), (4, '花生'), (5, '过敏'), (6, '星期五'), (7, '大阪'), (8, '北京'),
  (9, '火星'), (10, '"東京"'), (11, '"東京駅"'), (12, '京東'), (13, '"京東"'), (14, 'tower'), (15, '東京 -東京駅')
) t(i, query)
ORDER BY i;
SELECT query,
  found(query, 'cjk', 'ks', '{"match": "all"}') AS english,
  found(query, 'cjk', 'ks_simple', '{"match": "all"}') AS simple
FROM (VALUES (1, '東京駅'), (2, '会議'), (3, '餐厅过敏'), (4, '予約ホテル')) t(i, query) ORDER BY i;
DROP TABLE verbatim;
DROP FUNCTION found;
DROP SCHEMA ks, ks_simple CASCADE;
