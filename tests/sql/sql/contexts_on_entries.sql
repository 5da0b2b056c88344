-- A memory whose contexts are only in a column of its entries, as after INSERT, gives them like rows of contexts; a
-- memory that has, or had, rows of contexts does not.
SELECT memory_create_store('ce', 4);
INSERT INTO ce.entries (memory_id, entry_id, user_id, raw_entry, context, embedding, creation_time) VALUES
  ('v1', test.id(1), 'ann', 'first', 'Planning a trip to Lisbon', '[1,0,0,0]', '2025-01-01Z'),
  ('v1', test.id(2), 'ann', 'second', 'Planning a trip to Lisbon', '[1,0,0,0]', '2025-01-02Z'),
  ('v1', test.id(3), 'bob', 'third', 'A new job in Berlin', NULL, '2025-01-03Z'),
  ('v1', test.id(4), NULL, 'fourth', NULL, NULL, '2025-01-04Z'),
  ('v1', test.id(5), NULL, 'fifth', '', NULL, '2025-01-05Z'),
  ('v1', test.id(6), 'ann', 'sixth', 'Hotels in Lisbon are booked', NULL, '2025-01-06Z'),
  ('v1', test.id(7), 'bob', 'seventh', 'Learning the violin', NULL, '2025-01-07Z'),
  ('v1', test.id(8), NULL, 'eighth', NULL, NULL, '2025-01-08Z'),
  ('other', test.id(9), NULL, 'ninth', 'Lisbon of others', NULL, '2025-01-09Z');
CREATE FUNCTION contexts(query text, memory text DEFAULT 'v1', filters jsonb DEFAULT '{}', options jsonb DEFAULT '{}',
  top_kc int DEFAULT 3)
RETURNS TABLE (latest text, at text, older text)
LANGUAGE sql AS $$
  SELECT answer->>'latestContext', answer->>'latestContextTimestamp',
    (SELECT string_agg(format('%s %s (%s)', test.n(c->>'contextId'), c->>'context', left(c->>'creationTime', 10)),
         ', ' ORDER BY place)
     FROM jsonb_array_elements(answer->'contexts') WITH ORDINALITY c(c, place))
  FROM memory_search(memory, query, 0, top_kc, filters => filters, options => options, store => 'ce') answer $$;
-- The newest is the latest; the others are those that fit the words, each text once, with the time of its newest entry.
SELECT query, c.*
FROM (VALUES
  (1, 'Lisbon'),
  (2, 'a job'),
  (3, 'trip to Lisbon'),
  (4, 'violin'),
  (5, 'nothing of it'),
  (6, '')
) t(i, query),
  LATERAL contexts(query) c
ORDER BY i;
SELECT * FROM contexts('Lisbon', top_kc => 1);
SELECT * FROM contexts('Lisbon', 'empty');
-- The same holds if entries are requested, too; no entry is found by its context.
SELECT answer->>'count' AS entries, answer->>'latestContext' AS latest, jsonb_array_length(answer->'contexts') AS older
FROM memory_search('v1', 'Lisbon', options => '{"fallback": false}', store => 'ce') answer;
SELECT memory_build_context('v1', 'second', options => '{"strategy": "keyword"}', store => 'ce');
-- Contexts of a user, and as of an instant.
SELECT user_id, c.*
FROM (VALUES ('ann'), ('bob'), ('eve')) t(user_id),
  LATERAL contexts('Lisbon', filters => jsonb_build_object('userId', user_id)) c
ORDER BY user_id;
SELECT as_of, c.*
FROM (VALUES
  ('2024-12-31T00:00:00Z'), ('2025-01-01T12:00:00Z'), ('2025-01-02T12:00:00Z'),
  ('2025-01-03T12:00:00Z'), ('2025-01-06T12:00:00Z')
) t(as_of),
  LATERAL contexts('Lisbon', options => jsonb_build_object('asOf', as_of)) c
ORDER BY as_of;

-- A text on several entries is a context as long as one of them is visible.
INSERT INTO ce.entries (memory_id, entry_id, user_id, raw_entry, context, creation_time, deletion_scheduled_time)
VALUES
  ('twice', test.id(1), 'ann', 'a', 'About Lisbon', '2025-01-01Z', NULL),
  ('twice', test.id(2), 'bob', 'b', 'About Lisbon', '2025-01-02Z', NULL),
  ('twice', test.id(3), 'ann', 'c', 'About tea', '2025-01-03Z', NULL);
