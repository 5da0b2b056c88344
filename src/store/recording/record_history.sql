{create} FUNCTION {schema}.record_history() RETURNS pg_catalog.trigger LANGUAGE plpgsql
SET search_path TO pg_catalog, pg_temp AS {quote}
DECLARE
  is_empty pg_catalog.bool;
BEGIN
  SELECT pg_catalog.count(*) OPERATOR(pg_catalog.=) 0 INTO is_empty FROM (SELECT FROM new_rows LIMIT 1) n;
  IF is_empty THEN
    RETURN NULL;
  END IF;
  -- The schema may be renamed: a statement whose plan is kept is for the name that it had.
  IF TG_OP OPERATOR(pg_catalog.=) 'INSERT' THEN
    IF TG_TABLE_SCHEMA OPERATOR(pg_catalog.=) {schema_name}::pg_catalog.name THEN
      INSERT INTO {schema}.history (memory_id, entry_id, user_id, operation)
      SELECT n.memory_id, n.entry_id, n.user_id, 'added' FROM new_rows n;
    ELSE
      EXECUTE pg_catalog.format($insert$
        INSERT INTO %I.history (memory_id, entry_id, user_id, operation)
        SELECT n.memory_id, n.entry_id, n.user_id, 'added' FROM new_rows n$insert$, TG_TABLE_SCHEMA);
    END IF;
  ELSE
    EXECUTE pg_catalog.format($insert$
      INSERT INTO %I.history (memory_id, entry_id, user_id, before, operation)
      {changes}$insert$, TG_TABLE_SCHEMA);
  END IF;
  RETURN NULL;
END
{quote};
COMMENT ON FUNCTION {schema}.record_history() IS 'memory_search: writes what happens to entries into history';
