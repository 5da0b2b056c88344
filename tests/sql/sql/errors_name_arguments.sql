-- An error names the argument and its value, also if an index or a user's function raised it.
SELECT memory_create_store('en', 4);
-- A store has partitions from PostgreSQL 17 on.
SELECT memory_create_store('ep', 4,
  partitions => CASE WHEN current_setting('server_version_num')::int >= 170000 THEN 4 END);

-- An id or a key that another entry has. Nothing changes.
SELECT store, memory_add('m', 'one', entry_id => test.id(1), entry_key => 'k', store => store),
  memory_add('m', 'two', entry_id => test.id(2), store => store) FROM unnest('{en, ep}'::text[]) store;
CREATE FUNCTION refusals(store text) RETURNS TABLE (n int, error text) LANGUAGE sql AS $$
  SELECT n, test.error(format('SELECT ' || replace(call, '%2$s', test.id(2)::text), store)) FROM (VALUES
    (1, $c$memory_add('m', 'x', entry_id => test.id(2), store => %L)$c$),
    (2, $c$memory_add_many('m', '[{"rawEntry": "x"}, {"rawEntry": "x", "entryId": "%2$s"}]', %1$L)$c$),
    (3, $c$memory_update('m', test.id(2), entry_key => 'k', store => %L)$c$),
    (4, $c$memory_import('m', '[{"kind": "entry", "rawEntry": "x", "entryKey": "k"}]', %L)$c$),
    (5, $c$memory_import('m', '[{"kind": "entry", "rawEntry": "x"},
      {"kind": "entry", "rawEntry": "x", "entryId": "%2$s"}]', %1$L)$c$)
  ) t(n, call) ORDER BY n $$;
SELECT * FROM refusals('en');
-- A partition's index has another name.
SELECT n, error ~ '^23505: .*"[^"]+"( of [^"]+)? is already used by another entry of memory "m"' AS is_named
FROM refusals('ep');
-- A uuid may be written in other forms.
SELECT test.error(format('SELECT memory_add_many(''m'', ''[{"rawEntry": "x", "entryId": "%s"}]'', ''en'')',
  replace(test.id(2)::text, '-', '')));
SELECT count(*), max(raw_entry) FROM en.entries;
-- An error of a unique index that the user made names this index: no argument is wrong.
CREATE UNIQUE INDEX one_text ON en.entries (memory_id, raw_entry);
SELECT test.error('SELECT memory_add(''m'', ''one'', entry_id => test.id(3), store => ''en'')');
DROP INDEX en.one_text;
-- Under row security the server does not show the row; the error names the argument if only one can be meant.
CREATE ROLE regress_en_ann;
SELECT memory_grant('en', 'regress_en_ann', 'writer');
ALTER TABLE en.entries ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_rows ON en.entries USING (true);
SET ROLE regress_en_ann;
SELECT memory_add('m', 'x', entry_id => '00000000-0000-0000-0000-000000000002', store => 'en');
SELECT memory_update('m', '00000000-0000-0000-0000-000000000002', entry_key => 'k', store => 'en');
RESET ROLE;

-- If a function of the user fails, the error has PostgreSQL's message and names the function.
CREATE SCHEMA en_code;
CREATE FUNCTION en_code.prefix(t text) RETURNS text LANGUAGE sql RETURN 'query: ' || t;
CREATE FUNCTION en_code.embed(t text) RETURNS real[] LANGUAGE plpgsql AS $$
BEGIN RETURN array_fill(length(prefix(t)), '{4}'); END $$;
SET memory_search.embedding_function = 'en_code.embed';
SELECT test.error('SELECT memory_search(''m'', ''tea'', store => ''en'')');
SELECT test.error('SELECT memory_add(''m'', ''tea'', store => ''en'')');
ALTER FUNCTION en_code.embed SET search_path = en_code, pg_catalog;
SELECT memory_search('m', 'one', store => 'en') ->> 'count' AS found;
-- A cancelled statement is not blamed on the function.
CREATE OR REPLACE FUNCTION en_code.embed(t text) RETURNS real[] LANGUAGE sql AS $$
  SELECT '{1,1,1,1}'::real[] FROM pg_sleep(10) $$;
SET statement_timeout = '50ms';
SELECT memory_search('m', 'two', store => 'en');
RESET statement_timeout;
RESET memory_search.embedding_function;
CREATE FUNCTION en_code.rerank(q text, entries text[]) RETURNS real[] LANGUAGE sql AS $$
  SELECT ARRAY[1 / (length(q) - 3)]::real[] $$;
SELECT test.error($$SELECT memory_search('m', 'one', store => 'en',
  options => '{"rerank": {"function": "en_code.rerank", "onError": "fail"}}')$$);

-- A search for entries that are valid at an instant, if no column has an interval of validity.
CREATE TABLE en_log (chat text, no int PRIMARY KEY, said text, at timestamptz DEFAULT now(), until timestamptz);
INSERT INTO en_log VALUES ('m', 1, 'tea', '2025-01-01Z', '2025-02-01Z');
SELECT memory_adopt_table('en_plain', 'en_log', '{"memory_id": "chat", "entry_id": "no", "raw_entry": "said",
  "creation_time": "at"}');
SELECT memory_adopt_table('en_ends', 'en_log', '{"memory_id": "chat", "entry_id": "no", "raw_entry": "said",
  "creation_time": "at", "valid_until": "until"}');
SELECT n, store, test.error(format('SELECT memory_search(''m'', ''tea'', store => %L, options => %L)', store, options))
FROM unnest('{en_plain, en_ends}'::text[]) store, (VALUES (1, '{"validAt": "2025-03-01T00:00:00Z"}'),
  (2, '{"validDuring": [null, "2025-01-01T00:00:00Z"]}'), (3, '{"validAt": "any"}'), (4, '{}')) t(n, options)
ORDER BY store, n;

DROP FUNCTION refusals;
DROP SCHEMA en, ep, en_code, en_plain, en_ends CASCADE;
DROP TABLE en_log;
DROP OWNED BY regress_en_ann;
DROP ROLE regress_en_ann;