SELECT * FROM contexts('Lisbon', 'twice');
SELECT * FROM contexts('Lisbon', 'twice', '{"userId": "ann"}');
SELECT * FROM contexts('Lisbon', 'twice', options => '{"asOf": "2025-01-01T12:00:00Z"}');
UPDATE ce.entries SET deletion_scheduled_time = '2025-02-01Z' WHERE memory_id = 'twice' AND entry_id = test.id(2);
SELECT * FROM contexts('Lisbon', 'twice');

-- A deleted entry takes its context along, and the context before it becomes the latest; restored, it is the latest
-- again.
SELECT memory_delete('v1', ARRAY[test.id(7)], store => 'ce') AS hidden;
SELECT * FROM contexts('Lisbon');
UPDATE ce.entries SET deletion_scheduled_time = NULL WHERE memory_id = 'v1';
SELECT latest FROM contexts('Lisbon');
-- An expired entry takes its context along, too.
UPDATE ce.entries SET expires_at = '2025-02-01Z' WHERE memory_id = 'v1' AND entry_id IN (test.id(7), test.id(2));
SELECT * FROM contexts('Lisbon');
SELECT * FROM contexts('Lisbon', options => '{"asOf": "2025-01-31T00:00:00Z"}');
UPDATE ce.entries SET expires_at = NULL WHERE memory_id = 'v1';
SELECT memory_delete('v1', whole_memory => true, store => 'ce') AS hidden;
SELECT * FROM contexts('Lisbon');
UPDATE ce.entries SET deletion_scheduled_time = NULL WHERE memory_id = 'v1';

-- If the memory has a context of its own, only that counts; when it is deleted, the contexts of entries count again.
SELECT memory_put_context('v1', 'Moved to Porto', creation_time => '2024-01-01Z', store => 'ce') IS NOT NULL AS put;
SELECT * FROM contexts('Lisbon');
UPDATE ce.contexts SET deletion_scheduled_time = now() WHERE memory_id = 'v1';
SELECT * FROM contexts('Lisbon');
SELECT * FROM contexts('Lisbon', options => '{"asOf": "2023-01-01T00:00:00Z"}');
-- A deleted context does not come back from an entry that has the same text, whoever's it is: it may have changed its
-- user.
INSERT INTO ce.contexts (memory_id, user_id, context, creation_time, deletion_scheduled_time)
VALUES ('v1', 'bob', 'Learning the violin', '2024-01-01Z', now()), ('v1', 'bob', 'Hotels in Lisbon are booked',
  '2024-01-01Z', now());
SELECT * FROM contexts('Lisbon');
SELECT * FROM contexts('');
-- This also holds for the functions. A context that is dated in the future counts as one that the memory has.
SELECT memory_delete_contexts('twice', ARRAY[memory_put_context('twice', 'A mistake', store => 'ce')::uuid], 'ce')
  AS hidden;
SELECT latest, older FROM contexts('Lisbon', 'twice');
SELECT memory_put_context('twice', 'Later', creation_time => '2999-01-01Z', store => 'ce') IS NOT NULL AS put;
SELECT latest, older FROM contexts('Lisbon', 'twice');
-- memory_add with a context writes both; deleting the contexts leaves none.
SELECT memory_add('both', 'a trip', context => 'Planning Lisbon', entry_id => test.id(1),
      creation_time => '2025-01-01Z', store => 'ce'),
  memory_add('both', 'another', context => 'Planning Porto', entry_id => test.id(2), creation_time => '2025-01-02Z',
      store => 'ce');
SELECT answer->>'latestContext' AS latest, jsonb_path_query_array(answer, '$.contexts[*].context') AS older
FROM memory_search('both', 'Lisbon', 0, store => 'ce') answer;
UPDATE ce.contexts SET deletion_scheduled_time = now() WHERE memory_id = 'both';
SELECT * FROM contexts('Lisbon', 'both');
-- Contexts that are removed for good leave no trace: the contexts of entries count again.
DELETE FROM ce.contexts WHERE memory_id = 'both';
SELECT latest, at FROM contexts('Lisbon', 'both');
-- A context in the table counts as long as an entry that it came with is present. After a deletion the entries that
-- INSERT adds bring their contexts at once, and the deleted ones stay away.
SELECT test.n(memory_add('refilled', 'old', context => 'Old in Lisbon', entry_id => test.id(1),
  creation_time => '2025-01-01Z', store => 'ce'));
