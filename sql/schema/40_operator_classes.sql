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
