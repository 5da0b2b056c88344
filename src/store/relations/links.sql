CREATE TABLE {schema}.links (
  memory_id {memory_id_type} NOT NULL,
  from_entry {entry_id_type} NOT NULL,
  to_entry {entry_id_type} NOT NULL,
  kind text NOT NULL CHECK (kind OPERATOR(pg_catalog.<>) ''),
  weight real NOT NULL DEFAULT 1
    CHECK (weight OPERATOR(pg_catalog.>=) '0'::pg_catalog.float4
      AND weight OPERATOR(pg_catalog.<=) '1'::pg_catalog.float4),
  valid_from timestamptz,
  valid_until timestamptz,
  metadata jsonb NOT NULL DEFAULT '{}',
  creation_time timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
  CONSTRAINT links_validity CHECK (valid_from OPERATOR(pg_catalog.<) valid_until),
  CONSTRAINT links_two_entries CHECK (from_entry OPERATOR(pg_catalog.<>) to_entry),
  PRIMARY KEY (memory_id, from_entry, to_entry, kind){entries_foreign_keys}
){options};
{partitions}-- The links of an entry, the heaviest first: of one with many not all are read.
CREATE INDEX links_from ON {schema}.links (memory_id, from_entry, weight DESC, creation_time DESC, to_entry);
CREATE INDEX links_to ON {schema}.links (memory_id, to_entry, weight DESC, creation_time DESC, from_entry);

COMMENT ON TABLE {schema}.links IS 'memory_search: links between entries, each from one entry to another';
COMMENT ON COLUMN {schema}.links.memory_id IS 'The memory of both entries';
COMMENT ON COLUMN {schema}.links.from_entry IS
  'The entry that it leads from. One that is corrected is read as the entry that corrects it';
COMMENT ON COLUMN {schema}.links.to_entry IS 'The entry that it leads to, read in the same way';
COMMENT ON COLUMN {schema}.links.kind IS 'What it says: related, derived_from, a word of your own';
COMMENT ON COLUMN {schema}.links.weight IS 'How strong it is, 0 to 1: the weight of a path is the product of its links';
COMMENT ON COLUMN {schema}.links.valid_from IS 'From when it holds; null is open';
COMMENT ON COLUMN {schema}.links.valid_until IS 'From when it holds no more; null is open';
COMMENT ON COLUMN {schema}.links.metadata IS 'A JSON object of your own';
COMMENT ON COLUMN {schema}.links.creation_time IS 'When it was made';
COMMENT ON INDEX {schema}.links_from IS 'memory_search: finds the heaviest links from an entry';
COMMENT ON INDEX {schema}.links_to IS 'memory_search: finds the heaviest links to an entry';
