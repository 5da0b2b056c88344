-- The growth of a search's time with its memory, and the costs of a build: a store `millions` gets a memory of
-- `entries` entries (10,000,000 unless told otherwise) made of the largest memory of the store `bench` (`make bench`
-- fills it). Each text joins two of its texts, embeddings are its own with noise of length 0.3. 20 searches by meaning
-- and words ask for entries of the largest memory, by their first words and their embeddings.
--   psql -d DATABASE -v entries=1000000 -f benches/measures/millions.sql
\set ON_ERROR_STOP on
\if :{?entries} \else \set entries 10000000 \endif
SET client_min_messages = warning;
-- VACUUM marks rows as visible to all only once their commit is on disk.
SET synchronous_commit = on;
DROP SCHEMA IF EXISTS millions CASCADE;
SELECT memory_create_store('millions', 256);
CREATE TEMP TABLE sources AS
SELECT row_number() OVER (ORDER BY creation_time, entry_id) AS n, memory_id, raw_entry, embedding
FROM bench.entries
WHERE memory_id = (SELECT memory_id FROM bench.entries GROUP BY memory_id ORDER BY count(*) DESC LIMIT 1)
  AND embedding IS NOT NULL;
CREATE UNIQUE INDEX ON sources (n);
CREATE TEMP TABLE noise AS
SELECT n, (SELECT array_agg((random() + random() + random() - 1.5) * 0.0375) FROM generate_series(1, 256) WHERE n > 0)
  ::vector(256) AS vector
FROM generate_series(1, 1999) n;
CREATE UNIQUE INDEX ON noise (n);
ANALYZE sources, noise;
SELECT pg_get_indexdef('millions.entries_memory'::regclass) AS build \gset
DROP INDEX millions.entries_memory;
-- In the order of time, as rows come.
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET max_parallel_workers_per_gather = 0;
INSERT INTO millions.entries (memory_id, raw_entry, creation_time, embedding)
SELECT 'm', left(one.raw_entry, 120) || ' ' || left(other.raw_entry, 80),
  timestamptz '2020-01-01Z' + g * interval '10 s', l2_normalize(one.embedding::vector + noise.vector)
FROM (SELECT count(*) FROM sources) s (many) CROSS JOIN generate_series(0, :entries - 1) g
JOIN sources one ON one.n = 1 + g % many
JOIN sources other ON other.n = 1 + (g::bigint * 31 + g / many) % many
JOIN noise ON noise.n = 1 + (g::bigint * 7919 + g / many) % 1999;
RESET enable_hashjoin;
RESET enable_mergejoin;
VACUUM (ANALYZE, FREEZE) millions.entries;
SELECT clock_timestamp() AS began \gset
:build;
SELECT round(extract(epoch FROM clock_timestamp() - :'began')) AS build_s,
  round(pg_relation_size('millions.entries_memory') / :entries::numeric) AS bytes_an_entry,
  substring(pg_read_file('/proc/' || pg_backend_pid() || '/status') FROM 'VmHWM:\s+(\d+)')::int / 1024
    AS greatest_mb_with_shared_buffers;

CREATE TEMP TABLE questions AS
SELECT array_to_string((string_to_array(raw_entry, ' '))[1:4], ' ') AS query, embedding::vector::real[] AS embedding
FROM sources ORDER BY md5(n::text) LIMIT 20;
CREATE TEMP TABLE took (entries bigint, kind text, ms numeric);
DO $$
DECLARE
  q record;
  searched record;
  began timestamptz;
  best numeric;
BEGIN
  FOR searched IN
    SELECT 'bench' AS store, memory_id, count(*) AS entries FROM sources GROUP BY memory_id
    UNION ALL SELECT 'millions', 'm', count(*) FROM millions.entries
  LOOP
    FOR q IN
      SELECT kind, questions.query AS words, questions.embedding, options
      FROM questions, (VALUES ('meaning and words', '{}'), ('meaning', '{"strategy": "semantic"}'),
        ('words', '{"strategy": "keyword"}')) k (kind, options)
    LOOP
      best := 'infinity';
      FOR round IN 1..3 LOOP
        began := clock_timestamp();
        PERFORM memory_search(searched.memory_id, q.words, embedding => q.embedding, options => q.options::jsonb,
          store => searched.store);
        best := least(best, extract(epoch FROM clock_timestamp() - began) * 1000);
      END LOOP;
      INSERT INTO took VALUES (searched.entries, q.kind, best);
    END LOOP;
  END LOOP;
END $$;
SELECT kind, entries, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::numeric, 2) AS ms_p50,
  round(max(ms), 2) AS ms_max
FROM took GROUP BY kind, entries ORDER BY kind, entries;
