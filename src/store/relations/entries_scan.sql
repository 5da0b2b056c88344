CREATE INDEX entries_scan ON {schema}.entries (memory_id, creation_time, entry_order)
  INCLUDE (entry_id, importance, deletion_scheduled_time, expires_at, superseded_time, user_id, embedding_signs, search_vector)
  WHERE {fits_index} IS TRUE;
CREATE INDEX entries_scan_long ON {schema}.entries (memory_id, creation_time) INCLUDE (user_id)
  WHERE {fits_index} IS NOT TRUE;

COMMENT ON INDEX {schema}.entries_scan IS 'memory_search: all that a search reads of every entry of a memory, side by side';
COMMENT ON INDEX {schema}.entries_scan_long IS 'memory_search: the entries that are too long for entries_scan';
