-- memory_search 0.3.0: what CREATE EXTENSION runs. Written by 'make install-script', never by hand.
\echo Use "CREATE EXTENSION memory_search" to load this file. \quit

-- Runs before everything else: what must hold before anything is created, and the type that
-- functions take.

-- A block for each check: psql prints the whole block of the one that fails.
DO $guard$
BEGIN
  -- Text is read as UTF-8 without conversion.
  IF pg_catalog.getdatabaseencoding() OPERATOR(pg_catalog.<>) 'UTF8' THEN
    RAISE EXCEPTION 'memory_search needs a database with the encoding UTF8, not %', pg_catalog.getdatabaseencoding()
      USING ERRCODE = 'feature_not_supported',
            HINT = 'CREATE DATABASE ... ENCODING ''UTF8'' TEMPLATE template0;';
  END IF;
END
$guard$;
DO $guard$
BEGIN
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
END
$guard$;
DO $guard$
BEGIN
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
      USING HINT = 'The owner of the schema can drop the extension with it, and create functions beside those of '
                   'memory_search. Choose another schema, or ALTER SCHEMA ... OWNER TO ...;';
  END IF;
END
$guard$;

-- An embedding argument: laid out as pgvector's vector, with implicit casts from everything that callers have.
-- Drivers that ask for its element are told real, and send their lists as real[] (ADR-0030).
CREATE TYPE @extschema@.memory_embedding;
CREATE FUNCTION @extschema@.memory_embedding_in(pg_catalog.cstring) RETURNS @extschema@.memory_embedding
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'memory_embedding_in_wrapper';
CREATE FUNCTION @extschema@.memory_embedding_out(@extschema@.memory_embedding) RETURNS pg_catalog.cstring
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'memory_embedding_out_wrapper';
CREATE FUNCTION @extschema@.memory_embedding_recv(pg_catalog.internal) RETURNS @extschema@.memory_embedding
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'memory_embedding_recv_wrapper';
CREATE FUNCTION @extschema@.memory_embedding_send(@extschema@.memory_embedding) RETURNS pg_catalog.bytea
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'memory_embedding_send_wrapper';
CREATE FUNCTION @extschema@.memory_embedding_subscript(pg_catalog.internal) RETURNS pg_catalog.internal
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'memory_embedding_subscript_wrapper';
CREATE TYPE @extschema@.memory_embedding (
  INPUT = @extschema@.memory_embedding_in, OUTPUT = @extschema@.memory_embedding_out,
  RECEIVE = @extschema@.memory_embedding_recv, SEND = @extschema@.memory_embedding_send,
  ELEMENT = pg_catalog.float4, SUBSCRIPT = @extschema@.memory_embedding_subscript,
  INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external
);
CREATE CAST (@extschema:vector@.vector AS @extschema@.memory_embedding) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (@extschema@.memory_embedding AS @extschema:vector@.vector) WITHOUT FUNCTION AS ASSIGNMENT;
CREATE CAST (@extschema:vector@.halfvec AS @extschema@.memory_embedding)
  WITH FUNCTION @extschema:vector@.halfvec_to_vector(@extschema:vector@.halfvec, pg_catalog.int4, pg_catalog.bool)
  AS IMPLICIT;
-- pgvector's own functions do not say which element of an array they refuse.
CREATE FUNCTION @extschema@.memory_embedding_of_array(pg_catalog.anyarray) RETURNS @extschema@.memory_embedding
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'memory_embedding_of_array_wrapper';
CREATE CAST (pg_catalog._float4 AS @extschema@.memory_embedding)
  WITH FUNCTION @extschema@.memory_embedding_of_array(pg_catalog.anyarray) AS IMPLICIT;
CREATE CAST (pg_catalog._float8 AS @extschema@.memory_embedding)
  WITH FUNCTION @extschema@.memory_embedding_of_array(pg_catalog.anyarray) AS IMPLICIT;
CREATE CAST (pg_catalog._numeric AS @extschema@.memory_embedding)
  WITH FUNCTION @extschema@.memory_embedding_of_array(pg_catalog.anyarray) AS IMPLICIT;
CREATE CAST (pg_catalog._int4 AS @extschema@.memory_embedding)
  WITH FUNCTION @extschema@.memory_embedding_of_array(pg_catalog.anyarray) AS IMPLICIT;
-- Other forms in which drivers send a list: read as the literal that it is.
CREATE CAST (pg_catalog._int2 AS @extschema@.memory_embedding) WITH INOUT AS IMPLICIT;
CREATE CAST (pg_catalog._int8 AS @extschema@.memory_embedding) WITH INOUT AS IMPLICIT;
CREATE CAST (pg_catalog._text AS @extschema@.memory_embedding) WITH INOUT AS IMPLICIT;
CREATE CAST (pg_catalog._varchar AS @extschema@.memory_embedding) WITH INOUT AS IMPLICIT;
CREATE CAST (pg_catalog.text AS @extschema@.memory_embedding) WITH INOUT AS IMPLICIT;
CREATE CAST (pg_catalog.varchar AS @extschema@.memory_embedding) WITH INOUT AS IMPLICIT;
CREATE CAST (pg_catalog.json AS @extschema@.memory_embedding) WITH INOUT AS IMPLICIT;
CREATE CAST (pg_catalog.jsonb AS @extschema@.memory_embedding) WITH INOUT AS IMPLICIT;

CREATE FUNCTION "memory_about"(
  "memory_id" TEXT,
  "entity" TEXT,
  "token_budget" INT DEFAULT 8000,
  "filters" jsonb DEFAULT NULL,
  "options" jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "entry_id" TEXT,
  "summary" TEXT,
  "raw_entry" TEXT,
  "entities" TEXT[],
  "creation_time" timestamp with time zone,
  "tokens" INT
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_about_wrapper';

CREATE FUNCTION @extschema@.memory_accents_init(pg_catalog.internal) RETURNS pg_catalog.internal
  LANGUAGE c STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'memory_accents_init_wrapper';

CREATE FUNCTION @extschema@.memory_accents_lexize(
  pg_catalog.internal, pg_catalog.internal, pg_catalog.internal, pg_catalog.internal) RETURNS pg_catalog.internal
  LANGUAGE c STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'memory_accents_lexize_wrapper';
CREATE TEXT SEARCH TEMPLATE @extschema@.memory_accents (
  INIT = @extschema@.memory_accents_init, LEXIZE = @extschema@.memory_accents_lexize);

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
  "expires_at" timestamp with time zone DEFAULT NULL,
  "session_id" TEXT DEFAULT NULL,
  "entry_key" TEXT DEFAULT NULL,
  "if_similar" double precision DEFAULT NULL,
  "valid_from" timestamp with time zone DEFAULT NULL,
  "valid_until" timestamp with time zone DEFAULT NULL,
  "ttl" interval DEFAULT NULL,
  "entities" TEXT[] DEFAULT NULL
) RETURNS uuid
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_add_wrapper';

CREATE FUNCTION "memory_add_many"(
  "memory_id" TEXT,
  "entries" jsonb,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "ordinality" bigint,
  "entry_id" uuid,
  "status" TEXT
)
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_add_many_wrapper';

CREATE FUNCTION "memory_adopt_table"(
  "store" TEXT,
  "entries" regclass,
  "columns" jsonb,
  "language" TEXT DEFAULT 'english',
  "with_index" bool DEFAULT true
) RETURNS VOID
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_adopt_table_wrapper';

CREATE FUNCTION "memory_alias"(
  "memory_id" TEXT,
  "alias" TEXT,
  "entity" TEXT,
  "store" TEXT DEFAULT NULL
) RETURNS bool
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_alias_wrapper';

