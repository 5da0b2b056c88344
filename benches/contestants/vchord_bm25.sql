-- VectorChord-bm25, keyword
-- BM25 from the index of vchord_bm25 over the word pieces of pg_tokenizer's BERT (statistics of the whole
-- table), filtered by memory; as JSON. The index gives its best 10,000 before the filter.
--
-- kind: keyword
-- tables: by_hand
-- needs: pg_tokenizer, vchord_bm25
-- preload: pg_tokenizer, vchord_bm25

-- @setup
SELECT tokenizer_catalog.create_tokenizer('bench_bert', 'model = "bert_base_uncased"');
CREATE TABLE by_hand.vchord_entries AS
SELECT memory_id, entry_id, creation_time, deletion_scheduled_time, expires_at, raw_entry,
       tokenizer_catalog.tokenize(raw_entry, 'bench_bert')::bm25_catalog.bm25vector AS words
  FROM by_hand.entries ORDER BY creation_time;
ALTER TABLE by_hand.vchord_entries ADD PRIMARY KEY (memory_id, entry_id);
CREATE INDEX vchord_entries_bm25 ON by_hand.vchord_entries USING bm25 (words bm25_catalog.bm25_ops);
VACUUM ANALYZE by_hand.vchord_entries;

-- @session
-- Planned for the requested memory: a generic plan takes every memory for an average one.
SET plan_cache_mode = force_custom_plan;
SET search_path = public, tokenizer_catalog, bm25_catalog;
SET bm25_catalog.bm25_limit = 10000;

-- @search
SELECT jsonb_agg(jsonb_build_object('entryId', entry_id, 'rawEntry', raw_entry, 'creationTime', creation_time,
                                    'score', -score) ORDER BY score)
  FROM (SELECT entry_id, raw_entry, creation_time,
               words <&> to_bm25query('by_hand.vchord_entries_bm25', tokenize($2, 'bench_bert')::bm25vector) AS score
          FROM by_hand.vchord_entries
         WHERE memory_id = $1 AND deletion_scheduled_time IS NULL AND (expires_at IS NULL OR expires_at > now())
         ORDER BY score LIMIT $4) matching
 WHERE score < 0;

-- @keyword
SELECT entry_id
  FROM (SELECT entry_id,
               words <&> to_bm25query('by_hand.vchord_entries_bm25', tokenize($2, 'bench_bert')::bm25vector) AS score
          FROM by_hand.vchord_entries
         WHERE memory_id = $1 AND deletion_scheduled_time IS NULL AND (expires_at IS NULL OR expires_at > now())
         ORDER BY score LIMIT $4) matching
 WHERE score < 0 ORDER BY score;
