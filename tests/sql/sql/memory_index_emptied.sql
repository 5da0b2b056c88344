-- A memory index whose table is emptied in place, without a new file, is like a new one: after TRUNCATE in the
-- transaction that made the table, and after each COMMIT for a temporary table with ON COMMIT DELETE ROWS.
CREATE SCHEMA emptied;
SET search_path = emptied, public;
SET enable_seqscan = off;
CREATE FUNCTION fill(name regclass, first int, last int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('INSERT INTO %s SELECT ''m'', to_tsvector(''simple'', ''word '' || n) FROM generate_series($1, $2) n',
    name) USING first, last;
END $$;
CREATE FUNCTION proven(tablename regclass) RETURNS TABLE (index text, rows_compared bigint) LANGUAGE sql AS $$
  SELECT indexrelid::regclass::text, value FROM pg_catalog.pg_index, memory_index_check(indexrelid) fact
  WHERE indrelid = tablename AND fact.name = 'rows compared' $$;

-- The index is emptied in the transaction that created it. 300 rows move the root of the tree to another page.
BEGIN;
CREATE TABLE made (memory_id text, words tsvector);
CREATE INDEX made_memory ON made USING memory_search (memory_id, words);
SELECT fill('made', 1, 300);
TRUNCATE made;
SELECT count(*) FROM made WHERE memory_id = 'm';
SELECT fill('made', 1, 200);
SELECT count(*) FROM made WHERE memory_id = 'm';
-- The same with a segment, and after the rows were read.
SELECT fill('made', 1000, 3000);
SELECT count(*) FROM made WHERE memory_id = 'm';
TRUNCATE made;
SELECT fill('made', 1, 40);
COMMIT;
SELECT count(*) FROM made WHERE memory_id = 'm';
SELECT * FROM proven('made');

-- TRUNCATE in a subtransaction gives the table another file at first, and empties it in place the second time.
BEGIN;
SAVEPOINT one;
TRUNCATE made;
SELECT fill('made', 1, 300);
TRUNCATE made;
SELECT fill('made', 1, 7);
SELECT count(*) FROM made WHERE memory_id = 'm';
ROLLBACK TO one;
SELECT count(*) FROM made WHERE memory_id = 'm';
SAVEPOINT two;
TRUNCATE made;
SELECT fill('made', 1, 300);
RELEASE two;
TRUNCATE made;
REINDEX INDEX made_memory;
SELECT fill('made', 1, 9);
COMMIT;
SELECT count(*) FROM made WHERE memory_id = 'm';
SELECT * FROM proven('made');

-- An unlogged table, a partition, a materialized view that is refreshed.
BEGIN;
CREATE UNLOGGED TABLE unlogged (memory_id text, words tsvector);
CREATE INDEX unlogged_memory ON unlogged USING memory_search (memory_id, words);
CREATE TABLE parted (memory_id text, words tsvector) PARTITION BY LIST (memory_id);
CREATE TABLE part PARTITION OF parted DEFAULT;
CREATE INDEX ON parted USING memory_search (memory_id, words);
SELECT fill(name, 1, 300) FROM unnest('{unlogged,parted}'::regclass[]) name;
CREATE MATERIALIZED VIEW seen AS TABLE parted;
CREATE INDEX seen_memory ON seen USING memory_search (memory_id, words);
SELECT count(*) FROM seen WHERE memory_id = 'm';
TRUNCATE unlogged, parted;
SELECT fill(name, 1, 5) FROM unnest('{unlogged,parted}'::regclass[]) name;
REFRESH MATERIALIZED VIEW seen;
COMMIT;
SELECT (SELECT count(*) FROM unlogged WHERE memory_id = 'm') AS unlogged,
  (SELECT count(*) FROM parted WHERE memory_id = 'm') AS parted,
  (SELECT count(*) FROM seen WHERE memory_id = 'm') AS seen;
SELECT proven.* FROM unnest('{unlogged,part,seen}'::regclass[]) name, proven(name);

-- A temporary table whose rows are removed at COMMIT.
CREATE TEMP TABLE passing (memory_id text, words tsvector) ON COMMIT DELETE ROWS;
CREATE INDEX passing_memory ON passing USING memory_search (memory_id, words);
BEGIN;
SELECT fill('passing', 1, 700);
SELECT count(*) FROM passing WHERE memory_id = 'm';
COMMIT;
BEGIN;
SELECT count(*) FROM passing WHERE memory_id = 'm';
SELECT fill('passing', 1, 600);
SELECT count(*) FROM passing WHERE memory_id = 'm';
ROLLBACK;
BEGIN;
SELECT fill('passing', 1, 3);
SELECT count(*) FROM passing WHERE memory_id = 'm';
SELECT * FROM proven('passing');
COMMIT;

-- The same with a store.
BEGIN;
SELECT memory_create_store('emptied_store') IS NOT NULL AS made;
INSERT INTO emptied_store.entries (memory_id, raw_entry) SELECT 'm', 'word ' || g FROM generate_series(1, 700) g;
TRUNCATE emptied_store.entries CASCADE;
INSERT INTO emptied_store.entries (memory_id, raw_entry) VALUES ('m', 'one word');
COMMIT;
SELECT memory_search('m', 'word', store => 'emptied_store')->'count' AS found;
SELECT memory_drop_store('emptied_store', true);
DROP SCHEMA emptied CASCADE;
