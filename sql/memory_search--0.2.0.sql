-- memory_search 0.2.0: what CREATE EXTENSION runs. Written by 'make install-script', never by hand.
\echo Use "CREATE EXTENSION memory_search" to load this file. \quit

-- Runs before everything else: what must hold before anything is created, and the type that
-- functions take.

DO $guard$
BEGIN
  -- Text is read as UTF-8 without conversion.
  IF pg_catalog.getdatabaseencoding() OPERATOR(pg_catalog.<>) 'UTF8' THEN
    RAISE EXCEPTION 'memory_search needs a database with the encoding UTF8, not %', pg_catalog.getdatabaseencoding()
      USING ERRCODE = 'feature_not_supported',
            HINT = 'CREATE DATABASE ... ENCODING ''UTF8'' TEMPLATE template0;';
  END IF;
  -- A function of the same name, put there by somebody else, could be called instead of ours.
  IF EXISTS (
    SELECT FROM pg_catalog.pg_proc p
    JOIN pg_catalog.pg_extension x ON x.extnamespace OPERATOR(pg_catalog.=) p.pronamespace
    WHERE x.extname OPERATOR(pg_catalog.=) 'memory_search'
      AND pg_catalog.starts_with(p.proname::pg_catalog.text, 'memory_')
  ) THEN
    RAISE EXCEPTION 'the schema for memory_search holds functions named memory_... already'
      USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Look at them with \df memory_*, and drop them or choose another schema: '
                   'CREATE EXTENSION memory_search SCHEMA ...;';
  END IF;
  -- The owner of the schema may put overloads beside our functions, and drop them with the schema. A
  -- restored dump may be just so, which is why it is no error.
  IF EXISTS (
    SELECT FROM pg_catalog.pg_extension x
    JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) x.extnamespace
    JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) n.nspowner
    WHERE x.extname OPERATOR(pg_catalog.=) 'memory_search' AND n.nspowner OPERATOR(pg_catalog.<>) x.extowner
      AND NOT r.rolsuper AND r.rolname OPERATOR(pg_catalog.<>) 'pg_database_owner'
  ) THEN
    RAISE WARNING 'the schema for memory_search belongs to %', (
        SELECT pg_catalog.quote_ident(r.rolname) FROM pg_catalog.pg_extension x
        JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) x.extnamespace
        JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) n.nspowner
        WHERE x.extname OPERATOR(pg_catalog.=) 'memory_search')
      USING HINT = 'Who owns the schema can drop the extension with it, and put functions beside ours. '
                   'Choose another schema, or ALTER SCHEMA ... OWNER TO ...;';
  END IF;
END
$guard$;

-- An embedding argument: laid out as pgvector's vector, with implicit casts from everything that
-- callers have (ADR-0004).
CREATE TYPE @extschema@.memory_embedding;
CREATE FUNCTION @extschema@.memory_embedding_in(pg_catalog.cstring) RETURNS @extschema@.memory_embedding
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'memory_embedding_in_wrapper';
CREATE FUNCTION @extschema@.memory_embedding_out(@extschema@.memory_embedding) RETURNS pg_catalog.cstring
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'memory_embedding_out_wrapper';
CREATE TYPE @extschema@.memory_embedding (
  INPUT = @extschema@.memory_embedding_in, OUTPUT = @extschema@.memory_embedding_out,
  INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external
);
CREATE CAST (@extschema:vector@.vector AS @extschema@.memory_embedding) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (@extschema@.memory_embedding AS @extschema:vector@.vector) WITHOUT FUNCTION AS ASSIGNMENT;
CREATE CAST (@extschema:vector@.halfvec AS @extschema@.memory_embedding)
  WITH FUNCTION @extschema:vector@.halfvec_to_vector(@extschema:vector@.halfvec, pg_catalog.int4, pg_catalog.bool)
  AS IMPLICIT;
