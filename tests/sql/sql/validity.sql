-- The interval in which an entry is valid, besides its creation: validAt and validDuring find the same as a WHERE over
-- the intervals, on each path, and without them a search finds entries that are valid at its instant.
SET timezone = 'UTC';
SET memory_search.max_top_ke = 1000;
SELECT memory_create_store('vd', 256, 'simple');
-- Intervals of every kind around the days that are asked about, half of them open.
INSERT INTO vd.entries (memory_id, entry_id, raw_entry, embedding, user_id, creation_time, valid_from, valid_until)
SELECT 'm', test.id(n), 'kite ' || test.words(n, 3 + n % 5),
  CASE WHEN n % 9 > 0 THEN (SELECT array_agg(sin(n * g)::real ORDER BY g) FROM generate_series(1, 256) g)::halfvec END,
  CASE WHEN n % 3 = 0 THEN 'ann' ELSE 'bob' END, timestamptz '2025-01-01Z' + n * interval '31 min',
  CASE WHEN begins BETWEEN 0 AND 19 THEN timestamptz '2025-02-01Z' + begins * interval '1 day' END,
  CASE WHEN length < 12 THEN timestamptz '2025-02-01Z' + (greatest(begins, 0) + length) * interval '1 day' END
FROM generate_series(1, 600) n, LATERAL (SELECT ('x' || left(md5('b' || n), 6))::bit(24)::int % 40 - 10 AS begins,
  1 + ('x' || left(md5('l' || n), 6))::bit(24)::int % 24 AS length) random;
-- Intervals around the present: some hold now, some no longer, some not yet.
INSERT INTO vd.entries (memory_id, entry_id, raw_entry, creation_time, valid_from, valid_until) VALUES
  ('m', test.id(601), 'kite', '2025-01-01Z', now() + interval '1 hour', NULL),
  ('m', test.id(602), 'kite', '2025-01-02Z', now() - interval '1 hour', now() + interval '1 hour'),
  ('m', test.id(603), 'kite', '2025-01-03Z', NULL, now() - interval '1 second'),
  ('m', test.id(604), 'kite', '2025-01-04Z', '-infinity', 'infinity');
VACUUM ANALYZE vd.entries;
-- An adopted table, with an index and without.
CREATE TABLE vd_log AS SELECT test.n(entry_id) AS no, 'm'::text AS chat, raw_entry AS said, user_id AS who,
  creation_time AS made, embedding::vector(256) AS meaning, valid_from AS since, valid_until AS till FROM vd.entries;
ALTER TABLE vd_log ADD PRIMARY KEY (no);
SELECT memory_adopt_table(store, 'vd_log', '{"memory_id": "chat", "entry_id": "no", "raw_entry": "said",
  "user_id": "who", "creation_time": "made", "embedding": "meaning", "valid_from": "since", "valid_until": "till"}',
  language => 'simple', with_index => false) FROM unnest('{vd_adopted}'::text[]) store;
SELECT replace(fix, ' CONCURRENTLY', '') AS fix FROM memory_doctor('vd_adopted') WHERE name = 'index of searches' \gset
:fix

CREATE FUNCTION answer(filters jsonb, options jsonb, store text, OUT found bigint[], OUT bytes text) LANGUAGE sql AS $$
  SELECT (SELECT array_agg(n ORDER BY n) FROM unnest(test.found(r)) n),
    md5(replace(r::text, '00000000-0000-0000-0000-', ''))
  FROM memory_search('m', 'kite', 1000, 1, filters => filters, store => store,
    embedding => (SELECT array_agg(sin(7.5 * g)::real ORDER BY g) FROM generate_series(1, 256) g),
    options => options || '{"fallback": false, "candidates": 10000, "boosts": {"recency": 0}}') r $$;
CREATE FUNCTION way(store text) RETURNS text LANGUAGE sql AS $$
  SELECT memory_search('m', 'kite', 1, store => store, options => '{"diagnostics": true}')
    #>> '{diagnostics,reads,0,path}' $$;
