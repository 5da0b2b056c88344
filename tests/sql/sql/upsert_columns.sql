-- Storing under a key again replaces every column of the entry, also those that the call leaves out, except the columns
-- that are named here. A new column of the table that the upsert does not know would keep its old value.
SELECT memory_create_store('uc', 4);
SET memory_search.embed_on_write = off;
CREATE TABLE uc_kept (name text, reason text, with_time boolean);
INSERT INTO uc_kept VALUES
  ('memory_id', 'is a part of the key', NULL),
  ('entry_key', 'is the key', NULL),
  ('entry_id', 'others refer to the entry by it', NULL),
  ('entry_order', 'the order of insertion', NULL),
  ('creation_time', 'stays unless a new one is given', false),
  ('superseded_by', 'the entry stays corrected', NULL),
  ('superseded_time', 'the entry stays corrected', NULL);
-- A row with a value of its own in each column, before and after the call.
CREATE FUNCTION uc_columns(call text) RETURNS TABLE (name text, is_kept boolean) LANGUAGE plpgsql AS $$
DECLARE
  old jsonb;
  new jsonb;
BEGIN
  DELETE FROM uc.entries;
  INSERT INTO uc.entries AS e
    (memory_id, entry_id, user_id, agent_id, session_id, entry_key, raw_entry, summary, context, tags, entities,
    metadata, source_type, importance, creation_time, deletion_scheduled_time, expires_at, valid_from, valid_until,
    time_to_live, superseded_by, superseded_time, embedding, passage_embeddings, embedding_model, embedding_error)
  VALUES
    ('m', test.id(1), 'u', 'a', 's', 'key', 'one', 'summary', 'context', '{t}', '{Ada}', '{"k": 1}', 'chat', 60,
    '2025-01-01Z', '2025-02-01Z', '2099-01-01Z', '2025-01-01Z', '2098-01-01Z', '1 year', test.id(2), '2025-03-01Z',
    '[1,0,0,0]', '{"[0,1,0,0]"}', 'model', 'error')
  RETURNING to_jsonb(e) INTO old;
  EXECUTE call;
  SELECT to_jsonb(e) INTO STRICT new FROM uc.entries e;
  RETURN QUERY SELECT key, value = new -> key FROM jsonb_each(old);
END $$;
CREATE TABLE uc_calls (way text, with_time boolean, call text);
INSERT INTO uc_calls VALUES
  ('memory_add', false, $$SELECT memory_add('m', 'two', entry_key => 'key', store => 'uc')$$),
  ('memory_add', true,
    $$SELECT memory_add('m', 'two', entry_key => 'key', creation_time => '2025-01-05Z', store => 'uc')$$),
  ('memory_add_many', false, $$SELECT memory_add_many('m', '[{"rawEntry": "two", "entryKey": "key"}]', 'uc')$$),
  ('memory_add_many', true, $$SELECT memory_add_many('m', '[{"rawEntry": "two", "entryKey": "key",
    "creationTime": "2025-01-05T00:00:00Z"}]', 'uc')$$);
CREATE VIEW uc_compared AS
SELECT c.way, c.with_time, f.name, f.is_kept, k.reason
FROM uc_calls c
CROSS JOIN LATERAL uc_columns(c.call) f
LEFT JOIN uc_kept k ON k.name = f.name AND coalesce(k.with_time = c.with_time, true);
SELECT way, with_time, count(*) AS columns, count(*) FILTER (WHERE is_kept) AS kept,
  count(*) FILTER (WHERE is_kept = (reason IS NOT NULL)) AS as_named
FROM uc_compared
GROUP BY 1, 2
ORDER BY 1, 2;
SELECT * FROM uc_compared WHERE is_kept <> (reason IS NOT NULL) ORDER BY 1, 2, 3;
SELECT k.name FROM uc_kept k WHERE k.name NOT IN (SELECT name FROM uc_compared);
-- A column that the upsert does not know is found.
ALTER TABLE uc.entries ADD COLUMN mood text DEFAULT 'unknown';
SELECT * FROM uc_compared WHERE is_kept <> (reason IS NOT NULL) ORDER BY 1, 2, 3;
DROP VIEW uc_compared;
DROP TABLE uc_calls, uc_kept;
DROP FUNCTION uc_columns;
RESET memory_search.embed_on_write;
DROP SCHEMA uc CASCADE;