SELECT memory_delete('refilled', whole_memory => true, store => 'ce') AS hidden;
INSERT INTO ce.entries (memory_id, entry_id, user_id, raw_entry, context, creation_time) VALUES
  ('refilled', test.id(2), NULL, 'new', 'New in Lisbon', '2025-01-02Z'),
  ('refilled', test.id(3), NULL, 'newer', 'Newer in Lisbon', '2025-01-03Z'),
  ('refilled', test.id(4), 'ann', 'another user', 'Ann in Porto', '2025-01-01Z');
SELECT query, c.* FROM unnest('{Lisbon,""}'::text[]) query, LATERAL contexts(query, 'refilled') c ORDER BY 1;
SELECT latest, older FROM contexts('Lisbon', 'refilled', filters => '{"userId": "ann"}');
SELECT memory_purge(store => 'ce') > 0 AS purged;
SELECT query, c.* FROM unnest('{Lisbon,""}'::text[]) query, LATERAL contexts(query, 'refilled') c ORDER BY 1;
-- An entry that changed its user does not show a context that it came with, and that was deleted or forgotten.
SELECT test.n(memory_add('moved', 'a trip', context => 'Private in Lisbon', user_id => 'alice', entry_id => test.id(1),
  store => 'ce'));
SELECT memory_update('moved', test.id(1), user_id => 'bob', store => 'ce') AS moved;
SELECT latest FROM contexts('Lisbon', 'moved');
BEGIN;
SELECT memory_delete_contexts('moved', ARRAY(SELECT context_id FROM ce.contexts WHERE memory_id = 'moved'), 'ce')
  AS hidden;
SELECT latest FROM contexts('Lisbon', 'moved');
SELECT memory_purge(store => 'ce') AS purged;
SELECT latest FROM contexts('Lisbon', 'moved');
SELECT user_id, context FROM ce.entries WHERE memory_id = 'moved';
ROLLBACK;
SELECT memory_forget_user('alice', 'ce') AS removed;
SELECT latest FROM contexts('Lisbon', 'moved');
SELECT user_id, context FROM ce.entries WHERE memory_id = 'moved';
-- Nor does an entry that only repeated the context, unless its new user has the same context.
SELECT test.n(memory_add('repeats', 'entry ' || n, context => 'Private in Lisbon', user_id => 'alice',
  entry_id => test.id(n), store => 'ce')) FROM generate_series(4, 6) n;
SELECT memory_update('repeats', test.id(5), user_id => 'bob', store => 'ce') AS moved,
  memory_update('repeats', test.id(6), user_id => 'carol', store => 'ce') AS moved_too;
SELECT memory_put_context('repeats', 'Private in Lisbon', user_id => 'carol', creation_time => '2025-01-01Z',
  store => 'ce') IS NOT NULL AS hers_too;
SELECT latest FROM contexts('Lisbon', 'repeats', '{"userId": "bob"}');
BEGIN;
SELECT memory_delete_contexts('repeats', ARRAY(SELECT context_id FROM ce.contexts WHERE user_id = 'alice'), 'ce')
  AS hidden;
SELECT memory_purge(store => 'ce') AS purged;
SELECT user_id, context FROM ce.entries WHERE memory_id = 'repeats' ORDER BY 1;
ROLLBACK;
BEGIN;
SELECT memory_delete_contexts('repeats', ARRAY(SELECT context_id FROM ce.contexts WHERE memory_id = 'repeats'), 'ce')
  AS hidden;
SELECT latest FROM contexts('Lisbon', 'repeats');
SELECT memory_purge(store => 'ce') AS purged;
SELECT latest FROM contexts('Lisbon', 'repeats');
ROLLBACK;
SELECT memory_forget_user('alice', 'ce') AS removed;
SELECT user_id, context FROM ce.entries WHERE memory_id = 'repeats' ORDER BY 1;
SELECT user_id, latest FROM unnest('{bob,carol}'::text[]) user_id,
  LATERAL contexts('Lisbon', 'repeats', jsonb_build_object('userId', user_id)) ORDER BY 1;
