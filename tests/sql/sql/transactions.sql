-- Snapshots, read-only transactions, savepoints, cursors, errors in between.
SELECT memory_create_store('tx', 4);
SELECT memory_add('m', 'a red kite', context => 'kites', embedding => '[1,0,0,0]', entry_id => test.id(1),
    creation_time => '2025-01-01Z', store => 'tx');

-- Reading functions write nothing: they run in a read-only transaction and assign no transaction id.
BEGIN READ ONLY;
SELECT test.found(memory_search('m', 'kite', embedding => '[1,0,0,0]', store => 'tx')),
  (SELECT count(*) FROM memory_search_entries('m', '', store => 'tx')) AS rows,
  vector_dims(memory_embed('kite')) AS dimensions;
SELECT pg_current_xact_id_if_assigned() IS NULL AS no_transaction_id;
COMMIT;
BEGIN;
SELECT memory_search('m', 'kite', store => 'tx')->'count' AS count,
  memory_search('{"memoryId": "m", "query": "kite", "store": "tx"}')->'count' AS by_request;
SELECT pg_current_xact_id_if_assigned() IS NULL AS no_transaction_id;
COMMIT;
-- Writing functions refuse to run in a read-only transaction.
BEGIN READ ONLY;
SELECT memory_add('m', 'x', store => 'tx');
ROLLBACK;
BEGIN READ ONLY;
SELECT memory_delete('m', whole_memory => true, store => 'tx');
ROLLBACK;

-- A transaction sees its own writes; after a rollback no transaction sees them.
BEGIN;
SELECT memory_add('m', 'a blue kite', entry_id => test.id(2), creation_time => '2025-01-02Z', store => 'tx');
SELECT test.found(memory_search('m', 'kite', store => 'tx'));
SAVEPOINT s;
SELECT memory_add('m', 'a green kite', entry_id => test.id(3), creation_time => '2025-01-03Z', store => 'tx');
SELECT test.found(memory_search('m', 'kite', store => 'tx'));
ROLLBACK TO s;
SELECT test.found(memory_search('m', 'kite', store => 'tx'));
ROLLBACK;
SELECT test.found(memory_search('m', 'kite', store => 'tx'));
-- Ages are those of the transaction's start: two searches in one transaction agree to the last digit.
BEGIN;
SELECT memory_search('m', 'kite', store => 'tx')::text AS first \gset
SELECT pg_sleep(0.01);
SELECT memory_search('m', 'kite', store => 'tx')::text = :'first' AS same_bytes;
COMMIT;

-- STABLE: a search sees the snapshot of its statement, not what the same statement has written before it.
SELECT memory_add('snapshot', 'x', entry_id => test.id(n), store => 'tx'),
  memory_search('snapshot', '', store => 'tx')->'count' AS seen
FROM generate_series(1, 3) n;
SELECT memory_search('snapshot', '', store => 'tx')->'count' AS seen;

-- An error leaves the session and its plans as they were.
BEGIN;
SAVEPOINT s;
SELECT memory_search('m', 'kite', 99, store => 'tx');
ROLLBACK TO s;
SELECT memory_add('m', 'x', embedding => '[1]', store => 'tx');
ROLLBACK TO s;
SELECT test.found(memory_search('m', 'kite', store => 'tx'));
COMMIT;
SELECT sum(CASE WHEN test.error(format('SELECT memory_search(''m'', ''kite'', %s, store => ''tx'')', n % 13))
        = 'no error'
      THEN 1
    ELSE 0 END) AS good
FROM generate_series(1, 130) n;

-- All rows are computed before the first is returned: a cursor may stay open, continue later, and be closed early.
BEGIN;
SELECT count(memory_add('many', 'kite ' || n, entry_id => test.id(n),
    creation_time => timestamptz '2025-01-01Z' + n * interval '1 min', store => 'tx'))
FROM generate_series(1, 10) n;
DECLARE c CURSOR FOR SELECT rank, test.n(entry_id) FROM memory_search_entries('many', '', 10, store => 'tx');
FETCH 2 FROM c;
DELETE FROM tx.entries WHERE memory_id = 'many';
SELECT memory_search('many', '', store => 'tx')->'count' AS deleted;
FETCH 2 FROM c;
CLOSE c;
SELECT count(*) FROM (SELECT * FROM memory_search_entries('m', '', store => 'tx') LIMIT 1) t;
ROLLBACK;
-- In a function, a trigger, a view and a materialized view.
CREATE VIEW tx.found AS SELECT test.n(entry_id) AS n, strategy FROM memory_search_entries('m', 'kite', store => 'tx');
SELECT * FROM tx.found;
CREATE MATERIALIZED VIEW tx.kept AS SELECT * FROM tx.found;
SELECT * FROM tx.kept;
CREATE FUNCTION tx.remember() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM memory_add('log', NEW.note, store => 'tx');
  RETURN NEW;
END $$;
CREATE TABLE tx.notes (note text);
CREATE TRIGGER remember BEFORE INSERT ON tx.notes FOR EACH ROW EXECUTE FUNCTION tx.remember();
INSERT INTO tx.notes VALUES ('one kite'), ('two kites');
SELECT memory_search('log', 'kite', store => 'tx')->'count' AS remembered;
-- A table that changes under a session's plans: columns added, the language changed, the store made anew.
ALTER TABLE tx.entries ADD COLUMN extra text DEFAULT 'x';
SELECT test.found(memory_search('m', 'kite', store => 'tx'));
DROP SCHEMA tx CASCADE;
SELECT memory_create_store('tx', 2, 'simple');
SELECT memory_add('m', 'the kites', embedding => '[1,0]', entry_id => test.id(9), store => 'tx');
SELECT test.found(memory_search('m', 'kites', embedding => '[1,0]', store => 'tx')),
  test.found(memory_search('m', 'kite', options => '{"strategy": "keyword", "fallback": false}',
      store => 'tx')) AS simple;
DROP SCHEMA tx CASCADE;
