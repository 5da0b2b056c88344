-- memory_import refuses a link that exists already, and names its line.
SELECT memory_create_store('il', 4);
SET memory_search.store = 'il';
SET memory_search.embed_on_write = off; SET client_min_messages = warning;
CREATE FUNCTION link_line(from_n int, to_n int, kind text) RETURNS jsonb LANGUAGE sql IMMUTABLE
  RETURN jsonb_build_object('kind', 'link', 'fromEntry', upper(test.id(from_n)::text), 'toEntry', test.id(to_n),
    'linkKind', kind);
CREATE FUNCTION outcome(lines jsonb) RETURNS text LANGUAGE sql
  RETURN test.error(format('SELECT memory_import(%L, %L)', 'm', lines));
SELECT count(memory_add('m', 'entry ' || n, user_id => 'u', entry_id => test.id(n))) FROM generate_series(1, 3) n;
SELECT memory_import('m', jsonb_build_array(link_line(1, 2, 'a, b'), link_line(2, 1, 'a, b'), link_line(1, 2, 'c')));
SELECT i, outcome(lines) FROM (VALUES
  (1, jsonb_build_array(link_line(1, 3, 'a'), link_line(1, 3, 'b'), link_line(1, 3, 'a'))),
  (2, jsonb_build_array(link_line(1, 3, 'a'), link_line(1, 2, 'a, b'))),
  (3, link_line(1, 2, 'c')),
  (4, jsonb_build_array(link_line(1, 3, 'a'), link_line(3, 4, 'a')))) t(i, lines) ORDER BY i;
SELECT count(*) FROM il.links;
-- The server does not name a row that a policy could hide: then the refusal names no line.
CREATE ROLE il_writer;
SELECT memory_enable_row_security('il'), memory_grant('il', 'il_writer', 'writer');
SET ROLE il_writer;
SET memory_search.user_id = 'u';
SELECT outcome(jsonb_build_array(link_line(1, 3, 'a'), link_line(1, 2, 'c')));
RESET ROLE;
SELECT count(*) FROM il.links;
RESET memory_search.embed_on_write; RESET client_min_messages;
RESET memory_search.store;
DROP FUNCTION outcome, link_line;
SELECT memory_drop_store('il', true);
DROP ROLE il_writer;
