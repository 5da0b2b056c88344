-- memory_keep_history, memory_history: every change of entries is recorded, by any role and in any way, and shown to
-- the roles that may see the entry.
SET memory_search.store = 'kept';
SET memory_search.model = '';
SELECT memory_create_store(dimensions => 4);
-- No history is kept, and no trigger exists, unless it is switched on.
SELECT test.error($$SELECT * FROM memory_history('m', test.id(1))$$);
-- The hint names the store as its functions take it.
SELECT memory_create_store('Kept "too"', 4);
SELECT test.error($$SELECT * FROM memory_history('m', test.id(1), store => 'Kept "too"')$$);
SELECT memory_drop_store('Kept "too"');
SELECT memory_add('m', 'before all', entry_id => test.id(99)) IS NOT NULL AS added;
SELECT count(*) AS triggers FROM pg_trigger WHERE tgrelid = 'kept.entries'::regclass AND NOT tgisinternal;
SELECT memory_keep_history();
-- A second call keeps the history.
SELECT memory_keep_history();

-- All ways to write are recorded in one history.
SELECT memory_add('m', 'tea with milk', embedding => test.vector(1), user_id => 'ann', entry_key => 'k',
    entry_id => test.id(1),
  creation_time => '2026-01-01Z', tags => '{drink}', metadata => '{"cups": 2}',
    context => 'said at breakfast') IS NOT NULL AS added;
SELECT memory_update('m', test.id(1), raw_entry => 'tea with lemon', embedding => test.vector(2));
UPDATE kept.entries SET importance = 90 WHERE memory_id = 'm' AND entry_id = test.id(1);
SELECT memory_delete('m', ARRAY[test.id(1)]);
SELECT memory_restore('m', ARRAY[test.id(1)]);
SELECT memory_add('m', 'water', embedding => test.vector(3), entry_id => test.id(2)) IS NOT NULL AS added;
SELECT memory_supersede('m', test.id(1), test.id(2));
SELECT memory_supersede('m', test.id(1), NULL);
SELECT memory_delete('m', ARRAY[test.id(1)]);
-- A call with the same key brings the entry back and changes it.
SELECT memory_add('m', 'tea with honey', embedding => test.vector(4), user_id => 'ann',
    entry_key => 'k') = test.id(1) AS same;
SELECT operation, before ->> 'raw_entry' AS text, before ->> 'importance' AS importance,
  before -> 'deletion_scheduled_time' <> 'null' AS deleted, before ->> 'superseded_by' AS corrected_by, user_id,
  session_role = session_user AND effective_role = current_user AS by_me, recorded_at <= clock_timestamp()
    AS in_the_past
  FROM memory_history('m', test.id(1));
-- The event has the whole row before the change, without the generated columns and the context.
SELECT string_agg(key, ' ' ORDER BY key) AS keys FROM memory_history('m', test.id(1)) h, jsonb_object_keys(h.before) key
  WHERE h.operation = 'superseded';
SELECT before ->> 'tags' AS tags, before ->> 'metadata' AS metadata,
    (before ->> 'creation_time')::timestamptz = '2026-01-01Z' AS created
  FROM memory_history('m', test.id(1)) WHERE operation = 'superseded';
-- Newest first, page by page.
SELECT operation FROM memory_history('m', test.id(1), page_size => 2);
SELECT operation FROM memory_history('m', test.id(1), page_size => 2,
  older_than => (SELECT min(history_id) FROM memory_history('m', test.id(1), page_size => 2)));
-- A change of none of the recorded columns adds no event: embedding, use, context, and an update with the same values.
SELECT count(*) AS events FROM kept.history;
UPDATE kept.entries SET embedding = '[4,3,2,1]', embedding_model = 'x', context = 'another' WHERE memory_id = 'm';
UPDATE kept.entries SET raw_entry = raw_entry;
SELECT memory_touch('m', ARRAY[test.id(1)]);
SELECT count(*) AS events FROM kept.history;
-- If a use prolongs the life of an entry, no event is added; another change of the expiry adds one.
SELECT memory_add('lives', 'fades', embedding => test.vector(1), entry_id => test.id(50), ttl => '1 day') IS NOT NULL;
SELECT memory_touch('lives', ARRAY[test.id(50)]), memory_touch('lives', ARRAY[test.id(50)]);
SELECT memory_update('lives', test.id(50), expires_at => '2999-01-01Z');
SELECT operation FROM memory_history('lives', test.id(50));
UPDATE kept.entries SET time_to_live = '1 day' WHERE memory_id = 'lives';
UPDATE kept.entries SET expires_at = '2998-01-01Z' WHERE memory_id = 'lives';
SELECT count(*) AS changes FROM memory_history('lives', test.id(50)) WHERE operation = 'changed';
DELETE FROM kept.entries WHERE memory_id = 'lives';
-- Many rows changed by one statement, ids that change, and columns that the user added.
ALTER TABLE kept.entries ADD COLUMN mood text, ADD COLUMN r int, ADD COLUMN n int, ADD COLUMN kept text;
INSERT INTO kept.entries (memory_id, entry_id, raw_entry) SELECT 'many', test.id(n), 'row ' || n
    FROM generate_series(1, 500) n;
