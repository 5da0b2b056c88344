-- memory_import_table: the rows of a table become entries of a store of its own, by the mapping that adopts a table;
-- a second import changes entries that differ and adds new ones.
SET memory_search.model = '';
CREATE SCHEMA im_app;
CREATE TABLE im_app.notes (
  id int PRIMARY KEY, owner text, body text, title varchar(40), labels text[], extra json, weight real,
    made timestamptz,
  gone timestamptz, until timestamptz, meaning vector(4), thread uuid);
INSERT INTO im_app.notes
SELECT n, 'm' || n % 3, test.words(n, 6), CASE WHEN n % 2 = 0 THEN 'note ' || n END, ARRAY['n' || n % 4, NULL],
  json_build_object('n', n), n % 120, timestamptz '2026-01-01Z' + n * interval '1 hour', NULL, NULL,
  CASE WHEN n % 5 > 0 THEN test.vector(n)::vector END, test.id(n % 2)
FROM generate_series(1, 2500) n;
SELECT '{"memory_id": "owner", "entry_id": "id", "raw_entry": "body", "summary": "title",'
    ' "tags": "array_remove(labels, NULL)", "metadata": "extra",'
    ' "importance": "CASE WHEN weight > 100 THEN 100 ELSE weight END", "creation_time": "made",'
    ' "deletion_scheduled_time": "gone",'
    ' "expires_at": "until", "embedding": "meaning", "session_id": "thread", "user_id": "''u'' || id % 2"}'
  AS mapping \gset
SELECT memory_import_table('im', 'im_app.notes', :'mapping') AS counts;
-- The store was made for vectors of the table's dimension; each row becomes an entry, complete, with its id as key.
SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'im.entries'::regclass
    AND attname = 'embedding';
SELECT count(*) AS entries, count(DISTINCT entry_id) AS ids,
  count(*) FILTER (WHERE e.memory_id = s.owner AND e.raw_entry = s.body
    AND e.summary IS NOT DISTINCT FROM s.title AND e.tags = ARRAY[s.labels[1]]
    AND e.metadata = s.extra::jsonb AND e.importance = least(100, s.weight) AND e.creation_time = s.made
    AND e.user_id = 'u' || id % 2
    AND e.embedding::text IS NOT DISTINCT FROM s.meaning::halfvec(4)::text AND e.session_id = s.thread::text
    AND e.embedding_model IS NULL) AS as_they_were
  FROM im.entries e JOIN im_app.notes s ON e.entry_key = s.id::text;
-- entry_order follows the time: the oldest entry comes first.
SELECT bool_and(ordered) AS ordered
FROM (SELECT entry_order > lag(entry_order) OVER (PARTITION BY memory_id ORDER BY creation_time) AS ordered
      FROM im.entries) o;
-- The answers are the same as of the adopted table.
SELECT memory_adopt_table('im_adopted', 'im_app.notes', :'mapping');
SELECT count(*) AS searches, count(*) FILTER (WHERE own = adopted AND own <> '{}') AS same FROM generate_series(1,
    20) n, LATERAL (
  SELECT
    ARRAY(SELECT e ->> 'rawEntry' FROM jsonb_array_elements(memory_search('m1', test.words(n, 2), 5,
    embedding => test.vector(n), options => '{"asOf": "2026-06-01T00:00:00Z"}', store => 'im') -> 'entries') e) AS own,
    ARRAY(SELECT e ->> 'rawEntry' FROM jsonb_array_elements(memory_search('m1', test.words(n, 2), 5,
    embedding => test.vector(n), options => '{"asOf": "2026-06-01T00:00:00Z"}',
    store => 'im_adopted') -> 'entries') e) AS adopted) a;
SELECT memory_drop_store('im_adopted');

-- A second import writes no row.
CREATE TABLE im_app.before AS SELECT entry_id, entry_key, xmin::text AS written FROM im.entries;
SELECT memory_import_table('im', 'im_app.notes', :'mapping') AS counts;
-- Each column that is different makes a change, and only of that entry; ids stay.
UPDATE im_app.notes SET body = 'new text' WHERE id = 1;
UPDATE im_app.notes SET title = NULL WHERE id = 2;
UPDATE im_app.notes SET labels = '{}' WHERE id = 3;
UPDATE im_app.notes SET extra = '{"n": 0}' WHERE id = 4;
UPDATE im_app.notes SET weight = 33 WHERE id = 5;
UPDATE im_app.notes SET made = made - interval '1 day' WHERE id = 6;
UPDATE im_app.notes SET gone = '2026-02-01Z' WHERE id = 7;
UPDATE im_app.notes SET until = '2027-02-01Z' WHERE id = 8;
UPDATE im_app.notes SET meaning = '[0,0,0,1]' WHERE id = 9;
UPDATE im_app.notes SET thread = test.id(9) WHERE id = 10;
INSERT INTO im_app.notes (id, owner, body) VALUES (3001, 'm1', 'added later'), (3002, 'another', 'of another memory');
SELECT memory_import_table('im', 'im_app.notes', :'mapping') AS counts;
SELECT array_agg(b.entry_key::int ORDER BY b.entry_key::int) AS changed FROM im_app.before b
    JOIN im.entries e USING (entry_id) WHERE e.xmin::text <> b.written;
