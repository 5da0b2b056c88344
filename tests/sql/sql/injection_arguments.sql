-- No text that a caller gives becomes SQL, in any argument of any function: it stays a name or a value.
-- What an attack would drop.
CREATE TABLE canary (sings boolean);
INSERT INTO canary VALUES (true);
CREATE SCHEMA inj;
CREATE TABLE inj.texts AS SELECT * FROM test.hostile_texts();
-- 'ok' or the SQLSTATE. What it did is undone.
CREATE FUNCTION inj.outcome(statement text) RETURNS text LANGUAGE sql
  RETURN replace(split_part(test.error(statement), ':', 1), 'no error', 'ok');
SET client_min_messages = error;
SELECT memory_create_store('s', 4), memory_create_store('s wide', 256);
SELECT memory_add('m', 'a kite', embedding => '[1,0,0,0]', entry_id => test.id(n), store => 's') IS NOT NULL
FROM generate_series(1, 2) n;
CREATE TABLE inj.notes (id bigint, body text);
INSERT INTO inj.notes VALUES (1, 'a kite');

-- Every argument that can hold a text, of every function, with each of these texts: [] is the text as a
-- literal, {} as a JSON string. A line says which errors came, and "ok" when some texts are right there.
CREATE TABLE inj.spots (n int GENERATED ALWAYS AS IDENTITY, function text, argument text, call text);
INSERT INTO inj.spots (function, argument, call) VALUES
  ('memory_create_store', 'store', $$memory_create_store([], 4)$$),
  ('memory_create_store', 'language', $$memory_create_store('new', 4, [])$$),
  ('memory_distribute_store', 'store', $$memory_distribute_store([], 4)$$),
  ('memory_drop_store', 'store', $$memory_drop_store([], true)$$),
  ('memory_adopt_table', 'store',
   $$memory_adopt_table([], 'inj.notes', '{"memory_id": "id", "entry_id": "id", "raw_entry": "body"}')$$),
  ('memory_adopt_table', 'entries',
   $$memory_adopt_table('new', [], '{"memory_id": "id", "entry_id": "id", "raw_entry": "body"}')$$),
  ('memory_adopt_table', 'columns', $$memory_adopt_table('new', 'inj.notes', [])$$),
  ('memory_adopt_table', 'columns, a key',
   $$memory_adopt_table('new', 'inj.notes',
         jsonb_build_object([], 'body', 'memory_id', 'id', 'entry_id', 'id', 'raw_entry', 'body'))$$),
  ('memory_adopt_table', 'columns, a column',
   $$memory_adopt_table('new', 'inj.notes',
         jsonb_build_object('memory_id', [], 'entry_id', 'id', 'raw_entry', 'body'))$$),
  ('memory_adopt_table', 'language',
   $$memory_adopt_table('new', 'inj.notes', '{"memory_id": "id", "entry_id": "id", "raw_entry": "body"}', [])$$),
  ('memory_add', 'memory_id', $$memory_add([], 'x', store => 's')$$),
  ('memory_add', 'raw_entry', $$memory_add('m', [], store => 's')$$),
  ('memory_add', 'summary', $$memory_add('m', 'x', summary => [], store => 's')$$),
  ('memory_add', 'context', $$memory_add('m', 'x', context => [], store => 's')$$),
  ('memory_add', 'tags', $$memory_add('m', 'x', tags => ARRAY[[], 'a'], store => 's')$$),
  ('memory_add', 'tags, whole', $$memory_add('m', 'x', tags => [], store => 's')$$),
  ('memory_add', 'metadata', $$memory_add('m', 'x', metadata => [], store => 's')$$),
  ('memory_add', 'metadata, inside', $$memory_add('m', 'x', metadata => jsonb_build_object([], []), store => 's')$$),
  ('memory_add', 'embedding', $$memory_add('m', 'x', embedding => [], store => 's')$$),
  ('memory_add', 'user_id', $$memory_add('m', 'x', user_id => [], store => 's')$$),
  ('memory_add', 'agent_id', $$memory_add('m', 'x', agent_id => [], store => 's')$$),
  ('memory_add', 'session_id', $$memory_add('m', 'x', session_id => [], store => 's')$$),
  ('memory_add', 'ttl', $$memory_add('m', 'x', ttl => [], store => 's')$$),
  ('memory_add', 'entry_key', $$memory_add('m', 'x', entry_key => [], store => 's')$$),
  ('memory_add', 'source_type', $$memory_add('m', 'x', source_type => [], store => 's')$$),
  ('memory_add', 'entities', $$memory_add('m', 'x', entities => ARRAY[[], 'a'], store => 's')$$),
  ('memory_add', 'entities, whole', $$memory_add('m', 'x', entities => [], store => 's')$$),
  ('memory_add', 'store', $$memory_add('m', 'x', store => [])$$),
  ('memory_put_context', 'memory_id', $$memory_put_context([], 'x', store => 's')$$),
  ('memory_put_context', 'context', $$memory_put_context('m', [], store => 's')$$),
  ('memory_put_context', 'embedding', $$memory_put_context('m', 'x', [], store => 's')$$),
  ('memory_put_context', 'user_id', $$memory_put_context('m', 'x', user_id => [], store => 's')$$),
  ('memory_put_context', 'store', $$memory_put_context('m', 'x', store => [])$$),
  ('memory_delete', 'memory_id', $$memory_delete([], ARRAY[test.id(1)], store => 's')$$),
  ('memory_delete', 'store', $$memory_delete('m', ARRAY[test.id(1)], store => [])$$),
  ('memory_restore', 'memory_id', $$memory_restore([], ARRAY[test.id(1)], store => 's')$$),
  ('memory_restore', 'store', $$memory_restore('m', ARRAY[test.id(1)], store => [])$$),
  ('memory_delete_contexts', 'memory_id', $$memory_delete_contexts([], ARRAY[test.id(1)], store => 's')$$),
  ('memory_delete_contexts', 'store', $$memory_delete_contexts('m', ARRAY[test.id(1)], store => [])$$),
  ('memory_restore_contexts', 'memory_id', $$memory_restore_contexts([], ARRAY[test.id(1)], store => 's')$$),
  ('memory_restore_contexts', 'store', $$memory_restore_contexts('m', ARRAY[test.id(1)], store => [])$$),
  ('memory_purge', 'store', $$memory_purge(store => [])$$),
  ('memory_touch', 'memory_id', $$memory_touch([], ARRAY[test.id(1)], store => 's')$$),
  ('memory_touch', 'entry_ids', $$memory_touch('m', ARRAY[[], 'a'], store => 's')$$),
  ('memory_touch', 'store', $$memory_touch('m', ARRAY[test.id(1)], store => [])$$),
  ('memory_feedback', 'memory_id', $$memory_feedback([], ARRAY[test.id(1)], 1, store => 's')$$),
  ('memory_feedback', 'entry_ids', $$memory_feedback('m', ARRAY[[], 'a'], 1, store => 's')$$),
  ('memory_feedback', 'store', $$memory_feedback('m', ARRAY[test.id(1)], 1, store => [])$$),
  ('memory_update', 'memory_id', $$memory_update([], test.id(1), importance => 1, store => 's')$$),
  ('memory_update', 'raw_entry', $$memory_update('m', test.id(1), [], store => 's')$$),
  ('memory_update', 'summary', $$memory_update('m', test.id(1), summary => [], store => 's')$$),
  ('memory_update', 'tags', $$memory_update('m', test.id(1), tags => ARRAY[[]], store => 's')$$),
  ('memory_update', 'metadata',
   $$memory_update('m', test.id(1), metadata => jsonb_build_object([], []), store => 's')$$),
  ('memory_update', 'embedding', $$memory_update('m', test.id(1), embedding => [], store => 's')$$),
  ('memory_update', 'user_id', $$memory_update('m', test.id(1), user_id => [], store => 's')$$),
  ('memory_update', 'agent_id', $$memory_update('m', test.id(1), agent_id => [], store => 's')$$),
  ('memory_update', 'session_id', $$memory_update('m', test.id(1), session_id => [], store => 's')$$),
  ('memory_update', 'ttl', $$memory_update('m', test.id(1), ttl => [], store => 's')$$),
  ('memory_update', 'entry_key', $$memory_update('m', test.id(1), entry_key => [], store => 's')$$),
  ('memory_update', 'source_type', $$memory_update('m', test.id(1), source_type => [], store => 's')$$),
  ('memory_update', 'clear', $$memory_update('m', test.id(1), importance => 1, clear => ARRAY[[]], store => 's')$$),
  ('memory_update', 'entities', $$memory_update('m', test.id(1), entities => ARRAY[[]], store => 's')$$),
  ('memory_update', 'store', $$memory_update('m', test.id(1), importance => 1, store => [])$$),
  ('memory_supersede', 'memory_id', $$memory_supersede([], test.id(1), NULL, store => 's')$$),
  ('memory_supersede', 'store', $$memory_supersede('m', test.id(1), test.id(2), store => [])$$),
  ('memory_forget_user', 'user_id', $$memory_forget_user([], 's')$$),
  ('memory_forget_user', 'store', $$memory_forget_user('u', [])$$),
  ('memory_reembed', 'memory_id', $$memory_reembed([], store => 's wide')$$),
  ('memory_reembed', 'store', $$memory_reembed('m', store => [])$$),
  ('memory_embed_pending', 'memory_id', $$memory_embed_pending([], store => 's wide')$$),
  ('memory_embed_pending', 'store', $$memory_embed_pending('m', store => [])$$),
  ('memory_get', 'memory_id', $$memory_get([], ARRAY[test.id(1)], store => 's')$$),
  ('memory_get', 'entry_ids', $$memory_get('m', ARRAY[[], 'a'], store => 's')$$),
  ('memory_get', 'options', $$memory_get('m', ARRAY[test.id(1)], [], 's')$$),
  ('memory_get', 'options, a key', $$memory_get('m', ARRAY[test.id(1)], jsonb_build_object([], true), 's')$$),
  ('memory_get', 'options, a time', $$memory_get('m', ARRAY[test.id(1)], jsonb_build_object('asOf', []), 's')$$),
  ('memory_get', 'store', $$memory_get('m', ARRAY[test.id(1)], store => [])$$),
  ('memory_list', 'memory_id', $$memory_list([], store => 's')$$),
  ('memory_list', 'filters', $$memory_list('m', [], store => 's')$$),
  ('memory_list', 'filters, userId', $$memory_list('m', jsonb_build_object('userId', []), store => 's')$$),
  ('memory_list', 'order_by', $$memory_list('m', order_by => [], store => 's')$$),
  ('memory_list', 'cursor', $$memory_list('m', cursor => [], store => 's')$$),
  ('memory_list', 'options', $$memory_list('m', store => 's', options => [])$$),
  ('memory_list', 'store', $$memory_list('m', store => [])$$),
  ('memory_count', 'memory_id', $$memory_count([], store => 's')$$),
  ('memory_count', 'filters', $$memory_count('m', [], 's')$$),
  ('memory_count', 'options', $$memory_count('m', store => 's', options => [])$$),
  ('memory_count', 'store', $$memory_count('m', store => [])$$),
  ('memory_entity_keys', 'names', $$memory_entity_keys(ARRAY[[], 'a'])$$),
  ('memory_entities', 'memory_id', $$memory_entities([], store => 's')$$),
  ('memory_entities', 'prefix', $$memory_entities('m', [], store => 's')$$),
  ('memory_entities', 'options', $$memory_entities('m', store => 's', options => [])$$),
  ('memory_entities', 'store', $$memory_entities('m', store => [])$$),
  ('memory_about', 'memory_id', $$memory_about([], 'a', store => 's')$$),
  ('memory_about', 'entity', $$memory_about('m', [], store => 's')$$),
  ('memory_about', 'filters', $$memory_about('m', 'a', filters => [], store => 's')$$),
  ('memory_about', 'filters, as text', $$memory_about('m', 'a', filters => '{}'::text || [], store => 's')$$),
  ('memory_about', 'filters, userId', $$memory_about('m', 'a', filters => jsonb_build_object('userId', []),
    store => 's')$$),
  ('memory_about', 'options', $$memory_about('m', 'a', options => [], store => 's')$$),
  ('memory_about', 'store', $$memory_about('m', 'a', store => [])$$),
  ('memory_facets', 'memory_id', $$memory_facets([], store => 's')$$),
  ('memory_facets', 'query', $$memory_facets('m', [], store => 's')$$),
  ('memory_facets', 'by', $$memory_facets('m', by => ARRAY[[]], store => 's')$$),
  ('memory_facets', 'by, a path', $$memory_facets('m', by => ARRAY['metadata.' || []], store => 's')$$),
  ('memory_facets', 'by, a path of what a search finds', $$memory_facets('m', 'kite', ARRAY['metadata.' || []],
    store => 's')$$),
  ('memory_facets', 'embedding', $$memory_facets('m', embedding => [], store => 's')$$),
  ('memory_facets', 'filters', $$memory_facets('m', filters => [], store => 's')$$),
  ('memory_facets', 'filters, entities', $$memory_facets('m', filters => jsonb_build_object('entities', []),
    store => 's')$$),
  ('memory_facets', 'options', $$memory_facets('m', options => [], store => 's')$$),
  ('memory_facets', 'store', $$memory_facets('m', store => [])$$),
  ('memory_list_memories', 'prefix', $$memory_list_memories([], store => 's')$$),
  ('memory_list_memories', 'after', $$memory_list_memories(after => [], store => 's')$$),
  ('memory_list_memories', 'store', $$memory_list_memories(store => [])$$),
  ('memory_stats', 'store', $$memory_stats([])$$),
  ('memory_delete_where', 'memory_id', $$memory_delete_where([], '{"tags": "a"}', store => 's')$$),
  ('memory_delete_where', 'filters', $$memory_delete_where('m', [], store => 's')$$),
  ('memory_delete_where', 'filters, userId', $$memory_delete_where('m', jsonb_build_object('userId', []), false,
    's')$$),
  ('memory_delete_where', 'store', $$memory_delete_where('m', '{"tags": "a"}', store => [])$$),
  ('memory_add_many', 'memory_id', $$memory_add_many([], '[{"rawEntry": "x"}]', 's')$$),
  ('memory_add_many', 'entries', $$memory_add_many('m', [], 's')$$),
  ('memory_add_many', 'entries, a key', $$memory_add_many('m', jsonb_build_array(jsonb_build_object([], 'x')), 's')$$),
  ('memory_add_many', 'entries, values',
   $$memory_add_many('m', jsonb_build_array(jsonb_build_object('rawEntry', [], 'summary', [], 'context', [],
         'tags', jsonb_build_array([]), 'metadata', jsonb_build_object([], []), 'agentId', [])), 's')$$),
  ('memory_add_many', 'entries, a time',
   $$memory_add_many('m', jsonb_build_array(jsonb_build_object('rawEntry', 'x', 'creationTime', [])), 's')$$),
  ('memory_add_many', 'entries, an id',
   $$memory_add_many('m', jsonb_build_array(jsonb_build_object('rawEntry', 'x', 'entryId', [])), 's')$$),
  ('memory_add_many', 'store', $$memory_add_many('m', '[{"rawEntry": "x"}]', [])$$),
  ('memory_export', 'memory_id', $$memory_export([], store => 's')$$),
  ('memory_export', 'store', $$memory_export('m', store => [])$$),
  ('memory_import', 'memory_id', $$memory_import([], '{"kind": "entry", "rawEntry": "x"}', 's')$$),
  ('memory_import', 'lines', $$memory_import('m', [], 's')$$),
  ('memory_import', 'lines, a key',
   $$memory_import('m', jsonb_build_object('kind', 'entry', 'rawEntry', 'x', [], 'x'), 's')$$),
  ('memory_import', 'lines, a kind', $$memory_import('m', jsonb_build_object('kind', [], 'rawEntry', 'x'), 's')$$),
  ('memory_import', 'lines, an entry',
   $$memory_import('m', jsonb_build_object('kind', 'entry', 'rawEntry', [], 'context', [], 'embedding',
     '[1,2,3,4]'::jsonb,
         'embeddingModel', []), 's')$$),
  ('memory_import', 'lines, a context', $$memory_import('m', jsonb_build_object('kind', 'context', 'context', []),
    's')$$),
  ('memory_import', 'store', $$memory_import('m', '{"kind": "entry", "rawEntry": "x"}', [])$$),
  ('memory_grant', 'store', $$memory_grant([], 'public')$$),
  ('memory_grant', 'role', $$memory_grant('s', [])$$),
  ('memory_grant', 'privileges', $$memory_grant('s', 'public', [])$$),
  ('memory_keep_history', 'store', $$memory_keep_history([])$$),
  ('memory_notify', 'store', $$memory_notify([])$$),
  ('memory_notify', 'channel', $$memory_notify('s', [])$$),
  ('memory_link', 'memory_id', $$memory_link([], test.id(1), test.id(2), store => 's')$$),
  ('memory_link', 'from_entry', $$memory_link('m', [], test.id(2)::text, store => 's')$$),
  ('memory_link', 'to_entry', $$memory_link('m', test.id(1)::text, [], store => 's')$$),
  ('memory_link', 'kind', $$memory_link('m', test.id(1), test.id(2), [], store => 's')$$),
  ('memory_link', 'metadata', $$memory_link('m', test.id(1), test.id(2), metadata => [], store => 's')$$),
  ('memory_link', 'metadata, inside',
   $$memory_link('m', test.id(1), test.id(2), metadata => jsonb_build_object([], []), store => 's')$$),
  ('memory_link', 'store', $$memory_link('m', test.id(1), test.id(2), store => [])$$),
  ('memory_unlink', 'memory_id', $$memory_unlink([], test.id(1), test.id(2), store => 's')$$),
  ('memory_unlink', 'from_entry', $$memory_unlink('m', [], test.id(2)::text, store => 's')$$),
  ('memory_unlink', 'to_entry', $$memory_unlink('m', test.id(1)::text, [], store => 's')$$),
  ('memory_unlink', 'kind', $$memory_unlink('m', test.id(1), test.id(2), [], store => 's')$$),
  ('memory_unlink', 'store', $$memory_unlink('m', test.id(1), test.id(2), store => [])$$),
  ('memory_links', 'memory_id', $$memory_links([], test.id(1), store => 's')$$),
  ('memory_links', 'entry_id', $$memory_links('m', [], store => 's')$$),
  ('memory_links', 'kinds', $$memory_links('m', test.id(1), ARRAY[[], 'a'], store => 's')$$),
  ('memory_links', 'direction', $$memory_links('m', test.id(1), direction => [], store => 's')$$),
  ('memory_links', 'store', $$memory_links('m', test.id(1), store => [])$$),
  ('memory_related', 'memory_id', $$memory_related([], test.id(1), store => 's')$$),
  ('memory_related', 'entry_id', $$memory_related('m', [], store => 's')$$),
  ('memory_related', 'kinds', $$memory_related('m', test.id(1), kinds => ARRAY[[], 'a'], store => 's')$$),
  ('memory_related', 'store', $$memory_related('m', test.id(1), store => [])$$),
  ('memory_alias', 'memory_id', $$memory_alias([], 'a', 'b', 's')$$),
  ('memory_alias', 'alias', $$memory_alias('m', [], 'b', 's')$$),
  ('memory_alias', 'entity', $$memory_alias('m', 'a', [], 's')$$),
  ('memory_alias', 'store', $$memory_alias('m', 'a', 'b', [])$$),
  ('memory_unalias', 'memory_id', $$memory_unalias([], 'a', 's')$$),
  ('memory_unalias', 'alias', $$memory_unalias('m', [], 's')$$),
  ('memory_unalias', 'store', $$memory_unalias('m', 'a', [])$$),
  ('memory_aliases', 'memory_id', $$memory_aliases([], 's')$$),
  ('memory_aliases', 'store', $$memory_aliases('m', [])$$),
  ('memory_history', 'memory_id', $$memory_history([], test.id(1), store => 's')$$),
  ('memory_history', 'store', $$memory_history('m', test.id(1), store => [])$$),
  ('memory_import_table', 'store',
   $$memory_import_table([], 'inj.notes', '{"memory_id": "id", "entry_id": "id", "raw_entry": "body"}')$$),
  ('memory_import_table', 'entries',
   $$memory_import_table('new', [], '{"memory_id": "id", "entry_id": "id", "raw_entry": "body"}')$$),
  ('memory_import_table', 'columns', $$memory_import_table('new', 'inj.notes', [])$$),
  ('memory_import_table', 'columns, a key',
   $$memory_import_table('new', 'inj.notes',
     jsonb_build_object('memory_id', 'id', 'entry_id', 'id', 'raw_entry', 'body', [], 'id'))$$),
  ('memory_import_table', 'columns, a column',
   $$memory_import_table('new', 'inj.notes',
     jsonb_build_object('memory_id', 'id', 'entry_id', 'id', 'raw_entry', []))$$),
  ('memory_import_table', 'language',
   $$memory_import_table('new', 'inj.notes', '{"memory_id": "id", "entry_id": "id", "raw_entry": "body"}', [])$$),
  ('memory_enable_row_security', 'store', $$memory_enable_row_security([])$$),
  ('memory_enable_row_security', 'setting', $$memory_enable_row_security('s', [])$$),
  ('memory_enable_row_security', 'setting, behind the dot', $$memory_enable_row_security('s', 'app.' || [])$$),
  ('memory_doctor', 'store', $$memory_doctor([])$$),
  ('memory_search_sent', 'request', $$memory_search_sent(true, [], NULL, NULL, now())$$),
  ('memory_search_sent', 'request.query', $$memory_search_sent(true, jsonb_build_object('memoryId', 'm', 'query', [],
    'store', 's')::text, NULL, NULL, now())$$),
  ('memory_search_sent', 'query_vector', $$memory_search_sent(true, '{"memoryId": "m", "query": "x", "store": "s"}',
    [], NULL, now())$$),
  ('memory_search_sent', 'embedder', $$memory_search_sent(true, '{"memoryId": "m", "query": "x", "store": "s"}',
    ARRAY[1, 0, 0, 0], [], now())$$),
  ('memory_index_check', 'index', $$memory_index_check(to_regclass([]))$$),
  ('memory_embed', 'text', $$memory_embed([])$$),
  ('memory_tool_spec', 'name', $$memory_tool_spec([])$$),
  ('memory_tool_spec', 'detail', $$memory_tool_spec(detail => [])$$),
  ('memory_embedding_in', '', $$memory_embedding_in([]::cstring)$$),
  ('memory_embedding_out', '', $$memory_embedding_out([]::memory_embedding)$$),
  ('memory_embedding_of_array', '', $$memory_embedding_of_array(ARRAY[[]])$$),
  ('memory_embedding_send', '', $$memory_embedding_send([]::memory_embedding)$$),
  ('memory_search(jsonb)', 'request', $$memory_search([]::jsonb)$$),
  ('memory_search(jsonb)', 'request, a key',
   $$memory_search(jsonb_build_object('memoryId', 'm', 'query', 'q', 'store', 's', [], 'x'))$$),
  ('memory_search(jsonb)', 'request, each value',
   $$memory_search(jsonb_build_object('memoryId', [], 'query', [], 'store', []))$$),
  ('memory_search(jsonb)', 'request, filters',
   $$memory_search(jsonb_build_object('memoryId', [], 'query', [], 'store', 's', 'filters',
         jsonb_build_object('userId', [], 'agentId', [], 'sourceType', [], 'tags', jsonb_build_array([]),
             'metadata', jsonb_build_object([], []))))$$),
  ('memory_search(jsonb)', 'request, memoryId as a list',
   $$memory_search(jsonb_build_object('memoryId', jsonb_build_array([], jsonb_build_object('prefix', [])), 'query', 'q',
         'store', 's'))$$),
  ('memory_explain', 'entry_id', $$memory_explain('m', 'kite', entry_id => [], store => 's')$$),
  ('memory_build_context', 'system_prompt', $$memory_build_context('m', 'kite', system_prompt => [], store => 's')$$);