-- The entry keeps a context that it got since.
SELECT test.n(memory_add('moved', 'a plan', context => 'Hers in Lisbon', user_id => 'alice', entry_id => test.id(2),
  store => 'ce'));
UPDATE ce.entries SET user_id = 'bob', context = 'His in Porto' WHERE memory_id = 'moved' AND entry_id = test.id(2);
SELECT memory_forget_user('alice', 'ce') AS removed;
SELECT latest FROM contexts('Lisbon', 'moved');
-- A role that may not change the texts of entries erases nothing, rather than a part.
SELECT test.n(memory_add('kept', 'a plan', context => 'Hers in Rome', user_id => 'alice', entry_id => test.id(3),
  store => 'ce'));
UPDATE ce.entries SET user_id = 'bob' WHERE memory_id = 'kept';
CREATE ROLE context_eraser;
GRANT USAGE ON SCHEMA ce, test TO context_eraser;
GRANT SELECT, DELETE ON ALL TABLES IN SCHEMA ce TO context_eraser;
SET ROLE context_eraser;
SELECT test.error($$SELECT memory_forget_user('alice', 'ce')$$);
RESET ROLE;
DROP OWNED BY context_eraser;
DROP ROLE context_eraser;
SELECT latest FROM contexts('Rome', 'kept');
-- The entries of many contexts are deleted: each context is not compared with each entry.
SELECT count(memory_add('gone', 'fact ' || i, context => 'context ' || i, store => 'ce'))
  FROM generate_series(1, 3000) i;
SELECT memory_delete('gone', ARRAY(SELECT entry_id FROM ce.entries WHERE memory_id = 'gone'), store => 'ce');
SET statement_timeout = '2s';
SELECT latest FROM contexts('fact', 'gone');
RESET statement_timeout;
-- A purge takes no text from entries whose context can still be restored.
SELECT test.n(memory_add('twice', 'a fact', context => 'Ghent', creation_time => '2026-01-01Z', entry_id => test.id(4),
  store => 'ce')), memory_put_context('twice', 'Porto', creation_time => '2026-01-02Z', store => 'ce') IS NOT NULL,
  test.n(memory_add('twice', 'a fact', context => 'Ghent', creation_time => '2026-01-03Z', entry_id => test.id(5),
    store => 'ce'));
UPDATE ce.contexts SET deletion_scheduled_time = CASE extract(day FROM creation_time AT TIME ZONE 'UTC')
    WHEN 1 THEN now() - interval '40 days' ELSE now() END WHERE memory_id = 'twice' AND context = 'Ghent';
SELECT memory_purge(now() - interval '30 days', store => 'ce') AS removed;
SELECT test.n(entry_id) AS n, context FROM ce.entries WHERE memory_id = 'twice' ORDER BY 1;
-- Many contexts with few texts are not compared with each entry that carries one of them, by a purge and by an erasure.
INSERT INTO ce.entries (memory_id, raw_entry, context, user_id)
SELECT 'few', 'a fact', 'context ' || i % 2, 'u' || i % 3 FROM generate_series(1, 6000) i;
INSERT INTO ce.contexts (memory_id, context, user_id, creation_time, deletion_scheduled_time)
SELECT 'few', 'context ' || i % 2, 'u' || i % 5, '2025-01-01Z'::timestamptz + i * interval '1 s', '2025-02-01Z'
FROM generate_series(1, 3000) i;
SET statement_timeout = '4s';
SELECT memory_purge(store => 'ce') AS removed;
RESET statement_timeout;
SELECT count(*) AS entries, count(context) AS with_context FROM ce.entries WHERE memory_id = 'few';
UPDATE ce.entries SET context = 'own ' || entry_id, user_id = 'merged' WHERE memory_id = 'few';
INSERT INTO ce.contexts (memory_id, context, user_id, entry_id)
SELECT 'few', context, 'other', entry_id FROM ce.entries WHERE memory_id = 'few';
INSERT INTO ce.entries (memory_id, raw_entry, context, user_id)
SELECT 'few', 'repeated', context, 'other' FROM ce.contexts WHERE memory_id = 'few';
SET statement_timeout = '4s';
SELECT memory_forget_user('merged', 'ce') AS removed;
RESET statement_timeout;
SELECT count(*) AS contexts, count(DISTINCT entry_id) AS entries FROM ce.contexts WHERE memory_id = 'few';
DROP FUNCTION contexts;
DROP SCHEMA ce CASCADE;
