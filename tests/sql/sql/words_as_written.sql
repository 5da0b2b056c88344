-- Paths, addresses, versions and numbers with letters are found whole and by their parts, and scripts without spaces
-- inside of their runs: in a store and in an adopted table alike.
SELECT memory_create_store('waw', 4);
CREATE TABLE waw_texts (n int PRIMARY KEY, memory text DEFAULT 'm', body text);
INSERT INTO waw_texts (n, body) VALUES
  (1, 'The setting is in /etc/postgresql/18/main/postgresql.conf now'),
  (2, 'see crates/core/src/search.rs:12'),
  (3, 'upgraded to v3.2.10 today'),
  (4, 'we called AT&T about the line'),
  (5, 'error ORA-00942: table or view does not exist'),
  (6, 'host db-17.example.net is down'),
  (7, 'mail joe.doe@example.org please'),
  (8, 'https://docs.example.com/guide/start.html?x=1&y=2'),
  (9, 'It was finished.Then the ferry left'),
  (10, 'he/she plays the violin'),
  (11, 'สวัสดีครับ ผมชอบกินข้าว'),
  (12, 'ຂ້ອຍມັກກິນເຂົ້າ'),
  (13, 'ខ្ញុំចូលចិត្តបាយ'),
  (14, 'ထမင်းကြိုက်တယ်'),
  (15, 'nothing of all this, e.g. 3.5 or 192.168.1.10 on 2024-01-15');
INSERT INTO waw.entries (memory_id, entry_id, raw_entry, creation_time)
SELECT 'm', test.id(n), body, '2025-01-01Z'::timestamptz + n * interval '1 hour' FROM waw_texts;
SELECT memory_adopt_table('waw_adopted', 'waw_texts',
  '{"memory_id": "memory", "entry_id": "n", "raw_entry": "body"}', with_index => false);
CREATE FUNCTION found(query text, store text DEFAULT 'waw') RETURNS bigint[] LANGUAGE sql
  RETURN test.found(memory_search('m', query, store => store, options => '{"strategy": "keyword"}'));
SELECT query, found(query), found(query) = found(query, 'waw_adopted') AS adopted_alike
FROM (VALUES ('postgresql.conf'), ('"postgresql.conf"'), ('/etc/postgresql/18/main/postgresql.conf'), ('main'),
  ('search.rs'), ('"search.rs"'), ('search'), ('crates/core/src/search.rs'), ('3.2.10'), ('"3.2.10 today"'),
  ('v3.2.10'),
  ('AT&T'), ('"AT&T"'), ('at&t'), ('00942'), ('ORA-00942'), ('"ORA-00942"'), ('db-17'), ('"db-17"'), ('17'),
  ('example.org'), ('"example.org"'), ('joe'), ('start.html'), ('docs.example.com'), ('finished'), ('"then the ferry"'),
  ('"she plays"'), ('ข้าว'), ('"กินข้าว"'), ('"ข้าวกิน"'), ('"ເຂົ້າ"'), ('"បាយ"'), ('"ထမင်း"'), ('3.5'), ('"5"'),
  ('192.168.1.10'), ('2024-01-15'), ('violin -she'), ('line -at&t')) q (query);
-- The whole comes before its parts.
INSERT INTO waw.entries (memory_id, entry_id, raw_entry, creation_time) VALUES
  ('whole', test.id(1), 'search the rs files of src, and search rs again', '2025-01-01 01:00Z'),
  ('whole', test.id(2), 'look into src/search.rs for it, it is short', '2025-01-01 03:00Z'),
  ('whole', test.id(3), 'look into search.rs for it, it is not very long', '2025-01-01 05:00Z');
SELECT query, test.found(memory_search('whole', query, store => 'waw', options => '{"strategy": "keyword"}')) AS found
FROM (VALUES ('src/search.rs'), ('search.rs')) q (query);
-- Metadata stays valid JSON with every text in it, and its numbers stay the same.
INSERT INTO waw.entries (memory_id, entry_id, raw_entry, tags, metadata)
SELECT 'json', test.id(n), 'x', ARRAY[t],
  jsonb_build_object('k', t, t, 1, 'n', -17, 'f', 1.5, 'a', jsonb_build_array(-3, t))
