-- Two stores: one that all share, and one in which each user sees his own. The programs log in as roles that may do
-- as little as they need.
CREATE EXTENSION memory_search CASCADE;
SELECT memory_create_store();
SELECT memory_create_store('own');
SELECT memory_enable_row_security('own');
CREATE ROLE mcp_writer LOGIN;
CREATE ROLE mcp_reader LOGIN;
CREATE ROLE mcp_login LOGIN NOINHERIT;
GRANT mcp_writer TO mcp_login;
SELECT memory_grant('memory', 'mcp_writer', 'writer');
SELECT memory_grant('own', 'mcp_writer', 'writer');
SELECT memory_grant('memory', 'mcp_reader');
SELECT memory_add('trip', 'Ann wants a quiet hotel in Porto.', tags => '{hotel}', importance => 70, user_id => 'ann',
  metadata => '{"n": 12345678901234567890.123456789}');
SELECT memory_add('trip', 'The train to Porto leaves at 16:09.', valid_from => '2026-01-02 03:04:05Z');
SELECT memory_add('other', 'The code of the safe is 4711.');
SELECT memory_put_context('trip', 'A journey to Porto in May.');
SELECT memory_add('trip', 'Ann is allergic to hazelnuts.', user_id => 'ann', store => 'own');
SELECT memory_add('trip', 'Bo is afraid of flying.', user_id => 'bo', store => 'own');
-- An embedder that takes its time, for calls to be cancelled in.
CREATE FUNCTION slow(text) RETURNS real[] LANGUAGE sql AS
$$ SELECT ARRAY[0.6, 0.8]::real[] FROM (SELECT pg_sleep(CASE WHEN $1 LIKE '%slowly%' THEN 30 ELSE 0 END)) AS slept $$;
CREATE ROLE mcp_slow LOGIN IN ROLE mcp_writer;
ALTER ROLE mcp_slow SET memory_search.embedding_function = 'public.slow';
SELECT memory_create_store('slow_store', dimensions => 2);
SELECT memory_grant('slow_store', 'mcp_writer', 'writer');
