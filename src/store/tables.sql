CREATE TABLE {schema}.entries (
  memory_id text NOT NULL CHECK (memory_id OPERATOR(pg_catalog.<>) ''),
  entry_id uuid NOT NULL DEFAULT pg_catalog.gen_random_uuid(),
  user_id text,
  agent_id text,
  raw_entry text NOT NULL,
  summary text,
  context text,
  tags text[] NOT NULL DEFAULT '{}',
  metadata jsonb NOT NULL DEFAULT '{}',
  source_type text,
  importance smallint NOT NULL DEFAULT 50 CHECK (importance OPERATOR(pg_catalog.>=) 0 AND importance OPERATOR(pg_catalog.<=) 100),
  creation_time timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
  deletion_scheduled_time timestamptz,
  expires_at timestamptz,
  embedding {vector_schema}.halfvec{dimensions},
  search_vector tsvector GENERATED ALWAYS AS (
    pg_catalog.setweight(pg_catalog.to_tsvector({language}::pg_catalog.regconfig, pg_catalog.left(COALESCE(summary, ''), {summary_characters})), 'A')
    OPERATOR(pg_catalog.||)
    pg_catalog.setweight(pg_catalog.to_tsvector({language}::pg_catalog.regconfig, pg_catalog.left(raw_entry, {raw_entry_characters})), 'B')
    OPERATOR(pg_catalog.||)
    pg_catalog.setweight(pg_catalog.to_tsvector({language}::pg_catalog.regconfig, pg_catalog.left(
      pg_catalog.jsonb_object(
        pg_catalog.array_remove(tags, NULL),
        pg_catalog.array_fill(''::text, ARRAY[pg_catalog.cardinality(pg_catalog.array_remove(tags, NULL))])
      )::text, {tags_characters})), 'C')
    OPERATOR(pg_catalog.||)
    pg_catalog.setweight(
      CASE WHEN pg_catalog.octet_length(metadata::text) OPERATOR(pg_catalog.<=) {metadata_characters}
           THEN pg_catalog.jsonb_to_tsvector({language}::pg_catalog.regconfig, metadata, '["string", "numeric"]')
           ELSE pg_catalog.to_tsvector({language}::pg_catalog.regconfig, pg_catalog.left(metadata::text, {metadata_characters}))
      END, 'D')
  ) STORED,
  PRIMARY KEY (memory_id, entry_id)
);
CREATE INDEX entries_recent ON {schema}.entries (memory_id, creation_time DESC, entry_id);
CREATE INDEX entries_words ON {schema}.entries USING gin (search_vector);
CREATE INDEX entries_user ON {schema}.entries (user_id, memory_id) WHERE user_id IS NOT NULL;
CREATE INDEX entries_to_purge ON {schema}.entries (deletion_scheduled_time) WHERE deletion_scheduled_time IS NOT NULL;
CREATE INDEX entries_expiring ON {schema}.entries (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE {schema}.contexts (
  memory_id text NOT NULL CHECK (memory_id OPERATOR(pg_catalog.<>) ''),
  context_id uuid NOT NULL DEFAULT pg_catalog.gen_random_uuid(),
  user_id text,
  context text NOT NULL,
  creation_time timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
  deletion_scheduled_time timestamptz,
  embedding {vector_schema}.halfvec{dimensions},
  search_vector tsvector GENERATED ALWAYS AS (
    pg_catalog.to_tsvector({language}::pg_catalog.regconfig, pg_catalog.left(context, {raw_entry_characters}))
  ) STORED,
  PRIMARY KEY (memory_id, context_id)
);
CREATE INDEX contexts_recent ON {schema}.contexts (memory_id, creation_time DESC, context_id);
CREATE INDEX contexts_to_purge ON {schema}.contexts (deletion_scheduled_time) WHERE deletion_scheduled_time IS NOT NULL;

CREATE TABLE {schema}.entry_access (
  memory_id text NOT NULL,
  entry_id uuid NOT NULL,
  access_count bigint NOT NULL DEFAULT 0 CHECK (access_count OPERATOR(pg_catalog.>=) 0),
  last_accessed_at timestamptz,
  PRIMARY KEY (memory_id, entry_id),
  FOREIGN KEY (memory_id, entry_id) REFERENCES {schema}.entries ON DELETE CASCADE
) WITH (fillfactor = 70);

COMMENT ON TABLE {schema}.entries IS 'memory_search: one remembered thing a row; found by memory_search()';
COMMENT ON COLUMN {schema}.entries.memory_id IS 'The memory this entry belongs to: the scope of every search';
COMMENT ON COLUMN {schema}.entries.entry_id IS 'Unique within the memory';
COMMENT ON COLUMN {schema}.entries.user_id IS 'Whom the entry is about or belongs to';
COMMENT ON COLUMN {schema}.entries.agent_id IS 'The agent that remembered it';
COMMENT ON COLUMN {schema}.entries.raw_entry IS 'The remembered text as it came';
COMMENT ON COLUMN {schema}.entries.summary IS 'A short form; its words count most';
COMMENT ON COLUMN {schema}.entries.context IS 'What the memory was about at that time; kept with the entry, never searched as one';
COMMENT ON COLUMN {schema}.entries.tags IS 'Labels to filter by; their words are searched too';
COMMENT ON COLUMN {schema}.entries.metadata IS 'Anything else; its texts and numbers are searched with the least weight';
COMMENT ON COLUMN {schema}.entries.source_type IS 'Where it came from: chat, email, ...';
COMMENT ON COLUMN {schema}.entries.importance IS '0 (trivial) to 100 (vital)';
COMMENT ON COLUMN {schema}.entries.creation_time IS 'When it was said or happened';
COMMENT ON COLUMN {schema}.entries.deletion_scheduled_time IS 'When it was deleted; hidden from then on, until purged or restored';
COMMENT ON COLUMN {schema}.entries.expires_at IS 'Hidden from this time on';
COMMENT ON COLUMN {schema}.entries.embedding IS 'Its meaning as a vector; null is found by words alone';
COMMENT ON COLUMN {schema}.entries.search_vector IS 'Generated: lexemes of summary (A), raw_entry (B), tags (C) and metadata (D), never of context; of very long text the beginning';
COMMENT ON TABLE {schema}.contexts IS 'memory_search: consolidated snapshots of what a memory is about; the newest is its latest context';
COMMENT ON TABLE {schema}.entry_access IS 'memory_search: how often entries were used; narrow, so that counting never rewrites an entry';
