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
            HINT = 'Look at them with \df memory_*, and drop them or choose another schema: CREATE EXTENSION memory_search SCHEMA ...;';
  END IF;
END
$guard$;

-- An embedding argument: laid out as pgvector's vector, with implicit casts from everything that
-- callers have (ADR-0004).
CREATE TYPE memory_embedding;
CREATE FUNCTION memory_embedding_in(pg_catalog.cstring) RETURNS memory_embedding
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'memory_embedding_in_wrapper';
CREATE FUNCTION memory_embedding_out(memory_embedding) RETURNS pg_catalog.cstring
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'memory_embedding_out_wrapper';
CREATE TYPE memory_embedding (
  INPUT = memory_embedding_in, OUTPUT = memory_embedding_out,
  INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external
);
CREATE CAST (vector AS memory_embedding) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (memory_embedding AS vector) WITHOUT FUNCTION AS ASSIGNMENT;
CREATE CAST (halfvec AS memory_embedding) WITH FUNCTION halfvec_to_vector(halfvec, pg_catalog.int4, pg_catalog.bool) AS IMPLICIT;
CREATE CAST (pg_catalog._float4 AS memory_embedding) WITH FUNCTION array_to_vector(pg_catalog._float4, pg_catalog.int4, pg_catalog.bool) AS IMPLICIT;
CREATE CAST (pg_catalog._float8 AS memory_embedding) WITH FUNCTION array_to_vector(pg_catalog._float8, pg_catalog.int4, pg_catalog.bool) AS IMPLICIT;
