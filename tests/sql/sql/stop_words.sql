-- A query of stop words has no words to find. If it has no other condition, either, a notice says so.
SET client_min_messages = notice;
SET memory_search.model = '';
SELECT memory_create_store('sw', 3);
SELECT memory_add('m', 'a red kite', entry_id => test.id(1), creation_time => '2025-01-01Z', store => 'sw');
SELECT memory_add('m', 'and of the', entry_id => test.id(2), creation_time => '2025-01-02Z', store => 'sw');
CREATE FUNCTION asked(query text, options jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT test.strategies(r)::text || ' ' || test.found(r)::text FROM memory_search('m', query, options => options,
    store => 'sw') r $$;
SELECT asked('and of the');
SELECT asked('to be or not to be', '{"fallback": false}');
SELECT asked('...', '{"relevantOnly": true}');
SELECT count(*) FROM memory_search_entries('m', 'what is it', options => '{"strategy": "keyword"}', store => 'sw');
-- It is said once, however often the server calls the function for one call in a statement: to plan a condition, and
-- for each use of a column of a subquery. The next statement says it again.
CREATE TABLE sw_counts AS SELECT 2 AS n;
SELECT n FROM sw_counts WHERE n = (memory_search('m', 'and of the', store => 'sw')->>'count')::int;
SELECT r->'count' AS count, jsonb_array_length(r->'entries') AS entries
FROM (SELECT memory_search('m', 'and of the', store => 'sw') AS r) t;
SELECT count(*) FROM unnest(ARRAY['and of the', 'or', 'and of the', 'or']) WITH ORDINALITY q(query, i),
  memory_search_entries('m', q.query, store => 'sw');
-- No notice comes for a query that has a word, that is empty, that demands something, or that has an embedding.
SELECT asked('the kite'), asked(''), asked('*');
SELECT asked('"red kite"', '{"match": "all"}');
SELECT test.found(memory_search('m', 'and of the', embedding => '[1,0,0]', store => 'sw'));
-- A phrase or an excluded word of stop words has no effect, and a notice names it; other operators have theirs.
SELECT asked('kite "to be"', '{"strategy": "keyword"}'), asked('kite -the', '{"strategy": "keyword"}');
SELECT asked('kite -the -red', '{"strategy": "keyword"}');
RESET memory_search.model;
RESET client_min_messages;
DROP FUNCTION asked;
DROP TABLE sw_counts;
DROP SCHEMA sw CASCADE;
