-- A context that an entry brought is visible as long as this entry or another one with the same context is visible;
-- contexts can also be hidden separately.
SELECT memory_create_store('coe', 4);
-- The latest context, then the older ones, the newest first.
CREATE FUNCTION shown(memory text, filters jsonb DEFAULT '{}', options jsonb DEFAULT '{}') RETURNS text
LANGUAGE sql AS $$
  SELECT array_to_string(ARRAY[nullif(r->>'latestContext', '')] || ARRAY(SELECT c->>'context'
    FROM jsonb_array_elements(r->'contexts') WITH ORDINALITY c(c, place) ORDER BY place), ' < ')
  FROM memory_search(memory, '', 0, 3, filters => filters, options => options, store => 'coe') r $$;
-- An entry of a day of 2025, its text and its context.
CREATE FUNCTION remember(memory text, n int, day date, context text, who text DEFAULT NULL, until date DEFAULT NULL)
RETURNS void LANGUAGE sql AS $$
  SELECT memory_add(memory, 'entry ' || n, context => context, user_id => who, entry_id => test.id(n), store => 'coe',
    creation_time => day::timestamp AT TIME ZONE 'UTC', expires_at => until::timestamp AT TIME ZONE 'UTC') $$;
CREATE VIEW brought AS SELECT memory_id, context, test.n(entry_id) AS by,
  to_char(creation_time AT TIME ZONE 'UTC', 'MM-DD') AS day, deletion_scheduled_time IS NOT NULL AS hidden
  FROM coe.contexts ORDER BY memory_id, creation_time, context_id;

CREATE FUNCTION ids(memory text, texts text[] DEFAULT NULL) RETURNS uuid[] LANGUAGE sql AS
  $$ SELECT array_agg(context_id) FROM coe.contexts WHERE memory_id = memory
    AND (texts IS NULL OR context = ANY (texts)) $$;

-- memory_add says which entry brought it; memory_put_context says none, and so does an entry that repeats the latest.
SELECT remember('m', 1, '2025-01-01', 'harbour'), remember('m', 2, '2025-01-02', 'museum'),
  remember('m', 3, '2025-01-03', 'museum');
SELECT memory_put_context('m', 'garden', creation_time => '2025-01-04Z', store => 'coe') IS NOT NULL AS put;
SELECT remember('m', 5, '2025-01-05', 'castle'), remember('m', 6, '2025-01-06', NULL);
SELECT * FROM brought;
SELECT shown('m');

-- A deleted entry takes its context along; a restored one brings it back. A context that was put by itself is not
-- touched.
SELECT memory_delete('m', ARRAY[test.id(5), test.id(1)], store => 'coe') AS hidden;
SELECT shown('m'), memory_build_context('m', '', store => 'coe') LIKE '%garden%' AS in_the_prompt;
SELECT memory_restore('m', ARRAY[test.id(5), test.id(1)], store => 'coe') AS restored;
SELECT shown('m');
-- A search by words does not find it, either.
SELECT memory_delete('m', ARRAY[test.id(1)], store => 'coe') AS hidden;
SELECT query, jsonb_path_query_array(memory_search('m', query, 0, 3, store => 'coe'), '$.contexts[*].context') AS older
FROM unnest('{harbour,museum,garden,harbour museum}'::text[]) query ORDER BY 1;
SELECT memory_restore('m', ARRAY[test.id(1)], store => 'coe') AS restored;
-- Another entry has the same context: the context stays until that entry goes, too.
SELECT memory_delete('m', ARRAY[test.id(2)], store => 'coe') AS the_one_that_brought_it;
SELECT shown('m');
SELECT memory_delete('m', ARRAY[test.id(3)], store => 'coe') AS the_entry_with_the_same_context;
SELECT shown('m');
SELECT memory_restore('m', ARRAY[test.id(3)], store => 'coe') AS restored;
SELECT shown('m');
SELECT memory_restore('m', ARRAY[test.id(2)], store => 'coe') AS restored;
-- A correction hides the entry, but not its context.
SELECT memory_supersede('m', test.id(5), test.id(6), 'coe') AS superseded;
SELECT shown('m'), test.found(memory_search('m', '', 10, store => 'coe')) AS found;
SELECT memory_supersede('m', test.id(5), NULL, 'coe') AS back;
-- A rollback to a savepoint restores it like any other row.
BEGIN;
SAVEPOINT before;
SELECT memory_delete('m', ARRAY[test.id(5)], store => 'coe') AS hidden;
SELECT shown('m');
ROLLBACK TO before;
SELECT shown('m');
SELECT remember('m', 7, '2025-01-07', 'tower');
SELECT shown('m');
ROLLBACK;
SELECT shown('m');