SELECT e.entry_key, e.raw_entry, e.summary, e.tags, e.metadata, e.importance, e.creation_time = s.made AS created,
    e.deletion_scheduled_time IS NOT NULL AS gone, e.expires_at IS NOT NULL AS expires,
  e.embedding::text = s.meaning::halfvec(4)::text AS same_vector, e.session_id = s.thread::text AS same_thread
  FROM im.entries e JOIN im_app.notes s ON e.entry_key = s.id::text WHERE s.id <= 10 OR s.id > 3000 ORDER BY s.id;
SELECT memory_import_table('im', 'im_app.notes', :'mapping') AS counts;
-- An entry that was deleted in the store comes back with its row, as with memory_add; an entry whose row left the table
-- stays.
DELETE FROM im_app.notes WHERE id = 12;
SELECT memory_delete('m2', ARRAY(SELECT entry_id FROM im.entries WHERE entry_key = '11'), store => 'im') AS deleted;
SELECT memory_import_table('im', 'im_app.notes', :'mapping') AS counts;
SELECT entry_key, deletion_scheduled_time FROM im.entries WHERE entry_key IN ('11', '12') ORDER BY 1;

-- Rows that cannot be entries are counted with the reason, and a notice says so.
SET client_min_messages = warning;
CREATE TABLE im_app.holes (id text, owner text, body text);
INSERT INTO im_app.holes VALUES ('1', 'm', 'whole'), (NULL, 'm', 'x'), ('2', NULL, 'x'), ('3', 'm', NULL), ('4',
    '', 'x'), ('', 'm', 'x'), ('5', NULL, 'x');
SELECT memory_import_table('im_holes', 'im_app.holes', '{"memory_id": "owner", "entry_id": "id",
    "raw_entry": "body"}', dimensions => 4) AS counts;
