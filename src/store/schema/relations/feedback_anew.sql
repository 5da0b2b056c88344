ALTER TABLE {schema}.entry_access
  ADD COLUMN IF NOT EXISTS helpful bigint NOT NULL DEFAULT 0 CHECK (helpful OPERATOR(pg_catalog.>=) 0),
  ADD COLUMN IF NOT EXISTS unhelpful bigint NOT NULL DEFAULT 0 CHECK (unhelpful OPERATOR(pg_catalog.>=) 0);
