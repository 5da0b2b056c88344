CREATE TABLE {schema}.history (
  history_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  memory_id text NOT NULL,
  entry_id uuid NOT NULL,
  user_id text,
  operation text NOT NULL CHECK (operation OPERATOR(pg_catalog.=) ANY (ARRAY[{operations}]::pg_catalog.text[])),
  recorded_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
  session_role text NOT NULL DEFAULT SESSION_USER,
  effective_role text NOT NULL DEFAULT CURRENT_USER,
  before jsonb,
  PRIMARY KEY (memory_id, entry_id, history_id),
  FOREIGN KEY (memory_id, entry_id) REFERENCES {schema}.entries ON UPDATE CASCADE ON DELETE CASCADE
);
ALTER TABLE {schema}.history ENABLE ROW LEVEL SECURITY;
CREATE POLICY memory_search_history_seen ON {schema}.history FOR SELECT USING ({seen});
CREATE POLICY memory_search_history_written ON {schema}.history FOR INSERT WITH CHECK (EXISTS (
  SELECT FROM {schema}.entries e
   WHERE e.memory_id OPERATOR(pg_catalog.=) history.memory_id AND e.entry_id OPERATOR(pg_catalog.=) history.entry_id));
-- The server adds the policy for SELECT only to a DELETE that reads columns.
CREATE POLICY memory_search_history_forgotten ON {schema}.history FOR DELETE USING ({seen});

COMMENT ON TABLE {schema}.history IS
  'memory_search: what happened to entries, for memory_history(); a row is removed together with its entry';
COMMENT ON COLUMN {schema}.history.history_id IS 'The order of the operations';
COMMENT ON COLUMN {schema}.history.memory_id IS 'The memory of the entry';
COMMENT ON COLUMN {schema}.history.entry_id IS 'The entry';
COMMENT ON COLUMN {schema}.history.user_id IS
  'The user of the entry until then: for memory_forget_user(), and policies';
COMMENT ON COLUMN {schema}.history.operation IS
  'added, changed, deleted (hidden), restored, superseded (corrected) or reinstated (no longer corrected)';
COMMENT ON COLUMN {schema}.history.recorded_at IS 'When the operation was recorded';
COMMENT ON COLUMN {schema}.history.session_role IS 'The role that was logged in: session_user';
COMMENT ON COLUMN {schema}.history.effective_role IS 'The role whose rights applied: current_user';
COMMENT ON COLUMN {schema}.history.before IS
  'The row as it was until then, without embedding, words and context; null if it was added';
COMMENT ON POLICY memory_search_history_seen ON {schema}.history IS
  'memory_search: rows of entries that the caller sees, from the time when these had the same user and memory';
COMMENT ON POLICY memory_search_history_written ON {schema}.history IS
  'memory_search: rows of entries that the caller sees';
COMMENT ON POLICY memory_search_history_forgotten ON {schema}.history IS
  'memory_search: a role with the privilege DELETE deletes the rows that it sees';
