-- \df+ is documentation.
COMMENT ON TYPE @extschema@.memory_embedding IS
  'An embedding argument: pass a vector, a halfvec, an array of numbers, a JSON array or a literal [0.1,0.2,0.3]';
COMMENT ON FUNCTION @extschema@.memory_embedding_in(pg_catalog.cstring) IS 'Input function of memory_embedding';
COMMENT ON FUNCTION @extschema@.memory_embedding_out(@extschema@.memory_embedding) IS
  'Output function of memory_embedding';
COMMENT ON FUNCTION @extschema@.memory_embedding_recv(pg_catalog.internal) IS
  'Receive function of memory_embedding: the binary form of a real[] or a double precision[]';
COMMENT ON FUNCTION @extschema@.memory_embedding_send(@extschema@.memory_embedding) IS
  'Send function of memory_embedding: the binary form of a real[]';
COMMENT ON FUNCTION @extschema@.memory_embedding_of_array(pg_catalog.anyarray) IS
  'Casts an array of numbers to memory_embedding; an error names the place of NaN, infinity or null';
COMMENT ON FUNCTION @extschema@.memory_embedding_subscript(pg_catalog.internal) IS
  'Subscripting function of memory_embedding, which has no subscripts';
COMMENT ON CAST (@extschema:vector@.vector AS @extschema@.memory_embedding) IS 'Same layout: no conversion';
COMMENT ON CAST (@extschema@.memory_embedding AS @extschema:vector@.vector) IS 'Same layout: no conversion';
COMMENT ON CAST (@extschema:vector@.halfvec AS @extschema@.memory_embedding) IS
  'Lets an argument of type memory_embedding take a halfvec';
COMMENT ON CAST (pg_catalog._float4 AS @extschema@.memory_embedding) IS
  'Lets an argument of type memory_embedding take a real[]';
COMMENT ON CAST (pg_catalog._float8 AS @extschema@.memory_embedding) IS
  'Lets an argument of type memory_embedding take a double precision[]';
COMMENT ON CAST (pg_catalog._numeric AS @extschema@.memory_embedding) IS
  'Lets an argument of type memory_embedding take a numeric[]';
COMMENT ON CAST (pg_catalog._int4 AS @extschema@.memory_embedding) IS
  'Lets an argument of type memory_embedding take an integer[]';
COMMENT ON CAST (pg_catalog._int2 AS @extschema@.memory_embedding) IS
  'Lets an argument of type memory_embedding take a smallint[]';
COMMENT ON CAST (pg_catalog._int8 AS @extschema@.memory_embedding) IS
  'Lets an argument of type memory_embedding take a bigint[]';
COMMENT ON CAST (pg_catalog._text AS @extschema@.memory_embedding) IS
  'Lets an argument of type memory_embedding take a text[]';
COMMENT ON CAST (pg_catalog._varchar AS @extschema@.memory_embedding) IS
  'Lets an argument of type memory_embedding take a varchar[]';
COMMENT ON CAST (pg_catalog.text AS @extschema@.memory_embedding) IS
  'Lets an argument of type memory_embedding take text: [0.1,0.2,0.3]';
COMMENT ON CAST (pg_catalog.varchar AS @extschema@.memory_embedding) IS
  'Lets an argument of type memory_embedding take varchar: [0.1,0.2,0.3]';
COMMENT ON CAST (pg_catalog.json AS @extschema@.memory_embedding) IS
  'Lets an argument of type memory_embedding take a JSON array';
COMMENT ON CAST (pg_catalog.jsonb AS @extschema@.memory_embedding) IS
  'Lets an argument of type memory_embedding take a JSON array';
COMMENT ON FUNCTION @extschema@.memory_create_store(text, int, text, int) IS
  'Creates a store: a schema with the tables entries, contexts, entry_access, links and aliases, owned by the caller. '
  'store defaults to memory_search.store, dimensions to those of the embedder. language is a text search '
  'configuration. partitions is the number of partitions of each table, by the hash of memory_id';
