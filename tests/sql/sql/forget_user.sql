-- memory_forget_user erases a user from a store: entries, contexts, counts, vectors and words, in every memory; all
-- of it or nothing.
SELECT memory_create_store('fu', 4), memory_create_store('fu_other', 4);
SELECT store,
  count(memory_add('m' || n % 3, CASE WHEN n % 2 = 0 THEN 'secretword' ELSE 'openword' END || ' of user ' || n % 4,
      summary => 'note ' || n, context => 'snapshot ' || n, embedding => test.vector(n),
      user_id => CASE n % 4 WHEN 0 THEN 'ann' WHEN 2 THEN 'Ann' WHEN 1 THEN 'bo' END, agent_id => 'ann',
      tags => ARRAY['tag' || n % 4], metadata => jsonb_build_object('user', 'ann'),
      creation_time => timestamptz '2025-01-01Z' + n * interval '1 hour', entry_id => test.id(n),
      store => store)) AS entries
FROM (VALUES ('fu'), ('fu_other')) t(store), generate_series(1, 24) n GROUP BY store ORDER BY store;
INSERT INTO fu.entry_access
SELECT memory_id, entry_id, 5, '2025-02-01Z'
FROM fu.entries
WHERE test.n(entry_id) % 4 <> 3;
INSERT INTO fu.links (memory_id, from_entry, to_entry, kind, metadata)
SELECT a.memory_id, a.entry_id, b.entry_id, 'k', jsonb_build_object('said by', a.user_id)
FROM fu.entries a JOIN fu.entries b USING (memory_id)
WHERE test.n(b.entry_id) IN (test.n(a.entry_id) + 3, test.n(a.entry_id) - 6);
INSERT INTO fu_other.entry_access SELECT memory_id, entry_id, 5, '2025-02-01Z' FROM fu_other.entries;
-- Hidden entries are erased, too, and entries to which others point.
UPDATE fu.entries SET deletion_scheduled_time = '2025-03-01Z' WHERE entry_id = test.id(4);
UPDATE fu.entries SET expires_at = '2025-03-01Z' WHERE entry_id = test.id(8);
SELECT memory_supersede('m2', test.id(5), test.id(8), 'fu'), memory_supersede('m2', test.id(20), test.id(5), 'fu');
UPDATE fu.contexts SET deletion_scheduled_time = '2025-03-01Z' WHERE user_id = 'ann' AND context = 'snapshot 12';
SELECT user_id, count(*) AS entries,
  (SELECT count(*) FROM fu.contexts c WHERE c.user_id IS NOT DISTINCT FROM e.user_id) AS contexts,
  count(DISTINCT memory_id) AS memories
FROM fu.entries e GROUP BY user_id ORDER BY user_id;

-- Everything in the store's relations, row by row, for each of its tables.
CREATE FUNCTION contents(store text) RETURNS TABLE (relation text, contents text) LANGUAGE plpgsql AS $$
BEGIN
  FOR relation IN
    SELECT relname
    FROM pg_class
    WHERE relnamespace = store::regnamespace AND relkind IN ('r', 'p', 'm')
    ORDER BY relname
  LOOP
    FOR contents IN EXECUTE format('SELECT r::text FROM %I.%I r ORDER BY 1', store, relation) LOOP
      RETURN NEXT;
    END LOOP;
  END LOOP;
END $$;
CREATE TABLE before AS
  SELECT 'fu' AS store, * FROM contents('fu')
  UNION ALL SELECT 'fu_other', * FROM contents('fu_other');
SELECT store, relation, count(*) FROM before GROUP BY 1, 2 ORDER BY 1, 2;
CREATE TABLE of_ann AS SELECT memory_id, entry_id, raw_entry, embedding FROM fu.entries WHERE user_id = 'ann';
CREATE TABLE words_of_ann AS
  SELECT word FROM ts_stat($$SELECT words FROM fu.entries JOIN test.words_of_store('fu') USING (memory_id, entry_id)
    WHERE user_id = 'ann'$$)
  EXCEPT SELECT word FROM ts_stat($$SELECT words FROM fu.entries JOIN test.words_of_store('fu')
    USING (memory_id, entry_id) WHERE user_id IS DISTINCT FROM 'ann'$$);

