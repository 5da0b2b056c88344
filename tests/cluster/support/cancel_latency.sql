-- How long a statement goes on after it was told to stop. A second session (dblink) runs it; this one tells
-- it to stop, and measures. psql's variables: "log" is the server's log file, "by_the_clock" not empty where
-- milliseconds are judged.
CREATE EXTENSION dblink;
SET client_min_messages = warning;
SELECT set_config('test.log', :'log', false), set_config('test.by_the_clock', :'by_the_clock', false);

-- Milliseconds: the longest time that a request waited until the statement looked for interrupts, and how long it
-- went on when it was stopped (NULL where it ended before). `own` of them are the server's; the rest is compared with
-- `pass`. Other programs may prolong one attempt, not all of them.
CREATE TABLE measured (
  phase text, how text, attempt int, milliseconds numeric, own numeric, pass numeric, message text);

-- Milliseconds that a process was ready to run and another program had the processor: not its own. 0 where
-- the system does not say, or the process is gone.
CREATE FUNCTION waited(pid int) RETURNS numeric LANGUAGE sql VOLATILE AS $$
  SELECT coalesce(split_part(pg_read_file('/proc/' || pid || '/schedstat', 0, 100, true), ' ', 2)::numeric / 1e6, 0) $$;

-- The process of the session "worker", with a transaction begun. It must answer, also after what it was
-- stopped in before.
CREATE FUNCTION worker() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  worker int;
  found int;
BEGIN
  IF 'worker' = ANY (dblink_get_connections()) IS NOT TRUE THEN
    PERFORM dblink_connect('worker', format('host=%s port=%s user=%s dbname=%s options=''-c memory_search.store=s -c memory_search.max_top_ke=10000''',
      current_setting('unix_socket_directories'), current_setting('port'), current_user, current_database()));
  END IF;
  PERFORM dblink_exec('worker', 'BEGIN');
  SELECT pid, count INTO worker, found
    FROM dblink('worker', $sql$SELECT pg_backend_pid(), memory_search('small', 'tea')->>'count'$sql$) AS t(pid int, count int);
  IF found <> 1 THEN RAISE EXCEPTION 'the session finds % entries instead of 1', found; END IF;
  RETURN worker;
END $$;

-- Waits for the end of the worker's statement; gives what it ended with, and when.
CREATE FUNCTION ended(how text, OUT message text, OUT at timestamptz) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM dblink_get_result('worker', false) AS t(result text);
  message := dblink_error_message('worker');
  IF how = 'pg_terminate_backend' THEN
    at := clock_timestamp();
    PERFORM dblink_disconnect('worker');
  ELSE
    -- The last result says that there are no more, and that the session is ready.
    PERFORM FROM dblink_get_result('worker') AS t(result text);
    at := clock_timestamp();
    PERFORM dblink_exec('worker', 'ROLLBACK');
  END IF;
END $$;

-- What plain SQL takes, in the worker's session and now, to read memory "m" once: its words and its distances.
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
  PERFORM FROM dblink('worker', $sql$SELECT count(*) FILTER (WHERE search_vector @@ 'qb | qc | qd'),
      max(embedding <=> (SELECT embedding FROM given)) FROM s.entries WHERE memory_id = 'm'$sql$)
    AS t(words int, distance float8);
  took := extract(epoch FROM clock_timestamp() - began) * 1000 - (waited(worker) - waited_before);
  PERFORM dblink_exec('worker', 'ROLLBACK');
  RETURN took;
END $$;

-- Runs a statement to its end and asks it every few milliseconds for something that it does where it
-- would be cancelled: to log its memory contexts. The times in the log show how long each request waited.
-- Cancelling it now and then would meet a short stretch by chance only. A request that comes late, because this
-- session had to wait for the processor, waits no longer for that.
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
    PERFORM pg_sleep(0.005);
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

-- Stops a statement after so many milliseconds; gives how long it went on from there.
CREATE FUNCTION stop(statement text, how text, after numeric, OUT milliseconds numeric, OUT message text) LANGUAGE plpgsql AS $$
DECLARE
  worker int := worker();
  began timestamptz;
  end_of_it record;
BEGIN
  IF how = 'statement_timeout' THEN PERFORM dblink_exec('worker', format('SET LOCAL statement_timeout = %s', after)); END IF;
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

-- What takes longer than two passes is measured again, and so is a statement that ended before it was stopped.
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

-- What the statements need besides memory "m" and pg_temp.direction of large_memory.sql.
SELECT setseed(0.25);
CREATE TABLE given AS SELECT
  pg_temp.direction(64) AS embedding,
  pg_temp.direction(1536) AS wide_embedding,
  -- The 256 commonest words, again and again until the query is as long as one may be.
  left((SELECT string_agg('q' || translate((n % 256)::text, '0123456789', 'bcdfghjklm'), ' ') FROM generate_series(0, 25599) n), 65536) AS many_words,
  left((SELECT string_agg(format('"qb q%s"', translate(n::text, '0123456789', 'bcdfghjklm')), ' ') FROM generate_series(0, 6553) n), 65528) || '"' AS phrases,
  repeat('Wohnzimmerteppichmuster', 2849) AS one_word,
  (SELECT left(string_agg(raw_entry, ' '), 5000000) FROM s.entries, generate_series(1, 2)) AS prose,
  -- What PostgreSQL does not try to compress.
  (SELECT left(string_agg(encode(sha256(n::text::bytea), 'base64'), ' '), 5000000) FROM generate_series(1, 115000) n) AS noise;
