-- Embedding arguments: every form that clients have, and every vector that no search can use.
SELECT memory_create_store('ae', 3);
SELECT memory_add('m', 'as vector', embedding => '[1,2,3]'::vector, entry_id => test.id(1), store => 'ae');
SELECT memory_add('m', 'as halfvec', embedding => '[1,2,3]'::halfvec, entry_id => test.id(2), store => 'ae');
SELECT memory_add('m', 'as real[]', embedding => ARRAY[1,2,3]::real[], entry_id => test.id(3), store => 'ae');
SELECT memory_add('m', 'as double precision[]', embedding => ARRAY[1,2,3]::double precision[], entry_id => test.id(4),
    store => 'ae');
SELECT memory_add('m', 'as a literal', embedding => '[1, 2, 3]', entry_id => test.id(5), store => 'ae');
SELECT memory_add('m', 'as an array literal', embedding => '{1,2,3}', entry_id => test.id(6), store => 'ae');
SELECT memory_add('m', 'as nothing', embedding => NULL, entry_id => test.id(7), store => 'ae');
SELECT test.n(entry_id), embedding FROM ae.entries ORDER BY 1;

-- Searches take the same forms of embeddings: each form finds the six entries, at a similarity of 1.
SELECT form,
  (SELECT array_agg(DISTINCT round((e->'scores'->>'semantic')::numeric, 4))
   FROM jsonb_array_elements(response->'entries') e
   WHERE e->'scores'->>'semantic' IS NOT NULL) AS similarities,
  response->'count' AS count
FROM (VALUES
  ('vector', memory_search('m', '', 10, embedding => '[2,4,6]'::vector, store => 'ae')),
  ('halfvec', memory_search('m', '', 10, embedding => '[2,4,6]'::halfvec, store => 'ae')),
  ('real[]', memory_search('m', '', 10, embedding => ARRAY[2,4,6]::real[], store => 'ae')),
  ('double precision[]', memory_search('m', '', 10, embedding => ARRAY[2,4,6]::double precision[], store => 'ae')),
  ('literal', memory_search('m', '', 10, embedding => '[2,4,6]', store => 'ae')),
  ('JSON', memory_search('{"memoryId": "m", "query": "", "top_ke": 10, "embedding": [2, 4, 6], "store": "ae"}'))
) t(form, response);
-- The same forms as rows of a table or as parameters of a prepared statement, which have a fixed type.
PREPARE by_vector(vector) AS SELECT memory_search('m', '', embedding => $1, store => 'ae')->'count';
EXECUTE by_vector('[1,0,0]');
PREPARE by_array(double precision[]) AS SELECT memory_search('m', '', embedding => $1, store => 'ae')->'count';
EXECUTE by_array('{1,0,0}');
SELECT memory_search('m', '', 1, embedding => e.embedding, store => 'ae')->'count'
FROM ae.entries e WHERE e.embedding IS NOT NULL LIMIT 1;

-- Extreme values for which half precision and the cosine must work.
SELECT memory_add('far', 'largest', embedding => '[65504, 65504, 0]', entry_id => test.id(1), store => 'ae');
SELECT memory_add('far', 'tiny', embedding => '[0.0001, 0, 0]', entry_id => test.id(2), store => 'ae');
SELECT test.n(entry_id), round(semantic::numeric, 3)
FROM memory_search_entries('far', '', embedding => '[3e38, 3e38, 0]', store => 'ae');
SELECT test.n(entry_id), round(semantic::numeric, 3)
FROM memory_search_entries('far', '', embedding => '[1e-38, 1e-38, 0]', store => 'ae');

-- Errors: a wrong dimension, no direction, no number, a number out of range, no vector.
SELECT given, test.error(format('SELECT memory_add(''m'', ''x'', embedding => %s, store => ''ae'')', given)) AS add
FROM (VALUES
  ('''[1,2]'''), ('''[1,2,3,4]'''), ('''[0,0,0]'''), ('''{0,0,0}''::real[]'),
  ('''[1,2,3]''::vector(3) * 0::real'), ('''{1,NaN,3}''::real[]'), ('''{1,Infinity,3}''::real[]'),
  ('''{1,-Infinity,3}''::double precision[]'), ('''{1,1e300,3}''::double precision[]'),
  ('''[1,NaN,3]'''), ('''[1,1e39,3]'''), ('''[65505,0,0]'''), ('''{65505,0,0}''::real[]'),
  ('''[]'''), ('''{}''::real[]'), ('''{{1,2,3}}''::real[]'), ('''{1,NULL,3}''::real[]'),
  ('''one two three'''), (''''''), ('''[1,"2",3]''')
) t(given);
SELECT given,
  test.error(format('SELECT memory_search(''m'', ''x'', embedding => %s, store => ''ae'')', given)) AS search
FROM (VALUES
  ('''[1,2]'''), ('''[0,0,0]'''), ('''{1,NaN,3}''::real[]'), ('''{1,Infinity,3}''::real[]'),
  ('''[]''')
) t(given);
SELECT given,
  test.error(format('SELECT memory_search(''{"memoryId": "m", "query": "x", "store": "ae", "embedding": %s}'')',
      given)) AS json
FROM (VALUES
  ('[1,2]'), ('[0,0,0]'), ('[1,"2",3]'), ('"[1,2,3]"'), ('[]'), ('{}'), ('[1,null,3]'),
  ('[1,1e39,3]'), ('[1,1e400,3]')
) t(given);
-- None of these was stored: there are still the seven.
SELECT count(*) FROM ae.entries WHERE memory_id = 'm';
-- A direction too short for half precision is refused or kept, but never stored as no direction at all.
DO $$
BEGIN
  PERFORM memory_add('short', 'x', embedding => '[1e-9,0,0]', store => 'ae');
EXCEPTION
  WHEN invalid_parameter_value THEN
    NULL;
END $$;
DO $$
BEGIN
  PERFORM memory_put_context('short', 'x', embedding => '[0,1e-30,0]', store => 'ae');
EXCEPTION
  WHEN invalid_parameter_value THEN
    NULL;
END $$;
SELECT (SELECT count(*) FROM ae.entries WHERE l2_norm(embedding) = 0) AS entries,
  (SELECT count(*) FROM ae.contexts WHERE l2_norm(embedding) = 0) AS contexts;

-- The type itself: its output is valid input, and casts lead in both directions.
SELECT '[1,2.5,-3]'::memory_embedding AS shown,
  '[1,2.5,-3]'::memory_embedding::text::memory_embedding::vector AS there_and_back;
SELECT test.error('SELECT ''[0,0]''::memory_embedding');
SELECT test.error(format('SELECT %L::memory_embedding', '[' || repeat('1,', 16000) || '1]'));
DEALLOCATE ALL;
DROP SCHEMA ae CASCADE;