-- When the entry expires, the context is gone from that instant on.
SELECT remember('e', 1, '2025-01-01', 'winter'), remember('e', 2, '2025-01-02', 'sale', until => '2025-02-01');
SELECT as_of, shown('e', options => jsonb_build_object('asOf', as_of || 'T00:00:00Z'))
FROM unnest('{2024-12-31,2025-01-01,2025-01-02,2025-01-31,2025-02-01}'::text[]) as_of ORDER BY 1;
SELECT shown('e') AS now;
-- A search as of a time before a deletion finds the context; a search as of a later time does not.
UPDATE coe.entries SET deletion_scheduled_time = '2025-03-01Z' WHERE memory_id = 'e' AND entry_id = test.id(1);
SELECT as_of, shown('e', options => jsonb_build_object('asOf', as_of || 'T00:00:00Z'))
FROM unnest('{2025-02-01,2025-02-28,2025-03-01,2025-03-02}'::text[]) as_of ORDER BY 1;
-- Another entry has the same context, but is newer: as of an earlier time it does not count yet.
SELECT remember('e', 3, '2025-04-01', 'winter');
SELECT * FROM brought WHERE memory_id = 'e';
SELECT as_of, shown('e', options => jsonb_build_object('asOf', as_of || 'T00:00:00Z'))
FROM unnest('{2025-02-28,2025-03-01,2025-04-01}'::text[]) as_of ORDER BY 1;

-- With several users, only an entry of the same user keeps a context alive for another entry.
SELECT remember('u', 1, '2025-01-01', 'shared words', 'ann'), remember('u', 2, '2025-01-02', 'shared words', 'bob'),
  remember('u', 3, '2025-01-03', 'shared words'), remember('u', 4, '2025-01-04', 'of ann', 'ann');
SELECT context, by, (SELECT user_id FROM coe.entries e WHERE e.memory_id = 'u' AND entry_id = test.id(by)) AS who
FROM brought WHERE memory_id = 'u';
SELECT memory_delete('u', ARRAY[test.id(1)], store => 'coe') AS hidden;
SELECT who, shown('u', jsonb_build_object('userId', who)) FROM unnest('{ann,bob}'::text[]) who ORDER BY 1;
SELECT shown('u') AS everybody;
SELECT memory_restore('u', ARRAY[test.id(1)], store => 'coe') AS restored;
-- An entry of another memory with the same context keeps nothing visible.
SELECT remember('v', 1, '2025-01-01', 'elsewhere'), remember('w', 1, '2025-01-01', 'elsewhere');
SELECT memory_delete('v', ARRAY[test.id(1)], store => 'coe') AS hidden;
SELECT shown('v') AS v, shown('w') AS w;

-- A context can be hidden by itself: the entry that brought it stays, and still has the text.
SELECT memory_delete_contexts('m', ids('m', '{castle,garden}'), 'coe') AS hidden;
SELECT shown('m'), count(*) AS entries FROM coe.entries WHERE memory_id = 'm' AND deletion_scheduled_time IS NULL;
-- An id that is given twice counts once; ids of other rows or of another memory and nulls count nothing.
SELECT memory_delete_contexts('m', ids('m', '{castle}'), 'coe') AS again,
  memory_delete_contexts('w', ids('m'), 'coe') AS of_another,
  memory_delete_contexts('m', ARRAY[NULL, test.id(1)]::uuid[], 'coe') AS unknown,
  memory_delete_contexts('nowhere', ARRAY[test.id(1)], 'coe') AS no_memory,
  memory_delete_contexts('m', '{}', 'coe') AS none;
