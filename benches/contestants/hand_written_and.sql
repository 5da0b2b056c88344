-- hand-written hybrid, AND
-- The same, but an entry must hold every word of the query, so most questions find nothing by words.
--
-- kind: hybrid
-- tables: by_hand

-- @session
SET hnsw.iterative_scan = relaxed_order;
-- Planned for the requested memory: a generic plan takes every memory for an average one.
SET plan_cache_mode = force_custom_plan;

-- The condition shows the planner the words. The ranking has them in a subquery, which every plan reads once.
-- @search
WITH by_meaning AS (
  SELECT entry_id, row_number() OVER (ORDER BY distance) AS place
    FROM (SELECT entry_id, embedding <=> $3 AS distance FROM by_hand.entries
           WHERE memory_id = $1 AND deletion_scheduled_time IS NULL AND (expires_at IS NULL OR expires_at > now())
           ORDER BY embedding <=> $3 LIMIT 50) nearest
), by_words AS (
  SELECT entry_id, row_number() OVER (ORDER BY rank DESC) AS place
    FROM (SELECT entry_id, ts_rank_cd(search_vector, (SELECT plainto_tsquery('english', $2))) AS rank
            FROM by_hand.entries
           WHERE memory_id = $1 AND deletion_scheduled_time IS NULL AND (expires_at IS NULL OR expires_at > now())
             AND search_vector @@ plainto_tsquery('english', $2)
           ORDER BY rank DESC LIMIT 50) matching
), fused AS (
  SELECT entry_id, coalesce(1.0 / (60 + m.place), 0) + coalesce(1.0 / (60 + w.place), 0) AS relevance
    FROM by_meaning m FULL JOIN by_words w USING (entry_id)
), best AS (
  SELECT e.*, relevance,
         relevance * (0.85 + 0.1 * exp(-greatest(0, extract(epoch FROM now() - creation_time)) / 86400 / 30)
           + 0.05 * importance / 100) AS score
    FROM fused JOIN by_hand.entries e ON e.memory_id = $1 AND e.entry_id = fused.entry_id
   ORDER BY score DESC, creation_time DESC, e.entry_id LIMIT $4
), latest AS (
  SELECT context, creation_time FROM by_hand.contexts
   WHERE memory_id = $1 AND deletion_scheduled_time IS NULL ORDER BY creation_time DESC LIMIT 1
)
SELECT jsonb_build_object(
  'entries', coalesce((SELECT jsonb_agg(jsonb_build_object('entryId', entry_id, 'memoryId', memory_id,
    'userId', user_id, 'agentId', agent_id, 'summary', summary, 'rawEntry', raw_entry, 'tags', tags,
    'metadata', metadata, 'sourceType', source_type, 'importance', importance,
    'accessCount', access_count, 'creationTime', creation_time, 'score', score, 'relevance', relevance)
    ORDER BY score DESC, creation_time DESC, entry_id) FROM best), '[]'),
  'count', (SELECT count(*) FROM best),
  'latestContext', coalesce((SELECT context FROM latest), ''),
  'latestContextTimestamp', (SELECT creation_time FROM latest));

-- @semantic
SELECT entry_id
  FROM (SELECT entry_id, embedding <=> $3 AS distance FROM by_hand.entries
         WHERE memory_id = $1 AND deletion_scheduled_time IS NULL AND (expires_at IS NULL OR expires_at > now())
         ORDER BY embedding <=> $3 LIMIT 50) nearest
 ORDER BY distance LIMIT $4;

-- @keyword
SELECT entry_id FROM by_hand.entries
 WHERE memory_id = $1 AND deletion_scheduled_time IS NULL AND (expires_at IS NULL OR expires_at > now())
   AND search_vector @@ plainto_tsquery('english', $2)
 ORDER BY ts_rank_cd(search_vector, (SELECT plainto_tsquery('english', $2))) DESC LIMIT $4;
