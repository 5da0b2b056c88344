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
