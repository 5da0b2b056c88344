-- Links between entries: made, changed, removed and read, if the caller sees the entries at their ends.
SELECT memory_create_store('lk', 4);
SET memory_search.store = 'lk';
SELECT count(memory_add('m', 'entry ' || n, entry_id => test.id(n), embedding => test.vector(n),
    creation_time => timestamptz '2025-01-01Z' + n * interval '1 hour')) AS added
FROM generate_series(1, 20) n;
-- A view of links without the values that differ from run to run.
CREATE FUNCTION links_of(n int, kinds text[] DEFAULT NULL, direction text DEFAULT 'both', max_rows int DEFAULT 100)
RETURNS TABLE (f bigint, t bigint, kind text, weight real) LANGUAGE sql STABLE AS $$
  SELECT test.n(from_entry), test.n(to_entry), kind, weight
  FROM memory_links('m', test.id(n), kinds, direction, max_rows) $$;

-- True for a new link, false for an existing one: it gets the new values.
SELECT memory_link('m', test.id(1), test.id(2)) AS new,
  memory_link('m', test.id(1), test.id(3), 'derived_from', 0.5, metadata => '{"page": 7}') AS of_kind,
  memory_link('m', test.id(4), test.id(1), weight => 0.25) AS towards;
SELECT memory_link('m', test.id(1), test.id(2), weight => 0.75, valid_from => '2025-01-01Z',
    valid_until => '2999-01-01Z', metadata => '{"why": "said so"}') AS changed;
SELECT test.n(from_entry) AS f, test.n(to_entry) AS t, kind, weight, valid_from = '2025-01-01Z' AS f_valid,
  valid_until = '2999-01-01Z' AS u_valid, metadata, creation_time <= clock_timestamp() AS was_made
FROM memory_links('m', test.id(1));
-- Arguments for the direction, the kind and the number: the heaviest links come first.
SELECT 'from' AS way, * FROM links_of(1, direction => 'from')
UNION ALL SELECT 'to', * FROM links_of(1, direction => 'to')
UNION ALL SELECT 'kind', * FROM links_of(1, '{derived_from,x}')
UNION ALL SELECT 'none', * FROM links_of(1, '{}')
UNION ALL SELECT 'one', * FROM links_of(1, max_rows => 1);
-- A link holds from valid_from on, and no more at valid_until.
SELECT memory_link('m', test.id(10), test.id(11), 'was', 1, '2020-01-01Z', '2021-01-01Z'),
  memory_link('m', test.id(10), test.id(11), 'will be', 1, '2999-01-01Z');
SELECT at, (SELECT string_agg(kind, ',') FROM memory_links('m', test.id(10), valid_at => at)) AS kinds
FROM unnest('{2019-12-31Z,2020-01-01Z,2020-12-31Z,2021-01-01Z,2999-01-01Z,infinity}'::timestamptz[]) at
ORDER BY at;
SELECT count(*) AS now FROM memory_links('m', test.id(10));

-- A deleted or expired end hides its links; they come back with a restored entry.
SELECT memory_delete('m', ARRAY[test.id(2)]) AS deleted;
SELECT * FROM links_of(1);
SELECT count(*) AS of_deleted FROM links_of(2);
SELECT memory_restore('m', ARRAY[test.id(2)]) AS restored;
SELECT count(*) AS again FROM links_of(1);
SELECT memory_update('m', test.id(4), expires_at => '2020-01-01Z') AS expired;
SELECT * FROM links_of(1);
SELECT memory_update('m', test.id(4), clear => '{expires_at}') AS back;

-- A corrected end is shown as the entry that corrects it, from both sides; the correction has the links of the entry
-- that it corrects.
SELECT memory_supersede('m', test.id(3), test.id(5)), memory_supersede('m', test.id(5), test.id(6));
SELECT * FROM links_of(1);
SELECT n, l.* FROM unnest(ARRAY[3, 5, 6]) n, links_of(n) l;
-- Two links with the same shown ends and kind are shown as one; a link from an entry to itself is not shown.
SELECT memory_link('m', test.id(1), test.id(6), 'derived_from', 0.4),
  memory_link('m', test.id(3), test.id(6), 'corrected_by');
