-- \df+ is documentation.
COMMENT ON TYPE memory_embedding IS 'An embedding argument: pass a vector, a halfvec, a real[], a double precision[] or a literal [0.1,0.2,0.3]';
COMMENT ON FUNCTION memory_embedding_in IS 'Input function of memory_embedding';
COMMENT ON FUNCTION memory_embedding_out IS 'Output function of memory_embedding';
COMMENT ON CAST (vector AS memory_embedding) IS 'Same layout: costs nothing';
COMMENT ON CAST (memory_embedding AS vector) IS 'Same layout: costs nothing';
COMMENT ON CAST (halfvec AS memory_embedding) IS 'So that functions take a halfvec';
COMMENT ON CAST (pg_catalog._float4 AS memory_embedding) IS 'So that functions take a real[]';
COMMENT ON CAST (pg_catalog._float8 AS memory_embedding) IS 'So that functions take a double precision[]';
COMMENT ON FUNCTION memory_create_store IS 'Makes a store: a schema with entries, contexts and entry_access, owned by you. dimensions: of your embeddings, by default the embedder''s; language: a text search configuration';
COMMENT ON FUNCTION memory_drop_store IS 'Removes a store; one that holds memories only with force => true';
COMMENT ON FUNCTION memory_add IS 'Adds one entry and gives its id. Without embedding the store''s embedder makes one; a context that differs from the newest is kept as a snapshot too. Plain INSERT into the store''s entries works as well';
COMMENT ON FUNCTION memory_put_context IS 'Adds one context snapshot of a memory and gives its id; the newest is its latest context';
COMMENT ON FUNCTION memory_delete IS 'Hides entries at once, or a whole memory with whole_memory => true; gives how many rows. They stay until purged';
COMMENT ON FUNCTION memory_embed IS 'The embedding of a text by the local model, or by memory_search.embedding_function';
COMMENT ON FUNCTION memory_search(text, text, integer, integer, memory_embedding, jsonb, jsonb, text) IS 'Searches one memory by meaning and words, weighing recency and importance: one JSON document with entries (best first), count, latestContext, latestContextTimestamp and contexts';
COMMENT ON FUNCTION memory_search(jsonb) IS 'The same by a JSON request: {"memoryId", "query", "top_ke", "top_kc", "embedding", "filters", "options", "store"}';
COMMENT ON FUNCTION memory_search_entries IS 'The ranked entries as rows, each score component a column: for JOIN, LATERAL and views';