COMMENT ON FUNCTION @extschema@.memory_adopt_table(text, regclass, jsonb, text, boolean) IS
  'Creates a store as a view over an existing table or view; nothing is copied. columns maps columns of entries to '
  'column names or SQL expressions; memory_id, entry_id and raw_entry are required. A table gets a memory index, '
  'unless with_index is false';
COMMENT ON FUNCTION @extschema@.memory_import_table(text, regclass, jsonb, text, int) IS
  'Copies the rows of a table or view into a store with tables of its own, and creates that store if it does not '
  'exist. columns is as for memory_adopt_table. entry_id becomes the entry''s key, so that another copy adds new rows '
  'and changes the others. Returns how many rows were added, changed, unchanged and skipped';
COMMENT ON FUNCTION @extschema@.memory_distribute_store(text, int, boolean) IS
  'Distributes a store that memory_create_store made over the nodes of a Citus cluster, with all its rows: by '
  'memory_id, over shard_count shards, so that a memory is on one node. With delegate, Citus sends calls that begin '
  'with a memory''s id to its node; this needs the owner of the functions. Only for the owner of the store''s tables';
COMMENT ON FUNCTION @extschema@.memory_drop_store(text, bool) IS
  'Drops a store''s relations, and the schema that was made for it, if that contains nothing else. A store that holds '
  'memories needs force => true. An adopted table is kept';
COMMENT ON FUNCTION @extschema@.memory_add(text, text, text, text, text[], jsonb, int,
  @extschema@.memory_embedding, text, text, text, timestamptz, uuid, text, timestamptz, text, text,
  double precision, timestamptz, timestamptz, interval, text[]) IS
  'Adds an entry and returns its id. If an entry has this entry_key already, that entry is changed instead. With '
  'if_similar, nothing is added if an entry has at least this cosine similarity, and the id of that entry is '
  'returned. Without embedding, the embedder computes one. A context that differs from the newest of this memory and '
  'user is added to contexts too. valid_from and valid_until say when the entry holds; with ttl, it expires this long '
  'after its last use. entities names the people, places and things that it is about. Plain INSERT into entries works '
  'as well';
COMMENT ON FUNCTION @extschema@.memory_add_many(text, jsonb, text) IS
  'Adds many entries at once, all or none: a list of objects whose keys are the arguments of memory_add in camel case '
  '(rawEntry, userId, entryKey, ...), and passageEmbeddings. Returns their ids in the same order, each with its '
  'status: added or changed';
COMMENT ON FUNCTION @extschema@.memory_put_context(text, text, @extschema@.memory_embedding, text, timestamptz, text) IS
  'Adds a context to a memory and returns its id. The newest context is the memory''s latest context';
COMMENT ON FUNCTION @extschema@.memory_delete(text, uuid[], bool, text) IS
  'Marks entries as deleted, with the contexts that came with them, or a whole memory with whole_memory => true: '
  'searches no longer find them. Returns the number of rows. memory_purge removes them';
COMMENT ON FUNCTION @extschema@.memory_delete_where(text, jsonb, bool, text) IS
  'Returns the visible entries that pass the filters and, with dry_run => false, marks them as deleted, as '
  'memory_delete does. Filters that no entry can fail are refused';
COMMENT ON FUNCTION @extschema@.memory_restore(text, uuid[], bool, text) IS
  'Undoes memory_delete, for entries or a whole memory. Returns the number of rows restored; expired rows stay hidden';
COMMENT ON FUNCTION @extschema@.memory_delete_contexts(text, uuid[], text) IS
  'Marks contexts as deleted and returns their number. A context that came with an entry is deleted with that entry, '
  'without this function';
COMMENT ON FUNCTION @extschema@.memory_restore_contexts(text, uuid[], text) IS
  'Undoes memory_delete_contexts and returns the number of contexts restored';
COMMENT ON FUNCTION @extschema@.memory_purge(timestamptz, bigint, text) IS
  'Permanently removes rows that were deleted or expired before a time (default: now), at most max_rows rows in one '
  'call. Returns the number of rows; call it again for the rest';
