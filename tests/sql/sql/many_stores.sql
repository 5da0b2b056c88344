-- A session that works with many stores keeps the plans of the stores that it used last: their number is bounded, and a
-- new one replaces one store's plans, not all.
SET client_min_messages = warning;
CREATE FUNCTION mst(n int) RETURNS text LANGUAGE sql IMMUTABLE RETURN 'mst_' || lpad(n::text, 3, '0');
-- In portions: each store takes its locks to the end of the transaction.
SELECT format('SELECT count(memory_create_store(mst(n), 4)) AS made FROM generate_series(%s, %s) n', first, first + 49)
FROM generate_series(1, 200, 50) first \gexec
SELECT count(memory_add('m', 'a kite of store ' || n, embedding => '[1,0,0,0]', entry_id => test.id(n),
  store => mst(n))) AS added FROM generate_series(1, 200) n;
-- In a session of its own: PL/pgSQL keeps plans of the functions of every store that was written to.
\c -
SET client_min_messages = warning;
-- Several rounds: each store answers with its own entries, and never with another store's.
CREATE FUNCTION right_ones(first int, last int) RETURNS bigint LANGUAGE sql AS $$
  SELECT count(*) FILTER (WHERE test.found(memory_search('m', 'kite', embedding => '[1,0,0,0]', store => mst(n)))
    = ARRAY[n]::bigint[]) FROM generate_series(first, last) n $$;
CREATE FUNCTION plans() RETURNS bigint LANGUAGE sql AS
  $$ SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'CachedPlanSource' $$;
-- Ordinary searches run no statement on their store, and keep no plan for it.
SELECT right_ones(1, 200) AS once, right_ones(1, 200) AS twice, plans() < 20 AS keep_no_plans;
-- Searches in serializable transactions run statements. The session keeps a few plans for each of the 200 stores;
-- another round adds none.
SET default_transaction_isolation = 'serializable';
SELECT right_ones(1, 200) AS once, right_ones(1, 200) AS twice;
SELECT plans() BETWEEN 200 AND 600 AS bounded, plans() AS before \gset
SELECT :'bounded' AS bounded, right_ones(1, 200), abs(plans() - :before) <= 60 AS as_many,
  (SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name LIKE 'CachedPlan%') < 20 * 1024 * 1024
    AS of_a_size;
-- A search in another store replaces few plans: the plans of the others are never all made again.
SELECT count(*) AS searches, min(plans()) > :before - 30 AS others_stay
FROM generate_series(1, 100) n, LATERAL (SELECT memory_search('m', 'kite', store => mst(n)) OFFSET 0) s;
RESET default_transaction_isolation;
-- The session notices a changed definition, whether it keeps the definition or not.
DROP INDEX mst_200.entries_memory, mst_002.entries_memory;
SELECT n, memory_search('m', 'kite', options => '{"diagnostics": true}', store => mst(n))
  #>> '{diagnostics,reads,0,path}' AS path
FROM unnest('{200,2,3}'::int[]) n ORDER BY n;
ALTER TABLE mst_199.entries RENAME TO gone;
SELECT left(test.error($$SELECT memory_search('m', 'kite', store => 'mst_199')$$), 5) AS no_store;
ALTER TABLE mst_199.gone RENAME TO entries;
SELECT test.found(memory_search('m', 'kite', store => 'mst_199')) AS found;
-- A store that was dropped and made again under its name is another store.
SELECT memory_drop_store('mst_198', true);
SELECT memory_create_store('mst_198', 3);
SELECT memory_add('m', 'another kite', embedding => '[1,0,0]', entry_id => test.id(7), store => 'mst_198');
SELECT test.found(memory_search('m', 'kite', embedding => '[1,0,0]', store => 'mst_198')) AS found;
SELECT format('SELECT count(memory_drop_store(mst(n), true)) AS gone FROM generate_series(%s, %s) n', first, first + 49)
FROM generate_series(1, 200, 50) first \gexec
DROP FUNCTION mst, plans, right_ones;
