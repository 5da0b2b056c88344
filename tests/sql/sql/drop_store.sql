-- memory_drop_store drops an empty store, or with force a store that holds memories, and nothing else.
SELECT memory_create_store('ds', 4);
SELECT memory_drop_store('ds');
SELECT to_regnamespace('ds') IS NULL AS gone;

-- A store with an entry is refused, and one with only a context, too; hidden entries count.
SELECT memory_create_store('ds', 4);
SELECT memory_add('m', 'something', store => 'ds', entry_id => test.id(1));
SELECT test.error($$SELECT memory_drop_store('ds')$$);
SELECT memory_delete('m', ARRAY[test.id(1)], store => 'ds');
SELECT test.error($$SELECT memory_drop_store('ds')$$);
DELETE FROM ds.entries;
SELECT memory_put_context('m', 'a context', store => 'ds') IS NOT NULL;
SELECT test.error($$SELECT memory_drop_store('ds')$$);
SELECT count(*) AS contexts FROM ds.contexts;
SELECT memory_drop_store('ds', force => true);
SELECT to_regnamespace('ds') IS NULL AS gone;

-- A user's table in the store's schema stays, and so does the schema.
SELECT memory_create_store('ds', 4);
CREATE TABLE ds.diary (line text);
INSERT INTO ds.diary VALUES ('dear diary');
SELECT memory_drop_store('ds');
SELECT * FROM ds.diary;
SELECT count(*) AS tables FROM pg_class WHERE relnamespace = 'ds'::regnamespace AND relkind = 'r';
-- A store can be made in that schema again.
SELECT memory_create_store('ds', 4);
SELECT memory_drop_store('ds');
SELECT * FROM ds.diary;
DROP SCHEMA ds CASCADE;

-- A schema that was there before the store stays, whatever its comment; one that was made for a store goes.
CREATE SCHEMA ds_before;
SELECT memory_create_store('ds_before', 4), memory_drop_store('ds_before');
SELECT to_regnamespace('ds_before') IS NOT NULL AS stays;
COMMENT ON SCHEMA ds_before IS 'of the application';
SELECT memory_create_store('ds_before', 4), memory_keep_history('ds_before'), memory_drop_store('ds_before');
SELECT obj_description('ds_before'::regnamespace) AS comment, count(c.oid) AS relations
FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid WHERE nspname = 'ds_before' GROUP BY n.oid;
SELECT memory_create_store('ds_before', 4);
DROP TABLE ds_before.entries CASCADE;
SELECT memory_drop_store('ds_before');
SELECT to_regnamespace('ds_before') IS NOT NULL AS stays;
CREATE TABLE ds_before.notes (id bigint PRIMARY KEY, body text NOT NULL);
SELECT memory_adopt_table('ds_before', 'ds_before.notes',
  '{"memory_id": "''m''", "entry_id": "id", "raw_entry": "body"}');
SELECT memory_drop_store('ds_before');
DROP TABLE ds_before.notes;
CREATE TABLE public.ds_notes (id bigint PRIMARY KEY, body text NOT NULL);
SELECT memory_adopt_table('ds_before', 'public.ds_notes',
  '{"memory_id": "''m''", "entry_id": "id", "raw_entry": "body"}');
SELECT memory_drop_store('ds_before');
SELECT to_regnamespace('ds_before') IS NOT NULL AS stays;
SELECT memory_adopt_table('ds_adopts', 'public.ds_notes',
  '{"memory_id": "''m''", "entry_id": "id", "raw_entry": "body"}');
SELECT memory_drop_store('ds_adopts');
SELECT to_regnamespace('ds_adopts') IS NULL AS gone;
DROP TABLE public.ds_notes;
DROP SCHEMA ds_before;

