CREATE TABLE {schema}.contexts (
  memory_id text NOT NULL CHECK (memory_id OPERATOR(pg_catalog.<>) ''),
  context_id uuid NOT NULL DEFAULT pg_catalog.gen_random_uuid(),
  user_id text,
  context text NOT NULL,
  creation_time timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
  deletion_scheduled_time timestamptz,
  embedding {embedding_type},
  embedding_model text,
  search_vector tsvector GENERATED ALWAYS AS (
    {search_vector}
  ) STORED,
{entry_column}  PRIMARY KEY (memory_id, context_id){entries_foreign_key}
);
CREATE INDEX contexts_recent ON {schema}.contexts (memory_id, creation_time DESC, context_id);
CREATE INDEX contexts_to_purge ON {schema}.contexts (deletion_scheduled_time) WHERE deletion_scheduled_time IS NOT NULL;

COMMENT ON TABLE {schema}.contexts IS 'memory_search: consolidated snapshots of what a memory is about; the newest is its latest context';
{entry_index}