COMMENT ON FUNCTION @extschema@.memory_update(text, uuid, text, text, text[], jsonb, int,
  @extschema@.memory_embedding, text, timestamptz, text, text, text, text, text, timestamptz,
  timestamptz, timestamptz, interval, text[], text[]) IS
  'Changes an entry. Null arguments leave values as they are; clear lists the columns to empty. New text gets a new '
  'embedding. valid_from -infinity and valid_until infinity remove that bound. Returns 1, or 0 if there is no such '
  'entry';
COMMENT ON FUNCTION @extschema@.memory_supersede(text, uuid, uuid, text, timestamptz) IS
  'Marks an entry as corrected by another one: searches do not find it until the correction is deleted, expires or is '
  'purged. new_entry_id NULL undoes this. With at, neither entry is hidden: the old one holds until then, the new one '
  'from then on, and searches find the entry that holds at the time that they ask about. Returns 1, or 0 if there is '
  'no such entry';
COMMENT ON FUNCTION @extschema@.memory_forget_user(text, text) IS
  'Permanently removes all entries, contexts, access counts and links of a user from a store, in one transaction. '
  'Returns the number of rows. Entries that were added during the call and that another session has locked are left, '
  'and a warning says how many: call it again';
COMMENT ON FUNCTION @extschema@.memory_reembed(text, bool, bigint, text) IS
  'Computes embeddings for rows that have none, or one by another embedder; everything => true also replaces those '
  'that callers gave, and adds those of the passages of long texts that lack them. Embeds at most max_rows in one '
  'call. If the embedder refuses a text, the row gets no embedding, and embedding_error says why. Returns the number '
  'of rows; call it again for the rest';
COMMENT ON FUNCTION @extschema@.memory_embed_pending(text, bigint, text) IS
  'Computes embeddings for rows that have none: rows written while memory_search.embed_on_write was off, or by plain '
  'SQL. Embeds at most max_rows in one call. Skips rows that another session is embedding, and texts that the '
  'embedder has refused. Returns the number of rows';
COMMENT ON FUNCTION @extschema@.memory_grant(text, text, text) IS
  'Grants a role the privileges of a reader (search) or of a writer (also add, change, delete, count uses) on a '
  'store';
COMMENT ON FUNCTION @extschema@.memory_enable_row_security(text, text) IS
  'Enables row-level security on a store. A session sees and writes only rows whose user_id is the value of the '
  'setting, and none if it is unset. It also sees links between such rows, and aliases of memories in which it sees '
  'an entry';
COMMENT ON FUNCTION @extschema@.memory_keep_history(text, bool) IS
  'Records all changes of the entries of a store from now on, those by plain SQL included; enabled => false ends it. '
  'Only for the owner of the store';
COMMENT ON FUNCTION @extschema@.memory_history(text, uuid, int, bigint, text) IS
  'Returns the changes of an entry, newest first: operation, time, roles, and the row as it was before. At most '
  'page_size rows; for the next page, older_than is the history_id of the last row';
COMMENT ON FUNCTION @extschema@.memory_notify(text, text, bool) IS
  'Sends all changes of the entries of a store to a channel of LISTEN from now on, as small JSON without texts; '
  'enabled => false ends it. Only for the owner of the store';
COMMENT ON FUNCTION @extschema@.memory_doctor(text) IS
  'Checks a store and changes nothing. Returns one row for each check: name, status (ok, warning, error), detail, and '
  'SQL that would fix it';
COMMENT ON FUNCTION @extschema@.memory_index_check(regclass) IS
  'Compares a memory index with its table and returns the contents of the index in numbers; raises an error that says '
  'what is wrong. Blocks writes to the table meanwhile. Only for the owner of the index';
COMMENT ON FUNCTION @extschema@.memory_touch(text, anycompatiblearray, text) IS
  'Adds one to the access count of each entry that is neither deleted nor expired, and returns their number. '
  'Popularity is computed from the counts. The ttl of an entry begins again';
