-- memory_list_memories and memory_stats show the contents of a store, as far as the caller sees them.
SELECT memory_create_store('ov', 4);
SET memory_search.embed_on_write = off;
SET timezone = 'UTC';
SELECT * FROM memory_list_memories(store => 'ov');
SELECT memories, entries, visible, contexts, table_bytes > 0 AS has_tables, index_bytes > 0 AS has_indexes
FROM memory_stats('ov');
INSERT INTO ov.entries (memory_id, entry_id, raw_entry, creation_time, user_id, embedding)
SELECT 'team-' || m, test.id(n), 'entry', timestamptz '2025-01-01Z' + n * interval '1 day', 'u' || m % 2,
  CASE WHEN n = 1 THEN '[1,2,3,4]'::halfvec END
FROM generate_series(1, 12) m, generate_series(1, 3) n;
SELECT memory_add('Über', 'x', context => 'a context', entry_id => test.id(1), creation_time => '2025-02-01Z',
      store => 'ov') IS NOT NULL AS added,
  memory_put_context('only contexts', 'a context', creation_time => '2025-02-01Z', store => 'ov') IS NOT NULL AS put,
  memory_touch('team-1', ARRAY[test.id(2)], 'ov') AS touched;
-- Hidden: all entries of one memory, one entry of another, an expired one and a corrected one.
SELECT memory_delete('team-2', whole_memory => true, store => 'ov') AS team_2,
  memory_delete('team-3', ARRAY[test.id(3)], store => 'ov') AS team_3,
  memory_update('team-4', test.id(1), expires_at => '2025-01-01Z', store => 'ov') AS team_4,
  memory_supersede('team-5', test.id(1), test.id(2), 'ov') AS team_5;
SELECT memory_id, entries, contexts, first_created, last_created, last_used IS NOT NULL AS used
FROM memory_list_memories(store => 'ov') ORDER BY memory_id COLLATE "C";
SELECT memories, entries, visible, deleted, expired, superseded, without_embedding, contexts FROM memory_stats('ov');
-- Each number agrees with memory_count.
SELECT bool_and(entries = memory_count(memory_id, store => 'ov')) AS agree FROM memory_list_memories(store => 'ov');
-- Page by page, with a prefix.
WITH RECURSIVE page AS (
  SELECT array_agg(memory_id) AS ids, 1 AS n FROM memory_list_memories('team-', page_size => 4, store => 'ov')
  UNION ALL
  SELECT (SELECT array_agg(memory_id) FROM memory_list_memories('team-', page.ids[4], 4, 'ov')), n + 1
  FROM page WHERE page.ids[4] IS NOT NULL)
SELECT array_agg(id ORDER BY n, place) = (SELECT array_agg(memory_id) FROM memory_list_memories('team-',
  store => 'ov')) AS same,
  count(*), count(DISTINCT id)
FROM page, unnest(ids) WITH ORDINALITY u(id, place);
SELECT count(*) FROM memory_list_memories('team-1', store => 'ov');
SELECT count(*) FROM memory_list_memories('%', store => 'ov');
-- Adopted tables: ids of any type.
CREATE TABLE ov_notes (id bigint PRIMARY KEY, who bigint, body text, made timestamptz);
INSERT INTO ov_notes SELECT n, n % 3, 'note', CASE WHEN n > 2 THEN timestamptz '2025-01-01Z' + n * interval '1 day' END
FROM generate_series(1, 8) n;
INSERT INTO ov_notes VALUES (99, NULL, 'of no memory');
SELECT memory_adopt_table('ov_adopted', 'ov_notes', '{"memory_id": "who", "entry_id": "id", "raw_entry": "body",
  "creation_time": "made"}');
SELECT memory_put_context('1', 'a context', store => 'ov_adopted') IS NOT NULL AS put,
  memory_put_context('no number', 'a context', store => 'ov_adopted') IS NOT NULL AS put,
  memory_touch('2', ARRAY[2], 'ov_adopted') AS touched;
SELECT memory_id, entries, contexts, first_created, last_created, last_used IS NOT NULL AS used
FROM memory_list_memories(store => 'ov_adopted');
SELECT memory_id FROM memory_list_memories(after => '0', page_size => 1, store => 'ov_adopted');
SELECT memories, entries, visible, without_embedding, contexts, table_bytes > 0 AS has_tables,
  index_bytes > 0 AS has_indexes
FROM memory_stats('ov_adopted');
-- Row-level security and privileges are the caller's.
SELECT test.reader_under_policies('ov', 'ov_reader');
SET ROLE ov_reader;
SET memory_search.user_id = 'u1';
SELECT string_agg(memory_id, ' ') AS of_u1 FROM memory_list_memories(store => 'ov');
SELECT memories, entries, visible, deleted FROM memory_stats('ov');
RESET ROLE;
-- Arguments that do not fit.
SELECT test.error('SELECT ' || call)
FROM (VALUES ($$memory_list_memories(page_size => 0, store => 'ov')$$),
  ($$memory_list_memories(after => '', store => 'ov')$$), ($$memory_list_memories(after => 'x',
    store => 'ov_adopted')$$),
  ($$memory_list_memories(store => 'no_such_store')$$), ($$memory_stats('no_such_store')$$)) c(call);
SELECT memory_drop_store('ov', true), memory_drop_store('ov_adopted', true);
DROP TABLE ov_notes;
DROP ROLE ov_reader;
