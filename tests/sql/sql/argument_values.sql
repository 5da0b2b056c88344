-- An argument of another type is converted to the value that it represents; one that represents none is refused with
-- its text.
SET client_min_messages = error;
SELECT memory_create_store('av', 3::bigint);
RESET client_min_messages;
SET memory_search.store = 'av';
SET TimeZone = 'Asia/Tokyo';
SELECT memory_add('m'::varchar, 'typed', metadata => '{"a": 1}'::json, importance => 70::bigint, user_id => 5,
  agent_id => test.id(7), creation_time => '2025-01-01 09:00'::timestamp, entry_id => test.id(1)::text,
  tags => ARRAY['x', 'y']::varchar[], embedding => ARRAY[0.1, 0.9, 0], expires_at => '2999-12-31'::date);
-- Tags are a list of texts: any other value would be changed by a cast.
SELECT test.error($$SELECT memory_add('m', 'x', tags => '{{a,b},{c,d}}')$$),
  test.error($$SELECT memory_add('m', 'x', tags => '{a,NULL}')$$);
SELECT memory_add('m', 'by text', metadata => '{"a": 1}'::text, importance => '70'::text, user_id => '5',
  agent_id => test.id(7)::text, creation_time => '2025-01-01 00:00Z'::text, entry_id => test.id(2)::varchar,
  tags => '{x,y}', embedding => '[0.1, 0.9, 0]'::text, expires_at => '2999-12-31'::varchar);
SELECT memory_add('m', 'literal', metadata => '{"a": 1}', importance => 70, user_id => '5',
  agent_id => test.id(7)::text, creation_time => '2025-01-01 00:00Z', entry_id => test.id(3),
  tags => '{x,y}', embedding => '[0.1,0.9,0]', expires_at => '2999-12-31');
SELECT count(*) AS entries, count(DISTINCT (metadata, importance, user_id, agent_id, creation_time, tags, embedding,
    expires_at)) AS different
FROM av.entries;
SELECT metadata, importance, user_id, test.n(agent_id::uuid) AS agent, creation_time, tags, expires_at
FROM av.entries LIMIT 1;

-- Every way to write an embedding is the same embedding.
CREATE TABLE av_ways (n int GENERATED ALWAYS AS IDENTITY, way text);
INSERT INTO av_ways (way) VALUES
  ($$'[0,1,0]'$$), ($$'{0,1,0}'$$), ($$'{"0","1","0"}'$$), ($$'["0", "1", "0"]'$$), ($$'0,1,0'$$),
  ($$' [ 0 , 1e0 , 0.0 ] '$$), ($$ARRAY[0, 1, 0]$$), ($$ARRAY[0, 1.0, 0]$$), ($$ARRAY[0, 1, 0]::smallint[]$$),
  ($$ARRAY[0, 1, 0]::bigint[]$$), ($$ARRAY[0, 1, 0]::real[]$$), ($$ARRAY[0, 1, 0]::double precision[]$$),
  ($$ARRAY['0', '1', '0']$$), ($$ARRAY['0', '1', '0']::varchar[]$$), ($$'[0,1,0]'::text$$), ($$'{0,1,0}'::varchar$$),
  ($$'[0, 1, 0]'::json$$), ($$'[0, 1, 0]'::jsonb$$), ($$'[0,1,0]'::vector$$), ($$'[0,1,0]'::halfvec$$);
CREATE FUNCTION pg_temp.answer(question text, way text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  found text;
BEGIN
  EXECUTE format(question, way) INTO found;
  RETURN found;
END $$;
SELECT pg_temp.answer('SELECT (%s)::memory_embedding', way) AS embedding,
  pg_temp.answer($$SELECT string_agg(raw_entry || ' ' || round(semantic::numeric, 4), ', ' ORDER BY raw_entry)
                   FROM memory_search_entries('m', '', embedding => %s)$$, way) AS found,
  count(*) AS ways
FROM av_ways GROUP BY 1, 2;
SELECT n, wrong, test.error(format('SELECT memory_search(''m'', ''x'', embedding => %s)', wrong)) AS answer
FROM (VALUES
  (1, $$'[0,1'$$), (2, $$'7'$$), (3, $$'{1,NULL,2}'$$), (4, $$ARRAY[1, NULL, 2]$$), (5, $$'[[0,1,0]]'::json$$),
  (6, $$'{"a": 1}'::jsonb$$), (7, $$'null'::json$$), (8, $$ARRAY['a', 'b', 'c']$$), (9, $$'0,NaN,1'$$),
  (10, $$'{}'$$), (11, $$'[1,2]'::text$$), (12, $$ARRAY[1, 1e39]::text$$)
) w(n, wrong) ORDER BY n;
-- Drivers use the type's elements; SQL does not read them.
SELECT test.error($$SELECT ('[1,2,3]'::memory_embedding)[1]$$);
SELECT test.error($$SELECT ('[1,2,3]'::memory_embedding)[1:2]$$);
SELECT memory_embedding_send('[1,2]') = array_send(ARRAY[1, 2]::real[]) AS binary_as_an_array,
  ('[1,2]'::memory_embedding)::vector::real[] AS elements;

-- JSON that a driver has encoded twice is decoded twice.
SELECT (memory_search('m', 'typed', filters => to_jsonb('{"userId": "5"}'::text)))->'count' AS found,
  (memory_search(to_jsonb('{"memoryId": "m", "query": "typed", "filters": {"userId": "6"}}'::text)))->'count' AS none;

-- Values that represent no value of the argument.
SELECT n, call, test.error('SELECT ' || call) AS answer
FROM (VALUES
  (1, $$memory_search('m', 'x', 5000000000)$$),
  (2, $$memory_search('m', 'x', 1.5)$$),
  (3, $$memory_search('m', 'x', 2.0::double precision) IS NOT NULL$$),
  (4, $$memory_search('m', 'x', 'two'::text)$$),
  (5, $$memory_search('m', 'x', 99::bigint)$$),
  (6, $$memory_search('m', 'x', filters => '{'::text)$$),
  (7, $$memory_search('m', 'x', filters => '{"x": 1}'::json)$$),
  (8, $$memory_search('m', 'x', filters => '[]'::json)$$),
  (9, $$memory_update('m', 'x'::text, 'y')$$),
  (10, $$memory_delete('m', ARRAY['x'])$$),
  (11, $$memory_purge('someday'::text)$$),
  (12, $$memory_search('{"memoryId": "m"}'::json)$$),
  (13, $$memory_create_store(dimensions => 3::bigint)$$),
  (14, $$memory_search(NULL::uuid, 'x')$$),
  (15, $$memory_add('m', 'x', importance => 101::bigint)$$),
  (16, $$memory_search(true, 'x')$$)
) c(n, call) ORDER BY n;
-- A number is the memory of that name, and so is a uuid.
SELECT memory_add(42, 'by number', embedding => ARRAY[1, 0, 0]) IS NOT NULL AS added,
  memory_add(test.id(9), 'by uuid', embedding => ARRAY[1, 0, 0]) IS NOT NULL AS added;
SELECT raw_entry FROM memory_search_entries('42', 'number')
UNION ALL SELECT raw_entry FROM memory_search_entries(42::bigint, 'number')
UNION ALL SELECT raw_entry FROM memory_search_entries(test.id(9)::text, 'uuid')
UNION ALL SELECT raw_entry FROM memory_search_entries(test.id(9), 'uuid');
SELECT memory_forget_user(5) AS rows;
DROP TABLE av_ways;
DROP SCHEMA av CASCADE;
