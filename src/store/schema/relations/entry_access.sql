CREATE TABLE {schema}.entry_access (
  memory_id {memory_id_type} NOT NULL,
  entry_id {entry_id_type} NOT NULL,
  access_count bigint NOT NULL DEFAULT 0 CHECK (access_count OPERATOR(pg_catalog.>=) 0),
  last_accessed_at timestamptz,
  helpful bigint NOT NULL DEFAULT 0 CHECK (helpful OPERATOR(pg_catalog.>=) 0),
  unhelpful bigint NOT NULL DEFAULT 0 CHECK (unhelpful OPERATOR(pg_catalog.>=) 0),
  PRIMARY KEY (memory_id, entry_id){entries_foreign_key}
){options};
{partitions}
COMMENT ON TABLE {schema}.entry_access IS
  'memory_search: how often entries were used; a table of its own, so that counting updates no entry';
COMMENT ON COLUMN {schema}.entry_access.memory_id IS 'The memory of the entry';
COMMENT ON COLUMN {schema}.entry_access.entry_id IS 'The entry';
COMMENT ON COLUMN {schema}.entry_access.access_count IS 'How often memory_touch and memory_recall counted the entry';
COMMENT ON COLUMN {schema}.entry_access.last_accessed_at IS 'When they last counted it';
COMMENT ON COLUMN {schema}.entry_access.helpful IS 'How often memory_feedback said that the entry helped';
COMMENT ON COLUMN {schema}.entry_access.unhelpful IS 'How often memory_feedback said that the entry did not help';
