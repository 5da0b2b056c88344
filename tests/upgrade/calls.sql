-- A call or more of every function of the extension, on the store of fill_store.sql. A new function
-- needs a line here; tests that use this list fail without it. Answers are the same every time, and
-- every name is qualified, so that a line means the same with every search path.
-- In a transaction that is rolled back, so that the list can be run again.
BEGIN;
-- The type's own functions.
SELECT public.memory_embedding_in('[1,2,3]'::pg_catalog.cstring);
SELECT public.memory_embedding_out('[1,2,3]'::public.memory_embedding);
-- Reading.
SELECT public.memory_search('m', 'tea "small hotel" -line', 10, 3, NULL,
    '{"tags": ["t1", "t2"], "tagMatch": "any", "importance": {"$gte": 1, "$lt": 100},
      "createdAfter": "2024-01-01T00:00:00Z", "accessCount": {"$gte": 0}, "metadata": {}, "userId": "u1"}',
    '{"asOf": "2025-06-01T00:00:00Z", "boosts": {"popularity": 0.1}, "dedupThreshold": 0.99, "minSimilarity": 0.01}',
    's');
SELECT public.memory_search('m', 'the train C++ 東京', top_ke => 5,
    options => '{"asOf": "2025-06-01T00:00:00Z", "match": "any", "fusion": "rrf"}', store => 's');
SELECT public.memory_search('m', 'peanuts', embedding => public.memory_embed('hotel'),
    options => '{"asOf": "2025-06-01T00:00:00Z", "fusion": "weighted", "recency": {"curve": "linear", "days": 400}}',
    store => 's');
SELECT public.memory_search('m', '', embedding => pg_catalog.array_fill(0.5::pg_catalog.float4, '{256}'),
    options => '{"asOf": "2025-06-01T00:00:00Z", "strategy": "semantic"}', store => 's');