UPDATE kept.entries SET mood = 'good', entry_id = test.id(test.n(entry_id) + 1000) WHERE memory_id = 'many'
    AND test.n(entry_id) % 2 = 0;
SELECT operation, count(*), count(*) FILTER (WHERE before IS NULL) AS without,
  count(*) FILTER (WHERE test.n(before ->> 'entry_id') + 1000 = test.n(entry_id)
    AND before ->> 'raw_entry' = 'row ' || test.n(before ->> 'entry_id')) AS paired
  FROM kept.history WHERE memory_id = 'many' GROUP BY 1 ORDER BY 1;
COPY kept.entries (memory_id, entry_id, raw_entry) FROM stdin;
m	00000000-0000-0000-0000-000000000003	copied
\.
SELECT operation, before FROM memory_history('m', test.id(3));
-- The history of an entry that is older than the history has no insertion.
SELECT memory_update('m', test.id(99), summary => 's');
SELECT operation FROM memory_history('m', test.id(99));

-- The history of a removed entry is removed with it, however it is removed.
SELECT memory_delete('m', ARRAY[test.id(2)]);
SELECT memory_purge();
SELECT count(*) AS events FROM memory_history('m', test.id(2));
DELETE FROM kept.entries WHERE memory_id = 'm' AND entry_id = test.id(3);
SELECT count(*) AS events FROM kept.history WHERE memory_id = 'm' AND entry_id = test.id(3);
-- Erasing a user also erases the old versions that were the user's of entries that are now another user's.
UPDATE kept.entries SET user_id = 'ben' WHERE memory_id = 'm' AND entry_id = test.id(1);
UPDATE kept.entries SET raw_entry = 'coffee' WHERE memory_id = 'm' AND entry_id = test.id(1);
SELECT memory_forget_user('ann');
SELECT operation, before ->> 'user_id' AS user_id FROM memory_history('m', test.id(1));
SELECT memory_forget_user('ben');
SELECT count(*) AS events FROM kept.history WHERE memory_id = 'm' AND entry_id = test.id(1);
-- The id of a removed entry, and nothing else of it, stays where entries of others name it, and in their history.
INSERT INTO kept.entries (memory_id, entry_id, user_id, raw_entry)
SELECT 'chain', test.id(n), CASE WHEN n IN (61, 63) THEN 'ann' ELSE 'bo' END, 'fact ' || n
FROM generate_series(60, 64) n;
SELECT memory_supersede('chain', test.id(60), test.id(61)), memory_supersede('chain', test.id(61), test.id(62)),
  memory_supersede('chain', test.id(64), test.id(63));
SELECT memory_forget_user('ann');
SELECT test.n(entry_id) AS n, test.n(superseded_by) AS superseded_by FROM kept.entries WHERE memory_id = 'chain'
ORDER BY n;
SELECT test.n(entry_id) AS n, operation, test.n(before ->> 'superseded_by') AS superseded_by,
  before::text LIKE '%fact 61%' OR before::text LIKE '%ann%' AS has_more FROM kept.history
WHERE memory_id = 'chain' AND before ->> 'superseded_by' IS NOT NULL ORDER BY history_id;
DELETE FROM kept.entries WHERE memory_id = 'chain';
SELECT memory_delete('many', whole_memory => true) > 0 AS deleted;
SELECT memory_purge() > 0 AS purged;
SELECT count(*) AS left_over FROM kept.history WHERE memory_id = 'many';

-- A role that may write entries writes their history, always under its own name.
CREATE ROLE hist_writer; CREATE ROLE hist_reader; CREATE ROLE hist_later; CREATE ROLE hist_none;
SELECT memory_grant('kept', 'hist_writer', 'writer'), memory_grant('kept', 'hist_reader');
SET ROLE hist_writer;
SELECT memory_add('m', 'by a writer', entry_id => test.id(5)) IS NOT NULL AS added;
SELECT memory_update('m', test.id(5), raw_entry => 'by a writer again');
SELECT operation, effective_role, session_role = session_user AS session FROM memory_history('m', test.id(5));
SELECT test.error($$INSERT INTO kept.history (memory_id, entry_id, operation, effective_role) VALUES ('m',
    test.id(5), 'added', 'other')$$);
