-- The time of searches in a store with 64 partitions, beside one without, by the size of memories: median microseconds
-- of a search and its transaction, in turns over the same memories, after two rounds that fill the session's caches.
--   psql -X -q -f benches/partitioned_searches.sql, in a database with the extension; -v partitions=16 for 16.
\if :{?partitions}
\else
\set partitions 64
\endif
SET client_min_messages = warning;
SET memory_search.model = '';
\o /dev/null
SELECT memory_create_store('searched_plain', dimensions => 64);
SELECT memory_create_store('searched_parted', dimensions => 64, partitions => :partitions);
\o
CREATE FUNCTION pg_temp.vector(n int) RETURNS real[] LANGUAGE sql AS $$
  SELECT array_agg(sin((n + 1) * g)::real) FROM generate_series(1, 64) g $$;
CREATE TEMP TABLE size (entries int, memories int);
INSERT INTO size VALUES (30, 10), (30, 640), (100, 200), (500, 40), (2000, 10);
INSERT INTO searched_plain.entries (memory_id, raw_entry, embedding, creation_time)
  SELECT format('m%s-%s-%s', entries, memories, n % memories), 'note ' || n || ' of the train to town ' || n % 97,
    pg_temp.vector(n), timestamptz '2025-01-01Z' + n * interval '1 min'
    FROM size CROSS JOIN LATERAL generate_series(0, entries * memories - 1) n;
INSERT INTO searched_parted.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
  SELECT memory_id, entry_id, raw_entry, embedding, creation_time FROM searched_plain.entries;
VACUUM ANALYZE searched_plain.entries, searched_parted.entries;
-- This follows VACUUM, which marks rows as visible to all only once their commit is on disk.
SET synchronous_commit = off;
CREATE TEMP TABLE vectors AS SELECT i, pg_temp.vector(i) AS elements FROM generate_series(0, 639) i;
CREATE TEMP TABLE measured (entries int, memories int, plain real[], parted real[]);
CREATE PROCEDURE pg_temp.measure(entries int, memories int) LANGUAGE plpgsql AS $$
DECLARE
  searches CONSTANT int := greatest(640, memories);
  times real[][] := ARRAY[array_fill(NULL::real, ARRAY[searches]), array_fill(NULL::real, ARRAY[searches])];
  stores CONSTANT text[] := ARRAY['searched_plain', 'searched_parted'];
  query text;
  vector real[];
  number int;
  began timestamptz;
BEGIN
  FOR turn IN 1..3 LOOP
    FOR n IN 1..searches LOOP
      -- The memories come in another order than they were written: neighbours share pages only in the plain store.
      query := 'the train to town ' || n % 97;
      vector := (SELECT elements FROM vectors WHERE i = n % 640);
      -- The second search finds the query's words in the processor's caches, so the stores take turns.
      FOR place IN 1..2 LOOP
        number := 1 + (n + n / memories + place) % 2;
        began := clock_timestamp();
        PERFORM memory_search(format('m%s-%s-%s', entries, memories, n * 269 % memories), query, embedding => vector,
          store => stores[number]);
        COMMIT;
        times[number][n] := extract(epoch FROM clock_timestamp() - began) * 1e6;
      END LOOP;
    END LOOP;
  END LOOP;
  INSERT INTO measured
    SELECT entries, memories, array_agg(times[1][i]), array_agg(times[2][i]) FROM generate_series(1, searches) i;
  COMMIT;
END $$;
SELECT format('CALL pg_temp.measure(%s, %s)', entries, memories) FROM size ORDER BY entries, memories \gexec
SELECT entries, memories, round(plain) AS plain_us, round(parted) AS parted_us,
  round((parted / plain)::numeric, 2) AS ratio
  FROM (SELECT entries, memories,
    (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY t) FROM unnest(plain) t) AS plain,
    (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY t) FROM unnest(parted) t) AS parted FROM measured) medians
 ORDER BY entries, memories;
\o /dev/null
SELECT memory_drop_store('searched_plain', force => true), memory_drop_store('searched_parted', force => true);
