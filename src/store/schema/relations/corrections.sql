CREATE INDEX {if_not_exists}entries_corrected ON {schema}.entries (memory_id, superseded_by)
  WHERE superseded_by IS NOT NULL;
COMMENT ON INDEX {schema}.entries_corrected IS
  'memory_search: finds the entries that an entry corrects, for their links';
