-- Measures how long a statement runs on after a cancellation. A second session (dblink) runs it; this session cancels
-- it, and measures. psql's variables: "log" is the server's log file, "by_the_clock" is not empty if milliseconds are
-- checked.
CREATE EXTENSION dblink;
SET client_min_messages = warning;
SELECT set_config('test.log', :'log', false), set_config('test.by_the_clock', :'by_the_clock', false);

-- Milliseconds: the longest time that a request waited until the statement looked for interrupts, and how long it
-- went on when it was stopped (NULL where it ended before). `own` of them belong to the server; the rest is compared
-- with `pass`. Other programs may prolong one attempt, but not all attempts.
CREATE TABLE measured (
  phase text, how text, attempt int, milliseconds numeric, own numeric, pass numeric, message text);

-- The milliseconds in which a process was ready to run, but another program had the processor. 0 if the system does not
-- give them, or the process has ended.
CREATE FUNCTION waited(pid int) RETURNS numeric LANGUAGE sql VOLATILE AS $$
  SELECT coalesce(split_part(pg_read_file('/proc/' || pid || '/schedstat', 0, 100, true), ' ', 2)::numeric / 1e6, 0) $$;

-- The process of the session "worker", with a transaction begun. It must answer, also after a statement of it was
-- cancelled.
CREATE FUNCTION worker() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  worker int;
  found int;
BEGIN
  IF 'worker' = ANY (dblink_get_connections()) IS NOT TRUE THEN
    PERFORM dblink_connect('worker', format(
      'host=%s port=%s user=%s dbname=%s options=''-c memory_search.store=s %s''',
      current_setting('unix_socket_directories'), current_setting('port'), current_user, current_database(),
      '-c memory_search.max_top_ke=10000 -c memory_search.highest_top_ke=10000'));
  END IF;
  PERFORM dblink_exec('worker', 'BEGIN');
  SELECT pid, count INTO worker, found
    FROM dblink('worker', $sql$SELECT pg_backend_pid(), memory_search('small', 'tea')->>'count'$sql$)
      AS t(pid int, count int);
  IF found <> 1 THEN RAISE EXCEPTION 'the session finds % entries instead of 1', found; END IF;
  RETURN worker;
END $$;

-- Waits for the end of the worker's statement; returns its result or error, and the time.
CREATE FUNCTION ended(how text, OUT message text, OUT at timestamptz) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM dblink_get_result('worker', false) AS t(result text);
  message := dblink_error_message('worker');
  IF how = 'pg_terminate_backend' THEN
    at := clock_timestamp();
    PERFORM dblink_disconnect('worker');
  ELSE
    -- The last result means that no other follows, and that the session is ready.
    PERFORM FROM dblink_get_result('worker') AS t(result text);
    at := clock_timestamp();
    -- The transaction's timeout holds for the ROLLBACK as well, where the statement ended before it was stopped. A
    -- ROLLBACK that was stopped has ended the timeout.
    IF dblink_exec('worker', 'ROLLBACK', false) = 'ERROR' THEN
      PERFORM dblink_exec('worker', 'ROLLBACK');
    END IF;
  END IF;
END $$;

-- The time that plain SQL takes, in the worker's session and now, to read memory "m" once: its words and its
-- distances. It reads a tenth of the entries: all of them would be half of this test's time.
CREATE FUNCTION plain_pass() RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
  worker int;
  began timestamptz;
  waited_before numeric;
  took numeric;
BEGIN
  IF current_setting('test.by_the_clock') <> '' THEN RETURN 50; END IF;
  worker := worker();
  PERFORM dblink_exec('worker', 'SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off');
  waited_before := waited(worker);
  began := clock_timestamp();
  PERFORM FROM dblink('worker', $sql$SELECT count(*) FILTER (WHERE to_tsvector('english', raw_entry) @@ 'qb | qc | qd'),
      max(embedding <=> (SELECT embedding FROM given))
    FROM (SELECT raw_entry, embedding FROM s.entries WHERE memory_id = 'm' LIMIT 10000) entries$sql$)
    AS t(words int, distance float8);
  took := extract(epoch FROM clock_timestamp() - began) * 1000 - (waited(worker) - waited_before);
  PERFORM dblink_exec('worker', 'ROLLBACK');
  RETURN 10 * took;
END $$;

