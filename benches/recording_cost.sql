-- The costs of history and notifications: CPU time of the session for each row, in a store without, with a history, and
-- with notifications. psql -X -q -f benches/recording_cost.sql, as a superuser, in a database with the extension;
-- Linux.
SET client_min_messages = warning;
SET memory_search.model = '';
SET synchronous_commit = off;
SELECT memory_create_store('cost_without', dimensions => 256), memory_create_store('cost_history', dimensions => 256),
  memory_create_store('cost_notify', dimensions => 256);
SELECT memory_keep_history('cost_history'), memory_notify('cost_notify');
CREATE TEMP TABLE vector_of_all AS SELECT array_agg(random()::real - 0.5) AS elements FROM generate_series(1, 256);
CREATE FUNCTION pg_temp.cpu_microseconds() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT split_part(pg_read_file('/proc/' || pg_backend_pid() || '/schedstat'), ' ', 1)::bigint / 1000 $$;
-- One row a transaction.
CREATE PROCEDURE pg_temp.add(store text, rows int) LANGUAGE plpgsql AS $$
DECLARE
  vector real[] := (SELECT elements FROM vector_of_all);
  before bigint := pg_temp.cpu_microseconds();
BEGIN
  FOR n IN 1..rows LOOP
    PERFORM memory_add('m', 'She said that the train to Lisbon leaves at nine, and that she would like a window seat, '
      'as always; the hotel is near the station ' || n, embedding => vector, store => store);
    COMMIT;
  END LOOP;
  RAISE WARNING '%: memory_add % us', store, round((pg_temp.cpu_microseconds() - before)::numeric / rows);
END $$;
-- Many rows a statement.
CREATE PROCEDURE pg_temp.insert_and_update(store text, rows int) LANGUAGE plpgsql AS $$
DECLARE
  before bigint := pg_temp.cpu_microseconds();
BEGIN
  EXECUTE format('INSERT INTO %I.entries (memory_id, raw_entry, embedding) '
    'SELECT ''bulk'', ''She said that the train to Lisbon leaves at nine, and that she would like a window seat '' '
    '|| n, (SELECT elements FROM vector_of_all)::halfvec(256) FROM generate_series(1, $1) n', store) USING rows;
  RAISE WARNING '%: INSERT % us', store, round((pg_temp.cpu_microseconds() - before)::numeric / rows);
  before := pg_temp.cpu_microseconds();
  EXECUTE format('UPDATE %I.entries SET importance = 60 WHERE memory_id = ''bulk''', store);
  RAISE WARNING '%: UPDATE % us', store, round((pg_temp.cpu_microseconds() - before)::numeric / rows);
END $$;
CALL pg_temp.add('cost_without', 500);
CALL pg_temp.add('cost_history', 500);
CALL pg_temp.add('cost_notify', 500);
CALL pg_temp.add('cost_without', 5000);
CALL pg_temp.add('cost_history', 5000);
CALL pg_temp.add('cost_notify', 5000);
CALL pg_temp.insert_and_update('cost_without', 20000);
CALL pg_temp.insert_and_update('cost_history', 20000);
CALL pg_temp.insert_and_update('cost_notify', 20000);
SELECT memory_drop_store('cost_without', force => true), memory_drop_store('cost_history', force => true),
  memory_drop_store('cost_notify', force => true);