-- A row with a value that no entry may have is refused, the error names the row, and nothing is changed.
SELECT '{"memory_id": "owner", "entry_id": "id", "raw_entry": "body"}' AS holes \gset
INSERT INTO im_app.holes VALUES ('1', 'm', 'again');
SELECT test.error($$SELECT memory_import_table('im_holes', 'im_app.holes', '{"memory_id": "owner",
    "entry_id": "id", "raw_entry": "body"}')$$);
DELETE FROM im_app.holes;
INSERT INTO im_app.holes VALUES ('7', 'm', 'fine'), (repeat('k', 1025), 'm', 'x');
SELECT test.error($$SELECT memory_import_table('im_holes', 'im_app.holes', '{"memory_id": "owner",
    "entry_id": "id", "raw_entry": "body"}')$$);
DELETE FROM im_app.holes WHERE id <> '7';
INSERT INTO im_app.holes VALUES ('8', repeat('m', 1025), 'x');
SELECT test.error($$SELECT memory_import_table('im_holes', 'im_app.holes', '{"memory_id": "owner",
    "entry_id": "id", "raw_entry": "body"}')$$);
DELETE FROM im_app.holes WHERE id = '8';
SELECT test.error($$SELECT memory_import_table('im_holes', 'im_app.holes', '{"memory_id": "owner",
    "entry_id": "id", "raw_entry": "body", "user_id": "''''"}')$$);
SELECT test.error($$SELECT memory_import_table('im_holes', 'im_app.holes', '{"memory_id": "owner",
    "entry_id": "id", "raw_entry": "body", "metadata": "''[1]''::jsonb"}')$$);
SELECT test.error($$SELECT memory_import_table('im_holes', 'im_app.holes', '{"memory_id": "owner",
    "entry_id": "id", "raw_entry": "body", "embedding": "''[1,2]''::public.vector"}')$$);
SELECT test.error($$SELECT memory_import_table('im_holes', 'im_app.holes', '{"memory_id": "owner",
    "entry_id": "id", "raw_entry": "body", "search_vector": "NULL::tsvector"}')$$);
SELECT test.error($$SELECT memory_import_table('im_holes', 'im_app.holes', '{"memory_id": "owner",
    "entry_id": "id", "raw_entry": "body", "superseded_by": "id"}')$$);
SELECT test.error($$SELECT memory_import_table('im_holes', 'im_app.holes', '{"memory_id": "owner",
    "entry_id": "id", "raw_entry": "body", "embedding_model": "''x''"}')$$);
SELECT test.error($$SELECT memory_import_table('im_holes', 'im_app.holes', '{"memory_id": "owner",
    "entry_id": "id", "raw_entry": "bdy"}')$$);
SELECT test.error($$SELECT memory_import_table('im_holes', 'im_app.holes', '{"memory_id": "owner",
    "entry_id": "id", "raw_entry": "body"}', language => 'german')$$);
SELECT test.error($$SELECT memory_import_table('im_holes', 'im_app.holes', '{"memory_id": "owner",
    "entry_id": "id", "raw_entry": "body"}', dimensions => 5)$$);
SELECT test.error($$SELECT memory_import_table('im_new', 'im_app.holes', '{"memory_id": "owner", "entry_id": "id",
    "raw_entry": "body"}', language => 'germn')$$);
CREATE SEQUENCE im_app.im_seq;
SELECT test.error($$SELECT memory_import_table('im_new', 'im_app.im_seq', '{"memory_id": "owner",
    "entry_id": "id", "raw_entry": "body"}')$$);
SELECT test.error($$SELECT memory_import_table(NULL, 'im_app.holes', '{"memory_id": "owner", "entry_id": "id",
    "raw_entry": "body"}')$$);
SELECT test.error($$SELECT memory_import_table('im_new', NULL, '{"memory_id": "owner", "entry_id": "id",
    "raw_entry": "body"}')$$);
SELECT test.error($$SELECT memory_import_table('im_new', 'im_app.holes', NULL)$$);
SELECT raw_entry FROM im_holes.entries;
SELECT memory_import_table('im_holes', 'im_app.holes', :'holes', language => 'english', dimensions => 4) AS counts;
SELECT memory_adopt_table('im_adopted', 'im_app.notes', '{"memory_id": "owner", "entry_id": "id",
    "raw_entry": "body"}');
SELECT test.error($$SELECT memory_import_table('im_adopted', 'im_app.holes', '{"memory_id": "owner",
    "entry_id": "id", "raw_entry": "body"}')$$);
-- A value that a cast would change is refused, too; the open end of an interval becomes a null.
DELETE FROM im_app.holes;
INSERT INTO im_app.holes VALUES ('1', 'm', 'one');
SELECT value, test.error(format($$SELECT memory_import_table('im_holes', 'im_app.holes', %L)$$,
  jsonb_build_object('memory_id', 'owner', 'entry_id', 'id', 'raw_entry', 'body') || value))
FROM unnest(ARRAY['{"importance": "1000"}', '{"importance": "-1"}', '{"importance": "float8 ''NaN''"}',
  '{"importance": "2.5"}', '{"importance": "7.0"}', '{"tags": "ARRAY[[''a'', ''b''], [''c'', ''d'']]"}',
  '{"tags": "ARRAY[''a'', NULL]"}', '{"tags": "ARRAY[]::text[]"}', '{"valid_from": "timestamptz ''infinity''"}',
  '{"valid_until": "timestamptz ''-infinity''"}',
  '{"valid_from": "timestamptz ''2026-01-01Z''", "valid_until": "timestamptz ''2026-01-01Z''"}']::jsonb[])
  value;
SELECT memory_import_table('im_open', 'im_app.holes', '{"memory_id": "owner", "entry_id": "id", "raw_entry": "body",
    "valid_from": "timestamptz ''-infinity''", "valid_until": "timestamptz ''infinity''"}', dimensions => 4) AS counts;
SELECT memory_import_table('im_open', 'im_app.holes', '{"memory_id": "owner", "entry_id": "id", "raw_entry": "body",
    "valid_from": "timestamptz ''-infinity''", "valid_until": "timestamptz ''infinity''"}') AS counts_again;
SELECT valid_from, valid_until FROM im_open.entries;
-- The type of the vector column gives the number of dimensions if the table has no rows.
CREATE TABLE im_app.empty (id int, owner text, body text, meaning vector(5));
SELECT memory_import_table('im_empty', 'im_app.empty', '{"memory_id": "owner", "entry_id": "id", "raw_entry": "body",
    "embedding": "meaning"}') AS counts;
SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'im_empty.entries'::regclass
    AND attname = 'embedding';
-- From a view, an adopted store, a temporary table; a key may be made of several columns.
CREATE TEMP TABLE im_temp (a int, b int, body text);
INSERT INTO im_temp VALUES (1, 1, 'one one'), (1, 2, 'one two');
SELECT memory_import_table('im_temp', 'im_temp', '{"memory_id": "''all''", "entry_id": "a || ''/'' || b",
    "raw_entry": "body"}', language => 'simple', dimensions => 4) AS counts;
SELECT entry_key, raw_entry, words FROM im_temp.entries
JOIN test.words_of_store('im_temp', 'simple') USING (memory_id, entry_id) ORDER BY 1;
SELECT memory_import_table('im_view', 'im_adopted.entries', '{"memory_id": "memory_id", "entry_id": "entry_id",
    "raw_entry": "raw_entry"}', dimensions => 4) -> 'added' AS added;

-- It runs as the caller: the policies and privileges of the table and of the store hold.
CREATE ROLE im_ann; GRANT USAGE ON SCHEMA im_app TO im_ann;
ALTER TABLE im_app.notes ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON im_app.notes USING (owner = 'm1');
SELECT memory_create_store('im_ann', dimensions => 4), memory_grant('im_ann', 'im_ann', 'writer');
SET ROLE im_ann;
SELECT test.error($$SELECT memory_import_table('im_ann', 'im_app.notes', '{"memory_id": "owner", "entry_id": "id",
    "raw_entry": "body"}')$$);
RESET ROLE;
GRANT SELECT ON im_app.notes TO im_ann;
SET ROLE im_ann;
SELECT memory_import_table('im_ann', 'im_app.notes', '{"memory_id": "owner", "entry_id": "id",
    "raw_entry": "body"}') -> 'added' > '0' AS added;
SELECT DISTINCT memory_id FROM im_ann.entries;
RESET ROLE;
-- Rows that the store hides from the caller cause an error if they would be changed.
SELECT memory_import_table('im_ann', 'im_app.notes', '{"memory_id": "owner", "entry_id": "id",
    "raw_entry": "body", "user_id": "''ann''"}') -> 'changed' > '0' AS changed;
SET client_min_messages = error;
SELECT memory_enable_row_security('im_ann');
RESET client_min_messages;
SET ROLE im_ann;
SET memory_search.user_id = 'ben';
SELECT test.error($$SELECT memory_import_table('im_ann', 'im_app.notes', '{"memory_id": "owner", "entry_id": "id",
    "raw_entry": "body", "user_id": "''ben''"}')$$);
RESET ROLE; RESET memory_search.user_id;

-- Texts are embedded as by memory_add; if a text is the same, its embedding stays, and nothing is embedded.
CREATE TABLE im_app.embedded (of text);
CREATE FUNCTION im_app.embed(of text) RETURNS vector LANGUAGE plpgsql
    AS $$ BEGIN INSERT INTO im_app.embedded VALUES (of); RETURN ARRAY[length(of), 1, 1,
    1]::real[]::public.vector; END $$;
CREATE TABLE im_app.texts (id int PRIMARY KEY, body text, state text, said text);
INSERT INTO im_app.texts VALUES (1, 'one', 'early', 'first context'), (2, 'two', NULL, NULL), (3, 'three', 'late',
    'second context');
SET memory_search.embedding_function = 'im_app.embed';
SELECT '{"memory_id": "''t''", "entry_id": "id", "raw_entry": "body", "source_type": "state",'
    ' "context": "said"}' AS texts \gset
SELECT memory_import_table('im_texts', 'im_app.texts', :'texts') AS counts;
SELECT of FROM im_app.embedded ORDER BY 1;
SELECT entry_key, embedding, embedding_model, context FROM im_texts.entries ORDER BY 1;
SELECT context FROM im_texts.contexts ORDER BY creation_time;
DELETE FROM im_app.embedded;
SELECT memory_import_table('im_texts', 'im_app.texts', :'texts') AS counts;
SELECT count(*) AS embedded_again FROM im_app.embedded;
RESET memory_search.embedding_function;

-- A table that inherits from another may repeat its ids: an id that appears twice is an error, as without a key.
CREATE TABLE im_app.parent (id int PRIMARY KEY, body text);
CREATE TABLE im_app.child () INHERITS (im_app.parent);
INSERT INTO im_app.parent VALUES (1, 'of the parent'); INSERT INTO im_app.child VALUES (1, 'of the child');
SELECT test.error($$SELECT memory_import_table('im', 'im_app.parent',
  '{"memory_id": "''inherited''", "entry_id": "id", "raw_entry": "body"}')$$);

SELECT memory_drop_store(s, force => true) FROM unnest(ARRAY['im', 'im_holes', 'im_adopted', 'im_temp', 'im_view',
    'im_ann', 'im_texts', 'im_open', 'im_empty']) s;
DROP SCHEMA im_app CASCADE; DROP TABLE im_temp;
DROP ROLE im_ann;
RESET client_min_messages; RESET memory_search.model;