SELECT test.error($$UPDATE kept.history SET before = '{}'$$);
SELECT memory_forget_user('nobody');
SET ROLE hist_reader;
SELECT operation FROM memory_history('m', test.id(5));
SELECT test.error($$DELETE FROM kept.history$$);
SET ROLE hist_none;
SELECT test.error($$SELECT * FROM memory_history('m', test.id(5))$$);
SELECT test.error($$SELECT memory_keep_history('kept')$$);
RESET ROLE;
-- Privileges that were granted by hand afterwards: the doctor names the missing ones.
GRANT USAGE ON SCHEMA kept TO hist_later;
GRANT SELECT, INSERT (memory_id, entry_id, raw_entry), DELETE ON kept.entries TO hist_later;
SELECT name, status, detail, fix FROM memory_doctor() WHERE name = 'history';
SELECT fix AS "grants" FROM memory_doctor() WHERE name = 'history' \gexec
SET ROLE hist_later;
INSERT INTO kept.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(6), 'later');
RESET ROLE;
SELECT status, detail FROM memory_doctor() WHERE name = 'history';
-- A grant that was made before the history was switched on works, too.
SELECT memory_create_store('kept2', dimensions => 4), memory_grant('kept2', 'hist_writer', 'writer'),
    memory_keep_history('kept2');
SET ROLE hist_writer;
SELECT memory_add('m', 'x', store => 'kept2') IS NOT NULL AS added;
SELECT count(*) FROM kept2.history;
RESET ROLE;

-- Policies of entries hold for their history: it is shown to roles that could see the entry then, and can see it now.
SELECT memory_add('m', 'of ann', user_id => 'ann', entry_id => test.id(10)), memory_add('m', 'of ben',
    user_id => 'ben', entry_id => test.id(11)),
  memory_add('m', 'secret of ann', user_id => 'ann', entry_id => test.id(12));
SET client_min_messages = error;
SELECT memory_enable_row_security('kept');
RESET client_min_messages;
UPDATE kept.entries SET user_id = 'ben', raw_entry = 'given away' WHERE entry_id = test.id(12);
UPDATE kept.entries SET raw_entry = 'given away indeed' WHERE entry_id = test.id(12);
SET ROLE hist_writer;
SET memory_search.user_id = 'ann';
SELECT memory_update('m', test.id(10), summary => 'hers');
SELECT operation, before ->> 'raw_entry' AS text FROM memory_history('m', test.id(10));
SELECT count(*) AS of_ben FROM memory_history('m', test.id(11));
SELECT count(*) AS given_away FROM memory_history('m', test.id(12));
SELECT test.error($$INSERT INTO kept.history (memory_id, entry_id, operation, before) VALUES ('m', test.id(11),
    'changed', '{"raw_entry": "lies"}')$$);
SET memory_search.user_id = 'ben';
SELECT operation, before ->> 'raw_entry' AS text FROM memory_history('m', test.id(12));
SELECT array_agg(DISTINCT entry_id::text) AS seen FROM kept.history;
DELETE FROM kept.history WHERE entry_id = test.id(10);
-- Without a condition, too, only the rows that the role sees are deleted.
BEGIN;
SELECT count(*) AS seen FROM kept.history;
DELETE FROM kept.history;
RESET ROLE;
SELECT count(*) AS of_ann FROM memory_history('m', test.id(10));
ROLLBACK;
RESET ROLE;
RESET memory_search.user_id;
SELECT count(*) AS of_ann FROM memory_history('m', test.id(10));
SELECT test.error($$SET LOCAL ROLE hist_writer; SELECT memory_forget_user('ann')$$);