SELECT * FROM links_of(6);
-- When the correction is deleted, the corrected entry is reinstated.
SELECT memory_delete('m', ARRAY[test.id(6)]);
SELECT * FROM links_of(1, '{derived_from}');
SELECT memory_restore('m', ARRAY[test.id(6)]);
-- A circle of corrections, which plain SQL can make, leaves no visible entry.
UPDATE lk.entries SET superseded_by = test.id(3), superseded_time = now() WHERE entry_id = test.id(6);
SELECT * FROM links_of(1, '{derived_from}');
SELECT count(*) AS in_circle FROM links_of(3);
UPDATE lk.entries SET superseded_by = NULL, superseded_time = NULL WHERE entry_id = test.id(6);
-- A link is removed by the ends that are shown, with one kind or with every kind.
SELECT memory_unlink('m', test.id(1), test.id(6), 'derived_from') AS both_of_this_kind;
SELECT memory_unlink('m', test.id(2), test.id(1)) AS not_this_way, memory_unlink('m', test.id(1), test.id(2)) AS gone,
  memory_unlink('m', test.id(1), test.id(2)) AS gone_before, memory_unlink('m', 'x', 'y') AS no_ids,
  memory_unlink('m', test.id(10), test.id(11)) AS every_kind;
SELECT * FROM links_of(1);

-- Ids without an entry have no links, and cannot be linked.
SELECT count(*) AS unknown FROM memory_links('m', test.id(99));
SELECT count(*) AS no_id FROM memory_links('m', 'x');
SELECT count(*) AS elsewhere FROM memory_links('n', test.id(1));
SELECT memory_delete('m', ARRAY[test.id(20)]);
SELECT i, test.error('SELECT ' || call)
FROM (VALUES
  (1, $$memory_link('m', test.id(1), test.id(99))$$),
  (2, $$memory_link('m', test.id(20), test.id(1))$$),
  (3, $$memory_link('m', 'x', test.id(1))$$),
  (4, $$memory_link('n', test.id(1), test.id(2))$$),
  (5, $$memory_link('m', test.id(1), test.id(1))$$),
  (6, $$memory_link('m', test.id(1), test.id(2), '')$$),
  (7, $$memory_link('m', test.id(1), test.id(2), repeat('k', 257))$$),
  (8, $$memory_link('m', test.id(1), test.id(2), weight => 1.5)$$),
  (9, $$memory_link('m', test.id(1), test.id(2), weight => 'NaN')$$),
  (10, $$memory_link('m', test.id(1), test.id(2), weight => NULL)$$),
  (11, $$memory_link('m', test.id(1), test.id(2), metadata => '[1]')$$),
  (12, $$memory_link('m', test.id(1), test.id(2), valid_from => '2025-01-02Z', valid_until => '2025-01-01Z')$$),
  (13, $$memory_link(NULL, test.id(1), test.id(2))$$),
  (14, $$memory_link('m', NULL::uuid, test.id(2))$$),
  (15, $$memory_links('m', test.id(1), direction => 'out')$$),
  (16, $$memory_links('m', test.id(1), max_rows => 0)$$),
  (17, $$memory_links('m', test.id(1), '{a,NULL}')$$),
  (18, $$memory_links('m', test.id(1), array_fill('k'::text, '{101}'))$$),
  (19, $$memory_links('m', test.id(1), store => 'nowhere')$$),
  (20, $$memory_unlink('m', test.id(1), test.id(2), '')$$),
  (21, $$memory_link('m', test.id(1), test.id(2), weight => 1e-60)$$)) t (i, call) ORDER BY i;
-- The same rules hold for plain SQL.
SELECT i, split_part(test.error('INSERT INTO lk.links (memory_id, from_entry, to_entry, kind, weight) VALUES (' || v
    || ')'), ' DETAIL', 1) AS error
FROM (VALUES
  (1, $$'m', test.id(1), test.id(1), 'k', 1$$),
  (2, $$'m', test.id(1), test.id(7), '', 1$$),
  (3, $$'m', test.id(1), test.id(7), 'k', 1.01$$),
  (4, $$'m', test.id(1), test.id(7), 'k', 'NaN'$$),
  (5, $$'m', test.id(1), test.id(98), 'k', 1$$),
  (6, $$'m', test.id(1), test.id(7), 'k', 1$$)) t (i, v) ORDER BY i;
-- The links of a purged entry go with it; an entry with another id or memory keeps them.
SELECT memory_link('m', test.id(12), test.id(13)), memory_link('m', test.id(14), test.id(12)),
  memory_link('m', test.id(13), test.id(14));
SELECT memory_delete('m', ARRAY[test.id(12), test.id(20)]), memory_purge('infinity') AS purged;
SELECT test.n(from_entry) AS f, test.n(to_entry) AS t FROM lk.links WHERE test.n(from_entry) > 11;
UPDATE lk.entries SET entry_id = test.id(15 + 100) WHERE entry_id = test.id(13);
SELECT * FROM links_of(115);
-- A memory that gets another name keeps its links; a single entry with links cannot move to another memory.
INSERT INTO lk.entries (memory_id, entry_id, raw_entry)
SELECT 'mv', test.id(n), 'moves ' || n FROM generate_series(1, 3) n;
SELECT memory_link('mv', test.id(1), test.id(2)), memory_link('mv', test.id(3), test.id(1), 'back');
SELECT split_part(test.error(
    $$UPDATE lk.entries SET memory_id = 'mw' WHERE memory_id = 'mv' AND entry_id = test.id(1)$$),
  ' DETAIL', 1) AS refused;