-- A transaction that keeps its snapshot would miss what others have added since.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT test.error($$SELECT memory_forget_user('ann', 'fu')$$);
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT test.error($$SELECT memory_forget_user('ann', 'fu')$$);
ROLLBACK;
-- A rollback brings everything back; notices name the removed rows.
SET client_min_messages = notice;
BEGIN;
SELECT memory_forget_user('ann', 'fu');
SELECT count(*) AS left_of_ann FROM fu.entries WHERE user_id = 'ann';
ROLLBACK;
SELECT count(*) AS changed
FROM (SELECT * FROM contents('fu') EXCEPT ALL SELECT relation, contents FROM before WHERE store = 'fu') t;
SELECT memory_forget_user('ann', 'fu');
SELECT memory_forget_user('ann', 'fu') AS again, memory_forget_user('nobody', 'fu') AS nobody;
RESET client_min_messages;
-- Nothing is left of it anywhere: no row, no count, no vector, no word of its rows.
SELECT relation, count(*) AS rows,
  count(*) FILTER (WHERE EXISTS (SELECT FROM of_ann
                                 WHERE contents LIKE '%' || raw_entry || '%'
                                   OR contents LIKE '%' || embedding::text || '%'
                                   OR relation = 'links' AND contents LIKE '%,' || entry_id || ',%'
                                   OR contents LIKE '%(' || memory_id || ',' || entry_id || ',%')) AS of_ann
FROM contents('fu') GROUP BY 1 ORDER BY 1;
SELECT count(*) AS words_of_ann,
  count(*) FILTER (WHERE word IN (SELECT word FROM ts_stat('SELECT words FROM test.words_of_store(''fu'')')))
    AS still_there,
  count(*) FILTER (WHERE EXISTS (SELECT FROM unnest(ARRAY['m0', 'm1', 'm2']) memory,
    memory_search_entries(memory, word, 1, options => '{"strategy": "keyword", "fallback": false}', store => 'fu')))
    AS found
FROM words_of_ann;
SELECT count(*) AS contexts_of_ann FROM fu.contexts WHERE user_id = 'ann';
SELECT sum(count) AS found
FROM (VALUES ('m0'), ('m1'), ('m2')) t(memory),
  LATERAL (SELECT count(*)
           FROM memory_search_entries(memory, 'secretword', 10, options => '{"strategy": "keyword", "fallback": false}',
               store => 'fu')
           WHERE user_id = 'ann') f;
SELECT outcome FROM memory_explain('m1', 'secretword', entry_id => test.id(4)::text, store => 'fu');
-- All others are as they were, byte by byte, in this store and in the other one; rows without a user belong to nobody.
SELECT store, relation, count(*) AS rows_gone,
  count(*) FILTER (WHERE contents NOT LIKE '%,ann,%' AND relation NOT IN ('entry_access', 'links')) AS of_others
FROM (SELECT * FROM before
      EXCEPT ALL (SELECT 'fu', * FROM contents('fu') UNION ALL SELECT 'fu_other', * FROM contents('fu_other'))) t
GROUP BY 1, 2 ORDER BY 1, 2;
SELECT count(*) AS rows_new
FROM (SELECT 'fu', * FROM contents('fu')
      UNION ALL SELECT 'fu_other', * FROM contents('fu_other')
      EXCEPT ALL SELECT * FROM before) t;
SELECT user_id, count(*) AS entries,
  (SELECT count(*) FROM fu.contexts c WHERE c.user_id IS NOT DISTINCT FROM e.user_id) AS contexts
FROM fu.entries e GROUP BY user_id ORDER BY user_id;
SELECT count(*) AS counts_without_entry
FROM fu.entry_access a
WHERE NOT EXISTS (SELECT FROM fu.entries e WHERE e.memory_id = a.memory_id AND e.entry_id = a.entry_id);
SELECT test.error(statement)
FROM (VALUES
  (1, $$SELECT memory_forget_user(NULL, 'fu')$$),
  (2, $$SELECT memory_forget_user('', 'fu')$$),
  (3, $$SELECT memory_forget_user('bo', 'nowhere')$$),
  (4, $$SELECT memory_forget_user('bo', '')$$)
) t(i, statement)
ORDER BY i;
BEGIN READ ONLY;
SELECT test.error($$SELECT memory_forget_user('bo', 'fu')$$);
ROLLBACK;

-- A policy that hides some of the user's rows from the caller, on any of the relations: the call is refused, and
-- nothing is erased.
CREATE ROLE fu_user;
GRANT USAGE ON SCHEMA fu TO fu_user;
GRANT SELECT ON ALL TABLES IN SCHEMA fu TO fu_user;
CREATE FUNCTION of_bo() RETURNS text LANGUAGE sql SECURITY DEFINER AS $$
  SELECT format('%s entries, %s contexts, %s counts', (SELECT count(*) FROM fu.entries WHERE user_id = 'bo'),
      (SELECT count(*) FROM fu.contexts WHERE user_id = 'bo'),
      (SELECT count(*) FROM fu.entry_access JOIN fu.entries USING (memory_id, entry_id) WHERE user_id = 'bo')) $$;