CREATE CAST (pg_catalog._float4 AS @extschema@.memory_embedding)
  WITH FUNCTION @extschema:vector@.array_to_vector(pg_catalog._float4, pg_catalog.int4, pg_catalog.bool)
  AS IMPLICIT;
CREATE CAST (pg_catalog._float8 AS @extschema@.memory_embedding)
  WITH FUNCTION @extschema:vector@.array_to_vector(pg_catalog._float8, pg_catalog.int4, pg_catalog.bool)
  AS IMPLICIT;

CREATE FUNCTION "memory_add"(
  "memory_id" TEXT,
  "raw_entry" TEXT,
  "summary" TEXT DEFAULT NULL,
  "context" TEXT DEFAULT NULL,
  "tags" TEXT[] DEFAULT NULL,
  "metadata" jsonb DEFAULT NULL,
  "importance" INT DEFAULT 50,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "user_id" TEXT DEFAULT NULL,
  "agent_id" TEXT DEFAULT NULL,
  "source_type" TEXT DEFAULT NULL,
  "creation_time" timestamp with time zone DEFAULT NULL,
  "entry_id" uuid DEFAULT NULL,
  "store" TEXT DEFAULT NULL,
  "expires_at" timestamp with time zone DEFAULT NULL
) RETURNS uuid
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_add_wrapper';

CREATE FUNCTION "memory_adopt_table"(
  "store" TEXT,
  "entries" regclass,
  "columns" jsonb,
  "language" TEXT DEFAULT 'english'
) RETURNS VOID
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_adopt_table_wrapper';