-- What all functions that search have in common.
INSERT INTO inj.spots (function, argument, call)
SELECT f, argument, format('%s(%s)', split_part(f, '(', 1), arguments)
FROM (VALUES
  ('memory_search(text)'), ('memory_search_entries'), ('memory_explain'), ('memory_build_context'),
  ('memory_recall')
) a(f),
  (VALUES
    ('memory_id', $$[], 'kite', store => 's'$$),
    ('memory_ids', $$ARRAY[[]], 'kite', store => 's'$$),
    ('prefixes', $$ARRAY['m'], 'kite', store => 's', prefixes => ARRAY[[]]$$),
    ('query', $$'m', [], store => 's'$$),
    ('query, as a phrase', $$'m', '"' || [] || '" -' || [], store => 's'$$),
    ('embedding', $$'m', 'kite', embedding => [], store => 's'$$),
    ('store', $$'m', 'kite', store => []$$),
    ('filters', $$'m', 'kite', filters => [], store => 's'$$),
    ('filters, a key', $$'m', 'kite', filters => jsonb_build_object([], 'x'), store => 's'$$),
    ('filters, userId and others',
     $$'m', 'kite', filters => jsonb_build_object('userId', [], 'agentId', [], 'sourceType', [], 'tags', []),
         store => 's'$$),
    ('filters, metadata',
     $$'m', 'kite', filters => jsonb_build_object('metadata', jsonb_build_object([], [])), store => 's'$$),
    ('filters, importance',
     $$'m', 'kite', filters => jsonb_build_object('importance', jsonb_build_object([], 1)), store => 's'$$),
    ('filters, a time', $$'m', 'kite', filters => jsonb_build_object('createdAfter', []), store => 's'$$),
    ('filters, tagMatch', $$'m', 'kite', filters => jsonb_build_object('tags', [], 'tagMatch', []), store => 's'$$),
    ('options', $$'m', 'kite', options => [], store => 's'$$),
    ('options, a key', $$'m', 'kite', options => jsonb_build_object([], 'x'), store => 's'$$),
    ('options, strategy', $$'m', 'kite', options => jsonb_build_object('strategy', []), store => 's'$$),
    ('options, preset', $$'m', 'kite', options => jsonb_build_object('preset', []), store => 's'$$),
    ('options, fusion', $$'m', 'kite', options => jsonb_build_object('fusion', []), store => 's'$$),
    ('options, match', $$'m', 'kite', options => jsonb_build_object('match', []), store => 's'$$),
    ('options, asOf', $$'m', 'kite', options => jsonb_build_object('asOf', []), store => 's'$$),
    ('options, boosts',
     $$'m', 'kite', options => jsonb_build_object('boosts', jsonb_build_object([], 1)), store => 's'$$),
    ('options, curve',
     $$'m', 'kite', options => jsonb_build_object('recency', jsonb_build_object('curve', [])), store => 's'$$)
  ) b(argument, arguments)