-- Only memory_restore_contexts brings it back: restoring the entry does not show it.
SELECT memory_delete('m', ARRAY[test.id(5)], store => 'coe') AS hidden,
  memory_restore('m', ARRAY[test.id(5)], store => 'coe') AS restored;
SELECT shown('m');
SELECT memory_restore_contexts('m', ids('m'), 'coe') AS restored;
SELECT shown('m');
-- A deleted context is no longer the latest; another entry with its text stores it once more.
SELECT memory_delete_contexts('m', ids('m', '{castle}'), 'coe') AS hidden;
SELECT remember('m', 8, '2025-01-08', 'castle');
SELECT * FROM brought WHERE memory_id = 'm' AND context = 'castle';
SELECT shown('m');
-- A whole memory is restored, also rows that were hidden before.
SELECT memory_delete('w', whole_memory => true, store => 'coe') AS hidden;
SELECT shown('w');
SELECT memory_restore('w', whole_memory => true, store => 'coe') AS restored;
SELECT shown('w');
-- An entry of it that is restored alone brings its context back, and a purge keeps both.
SELECT remember('alone', 9, '2025-01-09', 'harbour');
SELECT memory_delete('alone', whole_memory => true, store => 'coe') AS hidden,
  memory_restore('alone', ARRAY[test.id(9)], store => 'coe') AS restored;
SELECT shown('alone'), memory_purge(store => 'coe') AS purged,
  (SELECT count(*) FROM coe.contexts WHERE memory_id = 'alone');
SELECT i, test.error(statement) FROM (VALUES (1, $$SELECT memory_delete_contexts(NULL, '{}', 'coe')$$),
  (2, $$SELECT memory_delete_contexts('m', NULL, 'coe')$$), (3, $$SELECT memory_restore_contexts('m', NULL, 'coe')$$),
  (4, $$SELECT memory_delete_contexts('', '{}', 'coe')$$),
  (5, $$SELECT memory_restore_contexts('m', '{}', 'nowhere')$$))
  t(i, statement) ORDER BY i;

DELETE FROM coe.entries WHERE memory_id = 'e';
-- If plain SQL removes the entry, its context goes with it. A purge hands it on to another entry with the same context.
SELECT remember('p', 1, '2025-01-01', 'kept'), remember('p', 2, '2025-01-02', 'kept'),
  remember('p', 3, '2025-01-03', 'kept'), remember('p', 4, '2025-01-04', 'gone'),
  remember('p', 5, '2025-01-05', 'by hand');
DELETE FROM coe.entries WHERE memory_id = 'p' AND entry_id = test.id(5);
SELECT context, by, day FROM brought WHERE memory_id = 'p';
UPDATE coe.entries SET deletion_scheduled_time = '2025-03-01Z'
WHERE memory_id = 'p' AND entry_id IN (test.id(1), test.id(2), test.id(4));
SELECT shown('p');
-- If an entry with the same context goes in the same purge, it gets nothing: only an entry that stays is considered.
SELECT memory_purge('2025-04-01Z', store => 'coe') AS purged;
SELECT context, by, day FROM brought WHERE memory_id = 'p';
SELECT shown('p');
-- Purged one by one, and handed on to a hidden entry if there is no other: the context comes back with that entry.
SELECT remember('q', 1, '2025-01-01', 'handed'), remember('q', 2, '2025-01-02', 'handed');
UPDATE coe.entries SET deletion_scheduled_time = '2025-03-01Z' WHERE memory_id = 'q' AND entry_id = test.id(1);
UPDATE coe.entries SET deletion_scheduled_time = '2025-05-01Z' WHERE memory_id = 'q' AND entry_id = test.id(2);
SELECT memory_purge('2025-04-01Z', 1, 'coe') AS purged;
SELECT context, by FROM brought WHERE memory_id = 'q';
SELECT shown('q');
SELECT memory_restore('q', ARRAY[test.id(2)], store => 'coe') AS restored;
SELECT shown('q');
-- An expired entry takes its context along, too. A context that was put by itself stays.
SELECT memory_put_context('q', 'by itself', creation_time => '2025-01-03Z', store => 'coe') IS NOT NULL AS put;
UPDATE coe.entries SET expires_at = '2025-03-01Z' WHERE memory_id = 'q';
SELECT shown('q');
SELECT memory_purge(store => 'coe') > 0 AS purged;
SELECT shown('q'), (SELECT count(*) FROM coe.entries WHERE memory_id = 'q') AS entries;

