-- memory_tool_spec describes memory_search to a language model, in three forms; memory_search accepts what it
-- describes.
SELECT memory_create_store('ts', 4);
SELECT memory_add('m', 'green tea', summary => 'tea', context => 'about tea', embedding => '[1,0,0,0]', user_id => 'u',
    agent_id => 'a', source_type => 'chat', entry_id => test.id(1), creation_time => '2025-01-01Z', store => 'ts');
INSERT INTO ts.contexts (memory_id, context_id, context, creation_time)
VALUES ('m', test.id(1), 'about tea, before', '2024-01-01Z');
CREATE FUNCTION request_schema(form text) RETURNS jsonb LANGUAGE sql
  RETURN CASE form
      WHEN 'openai' THEN memory_tool_spec('openai', 'full')#>'{function,parameters}'
      WHEN 'mcp' THEN memory_tool_spec('mcp', 'full')->'inputSchema'
      ELSE memory_tool_spec('json_schema', 'full')#>'{$defs,request}' END;
-- The frames of the three forms, with the same parameters in all of them.
SELECT form,
  (SELECT string_agg(key, ' ' ORDER BY key COLLATE "C")
   FROM jsonb_object_keys(memory_tool_spec(form, 'full')) key) AS keys,
  jsonb_typeof(request_schema(form)) AS parameters,
  request_schema(form) = request_schema('openai') AS the_same
FROM (VALUES ('openai'), ('mcp'), ('json_schema')) f(form) ORDER BY form COLLATE "C";
SELECT memory_tool_spec() = memory_tool_spec('openai') AS default_is_openai,
  memory_tool_spec('openai')->>'type' AS type,
  memory_tool_spec('openai')#>>'{function,name}' AS openai,
  memory_tool_spec('mcp')->>'name' AS mcp,
  memory_tool_spec('mcp')#>>'{annotations,readOnlyHint}' AS reads_only,
  memory_tool_spec('json_schema')->>'$ref' AS reference,
  memory_tool_spec('mcp', 'full')->'outputSchema'
    = memory_tool_spec('json_schema', 'full')#>'{$defs,response}' AS same_response;
SELECT request_schema('mcp')->'required' AS required,
  (SELECT string_agg(key, ' ' ORDER BY key COLLATE "C")
   FROM jsonb_object_keys(request_schema('mcp')->'properties') key) AS properties,
  request_schema('mcp')->'additionalProperties' AS others;
-- Every object describes its fields and accepts no other ones; every part has a description.
CREATE FUNCTION parts(schema jsonb) RETURNS TABLE (path text[], part jsonb) LANGUAGE sql AS $$
  WITH RECURSIVE part(path, part) AS (
      SELECT '{}'::text[], schema
      UNION ALL SELECT path || key, value FROM part, jsonb_each(part.part->'properties')
    )
  SELECT *
  FROM part $$;
SELECT form, count(*) AS parts,
  count(*) FILTER (WHERE coalesce(part->>'description', '') = '') AS not_described,
  count(*) FILTER (WHERE part ? 'properties' AND part->'additionalProperties' IS DISTINCT FROM 'false') AS open
FROM (VALUES ('openai'), ('mcp'), ('json_schema')) f(form), parts(request_schema(form))
GROUP BY form ORDER BY form COLLATE "C";

