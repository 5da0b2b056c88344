-- Phrases and excluded words over entries with many repetitions, though not more than a tsvector has places for: a
-- search finds the same as PostgreSQL's own @@, by the index, with filters that few entries pass, and by the rows.
SELECT memory_create_store('pr', 4, 'simple');
INSERT INTO pr.entries (memory_id, entry_id, raw_entry, importance, embedding, creation_time)
SELECT 'm', test.id(n),
  CASE n % 5
    WHEN 0 THEN repeat('aa bb ', n * 2) || 'cc'
    WHEN 1 THEN repeat('aa bb cc ', n) || repeat('dd ', 300)
    WHEN 2 THEN repeat('aa ', 60 + n) || 'bb aa bb'
    WHEN 3 THEN test.words(n, 20) || ' aa bb aa cc'
    ELSE (SELECT string_agg(format('w%s', (i * n) % 97), ' ') FROM generate_series(1, 17000 / n) i) || ' aa bb'
  END,
  n, test.vector(n), timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM generate_series(1, 100) n;
CREATE TABLE asked AS
  SELECT i, wanted, excluded,
    concat_ws(' ', 'aa', (SELECT string_agg(format('"%s"', p), ' ') FROM unnest(wanted) p),
      (SELECT string_agg(format('-"%s"', p), ' ') FROM unnest(excluded) p)) AS query
  FROM (VALUES
    (1, ARRAY[repeat('aa bb ', 100)], '{}'::text[]),
    (2, ARRAY[repeat('aa bb ', 100), repeat('bb aa ', 100)], '{}'),
    (3, ARRAY[repeat('aa bb ', 100) || 'cc'], '{}'),
    (4, ARRAY['aa bb cc'], ARRAY['dd dd']),
    (5, ARRAY[repeat('aa ', 100)], ARRAY['cc']),
    (6, ARRAY['aa bb aa cc'], ARRAY['bb bb', repeat('aa bb ', 40)]),
    (7, '{}', ARRAY[repeat('aa bb cc ', 20)]),
    (8, ARRAY['w4 w8'], '{}'),
    (9, ARRAY['aa bb', 'zz'], '{}'),
    (10, '{}', ARRAY['aa']),
    (11, ARRAY['dd ' || 'aa'], '{}')) q(i, wanted, excluded);
CREATE TABLE of_server AS
  SELECT test.n(entry_id) AS n, importance, words
  FROM pr.entries JOIN test.words_of_store('pr', 'simple') USING (memory_id, entry_id);
CREATE FUNCTION by_server(wanted text[], excluded text[], lowest int) RETURNS bigint[] LANGUAGE sql AS $$
  SELECT array_agg(n ORDER BY n)
  FROM of_server
  WHERE importance >= lowest AND words @@ to_tsquery('simple', 'aa')
    AND (SELECT coalesce(bool_and(words @@ phraseto_tsquery('simple', p)), true) FROM unnest(wanted) p)
    AND (SELECT coalesce(bool_and(NOT words @@ phraseto_tsquery('simple', p)), true)
         FROM unnest(excluded) p) $$;
CREATE FUNCTION by_search(query text, lowest int, options jsonb, vector vector DEFAULT NULL) RETURNS bigint[]
LANGUAGE sql AS $$
  SELECT array_agg(test.n(entry_id) ORDER BY test.n(entry_id))
  FROM memory_search_entries('m', query, 200, vector, store => 'pr', options => '{"fallback": false}' || options,
    filters => jsonb_build_object('importance', jsonb_build_object('$gte', lowest))) $$;
SET memory_search.max_top_ke = 200;
CREATE VIEW compared AS
SELECT a.i, lowest, o AS options, cardinality(by_server(wanted, excluded, lowest)) AS found,
  by_search(query, lowest, o) IS NOT DISTINCT FROM by_server(wanted, excluded, lowest) AS as_the_server
FROM asked a, (VALUES (0), (95)) f(lowest),
  (VALUES ('{"strategy": "keyword"}'::jsonb), ('{"strategy": "keyword", "candidates": 200}')) o(o);
SELECT i, lowest, min(found) AS found, bool_and(as_the_server) AS by_index
FROM compared
GROUP BY i, lowest ORDER BY i, lowest;
-- A search by meaning alone also requires the words.
CREATE VIEW by_meaning AS
SELECT i, test.found(memory_search('m', query, 5, embedding => test.vector(3), store => 'pr',
  options => '{"strategy": "semantic", "match": "any", "fallback": false}')) AS found FROM asked;
CREATE TABLE meant AS TABLE by_meaning;
SELECT i, found FROM meant ORDER BY i;
DROP INDEX pr.entries_memory;
SELECT bool_and(as_the_server) AS by_rows FROM compared;
SELECT count(*) AS by_meaning, count(*) FILTER (WHERE m.found IS DISTINCT FROM r.found) AS other
FROM meant m JOIN by_meaning r USING (i);
RESET memory_search.max_top_ke;
DROP VIEW compared, by_meaning;
DROP FUNCTION by_search, by_server;
DROP TABLE asked, meant, of_server;
DROP SCHEMA pr CASCADE;