SELECT public.memory_search('m', '', options => '{"asOf": "2025-06-01T00:00:00Z"}', store => 's');
SELECT coalesce(public.memory_search_sent(true, '{"memoryId": "m", "query": "tea", "store": "s",
                              "options": {"asOf": "2025-06-01T00:00:00Z"}}', NULL, NULL, '2025-06-01Z'), '')
    IS NOT NULL;
SELECT public.memory_search('{"memoryId": "m", "query": "tea", "store": "s", "filters": {"sourceType": "chat"},
                              "options": {"asOf": "2025-06-01T00:00:00Z", "preset": "cortex"}}');
SELECT public.memory_search('{n,m}'::pg_catalog.text[], 'tea hotel', 10, 3, filters => '{"importance": {"$gte": 1}}',
    options => '{"asOf": "2025-06-01T00:00:00Z"}', store => 's', prefixes => '{m*}');
SELECT public.memory_search('{"memoryId": ["n", {"prefix": "m"}], "query": "tea", "store": "s",
                              "options": {"asOf": "2025-06-01T00:00:00Z"}}');
SELECT rank, entry_id, memory_id, score
FROM public.memory_search_entries('{m,n}'::pg_catalog.text[], 'hotel', 10,
    options => '{"asOf": "2025-06-01T00:00:00Z"}', store => 's');
SELECT f FROM public.memory_explain('{m,n}'::pg_catalog.text[], 'tea', 3, options => '{"asOf": "2025-06-01T00:00:00Z"}',
    store => 's') f;
SELECT public.memory_build_context('{m,n}'::pg_catalog.text[], 'tea', options => '{"asOf": "2025-06-01T00:00:00Z"}',
    store => 's');
SELECT rank, entry_id, memory_id, raw_entry, tags, metadata, importance, access_count,
  pg_catalog.date_part('epoch', creation_time), strategy, score, semantic, keyword, bm25, relevance, recency_factor
FROM public.memory_search_entries('m', 'hotel', 10,
    options => '{"asOf": "2025-06-01T00:00:00Z", "preset": "alfred", "minSimilarity": 0.1}', store => 's');
SELECT entry_id, raw_entry, tags, metadata, access_count, superseded_by, pg_catalog.date_part('epoch', creation_time)
FROM public.memory_get('m', '{00000000-0000-0000-0000-000000000007,x}', '{"asOf": "2025-06-01T00:00:00Z"}', 's');
SELECT entry_id, raw_entry, access_count, pg_catalog.date_part('epoch', creation_time), cursor
FROM public.memory_list('m', '{"tags": ["t1", "t2"], "importance": {"$gte": 1}}', '-importance', 3, store => 's');
SELECT public.memory_count('m', '{"createdAfter": "2024-01-01T00:00:00Z"}', 's', '{"includeExpired": true}');
SELECT memory_id, entries, contexts, pg_catalog.date_part('epoch', first_created)
FROM public.memory_list_memories('m', page_size => 3, store => 's');
SELECT memories, entries, visible, deleted, expired, superseded, contexts FROM public.memory_stats('s');
SELECT f FROM public.memory_explain('m', 'hotel tea', 3, options => '{"asOf": "2025-06-01T00:00:00Z"}', store => 's') f;
SELECT f
FROM public.memory_explain('m', 'hotel', entry_id => '00000000-0000-0000-0000-000000000007',
    options => '{"asOf": "2025-06-01T00:00:00Z"}', store => 's') f;
SELECT public.memory_build_context('m', 'tea', system_prompt => 'You help.', token_budget => 300,
    options => '{"asOf": "2025-06-01T00:00:00Z"}', store => 's');
SELECT pg_catalog.md5(public.memory_embed('hotel')::pg_catalog.text);
SELECT pg_catalog.md5(public.memory_tool_spec('mcp')::pg_catalog.text);
SELECT passage, pg_catalog.length(text)
FROM public.memory_passages(pg_catalog.repeat('The ferry left the harbour. ', 60));
SELECT name, status FROM public.memory_doctor('s');
-- Making stores.
SELECT public.memory_create_store('made', 256, 'german');
SELECT public.memory_create_store('empty', NULL, 'english');
CREATE SCHEMA app_data;
CREATE TABLE app_data.notes (
  id pg_catalog.int8 PRIMARY KEY, title pg_catalog.text, body pg_catalog.text, labels pg_catalog._text,
  rank pg_catalog.int4, written pg_catalog.timestamptz
);
INSERT INTO app_data.notes VALUES
  (1, 'Lisbon', 'the train to Lisbon was late', '{rail}', 7, '2025-01-01Z'),
  (2, NULL, 'green tea', NULL, 50, '2025-01-02Z');
SELECT public.memory_adopt_table('adopted', 'app_data.notes',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "body", "summary": "pg_catalog.upper(title)",
      "tags": "labels", "importance": "rank", "creation_time": "written"}',
    'english');
SELECT public.memory_search('all', 'trains', options => '{"asOf": "2025-06-01T00:00:00Z"}', store => 'adopted');
SELECT public.memory_touch('all', '{1}', 'adopted');
SELECT entry_id, raw_entry, access_count FROM public.memory_get('all', '{1,2}', store => 'adopted');
SELECT entry_id, raw_entry, cursor FROM public.memory_list('all', order_by => '-accessCount', store => 'adopted');
SELECT public.memory_count('all', store => 'adopted');
SELECT name, status FROM public.memory_doctor('adopted');
-- Writing.
SELECT public.memory_add('m', 'die Züge fahren', 'Züge', 'a journey', '{rail,"two words"}', '{"km": 12}', 70, NULL,
    'u1', 'a1', 'chat', '2025-01-01Z', '00000000-0000-0000-0002-000000000001', 'made', NULL);
SELECT public.memory_add('m', 'no embedding of ours',
    embedding => pg_catalog.array_fill(0.25::pg_catalog.float4, '{256}'), creation_time => '2025-01-01Z',
    entry_id => '00000000-0000-0000-0002-000000000002', store => 'made');
SELECT public.memory_add('m', 'für immer', user_id => 'u2', expires_at => 'infinity', creation_time => '2025-01-01Z',
    entry_id => '00000000-0000-0000-0002-000000000003', store => 'made');
SELECT public.memory_add_many('m', '[{"rawEntry": "ein Wagen", "context": "c", "tags": ["rail"], "metadata": {"km": 1},
  "creationTime": "2025-01-01T00:00:00Z", "entryId": "00000000-0000-0000-0002-000000000004"}]', 'made');
