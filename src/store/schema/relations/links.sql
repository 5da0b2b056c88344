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
  'The entry that the link leads from. If it is corrected, readers see the entry that corrects it instead';
COMMENT ON COLUMN {schema}.links.to_entry IS 'The entry that the link leads to, or the entry that corrects it';
COMMENT ON COLUMN {schema}.links.kind IS 'The meaning of the link: related, derived_from, a word of your own';
COMMENT ON COLUMN {schema}.links.weight IS
  'The strength, 0 to 1: the weight of a path is the product of the weights of its links';
COMMENT ON COLUMN {schema}.links.valid_from IS 'From when the link holds; null is open';
COMMENT ON COLUMN {schema}.links.valid_until IS 'From when the link no longer holds; null is open';
COMMENT ON COLUMN {schema}.links.metadata IS 'A JSON object of your own';
COMMENT ON COLUMN {schema}.links.creation_time IS 'When the link was made';
COMMENT ON INDEX {schema}.links_from IS 'memory_search: finds the heaviest links from an entry';
COMMENT ON INDEX {schema}.links_to IS 'memory_search: finds the heaviest links to an entry';
