-- vector only, HNSW
-- The nearest entries by pgvector's index, scanned until enough rows of the memory are found; as JSON.
--
-- kind: semantic
-- tables: by_hand

-- @session
SET hnsw.iterative_scan = relaxed_order;
-- Planned for the requested memory: a generic plan takes every memory for an average one.
SET plan_cache_mode = force_custom_plan;

-- @search
SELECT jsonb_agg(jsonb_build_object('entryId', entry_id, 'rawEntry', raw_entry, 'creationTime', creation_time,
                                    'score', 1 - distance) ORDER BY distance)
  FROM (SELECT entry_id, raw_entry, creation_time, embedding <=> $3 AS distance FROM by_hand.entries
         WHERE memory_id = $1 AND deletion_scheduled_time IS NULL AND (expires_at IS NULL OR expires_at > now())
         ORDER BY embedding <=> $3 LIMIT $4) nearest;

-- @semantic
SELECT entry_id
  FROM (SELECT entry_id, embedding <=> $3 AS distance FROM by_hand.entries
         WHERE memory_id = $1 AND deletion_scheduled_time IS NULL AND (expires_at IS NULL OR expires_at > now())
         ORDER BY embedding <=> $3 LIMIT $4) nearest
 ORDER BY distance;
