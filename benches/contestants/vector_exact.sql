-- vector only, exact
-- The distance to every entry of the memory: OFFSET 0 keeps the planner from the vector index. As JSON.
--
-- kind: semantic
-- tables: by_hand

-- @search
SELECT jsonb_agg(jsonb_build_object('entryId', entry_id, 'rawEntry', raw_entry, 'creationTime', creation_time,
                                    'score', 1 - distance) ORDER BY distance)
  FROM (SELECT entry_id, raw_entry, creation_time, distance
          FROM (SELECT entry_id, raw_entry, creation_time, embedding <=> $3 AS distance FROM by_hand.entries
                 WHERE memory_id = $1 AND deletion_scheduled_time IS NULL AND (expires_at IS NULL OR expires_at > now())
                OFFSET 0) every
         ORDER BY distance LIMIT $4) nearest;

-- @semantic
SELECT entry_id
  FROM (SELECT entry_id, embedding <=> $3 AS distance FROM by_hand.entries
         WHERE memory_id = $1 AND deletion_scheduled_time IS NULL AND (expires_at IS NULL OR expires_at > now())
        OFFSET 0) every
 ORDER BY distance LIMIT $4;
