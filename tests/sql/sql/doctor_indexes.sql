-- memory_doctor's checks of indexes: each can fail, and running its fix makes it pass.
CREATE SCHEMA dr_embed;
SET memory_search.embedding_function = 'test.embed';
SET memory_search.store = $$Dr's "store"$$;
SELECT memory_create_store(), test.by_hand($$Dr's "store"$$);
CREATE TABLE checks AS SELECT row_number() OVER () AS n, name FROM memory_doctor();
SELECT * FROM test.thirty_entries();

-- Each index is missing once.
ALTER TABLE "Dr's ""store""".entries DROP CONSTRAINT entries_pkey CASCADE;
SELECT name FROM test.complaints() WHERE name = 'index of ids';
\set ECHO none
SELECT fix FROM test.complaints() WHERE name = 'index of ids' \gexec
\set ECHO all
SELECT name FROM test.complaints() WHERE name = 'index of ids';
SELECT memory_drop_store($$Dr's "store"$$, force => true);
SELECT memory_create_store(), test.by_hand($$Dr's "store"$$);
SELECT * FROM test.thirty_entries();
DROP INDEX "Dr's ""store""".entries_recent;
SELECT * FROM test.complaints();
SELECT fix FROM test.complaints() \gexec
DROP INDEX "Dr's ""store""".entries_memory;
SELECT * FROM test.complaints();
\set ECHO none
SELECT fix FROM test.complaints() \gexec
\set ECHO all
-- An index for plain SQL by words belongs to the user.
CREATE INDEX own_words ON "Dr's ""store""".entries USING gin (to_tsvector('public.memory_english', raw_entry));
SELECT * FROM test.complaints();
DROP INDEX "Dr's ""store""".contexts_recent;
SELECT * FROM test.complaints();
SELECT fix FROM test.complaints() \gexec
SELECT * FROM test.complaints();
-- Counting needs the key of entry_access.
ALTER TABLE "Dr's ""store""".entry_access DROP CONSTRAINT entry_access_pkey;
SELECT test.error($$SELECT memory_touch('m', ARRAY[test.id(1)])$$);
SELECT count(*) > 0 AS said FROM test.complaints();
ALTER TABLE "Dr's ""store""".entry_access ADD PRIMARY KEY (memory_id, entry_id);
SELECT * FROM test.complaints();

-- A store without the unique index on entry_key is reported, too.
DROP INDEX "Dr's ""store""".entries_key;
SELECT test.error($$SELECT memory_add('m', 'again', entry_key => 'k')$$);
SELECT * FROM test.complaints();
SELECT fix FROM test.complaints() \gexec
SELECT count(memory_add('m', 'again', entry_key => 'k')) AS added;
SELECT * FROM test.complaints();

-- Indexes that exist but are not used: the rest of a build that failed.
CREATE UNIQUE INDEX CONCURRENTLY "Not valid" ON "Dr's ""store""".entries (memory_id);
SELECT * FROM test.complaints();
DROP INDEX "Dr's ""store"""."Not valid";
CREATE UNIQUE INDEX CONCURRENTLY "Not valid" ON "Dr's ""store""".entries ((entry_id > test.id(1)));
UPDATE "Dr's ""store""".entries SET deletion_scheduled_time = '2025-02-01Z' WHERE entry_id > test.id(2);
SELECT memory_purge();
SELECT fix FROM test.complaints() \gexec
SELECT * FROM test.complaints();
DROP INDEX "Dr's ""store"""."Not valid";
-- Invalid indexes on each of the store's tables. A fix that cannot be done yet leaves a copy of the index, which the
-- next fix removes.
SELECT memory_create_store('dr_invalid'), test.by_hand('dr_invalid');
SET memory_search.store = 'dr_invalid';
INSERT INTO dr_invalid.entries (memory_id, entry_id, raw_entry, embedding)
SELECT 'm', test.id(n), 'x', '[1,1,1,1]'
FROM generate_series(1, 2) n;
INSERT INTO dr_invalid.contexts (memory_id, context_id, context)
SELECT 'm', test.id(n), 'x'
FROM generate_series(1, 2) n;
INSERT INTO dr_invalid.entry_access (memory_id, entry_id, access_count)
SELECT 'm', test.id(n), 1
FROM generate_series(1, 2) n;
CREATE UNIQUE INDEX CONCURRENTLY not_valid_a ON dr_invalid.entries (memory_id);
CREATE UNIQUE INDEX CONCURRENTLY not_valid_b ON dr_invalid.contexts (memory_id);
CREATE UNIQUE INDEX CONCURRENTLY not_valid_c ON dr_invalid.entry_access (access_count);
SELECT name, status, detail FROM test.complaints();
REINDEX INDEX CONCURRENTLY dr_invalid.not_valid_a;
DELETE FROM dr_invalid.entries WHERE entry_id = test.id(2);
DELETE FROM dr_invalid.contexts WHERE context_id = test.id(2);
\set ECHO none
SELECT fix FROM test.complaints() WHERE name = 'valid indexes' \gexec
\set ECHO all
SELECT name, status, detail FROM test.complaints();
SELECT indexrelid::regclass AS index, indisvalid AS valid
FROM pg_index
WHERE indexrelid::regclass::text LIKE '%not_valid%'
ORDER BY indexrelid::regclass::text;
DROP SCHEMA dr_invalid CASCADE;
SET memory_search.store = $$Dr's "store"$$;

-- The vector index: the share of the nearest entries that it finds; an index that finds too few, and one that is not
-- for this distance.
SELECT memory_create_store('dr_vectors', 16), test.by_hand('dr_vectors');
SET memory_search.store = 'dr_vectors';
CREATE FUNCTION dr_embed.sixteen(text) RETURNS vector LANGUAGE sql IMMUTABLE AS $$
  SELECT (ARRAY[length($1)] || array_fill(1, ARRAY[15]))::real[]::public.vector $$;
SET memory_search.embedding_function = 'dr_embed.sixteen';
INSERT INTO dr_vectors.entries (memory_id, entry_id, raw_entry, embedding)
SELECT 'm' || n % 2, test.id(n), 'x',
  test.vector(n) || test.vector(n + 10000) || test.vector(n + 20000) || test.vector(n + 30000)
FROM generate_series(1, 2000) n;
SELECT pg_stat_force_next_flush();
SELECT test.take_statistics();
SELECT * FROM test.complaints();
SELECT detail FROM memory_doctor() WHERE name LIKE 'recall%';
CREATE INDEX good ON dr_vectors.entries USING hnsw (embedding halfvec_cosine_ops);
SET hnsw.ef_search = 200;
SELECT name, status, regexp_replace(detail, '(0\.9[5-9]|1\.00)', '(enough)') AS detail
FROM memory_doctor() WHERE name LIKE 'recall%';
DROP INDEX dr_vectors.good;
CREATE INDEX poor ON dr_vectors.entries USING hnsw (embedding halfvec_cosine_ops) WITH (m = 4, ef_construction = 10);
SET hnsw.ef_search = 1;
SELECT name, status, regexp_replace(detail, '0\.[0-8]\d', '(too little)') AS detail, fix FROM test.complaints();
SELECT fix FROM test.complaints() \gexec
SELECT name, status FROM test.complaints();
RESET hnsw.ef_search;
DROP INDEX dr_vectors.poor;
CREATE INDEX lists ON dr_vectors.entries USING ivfflat (embedding halfvec_cosine_ops) WITH (lists = 100);
SELECT name, status, regexp_replace(detail, '0\.[0-8]\d', '(too little)') AS detail FROM test.complaints();
\set ECHO none
SELECT fix FROM test.complaints() \gexec
\set ECHO all
SELECT name, status FROM test.complaints();
RESET ivfflat.probes;
DROP INDEX dr_vectors.lists;
CREATE INDEX for_another_distance ON dr_vectors.entries USING hnsw (embedding halfvec_l2_ops);
SELECT status <> 'ok' OR detail NOT LIKE '%1.00%' AS said
FROM memory_doctor() WHERE name = 'recall of the vector index';
DROP INDEX dr_vectors.for_another_distance;

-- An adopted table: its own indexes serve, and the doctor names the missing ones.
CREATE TABLE dr_notes (id bigint, project text, body text, made timestamptz);
ALTER TABLE dr_notes SET (autovacuum_enabled = off);
INSERT INTO dr_notes
SELECT n, 'm', 'a kite', timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM generate_series(1, 20) n;
SELECT memory_adopt_table('dr_adopted', 'dr_notes',
    '{"memory_id": "project", "entry_id": "id", "raw_entry": "body", "creation_time": "made"}');
SET memory_search.store = 'dr_adopted';
SELECT name, status, detail FROM test.complaints();
\set ECHO none
SELECT fix FROM test.complaints() \gexec
\set ECHO all
SELECT * FROM test.complaints();
SELECT memory_touch('m', '{1,2,3}');
DELETE FROM dr_notes WHERE id = 2;
SELECT * FROM test.complaints();
SELECT fix FROM test.complaints() \gexec
SELECT * FROM test.complaints();
SELECT memory_search('m', 'kite')->'count' AS found;
RESET memory_search.embedding_function;
RESET memory_search.store;
DROP TABLE checks;
DROP SCHEMA "Dr's ""store""", dr_vectors, dr_adopted, dr_embed CASCADE;
DROP TABLE dr_notes;
