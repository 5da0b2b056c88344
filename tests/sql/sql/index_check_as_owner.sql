-- memory_index_check() by a superuser on somebody's index runs the code in it as the owner of the table, constant
-- expressions among it, which are evaluated before the first row is read; settings made by that code end with the
-- check.
SELECT current_user AS superuser, current_database() AS db \gset
CREATE ROLE ic_owner;
GRANT CREATE ON DATABASE :"db" TO ic_owner;
SET ROLE ic_owner;
CREATE SCHEMA ic;
CREATE FUNCTION ic.trap(what text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  PERFORM set_config('search_path', 'ic', false);
  RAISE WARNING 'the % runs as %', what, current_user;
  RETURN ' plain';
END $$;
CREATE TABLE ic.notes (topic text, body text);
INSERT INTO ic.notes VALUES ('m', 'tea at five');
SET client_min_messages = error;
CREATE INDEX notes_memory ON ic.notes USING memory_search
  (topic, (to_tsvector('english', body || ic.trap('constant') || ic.trap('expression of ' || topic))));
RESET client_min_messages;
-- A relation that is no memory index is refused by its name.
SELECT test.error($$SELECT * FROM memory_index_check('ic.notes')$$);
SELECT left(test.error($$SELECT * FROM memory_index_check(1::regclass)$$), 40) AS without_name;
RESET ROLE;
-- A session that has not used the index yet.
\c - :superuser
SET search_path = public;
SELECT value AS rows FROM memory_index_check('ic.notes_memory') WHERE name = 'rows compared';
SHOW search_path;
SELECT current_user = :'superuser' AS still_superuser;
-- An error of the owner's code gives role and settings back, too.
CREATE OR REPLACE FUNCTION ic.trap(what text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  PERFORM set_config('search_path', 'ic', false);
  RAISE EXCEPTION 'the % runs as %', what, current_user;
END $$;
\c - :superuser
SET search_path = public;
SELECT test.error($$SELECT * FROM memory_index_check('ic.notes_memory')$$);
SHOW search_path;
SELECT current_user = :'superuser' AS still_superuser;
DROP SCHEMA ic CASCADE;
DROP OWNED BY ic_owner;
DROP ROLE ic_owner;