-- The entries that plain SQL finds by ranges, which is another form of the rule.
CREATE FUNCTION by_range(asked tstzrange, condition text, as_of timestamptz, strategy text) RETURNS bigint[]
LANGUAGE plpgsql AS $$
DECLARE found bigint[];
BEGIN
  EXECUTE format($sql$SELECT array_agg(test.n(entry_id) ORDER BY test.n(entry_id)) FROM vd.entries
    WHERE (%s) AND ($2 IS NULL OR creation_time <= $2) AND ($3 = 'keyword' OR embedding IS NOT NULL)
      AND ($1 IS NULL OR tstzrange(valid_from, valid_until) && $1)$sql$, condition)
    INTO found USING asked, as_of, strategy;
  RETURN found;
END $$;
CREATE TABLE asked AS
SELECT row_number() OVER (ORDER BY v.options, filters, as_of, strategy) AS n, v.options AS validity, filters, condition,
  as_of::timestamptz, strategy,
  v.options || jsonb_build_object('strategy', strategy) || jsonb_strip_nulls(jsonb_build_object('asOf', as_of))
    AS options,
  CASE WHEN v.range = 'asOf'
    THEN tstzrange(coalesce(as_of::timestamptz, now()), coalesce(as_of::timestamptz, now()), '[]')
    ELSE nullif(v.range, '')::tstzrange END AS range
FROM (VALUES ('{}'::jsonb, 'asOf'), ('{"validAt": "any"}', ''),
    ('{"validAt": "2025-02-05T00:00:00Z"}', '[2025-02-05Z,2025-02-05Z]'),
    ('{"validAt": "2025-02-04T23:59:59.999999Z"}', '[2025-02-04 23:59:59.999999Z,2025-02-04 23:59:59.999999Z]'),
    ('{"validAt": "1800-01-01T00:00:00Z"}', '[1800-01-01Z,1800-01-01Z]'),
    ('{"validDuring": ["2025-02-05T00:00:00Z", "2025-02-08T00:00:00Z"]}', '[2025-02-05Z,2025-02-08Z)'),
    ('{"validDuring": [null, "2025-02-03T00:00:00Z"]}', '(,2025-02-03Z)'),
    ('{"validDuring": ["2025-02-20T00:00:00Z", null]}', '[2025-02-20Z,)'),
    ('{"validDuring": [null, null]}', '(,)')) v (options, range),
  (VALUES ('{}'::jsonb, 'true'), ('{"userId": "ann"}', $$user_id = 'ann'$$),
    ('{"validFrom": {"$exists": false}}', 'valid_from IS NULL'),
    ('{"$or": [{"validUntil": {"$lt": "2025-02-07T00:00:00Z"}}, {"validFrom": {"$gte": "2025-02-09T00:00:00Z"}}]}',
      $$valid_until < '2025-02-07Z' OR valid_from >= '2025-02-09Z'$$),
    ('{"$not": {"validFrom": {"$lte": "2025-02-07T00:00:00Z"}}}', $$valid_from IS NULL OR valid_from > '2025-02-07Z'$$))
    f (filters, condition),
  unnest('{2025-02-05T00:00:00Z,NULL}'::text[]) as_of, unnest('{keyword,semantic}'::text[]) strategy;
SELECT way('vd') AS own, way('vd_adopted') AS adopted;
CREATE TABLE answers AS SELECT n, 'index' AS way, a.* FROM asked, answer(filters, options, 'vd') a;
INSERT INTO answers SELECT n, 'adopted', a.found FROM asked, answer(filters, options, 'vd_adopted') a;
SET enable_indexscan = off;
SELECT way('vd') AS own, way('vd_adopted') AS adopted;
INSERT INTO answers SELECT n, 'rows', a.* FROM asked, answer(filters, options, 'vd') a;
INSERT INTO answers SELECT n, 'adopted rows', a.found FROM asked, answer(filters, options, 'vd_adopted') a;
RESET enable_indexscan;
INSERT INTO answers SELECT n, 'newest', a.found FROM asked, answer(filters, options || '{"strategy": "recent"}', 'vd') a
  WHERE strategy = 'keyword';
