-- Two stores: one that all share, and one in which users see only their own rows. The programs log in as roles with the
-- least necessary privileges.
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
-- A slow embedder, for calls that are cancelled meanwhile.
CREATE FUNCTION slow(text) RETURNS real[] LANGUAGE sql AS
$$ SELECT ARRAY[0.6, 0.8]::real[] FROM (SELECT pg_sleep(CASE WHEN $1 LIKE '%slowly%' THEN 30 ELSE 0 END)) AS slept $$;
CREATE ROLE mcp_slow LOGIN IN ROLE mcp_writer;
ALTER ROLE mcp_slow SET memory_search.embedding_function = 'public.slow';
SELECT memory_create_store('slow_store', dimensions => 2);
SELECT memory_grant('slow_store', 'mcp_writer', 'writer');
-- The rows that the pages show. All texts by people or programs may hold code that a browser would run.
SELECT memory_keep_history();
SELECT memory_add('hike', 'The hut above the lake has twelve beds.', tags => '{hut,lake}', agent_id => 'scout',
  source_type => 'note', importance => 80, session_id => 's1', creation_time => '2025-01-01T10:00:00Z',
  entities => '{Hut,Lake}', entry_id => '00000000-0000-0000-0000-000000000001');
SELECT memory_add('hike', 'The hut by the lake was closed in winter.', tags => '{hut}', agent_id => 'other',
  importance => 10, creation_time => '2025-02-01T10:00:00Z', entry_id => '00000000-0000-0000-0000-000000000002');
SELECT memory_add('hike', 'The hut by the lake is open all year.', tags => '{hut}', summary => 'Open all year',
  creation_time => '2025-03-01T10:00:00Z', entry_id => '00000000-0000-0000-0000-000000000003');
SELECT memory_supersede('hike', '00000000-0000-0000-0000-000000000002', '00000000-0000-0000-0000-000000000003');
SELECT memory_add('hike', 'Chamois were seen above the hut.', creation_time => '2025-04-01T10:00:00Z',
  entry_id => '00000000-0000-0000-0000-000000000004');
SELECT memory_delete('hike', '{00000000-0000-0000-0000-000000000004}'::uuid[]);
SELECT memory_link('hike', '00000000-0000-0000-0000-000000000003', '00000000-0000-0000-0000-000000000001',
  'derived_from');
SELECT memory_put_context('hike', 'A hike is planned.', creation_time => '2025-01-01T00:00:00Z');
SELECT memory_put_context('hike', 'The hike is over.', creation_time => '2025-06-01T00:00:00Z');
SELECT memory_create_store('we"ird {ext} {store}');
SELECT memory_grant('we"ird {ext} {store}', 'mcp_reader');
SELECT memory_add('<i>"hostile" & ''{ext}''',
  '</title></textarea><script>alert(1)</script> hut "''><img src=x onerror=alert(1)>',
  summary => '<svg onload=alert(1)>', tags => '{"<b>tag</b>","\" onclick=alert(1) x=\""}', user_id => '"><b>user',
  agent_id => '<b>agent', source_type => '<b>source', session_id => '<b>s&amp;', entry_key => '<b>key',
  context => '<b>context</b>{{7*7}}', metadata => '{"<b>k": "<script>", "n": 12345678901234567890.123456789}',
  store => 'we"ird {ext} {store}');
CREATE TABLE written (n integer);
GRANT INSERT ON written TO PUBLIC;
CREATE FUNCTION writing(text) RETURNS real[] LANGUAGE sql AS
$$ INSERT INTO public.written VALUES (1); SELECT ARRAY[0.6, 0.8]::real[] $$;
CREATE ROLE mcp_writing LOGIN IN ROLE mcp_writer;
ALTER ROLE mcp_writing SET memory_search.embedding_function = 'public.writing';
-- A table of an application, whose ids are numbers and whose contexts are columns of its entries, one without a time.
CREATE TABLE notes (id bigint PRIMARY KEY, owner text, body text, about text, made timestamptz);
INSERT INTO notes VALUES (1, 'm', 'the hut is blue', 'first', '2025-01-01Z'),
  (2, 'm', 'the hut is red', 'second', NULL),
  (10, 'm', 'a train', NULL, '2025-01-02Z');
SELECT memory_adopt_table('adopted', 'notes', '{"memory_id": "owner", "entry_id": "id", "raw_entry": "body",
  "context": "about", "creation_time": "made"}');
SELECT memory_grant('adopted', 'mcp_reader');
GRANT SELECT ON notes TO mcp_reader;
-- Stores of an ordinary owner, who watches them: one with the local model, one with an embedder that notes each text,
-- is slow for some texts and refuses others.
CREATE ROLE mcp_owner LOGIN;
GRANT CREATE ON DATABASE :DBNAME TO mcp_owner;
CREATE ROLE mcp_noting LOGIN;
GRANT mcp_owner TO mcp_noting;
CREATE TABLE noted (body text);
GRANT INSERT ON noted TO mcp_owner;
CREATE FUNCTION noting(body text) RETURNS real[] LANGUAGE plpgsql AS $$ BEGIN
  IF body LIKE 'unfit %' THEN RAISE EXCEPTION 'cannot embed %', body; END IF;
  PERFORM pg_sleep(CASE WHEN body LIKE 'slow %' THEN 0.3 WHEN body LIKE 'stuck %' THEN 60 ELSE 0.002 END);
  INSERT INTO public.noted VALUES (body);
  RETURN ARRAY[0.6, 0.8];
END $$;
ALTER ROLE mcp_noting SET memory_search.embedding_function = 'public.noting';
SET ROLE mcp_owner;
SELECT memory_create_store('owned');
SELECT memory_create_store('noted_store', dimensions => 2);
RESET ROLE;
SELECT memory_grant('memory', 'mcp_owner', 'writer');
