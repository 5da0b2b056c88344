-- memory_supersede: an entry that another one corrects is no longer found, counts in no statistic, and leads to
-- its correction.
SET timezone = 'UTC';
SELECT memory_create_store('su', 4), memory_create_store('su_never', 4);
INSERT INTO su.entries (memory_id, entry_id, raw_entry, context, embedding, tags, creation_time, entry_order) VALUES
  ('m', test.id(1), 'Ann lives in Lisbon', 'Ann: Lisbon', '[1,0,0,0]', '{home}', '2025-01-01Z', 1),
  ('m', test.id(2), 'Ann lives in Porto', 'Ann: Porto', '[1,0.1,0,0]', '{home}', '2025-02-01Z', 2),
  ('m', test.id(3), 'Ann lives in Faro', 'Ann: Faro', '[1,0.2,0,0]', '{home}', '2025-03-01Z', 3),
  ('m', test.id(4), 'Ann drinks tea', NULL, '[0,1,0,0]', '{drink}', '2025-04-01Z', 4);
INSERT INTO su.entries (memory_id, entry_id, raw_entry, creation_time) VALUES
  ('other', test.id(1), 'Ann lives in Lisbon', '2025-01-01Z'),
  ('other', test.id(9), 'Bo lives in Rome', '2025-01-01Z');
CREATE FUNCTION found(query text DEFAULT 'Ann', filters jsonb DEFAULT '{}', options jsonb DEFAULT '{}')
RETURNS TABLE (hybrid bigint[], keyword bigint[], semantic bigint[], recent bigint[], latest text)
LANGUAGE sql VOLATILE AS $$
  SELECT max(n) FILTER (WHERE s = 'hybrid'), max(n) FILTER (WHERE s = 'keyword'),
    max(n) FILTER (WHERE s = 'semantic'), max(n) FILTER (WHERE s = 'recent'), max(answer->>'latestContext')
  FROM (VALUES ('hybrid'), ('keyword'), ('semantic'), ('recent')) t(s),
    LATERAL memory_search('m', query, 10, 3, '[1,0,0,0]', filters, options || jsonb_build_object('strategy', s),
        'su') answer,
    LATERAL (SELECT array_agg(n ORDER BY n) FROM unnest(test.found(answer)) n) u(n) $$;
CREATE FUNCTION why(entry bigint, options jsonb DEFAULT '{}', filters jsonb DEFAULT '{}') RETURNS text
LANGUAGE sql VOLATILE AS $$
  SELECT outcome
  FROM memory_explain('m', 'Ann', 10, '[1,0,0,0]', filters, options, entry_id => test.id(entry)::text,
      store => 'su') $$;
SELECT * FROM found();

-- No strategy finds it or its context; the explanation leads to the correction.
SELECT memory_supersede('m', test.id(1), test.id(2), 'su');
SELECT * FROM found();
SELECT * FROM found('lisbon', options => '{"fallback": false}');
SELECT * FROM found('Ann', '{"tags": ["home"]}');
SELECT why(1) AS old, why(2) AS correction;
SELECT count(*) AS rows FROM memory_explain('m', 'Ann', 10, '[1,0,0,0]', store => 'su');
SELECT count(*) AS rows, count(*) FILTER (WHERE entry_id = test.id(1)::text) AS old
FROM memory_search_entries('m', 'Ann', 10, store => 'su');
SELECT memory_build_context('m', 'where does Ann live? Lisbon?',
    options => '{"strategy": "keyword", "asOf": "2999-01-01T00:00:00Z"}',
    store => 'su') LIKE '%Lisbon%' AS in_the_prompt;
SELECT test.n(entry_id) AS n, test.n(superseded_by) AS superseded_by,
  superseded_time BETWEEN now() - interval '1 minute' AND clock_timestamp() AS just_now,
  deletion_scheduled_time
