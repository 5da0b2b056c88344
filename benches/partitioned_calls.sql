-- The costs of calls in a store with 64 partitions, beside one without: CPU time of the session for each call, and the
-- relations of the store that a call locks. psql -X -q -f benches/partitioned_calls.sql, as a superuser, in a database
-- with the extension; Linux. -v partitions=16 for other partitions; -v mode=force_custom_plan or force_generic_plan
-- asks for other plans than the server chooses.
\if :{?partitions}
\else
\set partitions 64
\endif
\if :{?mode}
\else
\set mode auto
\endif
SET client_min_messages = warning;
SET memory_search.model = '';
SET plan_cache_mode = :mode;
\o /dev/null
SELECT memory_create_store('calls_plain', dimensions => 64);
SELECT memory_create_store('calls_parted', dimensions => 64, partitions => :partitions);
\o
CREATE FUNCTION pg_temp.cpu_microseconds() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT split_part(pg_read_file('/proc/' || pg_backend_pid() || '/schedstat'), ' ', 1)::bigint / 1000 $$;
CREATE FUNCTION pg_temp.vector(n int) RETURNS real[] LANGUAGE sql AS $$
  SELECT array_agg(sin((n + 1) * g)::real) FROM generate_series(1, 64) g $$;
CREATE FUNCTION pg_temp.id(n int) RETURNS uuid LANGUAGE sql AS $$ SELECT lpad(n::text, 32, '0')::uuid $$;
-- 40 memories of 500 entries.
INSERT INTO calls_plain.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
  SELECT 'm' || n % 40, pg_temp.id(n / 40), 'note ' || n || ' of the train to town ' || n % 97, pg_temp.vector(n),
    timestamptz '2025-01-01Z' + n * interval '1 min' FROM generate_series(0, 19999) n;
INSERT INTO calls_parted.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
  SELECT memory_id, entry_id, raw_entry, embedding, creation_time FROM calls_plain.entries;
VACUUM ANALYZE calls_plain.entries, calls_parted.entries;
-- This follows VACUUM, which marks rows as visible to all only once their commit is on disk.
SET synchronous_commit = off;
CREATE TEMP TABLE call (place int, name text, sql text);
INSERT INTO call VALUES
  (1, 'memory_search', 'SELECT memory_search($2, ''the train to town '' || $1 % 97, embedding => $3, store => $4)'),
  (2, 'memory_add', 'SELECT memory_add($2, ''another note '' || $1, embedding => $3, store => $4)'),
  (3, 'memory_put_context', 'SELECT memory_put_context($2, ''context '' || $1, embedding => $3, store => $4)'),
  (4, 'memory_touch', 'SELECT memory_touch($2, ARRAY[pg_temp.id($1 % 400), pg_temp.id($1 % 400 + 1)], store => $4)'),
  (5, 'memory_feedback', 'SELECT memory_feedback($2, ARRAY[pg_temp.id($1 % 400)], 1, store => $4)'),
  (6, 'memory_update', 'SELECT memory_update($2, pg_temp.id($1 % 400), importance => $1 % 9 + 1, store => $4)'),
  (7, 'memory_supersede', 'SELECT memory_supersede($2, pg_temp.id($1 % 400), pg_temp.id(450 + $1 % 40), store => $4)'),
  (8, 'memory_delete', 'SELECT memory_delete($2, ARRAY[pg_temp.id($1 % 400)], store => $4)'),
  (9, 'memory_restore', 'SELECT memory_restore($2, ARRAY[pg_temp.id($1 % 400)], store => $4)'),
  (10, 'memory_get', 'SELECT count(*) FROM memory_get($2, ARRAY[pg_temp.id($1 % 400)], store => $4)'),
  (11, 'memory_list', 'SELECT count(*) FROM memory_list($2, page_size => 20, store => $4)'),
  (12, 'memory_count', 'SELECT memory_count($2, store => $4)');
CREATE TEMP TABLE measured (place int, name text, store text, microseconds numeric, locks int);
CREATE PROCEDURE pg_temp.measure(number int, store text, calls int) LANGUAGE plpgsql AS $$
DECLARE
  called call := (SELECT c FROM call c WHERE place = number);
  locked int;
  before bigint;
BEGIN
  -- The first 50 calls fill the caches of the session.
  FOR n IN 0..calls + 49 LOOP
    IF n = 50 THEN before := pg_temp.cpu_microseconds(); END IF;
    EXECUTE called.sql USING n, 'm' || n % 40, (SELECT elements FROM vectors WHERE i = n % 40), store;
    COMMIT;
  END LOOP;
  before := pg_temp.cpu_microseconds() - before;
  EXECUTE called.sql USING 0, 'm0', (SELECT elements FROM vectors WHERE i = 0), store;
  SELECT count(DISTINCT l.relation) INTO locked FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
   WHERE l.pid = pg_backend_pid() AND c.relnamespace = store::regnamespace;
  COMMIT;
  INSERT INTO measured VALUES (number, called.name, store, before::numeric / calls, locked);
END $$;
CREATE TEMP TABLE vectors AS SELECT i, pg_temp.vector(i) AS elements FROM generate_series(0, 39) i;
SELECT format('CALL pg_temp.measure(%s, %L, 400)', place, store)
  FROM call, unnest(ARRAY['calls_plain', 'calls_parted']) store ORDER BY place, store DESC \gexec
SELECT p.name AS "call", round(p.microseconds) AS plain_us, round(d.microseconds) AS parted_us,
  round(d.microseconds / p.microseconds, 2) AS ratio, p.locks AS plain_locks, d.locks AS parted_locks
  FROM measured p JOIN measured d USING (place)
 WHERE p.store = 'calls_plain' AND d.store = 'calls_parted' ORDER BY place;
\o /dev/null
SELECT memory_drop_store('calls_plain', force => true), memory_drop_store('calls_parted', force => true);