-- After the store is renamed, the history goes on.
ALTER SCHEMA kept RENAME TO "Kept 'till now";
SET memory_search.store = 'Kept ''till now';
SELECT memory_update('m', test.id(99), summary => 't');
SELECT operation, before ->> 'summary' AS summary FROM memory_history('m', test.id(99));
SELECT status, detail FROM memory_doctor() WHERE name = 'history';
-- The doctor reports a function with changed code, also in a renamed store.
SELECT replace(pg_get_functiondef('"Kept ''till now".record_history'::regproc), 'RETURN NULL;
  END IF', 'RETURN NEW;
  END IF') AS changed \gset
BEGIN;
:changed;
SELECT status, detail FROM memory_doctor() WHERE name = 'history';
ROLLBACK;
SELECT memory_keep_history();
SELECT status, detail FROM memory_doctor() WHERE name = 'history';

-- The doctor reports everything that prevents the recording.
ALTER TABLE "Kept 'till now".entries DISABLE TRIGGER memory_search_history_added;
SELECT status, detail, fix FROM memory_doctor() WHERE name = 'history';
SELECT fix AS fixed FROM memory_doctor() WHERE name = 'history' \gexec
SELECT status, detail FROM memory_doctor() WHERE name = 'history';
ALTER TABLE "Kept 'till now".history DISABLE ROW LEVEL SECURITY;
SELECT status, detail, fix FROM memory_doctor() WHERE name = 'history';
SELECT fix AS fixed FROM memory_doctor() WHERE name = 'history' \gexec
ALTER POLICY memory_search_history_forgotten ON "Kept 'till now".history USING (true);
SELECT status, detail, fix FROM memory_doctor() WHERE name = 'history';
SELECT fix AS fixed FROM memory_doctor() WHERE name = 'history' \gexec
SELECT status, detail FROM memory_doctor() WHERE name = 'history';
ALTER POLICY memory_search_history_forgotten ON "Kept 'till now".history USING (true);
SELECT memory_keep_history();
SELECT status, detail FROM memory_doctor() WHERE name = 'history';
SELECT count(DISTINCT pg_get_expr(polqual, polrelid)) AS conditions FROM pg_policy
WHERE polrelid = '"Kept ''till now".history'::regclass AND polcmd IN ('r', 'd');
ALTER TABLE "Kept 'till now".entries FORCE ROW LEVEL SECURITY;
SELECT status, detail, fix FROM memory_doctor() WHERE name = 'history';
ALTER TABLE "Kept 'till now".entries NO FORCE ROW LEVEL SECURITY;

-- Switched off: no trigger, no new events, and the old ones are still there.
SELECT memory_keep_history(enabled => false);
SELECT count(*) AS triggers FROM pg_trigger WHERE tgrelid = '"Kept ''till now".entries'::regclass
    AND NOT tgisinternal AND tgname LIKE '%history%';
SELECT memory_update('m', test.id(99), summary => 'u');
SELECT operation FROM memory_history('m', test.id(99));
SELECT status, detail FROM memory_doctor() WHERE name = 'history';
BEGIN;
ALTER POLICY memory_search_history_forgotten ON "Kept 'till now".history USING (true);
SELECT status, detail FROM memory_doctor() WHERE name = 'history';
ROLLBACK;
SELECT memory_keep_history();
SELECT memory_update('m', test.id(99), summary => 'v');
SELECT operation FROM memory_history('m', test.id(99));
SELECT test.error($$DROP TABLE "Kept 'till now".history; SELECT memory_update('m', test.id(99), summary => 'w')$$);

-- Refused: wrong values, stores whose rows are elsewhere, a table of the name.
SELECT test.error($$SELECT * FROM memory_history(NULL, test.id(1))$$);
SELECT test.error($$SELECT * FROM memory_history('m', NULL)$$);
SELECT test.error($$SELECT * FROM memory_history('m', test.id(1), page_size => 0)$$);
SELECT test.error($$SELECT * FROM memory_history('m', test.id(1), page_size => 1001)$$);
SELECT test.error($$SELECT memory_keep_history(enabled => NULL)$$);
SELECT test.error($$SELECT memory_keep_history('nowhere')$$);
CREATE TABLE hist_docs (id int PRIMARY KEY, body text);
SELECT memory_adopt_table('hist_adopted', 'hist_docs', '{"memory_id": "''all''", "entry_id": "id",
    "raw_entry": "body"}');
SELECT test.error($$SELECT memory_keep_history('hist_adopted')$$);
SELECT test.error($$SELECT * FROM memory_history('all', test.id(1), store => 'hist_adopted')$$);
SELECT memory_create_store('hist_other', dimensions => 4);
CREATE TABLE hist_other.history (my_own int);
SELECT test.error($$SELECT memory_keep_history('hist_other')$$);
SELECT memory_drop_store('hist_other');
SELECT count(*) AS my_own_stays FROM hist_other.history;
-- The history is dropped with the store.
SELECT memory_drop_store('Kept ''till now', force => true), memory_drop_store('kept2', force => true),
    memory_drop_store('hist_adopted');
SELECT count(*) AS schemas FROM pg_namespace WHERE nspname ~* 'kept';
DROP SCHEMA hist_other CASCADE; DROP TABLE hist_docs;
DROP ROLE hist_writer, hist_reader, hist_later, hist_none;
RESET memory_search.store; RESET memory_search.model;
