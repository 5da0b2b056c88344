-- By default memory_tool_spec describes the arguments that models use well; detail => 'full' has the whole grammar. A
-- request with "detail": "short" is answered in texts, ids and times.
SELECT memory_create_store('tss', 2);
SELECT count(memory_add('m', text, tags => '{drink}', embedding => '[1,0]', creation_time => '2025-01-01 10:00Z',
    entry_id => test.id(number::int), user_id => 'ann', store => 'tss')) AS added
FROM unnest(ARRAY['green tea in the morning, without sugar or milk', 'black tea with lemon after lunch, never later',
    'tea from the mountains, which her sister sends her', 'no tea at all after four in the afternoon, or she wakes up',
    'iced tea in summer, with mint from the garden']) WITH ORDINALITY said(text, number);
SELECT count(memory_put_context('m', 'What she drinks, when and with whom.', creation_time => '2025-02-01Z',
    store => 'tss')) AS contexts;

SELECT name, length(memory_tool_spec(name)::text) <= 2500 AS is_short,
  length(memory_tool_spec(name, 'full')::text) > 10000 AS full_is_long,
  memory_tool_spec(name) = memory_tool_spec(name, 'short') AS short_is_the_default
FROM (VALUES ('openai'), ('mcp'), ('json_schema')) f(name) ORDER BY name COLLATE "C";
SELECT string_agg(key, ' ' ORDER BY key COLLATE "C") AS arguments
FROM jsonb_object_keys(memory_tool_spec()#>'{function,parameters,properties}') key;
SELECT string_agg(key, ' ' ORDER BY key COLLATE "C") AS filters
FROM jsonb_object_keys(memory_tool_spec('mcp')#>'{inputSchema,properties,filters,properties}') key;
SELECT detail, test.error(format('SELECT memory_tool_spec(detail => %L)', detail))
FROM (VALUES (1, 'ful'), (2, 'SHORT'), (3, ''), (4, 'brief')) t(i, detail)
ORDER BY i;
SELECT memory_tool_spec('mcp', NULL) IS NULL AS null_is_null;

-- The answer for a model.
CREATE FUNCTION ask(more jsonb) RETURNS jsonb LANGUAGE sql
RETURN memory_search('{"memoryId": "m", "query": "tea", "store": "tss"}'::jsonb || more);
SELECT jsonb_pretty(ask('{"detail": "short", "top_ke": 1,
  "filters": {"ids": ["00000000-0000-0000-0000-000000000001"]}}'));
SELECT ask('{"detail": "full"}') = ask('{}') AS full_is_the_default,
  ask('{"detail": null}') = ask('{}') AS null_is_the_default,
  ask('{"detail": "short"}')::text !~ 'null|score' AS short_has_neither_nulls_nor_scores;
SELECT jsonb_object_keys(ask('{"detail": "short", "top_ke": 1,
  "options": {"fields": ["summary", "rawEntry", "score"]}}')
    #> '{entries,0}') AS asked_for;
-- Besides texts, ids and times: 36 characters for each entry, 43 for the context, 13 for the whole.
SELECT length(answer::text) - (SELECT sum(length(value#>>'{}'))
    FROM jsonb_path_query(answer, '$.** ? (@.type() == "string" || @.type() == "number")') value) AS besides_texts,
  13 + 36 * jsonb_array_length(answer->'entries') + 43 * (answer ? 'latestContext')::int AS counted
FROM ask('{"detail": "short"}') answer;
SELECT test.error($$SELECT ask('{"detail": "shrt"}')$$);
SELECT test.error($$SELECT ask('{"detail": 1}')$$);

-- An argument in the wrong place gets a hint with the right one.
SELECT more, test.error(format('SELECT ask(%L)', more))
FROM (VALUES
  (1, '{"filters": {"validAt": "any"}}'),
  (2, '{"filters": {"strategy": "keyword"}}'),
  (3, '{"options": {"tags": ["drink"]}}'),
  (4, '{"options": {"createdAfter": "2025-01-01T00:00:00Z"}}'),
  (5, '{"options": {"metadata.page": 5}}'),
  (6, '{"tags": ["drink"]}'),
  (7, '{"validAt": "any"}'),
  (8, '{"filters": {"validUntl": "2025-01-01T00:00:00Z"}}')
) t(i, more) ORDER BY i;
DROP FUNCTION ask;
DROP SCHEMA tss CASCADE;