UPDATE lk.entries SET memory_id = 'mw' WHERE memory_id = 'mv';
SELECT memory_id, count(*) FROM lk.links WHERE memory_id LIKE 'm_' GROUP BY 1;
-- Names, texts and types that drivers send.
SELECT n, memory_link('m', test.id(17)::text, test.id(18), t, 0.1::numeric, metadata => '{"a": 1}'::json) AS new,
  memory_unlink('m', test.id(17), test.id(18)::text, t) AS removed
FROM test.hostile_texts() WHERE t <> '' AND length(t) < 200 AND n < 5 ORDER BY n;
SELECT count(memory_link('m', test.id(17), test.id(18), t)) = count(*) AS all_made,
  sum(memory_unlink('m', test.id(17), test.id(18), t)) = count(*) AS all_removed
FROM test.hostile_texts() WHERE t <> '' AND octet_length(t) <= 256;
-- Without the table, as in a store of an older version: the calls are refused, and the doctor has the statement.
DROP TABLE lk.links, lk.aliases;
DROP INDEX lk.entries_corrected;
SELECT test.error($$SELECT memory_link('m', test.id(1), test.id(2))$$);
SELECT test.error($$SELECT memory_links('m', test.id(1))$$);
SELECT test.error($$SELECT memory_aliases('m')$$);
SELECT test.found(memory_search('m', 'entry 1', 1, embedding => test.vector(1), options => '{"minSimilarity": 0}'));
SELECT memory_count('m') > 5 AS counts, memory_forget_user('nobody') AS forgets, memory_purge() AS purges;
SELECT status, detail FROM memory_doctor() WHERE name IN ('links', 'indexes of links', 'links without entry');
SELECT fix AS statement FROM memory_doctor() WHERE name = 'links' \gset
:statement
SELECT status, detail FROM memory_doctor() WHERE name IN ('links', 'indexes of links', 'links without entry');
SELECT memory_link('m', test.id(1), test.id(7)), memory_alias('m', 'a', 'b');
SELECT count(*) FROM links_of(1);
DROP INDEX lk.links_to, lk.entries_corrected;
SELECT status, detail, fix FROM memory_doctor() WHERE name = 'indexes of links';
SELECT fix AS statement FROM memory_doctor() WHERE name = 'indexes of links' \gset
:statement
SELECT status FROM memory_doctor() WHERE name = 'indexes of links';
-- The user's own policies on entries: the doctor sees that links and aliases have none, and proposes policies that show
-- these together with their entries.
SELECT memory_add('m', 'of a reader', user_id => 'lk_reader', entry_id => test.id(90), embedding => test.vector(1)),
  memory_link('m', test.id(90), test.id(1)), memory_link('m', test.id(90), test.id(91))
FROM memory_add('m', 'of a reader, too', user_id => 'lk_reader', entry_id => test.id(91), embedding => test.vector(2));
CREATE ROLE lk_reader;
SELECT memory_grant('lk', 'lk_reader', 'reader') IS NOT NULL AS granted;
ALTER TABLE lk.entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE lk.entries FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON lk.entries USING (user_id = current_user);
CREATE FUNCTION seen_links(OUT links text, OUT aliases int) LANGUAGE sql AS $$
  SELECT string_agg(test.n(from_entry) || '-' || test.n(to_entry), ' ' ORDER BY to_entry),
    (SELECT count(*) FROM lk.aliases)
  FROM lk.links WHERE from_entry = test.id(90) $$;
SET ROLE lk_reader;
SELECT * FROM seen_links();
RESET ROLE;
SELECT status, detail FROM memory_doctor() WHERE name = 'row security';
SELECT fix AS statement FROM memory_doctor() WHERE name = 'row security' \gset
:statement
SET ROLE lk_reader;
SELECT * FROM seen_links();
RESET ROLE;
SELECT status, detail, fix IS NULL AS has_no_fix FROM memory_doctor() WHERE name = 'row security';
DROP FUNCTION seen_links;
DROP OWNED BY lk_reader;
DROP ROLE lk_reader;
RESET memory_search.store;
DROP FUNCTION links_of;
SELECT memory_drop_store('lk', true);
SELECT to_regnamespace('lk') IS NULL AS gone;
