-- The size of the memory index for memories of five entries each, beside the size of their entries: a store `fives`
-- gets texts of 200 to 400 bytes of the store `bench` (`make bench` fills it), with their embeddings, the entries of a
-- memory far apart in time.
--   psql -d DATABASE -f benches/measures/many_small_memories.sql
\set ON_ERROR_STOP on
\set memories 200000
SELECT memory_create_store('fives');
INSERT INTO fives.entries (memory_id, user_id, raw_entry, tags, importance, creation_time, embedding)
SELECT 'memory of ' || md5((n % :memories)::text), 'user ' || n % :memories, raw_entry, tags, importance,
       timestamptz '2026-01-01' + n * interval '1 second', embedding
  FROM (SELECT raw_entry, tags, importance, embedding,
               row_number() OVER (ORDER BY md5(entry_id::text || again)) - 1 AS n
          FROM bench.entries, generate_series(1, 20) again
         WHERE octet_length(raw_entry) BETWEEN 200 AND 400) texts
 WHERE n < 5 * :memories ORDER BY n;
VACUUM ANALYZE fives.entries;
CREATE TEMP TABLE found (state text, index_bytes bigint);
INSERT INTO found SELECT 'as rows were added', pg_relation_size('fives.entries_memory');
REINDEX INDEX fives.entries_memory;
INSERT INTO found SELECT 'after REINDEX', pg_relation_size('fives.entries_memory');
WITH content AS (
  SELECT count(DISTINCT memory_id) AS memories, count(*) AS entries,
         sum(octet_length(memory_id) + octet_length(user_id) + octet_length(raw_entry)
           + octet_length(tags::text)) AS texts,
         sum(pg_column_size(embedding)) AS embeddings
    FROM fives.entries)
SELECT state, memories, entries, index_bytes, texts, embeddings,
       round(index_bytes / (texts + embeddings)::numeric, 2) AS index_over_content
  FROM found, content;
