-- memory_update(..., clear => ...): it empties columns by name, because a null argument leaves its column as it is.
CREATE SCHEMA uc_embed;
CREATE FUNCTION uc_embed.lengths(input text) RETURNS vector LANGUAGE sql STABLE AS $$
  SELECT ARRAY[length(input), 1]::real[]::public.vector $$;
SET memory_search.embedding_function = 'uc_embed.lengths';
SELECT memory_create_store('uc');
SELECT memory_add('m', 'long text', summary => 'short', context => 'about', tags => '{a,b}', metadata => '{"k": 1}',
    importance => 40, user_id => 'ann', agent_id => 'bot', source_type => 'chat', creation_time => '2025-01-01Z',
    expires_at => '2999-01-01Z', session_id => 's', entry_key => 'key ' || n, entry_id => test.id(n), store => 'uc')
    IS NOT NULL AS added
FROM generate_series(1, 10) n;
-- Each column by itself: only this column, and the columns that are made of it, are new.
CREATE FUNCTION changed(id uuid, call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  before jsonb; after jsonb; rows bigint;
BEGIN
  SELECT to_jsonb(e) INTO before FROM uc.entries e WHERE memory_id = 'm' AND entry_id = id;
  EXECUTE 'SELECT ' || call INTO rows;
  SELECT to_jsonb(e) INTO after FROM uc.entries e WHERE memory_id = 'm' AND entry_id = id;
  RETURN rows || ': ' || (
    SELECT coalesce(string_agg(format('%s=%s', key, coalesce(after->>key, 'null')), ' ' ORDER BY key COLLATE "C"), '-')
    FROM jsonb_object_keys(after) key WHERE after->key <> before->key);
END $$;
SELECT n,
  changed(test.id(n), format('memory_update(%L, %L, clear => %L, store => %L)', 'm', test.id(n), ARRAY[name], 'uc'))
FROM (VALUES (1, 'summary'), (2, 'tags'), (3, 'metadata'), (4, 'source_type'), (5, 'user_id'), (6, 'agent_id'),
  (7, 'session_id'), (8, 'entry_key'), (9, 'expires_at')) c(n, name) ORDER BY n;
-- Several at once, beside given values; an empty list clears nothing.
SELECT changed(test.id(10), $$memory_update('m', test.id(10), raw_entry => 'new', importance => 7,
  clear => '{summary,tags,metadata,source_type,user_id,agent_id,session_id,entry_key,expires_at,tags}',
  store => 'uc')$$);
SELECT changed(test.id(10), $$memory_update('m', test.id(10), importance => 8, clear => '{}', store => 'uc')$$);
SELECT changed(test.id(10), $$memory_update('m', test.id(10), clear => '{tags,summary}', store => 'uc')$$)
  AS empty_before;
SELECT embedding = memory_embed('long text')::halfvec AS means_the_text_alone, memory_update('m', test.id(77),
    clear => '{tags}', store => 'uc') AS not_there FROM uc.entries WHERE memory_id = 'm' AND entry_id = test.id(1);
-- A key that is cleared is free.
SELECT memory_add('m', 'another', entry_key => 'key 8', store => 'uc') <> test.id(8) AS is_another;
-- The same by the function for other types.
SELECT memory_update('m'::varchar, test.id(2)::text, importance => 3::bigint, clear => '{summary}', store => 'uc');
-- Columns that cannot be empty, unknown columns, and columns that also have a new value are refused, and nothing
-- changes.
SELECT test.error(format('SELECT memory_update(%L, %L, %s, store => %L)', 'm', test.id(3), arguments, 'uc'))
FROM (VALUES ($$clear => '{raw_entry}'$$), ($$clear => '{importance}'$$), ($$clear => '{creation_time}'$$),
  ($$clear => '{sesion_id}'$$), ($$clear => '{sessionId}'$$), ($$clear => '{embedding}'$$),
  ($$clear => '{tags,NULL}'$$),
  ($$clear => '{}'$$), ($$summary => 'x', clear => '{summary}'$$), ($$tags => '{}', clear => '{agent_id,tags}'$$),
  ($$expires_at => '2030-01-01', clear => '{expires_at}'$$),
  ($$tags => '{{a},{b}}'$$), ($$tags => '{a,NULL}'$$)) a(arguments);
SELECT summary, tags, session_id FROM uc.entries WHERE memory_id = 'm' AND entry_id = test.id(3);
-- Under row-level security no user gives his entry away by emptying its user.
SET client_min_messages = error;
CREATE ROLE uc_writer;
SELECT memory_enable_row_security('uc'), memory_grant('uc', 'uc_writer', 'writer');
GRANT USAGE ON SCHEMA uc_embed TO PUBLIC;
RESET client_min_messages;
SET ROLE uc_writer;
SET memory_search.user_id = 'ann';
SELECT test.error($$SELECT memory_update('m', test.id(3), clear => '{user_id}', store => 'uc')$$);
SELECT memory_update('m', test.id(3), clear => '{agent_id}', store => 'uc') AS agent,
  memory_update('m', test.id(5), clear => '{agent_id}', store => 'uc') AS of_nobody;
RESET ROLE;
DROP FUNCTION changed;
SET client_min_messages = error;
SELECT memory_drop_store('uc', true);
DROP SCHEMA uc_embed CASCADE;
DROP ROLE uc_writer;