-- A view of a user that depends on a store is not dropped with it.
SELECT memory_create_store('ds', 4);
CREATE VIEW public.ds_view AS SELECT memory_id FROM ds.entries;
SELECT split_part(test.error($$SELECT memory_drop_store('ds', true)$$), ':', 1);
SELECT count(*) AS rows FROM ds_view;
DROP VIEW public.ds_view;
-- After a rollback of the drop, the store is there.
BEGIN;
SELECT memory_drop_store('ds');
ROLLBACK;
SELECT memory_search('m', '', store => 'ds')->'count' AS still_there;
-- A rolled back creation leaves no store, and its plans are forgotten.
BEGIN;
SELECT memory_create_store('ds_rolled_back', 3);
SELECT memory_add('m', 'x', embedding => '[1,2,3]', store => 'ds_rolled_back') IS NOT NULL;
ROLLBACK;
SELECT memory_create_store('ds_rolled_back', 2);
SELECT memory_add('m', 'x', embedding => '[1,2]', entry_id => test.id(1), store => 'ds_rolled_back') IS NOT NULL;
SELECT test.found(memory_search('m', 'x', embedding => '[1,2]', store => 'ds_rolled_back'));
-- A store whose entries were dropped by hand can be dropped: its history and functions are dropped, and the name
-- is free.
SELECT memory_create_store('ds_lost', 2), memory_keep_history('ds_lost'), memory_notify('ds_lost', 'ds_channel');
SELECT memory_add('m', 'x', embedding => '[1,2]', store => 'ds_lost') IS NOT NULL;
DROP TABLE ds_lost.entries CASCADE;
DELETE FROM ds_lost.contexts;
SELECT memory_doctor('ds_lost');
SELECT test.error($$SELECT memory_drop_store('ds_lost')$$);
CREATE TABLE ds_lost.mine ();
SELECT memory_drop_store('ds_lost', force => true);
-- A user's table in its schema stays, and so does the schema.
SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'ds_lost'::regnamespace
UNION ALL SELECT p.proname FROM pg_proc p WHERE p.pronamespace = 'ds_lost'::regnamespace;
DROP SCHEMA ds_lost CASCADE;
SELECT memory_create_store('ds_lost', 2), memory_keep_history('ds_lost'), memory_notify('ds_lost', 'ds_channel');
DROP TABLE ds_lost.entries CASCADE;
SELECT memory_drop_store('ds_lost'), memory_create_store('ds_lost', 2), memory_drop_store('ds_lost');
-- A table named history, or a function, that belongs to no store keeps the schema.
SELECT memory_create_store('ds_lost', 2);
CREATE TABLE ds_lost.history (history_id int, entry_id uuid, operation text, before jsonb);
CREATE FUNCTION ds_lost.notify_changes() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
DROP TABLE ds_lost.entries CASCADE;
SELECT memory_drop_store('ds_lost');
SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'ds_lost'::regnamespace
UNION ALL SELECT p.proname FROM pg_proc p WHERE p.pronamespace = 'ds_lost'::regnamespace;
DROP SCHEMA ds_lost CASCADE;

-- An application's tables that only have the names of a store's are not dropped.
CREATE SCHEMA ds_app;
CREATE TABLE ds_app.entries (memory_id text, entry_id uuid, raw_entry text);
CREATE TABLE ds_app.contexts (id int);
SELECT test.error($$SELECT memory_drop_store('ds_app', force => true)$$);
SELECT count(*) AS tables FROM pg_class WHERE relnamespace = 'ds_app'::regnamespace AND relkind = 'r';
DROP SCHEMA ds_app CASCADE;

SELECT test.error(statement) FROM (VALUES
  ($$SELECT memory_drop_store('no_such_store')$$), ($$SELECT memory_drop_store('no_such_store', true)$$),
  ($$SELECT memory_drop_store('pg_catalog')$$),
  ($$SELECT memory_drop_store('test', force => true)$$),
  ($$SELECT memory_drop_store('', force => true)$$)
) t(statement);
SELECT test.error(statement) FROM (VALUES
  ($$SELECT memory_drop_store(NULL)$$),
  ($$SELECT memory_drop_store(NULL, force => true)$$),
  ($$SELECT memory_drop_store('ds_rolled_back', force => NULL)$$)
) t(statement);
DROP SCHEMA ds, ds_rolled_back CASCADE;
