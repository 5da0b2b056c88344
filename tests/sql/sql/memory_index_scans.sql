-- Plain SQL can use a memory index on every kind of table, for the rows of a memory and for the nearest ones in exact
-- order, also with further conditions. It finds the same rows as a scan of the table.
CREATE SCHEMA mi;
SET search_path = mi, public;
CREATE FUNCTION vec(n float8, dims int DEFAULT 16) RETURNS vector LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg(sin(n * k) ORDER BY k)::real[]::vector FROM generate_series(1, dims) k $$;
CREATE TABLE notes (id bigint PRIMARY KEY, person uuid, body text, emb vector(16), at timestamptz, j jsonb, tags text[],
  ok bool, weight real);
INSERT INTO notes SELECT i, test.id(i % 5), test.words(i, 4), vec(i), timestamptz '2025-01-01Z' + i * interval '1 hour',
  jsonb_build_object('k', i % 3), ARRAY['t' || i % 4], i % 2 = 0, i
FROM generate_series(1, 3000) i;
-- Rows without a memory, words or embedding, and an embedding that has no direction.
INSERT INTO notes (id, person, body, emb) VALUES (3001, NULL, 'of nobody', vec(1)), (3002, test.id(0), NULL, NULL),
  (3003, test.id(0), 'zero', array_fill(0, ARRAY[16])::real[]::vector);
CREATE INDEX notes_memory ON notes USING memory_search (person, to_tsvector('english', body), emb)
  INCLUDE (at, id, j, tags, ok, weight);
ANALYZE notes;

-- The rows that the index finds, and the rows that a scan of the table finds, in one row each.
CREATE FUNCTION by_index(query text) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE found bigint[];
BEGIN
  SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off;
  EXECUTE format('SELECT array_agg(id) FROM (%s) found', query) INTO found;
  SET LOCAL enable_seqscan = on; SET LOCAL enable_sort = on;
  RETURN found;
END $$;
CREATE FUNCTION by_rows(query text) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE found bigint[];
BEGIN
  SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off;
  EXECUTE format('SELECT array_agg(id) FROM (%s) found', query) INTO found;
  SET LOCAL enable_indexscan = on; SET LOCAL enable_bitmapscan = on;
  RETURN found;
END $$;
CREATE FUNCTION asked(OUT query text) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT format('SELECT id FROM notes WHERE person = %L%s ORDER BY %s LIMIT %s', test.id(m), more, by, rows)
    FROM generate_series(0, 5) m, unnest(ARRAY['', ' AND ok', ' AND weight > 2900', ' AND tags @> ''{t1}''']) more,
      unnest(ARRAY[format('emb <=> %L', vec(m + 0.5)), format('emb <=> %L, id', vec(m * 7)), 'id']) by,
      unnest(ARRAY['7', 'ALL']) rows $$;
CREATE FUNCTION agreement(OUT queries bigint, OUT agree bigint, OUT rows_found bigint) LANGUAGE sql AS $$
  SELECT count(*), count(*) FILTER (WHERE by_index(query) IS NOT DISTINCT FROM by_rows(query)),
    sum(cardinality(by_rows(query))) FROM asked() $$;
SELECT * FROM agreement();

-- EXPLAIN shows the index, as a bitmap scan and as an ordered scan.
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM notes WHERE person = test.id(1) ORDER BY emb <=> vec(3) LIMIT 5;
EXPLAIN (COSTS OFF) SELECT count(*) FROM notes WHERE person = test.id(1);
RESET enable_seqscan;
-- The index does not answer a condition on a text, so that such a condition makes no scan of it cheap: not once a row.
CREATE TABLE pages AS SELECT text 'm' AS book, 'text ' || n AS body FROM generate_series(1, 2000) n;
CREATE INDEX ON pages USING memory_search (book, body);
ANALYZE pages;
EXPLAIN (COSTS OFF)
SELECT FROM pages a WHERE NOT EXISTS (SELECT FROM pages b WHERE b.book = a.book AND b.body = a.body || '!');