SELECT public.memory_delete_where('m', '{"rawEntry": {"$contains": "Wagen"}}', store => 'made');
SELECT public.memory_delete_where('m', '{"rawEntry": {"$contains": "Wagen"}}', false, 'made');
SELECT pg_catalog.count(line) FROM public.memory_export('m', store => 's') line;
SELECT public.memory_import('copy', '[{"kind": "entry", "rawEntry": "x", "accessCount": 2, "embedding": null,
  "entryId": "00000000-0000-0000-0002-000000000005"}, {"kind": "context", "context": "c",
  "entryId": "00000000-0000-0000-0002-000000000005"}]', 'made');
SELECT (public.memory_put_context('m', 'still travelling', NULL, 'u1', '2025-01-02Z', 'made')) IS NOT NULL;
SELECT public.memory_delete_contexts('m',
    ARRAY(SELECT context_id FROM made.contexts
      WHERE memory_id OPERATOR(pg_catalog.=) 'm' AND context OPERATOR(pg_catalog.=) 'still travelling'), 'made');
SELECT public.memory_restore_contexts('m',
    ARRAY(SELECT context_id FROM made.contexts
      WHERE memory_id OPERATOR(pg_catalog.=) 'm' AND context OPERATOR(pg_catalog.=) 'still travelling'), 'made');
SELECT public.memory_touch('m', '{00000000-0000-0000-0002-000000000001,00000000-0000-0000-0002-000000000009}', 'made');
SELECT public.memory_feedback('m', '{00000000-0000-0000-0002-000000000001,00000000-0000-0000-0002-000000000009}', 1,
    'made');
SELECT public.memory_learn('[{"request": {"memoryId": "m", "query": "kite"}, "helpful": ["a"]}]', 'made');
SELECT public.memory_recall('m', 'Zug', options => '{"asOf": "2025-06-01T00:00:00Z"}', store => 'made');
SELECT public.memory_recall('{m,n}'::pg_catalog.text[], 'Zug', options => '{"asOf": "2025-06-01T00:00:00Z"}',
    store => 'made');
SELECT public.memory_link('m', '00000000-0000-0000-0002-000000000001', '00000000-0000-0000-0002-000000000002',
    'derived_from', 0.5, valid_from => '2025-01-01Z', metadata => '{"km": 13}', store => 'made');
SELECT from_entry, to_entry, kind, weight, pg_catalog.date_part('epoch', valid_from), valid_until, metadata
FROM public.memory_links('m', '00000000-0000-0000-0002-000000000002', '{derived_from}', 'to', 10,
    '2026-01-01Z', 'made');
SELECT entry_id, hops, weight, kind, via, raw_entry, summary, is_cut
FROM public.memory_related('m', '00000000-0000-0000-0002-000000000001', 2, '{derived_from}', 10, 'made');
SELECT public.memory_unlink('m', '00000000-0000-0000-0002-000000000001', '00000000-0000-0000-0002-000000000002',
    'derived_from', 'made');
SELECT public.memory_alias('m', 'Bahn', 'Zug', 'made');
SELECT alias, entity FROM public.memory_aliases('m', 'made');
SELECT public.memory_unalias('m', 'bahn', 'made');
SELECT public.memory_update('m', '00000000-0000-0000-0002-000000000001', 'der Zug fährt', summary => 'Zug',
    tags => '{rail}', metadata => '{"km": 13}', importance => 80, source_type => 'mail', expires_at => '2999-01-01Z',
    store => 'made');
SELECT public.memory_supersede('m', '00000000-0000-0000-0002-000000000001', '00000000-0000-0000-0002-000000000002',
    'made');
