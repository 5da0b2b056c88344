-- Row-level security holds in every retrieval, in counts and in every statistic behind a score.
SELECT memory_create_store('rl', 4), memory_create_store('rl_ana', 4), memory_create_store('rl_bo', 4);
-- Two tenants share a memory; the same rows are alone in a store of each: rows that a tenant sees have equal scores.
INSERT INTO rl.entries (memory_id, entry_id, user_id, raw_entry, embedding, creation_time, importance)
SELECT 'm', test.id(n),
  CASE WHEN n % 3 = 0 THEN 'rl_bo' ELSE 'rl_ana' END,
  test.words(n, 2 + n % 9), test.vector(n),
  timestamptz '2025-01-01Z' + n * interval '1 hour', n % 100
FROM generate_series(1, 120) n;
INSERT INTO rl.contexts (memory_id, context_id, user_id, context, embedding, creation_time)
SELECT 'm', test.id(n),
  CASE WHEN n % 3 = 0 THEN 'rl_bo' ELSE 'rl_ana' END,
  test.words(n + 500, 8), test.vector(n + 500),
  timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM generate_series(1, 12) n;
INSERT INTO rl.entry_access SELECT memory_id, entry_id, test.n(entry_id), now() FROM rl.entries;
INSERT INTO rl_ana.entries (memory_id, entry_id, user_id, raw_entry, embedding, creation_time, importance)
SELECT memory_id, entry_id, user_id, raw_entry, embedding, creation_time, importance
FROM rl.entries
WHERE user_id = 'rl_ana';
INSERT INTO rl_ana.contexts (memory_id, context_id, user_id, context, embedding, creation_time)
SELECT memory_id, context_id, user_id, context, embedding, creation_time
FROM rl.contexts
WHERE user_id = 'rl_ana';
INSERT INTO rl_ana.entry_access SELECT memory_id, entry_id, test.n(entry_id), now() FROM rl_ana.entries;
INSERT INTO rl_bo.entries (memory_id, entry_id, user_id, raw_entry, embedding, creation_time, importance)
SELECT memory_id, entry_id, user_id, raw_entry, embedding, creation_time, importance
FROM rl.entries
WHERE user_id = 'rl_bo';
INSERT INTO rl_bo.contexts (memory_id, context_id, user_id, context, embedding, creation_time)
SELECT memory_id, context_id, user_id, context, embedding, creation_time
FROM rl.contexts
WHERE user_id = 'rl_bo';
INSERT INTO rl_bo.entry_access SELECT memory_id, entry_id, test.n(entry_id), now() FROM rl_bo.entries;

CREATE ROLE rl_ana;
CREATE ROLE rl_bo;
CREATE ROLE rl_owner;
GRANT USAGE ON SCHEMA rl, rl_ana, rl_bo TO rl_ana, rl_bo, rl_owner;
GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA rl, rl_ana, rl_bo TO rl_ana, rl_bo, rl_owner;
ALTER TABLE rl.entries OWNER TO rl_owner;
ALTER TABLE rl.entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE rl.contexts ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON rl.entries USING (user_id = current_user);
CREATE POLICY own ON rl.contexts USING (user_id = current_user);

-- A search in the shared store and the same in the tenant's own store give the same bytes, for every strategy.
CREATE FUNCTION as_alone(alone text) RETURNS TABLE (strategy text, entries jsonb, same boolean) LANGUAGE sql AS $$
  SELECT s.strategy, shared->'count', shared::text = own::text
  FROM (VALUES ('hybrid'), ('keyword'), ('semantic'), ('recent'), ('auto')) s(strategy),
    LATERAL (SELECT jsonb_build_object('strategy', strategy, 'boosts', '{"popularity": 0.3}'::jsonb,
                 'asOf', '2030-01-01T00:00:00Z')) o(options),
    LATERAL memory_search('m', 'tea train hotel quartz', 10, 3, '[1,0.5,0,0]', options => options,
        store => 'rl') shared,
    LATERAL memory_search('m', 'tea train hotel quartz', 10, 3, '[1,0.5,0,0]', options => options,
        store => alone) own $$;