-- memory_search(jsonb) accepts each field's own bounds, words and defaults, and refuses a value beyond them.
CREATE FUNCTION taken(path text[], value jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  request jsonb := '{"memoryId": "m", "query": "tea", "store": "ts"}';
BEGIN
  FOR i IN REVERSE cardinality(path) .. 2 LOOP value := jsonb_build_object(path[i], value); END LOOP;
  -- tagMatch needs tags beside it.
  IF path[1] = 'filters' AND cardinality(path) > 1 THEN value := '{"tags": ["a"]}'::jsonb || value; END IF;
  RETURN left(test.error(format('SELECT memory_search(%L::jsonb)', request || jsonb_build_object(path[1], value))), 8);
END $$;
CREATE VIEW bounds AS
  SELECT path, part->>'type' AS type, part->'minimum' AS least, part->'maximum' AS most
  FROM parts(request_schema('mcp')) WHERE part ? 'minimum';
SELECT array_to_string(path, '.') AS path, least, most, taken(path, least) AS at_least,
  taken(path, most) AS at_most,
  taken(path, to_jsonb(least::numeric - 1)) AS below,
  taken(path, to_jsonb(most::numeric + 1)) AS above,
  CASE WHEN type = 'integer' THEN taken(path, '1.5') END AS half,
  taken(path, '"1"') AS text
FROM bounds
WHERE path[1] IN ('top_ke', 'top_kc')
  OR path[2] IN ('minSimilarity', 'minScore', 'dedupThreshold', 'candidates', 'recency', 'popularity', 'minImportance')
ORDER BY path COLLATE "C";
SELECT count(*) AS words,
  count(*) FILTER (WHERE taken(path, word) <> 'no error') AS refused,
  count(DISTINCT path) AS choices,
  count(DISTINCT path) FILTER (WHERE taken(path, '"nonsense"') <> '22023: o'
      AND taken(path, '"nonsense"') <> '22023: f') AS taking_nonsense
FROM parts(request_schema('mcp')), jsonb_array_elements(part->'enum') word;
SELECT count(*) AS objects,
  count(*) FILTER (WHERE taken(path || 'nonsense'::text, '1') NOT LIKE '22023%') AS taking_unknown_keys
FROM parts(request_schema('mcp')) WHERE part ? 'properties';

-- The bounds follow the settings, and so do the accepted values.
CREATE FUNCTION limits()
RETURNS TABLE (top_ke jsonb, top_kc jsonb, ke_at text, ke_above text, kc_at text, kc_above text)
LANGUAGE sql AS $$
  SELECT ke, kc, taken('{top_ke}', ke->'maximum'),
    taken('{top_ke}', to_jsonb((ke->>'maximum')::int + 1)),
    taken('{top_kc}', kc->'maximum'),
    taken('{top_kc}', to_jsonb((kc->>'maximum')::int + 1))
  FROM (SELECT (request_schema('openai')#>'{properties,top_ke}') - 'description'::text AS ke,
          (request_schema('mcp')#>'{properties,top_kc}') - 'description'::text AS kc) s $$;
SELECT * FROM limits();
SET memory_search.max_top_ke = 50;
SET memory_search.max_top_kc = 7;
SELECT * FROM limits();
SET memory_search.max_top_ke = 3;
SET memory_search.max_top_kc = 1;
SELECT * FROM limits();
RESET memory_search.max_top_ke;
RESET memory_search.max_top_kc;
SELECT * FROM limits();

-- The response has the described fields, with the described types.
CREATE FUNCTION differences(value jsonb, schema jsonb, path text DEFAULT '') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  types jsonb := CASE jsonb_typeof(schema->'type')
      WHEN 'array' THEN schema->'type'
      ELSE jsonb_build_array(schema->'type') END;
BEGIN
  IF NOT types ? (CASE WHEN jsonb_typeof(value) = 'number' AND types ? 'integer' AND value::text !~ '[.]' THEN 'integer'
        ELSE jsonb_typeof(value) END) THEN
    RETURN NEXT format('%s is %s', path, jsonb_typeof(value));
  END IF;
  IF jsonb_typeof(value) = 'object' AND schema ? 'properties' THEN
    RETURN QUERY
      SELECT format('%s.%s', path, key)
      FROM (SELECT jsonb_object_keys(value) AS key EXCEPT SELECT jsonb_object_keys(schema->'properties')) undescribed;
    RETURN QUERY
      SELECT format('%s.%s is missing', path, key)
      FROM (SELECT jsonb_object_keys(schema->'properties') AS key EXCEPT SELECT jsonb_object_keys(value)) missing;
    RETURN QUERY
      SELECT d
      FROM jsonb_each(value) each, differences(each.value, schema->'properties'->each.key, path || '.' || each.key) d
      WHERE schema->'properties' ? each.key;
  ELSIF jsonb_typeof(value) = 'array' THEN
    RETURN QUERY SELECT d FROM jsonb_array_elements(value) item, differences(item, schema->'items', path || '[]') d;
  END IF;
END $$;
SELECT jsonb_array_length(answer->'entries') AS entries,
  jsonb_array_length(answer->'contexts') AS contexts,
  (SELECT array_agg(d)
   FROM differences(answer, memory_tool_spec('mcp', 'full')->'outputSchema') d
   WHERE d NOT IN ('.entries[].supersededBy is missing', '.entries[].neighbours is missing',
    '.entries[].validFrom is missing', '.entries[].validUntil is missing', '.entries[].entities is missing',
     '.entries[].scores.usedRecency is missing', '.entries[].scores.feedback is missing',
     '.entries[].snippet is missing', '.entries[].embedding is missing', '.nextCursor is missing',
     '.entries[].scores.rerank is missing', '.entries[].scores.association is missing')) AS differences
FROM (VALUES
  (1, 'tea', '[1,0,0,0]'::memory_embedding, 5),
  (2, '', NULL, 5),
  (3, 'tea', NULL, 5),
  (4, 'zebra', NULL, 0)
) c(i, query, embedding, k),
  LATERAL memory_search('m', query, k, embedding => embedding, store => 'ts') answer
ORDER BY i;
SELECT field
FROM jsonb_object_keys(memory_search('m', 'tea', store => 'ts')) field
WHERE memory_tool_spec('openai', 'full')#>>'{function,description}' NOT LIKE '%' || field || ':%';
SELECT name, test.error(format('SELECT memory_tool_spec(%L)', name))
FROM (VALUES (1, 'opnai'), (2, 'MCP'), (3, 'jsonschema'), (4, 'langchain'), (5, '')) t(i, name)
ORDER BY i;
SELECT memory_tool_spec(NULL) IS NULL AS null_is_null,
  (SELECT provolatile FROM pg_proc WHERE proname = 'memory_tool_spec') AS volatility;
DROP FUNCTION differences, limits, taken;
DROP VIEW bounds;
DROP FUNCTION parts, request_schema;
DROP SCHEMA ts CASCADE;