-- They read filters and options by the same code.
WHERE f = 'memory_search(text)' OR argument !~ ',';
-- Arguments that are no texts take text too, and read it as what they are.
INSERT INTO inj.spots (function, argument, call)
SELECT p.proname, a.name,
  format('%s(%s)', p.proname, concat_ws(', ',
      (SELECT string_agg(r.name || ' => ' || r.value, ', ' ORDER BY r.name)
       FROM (VALUES ('memory_id', $$'m'$$), ('query', $$'kite'$$), ('raw_entry', $$'x'$$), ('context', $$'x'$$),
               ('entity', $$'a'$$), ('store', $$'s'$$), ('entry_id', 'test.id(1)'), ('old_entry_id', 'test.id(1)'),
               ('new_entry_id', 'test.id(2)')) r(name, value)
       WHERE r.name = ANY (p.proargnames[:p.pronargs]) AND r.name <> a.name),
      a.name || ' => ' || CASE a.type WHEN 'memory_uuid[]'::regtype THEN 'ARRAY[[]]' ELSE '[]::text' END))
FROM pg_proc p,
  LATERAL (SELECT p.proargnames[place], type::regtype
           FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY t(type, place)) a(name, type)
WHERE a.type IN ('memory_int4'::regtype, 'memory_uuid', 'memory_uuid[]', 'memory_timestamptz') AND a.name <> ''
ORDER BY p.oid::regprocedure::text, a.name;
-- None is forgotten: each argument of a type that holds text has its line.
SELECT p.oid::regprocedure AS function, argument.name
FROM pg_proc p
JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension x ON d.refclassid = 'pg_extension'::regclass AND x.oid = d.refobjid AND x.extname = 'memory_search',
  LATERAL (SELECT coalesce(p.proargnames[place], ''), type::regtype
           FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY a(type, place)) argument(name, type)
