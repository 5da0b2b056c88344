-- Rows that plain SQL reads from a memory index in the order of their distances have their places: ctid is right, and
-- FOR UPDATE, DELETE by ctid and WHERE CURRENT OF find them. No statement adds a page to the table.
CREATE SCHEMA np;
SET search_path = np, public;
CREATE TABLE jobs (id bigint PRIMARY KEY, queue text, body text, emb vector(4), tries int NOT NULL DEFAULT 0)
  WITH (fillfactor = 40, autovacuum_enabled = off);
-- Each embedding belongs to 20 rows of a queue, so that most distances tie.
INSERT INTO jobs SELECT i, 'q' || i % 4, 'task ' || i % 7, ARRAY[sin(i % 50), cos(i % 50), sin(i % 50 * 2), 0.5]::real[]
FROM generate_series(1, 2000) i;
-- An embedding without a direction, and rows without one.
INSERT INTO jobs SELECT i, 'q1', 'task', CASE WHEN i = 2001 THEN '[0,0,0,0]'::vector END
FROM generate_series(2001, 2005) i;
CREATE INDEX jobs_memory ON jobs USING memory_search (queue, body, emb);
CREATE INDEX jobs_expressions ON jobs USING memory_search ((queue || ''), body, (emb::halfvec(4)));
ANALYZE jobs;
CREATE TABLE pages AS SELECT pg_relation_size('jobs') AS before;

CREATE PROCEDURE by_index() LANGUAGE plpgsql AS $$ BEGIN
  SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off; SET enable_indexscan = on;
END $$;
CREATE PROCEDURE by_rows() LANGUAGE plpgsql AS $$ BEGIN
  SET enable_seqscan = on; SET enable_bitmapscan = off; SET enable_sort = on; SET enable_indexscan = off;
END $$;
-- Whether a query finds the same rows in both ways, in the same order of distances; and their number.
CREATE FUNCTION alike(more text, by_distance text, OUT same_rows boolean, OUT same_order boolean, OUT rows_found int)
LANGUAGE plpgsql AS $$
DECLARE
  query text := format('SELECT array_agg(format(''%%s at %%s'', id, ctid)), array_agg(distance) FROM
    (SELECT id, ctid, %s AS distance FROM jobs WHERE %s ORDER BY %1$s) found', by_distance, more);
  ids text[]; distances float8[]; other_ids text[]; other_distances float8[];
BEGIN
  CALL by_index(); EXECUTE query INTO ids, distances;
  CALL by_rows(); EXECUTE query INTO other_ids, other_distances;
  same_rows := (SELECT array_agg(id ORDER BY id) FROM unnest(ids) id)
    IS NOT DISTINCT FROM (SELECT array_agg(id ORDER BY id) FROM unnest(other_ids) id);
  same_order := distances::text[] IS NOT DISTINCT FROM other_distances::text[];
  rows_found := cardinality(ids);
END $$;
CREATE TABLE asked (number int, more text, by_distance text);
INSERT INTO asked VALUES
  (1, $$queue = 'q1'$$, $$emb <=> '[1,2,3,4]'$$),
  (2, $$queue = 'q2' AND ctid > '(5,1)'$$, $$emb <=> '[1,0,0,0]'$$),
  (3, $$queue = 'q1' AND body = 'task 3'$$, $$emb <=> '[-1,2,0,4]'$$),
  (4, $$queue = 'q1' AND tries = 0 AND id % 3 = 1$$, $$emb <=> '[1,2,3,4]'$$),
  (5, $$queue || '' = 'q1'$$, $$emb::halfvec(4) <=> '[1,2,3,4]'$$),
  (6, $$queue = 'q1'$$, $$emb <=> '[0,0,0,0]'$$),
  (7, $$queue = 'q1'$$, $$emb <=> (SELECT NULL::vector)$$),
  (8, $$queue = 'q1'$$, $$emb <=> '[1e-30,0,0,1e-30]'$$),
  (9, $$queue = 'none'$$, $$emb <=> '[1,2,3,4]'$$);
SELECT number, a.* FROM asked, alike(more, by_distance) a ORDER BY number;

-- Also after updates in place, updates that are not, and deletions.
UPDATE jobs SET tries = 1 WHERE id % 3 = 0;
UPDATE jobs SET emb = '[4,3,2,1]' WHERE id % 11 = 0;
UPDATE jobs SET tries = 2 WHERE id % 9 = 0;
DELETE FROM jobs WHERE id % 13 = 0;
SELECT number, a.* FROM asked, alike(more, by_distance) a ORDER BY number;
VACUUM jobs;
SELECT number, a.* FROM asked, alike(more, by_distance) a ORDER BY number;
UPDATE pages SET before = pg_relation_size('jobs');

-- Row locks.
CALL by_index();
EXPLAIN (COSTS OFF) SELECT id FROM jobs WHERE queue = 'q1' ORDER BY emb <=> '[1,2,3,4]' LIMIT 3 FOR UPDATE;
BEGIN;
SELECT count(*), count(*) FILTER (WHERE j.ctid = (SELECT k.ctid FROM jobs k WHERE k.id = j.id)) AS at_their_places
FROM (SELECT id, ctid FROM jobs WHERE queue = 'q1' ORDER BY emb <=> '[1,2,3,4]' LIMIT 30 FOR UPDATE) j;
SELECT id FROM jobs WHERE queue = 'q1' ORDER BY emb <=> '[1,2,3,4]', id LIMIT 3 FOR UPDATE;
SELECT id FROM jobs WHERE queue = 'q1' ORDER BY emb <=> '[1,2,3,4]', id LIMIT 3 FOR NO KEY UPDATE SKIP LOCKED;
SELECT id FROM jobs WHERE queue = 'q2' ORDER BY emb <=> '[1,2,3,4]', id LIMIT 3 FOR SHARE;
SELECT id FROM jobs WHERE queue = 'q2' ORDER BY emb <=> '[1,2,3,4]', id LIMIT 3 FOR KEY SHARE NOWAIT;
COMMIT;

-- Statements that find rows by their places.
WITH nearest AS (SELECT ctid FROM jobs WHERE queue = 'q1' ORDER BY emb <=> '[1,2,3,4]', id LIMIT 2)
UPDATE jobs SET tries = 7 WHERE ctid IN (SELECT ctid FROM nearest) RETURNING id;
DELETE FROM jobs WHERE ctid IN (SELECT ctid FROM jobs WHERE queue = 'q1' ORDER BY emb <=> '[1,2,3,4]', id LIMIT 2)
RETURNING id;
DELETE FROM jobs WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM jobs WHERE queue = 'q1' ORDER BY emb <=> '[1,2,3,4]', id LIMIT 2 FOR UPDATE SKIP LOCKED))
RETURNING id;
UPDATE jobs SET tries = 8 FROM (
  SELECT id AS next FROM jobs WHERE queue = 'q1' ORDER BY emb <=> '[1,2,3,4]', id LIMIT 1 FOR UPDATE SKIP LOCKED) n