CREATE FUNCTION "memory_build_context"(
  "memory_id" TEXT,
  "query" TEXT,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "system_prompt" TEXT DEFAULT NULL,
  "token_budget" INT DEFAULT 8000,
  "top_ke" INT DEFAULT NULL,
  "filters" jsonb DEFAULT NULL,
  "options" jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS TEXT
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_build_context_wrapper';

CREATE FUNCTION "memory_create_store"(
  "store" TEXT DEFAULT NULL,
  "dimensions" INT DEFAULT NULL,
  "language" TEXT DEFAULT 'english'
) RETURNS VOID
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_create_store_wrapper';

CREATE FUNCTION "memory_delete"(
  "memory_id" TEXT,
  "entry_ids" uuid[] DEFAULT NULL,
  "whole_memory" bool DEFAULT false,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_delete_wrapper';

CREATE FUNCTION "memory_delete_contexts"(
  "memory_id" TEXT,
  "context_ids" uuid[],
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_delete_contexts_wrapper';

CREATE FUNCTION "memory_doctor"(
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "name" TEXT,
  "status" TEXT,
  "detail" TEXT,
  "fix" TEXT
)
PARALLEL UNSAFE
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_doctor_wrapper';

CREATE FUNCTION "memory_drop_store"(
  "store" TEXT,
  "force" bool DEFAULT false
) RETURNS VOID
STRICT
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_drop_store_wrapper';

CREATE FUNCTION "memory_embed"(
  "text" TEXT
) RETURNS @extschema:vector@.vector
STRICT STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_embed_wrapper';

CREATE FUNCTION "memory_enable_row_security"(
  "store" TEXT DEFAULT NULL,
  "setting" TEXT DEFAULT 'memory_search.user_id'
) RETURNS VOID
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_enable_row_security_wrapper';

CREATE FUNCTION "memory_explain"(
  "memory_id" TEXT,
  "query" TEXT,
  "top_ke" INT DEFAULT NULL,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "filters" jsonb DEFAULT NULL,
  "options" jsonb DEFAULT NULL,
  "entry_id" TEXT DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "place" INT,
  "outcome" TEXT,
  "score" double precision,
  "semantic" double precision,
  "keyword" double precision,
  "recency" double precision,
  "importance" double precision,
  "popularity" double precision,
  "entry" TEXT,
  "entry_id" TEXT,
  "details" jsonb
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_explain_wrapper';

CREATE FUNCTION "memory_forget_user"(
  "user_id" TEXT,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_forget_user_wrapper';

CREATE FUNCTION "memory_grant"(
  "store" TEXT,
  "role" TEXT,
  "privileges" TEXT DEFAULT 'reader'
) RETURNS VOID
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_grant_wrapper';

CREATE FUNCTION "memory_purge"(
  "before" timestamp with time zone DEFAULT pg_catalog.now(),
  "max_rows" bigint DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_purge_wrapper';

CREATE FUNCTION "memory_put_context"(
  "memory_id" TEXT,
  "context" TEXT,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "user_id" TEXT DEFAULT NULL,
  "creation_time" timestamp with time zone DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS uuid
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_put_context_wrapper';

CREATE FUNCTION "memory_recall"(
  "memory_id" TEXT,
  "query" TEXT,
  "top_ke" INT DEFAULT NULL,
  "top_kc" INT DEFAULT NULL,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "filters" jsonb DEFAULT NULL,
  "options" jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS jsonb
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_recall_wrapper';

CREATE FUNCTION "memory_reembed"(
  "memory_id" TEXT DEFAULT NULL,
  "everything" bool DEFAULT false,
  "max_rows" bigint DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_reembed_wrapper';

CREATE FUNCTION "memory_restore"(
  "memory_id" TEXT,
  "entry_ids" uuid[] DEFAULT NULL,
  "whole_memory" bool DEFAULT false,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_restore_wrapper';

CREATE FUNCTION "memory_restore_contexts"(
  "memory_id" TEXT,
  "context_ids" uuid[],
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_restore_contexts_wrapper';

CREATE FUNCTION "memory_search"(
  "memory_id" TEXT,
  "query" TEXT,
  "top_ke" INT DEFAULT NULL,
  "top_kc" INT DEFAULT NULL,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "filters" jsonb DEFAULT NULL,
  "options" jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS jsonb
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_search_wrapper';

CREATE FUNCTION "memory_search"(
  "request" jsonb
) RETURNS jsonb
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_search_by_request_wrapper';

CREATE FUNCTION "memory_search_entries"(
  "memory_id" TEXT,
  "query" TEXT,
  "k" INT DEFAULT NULL,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "filters" jsonb DEFAULT NULL,
  "options" jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "rank" INT,
  "entry_id" TEXT,
  "memory_id" TEXT,
  "user_id" TEXT,
  "agent_id" TEXT,
  "summary" TEXT,
  "raw_entry" TEXT,
  "tags" TEXT[],
  "metadata" jsonb,
  "source_type" TEXT,
  "importance" INT,
  "access_count" bigint,
  "creation_time" timestamp with time zone,
  "strategy" TEXT,
  "score" double precision,
  "semantic" double precision,
  "keyword" double precision,
  "bm25" double precision,
  "relevance" double precision,
  "recency_factor" double precision,
  "importance_factor" double precision,
  "popularity_factor" double precision
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_search_entries_wrapper';

CREATE FUNCTION "memory_supersede"(
  "memory_id" TEXT,
  "old_entry_id" uuid,
  "new_entry_id" uuid,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_supersede_wrapper';

CREATE FUNCTION "memory_tool_spec"(
  "name" TEXT DEFAULT 'openai'
) RETURNS jsonb
STRICT STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_tool_spec_wrapper';

CREATE FUNCTION "memory_touch"(
  "memory_id" TEXT,
  "entry_ids" anycompatiblearray,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_touch_wrapper';

CREATE FUNCTION "memory_update"(
  "memory_id" TEXT,
  "entry_id" uuid,
  "raw_entry" TEXT DEFAULT NULL,
  "summary" TEXT DEFAULT NULL,
  "tags" TEXT[] DEFAULT NULL,
  "metadata" jsonb DEFAULT NULL,
  "importance" INT DEFAULT NULL,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "source_type" TEXT DEFAULT NULL,
  "expires_at" timestamp with time zone DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_update_wrapper';

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
