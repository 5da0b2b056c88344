-- Entities that entries name: stored as they are written, compared without case, accents and runs of blanks.
SELECT memory_create_store('ent', 4);
SELECT test.n(memory_add('m', text, entities => entities, tags => tags, user_id => 'u' || n % 2, entry_id => test.id(n),
    embedding => test.vector(n), creation_time => '2025-01-01Z'::timestamptz + n * interval '1 day',
    metadata => jsonb_build_object('kind', CASE WHEN n < 3 THEN 'trip' ELSE 'work' END), store => 'ent'))
FROM (VALUES
  (1, 'A week by the sea', '{Sarah Miller,Lisbon}'::text[], '{trip}'::text[]),
  (2, 'She booked the hotel', '{"SARAH  MILLER",José}', '{trip,hotel}'),
  (3, 'The contract is signed', '{jose,"Acme GmbH"}', '{work}'),
  (4, 'Nobody is named here', NULL, NULL),
  (5, 'A dinner of two', '{"Sarah Miller"," sarah miller ",Bob}', '{}')) v (n, text, entities, tags)
ORDER BY n;
-- A name is stored once, as it is written first.
SELECT test.n(entry_id) AS n, entities FROM ent.entries ORDER BY 1;

-- Filters.
CREATE FUNCTION pg_temp.with_entities(filter jsonb) RETURNS bigint[] LANGUAGE sql AS $$
  SELECT test.found(memory_search('m', '', 10, filters => jsonb_build_object('entities', filter), store => 'ent')) $$;
SELECT filter, pg_temp.with_entities(filter) AS found
FROM unnest(ARRAY['"sarah miller"', '["Bob", "ACME GMBH"]', '{"$all": ["José", "Sarah Miller"]}',
  '{"$contains": "JOSÉ"}', '{"$in": ["jose", "lisbon"]}', '{"$nin": ["Sarah Miller"]}', '"Sarah"', '[]',
  'null']::jsonb[]) filter;
-- The same filter on a search by meaning over the table's rows, in memory_list and in memory_count.
CREATE FUNCTION pg_temp.by_meaning(filter jsonb) RETURNS bigint[] LANGUAGE sql AS $$
  SELECT array_agg(n ORDER BY n DESC)
  FROM unnest(test.found(memory_search('m', '', 10, embedding => '[1,0,0,0]',
      filters => jsonb_build_object('entities', filter), options => '{"strategy": "semantic", "fallback": false}',
      store => 'ent'))) n $$;
CREATE TABLE asked AS
SELECT f, jsonb_build_object('entities', f) AS filters, pg_temp.with_entities(f) AS by_index
FROM unnest(ARRAY['"SARAH MILLER"', '{"$all": ["bob", "sarah miller"]}', '{"$nin": ["jose"]}', '["x", "acme gmbh"]',
  '{"$nin": ["Bob", "LISBON"]}', '{"$contains": ["JOSÉ"]}']::jsonb[]) f;
SELECT memory_search('m', '', filters => '{"entities": "bob"}', options => '{"diagnostics": true}', store => 'ent')
    #>> '{diagnostics,reads,0,path}' AS path_of_newest,
  memory_search('m', '', embedding => '[1,0,0,0]', filters => '{"entities": "bob"}',
    options => '{"diagnostics": true, "strategy": "semantic"}', store => 'ent')
    #>> '{diagnostics,reads,0,path}' AS path_by_meaning,
  (SELECT bool_and(by_index = pg_temp.by_meaning(f)) FROM asked) AS by_meaning;
SET enable_indexscan = off;
SELECT bool_and(by_index = pg_temp.with_entities(f)) AS as_table,
  bool_and(by_index = (SELECT coalesce(array_agg(test.n(entry_id) ORDER BY creation_time DESC), '{}')
                       FROM memory_list('m', filters, store => 'ent'))) AS as_listed,
  bool_and(cardinality(by_index) = memory_count('m', filters, 'ent')) AS as_counted
FROM asked;
RESET enable_indexscan;
DROP TABLE asked;
-- The answer shows the entities of an entry; for an entry without entities the field is missing.
SELECT e->'rawEntry' AS text, e->'entities' AS entities, e ? 'entities' AS has_field
FROM jsonb_array_elements(memory_search('m', '', 10, options => '{"fields": ["rawEntry", "entities"]}', store => 'ent')
  ->'entries') e;

-- Changing, emptying, adding again by key, many at once, plain INSERT.
SELECT memory_update('m', test.id(4), entities => '{Bob}', store => 'ent') AS changed,
  memory_update('m', test.id(5), clear => '{entities}', store => 'ent') AS emptied;
SELECT count(*) AS added FROM memory_add_many('m', '[{"rawEntry": "one", "entities": ["Ann", "ann"], "entryKey": "k",
  "embedding": [1, 0, 0, 0]}, {"rawEntry": "two", "embedding": [0, 1, 0, 0]}]', 'ent');
SELECT entities AS once FROM ent.entries WHERE raw_entry = 'one';
SELECT memory_add('m', 'one again', entities => '{Zoë}', entry_key => 'k',
  embedding => '[1,0,0,0]', store => 'ent') IS NOT NULL AS again;
