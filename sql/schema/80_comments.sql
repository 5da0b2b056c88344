-- \df+ is documentation.
COMMENT ON TYPE @extschema@.memory_embedding IS
  'An embedding argument: pass a vector, a halfvec, a real[], a double precision[] or a literal [0.1,0.2,0.3]';
COMMENT ON FUNCTION memory_embedding_in IS 'Input function of memory_embedding';
COMMENT ON FUNCTION memory_embedding_out IS 'Output function of memory_embedding';
COMMENT ON CAST (@extschema:vector@.vector AS @extschema@.memory_embedding) IS 'Same layout: costs nothing';
COMMENT ON CAST (@extschema@.memory_embedding AS @extschema:vector@.vector) IS 'Same layout: costs nothing';
COMMENT ON CAST (@extschema:vector@.halfvec AS @extschema@.memory_embedding) IS 'So that functions take a halfvec';
COMMENT ON CAST (pg_catalog._float4 AS @extschema@.memory_embedding) IS 'So that functions take a real[]';
COMMENT ON CAST (pg_catalog._float8 AS @extschema@.memory_embedding) IS 'So that functions take a double precision[]';
COMMENT ON FUNCTION memory_create_store IS
  'Makes a store: a schema with entries, contexts and entry_access, owned by you. dimensions: of your embeddings, '
  'by default the embedder''s; language: a text search configuration';
COMMENT ON FUNCTION memory_adopt_table IS
  'Makes a store over an existing table or view, without copying it. columns: a JSON object from the store''s '
  'columns to the table''s, or to SQL expressions; memory_id, entry_id and raw_entry are needed';
COMMENT ON FUNCTION memory_drop_store IS
  'Removes a store; one that holds memories only with force => true. An adopted table stays as it is';
COMMENT ON FUNCTION memory_add IS
  'Adds one entry and gives its id. Without embedding the store''s embedder makes one; a context that differs from '
  'the newest is kept as a snapshot too. Plain INSERT into the store''s entries works as well';
COMMENT ON FUNCTION memory_put_context IS
  'Adds one context snapshot of a memory and gives its id; the newest is its latest context';
COMMENT ON FUNCTION memory_delete IS
  'Hides entries at once, with the contexts that they brought, or a whole memory with whole_memory => true; gives '
  'how many rows. They stay until purged';
COMMENT ON FUNCTION memory_restore IS
  'Takes a deletion back, of entries or of a whole memory; gives how many rows are found again';
COMMENT ON FUNCTION memory_delete_contexts IS
  'Hides context snapshots of a memory at once; gives how many. They stay until purged. One that an entry brought '
  'goes with that entry by itself';
COMMENT ON FUNCTION memory_restore_contexts IS
  'Takes the deletion of context snapshots back; gives how many are shown again';
COMMENT ON FUNCTION memory_purge IS
  'Removes for good what was deleted or expired before a time, at most max_rows of it; gives how many rows. Call it '
  'again to go on';
COMMENT ON FUNCTION memory_update IS
  'Changes an entry: what is given replaces what was there, new text gets a new embedding; gives 1, or 0 when there '
  'is no such entry';
COMMENT ON FUNCTION memory_supersede IS
  'Says that an entry is corrected by another one: it is no longer found, and memory_explain leads to the '
  'correction; it stands again when that is gone. new_entry_id NULL takes it back';
COMMENT ON FUNCTION memory_forget_user IS
  'Erases all entries, contexts and access counts of a user from a store, in one transaction; gives how many rows';
COMMENT ON FUNCTION memory_reembed IS
  'Makes embeddings for rows that have none or another embedder''s; everything => true: also those that callers '
  'gave. At most max_rows; call it again to go on';
COMMENT ON FUNCTION memory_grant IS
  'Grants a role its portion of a store: reader (search) or writer (search, add, change, delete, count)';
COMMENT ON FUNCTION memory_enable_row_security IS
  'Puts policies on a store: a session sees the rows of the user that the setting names, and no others';
COMMENT ON FUNCTION memory_doctor IS
  'Health checks of a store, a row each: name, status (ok, warning, error), detail, and SQL that would fix it';
COMMENT ON FUNCTION memory_touch IS 'Counts one access of each entry; gives how many were there. Feeds popularity';
COMMENT ON FUNCTION memory_recall IS 'memory_search, then memory_touch of what it returned: for agents';
COMMENT ON FUNCTION memory_embed IS
  'The embedding of a text by the local model, or by memory_search.embedding_function';
COMMENT ON FUNCTION memory_search(text, text, integer, integer,
  @extschema@.memory_embedding, pg_catalog.jsonb, pg_catalog.jsonb, text) IS
  'Searches one memory by meaning and words, weighing recency and importance. top_ke: entries, default 5; top_kc: '
  'older contexts, default 2. Gives one JSON document with entries (best first), count, latestContext, '
  'latestContextTimestamp and contexts';
COMMENT ON FUNCTION memory_search(pg_catalog.jsonb) IS
  'The same by a JSON request: {"memoryId", "query", "top_ke", "top_kc", "embedding", "filters", "options", "store"}';
COMMENT ON FUNCTION memory_search_entries IS
  'The ranked entries as rows, each score component a column: for JOIN, LATERAL and views';
COMMENT ON FUNCTION memory_explain IS
  'Why each candidate of a search ranks where it does: semantic, keyword, recency, importance and popularity add up '
  'to the score; details has raw values, ranks and weights. With entry_id: why that entry is or is not there. '
  'Without any candidate: one row says why';
COMMENT ON FUNCTION memory_build_context IS
  'Prompt text for a language model: system prompt, relevant memories (best first, one line each), latest context, '
  'then the heading ## CURRENT CONVERSATION; never longer than token_budget (four characters a token)';
COMMENT ON FUNCTION memory_tool_spec IS
  'The description of memory_search for a language model: name is openai, mcp or json_schema';