CREATE FUNCTION "memory_aliases"(
  "memory_id" TEXT,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "alias" TEXT,
  "entity" TEXT,
  "creation_time" timestamp with time zone
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_aliases_wrapper';

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

CREATE FUNCTION "memory_build_context"(
  "memory_ids" anycompatiblearray,
  "query" TEXT,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "system_prompt" TEXT DEFAULT NULL,
  "token_budget" INT DEFAULT 8000,
  "top_ke" INT DEFAULT NULL,
  "filters" jsonb DEFAULT NULL,
  "options" jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL,
  "prefixes" TEXT[] DEFAULT NULL
) RETURNS TEXT
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_build_context_several_wrapper';

CREATE FUNCTION "memory_count"(
  "memory_id" TEXT,
  "filters" jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL,
  "options" jsonb DEFAULT NULL
) RETURNS bigint
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_count_wrapper';

CREATE FUNCTION "memory_create_store"(
  "store" TEXT DEFAULT NULL,
  "dimensions" INT DEFAULT NULL,
  "language" TEXT DEFAULT 'english',
  "partitions" INT DEFAULT NULL
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

CREATE FUNCTION "memory_delete_where"(
  "memory_id" TEXT,
  "filters" jsonb,
  "dry_run" bool DEFAULT true,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "entry_id" uuid,
  "deleted" bool
)
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_delete_where_wrapper';

CREATE FUNCTION "memory_distribute_store"(
  "store" TEXT,
  "shard_count" INT DEFAULT NULL,
  "delegate" bool DEFAULT false
) RETURNS VOID
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_distribute_store_wrapper';

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

CREATE FUNCTION "memory_embed_pending"(
  "memory_id" TEXT DEFAULT NULL,
  "max_rows" bigint DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_embed_pending_wrapper';

CREATE FUNCTION "memory_enable_row_security"(
  "store" TEXT DEFAULT NULL,
  "setting" TEXT DEFAULT 'memory_search.user_id'
) RETURNS VOID
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_enable_row_security_wrapper';

CREATE FUNCTION "memory_entities"(
  "memory_id" TEXT,
  "prefix" TEXT DEFAULT NULL,
  "max_rows" INT DEFAULT 100,
  "store" TEXT DEFAULT NULL,
  "options" jsonb DEFAULT NULL
) RETURNS TABLE (
  "entity" TEXT,
  "aliases" TEXT[],
  "entries" bigint,
  "first_seen" timestamp with time zone,
  "last_seen" timestamp with time zone,
  "occurs_with" TEXT[]
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_entities_wrapper';

CREATE FUNCTION "memory_entity_keys"(
  "names" TEXT[]
) RETURNS TEXT[]
IMMUTABLE STRICT PARALLEL SAFE
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_entity_keys_wrapper';

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
  "related" double precision,
  "entry" TEXT,
  "entry_id" TEXT,
  "details" jsonb
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_explain_wrapper';

CREATE FUNCTION "memory_explain"(
  "memory_ids" anycompatiblearray,
  "query" TEXT,
  "top_ke" INT DEFAULT NULL,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "filters" jsonb DEFAULT NULL,
  "options" jsonb DEFAULT NULL,
  "entry_id" TEXT DEFAULT NULL,
  "store" TEXT DEFAULT NULL,
  "prefixes" TEXT[] DEFAULT NULL
) RETURNS TABLE (
  "place" INT,
  "outcome" TEXT,
  "score" double precision,
  "semantic" double precision,
  "keyword" double precision,
  "recency" double precision,
  "importance" double precision,
  "popularity" double precision,
  "related" double precision,
  "entry" TEXT,
  "entry_id" TEXT,
  "details" jsonb,
  "memory_id" TEXT
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_explain_several_wrapper';

CREATE FUNCTION "memory_export"(
  "memory_id" TEXT,
  "with_embeddings" bool DEFAULT true,
  "store" TEXT DEFAULT NULL
) RETURNS SETOF jsonb
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_export_wrapper';

CREATE FUNCTION "memory_facets"(
  "memory_id" TEXT,
  "query" TEXT DEFAULT NULL,
  "by" TEXT[] DEFAULT '{tags}',
  "k" INT DEFAULT 100,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "filters" jsonb DEFAULT NULL,
  "options" jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL,
  "max_values" INT DEFAULT 20
) RETURNS TABLE (
  "facet" TEXT,
  "value" TEXT,
  "entries" bigint
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_facets_wrapper';

CREATE FUNCTION "memory_feedback"(
  "memory_id" TEXT,
  "entry_ids" anycompatiblearray,
  "feedback" INT,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_feedback_wrapper';

CREATE FUNCTION "memory_forget_user"(
  "user_id" TEXT,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_forget_user_wrapper';

CREATE FUNCTION "memory_get"(
  "memory_id" TEXT,
  "entry_ids" anycompatiblearray,
  "options" jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "entry_id" TEXT,
  "memory_id" TEXT,
  "user_id" TEXT,
  "agent_id" TEXT,
  "session_id" TEXT,
  "entry_key" TEXT,
  "summary" TEXT,
  "raw_entry" TEXT,
  "context" TEXT,
  "tags" TEXT[],
  "metadata" jsonb,
  "source_type" TEXT,
  "importance" INT,
  "access_count" bigint,
  "creation_time" timestamp with time zone,
  "expires_at" timestamp with time zone,
  "valid_from" timestamp with time zone,
  "valid_until" timestamp with time zone,
  "ttl" TEXT,
  "superseded_by" TEXT,
  "deletion_scheduled_time" timestamp with time zone,
  "embedding" real[],
  "entities" TEXT[]
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_get_wrapper';

CREATE FUNCTION "memory_grant"(
  "store" TEXT,
  "role" TEXT,
  "privileges" TEXT DEFAULT 'reader'
) RETURNS VOID
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_grant_wrapper';

CREATE FUNCTION "memory_history"(
  "memory_id" TEXT,
  "entry_id" uuid,
  "page_size" INT DEFAULT 100,
  "older_than" bigint DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "history_id" bigint,
  "operation" TEXT,
  "recorded_at" timestamp with time zone,
  "session_role" TEXT,
  "effective_role" TEXT,
  "user_id" TEXT,
  "before" jsonb
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_history_wrapper';

CREATE FUNCTION "memory_import"(
  "memory_id" TEXT,
  "lines" jsonb,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_import_wrapper';

CREATE FUNCTION "memory_import_table"(
  "store" TEXT,
  "entries" regclass,
  "columns" jsonb,
  "language" TEXT DEFAULT NULL,
  "dimensions" INT DEFAULT NULL
) RETURNS jsonb
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_import_table_wrapper';

CREATE FUNCTION "memory_index_check"(
  "index" regclass
) RETURNS TABLE (
  "name" TEXT,
  "value" bigint
)
STRICT PARALLEL UNSAFE
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_index_check_wrapper';

CREATE FUNCTION "memory_keep_history"(
  "store" TEXT DEFAULT NULL,
  "enabled" bool DEFAULT true
) RETURNS VOID
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_keep_history_wrapper';

CREATE FUNCTION "memory_learn"(
  "judgements" jsonb,
  "store" TEXT DEFAULT NULL,
  "apply" bool DEFAULT false
) RETURNS jsonb
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_learn_wrapper';

CREATE FUNCTION "memory_link"(
  "memory_id" TEXT,
  "from_entry" TEXT,
  "to_entry" TEXT,
  "kind" TEXT DEFAULT 'related',
  "weight" double precision DEFAULT 1,
  "valid_from" timestamp with time zone DEFAULT NULL,
  "valid_until" timestamp with time zone DEFAULT NULL,
  "metadata" jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS bool
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_link_wrapper';

CREATE FUNCTION "memory_links"(
  "memory_id" TEXT,
  "entry_id" TEXT,
  "kinds" TEXT[] DEFAULT NULL,
  "direction" TEXT DEFAULT 'both',
  "max_rows" INT DEFAULT 100,
  "valid_at" timestamp with time zone DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "from_entry" TEXT,
  "to_entry" TEXT,
  "kind" TEXT,
  "weight" real,
  "valid_from" timestamp with time zone,
  "valid_until" timestamp with time zone,
  "metadata" jsonb,
  "creation_time" timestamp with time zone
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_links_wrapper';

CREATE FUNCTION "memory_list"(
  "memory_id" TEXT,
  "filters" jsonb DEFAULT NULL,
  "order_by" TEXT DEFAULT '-createdAt',
  "page_size" INT DEFAULT 100,
  "cursor" TEXT DEFAULT NULL,
  "store" TEXT DEFAULT NULL,
  "options" jsonb DEFAULT NULL
) RETURNS TABLE (
  "entry_id" TEXT,
  "memory_id" TEXT,
  "user_id" TEXT,
  "agent_id" TEXT,
  "session_id" TEXT,
  "entry_key" TEXT,
  "summary" TEXT,
  "raw_entry" TEXT,
  "context" TEXT,
  "tags" TEXT[],
  "metadata" jsonb,
  "source_type" TEXT,
  "importance" INT,
  "access_count" bigint,
  "creation_time" timestamp with time zone,
  "expires_at" timestamp with time zone,
  "valid_from" timestamp with time zone,
  "valid_until" timestamp with time zone,
  "ttl" TEXT,
  "superseded_by" TEXT,
  "deletion_scheduled_time" timestamp with time zone,
  "embedding" real[],
  "cursor" TEXT,
  "entities" TEXT[]
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_list_wrapper';

CREATE FUNCTION "memory_list_memories"(
  "prefix" TEXT DEFAULT NULL,
  "after" TEXT DEFAULT NULL,
  "page_size" INT DEFAULT 100,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "memory_id" TEXT,
  "entries" bigint,
  "contexts" bigint,
  "first_created" timestamp with time zone,
  "last_created" timestamp with time zone,
  "last_used" timestamp with time zone
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_list_memories_wrapper';

CREATE FUNCTION "memory_notify"(
  "store" TEXT DEFAULT NULL,
  "channel" TEXT DEFAULT 'memory_changes',
  "enabled" bool DEFAULT true
) RETURNS VOID
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_notify_wrapper';

CREATE FUNCTION "memory_passages"(
  "raw_entry" TEXT
) RETURNS TABLE (
  "passage" INT,
  "text" TEXT
)
IMMUTABLE STRICT PARALLEL SAFE
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_passages_wrapper';

CREATE FUNCTION "memory_purge"(
  "before" timestamp with time zone DEFAULT pg_catalog.clock_timestamp(),
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

CREATE FUNCTION "memory_recall"(
  "memory_ids" anycompatiblearray,
  "query" TEXT,
  "top_ke" INT DEFAULT NULL,
  "top_kc" INT DEFAULT NULL,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "filters" jsonb DEFAULT NULL,
  "options" jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL,
  "prefixes" TEXT[] DEFAULT NULL
) RETURNS jsonb

SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_recall_several_wrapper';

CREATE FUNCTION "memory_reembed"(
  "memory_id" TEXT DEFAULT NULL,
  "everything" bool DEFAULT false,
  "max_rows" bigint DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_reembed_wrapper';

CREATE FUNCTION "memory_related"(
  "memory_id" TEXT,
  "entry_id" TEXT,
  "depth" INT DEFAULT 2,
  "kinds" TEXT[] DEFAULT NULL,
  "max_entries" INT DEFAULT 100,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "entry_id" TEXT,
  "hops" INT,
  "weight" real,
  "kind" TEXT,
  "via" TEXT,
  "raw_entry" TEXT,
  "summary" TEXT,
  "creation_time" timestamp with time zone,
  "is_cut" bool
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_related_wrapper';

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

CREATE FUNCTION "memory_search"(
  "memory_ids" anycompatiblearray,
  "query" TEXT,
  "top_ke" INT DEFAULT NULL,
  "top_kc" INT DEFAULT NULL,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "filters" jsonb DEFAULT NULL,
  "options" jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL,
  "prefixes" TEXT[] DEFAULT NULL
) RETURNS jsonb
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_search_several_wrapper';

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

CREATE FUNCTION "memory_search_entries"(
  "memory_ids" anycompatiblearray,
  "query" TEXT,
  "k" INT DEFAULT NULL,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "filters" jsonb DEFAULT NULL,
  "options" jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL,
  "prefixes" TEXT[] DEFAULT NULL
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
AS 'MODULE_PATHNAME', 'memory_search_entries_several_wrapper';

CREATE FUNCTION @extschema@.memory_search_handler(pg_catalog.internal) RETURNS pg_catalog.index_am_handler
  LANGUAGE c STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'memory_search_handler_wrapper';
CREATE ACCESS METHOD memory_search TYPE INDEX HANDLER @extschema@.memory_search_handler;

-- The columns of a memory index: the id of a memory, words, pgvector's vectors by cosine distance, and times.
CREATE OPERATOR CLASS @extschema@.memory_text_ops DEFAULT FOR TYPE pg_catalog.text USING memory_search AS
  OPERATOR 1 pg_catalog.= (pg_catalog.text, pg_catalog.text);
CREATE OPERATOR CLASS @extschema@.memory_uuid_ops DEFAULT FOR TYPE pg_catalog.uuid USING memory_search AS
  OPERATOR 1 pg_catalog.= (pg_catalog.uuid, pg_catalog.uuid);
CREATE OPERATOR CLASS @extschema@.memory_int8_ops DEFAULT FOR TYPE pg_catalog.int8 USING memory_search AS
  OPERATOR 1 pg_catalog.= (pg_catalog.int8, pg_catalog.int8);
CREATE OPERATOR CLASS @extschema@.memory_int4_ops DEFAULT FOR TYPE pg_catalog.int4 USING memory_search AS
  OPERATOR 1 pg_catalog.= (pg_catalog.int4, pg_catalog.int4);
CREATE OPERATOR CLASS @extschema@.memory_int2_ops DEFAULT FOR TYPE pg_catalog.int2 USING memory_search AS
  OPERATOR 1 pg_catalog.= (pg_catalog.int2, pg_catalog.int2);
CREATE OPERATOR CLASS @extschema@.memory_words_ops DEFAULT FOR TYPE pg_catalog.tsvector USING memory_search AS
  STORAGE pg_catalog.tsvector;
-- Columns whose texts are words: as a key that is no memory's id, text has them, too.
CREATE OPERATOR CLASS @extschema@.memory_texts_ops DEFAULT FOR TYPE pg_catalog.text[] USING memory_search AS
  STORAGE pg_catalog.text[];
CREATE OPERATOR CLASS @extschema@.memory_varchars_ops DEFAULT FOR TYPE pg_catalog._varchar USING memory_search AS
  STORAGE pg_catalog._varchar;
CREATE OPERATOR CLASS @extschema@.memory_jsonb_ops DEFAULT FOR TYPE pg_catalog.jsonb USING memory_search AS
  STORAGE pg_catalog.jsonb;
-- Times that are made by an expression, which cannot be an included column.
CREATE OPERATOR CLASS @extschema@.memory_timestamptz_ops DEFAULT FOR TYPE pg_catalog.timestamptz USING memory_search AS
  STORAGE pg_catalog.timestamptz;
CREATE OPERATOR CLASS @extschema@.memory_halfvec_ops DEFAULT FOR TYPE @extschema:vector@.halfvec USING memory_search AS
  OPERATOR 1 @extschema:vector@.<=> (@extschema:vector@.halfvec, @extschema:vector@.halfvec)
    FOR ORDER BY pg_catalog.float_ops,
  FUNCTION 1 @extschema:vector@.cosine_distance(@extschema:vector@.halfvec, @extschema:vector@.halfvec);
-- The embeddings of the passages of a long text.
CREATE OPERATOR CLASS @extschema@.memory_halfvecs_ops DEFAULT FOR TYPE @extschema:vector@.halfvec[]
  USING memory_search AS STORAGE @extschema:vector@.halfvec[];
CREATE OPERATOR CLASS @extschema@.memory_vectors_ops DEFAULT FOR TYPE @extschema:vector@.vector[]
  USING memory_search AS STORAGE @extschema:vector@.vector[];
CREATE OPERATOR CLASS @extschema@.memory_vector_ops DEFAULT FOR TYPE @extschema:vector@.vector USING memory_search AS
  OPERATOR 1 @extschema:vector@.<=> (@extschema:vector@.vector, @extschema:vector@.vector)
    FOR ORDER BY pg_catalog.float_ops,
  FUNCTION 1 @extschema:vector@.cosine_distance(@extschema:vector@.vector, @extschema:vector@.vector);

CREATE FUNCTION "memory_search_sent"(
  "typos" bool,
  "request" TEXT,
  "query_vector" real[],
  "embedder" TEXT,
  "now" timestamp with time zone
) RETURNS TEXT
STABLE PARALLEL RESTRICTED COST 100000
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_search_sent_wrapper';

CREATE FUNCTION "memory_stats"(
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "memories" bigint,
  "entries" bigint,
  "visible" bigint,
  "deleted" bigint,
  "expired" bigint,
  "superseded" bigint,
  "without_embedding" bigint,
  "contexts" bigint,
  "table_bytes" bigint,
  "index_bytes" bigint
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_stats_wrapper';

CREATE FUNCTION "memory_supersede"(
  "memory_id" TEXT,
  "old_entry_id" uuid,
  "new_entry_id" uuid,
  "store" TEXT DEFAULT NULL,
  "at" timestamp with time zone DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_supersede_wrapper';

CREATE FUNCTION "memory_tool_spec"(
  "name" TEXT DEFAULT 'openai',
  "detail" TEXT DEFAULT 'short'
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

CREATE FUNCTION "memory_unalias"(
  "memory_id" TEXT,
  "alias" TEXT,
  "store" TEXT DEFAULT NULL
) RETURNS bool
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_unalias_wrapper';

CREATE FUNCTION "memory_unlink"(
  "memory_id" TEXT,
  "from_entry" TEXT,
  "to_entry" TEXT,
  "kind" TEXT DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_unlink_wrapper';

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
  "store" TEXT DEFAULT NULL,
  "user_id" TEXT DEFAULT NULL,
  "agent_id" TEXT DEFAULT NULL,
  "session_id" TEXT DEFAULT NULL,
  "entry_key" TEXT DEFAULT NULL,
  "creation_time" timestamp with time zone DEFAULT NULL,
  "valid_from" timestamp with time zone DEFAULT NULL,
  "valid_until" timestamp with time zone DEFAULT NULL,
  "ttl" interval DEFAULT NULL,
  "clear" TEXT[] DEFAULT NULL,
  "entities" TEXT[] DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_update_wrapper';

CREATE FUNCTION @extschema@.memory_words_end(pg_catalog.internal) RETURNS pg_catalog.void
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'memory_words_end_wrapper';

CREATE FUNCTION @extschema@.memory_words_start(pg_catalog.internal, pg_catalog.int4) RETURNS pg_catalog.internal
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'memory_words_start_wrapper';

CREATE FUNCTION @extschema@.memory_words_token(pg_catalog.internal, pg_catalog.internal, pg_catalog.internal)
  RETURNS pg_catalog.internal
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'memory_words_token_wrapper';

CREATE FUNCTION @extschema@.memory_words_headline(pg_catalog.internal, pg_catalog.internal, pg_catalog.tsquery)
  RETURNS pg_catalog.internal
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'memory_words_headline_wrapper';
CREATE TEXT SEARCH PARSER @extschema@.memory_words (
  START = @extschema@.memory_words_start, GETTOKEN = @extschema@.memory_words_token,
  END = @extschema@.memory_words_end, HEADLINE = @extschema@.memory_words_headline,
  LEXTYPES = pg_catalog.prsd_lextype);

-- For each of the server's text search configurations one that takes texts apart as a memory index does: its words go
-- to the same dictionaries, and those with accents are found without them, too: words (kinds 2, 10 and 17), and names,
-- which are compounds and words with digits (the other kinds).
DO $configurations$
DECLARE
  -- An argument of every format: the schema's name may have a percent sign.
  own constant pg_catalog.text := '@extschema@';
  language record;
  mapping record;
  accents text;
  accents_of_names text;
BEGIN
  FOR language IN
    SELECT c.oid, c.cfgname, 'memory_' OPERATOR(pg_catalog.||) c.cfgname AS name,
           -- The dictionaries of words, and of those that are of ASCII letters.
           (SELECT d.dictname FROM pg_catalog.pg_ts_config_map m
              JOIN pg_catalog.pg_ts_dict d ON d.oid OPERATOR(pg_catalog.=) m.mapdict
             WHERE m.mapcfg OPERATOR(pg_catalog.=) c.oid AND m.maptokentype OPERATOR(pg_catalog.=) 2) AS of_words,
           (SELECT d.dictname FROM pg_catalog.pg_ts_config_map m
              JOIN pg_catalog.pg_ts_dict d ON d.oid OPERATOR(pg_catalog.=) m.mapdict
             WHERE m.mapcfg OPERATOR(pg_catalog.=) c.oid AND m.maptokentype OPERATOR(pg_catalog.=) 1) AS of_ascii,
           (SELECT d.dictname FROM pg_catalog.pg_ts_config_map m
              JOIN pg_catalog.pg_ts_dict d ON d.oid OPERATOR(pg_catalog.=) m.mapdict
             WHERE m.mapcfg OPERATOR(pg_catalog.=) c.oid AND m.maptokentype OPERATOR(pg_catalog.=) 3) AS of_names
      FROM pg_catalog.pg_ts_config c
     WHERE c.cfgnamespace OPERATOR(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace
     ORDER BY c.cfgname
  LOOP
    accents := 'memory_' OPERATOR(pg_catalog.||) language.of_words;
    EXECUTE pg_catalog.format(
      'CREATE TEXT SEARCH DICTIONARY %1$s.%2$I (TEMPLATE = %1$s.memory_accents, '
      'Dictionary = %3$L, Ascii = %4$L, Language = %5$L)',
      own, accents, 'pg_catalog.' OPERATOR(pg_catalog.||) language.of_words,
      'pg_catalog.' OPERATOR(pg_catalog.||) language.of_ascii, language.cfgname);
    EXECUTE pg_catalog.format(
      'COMMENT ON TEXT SEARCH DICTIONARY %s.%I IS %L', own, accents,
      pg_catalog.format('memory_search: %s, and words without their accents', language.of_words));
    accents_of_names := language.name OPERATOR(pg_catalog.||) '_names';
    EXECUTE pg_catalog.format(
      'CREATE TEXT SEARCH DICTIONARY %1$s.%2$I (TEMPLATE = %1$s.memory_accents, Dictionary = %3$L, Language = %4$L)',
      own, accents_of_names, 'pg_catalog.' OPERATOR(pg_catalog.||) language.of_names, language.cfgname);
    EXECUTE pg_catalog.format(
      'COMMENT ON TEXT SEARCH DICTIONARY %s.%I IS %L', own, accents_of_names,
      pg_catalog.format('memory_search: names in %s, and names without their accents', language.cfgname));
    EXECUTE pg_catalog.format(
      'CREATE TEXT SEARCH CONFIGURATION %1$s.%2$I (PARSER = %1$s.memory_words)', own, language.name);
    EXECUTE pg_catalog.format(
      'COMMENT ON TEXT SEARCH CONFIGURATION %s.%I IS %L', own, language.name,
      pg_catalog.format('memory_search: %s, with the words that a memory index has', language.cfgname));
    FOR mapping IN
      SELECT t.alias, d.dictname,
             CASE WHEN m.maptokentype OPERATOR(pg_catalog.=) ANY (ARRAY[2, 10, 17]) THEN accents
                  WHEN m.maptokentype OPERATOR(pg_catalog.=) ANY (ARRAY[3, 4, 5, 6, 8, 9, 15, 18, 19])
                  THEN accents_of_names END AS with_accents
        FROM pg_catalog.pg_ts_config_map m
        JOIN pg_catalog.pg_ts_dict d ON d.oid OPERATOR(pg_catalog.=) m.mapdict
        JOIN pg_catalog.ts_token_type('default') t ON t.tokid OPERATOR(pg_catalog.=) m.maptokentype
       WHERE m.mapcfg OPERATOR(pg_catalog.=) language.oid
       ORDER BY m.maptokentype, m.mapseqno
    LOOP
      EXECUTE pg_catalog.format(
        'ALTER TEXT SEARCH CONFIGURATION %s.%I ADD MAPPING FOR %I WITH %s.%I',
        own, language.name, mapping.alias, CASE WHEN mapping.with_accents IS NULL THEN 'pg_catalog' ELSE own END,
        COALESCE(mapping.with_accents, mapping.dictname));
    END LOOP;
  END LOOP;
END
$configurations$;

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

-- The types of arguments that take what drivers send (ADR-0030).
CREATE TYPE @extschema@.memory_text;
CREATE FUNCTION @extschema@.memory_text_in(pg_catalog.cstring)
  RETURNS @extschema@.memory_text LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textin';
CREATE FUNCTION @extschema@.memory_text_out(@extschema@.memory_text)
  RETURNS pg_catalog.cstring LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textout';
CREATE TYPE @extschema@.memory_text (
  INPUT = @extschema@.memory_text_in, OUTPUT = @extschema@.memory_text_out,
  LIKE = pg_catalog.text, CATEGORY = 'S', PREFERRED = false
);
COMMENT ON TYPE @extschema@.memory_text IS
  'An id argument: pass text, a uuid or a whole number';
COMMENT ON FUNCTION @extschema@.memory_text_in(pg_catalog.cstring) IS
  'Input function of memory_text: that of text';
COMMENT ON FUNCTION @extschema@.memory_text_out(@extschema@.memory_text) IS
  'Output function of memory_text: that of text';
CREATE CAST (pg_catalog.text AS @extschema@.memory_text)
  WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (pg_catalog.text AS @extschema@.memory_text) IS
  'Lets an argument of type memory_text take text';
CREATE CAST (pg_catalog.varchar AS @extschema@.memory_text)
  WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (pg_catalog.varchar AS @extschema@.memory_text) IS
  'Lets an argument of type memory_text take varchar';
CREATE CAST (pg_catalog.bpchar AS @extschema@.memory_text)
  WITH FUNCTION pg_catalog.text(pg_catalog.bpchar) AS IMPLICIT;
COMMENT ON CAST (pg_catalog.bpchar AS @extschema@.memory_text) IS
  'Lets an argument of type memory_text take bpchar';
CREATE CAST (pg_catalog.name AS @extschema@.memory_text)
  WITH FUNCTION pg_catalog.text(pg_catalog.name) AS IMPLICIT;
COMMENT ON CAST (pg_catalog.name AS @extschema@.memory_text) IS
  'Lets an argument of type memory_text take name';
CREATE CAST (pg_catalog.uuid AS @extschema@.memory_text)
  WITH INOUT AS IMPLICIT;
COMMENT ON CAST (pg_catalog.uuid AS @extschema@.memory_text) IS
  'Lets an argument of type memory_text take uuid';
CREATE CAST (pg_catalog.int2 AS @extschema@.memory_text)
  WITH INOUT AS IMPLICIT;
COMMENT ON CAST (pg_catalog.int2 AS @extschema@.memory_text) IS
  'Lets an argument of type memory_text take int2';
CREATE CAST (pg_catalog.int4 AS @extschema@.memory_text)
  WITH INOUT AS IMPLICIT;
COMMENT ON CAST (pg_catalog.int4 AS @extschema@.memory_text) IS
  'Lets an argument of type memory_text take int4';
CREATE CAST (pg_catalog.int8 AS @extschema@.memory_text)
  WITH INOUT AS IMPLICIT;
COMMENT ON CAST (pg_catalog.int8 AS @extschema@.memory_text) IS
  'Lets an argument of type memory_text take int8';
CREATE TYPE @extschema@.memory_jsonb;
CREATE FUNCTION @extschema@.memory_jsonb_in(pg_catalog.cstring)
  RETURNS @extschema@.memory_jsonb LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'jsonb_in';
CREATE FUNCTION @extschema@.memory_jsonb_out(@extschema@.memory_jsonb)
  RETURNS pg_catalog.cstring LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'jsonb_out';
CREATE TYPE @extschema@.memory_jsonb (
  INPUT = @extschema@.memory_jsonb_in, OUTPUT = @extschema@.memory_jsonb_out,
  LIKE = pg_catalog.jsonb, CATEGORY = 'U', PREFERRED = false
);
COMMENT ON TYPE @extschema@.memory_jsonb IS
  'A JSON argument: pass jsonb, json or text';
COMMENT ON FUNCTION @extschema@.memory_jsonb_in(pg_catalog.cstring) IS
  'Input function of memory_jsonb: that of jsonb';
COMMENT ON FUNCTION @extschema@.memory_jsonb_out(@extschema@.memory_jsonb) IS
  'Output function of memory_jsonb: that of jsonb';
CREATE CAST (pg_catalog.jsonb AS @extschema@.memory_jsonb)
  WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (pg_catalog.jsonb AS @extschema@.memory_jsonb) IS
  'Lets an argument of type memory_jsonb take jsonb';
CREATE CAST (pg_catalog.json AS @extschema@.memory_jsonb)
  WITH INOUT AS IMPLICIT;
COMMENT ON CAST (pg_catalog.json AS @extschema@.memory_jsonb) IS
  'Lets an argument of type memory_jsonb take json';
CREATE CAST (pg_catalog.text AS @extschema@.memory_jsonb)
  WITH INOUT AS IMPLICIT;
COMMENT ON CAST (pg_catalog.text AS @extschema@.memory_jsonb) IS
  'Lets an argument of type memory_jsonb take text';
CREATE CAST (pg_catalog.varchar AS @extschema@.memory_jsonb)
  WITH INOUT AS IMPLICIT;
COMMENT ON CAST (pg_catalog.varchar AS @extschema@.memory_jsonb) IS
  'Lets an argument of type memory_jsonb take varchar';
CREATE TYPE @extschema@.memory_int4;
CREATE FUNCTION @extschema@.memory_int4_in(pg_catalog.cstring)
  RETURNS @extschema@.memory_int4 LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int4in';
CREATE FUNCTION @extschema@.memory_int4_out(@extschema@.memory_int4)
  RETURNS pg_catalog.cstring LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int4out';
CREATE TYPE @extschema@.memory_int4 (
  INPUT = @extschema@.memory_int4_in, OUTPUT = @extschema@.memory_int4_out,
  LIKE = pg_catalog.int4, CATEGORY = 'N', PREFERRED = false
);
COMMENT ON TYPE @extschema@.memory_int4 IS
  'A whole number: pass an integer of any size, a number without a fraction, or text';
COMMENT ON FUNCTION @extschema@.memory_int4_in(pg_catalog.cstring) IS
  'Input function of memory_int4: that of int4';
COMMENT ON FUNCTION @extschema@.memory_int4_out(@extschema@.memory_int4) IS
  'Output function of memory_int4: that of int4';
CREATE CAST (pg_catalog.int4 AS @extschema@.memory_int4)
  WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (pg_catalog.int4 AS @extschema@.memory_int4) IS
  'Lets an argument of type memory_int4 take int4';
CREATE CAST (pg_catalog.int2 AS @extschema@.memory_int4)
  WITH FUNCTION pg_catalog.int4(pg_catalog.int2) AS IMPLICIT;
COMMENT ON CAST (pg_catalog.int2 AS @extschema@.memory_int4) IS
  'Lets an argument of type memory_int4 take int2';
CREATE CAST (pg_catalog.int8 AS @extschema@.memory_int4)
  WITH INOUT AS IMPLICIT;
COMMENT ON CAST (pg_catalog.int8 AS @extschema@.memory_int4) IS
  'Lets an argument of type memory_int4 take int8';
CREATE CAST (pg_catalog.numeric AS @extschema@.memory_int4)
  WITH INOUT AS IMPLICIT;
COMMENT ON CAST (pg_catalog.numeric AS @extschema@.memory_int4) IS
  'Lets an argument of type memory_int4 take numeric';
CREATE CAST (pg_catalog.float4 AS @extschema@.memory_int4)
  WITH INOUT AS IMPLICIT;
COMMENT ON CAST (pg_catalog.float4 AS @extschema@.memory_int4) IS
  'Lets an argument of type memory_int4 take float4';
CREATE CAST (pg_catalog.float8 AS @extschema@.memory_int4)
  WITH INOUT AS IMPLICIT;
COMMENT ON CAST (pg_catalog.float8 AS @extschema@.memory_int4) IS
  'Lets an argument of type memory_int4 take float8';
CREATE CAST (pg_catalog.text AS @extschema@.memory_int4)
  WITH INOUT AS IMPLICIT;
COMMENT ON CAST (pg_catalog.text AS @extschema@.memory_int4) IS
  'Lets an argument of type memory_int4 take text';
CREATE CAST (pg_catalog.varchar AS @extschema@.memory_int4)
  WITH INOUT AS IMPLICIT;
COMMENT ON CAST (pg_catalog.varchar AS @extschema@.memory_int4) IS
  'Lets an argument of type memory_int4 take varchar';
CREATE TYPE @extschema@.memory_uuid;
CREATE FUNCTION @extschema@.memory_uuid_in(pg_catalog.cstring)
  RETURNS @extschema@.memory_uuid LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'uuid_in';
CREATE FUNCTION @extschema@.memory_uuid_out(@extschema@.memory_uuid)
  RETURNS pg_catalog.cstring LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'uuid_out';
CREATE TYPE @extschema@.memory_uuid (
  INPUT = @extschema@.memory_uuid_in, OUTPUT = @extschema@.memory_uuid_out,
  LIKE = pg_catalog.uuid, CATEGORY = 'U', PREFERRED = false
);
COMMENT ON TYPE @extschema@.memory_uuid IS
  'An id of an entry or context: pass a uuid or text';
COMMENT ON FUNCTION @extschema@.memory_uuid_in(pg_catalog.cstring) IS
  'Input function of memory_uuid: that of uuid';
COMMENT ON FUNCTION @extschema@.memory_uuid_out(@extschema@.memory_uuid) IS
  'Output function of memory_uuid: that of uuid';
CREATE CAST (pg_catalog.uuid AS @extschema@.memory_uuid)
  WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (pg_catalog.uuid AS @extschema@.memory_uuid) IS
  'Lets an argument of type memory_uuid take uuid';
CREATE CAST (pg_catalog.text AS @extschema@.memory_uuid)
  WITH INOUT AS IMPLICIT;
COMMENT ON CAST (pg_catalog.text AS @extschema@.memory_uuid) IS
  'Lets an argument of type memory_uuid take text';
CREATE CAST (pg_catalog.varchar AS @extschema@.memory_uuid)
  WITH INOUT AS IMPLICIT;
COMMENT ON CAST (pg_catalog.varchar AS @extschema@.memory_uuid) IS
  'Lets an argument of type memory_uuid take varchar';
CREATE TYPE @extschema@.memory_timestamptz;
CREATE FUNCTION @extschema@.memory_timestamptz_in(pg_catalog.cstring, pg_catalog.oid, pg_catalog.int4)
  RETURNS @extschema@.memory_timestamptz LANGUAGE internal STABLE STRICT PARALLEL SAFE AS 'timestamptz_in';
CREATE FUNCTION @extschema@.memory_timestamptz_out(@extschema@.memory_timestamptz)
  RETURNS pg_catalog.cstring LANGUAGE internal STABLE STRICT PARALLEL SAFE AS 'timestamptz_out';
CREATE TYPE @extschema@.memory_timestamptz (
  INPUT = @extschema@.memory_timestamptz_in, OUTPUT = @extschema@.memory_timestamptz_out,
  LIKE = pg_catalog.timestamptz, CATEGORY = 'D', PREFERRED = false
);
COMMENT ON TYPE @extschema@.memory_timestamptz IS
  'A time: pass a timestamp with or without time zone, a date or text';
COMMENT ON FUNCTION @extschema@.memory_timestamptz_in(pg_catalog.cstring, pg_catalog.oid, pg_catalog.int4) IS
  'Input function of memory_timestamptz: that of timestamptz';
COMMENT ON FUNCTION @extschema@.memory_timestamptz_out(@extschema@.memory_timestamptz) IS
  'Output function of memory_timestamptz: that of timestamptz';
CREATE CAST (pg_catalog.timestamptz AS @extschema@.memory_timestamptz)
  WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (pg_catalog.timestamptz AS @extschema@.memory_timestamptz) IS
  'Lets an argument of type memory_timestamptz take timestamptz';
CREATE CAST (pg_catalog.timestamp AS @extschema@.memory_timestamptz)
  WITH FUNCTION pg_catalog.timestamptz(pg_catalog.timestamp) AS IMPLICIT;
COMMENT ON CAST (pg_catalog.timestamp AS @extschema@.memory_timestamptz) IS
  'Lets an argument of type memory_timestamptz take timestamp';
CREATE CAST (pg_catalog.date AS @extschema@.memory_timestamptz)
  WITH FUNCTION pg_catalog.timestamptz(pg_catalog.date) AS IMPLICIT;
COMMENT ON CAST (pg_catalog.date AS @extschema@.memory_timestamptz) IS
  'Lets an argument of type memory_timestamptz take date';
CREATE CAST (pg_catalog.text AS @extschema@.memory_timestamptz)
  WITH INOUT AS IMPLICIT;
COMMENT ON CAST (pg_catalog.text AS @extschema@.memory_timestamptz) IS
  'Lets an argument of type memory_timestamptz take text';
CREATE CAST (pg_catalog.varchar AS @extschema@.memory_timestamptz)
  WITH INOUT AS IMPLICIT;
COMMENT ON CAST (pg_catalog.varchar AS @extschema@.memory_timestamptz) IS
  'Lets an argument of type memory_timestamptz take varchar';

-- The functions for arguments of these types; each calls the C function of its namesake.

CREATE FUNCTION "memory_about"(
  "memory_id" @extschema@.memory_text,
  "entity" TEXT,
  "token_budget" @extschema@.memory_int4 DEFAULT 8000,
  "filters" @extschema@.memory_jsonb DEFAULT NULL,
  "options" @extschema@.memory_jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "entry_id" TEXT,
  "summary" TEXT,
  "raw_entry" TEXT,
  "entities" TEXT[],
  "creation_time" timestamp with time zone,
  "tokens" INT
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_about_wrapper';
COMMENT ON FUNCTION @extschema@.memory_about(
  @extschema@.memory_text,
  TEXT,
  @extschema@.memory_int4,
  @extschema@.memory_jsonb,
  @extschema@.memory_jsonb,
  TEXT
) IS
  'memory_about for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_add"(
  "memory_id" @extschema@.memory_text,
  "raw_entry" TEXT,
  "summary" TEXT DEFAULT NULL,
  "context" TEXT DEFAULT NULL,
  "tags" TEXT[] DEFAULT NULL,
  "metadata" @extschema@.memory_jsonb DEFAULT NULL,
  "importance" @extschema@.memory_int4 DEFAULT 50,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "user_id" @extschema@.memory_text DEFAULT NULL,
  "agent_id" @extschema@.memory_text DEFAULT NULL,
  "source_type" TEXT DEFAULT NULL,
  "creation_time" @extschema@.memory_timestamptz DEFAULT NULL,
  "entry_id" @extschema@.memory_uuid DEFAULT NULL,
  "store" TEXT DEFAULT NULL,
  "expires_at" @extschema@.memory_timestamptz DEFAULT NULL,
  "session_id" @extschema@.memory_text DEFAULT NULL,
  "entry_key" @extschema@.memory_text DEFAULT NULL,
  "if_similar" double precision DEFAULT NULL,
  "valid_from" @extschema@.memory_timestamptz DEFAULT NULL,
  "valid_until" @extschema@.memory_timestamptz DEFAULT NULL,
  "ttl" interval DEFAULT NULL,
  "entities" TEXT[] DEFAULT NULL
) RETURNS uuid
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_add_wrapper';
COMMENT ON FUNCTION @extschema@.memory_add(
  @extschema@.memory_text,
  TEXT,
  TEXT,
  TEXT,
  TEXT[],
  @extschema@.memory_jsonb,
  @extschema@.memory_int4,
  @extschema@.memory_embedding,
  @extschema@.memory_text,
  @extschema@.memory_text,
  TEXT,
  @extschema@.memory_timestamptz,
  @extschema@.memory_uuid,
  TEXT,
  @extschema@.memory_timestamptz,
  @extschema@.memory_text,
  @extschema@.memory_text,
  double precision,
  @extschema@.memory_timestamptz,
  @extschema@.memory_timestamptz,
  interval,
  TEXT[]
) IS
  'memory_add for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_add_many"(
  "memory_id" @extschema@.memory_text,
  "entries" @extschema@.memory_jsonb,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "ordinality" bigint,
  "entry_id" uuid,
  "status" TEXT
)
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_add_many_wrapper';
COMMENT ON FUNCTION @extschema@.memory_add_many(
  @extschema@.memory_text,
  @extschema@.memory_jsonb,
  TEXT
) IS
  'memory_add_many for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_adopt_table"(
  "store" @extschema@.memory_text,
  "entries" regclass,
  "columns" @extschema@.memory_jsonb,
  "language" TEXT DEFAULT 'english',
  "with_index" bool DEFAULT true
) RETURNS VOID
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_adopt_table_wrapper';
COMMENT ON FUNCTION @extschema@.memory_adopt_table(
  @extschema@.memory_text,
  regclass,
  @extschema@.memory_jsonb,
  TEXT,
  bool
) IS
  'memory_adopt_table for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_alias"(
  "memory_id" @extschema@.memory_text,
  "alias" TEXT,
  "entity" TEXT,
  "store" TEXT DEFAULT NULL
) RETURNS bool
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_alias_wrapper';
COMMENT ON FUNCTION @extschema@.memory_alias(
  @extschema@.memory_text,
  TEXT,
  TEXT,
  TEXT
) IS
  'memory_alias for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_aliases"(
  "memory_id" @extschema@.memory_text,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "alias" TEXT,
  "entity" TEXT,
  "creation_time" timestamp with time zone
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_aliases_wrapper';
COMMENT ON FUNCTION @extschema@.memory_aliases(
  @extschema@.memory_text,
  TEXT
) IS
  'memory_aliases for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_build_context"(
  "memory_id" @extschema@.memory_text,
  "query" TEXT,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "system_prompt" TEXT DEFAULT NULL,
  "token_budget" @extschema@.memory_int4 DEFAULT 8000,
  "top_ke" @extschema@.memory_int4 DEFAULT NULL,
  "filters" @extschema@.memory_jsonb DEFAULT NULL,
  "options" @extschema@.memory_jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS TEXT
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_build_context_wrapper';
COMMENT ON FUNCTION @extschema@.memory_build_context(
  @extschema@.memory_text,
  TEXT,
  @extschema@.memory_embedding,
  TEXT,
  @extschema@.memory_int4,
  @extschema@.memory_int4,
  @extschema@.memory_jsonb,
  @extschema@.memory_jsonb,
  TEXT
) IS
  'memory_build_context for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_count"(
  "memory_id" @extschema@.memory_text,
  "filters" @extschema@.memory_jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL,
  "options" @extschema@.memory_jsonb DEFAULT NULL
) RETURNS bigint
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_count_wrapper';
COMMENT ON FUNCTION @extschema@.memory_count(
  @extschema@.memory_text,
  @extschema@.memory_jsonb,
  TEXT,
  @extschema@.memory_jsonb
) IS
  'memory_count for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_create_store"(
  "store" @extschema@.memory_text,
  "dimensions" @extschema@.memory_int4 DEFAULT NULL,
  "language" TEXT DEFAULT 'english',
  "partitions" @extschema@.memory_int4 DEFAULT NULL
) RETURNS VOID
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_create_store_wrapper';
COMMENT ON FUNCTION @extschema@.memory_create_store(
  @extschema@.memory_text,
  @extschema@.memory_int4,
  TEXT,
  @extschema@.memory_int4
) IS
  'memory_create_store for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_delete"(
  "memory_id" @extschema@.memory_text,
  "entry_ids" @extschema@.memory_uuid[] DEFAULT NULL,
  "whole_memory" bool DEFAULT false,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_delete_wrapper';
COMMENT ON FUNCTION @extschema@.memory_delete(
  @extschema@.memory_text,
  @extschema@.memory_uuid[],
  bool,
  TEXT
) IS
  'memory_delete for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_delete_contexts"(
  "memory_id" @extschema@.memory_text,
  "context_ids" @extschema@.memory_uuid[],
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_delete_contexts_wrapper';
COMMENT ON FUNCTION @extschema@.memory_delete_contexts(
  @extschema@.memory_text,
  @extschema@.memory_uuid[],
  TEXT
) IS
  'memory_delete_contexts for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_delete_where"(
  "memory_id" @extschema@.memory_text,
  "filters" @extschema@.memory_jsonb,
  "dry_run" bool DEFAULT true,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "entry_id" uuid,
  "deleted" bool
)
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_delete_where_wrapper';
COMMENT ON FUNCTION @extschema@.memory_delete_where(
  @extschema@.memory_text,
  @extschema@.memory_jsonb,
  bool,
  TEXT
) IS
  'memory_delete_where for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_distribute_store"(
  "store" @extschema@.memory_text,
  "shard_count" @extschema@.memory_int4 DEFAULT NULL,
  "delegate" bool DEFAULT false
) RETURNS VOID
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_distribute_store_wrapper';
COMMENT ON FUNCTION @extschema@.memory_distribute_store(
  @extschema@.memory_text,
  @extschema@.memory_int4,
  bool
) IS
  'memory_distribute_store for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_embed_pending"(
  "memory_id" @extschema@.memory_text,
  "max_rows" bigint DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_embed_pending_wrapper';
COMMENT ON FUNCTION @extschema@.memory_embed_pending(
  @extschema@.memory_text,
  bigint,
  TEXT
) IS
  'memory_embed_pending for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_entities"(
  "memory_id" @extschema@.memory_text,
  "prefix" TEXT DEFAULT NULL,
  "max_rows" @extschema@.memory_int4 DEFAULT 100,
  "store" TEXT DEFAULT NULL,
  "options" @extschema@.memory_jsonb DEFAULT NULL
) RETURNS TABLE (
  "entity" TEXT,
  "aliases" TEXT[],
  "entries" bigint,
  "first_seen" timestamp with time zone,
  "last_seen" timestamp with time zone,
  "occurs_with" TEXT[]
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_entities_wrapper';
COMMENT ON FUNCTION @extschema@.memory_entities(
  @extschema@.memory_text,
  TEXT,
  @extschema@.memory_int4,
  TEXT,
  @extschema@.memory_jsonb
) IS
  'memory_entities for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_explain"(
  "memory_id" @extschema@.memory_text,
  "query" TEXT,
  "top_ke" @extschema@.memory_int4 DEFAULT NULL,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "filters" @extschema@.memory_jsonb DEFAULT NULL,
  "options" @extschema@.memory_jsonb DEFAULT NULL,
  "entry_id" @extschema@.memory_text DEFAULT NULL,
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
  "related" double precision,
  "entry" TEXT,
  "entry_id" TEXT,
  "details" jsonb
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_explain_wrapper';
COMMENT ON FUNCTION @extschema@.memory_explain(
  @extschema@.memory_text,
  TEXT,
  @extschema@.memory_int4,
  @extschema@.memory_embedding,
  @extschema@.memory_jsonb,
  @extschema@.memory_jsonb,
  @extschema@.memory_text,
  TEXT
) IS
  'memory_explain for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_export"(
  "memory_id" @extschema@.memory_text,
  "with_embeddings" bool DEFAULT true,
  "store" TEXT DEFAULT NULL
) RETURNS SETOF jsonb
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_export_wrapper';
COMMENT ON FUNCTION @extschema@.memory_export(
  @extschema@.memory_text,
  bool,
  TEXT
) IS
  'memory_export for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_facets"(
  "memory_id" @extschema@.memory_text,
  "query" TEXT DEFAULT NULL,
  "by" TEXT[] DEFAULT '{tags}',
  "k" @extschema@.memory_int4 DEFAULT 100,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "filters" @extschema@.memory_jsonb DEFAULT NULL,
  "options" @extschema@.memory_jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL,
  "max_values" @extschema@.memory_int4 DEFAULT 20
) RETURNS TABLE (
  "facet" TEXT,
  "value" TEXT,
  "entries" bigint
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_facets_wrapper';
COMMENT ON FUNCTION @extschema@.memory_facets(
  @extschema@.memory_text,
  TEXT,
  TEXT[],
  @extschema@.memory_int4,
  @extschema@.memory_embedding,
  @extschema@.memory_jsonb,
  @extschema@.memory_jsonb,
  TEXT,
  @extschema@.memory_int4
) IS
  'memory_facets for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_feedback"(
  "memory_id" @extschema@.memory_text,
  "entry_ids" anycompatiblearray,
  "feedback" @extschema@.memory_int4,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_feedback_wrapper';
COMMENT ON FUNCTION @extschema@.memory_feedback(
  @extschema@.memory_text,
  anycompatiblearray,
  @extschema@.memory_int4,
  TEXT
) IS
  'memory_feedback for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_forget_user"(
  "user_id" @extschema@.memory_text,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_forget_user_wrapper';
COMMENT ON FUNCTION @extschema@.memory_forget_user(
  @extschema@.memory_text,
  TEXT
) IS
  'memory_forget_user for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_get"(
  "memory_id" @extschema@.memory_text,
  "entry_ids" anycompatiblearray,
  "options" @extschema@.memory_jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "entry_id" TEXT,
  "memory_id" TEXT,
  "user_id" TEXT,
  "agent_id" TEXT,
  "session_id" TEXT,
  "entry_key" TEXT,
  "summary" TEXT,
  "raw_entry" TEXT,
  "context" TEXT,
  "tags" TEXT[],
  "metadata" jsonb,
  "source_type" TEXT,
  "importance" INT,
  "access_count" bigint,
  "creation_time" timestamp with time zone,
  "expires_at" timestamp with time zone,
  "valid_from" timestamp with time zone,
  "valid_until" timestamp with time zone,
  "ttl" TEXT,
  "superseded_by" TEXT,
  "deletion_scheduled_time" timestamp with time zone,
  "embedding" real[],
  "entities" TEXT[]
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_get_wrapper';
COMMENT ON FUNCTION @extschema@.memory_get(
  @extschema@.memory_text,
  anycompatiblearray,
  @extschema@.memory_jsonb,
  TEXT
) IS
  'memory_get for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_history"(
  "memory_id" @extschema@.memory_text,
  "entry_id" @extschema@.memory_uuid,
  "page_size" @extschema@.memory_int4 DEFAULT 100,
  "older_than" bigint DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "history_id" bigint,
  "operation" TEXT,
  "recorded_at" timestamp with time zone,
  "session_role" TEXT,
  "effective_role" TEXT,
  "user_id" TEXT,
  "before" jsonb
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_history_wrapper';
COMMENT ON FUNCTION @extschema@.memory_history(
  @extschema@.memory_text,
  @extschema@.memory_uuid,
  @extschema@.memory_int4,
  bigint,
  TEXT
) IS
  'memory_history for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_import"(
  "memory_id" @extschema@.memory_text,
  "lines" @extschema@.memory_jsonb,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_import_wrapper';
COMMENT ON FUNCTION @extschema@.memory_import(
  @extschema@.memory_text,
  @extschema@.memory_jsonb,
  TEXT
) IS
  'memory_import for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_import_table"(
  "store" @extschema@.memory_text,
  "entries" regclass,
  "columns" @extschema@.memory_jsonb,
  "language" TEXT DEFAULT NULL,
  "dimensions" @extschema@.memory_int4 DEFAULT NULL
) RETURNS jsonb
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_import_table_wrapper';
COMMENT ON FUNCTION @extschema@.memory_import_table(
  @extschema@.memory_text,
  regclass,
  @extschema@.memory_jsonb,
  TEXT,
  @extschema@.memory_int4
) IS
  'memory_import_table for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_link"(
  "memory_id" @extschema@.memory_text,
  "from_entry" @extschema@.memory_text,
  "to_entry" @extschema@.memory_text,
  "kind" TEXT DEFAULT 'related',
  "weight" double precision DEFAULT 1,
  "valid_from" @extschema@.memory_timestamptz DEFAULT NULL,
  "valid_until" @extschema@.memory_timestamptz DEFAULT NULL,
  "metadata" @extschema@.memory_jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS bool
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_link_wrapper';
COMMENT ON FUNCTION @extschema@.memory_link(
  @extschema@.memory_text,
  @extschema@.memory_text,
  @extschema@.memory_text,
  TEXT,
  double precision,
  @extschema@.memory_timestamptz,
  @extschema@.memory_timestamptz,
  @extschema@.memory_jsonb,
  TEXT
) IS
  'memory_link for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_links"(
  "memory_id" @extschema@.memory_text,
  "entry_id" @extschema@.memory_text,
  "kinds" TEXT[] DEFAULT NULL,
  "direction" TEXT DEFAULT 'both',
  "max_rows" @extschema@.memory_int4 DEFAULT 100,
  "valid_at" @extschema@.memory_timestamptz DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "from_entry" TEXT,
  "to_entry" TEXT,
  "kind" TEXT,
  "weight" real,
  "valid_from" timestamp with time zone,
  "valid_until" timestamp with time zone,
  "metadata" jsonb,
  "creation_time" timestamp with time zone
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_links_wrapper';
COMMENT ON FUNCTION @extschema@.memory_links(
  @extschema@.memory_text,
  @extschema@.memory_text,
  TEXT[],
  TEXT,
  @extschema@.memory_int4,
  @extschema@.memory_timestamptz,
  TEXT
) IS
  'memory_links for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_list"(
  "memory_id" @extschema@.memory_text,
  "filters" @extschema@.memory_jsonb DEFAULT NULL,
  "order_by" TEXT DEFAULT '-createdAt',
  "page_size" @extschema@.memory_int4 DEFAULT 100,
  "cursor" TEXT DEFAULT NULL,
  "store" TEXT DEFAULT NULL,
  "options" @extschema@.memory_jsonb DEFAULT NULL
) RETURNS TABLE (
  "entry_id" TEXT,
  "memory_id" TEXT,
  "user_id" TEXT,
  "agent_id" TEXT,
  "session_id" TEXT,
  "entry_key" TEXT,
  "summary" TEXT,
  "raw_entry" TEXT,
  "context" TEXT,
  "tags" TEXT[],
  "metadata" jsonb,
  "source_type" TEXT,
  "importance" INT,
  "access_count" bigint,
  "creation_time" timestamp with time zone,
  "expires_at" timestamp with time zone,
  "valid_from" timestamp with time zone,
  "valid_until" timestamp with time zone,
  "ttl" TEXT,
  "superseded_by" TEXT,
  "deletion_scheduled_time" timestamp with time zone,
  "embedding" real[],
  "cursor" TEXT,
  "entities" TEXT[]
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_list_wrapper';
COMMENT ON FUNCTION @extschema@.memory_list(
  @extschema@.memory_text,
  @extschema@.memory_jsonb,
  TEXT,
  @extschema@.memory_int4,
  TEXT,
  TEXT,
  @extschema@.memory_jsonb
) IS
  'memory_list for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_list_memories"(
  "prefix" @extschema@.memory_text,
  "after" TEXT DEFAULT NULL,
  "page_size" @extschema@.memory_int4 DEFAULT 100,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "memory_id" TEXT,
  "entries" bigint,
  "contexts" bigint,
  "first_created" timestamp with time zone,
  "last_created" timestamp with time zone,
  "last_used" timestamp with time zone
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_list_memories_wrapper';
COMMENT ON FUNCTION @extschema@.memory_list_memories(
  @extschema@.memory_text,
  TEXT,
  @extschema@.memory_int4,
  TEXT
) IS
  'memory_list_memories for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_purge"(
  "before" @extschema@.memory_timestamptz,
  "max_rows" bigint DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_purge_wrapper';
COMMENT ON FUNCTION @extschema@.memory_purge(
  @extschema@.memory_timestamptz,
  bigint,
  TEXT
) IS
  'memory_purge for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_put_context"(
  "memory_id" @extschema@.memory_text,
  "context" TEXT,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "user_id" @extschema@.memory_text DEFAULT NULL,
  "creation_time" @extschema@.memory_timestamptz DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS uuid
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_put_context_wrapper';
COMMENT ON FUNCTION @extschema@.memory_put_context(
  @extschema@.memory_text,
  TEXT,
  @extschema@.memory_embedding,
  @extschema@.memory_text,
  @extschema@.memory_timestamptz,
  TEXT
) IS
  'memory_put_context for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_recall"(
  "memory_id" @extschema@.memory_text,
  "query" TEXT,
  "top_ke" @extschema@.memory_int4 DEFAULT NULL,
  "top_kc" @extschema@.memory_int4 DEFAULT NULL,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "filters" @extschema@.memory_jsonb DEFAULT NULL,
  "options" @extschema@.memory_jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS jsonb
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_recall_wrapper';
COMMENT ON FUNCTION @extschema@.memory_recall(
  @extschema@.memory_text,
  TEXT,
  @extschema@.memory_int4,
  @extschema@.memory_int4,
  @extschema@.memory_embedding,
  @extschema@.memory_jsonb,
  @extschema@.memory_jsonb,
  TEXT
) IS
  'memory_recall for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_reembed"(
  "memory_id" @extschema@.memory_text,
  "everything" bool DEFAULT false,
  "max_rows" bigint DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_reembed_wrapper';
COMMENT ON FUNCTION @extschema@.memory_reembed(
  @extschema@.memory_text,
  bool,
  bigint,
  TEXT
) IS
  'memory_reembed for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_related"(
  "memory_id" @extschema@.memory_text,
  "entry_id" @extschema@.memory_text,
  "depth" @extschema@.memory_int4 DEFAULT 2,
  "kinds" TEXT[] DEFAULT NULL,
  "max_entries" @extschema@.memory_int4 DEFAULT 100,
  "store" TEXT DEFAULT NULL
) RETURNS TABLE (
  "entry_id" TEXT,
  "hops" INT,
  "weight" real,
  "kind" TEXT,
  "via" TEXT,
  "raw_entry" TEXT,
  "summary" TEXT,
  "creation_time" timestamp with time zone,
  "is_cut" bool
)
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_related_wrapper';
COMMENT ON FUNCTION @extschema@.memory_related(
  @extschema@.memory_text,
  @extschema@.memory_text,
  @extschema@.memory_int4,
  TEXT[],
  @extschema@.memory_int4,
  TEXT
) IS
  'memory_related for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_restore"(
  "memory_id" @extschema@.memory_text,
  "entry_ids" @extschema@.memory_uuid[] DEFAULT NULL,
  "whole_memory" bool DEFAULT false,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_restore_wrapper';
COMMENT ON FUNCTION @extschema@.memory_restore(
  @extschema@.memory_text,
  @extschema@.memory_uuid[],
  bool,
  TEXT
) IS
  'memory_restore for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_restore_contexts"(
  "memory_id" @extschema@.memory_text,
  "context_ids" @extschema@.memory_uuid[],
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_restore_contexts_wrapper';
COMMENT ON FUNCTION @extschema@.memory_restore_contexts(
  @extschema@.memory_text,
  @extschema@.memory_uuid[],
  TEXT
) IS
  'memory_restore_contexts for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_search"(
  "memory_id" @extschema@.memory_text,
  "query" TEXT,
  "top_ke" @extschema@.memory_int4 DEFAULT NULL,
  "top_kc" @extschema@.memory_int4 DEFAULT NULL,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "filters" @extschema@.memory_jsonb DEFAULT NULL,
  "options" @extschema@.memory_jsonb DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS jsonb
STABLE PARALLEL RESTRICTED
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_search_wrapper';
COMMENT ON FUNCTION @extschema@.memory_search(
  @extschema@.memory_text,
  TEXT,
  @extschema@.memory_int4,
  @extschema@.memory_int4,
  @extschema@.memory_embedding,
  @extschema@.memory_jsonb,
  @extschema@.memory_jsonb,
  TEXT
) IS
  'memory_search for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_search_entries"(
  "memory_id" @extschema@.memory_text,
  "query" TEXT,
  "k" @extschema@.memory_int4 DEFAULT NULL,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "filters" @extschema@.memory_jsonb DEFAULT NULL,
  "options" @extschema@.memory_jsonb DEFAULT NULL,
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
COMMENT ON FUNCTION @extschema@.memory_search_entries(
  @extschema@.memory_text,
  TEXT,
  @extschema@.memory_int4,
  @extschema@.memory_embedding,
  @extschema@.memory_jsonb,
  @extschema@.memory_jsonb,
  TEXT
) IS
  'memory_search_entries for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_supersede"(
  "memory_id" @extschema@.memory_text,
  "old_entry_id" @extschema@.memory_uuid,
  "new_entry_id" @extschema@.memory_uuid,
  "store" TEXT DEFAULT NULL,
  "at" @extschema@.memory_timestamptz DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_supersede_wrapper';
COMMENT ON FUNCTION @extschema@.memory_supersede(
  @extschema@.memory_text,
  @extschema@.memory_uuid,
  @extschema@.memory_uuid,
  TEXT,
  @extschema@.memory_timestamptz
) IS
  'memory_supersede for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_touch"(
  "memory_id" @extschema@.memory_text,
  "entry_ids" anycompatiblearray,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_touch_wrapper';
COMMENT ON FUNCTION @extschema@.memory_touch(
  @extschema@.memory_text,
  anycompatiblearray,
  TEXT
) IS
  'memory_touch for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_unalias"(
  "memory_id" @extschema@.memory_text,
  "alias" TEXT,
  "store" TEXT DEFAULT NULL
) RETURNS bool
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_unalias_wrapper';
COMMENT ON FUNCTION @extschema@.memory_unalias(
  @extschema@.memory_text,
  TEXT,
  TEXT
) IS
  'memory_unalias for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_unlink"(
  "memory_id" @extschema@.memory_text,
  "from_entry" @extschema@.memory_text,
  "to_entry" @extschema@.memory_text,
  "kind" TEXT DEFAULT NULL,
  "store" TEXT DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_unlink_wrapper';
COMMENT ON FUNCTION @extschema@.memory_unlink(
  @extschema@.memory_text,
  @extschema@.memory_text,
  @extschema@.memory_text,
  TEXT,
  TEXT
) IS
  'memory_unlink for clients that send other types: json, bigint, text, ids of other types';

CREATE FUNCTION "memory_update"(
  "memory_id" @extschema@.memory_text,
  "entry_id" @extschema@.memory_uuid,
  "raw_entry" TEXT DEFAULT NULL,
  "summary" TEXT DEFAULT NULL,
  "tags" TEXT[] DEFAULT NULL,
  "metadata" @extschema@.memory_jsonb DEFAULT NULL,
  "importance" @extschema@.memory_int4 DEFAULT NULL,
  "embedding" @extschema@.memory_embedding DEFAULT NULL,
  "source_type" TEXT DEFAULT NULL,
  "expires_at" @extschema@.memory_timestamptz DEFAULT NULL,
  "store" TEXT DEFAULT NULL,
  "user_id" @extschema@.memory_text DEFAULT NULL,
  "agent_id" @extschema@.memory_text DEFAULT NULL,
  "session_id" @extschema@.memory_text DEFAULT NULL,
  "entry_key" @extschema@.memory_text DEFAULT NULL,
  "creation_time" @extschema@.memory_timestamptz DEFAULT NULL,
  "valid_from" @extschema@.memory_timestamptz DEFAULT NULL,
  "valid_until" @extschema@.memory_timestamptz DEFAULT NULL,
  "ttl" interval DEFAULT NULL,
  "clear" TEXT[] DEFAULT NULL,
  "entities" TEXT[] DEFAULT NULL
) RETURNS bigint
SET search_path TO pg_catalog, pg_temp
LANGUAGE c
AS 'MODULE_PATHNAME', 'memory_update_wrapper';
COMMENT ON FUNCTION @extschema@.memory_update(
  @extschema@.memory_text,
  @extschema@.memory_uuid,
  TEXT,
  TEXT,
  TEXT[],
  @extschema@.memory_jsonb,
  @extschema@.memory_int4,
  @extschema@.memory_embedding,
  TEXT,
  @extschema@.memory_timestamptz,
  TEXT,
  @extschema@.memory_text,
  @extschema@.memory_text,
  @extschema@.memory_text,
  @extschema@.memory_text,
  @extschema@.memory_timestamptz,
  @extschema@.memory_timestamptz,
  @extschema@.memory_timestamptz,
  interval,
  TEXT[],
  TEXT[]
) IS
  'memory_update for clients that send other types: json, bigint, text, ids of other types';
