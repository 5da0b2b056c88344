-- memory_adopt_table: an existing table becomes a store through a view. Nothing is copied; its columns are found by
-- their names or by expressions, and a column that is left out has no value.
CREATE SCHEMA at_app;
-- Columns with other names, constants and expressions.
CREATE TABLE at_app."My ""Notes""" (
  "Key" bigint PRIMARY KEY, "Memory Id" text, "body's" text, "select" text, "Größe" numeric, "a.b" varchar(20),
  "made at" timestamptz, payload jsonb, "Labels" varchar(10)[], dropped int, "true" text
);
ALTER TABLE at_app."My ""Notes""" DROP COLUMN dropped;
INSERT INTO at_app."My ""Notes""" VALUES
  (7, 'trip', 'Guesthouse by the sea', 'Where she stays', 69.5, 'ann', '2025-01-01 12:00Z',
   '{"agent": "bot", "from": "mail", "gone": null}', '{sea,"big bed"}', 'a column that is called true');
SELECT memory_adopt_table('at "one"', 'at_app."My ""Notes"""',
    $${"memory_id": "Memory Id", "entry_id": "Key", "user_id": "a.b", "agent_id": "payload->>'agent'",
       "raw_entry": "body's", "summary": "upper(\"select\")", "context": "true", "tags": "Labels",
       "metadata": "jsonb_build_object('key', \"Key\", 'it''s', 'a constant') -- and a comment",
       "source_type": "payload->>'from'", "importance": "Größe", "creation_time": "made at",
       "embedding_model": "'none'", "expires_at": "(payload->>'gone')::timestamptz", "superseded_by": null}$$);
SELECT jsonb_pretty(memory_search('trip', 'guesthouse',
    options => '{"strategy": "keyword", "asOf": "2025-01-02T12:00:00Z"}', store => 'at "one"'));
SELECT attname, format_type(atttypid, atttypmod) AS type
FROM pg_attribute WHERE attrelid = '"at ""one""".entries'::regclass ORDER BY attnum;
SELECT reloptions FROM pg_class WHERE oid = '"at ""one""".entries'::regclass;
SELECT relname, relkind
FROM pg_class
WHERE relnamespace = '"at ""one"""'::regnamespace AND relkind IN ('r', 'v')
ORDER BY 1;
-- The table itself is as it was: no trigger, no column, no rule.
SELECT (SELECT count(*) FROM pg_trigger WHERE tgrelid = t.oid) AS triggers, relnatts, relhasrules
FROM pg_class t WHERE oid = 'at_app."My ""Notes"""'::regclass;
-- A constant makes the whole table one memory; every column that may be left out may also be null.
CREATE TABLE at_app.lines (id int PRIMARY KEY, line text);
INSERT INTO at_app.lines VALUES (1, 'green tea'), (10, 'green tea'), (2, 'green tea and a train'), (9, 'the train');
SELECT memory_adopt_table('at_lines', 'at_app.lines',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line", "user_id": "''it''''s; --''", "summary": null,
      "context": null, "tags": null, "metadata": null, "importance": null, "creation_time": null, "embedding": null,
      "search_vector": null}');
SELECT jsonb_pretty(memory_search('all', 'train', 1, filters => '{"userId": "it''s; --"}',
    options => '{"strategy": "keyword"}', store => 'at_lines'));
SELECT memory_search('all', 'train', filters => '{"userId": "it"}', options => '{"strategy": "keyword"}',
    store => 'at_lines')->'count' AS of_another_user;
-- Without embeddings a query by meaning alone falls back to the most recent, or to nothing.
SELECT test.strategies(memory_search('all', '', embedding => '[1,0,0,0]', store => 'at_lines')) AS strategies,
  memory_search('all', '', embedding => '[1,0,0,0]', options => '{"fallback": false}',
      store => 'at_lines')->'count' AS without_fallback;
-- Importance of any size is limited to 0 to 100, and times of other types become instants.
CREATE TABLE at_app.numbers (
  id int PRIMARY KEY, line text, small smallint, big bigint, exact numeric, double double precision, day date,
  wall timestamp
);
INSERT INTO at_app.numbers VALUES
  (1, 'tea', 70, 1000000, 49.5, -3, '2025-01-02', '2025-01-02 03:04'),
  (2, 'tea', -1, 9223372036854775807, 1e20, 99.6, 'infinity', '-infinity'),
  (3, 'tea', NULL, -5, 0.4, 'Infinity', NULL, NULL);
SET timezone = 'UTC';
SELECT memory_adopt_table('at_n_' || importance, 'at_app.numbers',
    jsonb_build_object('memory_id', '''all''', 'entry_id', 'id', 'raw_entry', 'line', 'importance', importance,
        'creation_time', made))
FROM (VALUES ('small', 'day'), ('big', 'wall'), ('exact', 'day'), ('double', 'wall')) n(importance, made);
SELECT importance,
  (SELECT string_agg(format('%s: %s %s', entry_id, coalesce(f.importance::text, 'null'),
           coalesce(f.creation_time::text, 'null')),
       ', ' ORDER BY entry_id)
   FROM memory_search_entries('all', '', 10, store => 'at_n_' || importance) f) AS found
FROM (VALUES ('small'), ('big'), ('exact'), ('double')) n(importance) ORDER BY 1;
-- Times without a zone are read in the zone of the session that adopted the table, whatever that of a caller is.
SET timezone = 'Asia/Tokyo';
SET client_min_messages = notice;
SELECT memory_adopt_table('at_n_tokyo', 'at_app.numbers', '{"memory_id": "''all''", "entry_id": "id",
  "raw_entry": "line", "creation_time": "wall", "valid_from": "day"}');
RESET client_min_messages;
SET timezone = 'America/New_York';
SELECT zone, (SELECT string_agg(format('%s: %s', f.entry_id, f.creation_time AT TIME ZONE 'UTC'), ', '
    ORDER BY entry_id) FROM memory_search_entries('all', '', 10, store => 'at_n_' || store) f) AS instants
FROM (VALUES ('UTC', 'big'), ('UTC', 'exact'), ('Tokyo', 'tokyo')) n(zone, store);
RESET timezone;

SELECT count(memory_drop_store(nspname, force => true)) AS dropped
FROM pg_namespace WHERE nspname LIKE 'at\_%' AND nspname <> 'at_app' OR nspname = 'at "one"';
SELECT count(*) AS tables
FROM pg_class WHERE relnamespace = 'at_app'::regnamespace AND relkind = 'r';
DROP SCHEMA at_app CASCADE;
