-- A session keeps the definitions of stores. The next call sees each change of a store, and a rolled back change has no
-- effect.
-- known shows a session's definition of a store: language and dimension by their effects, rows by a search. With a
-- stemmer, "running" finds "runs".
CREATE FUNCTION known(store text) RETURNS text LANGUAGE sql AS $$
  SELECT format('%s | %s',
      test.error(format('SELECT memory_add(''m'', ''x'', embedding => %L, store => %L)', '[1,2,3,4,5]', store)),
      CASE test.error(format('SELECT memory_search(''m'', ''running'', store => %L)', store))
          WHEN 'no error'
            THEN 'found '
              || (SELECT coalesce(string_agg(e->>'rawEntry', ', ' ORDER BY e->>'rawEntry'), 'nothing')
                  FROM jsonb_array_elements(memory_search('m', 'running',
                      options => '{"strategy": "keyword", "fallback": false}', store => store)->'entries') e)
          ELSE test.error(format('SELECT memory_search(''m'', ''running'', store => %L)', store)) END) $$;
CREATE FUNCTION filled(store text, dimensions int, language text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM memory_create_store(store, dimensions, language);
  PERFORM memory_add('m', format('she runs in %s %s', language, dimensions),
        embedding => array_fill(1, ARRAY[dimensions])::real[], entry_id => test.id(1), creation_time => '2025-01-01Z',
        store => store),
    memory_add('m', 'running ' || language, entry_id => test.id(2), creation_time => '2025-01-01Z', store => store),
    memory_put_context('m', 'runs', creation_time => '2025-01-01Z', store => store);
END $$;

-- A schema is renamed; the old name is free, and another store may take it. Two stores may exchange their names.
SELECT filled('sc', 4, 'english');
SELECT known('sc');
ALTER SCHEMA sc RENAME TO sc_b;
SELECT known('sc_b') AS new_name, known('sc') AS old_name;
SELECT filled('sc', 5, 'simple');
SELECT known('sc_b') AS first, known('sc') AS second;
ALTER SCHEMA sc RENAME TO sc_c;
ALTER SCHEMA sc_b RENAME TO sc;
ALTER SCHEMA sc_c RENAME TO sc_b;
SELECT known('sc') AS first, known('sc_b') AS second;
SELECT memory_search('m', '', store => 'sc')->>'latestContext' AS contexts_too;

-- The store is dropped by each way, and made again with another language and another dimension.
SELECT memory_drop_store('sc', force => true);
SELECT known('sc');
SELECT filled('sc', 3, 'german');
SELECT known('sc');
DROP SCHEMA sc CASCADE;
SELECT filled('sc', 5, 'english');
SELECT known('sc');
-- In one transaction; and an adopted table in place of a store, and the other way round.
BEGIN;
SELECT memory_drop_store('sc', force => true);
SELECT known('sc') AS within;
SELECT filled('sc', 2, 'simple');
SELECT known('sc') AS within;
COMMIT;
SELECT known('sc') AS after_it;
CREATE TABLE sc_notes (id bigint PRIMARY KEY, project text, body text);
INSERT INTO sc_notes VALUES (1, 'm', 'the note runs'), (2, 'm', 'a boat');
SELECT memory_drop_store('sc', force => true);
SELECT memory_adopt_table('sc', 'sc_notes', '{"memory_id": "project", "entry_id": "id", "raw_entry": "body"}');
SELECT known('sc');
-- The view of an adopted table is replaced: another language, another column.
DO $$
BEGIN
  EXECUTE 'CREATE OR REPLACE VIEW sc.entries WITH (security_invoker = true) AS '
    || replace(pg_get_viewdef('sc.entries'), 'english', 'simple');
END $$;
SELECT known('sc');
INSERT INTO sc_notes VALUES (3, 'm', 'running notes');
SELECT known('sc');
DO $$
BEGIN
  EXECUTE 'CREATE OR REPLACE VIEW sc.entries WITH (security_invoker = true) AS '
    || replace(pg_get_viewdef('sc.entries'), 'simple', 'english');
END $$;
SELECT known('sc');
-- The store is called by its new name.
ALTER TABLE sc_notes RENAME TO sc_notes_now;
SELECT known('sc');
ALTER TABLE sc_notes_now RENAME TO sc_notes;
SELECT memory_drop_store('sc', force => true);
SELECT filled('sc', 4, 'english');
SELECT known('sc');
SELECT memory_touch('m', ARRAY[test.id(1)], 'sc') AS touched;

-- The column of embeddings changes: another dimension, none, another type.
ALTER TABLE sc.entries ALTER COLUMN embedding TYPE halfvec(5) USING NULL;
ALTER TABLE sc.contexts ALTER COLUMN embedding TYPE halfvec(5) USING NULL;
SELECT known('sc');
ALTER TABLE sc.entries ALTER COLUMN embedding TYPE halfvec(4) USING NULL, ALTER COLUMN raw_entry SET STORAGE extended;
SELECT known('sc');
ALTER TABLE sc.entries ALTER COLUMN embedding TYPE halfvec;
ALTER TABLE sc.contexts ALTER COLUMN embedding TYPE halfvec;
SELECT known('sc');
ALTER TABLE sc.entries ALTER COLUMN embedding TYPE vector(5);
ALTER TABLE sc.contexts ALTER COLUMN embedding TYPE vector(5);
SELECT known('sc');
SELECT memory_add('m', 'by meaning', embedding => '[1,2,3,4,5]', entry_id => test.id(5), creation_time => '2025-01-01Z',
    store => 'sc');
SELECT test.found(memory_search('m', '', 1, embedding => '[1,2,3,4,4]', store => 'sc')) AS nearest;
ALTER TABLE sc.entries ALTER COLUMN embedding TYPE halfvec(5);
ALTER TABLE sc.contexts ALTER COLUMN embedding TYPE halfvec(5);
SELECT test.found(memory_search('m', '', 1, embedding => '[1,2,3,4,4]', store => 'sc')) AS nearest;

-- A relation is dropped and made again.
ALTER TABLE sc.contexts RENAME TO contexts_away;
SELECT known('sc');
ALTER TABLE sc.contexts_away RENAME TO contexts;
SELECT known('sc');
CREATE SCHEMA sc_away;
ALTER TABLE sc.entries SET SCHEMA sc_away;
SELECT known('sc');
ALTER TABLE sc_away.entries SET SCHEMA sc;
SELECT known('sc');
DROP SCHEMA sc_away;

-- The text search configuration is renamed, and moved.
CREATE TEXT SEARCH CONFIGURATION sc_words (COPY = english);
SELECT filled('sc_words_store', 5, 'public.sc_words');
SELECT known('sc_words_store');
ALTER TEXT SEARCH CONFIGURATION sc_words RENAME TO "Sc's words";
SELECT known('sc_words_store');
CREATE SCHEMA "Sc's schema";
ALTER TEXT SEARCH CONFIGURATION "Sc's words" SET SCHEMA "Sc's schema";
SELECT known('sc_words_store');
ALTER SCHEMA "Sc's schema" RENAME TO sc_schema;
SELECT known('sc_words_store');
-- A store follows the changes of its configuration: without the stemmer, a search takes words as they are written.
ALTER TEXT SEARCH CONFIGURATION sc_schema."Sc's words" ALTER MAPPING FOR asciiword WITH simple;
SELECT known('sc_words_store');

-- A rollback leaves no trace: of whole transactions, and of parts of one.
SELECT known('sc') AS before \gset
BEGIN;
ALTER TABLE sc.entries ALTER COLUMN embedding TYPE halfvec(2) USING NULL;
SELECT known('sc') AS within;
ROLLBACK;
SELECT known('sc') = :'before' AS as_before;
BEGIN;
ALTER SCHEMA sc RENAME TO sc_renamed;
SELECT known('sc') AS old_name, known('sc_renamed') = :'before' AS new_name;
ROLLBACK;
SELECT known('sc') = :'before' AS as_before, known('sc_renamed') AS never_was;
BEGIN;
SELECT filled('sc_new', 5, 'simple');
SELECT known('sc_new') AS within;
ROLLBACK;
SELECT known('sc_new') AS never_was;
BEGIN;
DROP SCHEMA sc CASCADE;
SELECT known('sc') AS within;
ROLLBACK;
SELECT known('sc') = :'before' AS as_before;
BEGIN;
SELECT known('sc') = :'before' AS as_before;
SAVEPOINT one;
DROP SCHEMA sc CASCADE;
SELECT filled('sc', 5, 'simple');
SELECT known('sc') AS within;
SAVEPOINT two;
ALTER TABLE sc.entries ALTER COLUMN embedding TYPE halfvec(3) USING NULL;
SELECT known('sc') AS deeper;
ROLLBACK TO two;
SELECT known('sc') AS within_again;
RELEASE two;
ROLLBACK TO one;
SELECT known('sc') = :'before' AS as_before;
ALTER SCHEMA sc RENAME TO sc_renamed;
SELECT known('sc_renamed') = :'before' AS new_name;
ROLLBACK TO one;
SELECT known('sc') = :'before' AS as_before, known('sc_renamed') AS never_was;
COMMIT;
SELECT known('sc') = :'before' AS as_before;
-- An error has the effect of a rollback.
DO $$
BEGIN
  BEGIN
    ALTER TABLE sc.entries ALTER COLUMN embedding TYPE halfvec(2) USING NULL;
    RAISE WARNING '%', known('sc');
    RAISE division_by_zero;
  EXCEPTION
    WHEN division_by_zero THEN
      RAISE WARNING '%', known('sc') = (SELECT known('sc')) AND known('sc') LIKE 'no error%';
  END;
END $$;

-- pgvector moves to another schema, and back: its operators and types are called in their present schema.
CREATE SCHEMA sc_vector;
ALTER EXTENSION vector SET SCHEMA sc_vector;
SELECT known('sc') = :'before' AS as_before,
  test.found(memory_search('m', '', 1, embedding => '[1,2,3,4,4]', store => 'sc')) AS nearest,
  test.n(memory_add('m', 'added meanwhile', embedding => '[5,4,3,2,1]', entry_id => test.id(6),
      creation_time => '2025-01-01Z', store => 'sc')) AS added,
  memory_update('m', test.id(6), embedding => '[5,4,3,2,2]', store => 'sc') AS updated;
SELECT filled('sc_moved', 5, 'english');
SELECT known('sc_moved'), (SELECT count(*) FROM memory_doctor('sc')) AS checks;
ALTER EXTENSION vector SET SCHEMA public;
SELECT known('sc') = :'before' AS as_before, known('sc_moved') AS made_meanwhile,
  test.found(memory_search('m', '', 1, embedding => '[5,4,3,2,1]', store => 'sc')) AS nearest;
DROP SCHEMA sc_vector;

-- The extension is dropped and made again: the store is a store without it, and again with it.
SELECT test.error('DROP EXTENSION memory_search') LIKE '2BP01:%' AS indexes_hold_it;
BEGIN;
DROP EXTENSION memory_search CASCADE;
SELECT test.error($$SELECT memory_search('m', 'running', store => 'sc')$$) LIKE '42883:%' AS gone,
  (SELECT count(*) FROM sc.entries) > 0 AS rows_are_there;
CREATE EXTENSION memory_search;
SELECT known('sc') = :'before' AS as_before;
ROLLBACK;
SELECT known('sc') = :'before' AS as_before;
DROP EXTENSION memory_search CASCADE;
CREATE EXTENSION memory_search;
SELECT known('sc') = :'before' AS as_before;
BEGIN;
DROP EXTENSION vector CASCADE;
CREATE EXTENSION memory_search CASCADE;
SELECT known('sc') AS without_embeddings;
ROLLBACK;
SELECT known('sc') = :'before' AS as_before;
SELECT test.found(memory_search('m', '', 1, embedding => '[5,4,3,2,1]', store => 'sc')) AS nearest;

-- A definition that one role's call read gives another role no rights.
CREATE ROLE sc_user;
SELECT known('sc') = :'before' AS as_before;
SET ROLE sc_user;
SELECT test.error($$SELECT memory_search('m', 'running', store => 'sc')$$);
RESET ROLE;
DROP FUNCTION known, filled;
DROP SCHEMA sc, sc_b, sc_words_store, sc_moved, sc_schema CASCADE;
DROP TABLE sc_notes;
DROP OWNED BY sc_user;
DROP ROLE sc_user;
