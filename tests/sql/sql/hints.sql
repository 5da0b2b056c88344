-- An error of a caller says what to do: each has a hint.
SELECT memory_create_store('hi', 4);
SELECT length(memory_add('m', 'tea', entry_id => test.id(1), store => 'hi')::text);
CREATE TABLE hi_log (chat text, no int, said text, flag boolean);
CREATE FUNCTION refusals(calls text[]) RETURNS TABLE (call text, error text) LANGUAGE sql AS $$
  SELECT c, test.error(format('SELECT %s', c)) FROM unnest(calls) WITH ORDINALITY t (c, n) ORDER BY n $$;

-- Null for an argument that needs a value.
SELECT * FROM refusals(ARRAY[
  $$memory_forget_user(NULL, 'hi')$$, $$memory_history('m', NULL, store => 'hi')$$,
  $$memory_get('m', NULL, store => 'hi')$$, $$memory_supersede('m', NULL, test.id(1), store => 'hi')$$,
  $$memory_link('m', NULL, test.id(1)::text, store => 'hi')$$, $$memory_add('m', NULL, store => 'hi')$$,
  $$memory_put_context('m', NULL, store => 'hi')$$, $$memory_drop_store(NULL)$$, $$memory_grant('hi', NULL)$$,
  $$memory_delete_where('m', NULL, store => 'hi')$$, $$memory_add_many('m', NULL, store => 'hi')$$,
  $$memory_import('m', NULL, store => 'hi')$$, $$memory_alias('m', NULL, 'Ann', 'hi')$$,
  $$memory_feedback('m', '{}'::uuid[], NULL, store => 'hi')$$, $$memory_delete_contexts('m', NULL, store => 'hi')$$,
  $$memory_reembed(everything => NULL, store => 'hi')$$, $$memory_list('m', page_size => NULL, store => 'hi')$$,
  $$memory_adopt_table('hi_adopted', 'hi_log', NULL)$$, $$memory_create_store('hi_other', 4, NULL)$$,
  $$memory_add_many('m', '[{"summary": "s"}]', store => 'hi')$$,
  $$memory_import('m', '[{"kind": "link", "toEntry": "00000000-0000-0000-0000-000000000001"}]', store => 'hi')$$]);

-- Options, filters and arguments of another type or outside their range.
CREATE FUNCTION asked(options text, filters text DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT format('memory_search(''m'', ''tea'', filters => %L, options => %L, store => ''hi'')', filters, options) $$;
SELECT error FROM refusals(ARRAY[
  asked('{"top_ke": 5}'), asked('{"topKe": 5}'), asked('{"top_kee": 5}'), asked('{"strategy": 5}'),
  asked('{"diagnostics": "yes"}'), asked('{"fields": 5}'), asked('{"weights": 5}'), asked('{"asOf": 5}'),
  asked('{"candidates": "many"}'), asked('{"snippets": 5}'), asked('{"snippets": {"start": "<"}}'),
  asked('{"snippets": {"start": "<", "stop": ' || to_json(repeat('>', 101)) || '}}'),
  asked('{"rerank": 5}'), asked('{"atMost": {"userId": 0}}'), asked('{"atMost": 5}'), asked('{"validAt": 5}'),
  asked('{"atMost": {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": 1, "i": 1}}')]);
SELECT error FROM refusals(ARRAY[
  asked('{}', '{"metadata": 5}'), asked('{}', '{"ids": [true]}'), asked('{}', '{"userId": {"$exists": 5}}'),
  asked('{}', '{"userId": {"$eq": [5]}}'), asked('{}', '{"userId": {"$in": 5}}'),
  asked('{}', '{"importance": {"$gt": "a"}}'),
  asked('{}', '{"createdAfter": 5}'),
  asked('{}', '{"metadata": {"due": {"$gt": [{"$date": "2025-01-01T00:00:00Z"}]}}}'),
  asked('{}', '{"metadata": {"due": {"$in": {"$date": "2025-01-01T00:00:00Z"}}}}'),
  asked('{}', format('{"userId": {"$in": %s}}', (SELECT jsonb_agg(n) FROM generate_series(1, 1001) n))),
  asked('{}', '[]')]);
SELECT error FROM refusals(ARRAY[
  $$memory_search('m', 'tea', -1, store => 'hi')$$, $$memory_search('m', 'tea', 1, -1, store => 'hi')$$,
  $$memory_search('{"memoryId": "m", "query": "tea", "top_ke": "five"}')$$,
  $$memory_search('{"memoryId": 5, "query": "tea"}')$$, $$memory_search('{"memoryId": "m", "query": 5}')$$,
  $$memory_search('{"memoryId": ["m", 5], "query": "tea"}')$$,
  $$memory_search('{"memoryId": "m", "query": "tea", "embedding": "none"}')$$,
  $$memory_link('m', test.id(1)::text, test.id(2)::text, weight => 2, store => 'hi')$$,
  $$memory_related('m', test.id(1)::text, depth => 0, store => 'hi')$$,
  $$memory_add('m', 'x', valid_from => 'infinity', store => 'hi')$$,
  $$memory_add('m', 'x', valid_until => '-infinity', store => 'hi')$$,
  $$memory_add('m', 'x', tags => '{{a}}', store => 'hi')$$,
  $$memory_supersede('m', test.id(1), test.id(2), 'hi', at => 'infinity')$$,
  $$memory_create_store(repeat('s', 64), 4)$$,
  $$memory_adopt_table('hi_adopted', 'hi_log', '{"memory_id": "chat", "entry_id": "no", "raw_entry": "said",
    "tags": "flag"}')$$,
  $$memory_adopt_table('hi_adopted', 'hi_log', '{"memory_id": "chat", "entry_id": "no", "raw_entry": "said",
    "importance": "flag"}')$$,
  $$memory_add('m', 'x', embedding => array_fill(1::real, '{16001}'), store => 'hi')$$]);
DROP FUNCTION asked, refusals;
DROP TABLE hi_log;
SELECT memory_drop_store('hi', true);
