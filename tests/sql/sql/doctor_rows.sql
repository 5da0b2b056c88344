-- memory_doctor's checks of statistics and of rows that wait or are left over: each can fail, and running its fix makes
-- it pass.
SET memory_search.embedding_function = 'test.embed';
SET memory_search.store = $$Dr's "store"$$;
SELECT memory_create_store(), test.by_hand($$Dr's "store"$$);
CREATE TABLE checks AS SELECT row_number() OVER () AS n, name FROM memory_doctor();
SELECT * FROM test.thirty_entries();

-- Statistics were never collected for a table that is no longer small, or changes have made them too old.
INSERT INTO "Dr's ""store""".entries (memory_id, entry_id, raw_entry, embedding)
SELECT 'big', test.id(n), repeat('x', 900), test.vector(n)
FROM generate_series(1, 1500) n;
SELECT pg_stat_force_next_flush();
SELECT * FROM test.complaints();
SELECT fix FROM test.complaints() \gexec
SELECT * FROM test.complaints();
UPDATE "Dr's ""store""".entries SET importance = 1 WHERE memory_id = 'big' AND entry_id <= test.id(1000);
SELECT pg_stat_force_next_flush();
SELECT * FROM test.complaints();
UPDATE "Dr's ""store""".entries SET importance = 2 WHERE memory_id = 'big' AND entry_id = test.id(1);
SELECT pg_stat_force_next_flush();
SELECT * FROM test.complaints();
SELECT fix FROM test.complaints() \gexec
SELECT * FROM test.complaints();
INSERT INTO "Dr's ""store""".contexts (memory_id, context, embedding)
SELECT 'big', repeat('x', 900), test.vector(n)
FROM generate_series(1, 1500) n;
SELECT pg_stat_force_next_flush();
SELECT * FROM test.complaints();
SELECT fix FROM test.complaints() \gexec
SELECT * FROM test.complaints();

-- Never collected, without a counter of changes: a restored store is in this state after its server crashed
-- or was upgraded. Only the build of its indexes tells the number of rows.
SELECT memory_create_store('dr_restored', 4);
INSERT INTO dr_restored.entries (memory_id, entry_id, raw_entry, embedding)
SELECT 'big', test.id(n), 'note ' || n, test.vector(n)
FROM generate_series(1, 1500) n;
REINDEX TABLE dr_restored.entries;
SELECT test.by_hand('dr_restored');
SELECT pg_stat_force_next_flush();
SELECT pg_stat_reset_single_table_counters('dr_restored.entries'::regclass);
SELECT status, detail, fix FROM memory_doctor('dr_restored') WHERE name = 'statistics';
SELECT fix FROM memory_doctor('dr_restored') WHERE name = 'statistics' \gexec
SELECT status, detail FROM memory_doctor('dr_restored') WHERE name = 'statistics';
SELECT memory_drop_store('dr_restored', true);

-- Rows wait to be purged: many, and a large share of all.
UPDATE "Dr's ""store""".entries
SET deletion_scheduled_time = '2025-03-01Z'
WHERE memory_id = 'big' AND entry_id <= test.id(600);
UPDATE "Dr's ""store""".entries
SET expires_at = '2025-03-01Z'
WHERE memory_id = 'big' AND entry_id BETWEEN test.id(601) AND test.id(1000);
SELECT pg_stat_force_next_flush();
SELECT test.take_statistics();
SELECT * FROM test.complaints();
SELECT detail FROM memory_doctor() WHERE name LIKE 'waiting%';
UPDATE "Dr's ""store""".entries SET expires_at = '2025-03-01Z' WHERE memory_id = 'big' AND entry_id = test.id(1001);
SELECT * FROM test.complaints();
SELECT fix FROM test.complaints() \gexec
SELECT pg_stat_force_next_flush();
SELECT test.take_statistics();
SELECT * FROM test.complaints();

-- Counts: dead rows beside live ones; counts of entries that are gone, if no foreign key prevents them.
INSERT INTO "Dr's ""store""".entries (memory_id, entry_id, raw_entry, embedding)
SELECT 'counted', test.id(n), 'x', '[1,1,1,1]'
FROM generate_series(1, 1500) n;
INSERT INTO "Dr's ""store""".entry_access
SELECT memory_id, entry_id, 1
FROM "Dr's ""store""".entries
WHERE memory_id = 'counted';
SELECT pg_stat_force_next_flush();
SELECT test.take_statistics();
VACUUM "Dr's ""store""".entry_access;
SELECT * FROM test.complaints();
DELETE FROM "Dr's ""store""".entry_access WHERE memory_id = 'counted' AND entry_id > test.id(200);
SELECT pg_stat_force_next_flush();
SELECT * FROM test.complaints() WHERE name LIKE 'bloat%';
SELECT fix FROM test.complaints() WHERE name LIKE 'bloat%' \gexec
SELECT * FROM test.complaints() WHERE name LIKE 'bloat%';
ALTER TABLE "Dr's ""store""".entry_access DROP CONSTRAINT entry_access_memory_id_entry_id_fkey;
DELETE FROM "Dr's ""store""".entries WHERE memory_id = 'counted';
SELECT pg_stat_force_next_flush();
SELECT test.take_statistics();
SELECT * FROM test.complaints();
SELECT fix FROM test.complaints() \gexec
SELECT * FROM test.complaints();
SELECT count(*) AS counts_left FROM "Dr's ""store""".entry_access;
-- Embeddings of passages with other dimensions than the embedding of their entry, which plain SQL has stored.
SELECT memory_create_store('dr_passages', 4);
INSERT INTO dr_passages.entries (memory_id, entry_id, raw_entry, embedding, passage_embeddings)
VALUES ('m', test.id(1), 'right', '[1,0,0,0]', ARRAY['[1,0,0,0]', '[0,1,0,0]']::halfvec[]),
  ('m', test.id(2), 'one is short', '[1,0,0,0]', ARRAY['[1,0,0,0]', '[0,1]']::halfvec[]),
  ('m', test.id(3), 'none', '[1,0,0,0]', NULL), ('m', test.id(4), 'waits', NULL, ARRAY['[0,1]']::halfvec[]);
SELECT status, detail, fix FROM memory_doctor('dr_passages') WHERE name = 'one dimension';
SELECT fix FROM memory_doctor('dr_passages') WHERE name = 'one dimension' \gexec
SELECT status, detail, fix FROM memory_doctor('dr_passages') WHERE name = 'one dimension';
SELECT test.n(entry_id) AS n, cardinality(passage_embeddings) FROM dr_passages.entries ORDER BY n;
SELECT memory_drop_store('dr_passages', true);
-- The recall of searches is measured over the same entries on both sides: an entry that is no longer valid, or is
-- expired, corrected or deleted, does not count.
SELECT memory_create_store('dr_recall', 4);
INSERT INTO dr_recall.entries (memory_id, entry_id, raw_entry, embedding, valid_until, expires_at, superseded_by,
  superseded_time, deletion_scheduled_time)
SELECT 'm', test.id(n), 'note ' || n, test.vector(n), CASE n % 3 WHEN 0 THEN timestamptz '2025-01-01Z' END,
  CASE n % 7 WHEN 0 THEN timestamptz '2025-01-01Z' END, CASE n % 11 WHEN 0 THEN test.id(n - 1) END,
  CASE n % 11 WHEN 0 THEN timestamptz '2025-01-01Z' END,
  CASE n % 13 WHEN 0 THEN timestamptz '2025-01-01Z' END
FROM generate_series(1, 300) n;
SELECT status, detail FROM memory_doctor('dr_recall') WHERE name = 'recall of searches';
DROP SCHEMA dr_recall CASCADE;

RESET memory_search.embedding_function;
RESET memory_search.store;
DROP TABLE checks;
DROP SCHEMA "Dr's ""store""" CASCADE;
