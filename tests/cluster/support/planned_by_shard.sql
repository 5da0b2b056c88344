-- The calls that tests/upgrade/calls.sql leaves out, for stores that may be distributed. All of them are rolled back.
BEGIN;
SELECT public.memory_delete('m', ARRAY['00000000-0000-0000-0000-000000000040'::uuid], store => 's');
SELECT public.memory_supersede('m', '00000000-0000-0000-0000-000000000001',
  '00000000-0000-0000-0000-000000000002', store => 's');
SELECT public.memory_supersede('m', '00000000-0000-0000-0000-000000000002',
  '00000000-0000-0000-0000-000000000003', store => 's');
SELECT public.memory_delete('m', ARRAY['00000000-0000-0000-0000-000000000002'::uuid], store => 's');
SELECT public.memory_search('m', 'hotel', options => '{"asOf": "2030-01-01T00:00:00Z"}', store => 's');
SELECT public.memory_add('m', 'short', ttl => '1 day', entry_key => 'k', context => 'now',
  entry_id => '00000000-0000-0000-0004-000000000001', store => 's');
SELECT public.memory_add('m', 'shorter', ttl => '2 days', entry_key => 'k', context => 'then', store => 's');
SELECT public.memory_touch('m', '{00000000-0000-0000-0004-000000000001}', 's');
SELECT expires_at = now() + interval '2 days' FROM s.entries WHERE entry_key = 'k';
SELECT public.memory_add('long', repeat('The harbour was quiet. ', 60) || 'Tea ' || i / 2, entry_key => 'k',
  summary => 's' || i, if_similar => 0.999, entry_id => '00000000-0000-0000-0006-000000000001', store => 's')
FROM generate_series(1, 4) i;
SELECT entry_id, status FROM public.memory_add_many('long', (SELECT jsonb_agg(jsonb_build_object(
  'rawEntry', repeat('The harbour was quiet. ', 60) || 'Tea 2', 'entryKey', CASE WHEN i < 3 THEN 'k' || i ELSE 'k' END,
  'entryId', format('00000000-0000-0000-0006-%s', lpad(CASE WHEN i < 3 THEN i + 1 ELSE 1 END::text, 12, '0'))))
  FROM generate_series(1, 3) i), store => 's');
SELECT status FROM public.memory_add_many('long', (SELECT jsonb_agg(jsonb_build_object('rawEntry', 'time ' || i,
  'entryKey', 'time ' || i, 'entryId', format('00000000-0000-0000-0007-%s', lpad(i::text, 12, '0'))) ||
  CASE WHEN i % 3 = 0 THEN '{"creationTime": "2021-01-01T00:00:00Z"}' ELSE '{}'::jsonb END)
  FROM generate_series(1, 7) i), store => 's');
SELECT public.memory_update('long', '00000000-0000-0000-0006-000000000001', summary => 'a harbour', store => 's'),
  public.memory_update('long', '00000000-0000-0000-0006-000000000002', store => 's',
    raw_entry => repeat('The harbour was loud. ', 60));
SELECT entry_id, summary, cardinality(passage_embeddings), md5(passage_embeddings::text) FROM s.entries
WHERE memory_id = 'long' ORDER BY entry_id;
SELECT entry_id, details #> '{semantic,passage}' FROM public.memory_explain('long', 'quiet tea', store => 's',
  options => '{"asOf": "2030-01-01T00:00:00Z"}');
SELECT public.memory_add('n' || i, 'of another memory', user_id => 'u' || i % 3, context => 'c' || i % 2,
  entry_id => format('00000000-0000-0000-0005-%s', lpad(i::text, 12, '0'))::uuid, store => 's')
FROM generate_series(1, 9) i;
SELECT public.memory_delete('n2', whole_memory => true, store => 's');
SELECT public.memory_delete('n4', ARRAY['00000000-0000-0000-0005-000000000004'::uuid], store => 's');
SELECT memories, entries, visible, deleted, expired, superseded, contexts FROM public.memory_stats('s');
SELECT memory_id, entries, contexts FROM public.memory_list_memories(page_size => 4, store => 's');
SELECT memory_id, entries, contexts FROM public.memory_list_memories('n', after => 'n3', page_size => 2,
  store => 's');
SELECT public.memory_forget_user('u1', 's');
SELECT public.memory_purge('infinity', 2, 's');
SELECT public.memory_purge('infinity', NULL, 's');
SELECT public.memory_reembed(everything => true, max_rows => 3, store => 's');
SELECT memories, entries, visible, deleted, expired, superseded, contexts FROM public.memory_stats('s');
SELECT memory_id, entries, contexts FROM public.memory_list_memories(store => 's');
SELECT memory_id, entry_id, superseded_by FROM s.entries ORDER BY memory_id, entry_id;
SELECT memory_id, user_id, context FROM s.contexts ORDER BY memory_id, context;
ROLLBACK;