-- The number of questions that each way answers rightly, and the ways by which index and rows give different bytes.
SELECT validity, count(DISTINCT n) AS asked, sum(cardinality(expected)) FILTER (WHERE way = 'index') AS entries,
  (SELECT string_agg(w || ' ' || right_ones, ', ' ORDER BY w) FROM (
    SELECT way AS w, count(*) FILTER (WHERE b.found IS NOT DISTINCT FROM
      by_range(q.range, q.condition, q.as_of, q.strategy)) AS right_ones FROM asked q JOIN answers b USING (n)
    WHERE q.validity = a.validity GROUP BY way) t) AS rightly,
  count(DISTINCT (n, bytes)) FILTER (WHERE way IN ('index', 'rows')) - count(DISTINCT n) AS different
FROM asked a JOIN answers USING (n), by_range(range, condition, as_of, strategy) expected
GROUP BY validity ORDER BY min(n);

-- Under row-level security the same holds for the rows that a user sees.
SELECT memory_enable_row_security('vd', 'regress.vd_user');
CREATE ROLE regress_vd_ann;
SELECT memory_grant('vd', 'regress_vd_ann', 'reader');
SET ROLE regress_vd_ann;
SET regress.vd_user = 'ann';
CREATE TEMPORARY TABLE of_ann AS SELECT n, a.found FROM generate_series(1, 28, 3) n,
  LATERAL memory_search('m', 'kite', 1000, options => jsonb_build_object('strategy', 'keyword', 'candidates', 1000,
    'validAt', to_char(timestamptz '2025-02-01Z' + n * interval '1 day', 'YYYY-MM-DD"T"00:00:00"Z"')), store => 'vd') r,
  LATERAL (SELECT array_agg(f ORDER BY f) AS found FROM unnest(test.found(r)) f) a;
RESET ROLE;
SELECT count(*) AS days, sum(cardinality(found)) AS entries, count(*) FILTER (WHERE found IS NOT DISTINCT FROM
  by_range(tstzrange(at, at, '[]'), $$user_id = 'ann'$$, NULL, 'keyword')) AS rightly
FROM of_ann, LATERAL (SELECT timestamptz '2025-02-01Z' + n * interval '1 day' AS at) t;

-- Statistics count all visible entries, as with every filter: with validAt, an entry has the same BM25 as without it.
SELECT count(*) AS entries, count(*) FILTER (WHERE once.bm25 = ever.bm25) AS of_the_same_bm25
FROM memory_search_entries('m', 'kite tea', 1000, options => '{"validAt": "2025-02-05T00:00:00Z", "candidates": 1000}',
    store => 'vd') AS once
  JOIN memory_search_entries('m', 'kite tea', 1000, options => '{"validAt": "any", "candidates": 1000}', store => 'vd')
    AS ever USING (entry_id);
-- Functions that do not search return all visible entries.
SELECT memory_count('m', store => 'vd') AS all,
  memory_count('m', '{"validFrom": {"$exists": true}}', 'vd') AS beginning,
  (SELECT count(*) FROM memory_list('m', '{"validUntil": {"$lt": "2025-02-04T00:00:00Z"}}', page_size => 1000,
    store => 'vd')) AS ended_by_then;

-- Adding, changing, and what answers show.
SELECT memory_create_store('vw', 4, 'simple');
SELECT test.n(memory_add('m', 'Ana lives in Lisbon', entry_id => test.id(1), creation_time => '2025-01-01Z',
    valid_from => '2020-01-01Z', importance => 50, store => 'vw')),
  test.n(memory_add('m', 'Ana lives in Porto', entry_id => test.id(2), creation_time => '2025-01-02Z', store => 'vw')),
  test.n(memory_add('m', 'Ana lived in Rome', entry_id => test.id(3), creation_time => '2025-01-03Z',
    valid_from => '-infinity', valid_until => '2010-01-01Z', store => 'vw'));
