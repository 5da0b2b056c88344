-- memory_doctor's checks of what a store's tables were made with: each can fail, and its fix, run as it is, makes it
-- pass.
CREATE VIEW complaints AS
  SELECT name, status, detail, fix FROM memory_doctor('dd')
  WHERE status <> 'ok' AND name NOT IN ('statistics', 'row security');
CREATE FUNCTION fixed() RETURNS TABLE (name text, status text, detail text) LANGUAGE plpgsql AS $$
DECLARE
  fixes text[];
  fix text;
BEGIN
  SELECT array_agg(c.fix) INTO fixes FROM complaints c;
  RETURN QUERY SELECT c.name, c.status, c.detail FROM complaints c;
  FOREACH fix IN ARRAY fixes LOOP
    EXECUTE fix;
  END LOOP;
  IF EXISTS (SELECT FROM complaints) THEN
    RAISE EXCEPTION 'left: %', (SELECT string_agg(c::text, E'\n') FROM complaints c);
  END IF;
END $$;
CREATE FUNCTION made(OUT lines text[]) LANGUAGE sql AS $$
  SELECT array_agg(line ORDER BY line COLLATE "C") FROM (
    SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
      WHERE connamespace = to_regnamespace('dd') AND contype <> 'n'
    UNION ALL SELECT concat_ws(' ', a.attrelid::regclass, a.attname, a.attidentity, a.attnotnull,
        pg_get_expr(d.adbin, d.adrelid))
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE c.relnamespace = to_regnamespace('dd') AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL SELECT c.oid::regclass || ' ' || c.relacl::text FROM pg_class c
      WHERE c.relnamespace = to_regnamespace('dd') AND c.relkind IN ('r', 'p')) t (line) $$;
SELECT memory_create_store('dd');
SELECT count(memory_add('m', 'tea ' || n, context => 'context ' || n, entry_id => test.id(n), store => 'dd'))
FROM generate_series(1, 4) n;
SELECT memory_link('m', test.id(1)::text, test.id(2)::text, store => 'dd') IS NOT NULL AS linked;
SELECT memory_touch('m', ARRAY[test.id(1)::text, test.id(3)::text], 'dd');
SELECT made() AS at_first \gset
SELECT name FROM complaints;

-- Without the key its foreign keys are gone too; both fixes in any order.
ALTER TABLE dd.entries DROP CONSTRAINT entries_pkey CASCADE;
DELETE FROM dd.entries WHERE entry_id = test.id(1);
SELECT * FROM fixed();
SELECT made() = :'at_first'::text[] AS as_before;
SELECT (SELECT count(*) FROM dd.contexts) AS contexts, (SELECT count(*) FROM dd.links) AS links,
  (SELECT count(*) FROM dd.entry_access) AS counted;
ALTER TABLE dd.entries DROP CONSTRAINT entries_pkey CASCADE;
SELECT fix FROM complaints WHERE name = 'foreign keys' \gexec
SELECT name FROM complaints;
-- A table that takes the place of entries, and keys that keep rows or are not enforced.
CREATE TABLE dd.other (LIKE dd.entries INCLUDING ALL);
INSERT INTO dd.other SELECT * FROM dd.entries;
ALTER TABLE dd.entries RENAME TO entries_old;
ALTER TABLE dd.other RENAME TO entries;
SELECT count(*) AS named FROM complaints WHERE name = 'foreign keys' AND detail ~ 'contexts.*entry_access.*links';
SELECT fix FROM complaints WHERE name = 'foreign keys' \gexec
SELECT name FROM complaints;
DROP TABLE dd.entries_old;
ALTER TABLE dd.links DROP CONSTRAINT links_memory_id_to_entry_fkey;
ALTER TABLE dd.links ADD FOREIGN KEY (memory_id, to_entry) REFERENCES dd.entries NOT VALID;
SELECT detail FROM complaints;
SELECT count(*) FROM fixed();
SELECT count(memory_add('m', 'tea ' || n, context => 'another', store => 'dd')) FROM generate_series(5, 6) n;

-- Each default of a new store is missed; the fixes make them as they were, and entries can be added.
DROP SCHEMA dd CASCADE;
SELECT memory_create_store('dd');
SELECT count(memory_add('m', 'tea ' || n, store => 'dd')) FROM generate_series(1, 3) n;
SELECT made() AS at_first \gset
SELECT format('ALTER TABLE %s ALTER COLUMN %I DROP %s', a.attrelid::regclass, a.attname,
    CASE a.attidentity WHEN '' THEN 'DEFAULT' ELSE 'IDENTITY' END)
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.relnamespace = 'dd'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND (a.atthasdef OR a.attidentity <> '')
ORDER BY a.attrelid, a.attnum \gexec
SELECT split_part(test.error($$SELECT memory_add('m', 'tea', store => 'dd')$$), ':', 1) AS refused;
SELECT * FROM fixed();
SELECT made() = :'at_first'::text[] AS as_before;
SELECT memory_add('m', 'tea', store => 'dd') IS NOT NULL AS added;
SELECT count(DISTINCT entry_order) = 4 AND max(entry_order) = 4 AS are_in_order FROM dd.entries;