SET ROLE rl_ana;
SELECT * FROM as_alone('rl_ana');
-- In the same session, with plans that ana's search has made.
SET ROLE rl_bo;
SELECT * FROM as_alone('rl_bo');
SELECT count(*) FILTER (WHERE user_id <> 'rl_bo') AS foreign_rows, count(*) AS own_rows
FROM memory_search_entries('m', 'tea', 10, store => 'rl');
-- Nothing reveals the other tenant's rows: no filter and no id.
SELECT memory_search('m', 'tea', filters => '{"userId": "rl_ana"}', store => 'rl') AS filtered;
SELECT test.error($$SELECT memory_add('m', 'x', user_id => 'rl_ana', store => 'rl')$$);
SELECT memory_delete('m', ARRAY[test.id(1), test.id(3)], store => 'rl') AS only_own;
RESET ROLE;
SELECT test.n(entry_id) AS hidden FROM rl.entries WHERE deletion_scheduled_time IS NOT NULL;
UPDATE rl.entries SET deletion_scheduled_time = NULL;
-- The owner sees all, unless the policy is forced on him; a superuser always does.
SET ROLE rl_owner;
SELECT count(DISTINCT user_id) AS users_seen FROM memory_search_entries('m', '', 10, store => 'rl');
RESET ROLE;
ALTER TABLE rl.entries FORCE ROW LEVEL SECURITY;
SET ROLE rl_owner;
SELECT memory_search('m', 'tea', store => 'rl')->'count' AS forced;
RESET ROLE;
SELECT count(DISTINCT user_id) AS users_seen FROM memory_search_entries('m', '', 10, store => 'rl');
-- row_security = off makes such a search an error.
SET ROLE rl_ana;
SET row_security = off;
SELECT test.error($$SELECT memory_search('m', 'tea', store => 'rl')$$);
RESET row_security;
-- A policy by a setting instead of a role follows the setting within one session.
RESET ROLE;
DROP POLICY own ON rl.entries;
CREATE POLICY by_setting ON rl.entries USING (user_id = current_setting('app.user', true));
SET ROLE rl_ana;
SELECT who, set_config('app.user', who, false) AS set, count(*) AS rows, min(user_id) AS least, max(user_id) AS most
FROM (VALUES ('rl_bo'), ('rl_ana'), ('nobody')) t(who)
CROSS JOIN LATERAL (SELECT set_config('app.user', who, false)) s
LEFT JOIN LATERAL memory_search_entries('m', 'tea train' || left(s.set_config, 0), 10, store => 'rl') f ON true
GROUP BY who ORDER BY who;
RESET ROLE;
-- A correction hides an entry only from the roles that see the correction.
INSERT INTO rl.entries (memory_id, entry_id, user_id, raw_entry)
VALUES ('gate', test.id(901), 'rl_ana', 'gate code 1917'), ('gate', test.id(902), 'rl_bo', 'gate code 2026');
SELECT memory_supersede('gate', test.id(901), test.id(902), 'rl');
CREATE FUNCTION codes() RETURNS TABLE (way text, codes text) LANGUAGE sql AS $$
  SELECT 'search', string_agg(raw_entry, ',') FROM memory_search_entries('gate', 'gate code', 10, store => 'rl')
  UNION ALL SELECT 'list', string_agg(raw_entry, ',') FROM memory_list('gate', store => 'rl') $$;
SELECT * FROM codes();
SET ROLE rl_ana;
SELECT set_config('app.user', 'rl_ana', false) AS who;
SELECT * FROM codes();
RESET ROLE;
DROP FUNCTION as_alone, codes;
DROP SCHEMA rl, rl_ana, rl_bo CASCADE;
DROP OWNED BY rl_ana, rl_bo, rl_owner;
DROP ROLE rl_ana, rl_bo, rl_owner;
