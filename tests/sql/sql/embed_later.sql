-- With memory_search.embed_on_write off a new entry has no embedding until memory_embed_pending() makes it; it is found
-- by its words meanwhile.
SELECT memory_create_store('later');
CREATE VIEW waiting AS
  SELECT (SELECT count(*) FROM later.entries WHERE embedding IS NULL) AS entries,
    (SELECT count(*) FROM later.contexts WHERE embedding IS NULL) AS contexts;
SET memory_search.embed_on_write = off;
SELECT memory_add('m', 'She likes guesthouses by the sea.', context => 'A week in Lisbon.', entry_id => test.id(1),
    store => 'later') AS added;
SELECT memory_add('m', 'She is allergic to peanuts.', embedding => memory_embed('peanuts'), entry_id => test.id(2),
    store => 'later') AS given;
SELECT length(memory_put_context('m', 'Back home.', store => 'later')::text) AS context_put;
SELECT * FROM waiting;
SELECT test.found(memory_search('m', 'guesthouses', 3, store => 'later')) AS by_words;
SELECT name, status, detail, fix FROM memory_doctor('later') WHERE status <> 'ok';
-- An error of the embedder comes when it embeds, not when an entry is written.
SET memory_search.embedding_function = 'nowhere.embed';
SELECT memory_add('m', 'She collects stamps.', entry_id => test.id(3), store => 'later') AS added;
\set VERBOSITY sqlstate
SELECT memory_embed_pending(store => 'later');
\set VERBOSITY default
RESET memory_search.embedding_function;
SELECT * FROM waiting;
-- It works in batches, until no row is left; embeddings of the caller stay.
SELECT memory_embed_pending(max_rows => 1, store => 'later') AS first,
  memory_embed_pending('m', store => 'later') AS rest, memory_embed_pending('other', store => 'later') AS of_other;
SELECT memory_embed_pending(store => 'later') AS nothing;
SELECT * FROM waiting;
SELECT test.n(entry_id), embedding = memory_embed(raw_entry)::halfvec AS of_text, embedding_model
FROM later.entries
ORDER BY 1;
-- A call for one of many reads only this one.
INSERT INTO later.entries (memory_id, raw_entry) SELECT 'many', 'note ' || n FROM generate_series(1, 300) n;
BEGIN;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
SELECT memory_embed_pending(max_rows => 1, store => 'later') AS embedded;
SELECT pg_stat_get_xact_tuples_returned('later.entries_to_embed'::regclass) BETWEEN 1 AND 20 AS reads_few,
  pg_stat_get_xact_tuples_returned('later.entries'::regclass) < 20 AS and_scans_no_table;
ROLLBACK;
DELETE FROM later.entries WHERE memory_id = 'many';
-- A new text waits for a new embedding, without a warning; the old embedding is removed.
SELECT memory_update('m', test.id(1), raw_entry => 'She likes hostels.', store => 'later') AS updated;
SELECT * FROM waiting;
SELECT memory_update('m', test.id(1), importance => 80, store => 'later') AS updated,
  memory_embed_pending(store => 'later') AS embedded;
-- Embeddings by another embedder are replaced only by memory_reembed.
UPDATE later.entries SET embedding_model = 'older' WHERE entry_id = test.id(1);
SELECT memory_embed_pending(store => 'later') AS not_missing, memory_reembed(store => 'later') AS of_another;
-- A store over an adopted table embeds only its own contexts.
CREATE TABLE later_notes (id uuid PRIMARY KEY, body text, v vector(256));
INSERT INTO later_notes VALUES (test.id(1), 'a note', NULL);
SELECT memory_adopt_table('later_adopted', 'later_notes',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "body", "embedding": "v"}');
SELECT length(memory_put_context('all', 'a boat on the river', store => 'later_adopted')::text) AS context_put;
SELECT status, detail, fix FROM memory_doctor('later_adopted') WHERE name LIKE '%context%embedding';
SELECT memory_embed_pending(store => 'later_adopted') AS embedded;
SELECT status, detail FROM memory_doctor('later_adopted') WHERE name LIKE '%context%embedding';
SELECT memory_drop_store('later_adopted', true);
DROP TABLE later_notes;
-- The doctor's fixes make the missing indexes, also if other objects have their names.
DROP INDEX later.entries_to_embed, later.contexts_to_embed;
CREATE INDEX entries_to_embed ON later.entries (raw_entry);
SELECT fix FROM memory_doctor('later') WHERE name = 'index of missing embeddings' \gexec
SELECT status FROM memory_doctor('later') WHERE name = 'index of missing embeddings';
-- Arguments and states that do not fit.
SELECT memory_embed_pending('', store => 'later');
SELECT memory_embed_pending(max_rows => 0, store => 'later');
SELECT memory_embed_pending(store => 'no_such_store');
DROP VIEW waiting;
SELECT memory_drop_store('later', true);