SELECT public.memory_search('m', 'Zug', options => '{"asOf": "2030-01-01T00:00:00Z"}', store => 'made');
SELECT public.memory_supersede('m', '00000000-0000-0000-0002-000000000001', NULL, 'made');
SELECT public.memory_reembed('m', everything => true, max_rows => 2, store => 'made');
SELECT public.memory_embed_pending('m', max_rows => 2, store => 'made');
SELECT public.memory_delete('m', '{00000000-0000-0000-0002-000000000002}', store => 'made');
SELECT public.memory_restore('m', '{00000000-0000-0000-0002-000000000002}', store => 'made');
SELECT public.memory_delete('m', '{00000000-0000-0000-0002-000000000002}', store => 'made');
SELECT public.memory_search('m', 'Zug', options => '{"asOf": "2030-01-01T00:00:00Z"}', store => 'made');
SELECT public.memory_purge('infinity', 10, 'made');
SELECT public.memory_forget_user('u2', 'made');
SELECT public.memory_keep_history('made'), public.memory_notify('made', channel => 'made');
SELECT public.memory_update('m', '00000000-0000-0000-0002-000000000001', importance => 70, store => 'made');
SELECT operation, session_role OPERATOR(pg_catalog.=) SESSION_USER::pg_catalog.text,
  before OPERATOR(pg_catalog.->) 'importance'
FROM public.memory_history('m', '00000000-0000-0000-0002-000000000001', page_size => 5, older_than => 1000,
    store => 'made');
SELECT public.memory_import_table('imported', 'app_data.notes',
    '{"memory_id": "''n''", "entry_id": "id", "raw_entry": "body"}', language => 'german', dimensions => 3);
SELECT public.memory_grant('made', 'public', 'writer');
SELECT public.memory_grant('adopted', 'public');
SELECT public.memory_enable_row_security('made');
SELECT public.memory_delete('m', whole_memory => true, store => 'made');
SELECT public.memory_restore('m', whole_memory => true, store => 'made');
SELECT name, status FROM public.memory_doctor('made');
SELECT public.memory_add('m', 'im Frühling', valid_from => '2025-01-01Z', valid_until => '2026-01-01Z',
    ttl => '9999 days', creation_time => '2025-01-01Z',
    entry_id => '00000000-0000-0000-0002-000000000006', store => 'made');
SELECT public.memory_supersede('m', '00000000-0000-0000-0002-000000000006', '00000000-0000-0000-0002-000000000001',
    'made', '2025-06-01Z');
SELECT public.memory_search('m', 'Frühling', options => '{"asOf": "2030-01-01T00:00:00Z",
    "validAt": "2025-02-01T00:00:00Z"}', store => 'made');
SELECT pg_catalog.count(*) FROM public.memory_index_check('made.entries_memory');
-- Entities.
SELECT public.memory_add('m', 'Käse für Ana', entities => '{Ana,"Café  Luz",ana}', creation_time => '2025-01-01Z',
    entry_id => '00000000-0000-0000-0002-000000000007', store => 'made');
SELECT public.memory_update('m', '00000000-0000-0000-0002-000000000001', entities => '{ANA,Bern}', store => 'made');
SELECT public.memory_entity_keys(ARRAY[' ANA ', 'Café', NULL, '']);
SELECT entity, aliases, entries, pg_catalog.date_part('epoch', first_seen), pg_catalog.date_part('epoch', last_seen),
  occurs_with
FROM public.memory_entities('m', 'a', 5, 'made');
SELECT entry_id, raw_entry, entities, pg_catalog.date_part('epoch', creation_time), tokens
FROM public.memory_about('m', 'ána', 100, '{"tags": {"$nin": ["x"]}}', store => 'made');
SELECT f
FROM public.memory_facets('m', by => '{tags,entities,user_id,importance,month,metadata.km}', store => 'made') f;
SELECT f FROM public.memory_facets('m', 'Zug', '{entities,day}', options => '{"asOf": "2030-01-01T00:00:00Z"}',
    store => 'made') f;
SELECT public.memory_search('m', 'Käse', filters => '{"entities": {"$all": ["ANA", "cafe luz"]}}',
    options => '{"asOf": "2030-01-01T00:00:00Z"}', store => 'made');
-- Calls with arguments of other types, and the functions that read and write these types.
SELECT pg_catalog.md5(public.memory_embedding_send('[1,2,3]'::public.memory_embedding));
SELECT public.memory_text_in('x'::pg_catalog.cstring), public.memory_text_out('x'::public.memory_text);
SELECT public.memory_jsonb_in('{}'::pg_catalog.cstring), public.memory_jsonb_out('{}'::public.memory_jsonb);
SELECT public.memory_int4_in('1'::pg_catalog.cstring), public.memory_int4_out('1'::public.memory_int4);
SELECT public.memory_uuid_in('00000000-0000-0000-0003-000000000001'::pg_catalog.cstring),
  public.memory_uuid_out('00000000-0000-0000-0003-000000000001'::public.memory_uuid);