COMMENT ON FUNCTION @extschema@.memory_feedback(text, anycompatiblearray, int, text) IS
  'Counts a user''s feedback on entries: 1 if they helped, and -1 if they did not. Returns how many of them are '
  'neither deleted nor expired. Ranking uses the counts if options.boosts.feedback is set';
COMMENT ON FUNCTION @extschema@.memory_learn(jsonb, text, boolean) IS
  'Finds the weights of ranking that suit judgements: searches, each with the entries that helped. Reports the gain on '
  'searches that were not used to choose the weights. With apply, a certain gain becomes the scoring of the store';
COMMENT ON FUNCTION @extschema@.memory_link(text, text, text, text, double precision, timestamptz, timestamptz,
    jsonb, text) IS
  'Links an entry to another one of its memory. If there is a link of this kind, it gets the given weight (0 to 1), '
  'interval and metadata. Both entries must be neither deleted nor expired. Returns true if the link is new';
COMMENT ON FUNCTION @extschema@.memory_unlink(text, text, text, text, text) IS
  'Removes the links from an entry to another one: those of one kind or, without kind, of every kind. Returns their '
  'number';
COMMENT ON FUNCTION @extschema@.memory_links(text, text, text[], text, int, timestamptz, text) IS
  'Returns the links from an entry (direction from), to it (to), or both, that hold now or at valid_at, those of the '
  'greatest weight first. Both ends are neither deleted nor expired; instead of a corrected entry, the entry that '
  'corrects it is shown';
COMMENT ON FUNCTION @extschema@.memory_related(text, text, int, text[], int, text) IS
  'Returns the entries that an entry''s links lead to, in both directions, over at most depth links: those over fewer '
  'links first, then by weight, the product of the weights of the links. is_cut is true in every row if others may be '
  'missing: there are more than max_entries, or an entry has more links than are followed';
COMMENT ON FUNCTION @extschema@.memory_alias(text, text, text, text) IS
  'Makes a name an alias of another one in a memory. Names are compared without case, accents and runs of blanks. If '
  'entity is an alias itself, the new alias stands for the same name as that alias. Returns true if the alias is new';
COMMENT ON FUNCTION @extschema@.memory_unalias(text, text, text) IS
  'Removes an alias from a memory. Returns true if there was one';
COMMENT ON FUNCTION @extschema@.memory_aliases(text, text) IS
  'Returns the aliases of a memory, in the order of the names that they stand for';
COMMENT ON FUNCTION @extschema@.memory_recall(text, text, int, int, @extschema@.memory_embedding, jsonb, jsonb, text) IS
  'Searches like memory_search, and counts a use of each entry that it returns, except of entries that were deleted '
  'or have expired since options.asOf';
COMMENT ON FUNCTION @extschema@.memory_export(text, bool, text) IS
  'Returns a memory as JSON, one row a line: entries, contexts, links and aliases, hidden ones too, with everything '
  'that is stored of them; with_embeddings => false leaves embeddings out';
COMMENT ON FUNCTION @extschema@.memory_import(text, jsonb, text) IS
  'Adds lines of memory_export to a memory unchanged: one line or a list of lines, all or none. Returns the number of '
  'rows. Lines without embeddings are embedded';
COMMENT ON FUNCTION @extschema@.memory_embed(text) IS
  'Returns the embedding of a text, computed by memory_search.embedding_function or, if that is empty, by the local '
  'model';
COMMENT ON FUNCTION @extschema@.memory_passages(text) IS
  'Returns the passages of a text of more than 200 words, which have an embedding each, in their order, as rows; no '
  'row for a shorter text';
COMMENT ON FUNCTION @extschema@.memory_search(text, text, int, int, @extschema@.memory_embedding, jsonb, jsonb, text) IS
  'Searches one memory by meaning and words, and weighs recency and importance. top_ke: entries (default 5), top_kc: '
  'older contexts (default 2). Returns one JSON document: entries (best first), count, latestContext, '
  'latestContextTimestamp, contexts';