-- Rows are added, changed and removed; VACUUM gives their places to others.
DELETE FROM notes WHERE id % 3 = 0;
SELECT * FROM agreement();
VACUUM notes;
SELECT * FROM agreement();
INSERT INTO notes SELECT i, test.id(i % 2), test.words(i, 9), vec(i * 1.3), now(), '{}', '{t1}', true, i
FROM generate_series(4001, 5500) i;
UPDATE notes SET emb = vec(id + 0.1), person = test.id(id::int % 5) WHERE id % 7 = 0;
SELECT * FROM agreement();
VACUUM notes;
SELECT * FROM agreement();
REINDEX INDEX notes_memory;
SELECT * FROM agreement();
BEGIN;
DELETE FROM notes WHERE person = test.id(0);
SAVEPOINT s;
INSERT INTO notes SELECT i, test.id(0), 'new', vec(i), now(), '{}', '{}', true, i FROM generate_series(6001, 6600) i;
ROLLBACK TO s;
SELECT * FROM agreement();
ROLLBACK;
SELECT * FROM agreement();

-- Ids of every type.
CREATE TABLE ids (t text, v varchar(9), u uuid, b bigint, i int, s smallint);
INSERT INTO ids SELECT 'm' || n, 'm' || n, test.id(n), n - 3, n - 3, n - 3 FROM generate_series(0, 5) n;
INSERT INTO ids SELECT * FROM ids;
CREATE INDEX ON ids USING memory_search (t);
CREATE INDEX ON ids USING memory_search (v);
CREATE INDEX ON ids USING memory_search (u);
CREATE INDEX ON ids USING memory_search (b);
CREATE INDEX ON ids USING memory_search (i);
CREATE INDEX ON ids USING memory_search (s);
SET enable_seqscan = off;
SELECT (SELECT count(*) FROM ids WHERE t = 'm1') AS t, (SELECT count(*) FROM ids WHERE v = 'm1') AS v,
  (SELECT count(*) FROM ids WHERE u = test.id(1)) AS u, (SELECT count(*) FROM ids WHERE b = -2::bigint) AS b,
  (SELECT count(*) FROM ids WHERE i = -2) AS i, (SELECT count(*) FROM ids WHERE s = -2::smallint) AS s,
  (SELECT count(*) FROM ids WHERE t = 'm1' AND t = 'm2') AS both, (SELECT count(*) FROM ids WHERE t = NULL) AS nulls,
  (SELECT count(*) FROM ids WHERE t = ANY ('{m1,m4,no}')) AS several;
RESET enable_seqscan;

-- Temporary, unlogged and partitioned tables, and indexes that are made CONCURRENTLY.
CREATE TEMP TABLE temporary (m text);
INSERT INTO temporary SELECT 'a' FROM generate_series(1, 700);
CREATE INDEX ON temporary USING memory_search (m);
INSERT INTO temporary SELECT 'a' FROM generate_series(1, 700);
CREATE UNLOGGED TABLE unlogged (m text);
CREATE INDEX ON unlogged USING memory_search (m);
INSERT INTO unlogged SELECT 'a' FROM generate_series(1, 1400);
CREATE TABLE parted (m text, x int) PARTITION BY HASH (m);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE INDEX ON parted USING memory_search (m) INCLUDE (x);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parted SELECT 'm' || n % 9, n FROM generate_series(1, 1800) n;
CREATE INDEX CONCURRENTLY unlogged_again ON unlogged USING memory_search (m);
REINDEX INDEX CONCURRENTLY notes_memory;
SET enable_seqscan = off;
SELECT (SELECT count(*) FROM temporary WHERE m = 'a') AS temporary,
  (SELECT count(*) FROM unlogged WHERE m = 'a') AS unlogged,
  (SELECT count(*) FROM parted WHERE m = 'm3') AS parted;
RESET enable_seqscan;
SELECT * FROM agreement();

-- Columns that the index cannot hold are refused.
\set ON_ERROR_STOP off
CREATE INDEX ON notes USING memory_search (at);
CREATE INDEX ON notes USING memory_search (person, person);
CREATE INDEX ON notes USING memory_search (person) INCLUDE (emb);
CREATE INDEX ON notes USING memory_search (person, emb, emb);
CREATE INDEX ON notes USING memory_search (person) WITH (fillfactor = 70);
CREATE UNIQUE INDEX ON notes USING memory_search (person);
ALTER TABLE notes ADD EXCLUDE USING memory_search (person WITH =);
\set ON_ERROR_STOP on
