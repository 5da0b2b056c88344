-- A correction that is deleted or expired corrects nothing: the entry is reinstated, on every path, until the
-- correction is back.
SELECT memory_create_store('cd', 256);
-- The embeddings are unlike, and have as many dimensions as the index searches.
CREATE FUNCTION v(n int) RETURNS real[] LANGUAGE sql IMMUTABLE AS
  $$ SELECT array_agg(sin(n * g)::real ORDER BY g) FROM generate_series(1, 256) g $$;
INSERT INTO cd.entries (memory_id, entry_id, user_id, raw_entry, embedding, creation_time)
SELECT m, test.id(n), CASE WHEN n < 3 THEN 'ann' ELSE 'bob' END, 'lives in town ' || n, v(n),
  timestamptz '2025-01-01Z' + n * interval '1 day'
FROM unnest('{m,chain,fork}'::text[]) m, generate_series(1, 4) n;
-- The entries that each strategy finds, and those that it says are superseded.
CREATE FUNCTION found(memory text, options jsonb DEFAULT '{}', filters jsonb DEFAULT '{}', store text DEFAULT 'cd')
RETURNS TABLE (hybrid text, keyword text, semantic text, recent text) LANGUAGE plpgsql AS $$
DECLARE a text[]; strategy text;
BEGIN
  FOREACH strategy IN ARRAY '{hybrid,keyword,semantic,recent}'::text[] LOOP
    a := a || (SELECT string_agg(test.n(e->>'entryId') || coalesce('>' || test.n(e->>'supersededBy'), ''), ' '
        ORDER BY e->>'entryId') FROM jsonb_array_elements(memory_search(memory, 'town', 10, embedding => v(1),
      filters => filters, options => options || jsonb_build_object('strategy', strategy), store => found.store)
      ->'entries') e);
  END LOOP;
  RETURN QUERY SELECT a[1], a[2], a[3], a[4];