COMMENT ON FUNCTION @extschema@.memory_search(jsonb) IS
  'memory_search with its arguments as one JSON object: memoryId, query, top_ke, top_kc, embedding, filters, options, '
  'store. detail is full or, for a language model, short. memoryId is an id, a list of ids, or {"prefix": "..."}';
COMMENT ON FUNCTION @extschema@.memory_search_sent(boolean, text, real[], text, timestamptz) IS
  'Internal: memory_search() uses it to ask the node of a Citus cluster that holds the memory. Returns the '
  'answer of memory_search(), or NULL if the memory is not on this node';
COMMENT ON FUNCTION @extschema@.memory_search_entries(text, text, int, @extschema@.memory_embedding, jsonb,
  jsonb, text) IS
  'Searches one memory and returns the k best entries as rows, with each part of the score in a column: for JOIN, '
  'LATERAL and views';
COMMENT ON FUNCTION @extschema@.memory_search(anycompatiblearray, text, int, int, @extschema@.memory_embedding,
  jsonb, jsonb, text, text[]) IS
  'memory_search over several memories in one ranking, as if one memory held all their entries. prefixes adds the '
  'memories whose ids begin with one of them. The answer names the memory of each entry';
COMMENT ON FUNCTION @extschema@.memory_recall(anycompatiblearray, text, int, int, @extschema@.memory_embedding,
  jsonb, jsonb, text, text[]) IS
  'memory_recall over several memories in one ranking';
COMMENT ON FUNCTION @extschema@.memory_search_entries(anycompatiblearray, text, int, @extschema@.memory_embedding,
  jsonb, jsonb, text, text[]) IS
  'memory_search_entries over several memories in one ranking; memory_id names the memory of each entry';
COMMENT ON FUNCTION @extschema@.memory_explain(anycompatiblearray, text, int, @extschema@.memory_embedding,
  jsonb, jsonb, text, text, text[]) IS
  'memory_explain for a search over several memories; memory_id names the memory of each candidate';
COMMENT ON FUNCTION @extschema@.memory_build_context(anycompatiblearray, text, @extschema@.memory_embedding, text,
  int, int, jsonb, jsonb, text, text[]) IS
  'memory_build_context from several memories in one ranking';
COMMENT ON FUNCTION @extschema@.memory_get(text, anycompatiblearray, jsonb, text) IS
  'Returns the entries with these ids, in the order of the ids, as rows; ids that do not exist or are hidden are left '
  'out. options: includeDeleted, includeExpired, includeSuperseded, asOf, includeEmbedding';
COMMENT ON FUNCTION @extschema@.memory_list(text, jsonb, text, int, text, text, jsonb) IS
  'Lists the visible entries of a memory that pass the filters, a page of rows at a time: the cursor of the last row '
  'gives the next page. order_by: createdAt, expiresAt, importance or accessCount; with a minus before it, the '
  'greatest comes first. options: includeDeleted, includeExpired, includeSuperseded, asOf, includeEmbedding';
COMMENT ON FUNCTION @extschema@.memory_count(text, jsonb, text, jsonb) IS
  'Returns how many visible entries of a memory pass the filters. options: includeDeleted, includeExpired, '
  'includeSuperseded, asOf';
COMMENT ON FUNCTION @extschema@.memory_entity_keys(text[]) IS
  'Returns the keys by which names of entities are compared: without case, accents and runs of blanks';
COMMENT ON FUNCTION @extschema@.memory_entities(text, text, int, text, jsonb) IS
  'Lists the entities that the visible entries of a memory name, the most frequent first, each with its other names, '
  'the number of entries that name it, the times of the first and the last of these, and the entities that it most '
  'often occurs with. With a prefix, lists only names that begin with it. options: includeDeleted, includeExpired, '
  'includeSuperseded, asOf';
