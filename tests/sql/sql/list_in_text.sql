-- A list of ids in a text is taken as the id of one memory; if there is no such memory, a hint follows, once in each
-- session.
SELECT memory_create_store('lt', 4);
INSERT INTO lt.entries (memory_id, raw_entry) VALUES ('{a,b}', 'tea');
SELECT memory_search('{a,b}', 'tea', store => 'lt')->'count' AS of_a_memory_of_this_name;
SELECT memory_search('{a,b}', 'nothing', store => 'lt', options => '{"fallback": false}')->'count' AS nothing_of_it;
SELECT memory_search('nobody', 'tea', store => 'lt')->'count' AS of_nobody;
SELECT memory_search('{m10,m500}', 'tea', store => 'lt')->'count' AS of_nobody_in_braces;
SELECT memory_search('{m10,m500}', 'tea', store => 'lt')->'count' AS not_again;
SELECT memory_search('{a,b}'::text[], 'tea', store => 'lt')->'count' AS as_a_list;
DROP SCHEMA lt CASCADE;