SELECT public.memory_timestamptz_in('infinity'::pg_catalog.cstring, 0, -1),
  public.memory_timestamptz_out('infinity'::public.memory_timestamptz);
SELECT public.memory_create_store('wide', 3::pg_catalog.int8);
SELECT public.memory_import_table('imported_wide', 'app_data.notes',
    '{"memory_id": "id", "entry_id": "id", "raw_entry": "body"}'::pg_catalog.json, dimensions => 3::pg_catalog.int8);
SELECT pg_catalog.count(*) FROM public.memory_history('m', '00000000-0000-0000-0002-000000000001'::pg_catalog.text,
    page_size => 2::pg_catalog.int8, store => 'made');
SELECT public.memory_adopt_table('adopted_wide', 'app_data.notes',
    '{"memory_id": "id", "entry_id": "id", "raw_entry": "body"}'::pg_catalog.json);
SELECT public.memory_add(7, 'green tea', metadata => '{"km": 1}'::pg_catalog.json, importance => 70::pg_catalog.int8,
    embedding => ARRAY[1, 0.5, 0], user_id => 8::pg_catalog.int8, entities => '{Ana}',
    creation_time => '2025-01-01Z'::pg_catalog.text,
    entry_id => '00000000-0000-0000-0003-000000000001'::pg_catalog.text, store => 'wide');
SELECT public.memory_add(7, 'black tea', embedding => '[0, 1, 0]'::pg_catalog.json,
    creation_time => '2025-01-02Z'::pg_catalog.varchar, store => 'wide',
    entry_id => '00000000-0000-0000-0003-000000000002'::pg_catalog.varchar);
SELECT (public.memory_put_context(7, 'at tea', ARRAY[1, 2, 3], 8, '2025-01-03Z'::pg_catalog.text, 'wide')) IS NOT NULL;
SELECT public.memory_search(7, 'tea', 2::pg_catalog.int8, 1::pg_catalog.numeric, '0,1,0'::pg_catalog.text,
    '{}'::pg_catalog.json, '{"asOf": "2025-06-01T00:00:00Z"}'::pg_catalog.text, 'wide');
SELECT raw_entry, score
FROM public.memory_search_entries(7::pg_catalog.int8, 'tea', 1::pg_catalog.int8, ARRAY[0, 1, 0]::pg_catalog._int8,
    options => '{"asOf": "2025-06-01T00:00:00Z"}'::pg_catalog.json, store => 'wide');
SELECT f FROM public.memory_explain(7, 'tea', embedding => ARRAY['1', '0', '0'],
    options => '{"asOf": "2025-06-01T00:00:00Z"}', store => 'wide',
    entry_id => '00000000-0000-0000-0003-000000000001'::pg_catalog.uuid) f;
SELECT public.memory_build_context(7, 'tea', token_budget => 300::pg_catalog.int8,
    options => '{"asOf": "2025-06-01T00:00:00Z"}', store => 'wide');
SELECT public.memory_recall(7, 'tea', options => '{"asOf": "2025-06-01T00:00:00Z"}', store => 'wide');
SELECT public.memory_touch(7, '{00000000-0000-0000-0003-000000000001}', 'wide');
SELECT public.memory_feedback(7, '{00000000-0000-0000-0003-000000000001}', '-1'::pg_catalog.int8, 'wide');
SELECT public.memory_link(7, '00000000-0000-0000-0003-000000000001'::pg_catalog.uuid,
    '00000000-0000-0000-0003-000000000002', metadata => '{"km": 1}'::pg_catalog.json, store => 'wide');
SELECT from_entry, to_entry, kind, weight
FROM public.memory_links(7, '00000000-0000-0000-0003-000000000001'::pg_catalog.uuid,
    max_rows => 5::pg_catalog.int8, store => 'wide');
SELECT entry_id, hops FROM public.memory_related(7, '00000000-0000-0000-0003-000000000001'::pg_catalog.uuid,
    1::pg_catalog.int8, store => 'wide');
