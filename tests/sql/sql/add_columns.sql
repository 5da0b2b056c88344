-- memory_add: every argument goes into its column, and an omitted argument has its default.
SET timezone = 'UTC';
SELECT memory_create_store('ac', 4);

-- Two arguments are enough.
SELECT memory_add('m', 'the raw text', store => 'ac') AS id \gset
SELECT :'id'::uuid = entry_id AS id_is_returned, user_id, agent_id, raw_entry, summary, context, tags, metadata,
  source_type, importance,
  abs(extract(epoch FROM clock_timestamp() - creation_time)) < 60 AS created_now,
  deletion_scheduled_time, expires_at, embedding
FROM ac.entries;
DELETE FROM ac.entries;

-- All arguments.
SELECT memory_add(memory_id => 'm', raw_entry => 'raw', summary => 'sum', context => 'ctx', tags => ARRAY['a', 'b c'],
    metadata => '{"k": [1, 1.50, "x"], "big": 123456789012345678901234567890}', importance => 77,
    embedding => '[1,2,3,4]', user_id => 'u', agent_id => 'g', source_type => 'chat',
    creation_time => '2025-06-27 13:42:03.25+02', entry_id => test.id(5), store => 'ac');
SELECT memory_id, test.n(entry_id), user_id, agent_id, raw_entry, summary, context, tags, metadata, source_type,
  importance, creation_time, embedding
FROM ac.entries;
SELECT memory_id, user_id, context, creation_time, embedding FROM ac.contexts;
SELECT jsonb_pretty(memory_search('m', 'raw', store => 'ac', options => '{"asOf": "2025-06-27T11:42:03.25Z"}'));
DELETE FROM ac.entries;

-- The words of summary have weight A, of raw_entry B, of tags C, of metadata with its keys D. The context has none.
SELECT memory_add('m', 'walking dogs', 'a short summary', 'secret context', ARRAY['Tagged', 'two words'],
  '{"key": "valued", "number": 42, "inner": {"list": ["deep"]}, "flag": true}', store => 'ac') IS NOT NULL;
SELECT words FROM test.words_of_store('ac');
SELECT string_agg(word, ' ') FILTER (WHERE found) AS found, string_agg(word, ' ') FILTER (WHERE NOT found) AS not_found
FROM (SELECT word, EXISTS (SELECT FROM memory_search_entries('m', word, store => 'ac',
          options => '{"strategy": "keyword", "fallback": false}')) AS found
      FROM unnest('{walks,dogs,shorts,summaries,tags,words,keys,values,number,42,inner,list,deep,flag,true,secret,
        context}'::text[]) word) w;
DELETE FROM ac.entries;

-- Nulls are defaults, and a null tag is dropped.
SELECT memory_add('m', '', summary => NULL, tags => ARRAY['a'], metadata => NULL, importance => NULL,
    embedding => NULL, creation_time => NULL, entry_id => NULL, store => 'ac') IS NOT NULL;
SELECT raw_entry, tags, metadata, importance FROM ac.entries;
DELETE FROM ac.entries;

-- The bounds of importance, instants far away, a long memory_id and an odd one.
SELECT memory_add('m', 'x', importance => i, creation_time => '2025-01-01Z', entry_id => test.id(i), store => 'ac')
FROM (VALUES (0), (100)) t(i);
SELECT memory_add('m', 'x', creation_time => t, store => 'ac') IS NOT NULL
FROM (VALUES (timestamptz 'infinity'), ('-infinity'), ('4713-01-01 BC'), ('294276-12-31')) t(t);
SELECT memory_add(m, 'x', store => 'ac') IS NOT NULL
FROM (VALUES (repeat('m', 1024)), (E'tab\tnew\nline'), ('''; DROP TABLE ac.entries; --'), ('记忆🧠')) t(m);
SELECT count(*), count(DISTINCT memory_id) FROM ac.entries;
SELECT count(*) AS found FROM ac.entries e, LATERAL memory_search_entries(e.memory_id, 'x', store => 'ac', k => 10) f
WHERE f.entry_id = e.entry_id::text;
-- Entries at far instants are found, too.
SELECT e->>'creationTime' FROM jsonb_array_elements(memory_search('m', '', 10, store => 'ac')->'entries') e ORDER BY 1;
SELECT creation_time, round(recency_factor::numeric, 3) AS recency
FROM memory_search_entries('m', 'x', 10, store => 'ac') ORDER BY 1;

-- Errors.
SELECT test.error(statement) FROM (VALUES
  ($$SELECT memory_add(NULL, 'x', store => 'ac')$$),
  ($$SELECT memory_add('m', NULL, store => 'ac')$$),
  ($$SELECT memory_add('', 'x', store => 'ac')$$),
  ($$SELECT memory_add('m', 'x', user_id => '', store => 'ac')$$),
  ($$SELECT memory_add('m', 'x', agent_id => '', store => 'ac')$$),
  ($$SELECT memory_add('m', 'x', source_type => '', store => 'ac')$$),
  ($$SELECT memory_add(repeat('m', 1025), 'x', store => 'ac')$$),
  ($$SELECT memory_add('m', 'x', importance => 101, store => 'ac')$$),
  ($$SELECT memory_add('m', 'x', importance => -1, store => 'ac')$$),
  ($$SELECT memory_add('m', 'x', metadata => '[1]', store => 'ac')$$),
  ($$SELECT memory_add('m', 'x', metadata => '"text"', store => 'ac')$$),
  ($$SELECT memory_add('m', 'x', metadata => 'null', store => 'ac')$$),
  ($$SELECT memory_add('m', 'x', store => 'nowhere')$$),
  ($$SELECT memory_add('m', 'x', store => '')$$),
  ($$SELECT memory_add('m', 'x', entry_id => '00000000-0000-0000-0000-000000000100', store => 'ac')$$)
) t(statement);
DROP SCHEMA ac CASCADE;
