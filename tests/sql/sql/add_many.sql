-- memory_add_many adds what memory_add would, one by one: all of it, or nothing.
SET timezone = 'UTC';
SELECT memory_create_store('am', 256), memory_create_store('am_one', 256);
SELECT ordinality, test.n(entry_id), status FROM memory_add_many('m', '[
  {"rawEntry": "She likes guesthouses by the sea.", "entryId": "00000000-0000-0000-0000-000000000001",
   "creationTime": "2025-01-01T00:00:00Z"},
  {"rawEntry": "She is allergic to peanuts.", "summary": "peanuts", "context": "At dinner.", "tags": ["food",
    "two words"],
   "metadata": {"n": 123456789012345678901234567890, "a": [1, {"b": null}]}, "importance": 90, "userId": "ana",
   "agentId": "bot", "sourceType": "chat", "creationTime": "2025-01-02T00:00:00.123456+02:00",
   "entryId": "00000000-0000-0000-0000-000000000002", "expiresAt": "infinity"},
  {"rawEntry": "by her own vector", "embedding": null, "tags": "one", "entryId": "00000000-0000-0000-0000-000000000003",
   "creationTime": "2025-01-03T00:00:00Z"}]', 'am');
-- memory_add stores the same entries one by one.
SELECT memory_add('m', 'She likes guesthouses by the sea.', entry_id => test.id(1), creation_time => '2025-01-01Z',
  store => 'am_one'),
  memory_add('m', 'She is allergic to peanuts.', 'peanuts', 'At dinner.', '{food,"two words"}',
    '{"n": 123456789012345678901234567890, "a": [1, {"b": null}]}', 90, NULL, 'ana', 'bot', 'chat',
    '2025-01-02 00:00:00.123456+02', test.id(2), 'am_one', 'infinity'),
  memory_add('m', 'by her own vector', tags => '{one}', entry_id => test.id(3), creation_time => '2025-01-03Z',
    store => 'am_one');
SELECT count(*) AS rows, bool_and(to_jsonb(a) = to_jsonb(b)) AS same, bool_and(a.embedding IS NOT NULL) AS embedded
FROM am.entries a JOIN am_one.entries b USING (memory_id, entry_id);
SELECT (SELECT jsonb_agg(to_jsonb(c) - 'context_id') FROM am.contexts c)
  = (SELECT jsonb_agg(to_jsonb(c) - 'context_id') FROM am_one.contexts c) AS same_contexts,
  (SELECT context FROM am.contexts) AS context;
SELECT memory_search('m', 'nuts', 3, options => '{"asOf": "2025-06-01T00:00:00Z"}', store => 'am')
  = memory_search('m', 'nuts', 3, options => '{"asOf": "2025-06-01T00:00:00Z"}', store => 'am_one') AS same_answer;
-- Contexts that alternate are each compared with the newest, which is found by an index.
BEGIN;
SELECT count(*) FROM memory_add_many('contexts', (SELECT jsonb_agg(jsonb_build_object('rawEntry', n::text, 'context',
  'context ' || n % 2)) FROM generate_series(1, 500) n), 'am');
SELECT count(memory_add('contexts', n::text, context => 'context ' || n % 2, store => 'am'))
FROM generate_series(1, 500) n;
SELECT seq_tup_read < 10 AS not_by_the_table, idx_tup_fetch < 3000 AS by_an_index, n_tup_ins AS contexts
FROM pg_stat_xact_user_tables WHERE schemaname = 'am' AND relname = 'contexts';
ROLLBACK;
-- Embeddings that are given, in half precision, to the last digit.
CREATE TABLE am_vector AS SELECT array_agg(sin(i)::real * 1e-4::real ORDER BY i) AS v FROM generate_series(1, 256) i;
SELECT status, memory_add('given', 'x', embedding => v, store => 'am_one') IS NOT NULL AS added
FROM am_vector, memory_add_many('given', jsonb_build_array(jsonb_build_object('rawEntry', 'x', 'embedding', v)), 'am');
SELECT a.embedding::text = b.embedding::text AS same, a.embedding_model
FROM am.entries a, am_one.entries b WHERE a.memory_id = 'given' AND b.memory_id = 'given';
-- The order of the given entries is that of the returned ids and of the stored times, which do not decrease.
CREATE TABLE am_added AS SELECT * FROM memory_add_many('many', (SELECT jsonb_agg(jsonb_build_object('rawEntry',
  n::text) ORDER BY n) FROM generate_series(1, 2500) n), 'am');
