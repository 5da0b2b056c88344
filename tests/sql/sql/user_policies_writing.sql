-- memory_enable_row_security: a session writes the rows of the user that a setting names, and no others; the roles that
-- are not bound, and those that may change it.
CREATE ROLE us_owner;
CREATE ROLE us_app;
GRANT CREATE ON DATABASE regression TO us_owner;
SET ROLE us_owner;
SELECT test.stores_of_ana_and_bo();
SET client_min_messages = notice;
SELECT memory_enable_row_security('us');
RESET client_min_messages;
RESET ROLE;
UPDATE us.entries SET entry_key = 'of bo' WHERE memory_id = 'm' AND entry_id = test.id(3);
SET ROLE us_app;

-- Writing: the user's own rows, and no others.
SET memory_search.user_id = 'ana';
SELECT statement, test.error(statement)
FROM (VALUES
  (1, $$SELECT memory_add('m', 'x', user_id => 'bo', store => 'us')$$),
  (2, $$SELECT memory_add('m', 'x', store => 'us')$$),
  (3, $$SELECT memory_add('m', 'x', user_id => 'ana', store => 'us')$$),
  (4, $$SELECT memory_add('m', 'x', user_id => 'ana', context => 'c', store => 'us')$$),
  (5, $$SELECT memory_put_context('m', 'c', user_id => 'bo', store => 'us')$$),
  (6, $$SELECT memory_put_context('m', 'c', store => 'us')$$),
  (7, $$SELECT memory_put_context('m', 'c', user_id => 'ana', store => 'us')$$),
  (8, $$UPDATE us.entries SET user_id = 'bo' WHERE entry_id = test.id(1)$$),
  (9, $$UPDATE us.entries SET user_id = NULL WHERE entry_id = test.id(1)$$),
  (10, $$INSERT INTO us.entry_access (memory_id, entry_id, access_count) VALUES ('m', test.id(3), 9)$$),
  (11, $$SELECT memory_supersede('m', test.id(1), test.id(3), 'us')$$)
) t(i, statement)
ORDER BY i;
-- An id or a key that another user's entry has is refused, which shows that it exists.
SELECT test.error($$SELECT memory_add('m', 'x', user_id => 'ana', entry_key => 'of bo', store => 'us')$$);
SELECT test.error($$SELECT memory_add_many('m', '[{"rawEntry": "x", "userId": "ana", "entryKey": "of bo"}]',
  store => 'us')$$);
SELECT test.error($$SELECT memory_update('m', test.id(1), entry_key => 'of bo', store => 'us')$$);
SELECT test.error($$SELECT memory_add('m', 'x', user_id => 'ana', entry_id => test.id(3), store => 'us')$$);
-- Entry 3 is Bo's, and 10 has no user: the session sees neither.
SELECT memory_touch('m', ARRAY[test.id(1), test.id(3), test.id(10)], 'us') AS touched,
  memory_update('m', test.id(3), 'x', store => 'us') AS updated,
  memory_update('m', test.id(10), importance => 1, store => 'us') AS of_nobody,
  memory_supersede('m', test.id(3), test.id(1), 'us') AS superseded,
  memory_delete('m', ARRAY[test.id(2), test.id(3), test.id(10)], store => 'us') AS deleted;
SELECT memory_restore('m', ARRAY[test.id(2), test.id(3)], store => 'us') AS restored,
  memory_update('m', test.id(1), summary => 'zircon', store => 'us') AS updated,
  memory_supersede('m', test.id(4), test.id(1), 'us') AS superseded;
SELECT memory_supersede('m', test.id(4), NULL, 'us') AS reinstated,
  jsonb_array_length(memory_recall('m', 'zircon', 5, options => '{"strategy": "keyword"}',
      store => 'us')->'entries') AS recalled;
RESET ROLE;
SELECT test.n(entry_id) AS n, access_count - test.n(entry_id) AS more
FROM us.entry_access WHERE memory_id = 'm' AND access_count <> test.n(entry_id) ORDER BY 1;
SELECT count(*) FILTER (WHERE summary = 'zircon') AS changed,
  count(*) FILTER (WHERE deletion_scheduled_time IS NOT NULL OR superseded_by IS NOT NULL) AS hidden
FROM us.entries;
-- Bo deletes all of the memory, and everything that has expired: his rows.
UPDATE us.entries SET deletion_scheduled_time = '2025-03-01Z' WHERE entry_id IN (test.id(5), test.id(20));
SET ROLE us_app;
SET memory_search.user_id = 'bo';
SELECT memory_delete('m', whole_memory => true, store => 'us') AS deleted,
  (SELECT count(*) FROM us_bo.entries WHERE memory_id = 'm')
    + (SELECT count(*) FROM us_bo.contexts WHERE memory_id = 'm') AS of_bo;
SELECT memory_restore('m', ARRAY[test.id(3), test.id(5), test.id(20)], store => 'us') AS restored;
SELECT memory_purge(max_rows => 7, store => 'us') AS some;
SELECT memory_purge(clock_timestamp(), store => 'us') AS the_rest,
  memory_restore('m', whole_memory => true, store => 'us') AS nothing_left;
RESET ROLE;
SELECT user_id, count(*) AS entries, count(deletion_scheduled_time) AS hidden, count(a.entry_id) AS counts,
  (SELECT count(*) FROM us.contexts c WHERE c.user_id = e.user_id AND c.memory_id = 'm') AS contexts