INSERT INTO ent.entries (memory_id, raw_entry, entities)
VALUES ('m', 'three', '{" ANN ",NULL,"",zoe}'), ('m', 'four', ARRAY[repeat('long ', 300)]);
SELECT raw_entry, entities FROM memory_list('m', '{"entities": ["ann", "zoe", "bob"]}', store => 'ent') ORDER BY 1;
SELECT test.found(memory_search('m', '', filters => '{"entities": "bob"}', store => 'ent')) AS bob;

-- Refusals.
SELECT test.error(format('SELECT memory_add(''m'', ''x'', entities => %s, store => ''ent'')', names)) AS refused
FROM unnest(ARRAY[$$'{" "}'$$, $$ARRAY[repeat('a', 201)]$$, $$ARRAY[NULL]::text[]$$, $$'{{a},{b}}'$$,
  $$(SELECT array_agg('n' || n) FROM generate_series(1, 65) n)$$]) names;
SELECT test.error($$SELECT memory_search('m', 'x', filters => '{"entities": ""}', store => 'ent')$$) AS refused
UNION ALL
SELECT test.error($$SELECT memory_search('m', 'x', filters => '{"entities": {"$like": "a%"}}', store => 'ent')$$)
UNION ALL SELECT test.error($$SELECT memory_search('m', 'x', filters => '{"entities": 7}', store => 'ent')$$)
UNION ALL SELECT test.error($$SELECT memory_add_many('m', '[{"rawEntry": "x", "entities": [" "]}]', 'ent')$$);

-- The entities of a memory, and the entries about one.
SELECT entity, aliases, entries, (first_seen AT TIME ZONE 'UTC')::date AS first,
  (last_seen AT TIME ZONE 'UTC')::date AS last, occurs_with
FROM memory_entities('m', store => 'ent') WHERE last_seen < '2026-01-01Z';
SELECT entity, entries FROM memory_entities('m', 'JOS', store => 'ent');
SELECT test.n(entry_id) AS n, raw_entry, tokens FROM memory_about('m', 'sarah MILLER', store => 'ent');
SELECT raw_entry FROM memory_about('m', 'Sarah Miller', token_budget => 6, store => 'ent');
SELECT filters, array_agg(raw_entry) AS found
FROM unnest(ARRAY['{"tags": ["hotel"]}', '{}', NULL, '{"entities": "lisbon"}']::jsonb[]) filters,
  memory_about('m', 'Sarah Miller', filters => filters, store => 'ent')
GROUP BY filters ORDER BY filters::text;
SELECT test.error($$SELECT memory_about('m', ' ', store => 'ent')$$) AS refused
UNION ALL SELECT test.error($$SELECT memory_about('m', NULL, store => 'ent')$$)
UNION ALL SELECT test.error($$SELECT memory_about('m', 'Bob', filters => '{"userID": "u1"}', store => 'ent')$$)
UNION ALL SELECT test.error($$SELECT memory_about('m', 'Bob', filters => '[1]', store => 'ent')$$)
UNION ALL SELECT test.error($$SELECT memory_about('m', 'Bob', filters => 'null', store => 'ent')$$)
UNION ALL SELECT test.error($$SELECT memory_about('m', 'Bob', token_budget => -1, store => 'ent')$$)
UNION ALL SELECT test.error($$SELECT memory_entities('m', max_rows => 0, store => 'ent')$$);

-- The rows come in the order of time and are cut by age, whatever the options say about the order or the strategy; none
-- is left out for its importance. Searches without a query that count facets find all, too.
INSERT INTO ent.entries (memory_id, entry_id, raw_entry, entities, embedding, importance, creation_time)
SELECT 'diary', test.id(n), 'entry ' || n, '{Ada}', ARRAY[n % 2, 1 - n % 2, n % 3, 0]::real[]::halfvec, n * 10,
  '2025-01-01Z'::timestamptz + n * interval '1 day'
FROM generate_series(1, 8) n;
SELECT options,
  array(SELECT test.n(entry_id) FROM memory_about('diary', 'Ada', options => options, store => 'ent')) AS all,
  array(SELECT test.n(entry_id) FROM memory_about('diary', 'Ada', 6, options => options, store => 'ent')) AS newest,
  (SELECT sum(entries) FROM memory_facets('diary', by => '{importance}', options => options, store => 'ent')) AS counted
FROM unnest(ARRAY['{}', '{"mmr": 0}', '{"mmr": 0.3}', '{"strategy": "semantic"}', '{"strategy": "keyword"}',
    '{"strategy": "hybrid", "fallback": false}', '{"strategy": "recent"}', '{"preset": "alfred", "dedupThreshold": 1}',
    '{"minSimilarity": 0.5}']::jsonb[]) options;
SELECT DISTINCT test.error(call) AS refused
FROM unnest(ARRAY[$$SELECT memory_about('diary', 'Ada', options => '{"diagnostics": true}', store => 'ent')$$,
  $$SELECT memory_facets('diary', options => '{"diagnostics": true}', store => 'ent')$$,
  $$SELECT memory_search_entries('diary', 'entry', options => '{"diagnostics": true}', store => 'ent')$$,
  $$SELECT memory_build_context('diary', 'entry', options => '{"diagnostics": true}', store => 'ent')$$]) call;