COMMENT ON FUNCTION @extschema@.memory_about(text, text, int, jsonb, jsonb, text) IS
  'Returns the entries that name an entity, in the order of time: the newest that fit into token_budget tokens, '
  'counted as four characters each. filters and options are those of memory_search';
COMMENT ON FUNCTION @extschema@.memory_facets(text, text, text[], int, @extschema@.memory_embedding, jsonb, jsonb,
  text, int) IS
  'Counts the k best entries of a search by their values. by lists the facets: tags, entities, user_id, agent_id, '
  'session_id, source_type, importance, day, month, year (in UTC) or metadata.KEY. Without query, embedding and '
  'options, it counts all visible entries that pass the filters. Returns at most max_values values of each, the most '
  'frequent';
COMMENT ON FUNCTION @extschema@.memory_list_memories(text, text, int, text) IS
  'Lists the memories of a store by their ids: those that begin with a prefix and come after an id. Each row has the '
  'number of visible entries and contexts, when the first and the last entry was created, and when one was last used';
COMMENT ON FUNCTION @extschema@.memory_stats(text) IS
  'Counts the contents of a store, in one row: memories, entries (visible, deleted, expired, superseded), contexts, '
  'and the bytes of tables and indexes';
COMMENT ON FUNCTION @extschema@.memory_explain(text, text, int, @extschema@.memory_embedding, jsonb, jsonb,
  text, text) IS
  'Explains a search: one row for each candidate, with its outcome and what each signal and boost adds to the score; '
  'details has raw values, ranks and weights. entry_id limits it to one entry, and says why that entry is or is not '
  'there. If there is no candidate, one row gives the reason';
COMMENT ON FUNCTION @extschema@.memory_build_context(text, text, @extschema@.memory_embedding, text, int, int,
  jsonb, jsonb, text) IS
  'Searches and returns prompt text for a language model: system prompt, relevant memories (best first, one line '
  'each), latest context, then the heading ## CURRENT CONVERSATION. The text has at most token_budget tokens, counted '
  'as four characters each';
COMMENT ON FUNCTION @extschema@.memory_tool_spec(text, text) IS
  'Returns memory_search as a tool definition for a language model. name is openai, mcp or json_schema; detail is '
  'short (the question, the number of entries, filters by time, tags and source) or full (every filter and option)';
COMMENT ON FUNCTION @extschema@.memory_search_handler(pg_catalog.internal) IS
  'Handler of the access method memory_search';
COMMENT ON ACCESS METHOD memory_search IS
  'The memory index: a copy of those data of a table that searches read for every entry of a memory';
COMMENT ON OPERATOR CLASS @extschema@.memory_text_ops USING memory_search IS 'Ids of memories: text';
COMMENT ON OPERATOR CLASS @extschema@.memory_uuid_ops USING memory_search IS 'Ids of memories: uuid';
COMMENT ON OPERATOR CLASS @extschema@.memory_int8_ops USING memory_search IS 'Ids of memories: bigint';
COMMENT ON OPERATOR CLASS @extschema@.memory_int4_ops USING memory_search IS 'Ids of memories: integer';
COMMENT ON OPERATOR CLASS @extschema@.memory_int2_ops USING memory_search IS 'Ids of memories: smallint';
COMMENT ON OPERATOR CLASS @extschema@.memory_words_ops USING memory_search IS 'Words: tsvector';
COMMENT ON OPERATOR CLASS @extschema@.memory_texts_ops USING memory_search IS 'Texts whose words are kept: text[]';
COMMENT ON OPERATOR CLASS @extschema@.memory_varchars_ops USING memory_search IS
  'Texts whose words are kept: varchar[]';
COMMENT ON OPERATOR CLASS @extschema@.memory_jsonb_ops USING memory_search IS 'Texts whose words are kept: jsonb';
COMMENT ON OPERATOR CLASS @extschema@.memory_timestamptz_ops USING memory_search IS
  'Times that an expression makes: timestamptz';
COMMENT ON OPERATOR CLASS @extschema@.memory_halfvec_ops USING memory_search IS
  'Embeddings: halfvec by cosine distance';
