ALTER TABLE {schema}.links
  ADD COLUMN IF NOT EXISTS weight real NOT NULL DEFAULT 1
    CHECK (weight OPERATOR(pg_catalog.>=) '0'::pg_catalog.float4
      AND weight OPERATOR(pg_catalog.<=) '1'::pg_catalog.float4),
  ADD COLUMN IF NOT EXISTS valid_from timestamptz, ADD COLUMN IF NOT EXISTS valid_until timestamptz,
  ADD COLUMN IF NOT EXISTS metadata jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN IF NOT EXISTS creation_time timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
  DROP CONSTRAINT IF EXISTS links_validity,
  ADD CONSTRAINT links_validity CHECK (valid_from OPERATOR(pg_catalog.<) valid_until);
CREATE INDEX IF NOT EXISTS links_from ON {schema}.links
  (memory_id, from_entry, weight DESC, creation_time DESC, to_entry);
CREATE INDEX IF NOT EXISTS links_to ON {schema}.links
  (memory_id, to_entry, weight DESC, creation_time DESC, from_entry);