-- The table of access counts: every function refuses the store with a hint, and the fix makes it as it was.
CREATE ROLE dd_user;
SELECT memory_grant('dd', 'dd_user');
SELECT memory_enable_row_security('dd');
SELECT made() AS at_first \gset
DROP TABLE dd.entry_access;
SELECT test.error($$SELECT memory_search('m', 'tea', store => 'dd')$$);
SELECT * FROM fixed();
SELECT made() = :'at_first'::text[] AS as_before;
SELECT count(*) AS policies FROM pg_policy WHERE polrelid = 'dd.entry_access'::regclass;
SELECT memory_search('m', 'tea', store => 'dd')->>'count' AS found;
SELECT memory_touch('m', ARRAY(SELECT entry_id::text FROM dd.entries), 'dd');
DROP TABLE dd.entry_access;
SELECT memory_drop_store('dd', force => true);
-- Of an adopted table too.
CREATE TABLE dd_notes (id int PRIMARY KEY, body text);
INSERT INTO dd_notes VALUES (1, 'green tea');
SELECT memory_adopt_table('dd', 'dd_notes', '{"memory_id": "''m''", "entry_id": "id", "raw_entry": "body"}');
DROP TABLE dd.entry_access;
SELECT left(test.error($$SELECT memory_search('m', 'tea', store => 'dd')$$), 5) AS state;
SELECT * FROM fixed();
SELECT memory_touch('m', '{1}', 'dd') AS touched, memory_search('m', 'tea', store => 'dd')->>'count' AS found;
DROP TABLE dd.entry_access;
SELECT memory_drop_store('dd', force => true);

-- Links and aliases that lost columns, and tables of a user with their names.
SELECT memory_create_store('dd');
SELECT made() AS at_first \gset
ALTER TABLE dd.links DROP COLUMN weight, DROP COLUMN valid_from, DROP COLUMN metadata, DROP COLUMN creation_time;
SELECT * FROM fixed();
ALTER TABLE dd.aliases DROP COLUMN creation_time;
SELECT * FROM fixed();
SELECT made() = :'at_first'::text[] AS as_before;
ALTER TABLE dd.links ALTER COLUMN weight TYPE float8;
SELECT name, detail, fix FROM complaints;
ALTER TABLE dd.links ALTER COLUMN weight TYPE real;
DROP TABLE dd.links;
CREATE TABLE dd.links (url text);
SELECT name, detail, fix FROM complaints;
ALTER TABLE dd.links RENAME TO urls;
SELECT count(*) FROM fixed();
DROP TABLE dd.urls;

-- Entries that were renamed or moved away.
SELECT test.n(memory_add('m', 'tea', entry_id => test.id(1), store => 'dd')) AS added;
ALTER TABLE dd.entries RENAME TO "Not here";
SELECT test.error($$SELECT memory_count('m', store => 'dd')$$);
SELECT * FROM fixed();
CREATE SCHEMA dd_else;
ALTER TABLE dd.entries SET SCHEMA dd_else;
SELECT * FROM fixed();
SELECT memory_count('m', store => 'dd');

-- Of an entry without any text nothing is embedded.
SET memory_search.embed_on_write = off;
SELECT count(memory_add('m', t, store => 'dd')) FROM unnest(ARRAY['', E' \n\t']) t;
RESET memory_search.embed_on_write;
SELECT * FROM fixed();
SELECT name, status, detail FROM memory_doctor('dd') WHERE name LIKE '% without embedding';
INSERT INTO dd.entries (memory_id, raw_entry) VALUES ('m', 'green tea');
SELECT name, detail, fix FROM complaints;
SELECT fix FROM complaints \gexec
SELECT name FROM complaints;

-- No embedder, and one that fails: the other checks go on.
SET memory_search.model = '';
SELECT status, detail FROM memory_doctor('dd') WHERE name = 'one embedder';
RESET memory_search.model;
CREATE FUNCTION dd_else.fails(text) RETURNS vector LANGUAGE plpgsql AS $$ BEGIN RAISE 'model down'; END $$;
SET memory_search.embedding_function = 'dd_else.fails';
SELECT name, status, detail, fix FROM complaints;
SET memory_search.embedding_function = 'dd_else.nowhere';
SELECT name, status, detail FROM complaints WHERE name = 'dimensions';
RESET memory_search.embedding_function;

-- A role that may read entries, and not links.
SELECT memory_drop_store('dd', force => true);
SELECT memory_create_store('dd');
GRANT USAGE ON SCHEMA dd TO dd_user;
GRANT SELECT ON dd.entries, dd.contexts, dd.entry_access TO dd_user;
SET ROLE dd_user;
SELECT name, status, detail FROM memory_doctor('dd') WHERE name LIKE '%links%';
RESET ROLE;

-- Indexes of tables that others inherit from are made one by one.
CREATE TABLE dd.child () INHERITS (dd.entries);
SELECT detail, fix FROM complaints WHERE name = 'index by time';
DROP TABLE dd.child;
SELECT memory_drop_store('dd');
DROP SCHEMA dd_else CASCADE;
DROP VIEW complaints;
DROP FUNCTION fixed, made;
DROP TABLE dd_notes;
DROP ROLE dd_user;
