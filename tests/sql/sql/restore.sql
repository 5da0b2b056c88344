-- memory_restore takes a deletion back, of entries or of a whole memory.
SET timezone = 'UTC';
SELECT test.fill_with_kites();
-- The entries found by each way of searching, and the latest context.
CREATE FUNCTION seen(OUT keyword bigint[], OUT semantic bigint[], OUT recent bigint[], OUT rows_seen bigint[],
  OUT older bigint[], OUT latest text)
LANGUAGE sql AS $$
  SELECT (SELECT array_agg(n ORDER BY n)
          FROM unnest(test.found(memory_search('m', 'kite', 10, options => '{"strategy": "keyword"}',
              store => 'rp'))) n),
    (SELECT array_agg(n ORDER BY n)
     FROM unnest(test.found(memory_search('m', '', 10, embedding => '[1,0,0,0]', store => 'rp'))) n),
    (SELECT array_agg(n ORDER BY n) FROM unnest(test.found(memory_search('m', '', 10, store => 'rp'))) n),
    (SELECT array_agg(test.n(entry_id) ORDER BY entry_id) FROM memory_search_entries('m', 'kite', 10, store => 'rp')),
    (SELECT array_agg(test.n(c->>'contextId') ORDER BY c->>'contextId')
     FROM jsonb_array_elements(answer->'contexts') c),
    answer->>'latestContextTimestamp'
  FROM memory_search('m', 'kites', 0, 3, store => 'rp') answer $$;
SELECT * FROM seen();
SELECT test.answers_of_w('rp') AS before \gset

-- One entry, then many: only deleted entries are restored, and counted once; nulls and unknown ids restore nothing.
SELECT memory_delete('m', ARRAY[test.id(1), test.id(2), test.id(3), test.id(4)], store => 'rp');
SELECT * FROM seen();
SELECT memory_restore('m', ARRAY[test.id(2)], store => 'rp') AS one,
  memory_restore('m', ARRAY[test.id(2)], store => 'rp') AS again;
SELECT * FROM seen();
SELECT memory_restore('m', '{}', store => 'rp') AS none,
  memory_restore('m', ARRAY[test.id(5), test.id(99), NULL], store => 'rp') AS not_deleted,
  memory_restore('other', ARRAY[test.id(1)], store => 'rp') AS in_another_memory,
  memory_restore('unknown', ARRAY[test.id(1)], store => 'rp') AS no_memory;
SELECT memory_restore('m', ARRAY[test.id(1), test.id(1), NULL, test.id(3), test.id(5), test.id(99)],
    store => 'rp') AS two_of_them;
SELECT memory_restore('m', ARRAY[test.id(4)], store => 'rp') AS last;
-- All fields and scores are the same as before the deletion.
SELECT memory_delete('w', (SELECT array_agg(entry_id) FROM rp.entries WHERE test.n(entry_id) % 3 = 0),
      store => 'rp') AS deleted,
  test.answers_of_w('rp') <> :'before' AS other_answers;
SELECT memory_restore('w', (SELECT array_agg(entry_id) FROM rp.entries), store => 'rp') AS restored,
  test.answers_of_w('rp') = :'before' AS same_answers;

-- The whole memory, contexts too; also entries that were deleted one by one before.
SELECT memory_delete('m', ARRAY[test.id(7)], store => 'rp') AS one,
  memory_delete('m', whole_memory => true, store => 'rp') AS the_rest;
SELECT * FROM seen();
SELECT memory_search('other', 'kite', store => 'rp')->'count' AS other;
SELECT memory_restore('m', whole_memory => true, store => 'rp') AS all_of_it,
  memory_restore('m', whole_memory => true, store => 'rp') AS again;
SELECT * FROM seen();
SELECT memory_delete('w', whole_memory => true, store => 'rp') AS deleted,
  memory_restore('w', whole_memory => true, store => 'rp') AS restored,
  test.answers_of_w('rp') = :'before' AS same_answers;
-- A context is no entry: ids name entries only.
UPDATE rp.contexts SET deletion_scheduled_time = '2025-03-01Z' WHERE memory_id = 'm' AND context_id = test.id(3);
SELECT memory_restore('m', ARRAY[test.id(3)], store => 'rp') AS entries,
  (SELECT latest FROM seen()) AS latest,
  memory_restore('m', whole_memory => true, store => 'rp') AS contexts,
  (SELECT latest FROM seen()) AS latest_after;
-- An entry that expired meanwhile is undeleted, but stays hidden.
UPDATE rp.entries
SET deletion_scheduled_time = '2025-03-01Z', expires_at = '2025-03-02Z'
WHERE memory_id = 'm' AND entry_id = test.id(8);
SELECT memory_restore('m', ARRAY[test.id(8)], store => 'rp') AS restored, (SELECT recent FROM seen());
UPDATE rp.entries SET expires_at = NULL;
-- A rollback takes the restoring back.
BEGIN;
SELECT memory_delete('m', ARRAY[test.id(1), test.id(2)], store => 'rp') AS deleted,
  memory_restore('m', ARRAY[test.id(1)], store => 'rp') AS restored,
  (SELECT keyword FROM seen());
ROLLBACK;
SELECT keyword FROM seen();
SELECT test.error(statement)
FROM (VALUES
  (1, $$SELECT memory_restore('other', store => 'rp')$$),
  (2, $$SELECT memory_restore('other', NULL, store => 'rp')$$),
  (3, $$SELECT memory_restore('other', '{}', whole_memory => NULL, store => 'rp')$$),
  (4, $$SELECT memory_restore('other', '{}', whole_memory => true, store => 'rp')$$),
  (5, $$SELECT memory_restore(NULL, ARRAY[test.id(1)], store => 'rp')$$),
  (6, $$SELECT memory_restore('', ARRAY[test.id(1)], store => 'rp')$$),
  (7, $$SELECT memory_restore('other', whole_memory => true, store => 'nowhere')$$)
) t(i, statement)
ORDER BY i;
BEGIN READ ONLY;
SELECT test.error($$SELECT memory_restore('m', whole_memory => true, store => 'rp')$$) AS restore;
ROLLBACK;
DROP FUNCTION seen;
DROP SCHEMA rp CASCADE;
