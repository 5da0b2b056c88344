-- The memory of a session that searches many stores in turn, and the time of a search in it, beside plain SQL on the
-- same stores. In a scratch database, as a superuser, with max_locks_per_transaction = 256:
--   psql -d DATABASE -v stores=1000 -f benches/measures/many_stores.sql
\set ON_ERROR_STOP on
\pset footer off
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS memory_search CASCADE;
SELECT format('SELECT count(memory_create_store(%L || n)) AS stores FROM generate_series(%s, %s) n', 'many_', first,
  least(first + 9, :stores)) FROM generate_series(1, :stores, 10) first
\o /dev/null
\gexec
SELECT format('INSERT INTO %I.entries (memory_id, raw_entry)
  SELECT %L, %L || n || %L FROM generate_series(1, 20) n', 'many_' || store, 'm', 'Note ', ' of a hotel, a train')
FROM generate_series(1, :stores) store
\gexec
\o
CREATE PROCEDURE searches(stores int, rounds int) LANGUAGE plpgsql AS $$
BEGIN
  FOR round IN 1..rounds LOOP
    FOR n IN 1..stores LOOP
      PERFORM memory_search('m', 'a hotel by the train', store => 'many_' || n);
      -- Each store takes its locks to the end of the transaction.
      COMMIT;
    END LOOP;
  END LOOP;
END $$;
CREATE PROCEDURE plain(stores int, rounds int) LANGUAGE plpgsql AS $$
BEGIN
  FOR round IN 1..rounds LOOP
    FOR n IN 1..stores LOOP
      EXECUTE format($q$SELECT
        (SELECT array_agg(raw_entry) FROM (SELECT raw_entry FROM %1$I.entries WHERE memory_id = $1
          ORDER BY creation_time DESC LIMIT 10) e),
        (SELECT count(*) FROM %1$I.contexts WHERE memory_id = $1),
        (SELECT count(*) FROM %1$I.entry_access WHERE memory_id = $1)$q$, 'many_' || n) USING 'm';
      COMMIT;
    END LOOP;
  END LOOP;
END $$;
CREATE PROCEDURE measure(what text, stores int) LANGUAGE plpgsql AS $$
DECLARE
  started timestamptz; rounds int := greatest(3, 1000 / stores); ms numeric;
BEGIN
  -- The first round reads catalogs.
  IF what = 'searches' THEN CALL searches(stores, 1); ELSE CALL plain(stores, 1); END IF;
  started := clock_timestamp();
  IF what = 'searches' THEN CALL searches(stores, rounds); ELSE CALL plain(stores, rounds); END IF;
  ms := extract(epoch FROM clock_timestamp() - started) * 1000 / rounds / stores;
  RAISE NOTICE '% of % stores: % ms each, % of anonymous memory', what, stores, round(ms, 2),
    (regexp_match(pg_read_file('/proc/self/status'), 'RssAnon:\s+(\d+ kB)'))[1];
END $$;
\c -
CALL measure('searches', least(10, :stores));
\c -
CALL measure('searches', least(70, :stores));
\c -
CALL measure('searches', least(200, :stores));
\c -
CALL measure('searches', :stores);
\c -
CALL measure('plain', least(10, :stores));
\c -
CALL measure('plain', least(70, :stores));
\c -
CALL measure('plain', least(200, :stores));
\c -
CALL measure('plain', :stores);