END $$;
CREATE FUNCTION why(memory text, n int, options jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS
  $$ SELECT outcome FROM memory_explain(memory, 'town', embedding => v(1), options => options,
    entry_id => test.id(n)::text, store => 'cd') $$;
-- The instants are fixed, so that they can be asked for.
CREATE FUNCTION correct(memory text, old int, new int, day text) RETURNS void LANGUAGE sql AS $$
  SELECT memory_supersede(memory, test.id(old), test.id(new), 'cd');
  UPDATE cd.entries SET superseded_time = day::timestamptz WHERE memory_id = memory AND entry_id = test.id(old) $$;

SELECT correct('m', 1, 2, '2025-02-01Z');
SELECT * FROM found('m');
SELECT memory_search('m', 'town', embedding => v(1), options => '{"diagnostics": true}', store => 'cd')
  #>> '{diagnostics,reads,0,path}' AS path;
-- A deleted correction corrects nothing: 1 is found, and is superseded by no entry.
SELECT memory_delete('m', ARRAY[test.id(2)], store => 'cd') AS deleted;
SELECT * FROM found('m');
SELECT * FROM found('m', '{"includeSuperseded": true}');
SELECT why('m', 1) AS of_1, why('m', 2) AS of_2;
-- The same by the rows of the table, and by a filter that is tested on the rows.
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM found('m');
COMMIT;
SELECT * FROM found('m', filters => '{"metadata": {}}');
-- Filters apply to reinstated entries.
SELECT * FROM found('m', filters => '{"userId": "ann"}');
-- Restored, it corrects again.
SELECT memory_restore('m', ARRAY[test.id(2)], store => 'cd') AS restored;
SELECT * FROM found('m');
SELECT * FROM found('m', '{"includeSuperseded": true}');
SELECT why('m', 1) AS of_1;
-- The deletion in a savepoint, and the rollback to it.
BEGIN;
SAVEPOINT before;
SELECT memory_delete('m', ARRAY[test.id(2)], store => 'cd') AS deleted;
SELECT * FROM found('m');
ROLLBACK TO before;
SELECT * FROM found('m');
COMMIT;

-- Each instant has its answer: the entry is corrected in February, and the correction is deleted in March.
UPDATE cd.entries SET deletion_scheduled_time = '2025-03-01Z' WHERE memory_id = 'm' AND entry_id = test.id(2);
SELECT as_of, f.* FROM unnest('{2025-01-31,2025-02-01,2025-02-28,2025-03-01,2025-03-02}'::text[]) as_of,
  found('m', jsonb_build_object('asOf', as_of || 'T00:00:00Z')) f ORDER BY 1;
SELECT as_of, f.semantic AS superseded_too FROM unnest('{2025-01-31,2025-02-01,2025-02-28,2025-03-01}'::text[]) as_of,
  found('m', jsonb_build_object('asOf', as_of || 'T00:00:00Z', 'includeSuperseded', true)) f ORDER BY 1;
-- A correction that is not visible yet at the instant of asOf corrects nothing, either.
UPDATE cd.entries SET deletion_scheduled_time = NULL, creation_time = '2025-04-01Z'
WHERE memory_id = 'm' AND entry_id = test.id(2);
SELECT as_of, f.* FROM unnest('{2025-02-01,2025-03-31,2025-04-01}'::text[]) as_of,
  found('m', jsonb_build_object('asOf', as_of || 'T00:00:00Z')) f ORDER BY 1;
-- Expired in May.
UPDATE cd.entries SET creation_time = '2025-01-03Z', expires_at = '2025-05-01Z'
WHERE memory_id = 'm' AND entry_id = test.id(2);
SELECT as_of, f.* FROM unnest('{2025-04-30,2025-05-01}'::text[]) as_of,
  found('m', jsonb_build_object('asOf', as_of || 'T00:00:00Z')) f ORDER BY 1;
SELECT * FROM found('m');
SELECT why('m', 1) AS of_1, why('m', 2) AS of_2;
-- When it is purged, it is gone for good, and no reference to it is left: the entry that named it can be corrected.
SELECT memory_purge(store => 'cd') AS purged,
  (SELECT superseded_by = test.id(2) FROM cd.entries WHERE memory_id = 'm' AND entry_id = test.id(1)) AS named;
SELECT * FROM found('m');
SELECT correct('m', 1, 3, '2025-06-01Z');
SELECT * FROM found('m');
DELETE FROM cd.entries WHERE memory_id = 'm' AND entry_id = test.id(3);
SELECT * FROM found('m');
-- A deleted or expired entry is not reinstated.
UPDATE cd.entries SET expires_at = '2025-05-01Z' WHERE memory_id = 'm' AND entry_id = test.id(1);
SELECT * FROM found('m');
SELECT why('m', 1) AS of_1;

-- A chain: 2 corrects 1, and 3 corrects 2. Without 2, 3 still corrects 1; without 3, too, 1 is reinstated.
SELECT correct('chain', 1, 2, '2025-02-01Z'), correct('chain', 2, 3, '2025-03-01Z');
SELECT * FROM found('chain');
SELECT memory_delete('chain', ARRAY[test.id(2)], store => 'cd') AS the_middle;
SELECT * FROM found('chain');
SELECT memory_delete('chain', ARRAY[test.id(3)], store => 'cd') AS the_last;
SELECT * FROM found('chain');
SELECT memory_restore('chain', ARRAY[test.id(2)], store => 'cd') AS the_middle_again;
SELECT * FROM found('chain');
SELECT * FROM found('chain', '{"includeSuperseded": true}');
-- As of a time between: 3 had not corrected 2 yet, so 2 is found.
UPDATE cd.entries SET deletion_scheduled_time = NULL WHERE memory_id = 'chain';
UPDATE cd.entries SET deletion_scheduled_time = '2025-02-15Z' WHERE memory_id = 'chain' AND entry_id = test.id(2);
SELECT as_of, f.* FROM unnest('{2025-02-14,2025-02-16,2025-03-01}'::text[]) as_of,
  found('chain', jsonb_build_object('asOf', as_of || 'T00:00:00Z')) f ORDER BY 1;

-- Two entries with one correction; a correction of another memory is none, and a circle that plain SQL wrote ends.
SELECT correct('fork', 1, 3, '2025-02-01Z'), correct('fork', 2, 3, '2025-02-01Z');
SELECT * FROM found('fork');
SELECT memory_delete('fork', ARRAY[test.id(3)], store => 'cd') AS deleted;
SELECT * FROM found('fork');
UPDATE cd.entries SET superseded_by = test.id(1), superseded_time = '2025-03-01Z'
WHERE memory_id = 'fork' AND entry_id = test.id(3);
SELECT * FROM found('fork');
DELETE FROM cd.entries WHERE memory_id = 'fork' AND entry_id = test.id(3);
SELECT * FROM found('fork');

-- No statistic keeps a trace: the same bytes as of a memory in which nothing was ever corrected.
INSERT INTO cd.entries (memory_id, entry_id, raw_entry, embedding, creation_time, entry_order)
SELECT m, test.id(n), test.words(n, 3 + n % 7), v(n), timestamptz '2025-01-01Z' + n * interval '1 hour', n
FROM unnest('{was,never}'::text[]) m, generate_series(1, 60) n;
SELECT sum(memory_supersede('was', test.id(n), test.id(n + 1), 'cd')) AS corrected FROM generate_series(3, 59, 2) n;
SELECT memory_delete('was', array_agg(test.id(n)), store => 'cd') AS gone,
  memory_delete('never', array_agg(test.id(n)), store => 'cd') AS also FROM generate_series(4, 60, 2) n;
CREATE FUNCTION answer(memory text, strategy text) RETURNS text LANGUAGE sql AS $$
  SELECT replace(memory_search(memory, 'tea train hotel lisbon', 10, embedding => v(7), store => 'cd',
    options => jsonb_build_object('strategy', strategy, 'asOf', '2030-01-01T00:00:00Z'))::text, memory, '') $$;
SELECT strategy, answer('was', strategy) = answer('never', strategy) AS same
FROM unnest('{hybrid,keyword,semantic,recent}'::text[]) strategy ORDER BY 1;

-- A role that may not see the correction sees the corrected entry; a role that sees the correction does not. Searches
-- by the rows of the table do the same.
CREATE ROLE cd_app;
INSERT INTO cd.entries (memory_id, entry_id, user_id, raw_entry, embedding, creation_time)
SELECT 'seen', test.id(n), CASE WHEN n = 1 THEN 'ann' ELSE 'bob' END, 'lives in town ' || n, v(n), '2025-01-01Z'
FROM generate_series(1, 2) n;
SELECT correct('seen', 1, 2, '2025-02-01Z');
SELECT * FROM found('seen');
SET client_min_messages = error;
SELECT memory_grant('cd', 'cd_app'), memory_enable_row_security('cd');
RESET client_min_messages;
SET ROLE cd_app;
SET memory_search.user_id = 'ann';
SELECT * FROM found('seen');
SELECT * FROM found('seen', filters => '{"metadata": {}}');
SET memory_search.user_id = 'bob';
SELECT * FROM found('seen');
RESET ROLE;
RESET memory_search.user_id;

-- Adopted tables with a column for superseded_by work in the same way, with ids of any type. A value that is no id
-- supersedes nothing.
CREATE TABLE cd_notes (id uuid PRIMARY KEY, number bigint, body text, by_id text, by_number text,
  since timestamptz, gone timestamptz);
INSERT INTO cd_notes SELECT test.id(n), n, 'lives in town ' || n, test.id(by), by,
  CASE WHEN by > 0 THEN '2025-02-01Z'::timestamptz END
FROM (VALUES (1, 2), (2, NULL), (3, 9), (4, NULL)) t(n, by);
INSERT INTO cd_notes SELECT test.id(n), n, 'lives in town ' || n, what, what, '2025-02-01Z'
FROM (VALUES (5, 'nobody'), (6, '')) t(n, what);
SELECT memory_adopt_table('cd_uuid', 'cd_notes', '{"memory_id": "''m''", "entry_id": "id", "raw_entry": "body",
    "superseded_by": "by_id", "superseded_time": "since", "deletion_scheduled_time": "gone"}'),
  memory_adopt_table('cd_number', 'cd_notes', '{"memory_id": "''m''", "entry_id": "number", "raw_entry": "body",
    "superseded_by": "by_number", "superseded_time": "since", "deletion_scheduled_time": "gone"}'),
  memory_adopt_table('cd_text', 'cd_notes', '{"memory_id": "''m''", "entry_id": "number::text", "raw_entry": "body",
    "superseded_by": "by_number", "superseded_time": "since", "deletion_scheduled_time": "gone"}');
CREATE FUNCTION adopted() RETURNS TABLE (store text, keyword text, recent text) LANGUAGE sql AS $$
  SELECT store, f.* FROM unnest('{cd_uuid,cd_number,cd_text}'::text[]) store, LATERAL (SELECT
    (SELECT string_agg(right(e->>'entryId', 1) || coalesce('>' || (e->>'supersededBy'), ''), ' ' ORDER BY e->>'entryId')
     FROM jsonb_array_elements(memory_search('m', 'town', 10, options => '{"strategy": "keyword"}', store => store)
       ->'entries') e),
    (SELECT string_agg(right(e->>'entryId', 1), ' ' ORDER BY e->>'entryId')
     FROM jsonb_array_elements(memory_search('m', '', 10, store => store)->'entries') e)) f ORDER BY 1 $$;
SELECT * FROM adopted();
UPDATE cd_notes SET gone = '2025-03-01Z' WHERE number = 2;
SELECT * FROM adopted();
DELETE FROM cd_notes WHERE number = 2;
SELECT * FROM adopted();
-- If several corrections are purged at once, the entries that they superseded are superseded by the one that stays.
INSERT INTO cd.entries (memory_id, entry_id, raw_entry, creation_time, superseded_by, superseded_time,
  deletion_scheduled_time)
SELECT 'steps', test.id(n), 'step ' || n, '2025-01-01Z', CASE WHEN n < 6 THEN test.id(n + 1) END,
  CASE WHEN n < 6 THEN timestamptz '2025-02-01Z' END, CASE WHEN n BETWEEN 2 AND 5 THEN timestamptz '2025-03-01Z' END
FROM generate_series(1, 6) n;
SELECT memory_purge(store => 'cd') >= 4 AS purged;
SELECT test.n(entry_id) AS entry, test.n(superseded_by) AS corrected_by
FROM cd.entries WHERE memory_id = 'steps' ORDER BY entry_id;
-- Only the corrections that a purge removes are handed on: others may be restored.
INSERT INTO cd.entries (memory_id, entry_id, raw_entry, creation_time, superseded_by, superseded_time,
  deletion_scheduled_time)
SELECT 'few', test.id(n), 'step ' || n, '2025-01-01Z', CASE WHEN n BETWEEN 2 AND 3 THEN test.id(n + 1) END,
  CASE WHEN n BETWEEN 2 AND 3 THEN timestamptz '2025-02-01Z' END,
  CASE WHEN n IN (1, 3) THEN timestamptz '2025-03-01Z' + n * interval '1 day' END
FROM generate_series(1, 4) n;
SELECT memory_purge(max_rows => 1, store => 'cd') AS purged;
SELECT test.n(entry_id) AS entry, test.n(superseded_by) AS corrected_by
FROM cd.entries WHERE memory_id = 'few' ORDER BY entry_id;
SELECT memory_restore('few', ARRAY[test.id(3)], store => 'cd'), memory_delete('few', ARRAY[test.id(4)], store => 'cd');
SELECT raw_entry FROM memory_list('few', store => 'cd');
SELECT memory_delete('few', ARRAY[test.id(3)], store => 'cd'), memory_restore('few', ARRAY[test.id(4)], store => 'cd');
SELECT memory_purge(store => 'cd') AS purged;
SELECT test.n(entry_id) AS entry, test.n(superseded_by) AS corrected_by
FROM cd.entries WHERE memory_id = 'few' ORDER BY entry_id;
-- Plain SQL can store a circle. A purge of one of its entries makes no entry its own correction.
INSERT INTO cd.entries (memory_id, entry_id, raw_entry, creation_time, superseded_by, superseded_time,
  deletion_scheduled_time)
SELECT 'circle', test.id(n), 'half ' || n, '2025-01-01Z', test.id(3 - n), '2025-02-01Z',
  CASE WHEN n = 1 THEN timestamptz '2025-03-01Z' END
FROM generate_series(1, 2) n;
SELECT memory_purge(store => 'cd') AS purged;
SELECT test.n(entry_id) AS entry, test.n(superseded_by) AS corrected_by FROM cd.entries WHERE memory_id = 'circle';
SELECT raw_entry, superseded_by FROM memory_list('circle', store => 'cd');
DROP FUNCTION found, why, correct, answer, adopted, v;
DROP SCHEMA cd, cd_uuid, cd_number, cd_text CASCADE;
DROP TABLE cd_notes;
DROP OWNED BY cd_app;
DROP ROLE cd_app;