SELECT public.memory_unlink(7, '00000000-0000-0000-0003-000000000001'::pg_catalog.uuid,
    '00000000-0000-0000-0003-000000000002', store => 'wide');
SELECT public.memory_alias(7, 'a', 'b', 'wide');
SELECT alias, entity FROM public.memory_aliases(7, 'wide');
SELECT public.memory_unalias(7, 'a', 'wide');
SELECT public.memory_update(7, '00000000-0000-0000-0003-000000000001'::pg_catalog.text,
    importance => 60::pg_catalog.int2, expires_at => '2999-01-01'::pg_catalog.date, store => 'wide');
SELECT public.memory_supersede(7, '00000000-0000-0000-0003-000000000001'::pg_catalog.text,
    '00000000-0000-0000-0003-000000000002'::pg_catalog.uuid, 'wide');
SELECT status FROM public.memory_add_many(7, '[{"rawEntry": "white tea", "embedding": [0, 0, 1],
    "entryId": "00000000-0000-0000-0003-000000000003"}]'::pg_catalog.json, 'wide');
SELECT entry_id, raw_entry
FROM public.memory_get(7, ARRAY['00000000-0000-0000-0003-000000000003'], '{}'::pg_catalog.json, 'wide');
SELECT entry_id, raw_entry FROM public.memory_list(7, '{}'::pg_catalog.json, page_size => 2::pg_catalog.int8,
    store => 'wide');
SELECT public.memory_count(7, '{}'::pg_catalog.text, 'wide', '{}'::pg_catalog.text);
SELECT entity, entries, pg_catalog.date_part('epoch', last_seen)
FROM public.memory_entities(7, max_rows => 5::pg_catalog.int8, store => 'wide', options => '{}'::pg_catalog.json);
SELECT raw_entry, tokens
FROM public.memory_about(7, 'Ana', 100::pg_catalog.int8, '{}'::pg_catalog.json, store => 'wide');
SELECT f FROM public.memory_facets(7, by => '{entities,year}', k => 5::pg_catalog.int2, embedding => ARRAY[1, 0.5, 0],
    filters => '{}'::pg_catalog.text, max_values => 2::pg_catalog.int8, store => 'wide') f;
SELECT memory_id, entries FROM public.memory_list_memories(7, page_size => 3::pg_catalog.int8, store => 'wide');
SELECT public.memory_delete_where(7, '{"rawEntry": {"$contains": "white"}}'::pg_catalog.json, store => 'wide');
SELECT pg_catalog.count(line) FROM public.memory_export(7, store => 'wide') line;
SELECT public.memory_import(8, '[{"kind": "entry", "rawEntry": "x", "embedding": null}]'::pg_catalog.json, 'wide');
SELECT public.memory_delete_contexts(7,
    ARRAY(SELECT context_id::pg_catalog.text FROM wide.contexts WHERE memory_id OPERATOR(pg_catalog.=) '7'), 'wide');
SELECT public.memory_restore_contexts(7,
    ARRAY(SELECT context_id::pg_catalog.text FROM wide.contexts WHERE memory_id OPERATOR(pg_catalog.=) '7'), 'wide');
SELECT public.memory_delete(7, ARRAY['00000000-0000-0000-0003-000000000002'], store => 'wide');
SELECT public.memory_restore(7, ARRAY['00000000-0000-0000-0003-000000000002'], store => 'wide');
SELECT public.memory_reembed(9, store => 'made');
SELECT public.memory_embed_pending(9, store => 'made');
SELECT public.memory_purge('2025-01-01'::pg_catalog.text, store => 'wide');
SELECT public.memory_forget_user(8, 'wide');
-- It needs Citus, and a store that is not distributed yet.
DO $do$
BEGIN
  PERFORM public.memory_distribute_store('wide', 4), public.memory_distribute_store('wide', 4::pg_catalog.int8);
EXCEPTION WHEN feature_not_supported OR object_not_in_prerequisite_state THEN
END
$do$;
SELECT public.memory_drop_store('wide', true);
SELECT public.memory_drop_store('adopted_wide', true);
SELECT public.memory_drop_store('empty');
SELECT public.memory_drop_store('made', true);
SELECT public.memory_drop_store('adopted', true);
ROLLBACK;
\echo that was all