WHERE id = next RETURNING id, tries;
BEGIN;
DECLARE reader CURSOR FOR SELECT id > 0 AS fetched FROM jobs WHERE queue = 'q1' ORDER BY emb <=> '[1,2,3,4]';
FETCH 2 FROM reader;
UPDATE jobs SET tries = 9 WHERE CURRENT OF reader RETURNING queue, tries;
DECLARE locker CURSOR FOR SELECT id > 0 AS fetched FROM jobs WHERE queue = 'q1' ORDER BY emb <=> '[1,2,3,4]' FOR UPDATE;
FETCH 3 FROM locker;
DELETE FROM jobs WHERE CURRENT OF locker RETURNING queue, tries;
COMMIT;

-- A cursor sees the rows of its own snapshot, forwards and backwards.
BEGIN;
DECLARE old SCROLL CURSOR FOR SELECT id FROM jobs WHERE queue = 'q3' ORDER BY emb <=> '[1,2,3,4]', id;
CREATE TABLE kept AS SELECT array_agg(id) AS ids FROM
  (SELECT id FROM jobs WHERE queue = 'q3' ORDER BY emb <=> '[1,2,3,4]', id LIMIT 400) found;
UPDATE jobs SET tries = 3, emb = '[9,9,9,9]' WHERE queue = 'q3' AND id % 2 = 0;
DELETE FROM jobs WHERE queue = 'q3' AND id % 5 = 0;
FETCH 3 FROM old;
FETCH BACKWARD 2 FROM old;
MOVE ABSOLUTE 0 IN old;
DO $$
DECLARE old refcursor := 'old'; one bigint; ids bigint[];
BEGIN
  FOR n IN 1..400 LOOP
    FETCH old INTO one;
    ids := ids || one;
  END LOOP;
  RAISE INFO 'the same rows: %', ids = (SELECT k.ids FROM kept k);
END $$;
ROLLBACK;

-- Scans that begin again, and several orders.
SELECT q.number, array_agg(n.id) FROM (VALUES (1, 'q1', '[1,2,3,4]'), (2, 'q2', '[1,0,0,0]'), (3, 'q1', '[0,1,0,0]'),
  (4, 'none', '[0,1,0,0]')) q(number, queue, vector),
  LATERAL (SELECT id FROM jobs WHERE queue = q.queue ORDER BY emb <=> q.vector::vector, id LIMIT 2) n
