-- options.expand: entries that belong to the best ones are found too and rank higher. Links lead to them, or they share
-- a rare word or entity with them.
SELECT memory_create_store('expanding', 4);
SET memory_search.store = 'expanding';
SET memory_search.max_top_ke = 1000;
-- 200 entries of usual words; the question is answered by entry 1.
INSERT INTO expanding.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
SELECT 'm', test.id(n), test.words(n, 6), test.vector(n), timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM generate_series(1, 200) n;
SELECT memory_update('m', test.id(1), raw_entry => 'The kayak trip begins at Lake Morat on Friday', importance => 50,
  embedding => '[1,0,0,0]', entities => '{Lake Morat}') IS NOT NULL AS ok;
-- All candidates, of which three a signal are found by meaning and by words.
CREATE FUNCTION found(query text, options jsonb DEFAULT '{}', filters jsonb DEFAULT NULL)
RETURNS TABLE (place int, n bigint, association numeric, relevance numeric) LANGUAGE sql STABLE AS $$
  SELECT place, test.n(entry_id), round((details#>>'{expand,association}')::numeric, 4),
    round((details->>'relevance')::numeric, 4)
  FROM memory_explain('m', query, 3, embedding => '[1,0,0,0]', filters => filters,
      options => '{"candidates": 3, "strategy": "hybrid"}' || options) WHERE place IS NOT NULL $$;

-- A link: the entry to which it leads is found, after the entries that match by themselves. Two links away it counts
-- half, three links away not at all.
SELECT memory_link('m', test.id(1), test.id(50), 'see', 0.8), memory_link('m', test.id(51), test.id(50)),
  memory_link('m', test.id(51), test.id(52));
SELECT count(*) FILTER (WHERE n IN (50, 51, 52)) AS without_expand FROM found('kayak trip');
SELECT n, association, relevance FROM found('kayak trip', '{"expand": true}') WHERE n IN (1, 50, 51, 52) ORDER BY place;
-- A weak link does not hide a stronger path over two links.
SELECT memory_link('m', test.id(1), test.id(53), 'see', 0.05), memory_link('m', test.id(50), test.id(53));
SELECT n, association FROM found('kayak trip', '{"expand": true}') WHERE n IN (50, 53) ORDER BY place;
SELECT memory_unlink('m', test.id(1), test.id(53)), memory_unlink('m', test.id(50), test.id(53));
-- A link between two of the best candidates lifts both of them, and leads from each to the other alone.
SELECT n, place, association FROM found('kayak trip', '{"expand": true}') WHERE place <= 3 ORDER BY place;
CREATE TABLE best AS SELECT n, test.id(n) AS entry, place FROM found('kayak trip') WHERE place IN (2, 3);
SELECT memory_link('m', a.entry, b.entry) FROM best a, best b WHERE a.place = 2 AND b.place = 3;
SELECT count(*) AS lifted, bool_and(association BETWEEN 0.1 AND 0.99) AS by_the_other
FROM found('kayak trip', '{"expand": true}') JOIN best USING (n) WHERE association > 0;
SELECT memory_unlink('m', a.entry, b.entry) FROM best a, best b WHERE a.place = 2 AND b.place = 3;
DROP TABLE best;
-- An entity: Morat is written in other ways, one of which is an alias.
SELECT memory_update('m', test.id(n), entities => ARRAY[name]) IS NOT NULL AS ok
FROM (VALUES (60, 'lake  MORAT'), (61, 'Murtensee'), (62, 'Lake Bled')) e (n, name);
SELECT count(*) FILTER (WHERE n = 61) AS before_alias FROM found('kayak trip', '{"expand": true}');
SELECT memory_alias('m', 'Murtensee', 'Lake Morat');
SELECT n, association, relevance FROM found('kayak trip', '{"expand": true}') WHERE n BETWEEN 60 AND 62 ORDER BY n;
-- Both come after all entries that match by themselves.
SELECT bool_and(place < first) AS behind
FROM found('kayak trip', '{"expand": true}'), (SELECT min(place) AS first FROM found('kayak trip', '{"expand": true}')
  WHERE relevance = 0) f
WHERE relevance > 0.35 * 0.9968;
-- A word: a candidate that shares a rare word with a better one gains, but only with the option.
SELECT memory_add('m', 'Bring the paddle and the kayak', embedding => '[0,1,0,0]', entry_id => test.id(201)),
  memory_add('m', 'The paddle is in the boathouse, by the kayak and the oars', embedding => '[0,0,1,0]',
    entry_id => test.id(202)),
  memory_add('m', 'A kayak for children', embedding => '[0,0,1,0]', entry_id => test.id(203));
SELECT n, association > 0 AS gains FROM found('kayak', '{"expand": true, "candidates": 4, "strategy": "keyword"}')
WHERE n > 200 ORDER BY n;
SELECT bool_and(association IS NULL) AS says_nothing FROM found('kayak', '{"candidates": 4, "strategy": "keyword"}');
-- A name that many entries have associates no entries.
UPDATE expanding.entries SET entities = entities || '{Everybody}' WHERE memory_id = 'm';
SELECT count(*) FILTER (WHERE n IN (50, 51, 60, 61)) AS belonging, count(*) > 4 AS others,
  count(*) FILTER (WHERE association > 0 AND n NOT IN (50, 51, 60, 61)) AS others_belonging
FROM found('kayak trip', '{"expand": true}');

-- Association finds no entry that the search may not find: filtered, excluded, deleted, expired, or of another user.
SELECT n FROM found('kayak trip', '{"expand": true}', '{"tags": ["none"]}');
SELECT memory_update('m', test.id(50), tags => '{boats}', importance => 50) IS NOT NULL AS ok;
SELECT n FROM found('kayak trip', '{"expand": true}', '{"tags": ["boats"]}');
UPDATE expanding.entries SET tags = '{boats}' WHERE entry_id IN (test.id(1), test.id(50), test.id(60));
SELECT n FROM found('kayak trip', '{"expand": true}', '{"tags": ["boats"]}') ORDER BY n;
SELECT memory_delete('m', ARRAY[test.id(50), test.id(60)]);
SELECT count(*) FILTER (WHERE n IN (50, 51, 60)) AS of_deleted FROM found('kayak trip', '{"expand": true}');
SELECT memory_restore('m', ARRAY[test.id(50), test.id(60)]);
-- A superseded entry is replaced by its correction.
SELECT memory_supersede('m', test.id(50), test.id(70));
SELECT n, association FROM found('kayak trip', '{"expand": true}') WHERE n IN (50, 70);
SELECT memory_supersede('m', test.id(50), NULL);

-- The parts of a score add up, including the part by association, and the rank is the same as in the search.
SELECT count(*) > 5 AS several, count(*) FILTER (WHERE related > 0) > 2 AS are_related,
  count(*) FILTER (WHERE abs(semantic + keyword + recency + importance + popularity + related - score) > 1e-9) AS wrong,
  count(*) FILTER (WHERE related > 0 IS DISTINCT FROM (details#>>'{expand,association}')::float8 > 0) AS other_details
FROM memory_explain('m', 'kayak trip', 1000, embedding => '[1,0,0,0]', options => '{"expand": true}')
WHERE score IS NOT NULL;
SELECT outcome FROM memory_explain('m', 'kayak trip', 3, embedding => '[1,0,0,0]', entry_id => test.id(50)::text,
  options => '{"expand": true, "candidates": 3, "minSimilarity": 0.2}');
-- The author that an explanation names does not depend on how the memory is read.
CREATE FUNCTION authors() RETURNS TABLE (n int, author jsonb) LANGUAGE sql AS $$
  SELECT test.n(entry_id), details -> 'author' FROM memory_explain('m', 'kayak trip', 3,
    embedding => '[1,0,0,0]', options => '{"expand": true, "candidates": 3}') $$;
BEGIN;
UPDATE expanding.entries SET user_id = 'ann' WHERE memory_id = 'm';
CREATE TEMP TABLE by_index ON COMMIT DROP AS SELECT * FROM authors();
SET LOCAL enable_indexscan = off;
SELECT count(*) > 5 AS several, count(*) FILTER (WHERE i.author->>'name' IS NULL) > 0 AS some_without_signal,
  count(*) FILTER (WHERE i.author IS DISTINCT FROM r.author) AS differ FROM by_index i FULL JOIN authors() r USING (n);
ROLLBACK;
DROP FUNCTION authors;
-- The sources of an entry that is returned, or asked for: links of the kind derived_from that lead from it.
SELECT memory_link('m', test.id(1), test.id(80), 'derived_from'),
  memory_link('m', test.id(1), test.id(81), 'derived_from', 0.5),
  memory_link('m', test.id(82), test.id(1), 'derived_from');
SELECT place, test.n(entry_id) AS n, ARRAY(SELECT test.n(jsonb_array_elements_text(details->'derivedFrom'))) AS sources
FROM memory_explain('m', 'kayak trip', 3, embedding => '[1,0,0,0]') WHERE details ? 'derivedFrom';
SELECT ARRAY(SELECT test.n(jsonb_array_elements_text(details->'derivedFrom'))) AS sources
FROM memory_explain('m', 'kayak trip', 1, embedding => '[1,0,0,0]', entry_id => test.id(82)::text);
-- A role that may not read links explains a search all the same.
CREATE ROLE ex_reader;
GRANT USAGE ON SCHEMA expanding TO ex_reader;
GRANT SELECT ON expanding.entries, expanding.contexts, expanding.entry_access TO ex_reader;
SET ROLE ex_reader;
SELECT count(*) AS explained, count(*) FILTER (WHERE details ? 'derivedFrom') AS with_sources
FROM memory_explain('m', 'kayak trip', 3, embedding => '[1,0,0,0]', entry_id => test.id(1)::text);
SELECT test.error($$SELECT memory_search('m', 'kayak trip', options => '{"expand": true}')$$);
RESET ROLE;
SELECT memory_unlink('m', test.id(1), test.id(80)), memory_unlink('m', test.id(1), test.id(81)),
  memory_unlink('m', test.id(82), test.id(1));
SELECT count(*) = 0 AS only_what_answers FROM found('kayak trip', '{"expand": true, "relevantOnly": true}')
WHERE n = 50;
SELECT memory_search('m', 'kayak', options => '{"expand": 1}');
SELECT memory_search('m', 'kayak', options => '{"expands": true}');

-- Computed by hand: the association of every entry, from the best ten of a search without the option.
SELECT memory_create_store('exo', 4);
INSERT INTO exo.entries (memory_id, entry_id, raw_entry, embedding, creation_time, entities)
SELECT 'm', test.id(n), test.words(n, 3 + n % 9) || ' rare' || n % 97, CASE WHEN n % 5 > 0 THEN test.vector(n) END,
  timestamptz '2025-01-01Z' + n * interval '1 hour',
  CASE WHEN n % 3 = 0 THEN ARRAY['Name ' || n % 31, 'usual', 'name ' || n % 31] ELSE '{}' END
FROM generate_series(1, 500) n;
SELECT count(memory_link('m', test.id(f), test.id(t), 'k', w, store => 'exo'))
FROM (SELECT 1 + n * 7 % 500 AS f, 1 + n * 13 % 500 AS t, (n % 10 + 1) / 10.0 AS w FROM generate_series(1, 120) n) l
WHERE f <> t;
-- Links among the best ten of a question too, and weak ones beside stronger paths.
SELECT count(memory_link('m', f, t, 'best', w, store => 'exo'))
FROM generate_series(1, 12) q CROSS JOIN LATERAL (
  SELECT entry_id AS f, lead(entry_id, 1 + q % 3) OVER (ORDER BY score DESC) AS t, (q % 4 + 1) / 5.0 AS w
  FROM memory_search_entries('m', test.words(q * 3, 2 + q % 4), 14, embedding => test.vector(q * 11), store => 'exo')) l
WHERE t IS NOT NULL;
CREATE FUNCTION by_hand(query text, vector vector) RETURNS TABLE (id uuid, association float8) LANGUAGE plpgsql AS $$
BEGIN
  CREATE TEMP TABLE seed ON COMMIT DROP AS
    SELECT entry_id::uuid AS id, score / max(score) OVER () AS weight
    FROM memory_search_entries('m', query, 10, embedding => vector, store => 'exo');
  CREATE TEMP TABLE term ON COMMIT DROP AS
    SELECT e.entry_id AS id, 'w' AS kind, lexeme AS term
    FROM exo.entries e, unnest(to_tsvector('memory_english', e.raw_entry))
    WHERE length(lexeme) >= 3 AND NOT lexeme = ANY (tsvector_to_array(to_tsvector('memory_english', query)))
    UNION SELECT e.entry_id, 'e', lower(name) FROM exo.entries e, unnest(entities) name;
  CREATE TEMP TABLE rarity ON COMMIT DROP AS
    SELECT kind, term, ln(500.0 / count(*)) / ln(500.0) AS rarity FROM term GROUP BY 1, 2
    HAVING count(*) BETWEEN 2 AND 25;
  CREATE TEMP TABLE edge ON COMMIT DROP AS
    SELECT from_entry AS a, to_entry AS b, weight::float8 FROM exo.links
    UNION ALL SELECT to_entry, from_entry, weight FROM exo.links;
  RETURN QUERY
    SELECT o.id, max(o.value)
    FROM (
      SELECT t.id, s.weight * least(1, sum(r.rarity)) AS value
      FROM seed s JOIN term st ON st.id = s.id JOIN rarity r USING (kind, term) JOIN term t USING (kind, term)
      WHERE t.id <> s.id GROUP BY t.id, s.id, s.weight
      UNION ALL
      SELECT b, s.weight * e.weight FROM seed s JOIN edge e ON a = s.id
      UNION ALL
      SELECT f.b, 0.5 * s.weight * e.weight * f.weight
      FROM seed s JOIN edge e ON a = s.id JOIN edge f ON f.a = e.b WHERE f.b <> s.id
    ) o GROUP BY o.id;
  DROP TABLE seed, term, rarity, edge;
END $$;
CREATE TABLE question AS
  SELECT n, test.words(n * 3, 2 + n % 4) AS query, test.vector(n * 11)::vector AS vector FROM generate_series(1, 12) n;
CREATE TABLE compared AS
SELECT q.n, f.id, f.association AS found, h.association AS by_hand
FROM question q
CROSS JOIN LATERAL (
  SELECT (entry->>'entryId')::uuid AS id, (entry#>>'{scores,association}')::float8 AS association
  FROM jsonb_array_elements(memory_search('m', q.query, 75, embedding => q.vector, options => '{"expand": true}',
    store => 'exo')->'entries') entry) f
LEFT JOIN LATERAL by_hand(q.query, q.vector) h ON h.id = f.id;
SELECT count(*) AS compared, count(*) FILTER (WHERE found > 0) AS belonging,
  count(*) FILTER (WHERE abs(found - coalesce(by_hand, 0)) > 1e-6) AS wrong
FROM compared;
-- A search by the rows finds the same bytes as one by the index.
CREATE TABLE by_index AS
SELECT n, o, memory_search('m', query, 50, embedding => vector, options => o::jsonb, store => 'exo') AS answer
FROM question, unnest(ARRAY['{"expand": true}', '{"expand": true, "candidates": 5}',
  '{"expand": true, "strategy": "keyword", "candidates": 9}', '{"expand": true, "strategy": "semantic"}',
  '{"expand": true, "fusion": "rrf"}', '{"expand": true, "preset": "cortex"}']) o;
BEGIN;
SET LOCAL enable_indexscan = off;
SELECT memory_search('m', 'x', options => '{"diagnostics": true, "expand": true}', embedding => '[1,0,0,0]',
    store => 'exo')
  #>> '{diagnostics,reads,0,path}' AS path;
SELECT count(*) AS answers, count(*) FILTER (WHERE answer <> memory_search('m', q.query, 50, embedding => q.vector,
    options => o::jsonb, store => 'exo')) AS different
FROM by_index JOIN question q USING (n);
COMMIT;
DROP TABLE question, compared, by_index;
DROP FUNCTION found, by_hand;
RESET memory_search.store;
SELECT memory_drop_store('expanding', true), memory_drop_store('exo', true);
DROP OWNED BY ex_reader;
DROP ROLE ex_reader;
