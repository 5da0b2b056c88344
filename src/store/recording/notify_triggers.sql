{create} TRIGGER memory_search_notify_added AFTER INSERT ON {table}
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION {schema}.notify_changes({channel});
{create} TRIGGER memory_search_notify_changed AFTER UPDATE ON {table}
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION {schema}.notify_changes({channel});
{create} TRIGGER memory_search_notify_removed AFTER DELETE ON {table}
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION {schema}.notify_changes({channel});
{create} TRIGGER memory_search_notify_truncated AFTER TRUNCATE ON {table}
  FOR EACH STATEMENT EXECUTE FUNCTION {schema}.notify_changes({channel});
