CREATE TABLE {schema}.contexts (
  memory_id text NOT NULL CHECK (memory_id OPERATOR(pg_catalog.<>) ''),
  context_id uuid NOT NULL DEFAULT pg_catalog.gen_random_uuid(),
  user_id text,
  context text NOT NULL,
  creation_time timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
  deletion_scheduled_time timestamptz,
  embedding {embedding_type},
  embedding_model text,
  embedding_error text,
  CONSTRAINT contexts_language CHECK ({language}::pg_catalog.regconfig IS NOT NULL){entry_column}{entries_foreign_key}
){options};
{partitions}CREATE INDEX contexts_recent ON {schema}.contexts (memory_id, creation_time DESC, context_id);
CREATE INDEX contexts_to_purge ON {schema}.contexts (deletion_scheduled_time) WHERE deletion_scheduled_time IS NOT NULL;
CREATE INDEX contexts_to_embed ON {schema}.contexts (memory_id, context_id) WHERE embedding IS NULL;
-- After the others, as that of entries.
ALTER TABLE {schema}.contexts ADD PRIMARY KEY (memory_id, context_id);

COMMENT ON TABLE {schema}.contexts IS
  'memory_search: contexts, texts on the state of a memory; the newest is its latest context';
COMMENT ON COLUMN {schema}.contexts.memory_id IS 'The memory that the context is about';
COMMENT ON COLUMN {schema}.contexts.context_id IS 'Unique within the memory';
COMMENT ON COLUMN {schema}.contexts.user_id IS
  'The user that the context belongs to: filter userId, and row-level security';
COMMENT ON COLUMN {schema}.contexts.context IS 'The text';
COMMENT ON COLUMN {schema}.contexts.creation_time IS
  'The time that the text describes: the newest context is the latest context';
COMMENT ON COLUMN {schema}.contexts.deletion_scheduled_time IS
  'When the context was deleted: it is hidden from then on, until it is restored or purged';
COMMENT ON COLUMN {schema}.contexts.embedding IS
  'The embedding of the text; a context without one is found by words only';
COMMENT ON COLUMN {schema}.contexts.embedding_model IS
  'The embedder that made the embedding; null if the caller gave it';
COMMENT ON COLUMN {schema}.contexts.embedding_error IS
  'Why the embedder refused the text: memory_embed_pending skips such a row, memory_reembed tries it again';
COMMENT ON CONSTRAINT contexts_language ON {schema}.contexts IS
  'memory_search: the language of the texts, a text search configuration';
COMMENT ON INDEX {schema}.contexts_recent IS 'memory_search: finds the latest context';
COMMENT ON INDEX {schema}.contexts_to_embed IS 'memory_search: finds the rows that memory_embed_pending has to embed';
COMMENT ON INDEX {schema}.contexts_to_purge IS 'memory_search: finds the rows that memory_purge removes';
{entry_index}