INSERT INTO s.entries (memory_id, raw_entry) VALUES ('small', 'green tea');
INSERT INTO s.entries (memory_id, raw_entry) SELECT 'long', 'tea number ' || n || ' ' || substr(prose, n * 100000, 1000000) FROM given, generate_series(1, 10) n;
INSERT INTO s.contexts (memory_id, context) SELECT 'long', prose FROM given;
CREATE TABLE plain (content text);
-- 10,000 entries that mean one of nine things: each is compared with nine others to know that it is a duplicate.
SELECT memory_create_store('wide', dimensions => 1536);
INSERT INTO wide.entries (memory_id, raw_entry, embedding)
  SELECT 'm', 'entry ' || n, directions[1 + n % 9] + l2_normalize(directions[10 + n / 100])
  FROM generate_series(0, 9999) n, (SELECT array_agg(pg_temp.direction(1536)) AS directions FROM generate_series(1, 109)) d;

-- PostgreSQL makes lexemes of a text, compresses it, and reads a JSON document in one piece each: that time is not
-- the extension's. Where a statement of ours makes it do so, one that does only this is measured beside it.
CREATE TABLE phases (n serial, phase text, statement text, servers_own text);
INSERT INTO phases (phase, statement) VALUES
('meaning', $$SELECT memory_search('m', '', embedding => embedding, options => '{"candidates": 10000}') IS NULL FROM given$$),
('words', $$SELECT memory_search('m', 'qb qc qd qf qg', options => '{"strategy": "keyword", "candidates": 10000}') IS NULL$$),
('meaning and words', $$SELECT memory_search('m', 'qb qc qd qf qg', embedding => embedding, options => '{"candidates": 10000}') IS NULL FROM given$$),
('a query of 64 KiB and 256 words', $$SELECT memory_search('m', many_words, embedding => embedding) IS NULL FROM given$$),
('a query of 64 KiB in phrases', $$SELECT memory_search('m', phrases, embedding => embedding) IS NULL FROM given$$),
-- Several of these, so that there is something to stop on any machine.
('a query of 64 KiB in one word',
  $$SELECT count(memory_search('m', one_word || n)) FROM given, generate_series(1, 5) n$$),
('embedding 64 KiB', $$SELECT count(memory_embed(left(many_words, -n))) FROM given, generate_series(1, 5) n$$),
('the most recent, filtered', $$SELECT memory_search('m', '', filters => '{"accessCount": {"$gte": 101}, "tags": "t3", "metadata": {"n": 77}}') IS NULL$$),
('contexts', $$SELECT memory_search('m', 'qb qc qd qf qg', top_ke => 0, embedding => embedding, options => '{"candidates": 10000}') IS NULL FROM given$$),
('popularity', $$SELECT memory_search('m', '', embedding => embedding, options => '{"candidates": 10000, "boosts": {"popularity": 0.2}}') IS NULL FROM given$$),
('an explanation', $$SELECT count(details) FROM given, memory_explain('m', 'qb qc qd qf qg', embedding => embedding, options => '{"candidates": 10000}')$$),
('duplicates', $$SELECT memory_search('m', 'qb qc qd qf qg', top_ke => 10, embedding => embedding, options => '{"candidates": 10000, "dedupThreshold": 0.1}') IS NULL FROM given$$),
('duplicates in 1,536 dimensions', $$SELECT memory_search('m', '', top_ke => 10, embedding => wide_embedding, options => '{"candidates": 10000, "dedupThreshold": 0.5}', store => 'wide') IS NULL FROM given$$),
('ten entries of 1 MB', $$SELECT memory_search('long', 'tea', top_ke => 10) IS NULL$$),
('a prompt', $$SELECT memory_build_context('m', 'qb qc qd qf qg', top_ke => 10, embedding => embedding, options => '{"candidates": 10000}') IS NULL FROM given$$),
('a prompt of entries of 1 MB and a context of 5 MB', $$SELECT memory_build_context('long', 'tea') IS NULL$$),
('the checks of memory_doctor', $$SELECT count(*) FROM memory_doctor()$$),
-- Where an administrator allows 10,000 entries instead of 10.
('a prompt of 10,000 entries', $$SELECT memory_build_context('m', 'qb qc qd qf qg', top_ke => 10000,
  embedding => embedding, options => '{"candidates": 10000}') IS NULL FROM given$$);
INSERT INTO phases (phase, statement, servers_own) VALUES
('adding 5 MB', $$SELECT memory_add('added', noise) FROM given$$,
  $$INSERT INTO s.entries (memory_id, raw_entry) SELECT 'added', noise FROM given RETURNING 1$$),
('adding a context of 5 MB', $$SELECT memory_put_context('added', noise) FROM given$$,
  $$INSERT INTO s.contexts (memory_id, context) SELECT 'added', noise FROM given RETURNING 1$$),
('adding 5 MB of prose', $$SELECT memory_add('added', prose) FROM given$$,
  $$INSERT INTO plain SELECT prose || '' FROM given RETURNING 1$$),
('10,000 entries', $$SELECT memory_search('m', 'qb qc qd qf qg', top_ke => 10000,
  embedding => embedding, options => '{"candidates": 10000}') IS NULL FROM given$$,
  $$SELECT document::jsonb IS NULL FROM answer$$),
('10,000 entries without duplicates', $$SELECT memory_search('m', 'qb qc qd qf qg', top_ke => 10000,
  embedding => embedding, options => '{"candidates": 10000, "dedupThreshold": 0.99}') IS NULL FROM given$$,
  $$SELECT document::jsonb IS NULL FROM answer$$);
SET memory_search.max_top_ke = 10000;
CREATE TABLE answer AS SELECT memory_search('m', 'qb qc qd qf qg', top_ke => 10000, store => 's', embedding => embedding, options => '{"candidates": 10000}')::text AS document FROM given;
SELECT format('CALL measure(%L, %L, %L)', phase, statement, servers_own) FROM phases ORDER BY n \gexec
