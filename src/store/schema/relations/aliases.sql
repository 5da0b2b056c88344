CREATE TABLE {schema}.aliases (
  memory_id text NOT NULL CHECK (memory_id OPERATOR(pg_catalog.<>) ''),
  alias text NOT NULL CHECK (alias OPERATOR(pg_catalog.<>) ''),
  entity text NOT NULL CHECK (entity OPERATOR(pg_catalog.<>) ''),
  creation_time timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
  PRIMARY KEY (memory_id, alias)
){options};
{partitions}
COMMENT ON TABLE {schema}.aliases IS 'memory_search: other names of the people, places and things in memories';
COMMENT ON COLUMN {schema}.aliases.memory_id IS 'The memory that the alias belongs to';
COMMENT ON COLUMN {schema}.aliases.alias IS
  'The other name as it is compared: in lower case, without accents, with one blank between words';
COMMENT ON COLUMN {schema}.aliases.entity IS 'The name that the alias stands for, as it was written';
COMMENT ON COLUMN {schema}.aliases.creation_time IS 'When the alias was made';