-- To forget a user removes the contexts of the user, those of the user's entries too, and of nobody else.
SELECT memory_put_context('u', 'about ann', user_id => 'ann', creation_time => '2025-01-05Z',
  store => 'coe') IS NOT NULL AS put;
UPDATE coe.contexts SET user_id = NULL WHERE memory_id = 'u' AND context = 'of ann';
SELECT memory_forget_user('ann', 'coe') AS forgotten;
SELECT context, by FROM brought WHERE memory_id = 'u';

-- Under row security no user sees a context whose entries are another user's.
CREATE ROLE coe_app;
SET client_min_messages = error;
SELECT memory_grant('coe', 'coe_app', 'writer'), memory_enable_row_security('coe');
RESET client_min_messages;
SELECT remember('s', 1, '2025-01-01', 'mine', 'ann'), remember('s', 2, '2025-01-02', 'his', 'bob'),
  remember('s', 3, '2025-01-03', 'mine', 'ann');
UPDATE coe.contexts SET user_id = 'bob' WHERE memory_id = 's' AND context = 'mine';
SET ROLE coe_app;
SET memory_search.user_id = 'bob';
SELECT shown('s') AS the_row_of_bob_the_entry_of_ann;
SELECT memory_delete_contexts('s', ids('s'), 'coe') AS those_that_bob_sees;
SET memory_search.user_id = 'ann';
SELECT cardinality(ids('s')) AS seen_by_ann;
RESET ROLE;
SELECT context_id AS mine FROM coe.contexts WHERE memory_id = 's' AND context = 'mine' \gset
SET ROLE coe_app;
SELECT memory_restore_contexts('s', ARRAY[:'mine'::uuid], 'coe') AS none_of_ann;
RESET ROLE;
RESET memory_search.user_id;
SELECT context, by, hidden FROM brought WHERE memory_id = 's';
-- It needs the right to update, as every deletion does; searches need no such right.
CREATE ROLE coe_reader;
SELECT memory_grant('coe', 'coe_reader');
SET ROLE coe_reader;
SELECT test.error($$SELECT memory_delete_contexts('m', '{}', 'coe')$$) AS delete,
  test.error($$SELECT memory_restore_contexts('m', '{}', 'coe')$$) AS restore;
RESET ROLE;

-- The contexts of an adopted table are the store's own: hidden and shown like others, although its entries cannot be
CREATE TABLE coe_notes (id uuid PRIMARY KEY, body text);
INSERT INTO coe_notes VALUES (test.id(1), 'a note');
SELECT memory_adopt_table('coe_adopted', 'coe_notes', '{"memory_id": "''m''", "entry_id": "id", "raw_entry": "body"}');
SELECT memory_put_context('m', context, creation_time => day::timestamptz, store => 'coe_adopted') IS NOT NULL AS put
FROM (VALUES ('older', '2025-01-01Z'), ('newer', '2025-01-02Z')) c(context, day);
SELECT memory_delete_contexts('m', array_agg(context_id), 'coe_adopted') FROM coe_adopted.contexts
WHERE context = 'newer';
SELECT memory_search('m', '', store => 'coe_adopted')->>'latestContext' AS latest,
  test.error($$SELECT memory_delete('m', ARRAY[test.id(1)], store => 'coe_adopted')$$) AS entries;
SELECT memory_restore_contexts('m', array_agg(context_id), 'coe_adopted') FROM coe_adopted.contexts;
SELECT memory_search('m', '', store => 'coe_adopted')->>'latestContext' AS latest;
DROP VIEW brought;
DROP FUNCTION shown, remember, ids;
DROP SCHEMA coe, coe_adopted CASCADE;
DROP TABLE coe_notes;
DROP OWNED BY coe_app, coe_reader;
DROP ROLE coe_app, coe_reader;
