ALTER TABLE {schema}.aliases
  ADD COLUMN IF NOT EXISTS creation_time timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp();