-- Runs a statement to its end, and requests every few milliseconds that it logs its memory contexts, which it does
-- where it could be cancelled. The times in the log show how long each request waited. Each request costs the statement
-- a few milliseconds.
-- A few cancellations would meet a short stretch without interrupts only by chance. If this session sends a request
-- late, because it had to wait for the processor, the request itself waits no longer.
CREATE FUNCTION longest_stretch(statement text, OUT whole numeric, OUT milliseconds numeric, OUT message text)
LANGUAGE plpgsql AS $$
DECLARE
  worker int := worker();
  logged bigint := (pg_stat_file(current_setting('test.log'))).size;
  began timestamptz := clock_timestamp();
  end_of_it record;
BEGIN
  CREATE TEMP TABLE IF NOT EXISTS asked (at timestamptz, waited numeric);
  CREATE TEMP TABLE IF NOT EXISTS looked (at timestamptz);
  TRUNCATE asked, looked;
  PERFORM dblink_send_query('worker', statement);
  WHILE dblink_is_busy('worker') = 1 LOOP
    INSERT INTO asked VALUES (clock_timestamp(), waited(worker));
    PERFORM pg_log_backend_memory_contexts(worker);
    PERFORM pg_sleep(0.02);
  END LOOP;
  end_of_it := ended('not at all');
  message := end_of_it.message;
  whole := extract(epoch FROM end_of_it.at - began) * 1000;
  EXECUTE format('COPY looked FROM PROGRAM %L', format(
    $sed$tail -c +%s '%s' | sed -nE 's/^([0-9-]+ [0-9:.]+ UTC) \[%s\] .* logging memory contexts of PID.*/\1/p'$sed$,
    logged + 1, current_setting('test.log'), worker));
  -- The log's times have no microseconds.
  SELECT coalesce(round(max(extract(epoch FROM heeded - at) * 1000 - waiting)), 0) INTO milliseconds
    FROM asked a,
      LATERAL (SELECT least(min(at), end_of_it.at) AS heeded FROM looked
               WHERE at >= date_trunc('milliseconds', a.at)) l,
      LATERAL (SELECT max(waited) - a.waited AS waiting FROM asked WHERE at BETWEEN a.at AND heeded) b;
END $$;

-- Cancels a statement after so many milliseconds; returns the time until it ended.
CREATE FUNCTION stop(statement text, how text, after numeric, OUT milliseconds numeric, OUT message text)
LANGUAGE plpgsql AS $$
DECLARE
  worker int := worker();
  began timestamptz;
  end_of_it record;
BEGIN
  IF how = 'statement_timeout' THEN
    PERFORM dblink_exec('worker', format('SET LOCAL statement_timeout = %s', after));
  END IF;
  began := clock_timestamp();
  PERFORM dblink_send_query('worker', statement);
  IF how <> 'statement_timeout' THEN
    PERFORM pg_sleep(after / 1000);
    began := clock_timestamp();
    after := 0;
    EXECUTE format('SELECT %I($1)', how) USING worker;
  END IF;
  end_of_it := ended(how);
  message := end_of_it.message;
  milliseconds := round(extract(epoch FROM end_of_it.at - began) * 1000 - after);
END $$;

-- A statement that runs on for longer than two passes is measured again, and so is one that ended before it was
-- cancelled.
CREATE PROCEDURE measure(phase text, statement text, servers_own text) LANGUAGE plpgsql AS $$
DECLARE
  one record;
  whole numeric := 'infinity';
  own numeric := 0;
  pass numeric;
  how text;
  part numeric;
BEGIN
  FOR attempt IN 1..5 LOOP
    pass := plain_pass();
    IF servers_own IS NOT NULL THEN own := (longest_stretch(servers_own)).milliseconds; END IF;
    one := longest_stretch(statement);
    IF one.message <> 'OK' THEN RAISE EXCEPTION '%: %', phase, one.message; END IF;
    whole := least(whole, one.whole);
    INSERT INTO measured VALUES (phase, 'stretch', attempt, one.milliseconds, own, pass, one.message);
    EXIT WHEN one.milliseconds - own <= 2 * pass;
  END LOOP;
  FOR moment IN 1..3 LOOP
    how := (ARRAY['statement_timeout', 'pg_cancel_backend', 'pg_terminate_backend'])[moment];
    part := moment / 5.0;
    FOR attempt IN 1..5 LOOP
      one := stop(statement, how, ceil(whole * part));
      IF one.message = 'OK' THEN
        one.milliseconds := NULL;
        part := part / 2;
      END IF;
      INSERT INTO measured VALUES (phase, how, attempt, one.milliseconds, own, pass, one.message);
      EXIT WHEN one.milliseconds - own <= 2 * pass;
    END LOOP;
  END LOOP;
  COMMIT;
END $$;