FROM us.entries e
LEFT JOIN us.entry_access a USING (memory_id, entry_id)
WHERE memory_id = 'm'
GROUP BY user_id ORDER BY user_id;
-- Erasing and embedding again: erasing rows that a policy hides is an error; the user's own rows get their
-- embeddings.
SET ROLE us_app;
SELECT memory_forget_user('ana', 'us');
\echo :SQLSTATE
SELECT memory_forget_user('bo', 'us');
\echo :SQLSTATE
SET memory_search.embedding_function = 'test.embed';
SELECT memory_reembed(everything => true, store => 'us') AS embedded;
RESET memory_search.embedding_function;
RESET ROLE;
SELECT user_id, count(*) AS rows, count(*) FILTER (WHERE embedding_model = 'test.embed') AS embedded
FROM (SELECT user_id, embedding_model FROM us.entries UNION ALL SELECT user_id, embedding_model FROM us.contexts) t
GROUP BY 1 ORDER BY 1;

-- The owner is not bound unless forced, and may erase; a superuser is never bound.
SET ROLE us_owner;
SET memory_search.user_id = 'nobody at all';
SELECT memory_search('m', '', filters => '{"userId": "ana"}', store => 'us')->'count' AS of_ana,
  memory_search('m', '', filters => '{"userId": "bo"}', store => 'us')->'count' AS of_bo;
BEGIN;
SELECT memory_forget_user('bo', 'us') AS erased;
ROLLBACK;
ALTER TABLE us.entries FORCE ROW LEVEL SECURITY;
ALTER TABLE us.contexts FORCE ROW LEVEL SECURITY;
ALTER TABLE us.entry_access FORCE ROW LEVEL SECURITY;
ALTER TABLE us.links FORCE ROW LEVEL SECURITY;
ALTER TABLE us.aliases FORCE ROW LEVEL SECURITY;
SELECT memory_search('m', '', store => 'us')->'count' AS forced, (SELECT count(*) FROM us.entry_access) AS counts;
SET memory_search.user_id = 'bo';
SELECT memory_search('m', '', filters => '{"userId": "ana"}', store => 'us')->'count' AS of_ana,
  memory_search('m', '', filters => '{"userId": "bo"}', store => 'us')->'count' AS of_bo;
SELECT test.error($$SELECT memory_forget_user('bo', 'us')$$) AS forced;
SELECT memory_delete('m', whole_memory => true, store => 'us') AS deleted,
  memory_purge(clock_timestamp(), store => 'us') AS purged;
RESET ROLE;
SELECT memory_search('m', '', store => 'us')->'count' AS superuser,
  (SELECT count(*)
   FROM us.entry_access a
   WHERE NOT EXISTS (SELECT FROM us.entries e
                     WHERE e.memory_id = a.memory_id AND e.entry_id = a.entry_id)) AS counts_left;
SELECT status, detail FROM memory_doctor('us') WHERE name = 'row security';

-- Another setting replaces the first one; a policy of the owner's own stays, and shows further rows.
SET ROLE us_owner;
CREATE POLICY shared ON us.entries FOR SELECT USING (user_id IS NULL);
SELECT memory_enable_row_security('us', 'app.user_id'), memory_enable_row_security('us', 'app.user_id');
SELECT tablename, policyname, cmd, roles, permissive FROM pg_policies WHERE schemaname = 'us' ORDER BY 1, 2;
SELECT relname, relrowsecurity, relforcerowsecurity
FROM pg_class WHERE relnamespace = 'us'::regnamespace AND relkind = 'r' ORDER BY 1;
SET ROLE us_app;
SET memory_search.user_id = 'ana';
SELECT count(*) FILTER (WHERE user_id IS NULL) AS shared, count(user_id) AS own FROM us.entries;
SET app.user_id = 'ana';
SELECT count(*) FILTER (WHERE user_id IS NULL) AS shared,
  count(*) FILTER (WHERE user_id = 'ana') AS own,
  count(*) FILTER (WHERE user_id <> 'ana') AS of_others
FROM us.entries;
SELECT array_agg(DISTINCT user_id ORDER BY user_id) AS users_seen
FROM memory_search_entries('m', 'tea train hotel', 10, store => 'us');
RESET app.user_id;
SELECT count(*) AS unset FROM us.contexts;
-- Only the owner of the store can do it, and only if the entries are not an application's own table.
SELECT test.error($$SELECT memory_enable_row_security('us')$$);
RESET ROLE;
CREATE TABLE us_notes (id bigint PRIMARY KEY, project text, body text);
SELECT memory_adopt_table('us_adopted', 'us_notes', '{"memory_id": "project", "entry_id": "id", "raw_entry": "body"}');
SELECT test.error($$SELECT memory_enable_row_security('us_adopted')$$);
SELECT test.error(format('SELECT memory_enable_row_security(%L, %s)', store, setting))
FROM (VALUES
  (1, 'us', $$'user_id'$$),
  (2, 'us', $$''$$),
  (3, 'us', 'NULL'),
  (4, 'us', $$'app.'$$),
  (5, 'us', $$'.user'$$),
  (6, 'us', $$'a.b.c'$$),
  (7, 'us', $$'app.user id'$$),
  (8, 'us', $$'1app.user'$$),
  (9, 'us', $$'app.user'') OR (''1'' = ''1'$$),
  (10, 'us', $$'memory_search.user'$$),
  (11, 'us', $$'memory_search.store'$$),
  (12, 'nowhere', $$'app.user_id'$$),
  (13, '', $$'app.user_id'$$)
) t(i, store, setting)
ORDER BY i;
BEGIN READ ONLY;
SELECT left(test.error($$SELECT memory_enable_row_security('us')$$), 5);
ROLLBACK;
RESET memory_search.user_id;
DROP SCHEMA us, us_ana, us_bo, us_adopted CASCADE;
DROP TABLE us_notes;
REVOKE CREATE ON DATABASE regression FROM us_owner;
DROP OWNED BY us_owner, us_app;
DROP ROLE us_owner, us_app;
