-- A response is built in memory, so its size is bounded: a larger one is an error, and does not crash the server.
SELECT memory_create_store('rs', 2);
INSERT INTO rs.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
SELECT 'm', test.id(n), 'tea ' || repeat('x', 70000000), '[1,0]', timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM generate_series(1, 3) n;
SELECT test.error($$SELECT memory_search('m', 'tea', 3, store => 'rs')$$);
SELECT test.error($$SELECT count(*) FROM memory_search_entries('m', 'tea', 3, store => 'rs')$$);
-- With fewer entries the same session gets an answer.
SELECT test.n(entry_id::uuid) AS entry, length(raw_entry) FROM memory_search_entries('m', 'tea', 2, store => 'rs');
-- memory_doctor goes on, and names an entry that is too long by itself, as the functions do that have to return
-- it. A deletion is the way on.
SELECT name, status, detail FROM memory_doctor('rs') WHERE status <> 'ok';
UPDATE rs.entries SET raw_entry = repeat('x', 210000000) WHERE entry_id = test.id(1);
SELECT name, status, detail FROM memory_doctor('rs') WHERE status <> 'ok';
SELECT test.error($$SELECT * FROM memory_list('m', page_size => 1, order_by => 'createdAt', store => 'rs')$$);
SELECT test.error($$SELECT count(*) FROM memory_export('m', store => 'rs')$$);
SELECT memory_delete('m', ARRAY[test.id(1)], store => 'rs') AS deleted;
SELECT test.n(entry_id::uuid) AS entry FROM memory_list('m', page_size => 2, store => 'rs');
SELECT memory_purge(now() + interval '1 day', store => 'rs') AS purged;
SELECT count(*) AS lines FROM memory_export('m', store => 'rs');
SELECT count(*) AS complaints FROM memory_doctor('rs') WHERE status <> 'ok';
-- A single context can be too large.
INSERT INTO rs.contexts (memory_id, context) VALUES ('c', repeat('x', 210000000));
SELECT test.error($$SELECT memory_search('c', '', store => 'rs')$$);
SELECT memory_drop_store('rs', force => true);