SELECT bool_and(e.raw_entry = ordinality::text) AS in_order, count(DISTINCT entry_id), bool_and(is_later) AS later
FROM am_added JOIN (SELECT *, creation_time >= lag(creation_time, 1, '-infinity') OVER (ORDER BY entry_order)
  AND raw_entry::int = row_number() OVER (ORDER BY entry_order) AS is_later
      FROM am.entries WHERE memory_id = 'many') e USING (entry_id);
SELECT count(*) FROM am.entries WHERE memory_id = 'many';
SELECT * FROM memory_add_many('m', '[]', 'am');
-- A context that repeats the latest counts as that one; a blank context counts as none.
SELECT count(*) AS added FROM memory_add_many('ctx', '[{"rawEntry": "a", "context": "one"}, {"rawEntry": "b",
  "context": "one"},
  {"rawEntry": "c", "context": " "}, {"rawEntry": "d", "context": "two"}]', 'am');
SELECT c.context, e.raw_entry FROM am.contexts c JOIN am.entries e USING (memory_id, entry_id) WHERE memory_id = 'ctx'
  ORDER BY c.creation_time;
-- Nothing is stored when one of them is wrong.
CREATE FUNCTION outcome(entries jsonb, store text DEFAULT 'am') RETURNS text LANGUAGE sql
  RETURN test.error(format('SELECT memory_add_many(%L, %L, %L)', 'bad', entries, store));
SELECT outcome(entries) FROM (VALUES
  ('[{"rawEntry": "a"}, {"raw_entry": "b"}]'::jsonb), ('[{"rawEntry": "a"}, {"rawEntry": "b", "importance": 101}]'),
  ('[{"rawEntry": "a"}, {}]'), ('{"rawEntry": "a"}'), ('[{"rawEntry": "a"}, "b"]'), ('["a"]'), ('null'),
  ('[{"rawEntry": "a", "metadata": []}]'), ('[{"rawEntry": "a", "embedding": [1, 2]}]'),
  ('[{"rawEntry": "a", "embedding": [1e300]}]'), ('[{"rawEntry": "a", "memoryId": "x"}]'),
  ('[{"rawEntry": "a", "tags": [1]}]'), ('[{"rawEntry": "a", "creationTime": "2025-01-01"}]')) e(entries);
\set VERBOSITY terse
SELECT memory_add_many('bad', '[{"rawEntry": "a"}, {"rawEntry": "b", "entryId": "00000000-0000-0000-0000-000000000007"},
  {"rawEntry": "c", "entryId": "00000000-0000-0000-0000-000000000007"}]', 'am');
\set VERBOSITY default
SELECT count(*) AS stored FROM am.entries WHERE memory_id = 'bad';
SELECT outcome('[{"rawEntry": "a"}]', 'no_such_store');
SELECT test.error($$SELECT memory_add_many('m', NULL, 'am')$$), test.error($$SELECT memory_add_many('', '[]', 'am')$$);
-- The call fails if a trigger suppresses a row.
CREATE FUNCTION am_suppress() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RETURN CASE WHEN NEW.raw_entry <> 'b' THEN NEW END; END $$;
CREATE TRIGGER suppress BEFORE INSERT ON am_one.entries FOR EACH ROW EXECUTE FUNCTION am_suppress();
SELECT outcome('[{"rawEntry": "a"}, {"rawEntry": "b"}]', 'am_one');
-- embed_on_write = off holds for it, too.
SET memory_search.embed_on_write = off;
SELECT count(*) AS added FROM memory_add_many('later', '[{"rawEntry": "a"}, {"rawEntry": "b"}]', 'am');
SELECT count(embedding) AS embedded FROM am.entries WHERE memory_id = 'later';
-- An adopted table's application writes its rows; the caller's policies hold.
CREATE TABLE am_notes (id uuid PRIMARY KEY, body text);
SELECT memory_adopt_table('am_adopted', 'am_notes', '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "body"}');
SELECT outcome('[{"rawEntry": "a"}]', 'am_adopted');
SET client_min_messages = error;
CREATE ROLE am_writer;
SELECT memory_enable_row_security('am'), memory_grant('am', 'am_writer', 'writer');
RESET client_min_messages;
SET ROLE am_writer;
SET memory_search.user_id = 'u1';
SELECT count(*) AS own FROM memory_add_many('m', '[{"rawEntry": "a", "userId": "u1"}]', 'am');
SELECT outcome('[{"rawEntry": "a", "userId": "u1"}, {"rawEntry": "a", "userId": "u2"}]');
RESET ROLE;
DROP FUNCTION outcome;
SELECT memory_drop_store('am', true), memory_drop_store('am_one', true), memory_drop_store('am_adopted', true);
DROP TABLE am_notes, am_vector, am_added;
DROP FUNCTION am_suppress;
DROP ROLE am_writer;