-- Facets: over all entries, and over the entries that a search finds.
SELECT facet, value, entries
FROM memory_facets('m', by => '{tags,entities,user_id,metadata.kind,month}', max_values => 3,
  filters => '{"createdBefore": "2026-01-01T00:00:00Z"}', store => 'ent');
SELECT facet, value, entries FROM memory_facets('m', 'hotel', '{tags,day}',
  options => '{"strategy": "keyword", "fallback": false}', store => 'ent');
SELECT facet, value, entries FROM memory_facets('m', by => '{tags}', filters => '{"entities": "jose"}', store => 'ent');
SELECT test.error($$SELECT memory_facets('m', by => '{tag}', store => 'ent')$$) AS refused
UNION ALL SELECT test.error($$SELECT memory_facets('m', by => '{}', store => 'ent')$$)
UNION ALL SELECT test.error($$SELECT memory_facets('m', k => -1, store => 'ent')$$)
UNION ALL SELECT test.error($$SELECT memory_facets('m', max_values => 1001, store => 'ent')$$);
-- Aliases: filters, memory_entities, memory_about and facets take all names of an entity for one.
SELECT memory_alias('m', 'Sally', 'Sarah Miller', 'ent') AS new,
  memory_add('m', 'Sally paid', entities => '{SALLY}', embedding => '[0,1,0,0]', entry_id => test.id(9),
    creation_time => '2025-02-01Z', store => 'ent') IS NOT NULL AS added;
SELECT filter, pg_temp.with_entities(filter) AS found, (SELECT array_agg(test.n(entry_id) ORDER BY creation_time DESC)
    FROM memory_list('m', jsonb_build_object('entities', filter), store => 'ent')) AS listed,
  memory_count('m', jsonb_build_object('entities', filter), 'ent') AS counted
FROM unnest(ARRAY['"sally"', '"Sarah Miller"', '{"$all": ["Sally", "José"]}', '{"$nin": ["SALLY"], "$in": ["Bob"]}',
  '{"$all": ["Sally", "Sarah Miller"]}']::jsonb[]) filter;
SELECT entity, aliases, entries FROM memory_entities('m', 'sal', store => 'ent');
SELECT test.n(entry_id) AS n FROM memory_about('m', 'Sally', store => 'ent');
SELECT value, entries FROM memory_facets('m', by => '{entities}', max_values => 2, store => 'ent')
UNION ALL SELECT value, entries FROM memory_facets('m', 'paid', '{entities}', 
    options => '{"strategy": "keyword"}', store => 'ent');
SELECT test.n(entry_id::text) AS would_go
FROM memory_delete_where('m', '{"entities": "sally"}', store => 'ent') AS entry_id ORDER BY 1;
-- Another memory has names of its own.
SELECT memory_count('found', '{"entities": "Sarah Miller"}', 'ent') AS others;

-- Names are found in texts if the setting asks for it.
SET memory_search.find_entities = on;
SELECT memory_add('found', 'We met Sarah Miller in Lisbon, see ops@example.org and PROJ-17.', 
  entities => '{Bob,LISBON}', embedding => '[1,0,0,0]', entry_id => test.id(1), store => 'ent') IS NOT NULL AS added;
SELECT count(*) AS added FROM memory_add_many('found', '[{"rawEntry": "Alice called.", "embedding": [1, 0, 0, 0]},
  {"rawEntry": "I saw Alice there.", "embedding": [1, 0, 0, 0]}]', 'ent');
SELECT raw_entry, entities FROM ent.entries WHERE memory_id = 'found' ORDER BY entry_order;
-- A new text removes the names of the old one, and keeps the given ones.
SELECT memory_update('found', test.id(1), 'We met her in Porto.', embedding => '[1,0,0,0]', store => 'ent') AS changed;
SELECT entities FROM ent.entries WHERE entry_id = test.id(1) AND memory_id = 'found';
SELECT memory_update('found', test.id(1), importance => 60, store => 'ent') AS changed,
  memory_update('found', test.id(1), 'In Rome.', entities => '{Carla}', embedding => '[1,0,0,0]',
    store => 'ent') AS given;
SELECT entities FROM ent.entries WHERE entry_id = test.id(1) AND memory_id = 'found';
-- Given names come first, and those of a new text follow, as with memory_add; without a new text they are all.
SELECT memory_update('found', test.id(1), 'We met Carla Weber in Porto.', entities => '{Bob,porto}',
  embedding => '[1,0,0,0]', store => 'ent') AS changed;
SELECT entities FROM ent.entries WHERE entry_id = test.id(1) AND memory_id = 'found';
SELECT memory_update('found', test.id(1), entities => '{Eve}', store => 'ent') AS changed;
SELECT entities FROM ent.entries WHERE entry_id = test.id(1) AND memory_id = 'found';
RESET memory_search.find_entities;
SELECT memory_drop_store('ent', force => true);
