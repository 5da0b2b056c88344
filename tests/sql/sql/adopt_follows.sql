-- An adopted table stays the application's: searches see the rows that it writes, and results can be joined with it.
SELECT test.adopt_log();
-- A search sees each row that the application has just written, also in its own transaction, and none that was rolled
-- back.
SELECT memory_adopt_table('at_follow', 'at_app.log',
    '{"memory_id": "chat", "entry_id": "pk", "raw_entry": "said", "tags": "labels", "embedding": "meaning"}');
PREPARE look AS
  SELECT test.found(memory_search('new', 'zeppelin', embedding => '[1,0,0,0]',
      options => '{"strategy": "keyword", "fallback": false}', store => 'at_follow')) AS found;
EXECUTE look;
INSERT INTO at_app.log (pk, chat, said) VALUES (test.id(1001), 'new', 'a zeppelin'), (test.id(1002), 'new', 'a train');
EXECUTE look;
UPDATE at_app.log SET said = 'two zeppelins and a zeppelin' WHERE pk = test.id(1002);
EXECUTE look;
UPDATE at_app.log SET labels = '{zeppelin}', said = 'nothing of it' WHERE pk = test.id(1001);
EXECUTE look;
BEGIN;
DELETE FROM at_app.log WHERE chat = 'new';
EXECUTE look;
ROLLBACK;
EXECUTE look;
UPDATE at_app.log SET chat = 'elsewhere' WHERE pk = test.id(1002);
EXECUTE look;
DELETE FROM at_app.log WHERE pk = test.id(1001);
EXECUTE look;
BEGIN;
TRUNCATE at_app.log;
SELECT memory_search('m0', 'tea', store => 'at_follow')->'count' AS truncated;
ROLLBACK;
SELECT memory_search('m0', 'tea', options => '{"strategy": "keyword"}', store => 'at_follow')->'count' AS back;
-- Rows as a FROM item: joined with the table itself, a search for each row of another table, and the request that
-- names no store.
SELECT f.rank, l.no, l.who, f.raw_entry = l.said AS same_text
FROM memory_search_entries('m0', 'tea', 3, options => '{"strategy": "keyword", "asOf": "2030-01-01T00:00:00Z"}',
    store => 'at_log') f
JOIN at_app.log l ON l.pk = f.entry_id::uuid
ORDER BY rank;
CREATE TABLE at_app.asked (no int, chat text, question text);
INSERT INTO at_app.asked VALUES (1, 'm0', 'tea'), (2, 'm1', 'a violin'), (3, 'm7', 'tea');
SELECT a.no, f.rank, test.n(f.entry_id) AS n, l.who
FROM at_app.asked a
LEFT JOIN LATERAL memory_search_entries(a.chat, a.question, 2,
    options => '{"strategy": "keyword", "asOf": "2030-01-01T00:00:00Z"}', store => 'at_log') f ON true
LEFT JOIN at_app.log l ON l.pk = f.entry_id::uuid
ORDER BY 1, 2;
SET memory_search.store = 'at_log';
SELECT test.found(memory_search('m0', 'tea', 3,
      options => '{"strategy": "keyword", "asOf": "2030-01-01T00:00:00Z"}')) AS by_arguments,
  test.found(memory_search('{"memoryId": "m0", "query": "tea", "top_ke": 3,
                             "options": {"strategy": "keyword", "asOf": "2030-01-01T00:00:00Z"}}')) AS by_request;
RESET memory_search.store;
SELECT count(memory_drop_store(nspname, force => true)) AS dropped
FROM pg_namespace WHERE nspname LIKE 'at\_%' AND nspname <> 'at_app';
SELECT count(*) AS tables, (SELECT count(*) FROM at_app.log) AS rows
FROM pg_class WHERE relnamespace = 'at_app'::regnamespace AND relkind = 'r';
DROP SCHEMA at_app CASCADE;
