-- pg_textsearch, keyword
-- BM25 from the index of pg_textsearch (statistics of the whole table), filtered by memory; as JSON.
--
-- kind: keyword
-- tables: by_hand
-- needs: pg_textsearch
-- preload: pg_textsearch

-- @setup
CREATE TABLE by_hand.bm25_entries AS
SELECT memory_id, entry_id, creation_time, deletion_scheduled_time, expires_at, raw_entry, embedding
  FROM by_hand.entries ORDER BY creation_time;
ALTER TABLE by_hand.bm25_entries ADD PRIMARY KEY (memory_id, entry_id);
CREATE INDEX bm25_entries_bm25 ON by_hand.bm25_entries USING bm25 (raw_entry) WITH (text_config = 'english');
VACUUM ANALYZE by_hand.bm25_entries;

-- @session
-- Planned for the requested memory: a generic plan takes every memory for an average one.
SET plan_cache_mode = force_custom_plan;

-- @search
SELECT jsonb_agg(jsonb_build_object('entryId', entry_id, 'rawEntry', raw_entry, 'creationTime', creation_time,
                                    'score', -score) ORDER BY score)
  FROM (SELECT entry_id, raw_entry, creation_time, raw_entry <@> to_bm25query($2, 'by_hand.bm25_entries_bm25') AS score
          FROM by_hand.bm25_entries
         WHERE memory_id = $1 AND deletion_scheduled_time IS NULL AND (expires_at IS NULL OR expires_at > now())
         ORDER BY raw_entry <@> to_bm25query($2, 'by_hand.bm25_entries_bm25') LIMIT $4) matching
 WHERE score < 0;

-- @keyword
SELECT entry_id
  FROM (SELECT entry_id, raw_entry <@> to_bm25query($2, 'by_hand.bm25_entries_bm25') AS score
          FROM by_hand.bm25_entries
         WHERE memory_id = $1 AND deletion_scheduled_time IS NULL AND (expires_at IS NULL OR expires_at > now())
         ORDER BY raw_entry <@> to_bm25query($2, 'by_hand.bm25_entries_bm25') LIMIT $4) matching
 WHERE score < 0 ORDER BY score;