SET ROLE fu_user;
SELECT memory_forget_user('bo', 'fu') AS may_only_read;
\echo :SQLSTATE
SELECT of_bo();
RESET ROLE;
GRANT DELETE ON fu.entries, fu.entry_access TO fu_user;
SET ROLE fu_user;
SELECT memory_forget_user('bo', 'fu') AS may_not_delete_contexts;
\echo :SQLSTATE
SELECT of_bo();
RESET ROLE;
GRANT DELETE ON fu.contexts TO fu_user;
ALTER TABLE fu.contexts ENABLE ROW LEVEL SECURITY;
CREATE POLICY visible ON fu.contexts USING (memory_id <> 'm1');
SET ROLE fu_user;
SELECT memory_forget_user('bo', 'fu') AS contexts_hidden;
\echo :SQLSTATE
SELECT of_bo();
RESET ROLE;
ALTER TABLE fu.contexts DISABLE ROW LEVEL SECURITY;
ALTER TABLE fu.entries ENABLE ROW LEVEL SECURITY;
CREATE POLICY visible ON fu.entries USING (user_id = 'bo');
SET ROLE fu_user;
SELECT memory_forget_user('bo', 'fu') AS entries_hidden;
\echo :SQLSTATE
SELECT of_bo();
-- The caller's own setting is as it was, after an error and after success.
SHOW row_security;
RESET ROLE;
ALTER TABLE fu.entries DISABLE ROW LEVEL SECURITY;
ALTER TABLE fu.entry_access ENABLE ROW LEVEL SECURITY;
SET ROLE fu_user;
SELECT memory_forget_user('bo', 'fu') AS counts_hidden;
\echo :SQLSTATE
SELECT of_bo();
RESET ROLE;
-- Roles that no policy binds may erase: here the superuser, then a role with BYPASSRLS, and the owner.
ALTER TABLE fu.entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE fu.contexts ENABLE ROW LEVEL SECURITY;
BEGIN;
SELECT memory_forget_user('bo', 'fu') AS superuser;
SHOW row_security;
SELECT of_bo();
ROLLBACK;
ALTER ROLE fu_user BYPASSRLS;
SET ROLE fu_user;
BEGIN;
SELECT memory_forget_user('bo', 'fu') AS bypassing;
SELECT of_bo();
ROLLBACK;
RESET ROLE;
ALTER ROLE fu_user NOBYPASSRLS;
ALTER TABLE fu.entries OWNER TO fu_user;
ALTER TABLE fu.contexts OWNER TO fu_user;
ALTER TABLE fu.entry_access OWNER TO fu_user;
SET ROLE fu_user;
BEGIN;
SELECT memory_forget_user('bo', 'fu') AS owner;
SELECT of_bo();
ROLLBACK;
ALTER TABLE fu.contexts FORCE ROW LEVEL SECURITY;
SELECT memory_forget_user('bo', 'fu') AS owner_bound;
\echo :SQLSTATE
SELECT of_bo();
RESET ROLE;
-- A context of another user stays for that user's entry with the same context, although an entry that is now the
-- forgotten user's brought it. A context that no other entry carries goes.
SELECT memory_create_store('fu_handed', 4);
SET memory_search.embed_on_write = off;
SELECT memory_add('m', text, context => context, user_id => 'bo', entry_id => test.id(n), store => 'fu_handed')
FROM (VALUES (1, 'brought it', 'carried'), (2, 'carries it', 'carried'), (3, 'alone', 'not carried'))
  e(n, text, context);
SELECT memory_put_context('m', 'the latest', user_id => 'bo', store => 'fu_handed') IS NOT NULL AS put;
SELECT memory_update('m', test.id(n), user_id => 'ann', store => 'fu_handed') FROM unnest('{1,3}'::int[]) n;
SELECT memory_forget_user('ann', 'fu_handed');
SELECT context, user_id, test.n(entry_id) AS by FROM fu_handed.contexts ORDER BY context;
RESET memory_search.embed_on_write;
SELECT memory_drop_store('fu_handed', true);
DROP TABLE before, of_ann, words_of_ann;
DROP FUNCTION contents, of_bo;
DROP SCHEMA fu, fu_other CASCADE;
DROP OWNED BY fu_user;
DROP ROLE fu_user;