GROUP BY 1 ORDER BY 1;
EXPLAIN (COSTS OFF)
SELECT id FROM jobs WHERE queue = 'q1' ORDER BY emb <=> '[1,0,0,1]', emb <=> '[0,1,0,0]' LIMIT 3;
CREATE TABLE found AS
SELECT id, row_number() OVER () FROM (SELECT id FROM jobs WHERE queue = 'q1' AND emb IS NOT NULL
  ORDER BY emb <=> '[1,0,0,1]', emb <=> '[0,1,0,0]', id) found;
CALL by_rows();
SELECT count(*) AS rows_found, count(*) FILTER (WHERE f.row_number = r.row_number) AS in_order FROM found f JOIN (
  SELECT id, row_number() OVER (ORDER BY emb <=> '[1,0,0,1]', emb <=> '[0,1,0,0]', id) FROM jobs
   WHERE queue = 'q1' AND emb IS NOT NULL) r USING (id);
SELECT pg_relation_size('jobs') = before AS as_large_as_before FROM pages;

-- An embedding of another dimension is refused once it is reached.
CREATE TABLE mixed (id int, m text, emb vector);
INSERT INTO mixed VALUES (1, 'a', '[1,2]'), (2, 'a', '[2,1]'), (3, 'b', '[1,2,3]'), (4, 'a', '[1,2,3]');
CREATE INDEX ON mixed USING memory_search (m, emb);
CALL by_index();
SELECT id FROM mixed WHERE m = 'a' ORDER BY emb <=> '[1,2]' LIMIT 1;
\set ON_ERROR_STOP off
SELECT id FROM mixed WHERE m = 'a' ORDER BY emb <=> '[1,2]';
\set ON_ERROR_STOP on

-- An expression that is not immutable has other embeddings than the index. If a row is nearer than the index allows,
-- all others are read; it is an error if a farther one was returned before it.
CREATE FUNCTION turned(emb vector) RETURNS vector LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
  RETURN CASE WHEN current_setting('np.turned', true) = 'all'
                OR current_setting('np.turned', true) = 'farthest' AND emb OPERATOR(public.<=>) '[1,0]' < 0.01
              THEN '[0,1]'::public.vector ELSE emb END;
END $$;
CREATE TABLE turning (m text, emb vector(2));
INSERT INTO turning SELECT 'a', ARRAY[cos(i / 10.0), sin(i / 10.0)]::real[] FROM generate_series(1, 15) i;
CREATE INDEX turning_memory ON turning USING memory_search (m, turned(emb));
SELECT count(*) FROM (SELECT FROM turning WHERE m = 'a' ORDER BY turned(emb) <=> '[0,1]') found;
SET np.turned = 'all';
SELECT count(*) FROM (SELECT FROM turning WHERE m = 'a' ORDER BY turned(emb) <=> '[0,1]') found;
SET np.turned = 'farthest';
SELECT replace(test.error($$SELECT FROM turning WHERE m = 'a' ORDER BY turned(emb) <=> '[0,1]'$$), 'XX002', 'damaged');
RESET np.turned;

-- The entries of a store, and an adopted table.
CALL by_rows();
SELECT memory_create_store('np_own', 4);
INSERT INTO np_own.entries (memory_id, entry_id, raw_entry, embedding)
SELECT 'm', test.id(i), 'entry ' || i, ARRAY[sin(i), cos(i), 1, 1]::real[]::halfvec FROM generate_series(1, 300) i;
SELECT memory_adopt_table('np_adopted', 'np.jobs',
  '{"memory_id": "queue", "entry_id": "id", "raw_entry": "body", "embedding": "emb"}');
CALL by_index();
UPDATE pages SET before = pg_relation_size('np_own.entries');
SELECT test.n(entry_id) FROM np_own.entries WHERE memory_id = 'm' ORDER BY embedding <=> '[1,0,1,1]' LIMIT 3 FOR SHARE;
SELECT pg_relation_size('np_own.entries') = before AS as_large_as_before FROM pages;
SELECT entry_id FROM np_adopted.entries WHERE memory_id = 'q2' ORDER BY embedding <=> '[1,2,3,4]', entry_id LIMIT 2
FOR UPDATE SKIP LOCKED;
SELECT name, status FROM memory_doctor('np_own') WHERE name = 'index of searches';
\set ECHO none
SELECT memory_drop_store(store, force => true) FROM unnest('{np_own,np_adopted}'::text[]) store;
DROP SCHEMA np CASCADE;
