{index_of_keys}
CREATE INDEX entries_session ON {schema}.entries (memory_id, session_id, creation_time, entry_order)
  WHERE session_id IS NOT NULL;
COMMENT ON COLUMN {schema}.entries.session_id IS
  'The conversation, thread or run that it is from: filter sessionId, and neighbours of what is found';
COMMENT ON COLUMN {schema}.entries.entry_key IS
  'The id that the application has for it, unique in its memory: memory_add with the same one changes this entry';
COMMENT ON INDEX {schema}.entries_key IS 'memory_search: finds the entry of a key, which a memory has once';
COMMENT ON INDEX {schema}.entries_session IS 'memory_search: finds the entries of a session in their order';