COMMENT ON OPERATOR CLASS @extschema@.memory_halfvecs_ops USING memory_search IS
  'Embeddings of the passages of long texts: halfvec[]';
COMMENT ON OPERATOR CLASS @extschema@.memory_vectors_ops USING memory_search IS
  'Embeddings of the passages of long texts: vector[]';
COMMENT ON OPERATOR CLASS @extschema@.memory_vector_ops USING memory_search IS
  'Embeddings: vector by cosine distance';
COMMENT ON OPERATOR FAMILY @extschema@.memory_text_ops USING memory_search IS 'Operator family of memory_text_ops';
COMMENT ON OPERATOR FAMILY @extschema@.memory_uuid_ops USING memory_search IS 'Operator family of memory_uuid_ops';
COMMENT ON OPERATOR FAMILY @extschema@.memory_int8_ops USING memory_search IS 'Operator family of memory_int8_ops';
COMMENT ON OPERATOR FAMILY @extschema@.memory_int4_ops USING memory_search IS 'Operator family of memory_int4_ops';
COMMENT ON OPERATOR FAMILY @extschema@.memory_int2_ops USING memory_search IS 'Operator family of memory_int2_ops';
COMMENT ON OPERATOR FAMILY @extschema@.memory_words_ops USING memory_search IS 'Operator family of memory_words_ops';
COMMENT ON OPERATOR FAMILY @extschema@.memory_texts_ops USING memory_search IS 'Operator family of memory_texts_ops';
COMMENT ON OPERATOR FAMILY @extschema@.memory_varchars_ops USING memory_search IS
  'Operator family of memory_varchars_ops';
COMMENT ON OPERATOR FAMILY @extschema@.memory_jsonb_ops USING memory_search IS 'Operator family of memory_jsonb_ops';
COMMENT ON OPERATOR FAMILY @extschema@.memory_timestamptz_ops USING memory_search IS
  'Operator family of memory_timestamptz_ops';
COMMENT ON OPERATOR FAMILY @extschema@.memory_halfvec_ops USING memory_search IS
  'Operator family of memory_halfvec_ops';
COMMENT ON OPERATOR FAMILY @extschema@.memory_halfvecs_ops USING memory_search IS
  'Operator family of memory_halfvecs_ops';
COMMENT ON OPERATOR FAMILY @extschema@.memory_vectors_ops USING memory_search IS
  'Operator family of memory_vectors_ops';
COMMENT ON OPERATOR FAMILY @extschema@.memory_vector_ops USING memory_search IS 'Operator family of memory_vector_ops';
COMMENT ON TEXT SEARCH PARSER @extschema@.memory_words IS
  'Splits a text into tokens as a memory index does, with the token types of the default parser';
COMMENT ON TEXT SEARCH TEMPLATE @extschema@.memory_accents IS
  'Looks a word up in another dictionary, as it is and without its accents';
COMMENT ON FUNCTION @extschema@.memory_words_start(pg_catalog.internal, pg_catalog.int4) IS
  'Start function of the text search parser memory_words';
COMMENT ON FUNCTION @extschema@.memory_words_token(pg_catalog.internal, pg_catalog.internal, pg_catalog.internal) IS
  'Get-next-token function of the text search parser memory_words';
COMMENT ON FUNCTION @extschema@.memory_words_end(pg_catalog.internal) IS
  'End function of the text search parser memory_words';
COMMENT ON FUNCTION @extschema@.memory_words_headline(pg_catalog.internal, pg_catalog.internal, pg_catalog.tsquery) IS
  'Headline function of the text search parser memory_words';
COMMENT ON FUNCTION @extschema@.memory_accents_init(pg_catalog.internal) IS
  'Init function of the text search template memory_accents';
COMMENT ON FUNCTION @extschema@.memory_accents_lexize(
  pg_catalog.internal, pg_catalog.internal, pg_catalog.internal, pg_catalog.internal) IS
  'Lexize function of the text search template memory_accents';
