ALTER TABLE {schema}.entries
  ADD COLUMN IF NOT EXISTS session_id text, ADD COLUMN IF NOT EXISTS entry_key text,
  ADD COLUMN IF NOT EXISTS valid_from timestamptz, ADD COLUMN IF NOT EXISTS valid_until timestamptz,
  ADD COLUMN IF NOT EXISTS time_to_live interval, ADD COLUMN IF NOT EXISTS embedding_model text,
  ADD COLUMN IF NOT EXISTS embedding_error text, ADD COLUMN IF NOT EXISTS entities text[] NOT NULL DEFAULT '{}',
  ADD COLUMN IF NOT EXISTS passage_embeddings {vector_type}[] STORAGE EXTERNAL,
  DROP CONSTRAINT IF EXISTS entries_validity, DROP CONSTRAINT IF EXISTS entries_time_to_live,
  ADD CONSTRAINT entries_validity CHECK (valid_from OPERATOR(pg_catalog.<) valid_until),
  ADD CONSTRAINT entries_time_to_live CHECK (time_to_live OPERATOR(pg_catalog.>) '0'::pg_catalog.interval);
CREATE UNIQUE INDEX IF NOT EXISTS entries_key ON {schema}.entries (memory_id, entry_key) WHERE entry_key IS NOT NULL;
CREATE INDEX IF NOT EXISTS entries_session ON {schema}.entries (memory_id, session_id, creation_time, entry_order)
  WHERE session_id IS NOT NULL;
ALTER TABLE {schema}.contexts
  ADD COLUMN IF NOT EXISTS embedding_model text, ADD COLUMN IF NOT EXISTS embedding_error text,
  ADD COLUMN IF NOT EXISTS entry_id uuid,
  DROP CONSTRAINT IF EXISTS contexts_memory_id_entry_id_fkey,
  ADD FOREIGN KEY (memory_id, entry_id) REFERENCES {schema}.entries ON UPDATE CASCADE ON DELETE CASCADE;
CREATE INDEX IF NOT EXISTS contexts_of_entry ON {schema}.contexts (memory_id, entry_id) WHERE entry_id IS NOT NULL;