FROM su.entries WHERE memory_id = 'm' AND superseded_by IS NOT NULL;
SELECT test.found(memory_search('other', 'Lisbon', store => 'su')) AS same_id_in_another_memory;
-- If it is requested, it is found, and names its correction; other entries have no such field.
SELECT * FROM found(options => '{"includeSuperseded": true}');
SELECT e->>'rawEntry' AS raw_entry, test.n(e->>'supersededBy') AS superseded_by, e ? 'supersededBy' AS has_field
FROM jsonb_array_elements(memory_search('m', 'Ann lives', 10,
    options => '{"strategy": "keyword", "includeSuperseded": true}', store => 'su')->'entries') e
ORDER BY e->>'entryId';
SELECT test.found(memory_search('{"memoryId": "m", "query": "Lisbon", "store": "su",
      "options": {"strategy": "keyword", "includeSuperseded": true}}')) AS by_json,
  test.found(memory_search('m', 'Lisbon',
      options => '{"strategy": "keyword", "includeSuperseded": false, "fallback": false}', store => 'su')) AS said_no;
SELECT why(1, '{"includeSuperseded": true}') AS old;
SELECT test.error($$SELECT memory_search('m', 'Ann', options => '{"includeSuperseded": "yes"}', store => 'su')$$),
  test.error($$SELECT memory_search('m', 'Ann', options => '{"includeSupersede": true}', store => 'su')$$);

-- A chain: old, then, now. Each entry names the next.
SELECT memory_supersede('m', test.id(2), test.id(3), 'su');
SELECT * FROM found();
SELECT why(1) AS old, why(2) AS mid, why(3) AS new;
SELECT string_agg(format('%s by %s', test.n(e->>'entryId'), test.n(e->>'supersededBy')),
    ', ' ORDER BY e->>'entryId') AS all_of_it
FROM jsonb_array_elements(memory_search('m', 'lives', 10,
    options => '{"strategy": "keyword", "includeSuperseded": true}', store => 'su')->'entries') e;
-- A circle of any length is refused, and an entry that corrects itself; nothing has changed.
SELECT old, new, test.error(format('SELECT memory_supersede(''m'', test.id(%s), test.id(%s), ''su'')', old, new))
FROM (VALUES (3, 2), (3, 1), (2, 1), (3, 3), (1, 1)) t(old, new) ORDER BY 1, 2;
-- A correction must be a present entry of this memory.
SELECT test.error(statement)
FROM (VALUES
  (1, $$SELECT memory_supersede('m', test.id(4), test.id(99), 'su')$$),
  (2, $$SELECT memory_supersede('m', test.id(4), test.id(9), 'su')$$),
  (3, $$SELECT memory_supersede('nowhere', test.id(4), test.id(1), 'su')$$),
  (4, $$SELECT memory_supersede(NULL, test.id(1), test.id(2), 'su')$$),
  (5, $$SELECT memory_supersede('', test.id(1), test.id(2), 'su')$$),
  (6, $$SELECT memory_supersede('m', NULL, test.id(2), 'su')$$),
  (7, $$SELECT memory_supersede('m', test.id(1), test.id(2), 'nowhere')$$)
) t(i, statement)
ORDER BY i;
SELECT memory_delete('m', ARRAY[test.id(4)], store => 'su');
SELECT test.error($$SELECT memory_supersede('m', test.id(3), test.id(4), 'su')$$) AS deleted_correction,
  memory_supersede('m', test.id(4), test.id(3), 'su') AS deleted_entry,
  memory_supersede('m', test.id(99), test.id(3), 'su') AS unknown_entry,
  memory_supersede('other', test.id(4), test.id(9), 'su') AS of_another_memory;
SELECT memory_restore('m', ARRAY[test.id(4)], store => 'su');
SELECT test.n(entry_id) AS n, test.n(superseded_by) AS superseded_by FROM su.entries WHERE memory_id = 'm' ORDER BY 1;
-- A second correction replaces the first one. NULL takes it back, also in the middle of a chain.
SELECT memory_supersede('m', test.id(1), test.id(3), 'su');
SELECT why(1) AS old;
SELECT memory_supersede('m', test.id(2), NULL, 'su');
SELECT * FROM found();
SELECT why(1) AS old, why(2) AS reinstated;
SELECT memory_supersede('m', test.id(1), NULL, 'su') AS back,
  memory_supersede('m', test.id(99), NULL, 'su') AS unknown,
  memory_supersede('nowhere', test.id(1), NULL, 'su') AS no_memory;
SELECT * FROM found();
SELECT count(*) FILTER (WHERE superseded_by IS NOT NULL OR superseded_time IS NOT NULL) AS superseded FROM su.entries;
-- Now the same call makes no circle.
SELECT memory_supersede('m', test.id(3), test.id(1), 'su');
SELECT why(3) AS other_way_round, latest AS newest_visible FROM found();
SELECT latest AS newest_of_all FROM found(options => '{"includeSuperseded": true}');
SELECT memory_supersede('m', test.id(3), NULL, 'su');

-- asOf: before the instant of the correction it is found, without superseded_by; from that instant on it is not found.
UPDATE su.entries
SET superseded_by = test.id(2), superseded_time = '2025-05-01Z'
WHERE memory_id = 'm' AND entry_id = test.id(1);
SELECT as_of, f.*
FROM (VALUES
  ('2025-04-15T00:00:00Z'), ('2025-04-30T23:59:59.999999Z'), ('2025-05-01T00:00:00Z'),
  ('2030-01-01T00:00:00Z')
) t(as_of),
  found(options => jsonb_build_object('asOf', as_of)) f
ORDER BY 1;
SELECT as_of, why(1, jsonb_build_object('asOf', as_of))
FROM (VALUES ('2024-01-01T00:00:00Z'), ('2025-04-15T00:00:00Z'), ('2025-05-15T00:00:00Z')) t(as_of)
ORDER BY 1;
SELECT as_of,
  (memory_search('m', 'Lisbon', 1,
      options => jsonb_build_object('asOf', as_of, 'strategy', 'keyword', 'includeSuperseded', included),
      store => 'su')->'entries'->0) ? 'supersededBy' AS says_so
FROM (VALUES ('2025-04-15T00:00:00Z', false), ('2025-05-15T00:00:00Z', true)) t(as_of, included)
ORDER BY 1;
-- For an entry that is hidden for several reasons, the explanation gives one that held at that instant.
UPDATE su.entries SET deletion_scheduled_time = '2025-06-01Z' WHERE memory_id = 'm' AND entry_id = test.id(1);
SELECT why(1) AS deleted_too,
  why(1, '{"includeSuperseded": true}') AS and_asked_for,
  why(1, '{"asOf": "2025-05-15T00:00:00Z"}') AS before_that;
UPDATE su.entries SET deletion_scheduled_time = NULL;
SELECT why(1, '{"asOf": "2025-04-15T00:00:00Z"}', '{"tags": ["drink"]}') AS filtered_before_the_correction;
-- A row has both superseded_by and superseded_time or neither, also if plain SQL writes them.
SELECT left(
      test.error($$UPDATE su.entries SET superseded_by = test.id(2) WHERE memory_id = 'm' AND entry_id = test.id(4)$$),
      5) AS which_alone,
  left(test.error($$UPDATE su.entries SET superseded_time = now() WHERE memory_id = 'm' AND entry_id = test.id(4)$$),
      5) AS when_alone;

-- No statistic counts it: the same bytes as in a store that never had it. Here a third of 60 entries is superseded,
-- and was used the most.
INSERT INTO su.entries (memory_id, entry_id, raw_entry, embedding, creation_time, entry_order)
SELECT 'w', test.id(n), test.words(n, 3 + n % 7), test.vector(n), timestamptz '2025-01-01Z' + n * interval '1 hour', n
FROM generate_series(1, 60) n;
INSERT INTO su.entry_access
SELECT memory_id, entry_id, CASE WHEN test.n(entry_id) % 3 = 0 THEN 1000 ELSE test.n(entry_id) END, '2025-02-01Z'
FROM su.entries
WHERE memory_id = 'w';
INSERT INTO su_never.entries (memory_id, entry_id, raw_entry, embedding, creation_time, entry_order)
SELECT memory_id, entry_id, raw_entry, embedding, creation_time, entry_order
FROM su.entries
WHERE memory_id = 'w' AND test.n(entry_id) % 3 > 0;
INSERT INTO su_never.entry_access SELECT a.* FROM su.entry_access a JOIN su_never.entries e USING (memory_id, entry_id);
CREATE FUNCTION answers(store text, options jsonb DEFAULT '{}') RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT md5(string_agg(memory_search('w', 'tea train hotel lisbon', 10, 3, '[1,0.5,0,0]',
            options => options || jsonb_build_object('strategy', strategy, 'boosts', '{"popularity": 0.2}'::jsonb),
            store => store)::text,
        '' ORDER BY strategy)
    || (SELECT string_agg(x::text, '' ORDER BY x.place)
        FROM memory_explain('w', 'lisbon tea', 10, '[1,0.5,0,0]', options => options, store => store) x))
  FROM (VALUES ('hybrid'), ('keyword'), ('semantic'), ('recent')) s(strategy) $$;
SELECT answers('su') = answers('su_never') AS same_while_visible;
SELECT sum(memory_supersede('w', test.id(n), test.id(n + 1), 'su')) AS superseded FROM generate_series(3, 57, 3) n;
SELECT memory_supersede('w', test.id(60), test.id(59), 'su');
SELECT answers('su') = answers('su_never') AS same_when_superseded,
  answers('su', '{"includeSuperseded": true}') = answers('su_never', '{"includeSuperseded": true}') AS same_with_them;

-- A superseded entry is neither purged nor reported.
SELECT memory_purge('infinity', store => 'su') AS purged,
  count(*) FILTER (WHERE superseded_by IS NOT NULL) AS superseded
FROM su.entries;
SELECT name, status, detail FROM memory_doctor('su') WHERE name LIKE '%purge%';
SELECT memory_touch('m', ARRAY[test.id(2)], 'su') AS touched;
-- When its correction is deleted or purged, it is reinstated (correction_deleted has more); NULL means that there is no
-- correction.
SELECT memory_delete('m', ARRAY[test.id(2)], store => 'su') AS deleted,
  memory_purge(clock_timestamp(), store => 'su') AS purged;
SELECT * FROM found();
SELECT why(1) AS old;
SELECT memory_supersede('m', test.id(1), NULL, 'su') AS back;
SELECT * FROM found();

-- The transaction's rollback undoes it; it needs the right to update.
BEGIN;
SELECT memory_supersede('m', test.id(1), test.id(3), 'su');
SELECT keyword FROM found();
ROLLBACK;
SELECT keyword FROM found();
BEGIN READ ONLY;
SELECT test.error($$SELECT memory_supersede('m', test.id(1), test.id(3), 'su')$$);
ROLLBACK;
CREATE ROLE su_user;
GRANT USAGE ON SCHEMA su TO su_user;
GRANT SELECT, INSERT, DELETE ON ALL TABLES IN SCHEMA su TO su_user;
SET ROLE su_user;
SELECT test.error($$SELECT memory_supersede('m', test.id(1), test.id(3), 'su')$$),
  test.error($$SELECT memory_supersede('m', test.id(1), NULL, 'su')$$);
RESET ROLE;
DROP FUNCTION found, why, answers;
DROP SCHEMA su, su_never CASCADE;
DROP OWNED BY su_user;
DROP ROLE su_user;
