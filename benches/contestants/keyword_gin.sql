-- keyword only, OR
-- GIN and ts_rank_cd, any word of the query; as JSON.
--
-- kind: keyword
-- tables: by_hand

-- @session
-- Planned for the requested memory and words.
SET plan_cache_mode = force_custom_plan;

-- The condition shows the planner the words. The ranking has them in a subquery, which every plan reads once.
-- @search
SELECT jsonb_agg(jsonb_build_object('entryId', entry_id, 'rawEntry', raw_entry, 'creationTime', creation_time,
                                    'score', rank) ORDER BY rank DESC)
  FROM (SELECT entry_id, raw_entry, creation_time,
               ts_rank_cd(search_vector,
                          (SELECT replace(plainto_tsquery('english', $2)::text, '&', '|')::tsquery)) AS rank
          FROM by_hand.entries
         WHERE memory_id = $1 AND deletion_scheduled_time IS NULL AND (expires_at IS NULL OR expires_at > now())
           AND search_vector @@ replace(plainto_tsquery('english', $2)::text, '&', '|')::tsquery
         ORDER BY rank DESC LIMIT $4) matching;

-- @keyword
SELECT entry_id FROM by_hand.entries
 WHERE memory_id = $1 AND deletion_scheduled_time IS NULL AND (expires_at IS NULL OR expires_at > now())
   AND search_vector @@ replace(plainto_tsquery('english', $2)::text, '&', '|')::tsquery
 ORDER BY ts_rank_cd(search_vector, (SELECT replace(plainto_tsquery('english', $2)::text, '&', '|')::tsquery)) DESC
 LIMIT $4;
