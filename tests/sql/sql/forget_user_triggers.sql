-- memory_forget_user erases all of a user or nothing: a trigger of the store's owner that keeps a row makes it fail.
SELECT memory_create_store('ft', 3);
SELECT memory_keep_history('ft');
SELECT count(memory_add('m', text, user_id => 'ann', context => 'of ' || text, embedding => '[1,0,0]', store => 'ft'))
FROM unnest('{one,two}'::text[]) text;
SELECT sum(memory_update('m', entry_id, raw_entry => raw_entry || ' again', embedding => '[0,1,0]', store => 'ft'))
FROM ft.entries;
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RETURN CASE WHEN old::text LIKE '%two%' THEN NULL ELSE old END;
END $$;
CREATE FUNCTION left_of_ann() RETURNS text LANGUAGE sql AS $$
  SELECT format('%s entries, %s contexts, %s of history', (SELECT count(*) FROM ft.entries WHERE user_id = 'ann'),
    (SELECT count(*) FROM ft.contexts WHERE user_id = 'ann'),
    (SELECT count(*) FROM ft.history WHERE user_id = 'ann')) $$;
SELECT left_of_ann();
\set ON_ERROR_STOP off
CREATE TRIGGER keep BEFORE DELETE ON ft.entries FOR EACH ROW EXECUTE FUNCTION keep();
SELECT memory_forget_user('ann', 'ft');
\echo :SQLSTATE
DROP TRIGGER keep ON ft.entries;
CREATE TRIGGER keep BEFORE DELETE ON ft.contexts FOR EACH ROW EXECUTE FUNCTION keep();
SELECT memory_forget_user('ann', 'ft');
DROP TRIGGER keep ON ft.contexts;
-- An entry's history is deleted with it; old versions of an entry that is now another user's are deleted separately.
SELECT sum(memory_update('m', entry_id, user_id => 'bo', store => 'ft')) FROM ft.entries WHERE raw_entry = 'two again';
CREATE TRIGGER keep BEFORE DELETE ON ft.history FOR EACH ROW EXECUTE FUNCTION keep();
SELECT memory_forget_user('ann', 'ft');
DROP TRIGGER keep ON ft.history;
SELECT left_of_ann();
-- Counts and links, which the foreign keys do not miss.
SELECT memory_touch('m', ARRAY(SELECT entry_id FROM ft.entries WHERE user_id = 'ann'), 'ft') AS counted,
  memory_add('m', 'of nobody', entry_id => test.id(9), embedding => '[1,0,0]', store => 'ft');
SELECT memory_link('m', entry_id::text, test.id(9)::text, store => 'ft') FROM ft.entries WHERE user_id = 'ann';
CREATE FUNCTION keep_all() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER keep BEFORE DELETE ON ft.entry_access FOR EACH ROW EXECUTE FUNCTION keep_all();
SELECT memory_forget_user('ann', 'ft');
\echo :SQLSTATE
-- One that is disabled, or lets them go, is no obstacle.
ALTER TABLE ft.entry_access DISABLE TRIGGER keep;
BEGIN;
SELECT memory_forget_user('ann', 'ft') > 0 AS forgot;
SELECT count(*) AS counts_left FROM ft.entry_access;
ROLLBACK;
DROP TRIGGER keep ON ft.entry_access;
CREATE TRIGGER keep BEFORE DELETE ON ft.links FOR EACH ROW EXECUTE FUNCTION keep_all();
SELECT memory_forget_user('ann', 'ft');
SELECT left_of_ann(), (SELECT count(*) FROM ft.entry_access) AS counts, (SELECT count(*) FROM ft.links) AS links;
CREATE OR REPLACE FUNCTION keep_all() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN old; END $$;
SELECT memory_forget_user('ann', 'ft') > 0 AS forgot;
SELECT (SELECT count(*) FROM ft.entry_access) AS counts, (SELECT count(*) FROM ft.links) AS links;
SELECT left_of_ann();
SELECT memory_drop_store('ft', true);
DROP FUNCTION keep, keep_all, left_of_ann;