WHERE p.proname !~ '^memory_((text|jsonb|int4|uuid|timestamptz)_(in|out)$|words_)' -- the server's own
  AND argument.type NOT IN ('integer'::regtype, 'bigint', 'double precision', 'boolean', 'uuid', 'uuid[]',
    'timestamptz', 'internal')
  AND NOT EXISTS (SELECT FROM inj.spots s
                  WHERE split_part(s.function, '(', 1) = p.proname AND s.argument = argument.name
                    AND (p.proname <> 'memory_search' OR (s.function = 'memory_search(jsonb)') = (p.pronargs = 1)))
ORDER BY 1, 2;

SELECT function, argument, string_agg(DISTINCT outcome, ' ' ORDER BY outcome) AS outcomes
FROM (SELECT s.*, inj.outcome('SELECT * FROM ' || replace(call, '[]', quote_literal(t))) AS outcome
      FROM inj.spots s, inj.texts) tried
GROUP BY n, function, argument ORDER BY n;
SELECT count(*) AS canaries FROM canary;
SELECT array_agg(nspname ORDER BY nspname) AS stores
FROM pg_namespace WHERE nspname IN ('s', 'new') OR nspname IN (SELECT t FROM inj.texts);

-- The columns of an adopted table may be expressions: one each, and nothing else.
CREATE TABLE inj.expressions (n int GENERATED ALWAYS AS IDENTITY, e text);
INSERT INTO inj.expressions (e) VALUES
  ('lower(body)'), ('body || ''); DROP TABLE canary; --'''), ('body -- comment'),
  ('body /* comment */'), ('body) FROM inj.notes; DROP TABLE canary; --'), ('body), (SELECT 1'),
  ('body, id'), ('body AS x'), ('body FROM inj.notes'), ('body) UNION SELECT ('''),
  ('body; DROP TABLE canary'), ('(body'), ('body)'), (')('), ('body /*'), ('body */'), ('''body'),
  ('"body'), ('$$body'), ('$1'), ('E''\'''), ('*'), ('inj.notes.*'), ('DISTINCT body'),
  ('(SELECT 1/0)::text'), ('(VALUES (''x''))'), ('pg_catalog.set_config(''x.y'', ''z'', false)'),
  ('nextval(''x'')'), ('count(*)::text'), ('generate_series(1, 2)::text'), ('row_number() OVER ()'),
  ('body INTO x'), ('body WHERE true'), ('body LIMIT 1'), ('body COLLATE "C"'),
  (E'body\\; DROP TABLE canary'), ('body'||chr(13)||'; DROP TABLE canary'), ('--'), ('/**/');
SELECT n, replace(e, chr(13), '\r') AS e,
  test.error(format('SELECT memory_adopt_table(''new'', ''inj.notes'', %L)',
      jsonb_build_object('memory_id', 'id', 'entry_id', 'id', 'raw_entry', e))) AS answer
FROM inj.expressions ORDER BY n;

SELECT count(*) AS canaries FROM canary;
DROP TABLE canary;
DROP SCHEMA inj, s, "s wide" CASCADE;