FROM unnest(ARRAY['a/b"c/d', E'a\nb/c\\d/e', E'\\/x/y', E'x\ty@z.com \u0001/q', 'AT&T"&"x', E'"db-17"\\n',
  E'C:\\a\\b/c.d', '1.5:2', E'\nfoo.bar', 'ab.cd:12/', '"', '\', E'v1.2\\', 'ข"า/ข']) WITH ORDINALITY h (t, n);
SELECT count(*) AS rows, count(*) FILTER (WHERE words @@ '''1.5'' & ''17'' & ''3''') AS numbers,
  (SELECT count(*) FROM memory_search_entries('json', '"1.5" "-17" "3"', 20, store => 'waw',
     options => '{"strategy": "keyword", "fallback": false}')) AS found
FROM test.words_of_store('waw') WHERE memory_id = 'json';
-- Signs beside the query that no entry has change nothing.
SELECT query
FROM (SELECT body FROM waw_texts UNION ALL VALUES ('a. b'), ('x.'), ('well-known'), ('a:b'), ('- 5'), ('.5'), ('-5'),
  ('a -1'), ('x:1'), ('e.g. this'), ('ab.cd'), ('a.B'), ('f-1'), ('a/b'), ('a&b'), ('a@b.c')) q (query)
WHERE found(query) IS DISTINCT FROM found(query || ' ø');
-- Long tokens take no longer than other texts, and fit.
SET statement_timeout = '20s';
SET client_min_messages = warning;
INSERT INTO waw.entries (memory_id, raw_entry, summary, tags, metadata)
SELECT 'long', t, t, ARRAY[t], jsonb_build_object('key', t)
FROM unnest(ARRAY[repeat('a/', 30000), repeat('ab.', 20000), repeat('a@b.c ', 10000), repeat('x-1 v1.2 ', 6600),
  repeat('a&', 30000), repeat('ab.cd:1', 8000), repeat('/', 60000), repeat('ก', 60000),
  (SELECT string_agg(format('%s%s/%s%s ', chr(131072 + i), chr(141072 + i), chr(151072 + i), chr(161072 + i)), '')
     FROM generate_series(1, 10000) i)]) t;
SELECT count(*) FROM waw.entries WHERE memory_id = 'long';
RESET statement_timeout;
RESET client_min_messages;
-- A path at the beginning of a text is the same word as within a text, in phrases and in excluded words.
INSERT INTO waw.entries (memory_id, raw_entry, metadata) VALUES ('paths', 'see ~/bin/run.sh here', '{}'),
  ('paths', '~/bin/run.sh is there', '{}'), ('paths', 'run ../x/y.z now', '{}'), ('paths', '../x/y.z ran', '{}'),
  ('paths', './a/b.c', '{}'), ('paths', 'at ./a/b.c', '{}'), ('paths', 'by metadata', '{"at": "~/bin/run.sh"}');
SELECT query, array_agg(raw_entry ORDER BY raw_entry) AS found
FROM (VALUES ('"~/bin/run.sh"'), ('"see ~/bin/run.sh"'), ('see -"~/bin/run.sh"'), ('"../x/y.z"'), ('run -../x/y.z'),
    ('"./a/b.c"')) q (query)
  LEFT JOIN LATERAL memory_search_entries('paths', query, 10, options => '{"strategy": "keyword", "fallback": false}',
    store => 'waw') ON true GROUP BY 1 ORDER BY 1;
-- Searches by an index over the adopted table's own columns find the same.
SELECT replace(fix, ' CONCURRENTLY', '') AS fix
FROM memory_doctor('waw_adopted') WHERE name = 'index of searches' \gset
:fix
SELECT query, found(query) = found(query, 'waw_adopted') AS adopted_alike, memory_search('m', query,
    store => 'waw_adopted', options => '{"strategy": "keyword", "diagnostics": true}') #>> '{diagnostics,reads,0,path}'
    AS read_by
FROM (VALUES ('"search.rs"'), ('crates/core/src/search.rs'), ('ORA-00942'), ('"00942"'), ('"joe"')) q (query);
DROP FUNCTION found;
SELECT memory_drop_store('waw', true), memory_drop_store('waw_adopted', true);
DROP TABLE waw_texts;
-- A word with many parts is found by each part, unquoted and in quotes, and not by a piece of a part.
SELECT memory_create_store('many_parts', 4);
CREATE FUNCTION found(entry text, query text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM many_parts.entries;
  INSERT INTO many_parts.entries (memory_id, raw_entry) VALUES ('m', entry);
  RETURN (SELECT count(*) FROM memory_search_entries('m', query, store => 'many_parts',
    options => '{"strategy": "keyword", "fallback": false}'));
END $$;
SELECT entry, string_agg(part, ' ' ORDER BY n) FILTER (WHERE found(entry, part) > 0) AS found_by,
  string_agg(part, ' ' ORDER BY n) FILTER (WHERE found(entry, part) = 0) AS not_by,
  string_agg(part, ' ' ORDER BY n) FILTER (WHERE found(entry, '"' || part || '"') > 0) AS in_quotes
FROM (VALUES (1, 'host db-17.example.net down', '{db-17,example,example.net,net}'::text[]),
  (2, 'mail x@mail.example.net now', '{x,mail.example.net,mail,example,example.net,net}'),
  (3, 'in app.core.ranking.score now', '{app,core,core.ranking.score,ranking,score,ranking.score}'),
  (4, 'the app.call.method() call', '{app,call,method}'), (5, 'the a.b.c.method() call', '{b,c,method}'),
  (6, 'in src/index/row.rs:12 now', '{src,index,row,row.rs,12,src/index/row.rs}'),
  (7, 'code ABC-1234-XY', '{ABC,XY,1234,12,AB}'), (8, 'code PROJ-12-34', '{PROJ,12,12-34,34,PROJ-12-34}'),
  (9, 'at /a1/b2/c3/d4/e5/f6.txt now', '{a1,b2,c3,d4,e5,f6.txt,f6,txt,/a1/b2/c3/d4/e5/f6.txt,e5/f6.txt}'),
  (10, 'by getUserName() of memory_search_entries', '{getUserName,user,name,memory_search_entries,search,entries,nam}'),
  (11, 'https://www.example.net:8080/a/b.html?user=ann&x=-17.5#top', '{example.net,8080,b.html,ann,17.5,top,https}'),
  (12, 'C:\Users\ann\notes.txt', '{users,ann,notes.txt,notes,C}'),
  (13, 'postgresql-18.1-rc2, v2.0.1-beta', '{postgresql,18.1,rc2,v2.0.1,2.0.1,beta,18,postgresql-18.1-rc2}'),
  (14, '<p class="note">Tea &amp; rye</p> at 2024-05-03T10:15:00Z',
    '{note,tea,rye,amp,p,2024-05-03,10,"Tea & rye"}')) v(i, entry, parts),
  unnest(parts) WITH ORDINALITY p(part, n)
GROUP BY i, entry ORDER BY i;
DROP FUNCTION found;
DROP SCHEMA many_parts CASCADE;
