-- memory_doctor's checks of indexes: each can fail, and what its fix says, done, makes it pass.
CREATE SCHEMA dr_embed;
CREATE FUNCTION dr_embed.four(text) RETURNS vector LANGUAGE sql IMMUTABLE AS $$
  SELECT ARRAY[length($1), 1, 1, 1]::real[]::public.vector $$;
SET memory_search.embedding_function = 'dr_embed.four';
-- Nothing here may happen by itself.
CREATE FUNCTION by_hand(store text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  relation text;
BEGIN
  FOREACH relation IN ARRAY ARRAY['entries', 'contexts', 'entry_access'] LOOP
    EXECUTE format('ALTER TABLE %I.%I SET (autovacuum_enabled = off)', store, relation);
  END LOOP;
END $$;
SET memory_search.store = $$Dr's "store"$$;
SELECT memory_create_store(), by_hand($$Dr's "store"$$);
CREATE TABLE checks AS SELECT row_number() OVER () AS n, name FROM memory_doctor();
SELECT count(memory_add('m', test.words(n, 5), context => 'context ' || n / 10, user_id => 'u' || n % 2,
      entry_id => test.id(n), creation_time => timestamptz '2025-01-01Z' + n * interval '1 hour')) AS added,
  memory_touch('m', ARRAY[test.id(1)]) AS touched
FROM generate_series(1, 30) n;
-- Whatever is found from here on: the same names in the same order, a known word, a detail.
CREATE FUNCTION complaints() RETURNS TABLE (name text, status text, detail text, fix text) LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM (SELECT row_number() OVER () AS n, d.name, d.status, d.detail, d.fix FROM memory_doctor() d) d
             FULL JOIN checks c USING (n)
             WHERE d.name IS DISTINCT FROM c.name OR d.status NOT IN ('ok', 'warning', 'error')
               OR d.detail = '' OR d.detail IS NULL OR d.fix IS NOT NULL AND d.status = 'ok') THEN
    RAISE EXCEPTION 'other checks';
  END IF;
  RETURN QUERY SELECT * FROM memory_doctor() d WHERE d.status <> 'ok';
END $$;

-- Indexes, each missing once.
ALTER TABLE "Dr's ""store""".entries DROP CONSTRAINT entries_pkey CASCADE;
SELECT name FROM complaints() WHERE name = 'index of ids';
\set ECHO none
SELECT fix FROM complaints() WHERE name = 'index of ids' \gexec
\set ECHO all
SELECT name FROM complaints() WHERE name = 'index of ids';
SELECT memory_drop_store($$Dr's "store"$$, force => true);
SELECT memory_create_store(), by_hand($$Dr's "store"$$);
SELECT count(memory_add('m', test.words(n, 5), context => 'context ' || n / 10, user_id => 'u' || n % 2,
      entry_id => test.id(n), creation_time => timestamptz '2025-01-01Z' + n * interval '1 hour')) AS added,
  memory_touch('m', ARRAY[test.id(1)]) AS touched
FROM generate_series(1, 30) n;
DROP INDEX "Dr's ""store""".entries_recent;
SELECT * FROM complaints();
SELECT fix FROM complaints() \gexec
DROP INDEX "Dr's ""store""".entries_memory;
SELECT * FROM complaints();
\set ECHO none
SELECT fix FROM complaints() \gexec
\set ECHO all
-- One for plain SQL by words is the user's own.
CREATE INDEX own_words ON "Dr's ""store""".entries USING gin (to_tsvector('public.memory_english', raw_entry));
SELECT * FROM complaints();
DROP INDEX "Dr's ""store""".contexts_recent;
SELECT * FROM complaints();
SELECT fix FROM complaints() \gexec
SELECT * FROM complaints();
-- Counting needs its key.
ALTER TABLE "Dr's ""store""".entry_access DROP CONSTRAINT entry_access_pkey;
SELECT test.error($$SELECT memory_touch('m', ARRAY[test.id(1)])$$);
SELECT count(*) > 0 AS said FROM complaints();
ALTER TABLE "Dr's ""store""".entry_access ADD PRIMARY KEY (memory_id, entry_id);
SELECT * FROM complaints();

-- So do keys of the application's.
DROP INDEX "Dr's ""store""".entries_key;
SELECT test.error($$SELECT memory_add('m', 'again', entry_key => 'k')$$);
SELECT * FROM complaints();
SELECT fix FROM complaints() \gexec
SELECT count(memory_add('m', 'again', entry_key => 'k')) AS added;
SELECT * FROM complaints();

-- Indexes that are there and not used: what an index that could not be built leaves.
CREATE UNIQUE INDEX CONCURRENTLY "Not valid" ON "Dr's ""store""".entries (memory_id);
SELECT * FROM complaints();
DROP INDEX "Dr's ""store"""."Not valid";
CREATE UNIQUE INDEX CONCURRENTLY "Not valid" ON "Dr's ""store""".entries ((entry_id > test.id(1)));
UPDATE "Dr's ""store""".entries SET deletion_scheduled_time = '2025-02-01Z' WHERE entry_id > test.id(2);
SELECT memory_purge();
SELECT fix FROM complaints() \gexec
SELECT * FROM complaints();
DROP INDEX "Dr's ""store"""."Not valid";
-- Of all of the store's tables, and several; a fix that cannot be done yet leaves a copy, which the next one removes.
SELECT memory_create_store('dr_invalid'), by_hand('dr_invalid');
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
SELECT name, status, detail FROM complaints();
REINDEX INDEX CONCURRENTLY dr_invalid.not_valid_a;
DELETE FROM dr_invalid.entries WHERE entry_id = test.id(2);
DELETE FROM dr_invalid.contexts WHERE context_id = test.id(2);
\set ECHO none
SELECT fix FROM complaints() WHERE name = 'valid indexes' \gexec
\set ECHO all
SELECT name, status, detail FROM complaints();
SELECT indexrelid::regclass AS index, indisvalid AS valid
FROM pg_index
WHERE indexrelid::regclass::text LIKE '%not_valid%'
ORDER BY indexrelid::regclass::text;
DROP SCHEMA dr_invalid CASCADE;
SET memory_search.store = $$Dr's "store"$$;

CREATE FUNCTION take_statistics() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ANALYZE %1$I.entries, %1$I.contexts, %1$I.entry_access', current_setting('memory_search.store'));
END $$;
-- The vector index: how much of what is nearest it finds; one that finds too little, and one that is not
-- for this distance.
SELECT memory_create_store('dr_vectors', 16), by_hand('dr_vectors');
SET memory_search.store = 'dr_vectors';
CREATE FUNCTION dr_embed.sixteen(text) RETURNS vector LANGUAGE sql IMMUTABLE AS $$
  SELECT (ARRAY[length($1)] || array_fill(1, ARRAY[15]))::real[]::public.vector $$;
SET memory_search.embedding_function = 'dr_embed.sixteen';
INSERT INTO dr_vectors.entries (memory_id, entry_id, raw_entry, embedding)
SELECT 'm' || n % 2, test.id(n), 'x',
  test.vector(n) || test.vector(n + 10000) || test.vector(n + 20000) || test.vector(n + 30000)
FROM generate_series(1, 2000) n;
SELECT pg_stat_force_next_flush();
SELECT take_statistics();
SELECT * FROM complaints();
SELECT detail FROM memory_doctor() WHERE name LIKE 'recall%';
CREATE INDEX good ON dr_vectors.entries USING hnsw (embedding halfvec_cosine_ops);
SET hnsw.ef_search = 200;
SELECT name, status, regexp_replace(detail, '(0\.9[5-9]|1\.00)', '(enough)') AS detail
FROM memory_doctor() WHERE name LIKE 'recall%';
DROP INDEX dr_vectors.good;
CREATE INDEX poor ON dr_vectors.entries USING hnsw (embedding halfvec_cosine_ops) WITH (m = 4, ef_construction = 10);
SET hnsw.ef_search = 1;
SELECT name, status, regexp_replace(detail, '0\.[0-8]\d', '(too little)') AS detail, fix FROM complaints();
SELECT fix FROM complaints() \gexec
SELECT name, status FROM complaints();
RESET hnsw.ef_search;
DROP INDEX dr_vectors.poor;
CREATE INDEX lists ON dr_vectors.entries USING ivfflat (embedding halfvec_cosine_ops) WITH (lists = 100);
SELECT name, status, regexp_replace(detail, '0\.[0-8]\d', '(too little)') AS detail FROM complaints();
\set ECHO none
SELECT fix FROM complaints() \gexec
\set ECHO all
SELECT name, status FROM complaints();
RESET ivfflat.probes;
DROP INDEX dr_vectors.lists;
CREATE INDEX for_another_distance ON dr_vectors.entries USING hnsw (embedding halfvec_l2_ops);
SELECT status <> 'ok' OR detail NOT LIKE '%1.00%' AS said
FROM memory_doctor() WHERE name = 'recall of the vector index';
DROP INDEX dr_vectors.for_another_distance;

-- An adopted table: its own indexes serve, and what is missing is said of it.
CREATE TABLE dr_notes (id bigint, project text, body text, made timestamptz);
ALTER TABLE dr_notes SET (autovacuum_enabled = off);
INSERT INTO dr_notes
SELECT n, 'm', 'a kite', timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM generate_series(1, 20) n;
SELECT memory_adopt_table('dr_adopted', 'dr_notes',
    '{"memory_id": "project", "entry_id": "id", "raw_entry": "body", "creation_time": "made"}');
SET memory_search.store = 'dr_adopted';
SELECT name, status, detail FROM complaints();
\set ECHO none
SELECT fix FROM complaints() \gexec
\set ECHO all
SELECT * FROM complaints();
SELECT memory_touch('m', '{1,2,3}');
DELETE FROM dr_notes WHERE id = 2;
SELECT * FROM complaints();
SELECT fix FROM complaints() \gexec
SELECT * FROM complaints();
SELECT memory_search('m', 'kite')->'count' AS found;
RESET memory_search.embedding_function;
RESET memory_search.store;
DROP FUNCTION by_hand, complaints, take_statistics;
DROP TABLE checks;
DROP SCHEMA "Dr's ""store""", dr_vectors, dr_adopted, dr_embed CASCADE;
DROP TABLE dr_notes;