SELECT test.n(entry_id), status FROM memory_add_many('m', jsonb_build_array(jsonb_build_object('rawEntry',
  'Ana studied in Madrid', 'entryId', test.id(4), 'creationTime',
  '2025-01-04T00:00:00Z', 'validFrom', '2010-01-01T00:00:00Z', 'validUntil', '2014-01-01T00:00:00Z'),
  jsonb_build_object('rawEntry', 'Ana has a cat', 'entryId', test.id(5), 'creationTime', '2025-01-05T00:00:00Z',
  'validUntil', 'infinity')), 'vw');
CREATE FUNCTION holds(at text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(e->>'rawEntry', '; ' ORDER BY e->>'rawEntry')
  FROM jsonb_array_elements(memory_search('m', 'ana', 10,
    options => jsonb_build_object('validAt', at), store => 'vw')->'entries') e $$;
SELECT at, holds(at)
FROM unnest('{NULL,any,2005-01-01T00:00:00Z,2012-01-01T00:00:00Z,2021-01-01T00:00:00Z}'::text[]) at;
-- One entry takes over from another: before the instant the old one is found, then the new one; neither is corrected.
SELECT memory_supersede('m', test.id(1), test.id(2), store => 'vw', at => '2024-06-01Z') AS changed;
SELECT at, holds(at) FROM unnest('{2024-05-31T23:59:59.999999Z,2024-06-01T00:00:00Z,NULL}'::text[]) at;
SELECT test.n(entry_id) AS n, valid_from, valid_until, superseded_by FROM vw.entries ORDER BY 1;
-- An entry whose validity ended before keeps its end.
BEGIN;
SELECT memory_supersede('m', test.id(4), test.id(5), store => 'vw', at => '2020-06-01Z') AS changed;
SELECT test.n(entry_id) AS n, valid_from, valid_until FROM vw.entries WHERE test.n(entry_id) IN (4, 5) ORDER BY 1;
ROLLBACK;
SELECT e->>'rawEntry' AS entry, e->>'validFrom' AS valid_from, e->>'validUntil' AS valid_until
FROM jsonb_array_elements(memory_search('m', 'ana', 10, options => '{"validAt": "any"}', store => 'vw')->'entries') e
ORDER BY 1;
SELECT memory_search('m', 'rome', 1, options => '{"validAt": "any", "strategy": "keyword",
  "fields": ["rawEntry", "validFrom", "validUntil"]}', store => 'vw')->'entries' AS brief;
SELECT memory_build_context('m', 'ana', options => '{"validAt": "any", "strategy": "recent"}', store => 'vw');
SELECT test.n(entry_id::uuid) AS n, valid_from, valid_until FROM memory_get('m', ARRAY[test.id(4), test.id(1)],
  store => 'vw');
-- Explained.
SELECT n, outcome FROM (VALUES (1), (3), (5)) t(n), LATERAL memory_explain('m', 'ana', 10, entry_id => test.id(n)::text,
  options => '{"asOf": "2025-03-01T00:00:00Z"}', store => 'vw');
SELECT outcome FROM memory_explain('m', 'rome', 10, entry_id => test.id(3)::text, store => 'vw',
  options => '{"validDuring": ["2011-01-01T00:00:00Z", null]}');
SELECT outcome FROM memory_explain('m', 'ana', 10, filters => '{"ids": ["00000000-0000-0000-0000-000000000003"]}',
  options => '{"asOf": "2025-03-01T00:00:00Z"}', store => 'vw');
-- An interval is changed, and its end is opened.
SELECT memory_update('m', test.id(3), valid_from => '2000-01-01Z', store => 'vw');
SELECT memory_update('m', test.id(4), valid_from => '-infinity', valid_until => 'infinity', store => 'vw');
SELECT test.n(entry_id) AS n, valid_from, valid_until FROM vw.entries WHERE test.n(entry_id) IN (3, 4) ORDER BY 1;
-- Exported and imported as it is; with a key it becomes what the last call says.
SELECT memory_import('copy', jsonb_agg(line - 'memoryId'), 'vw') FROM memory_export('m', store => 'vw') line;
SELECT count(*) AS differing
FROM vw.entries a LEFT JOIN vw.entries b ON b.memory_id = 'copy' AND a.entry_id = b.entry_id
WHERE a.memory_id = 'm' AND (a.valid_from, a.valid_until) IS DISTINCT FROM (b.valid_from, b.valid_until);
SELECT memory_add('k', 'one', entry_key => 'a', valid_until => '2020-01-01Z', store => 'vw') =
  memory_add('k', 'two', entry_key => 'a', valid_from => '2021-01-01Z', store => 'vw') AS same;
SELECT raw_entry, valid_from, valid_until FROM vw.entries WHERE memory_id = 'k';
-- if_similar compares only with entries that are valid at the same time.
SELECT memory_add('s', 'tea', embedding => '[1,0,0,0]', valid_until => '2020-01-01Z', store => 'vw') AS first \gset
SELECT memory_add('s', 'tea', embedding => '[1,0,0,0]', if_similar => 0.9, valid_from => '2019-01-01Z',
    valid_until => '2019-06-01Z', store => 'vw') = :'first' AS while_it_held,
  memory_add('s', 'tea', embedding => '[1,0,0,0]', if_similar => 0.9, store => 'vw') = :'first' AS now;

-- Refused, and nothing changes.
SELECT n, test.error(format('SELECT memory_search(''m'', ''ana'', options => %L, store => ''vw'')', options))
FROM (VALUES (1, '{"validAt": "2025-01-01T00:00:00Z", "validDuring": [null, null]}'), (2, '{"validAt": "yesterday"}'),
  (3, '{"validAt": 5}'), (4, '{"validDuring": ["2025-01-01T00:00:00Z"]}'),
  (5, '{"validDuring": ["2025-01-01T00:00:00Z", "2025-01-01T00:00:00Z"]}'), (6, '{"validDuring": [1, null]}'),
  (7, '{"validat": "any"}')) t(n, options) ORDER BY n;
SELECT n, test.error('SELECT ' || call) FROM (VALUES
  (1, $$memory_add('m', 'x', valid_from => '2025-01-01Z', valid_until => '2025-01-01Z', store => 'vw')$$),
  (2, $$memory_add('m', 'x', valid_from => 'infinity', store => 'vw')$$),
  (3, $$memory_update('m', test.id(3), valid_until => '1999-01-01Z', store => 'vw')$$),
  (4, $$memory_supersede('m', test.id(1), test.id(2), store => 'vw', at => 'infinity')$$),
  (5, $$memory_supersede('m', test.id(1), NULL, store => 'vw', at => '2025-01-01Z')$$),
  (6, $$memory_supersede('m', test.id(1), test.id(99), store => 'vw', at => '2025-01-01Z')$$),
  (7, $$memory_supersede('m', test.id(1), test.id(2), store => 'vw', at => '2019-01-01Z')$$),
  (8, $$memory_supersede('m', test.id(1), test.id(1), store => 'vw', at => '2025-01-01Z')$$),
  (9, $$memory_supersede('m', test.id(99), test.id(1), store => 'vw', at => '2025-01-01Z')$$),
  (10, $$memory_add_many('m', '[{"rawEntry": "x", "validFrom": "2025-01-02T00:00:00Z",
    "validUntil": "2025-01-01T00:00:00Z"}]', 'vw')$$)) t(n, call) ORDER BY n;
SELECT memory_supersede('m', test.id(99), test.id(1), store => 'vw', at => '2025-01-01Z') AS no_such_entry;
DROP OWNED BY regress_vd_ann;
DROP ROLE regress_vd_ann;
DROP TABLE asked, answers;
DROP FUNCTION answer, way, by_range, holds;
DROP SCHEMA vd, vw CASCADE;
DROP SCHEMA vd_adopted CASCADE;
DROP TABLE vd_log;
