-- A search over several memories gives the same answer as one over a memory with all their entries: the same scores in
-- same order, by the memory index, by the rows, and without an index.
SELECT memory_create_store('sm', 4, 'english');
-- Five memories of different sizes: turns of a conversation and entries further apart, with and without embedding, some
-- deleted, expired, corrected, some whose correction is gone; ties of time, and of time and order.
INSERT INTO sm.entries (memory_id, entry_id, user_id, agent_id, raw_entry, summary, tags, metadata, source_type,
  importance, creation_time, deletion_scheduled_time, expires_at, superseded_by, superseded_time, embedding,
  embedding_model, entry_order)
SELECT 'p' || m, test.id(n),
  CASE n % 3 WHEN 0 THEN NULL WHEN 1 THEN 'ann' ELSE 'bob' END, CASE WHEN n % 4 > 0 THEN 'bot' || n % 4 END,
  test.words(n, 2 + n % 9), CASE WHEN n % 5 > 1 THEN test.words(n + 3000, 2) END,
  CASE WHEN n % 3 > 0 THEN ARRAY[test.word(n), 't' || n % 7] ELSE '{}' END,
  CASE WHEN n % 4 = 1 THEN '{}' ELSE jsonb_build_object('n', n, 'place', test.word(n + 50)) END,
  CASE WHEN n % 2 = 0 THEN 'chat' END, n % 101,
  timestamptz '2025-01-01Z' + n / 3 * CASE WHEN n < 700 THEN interval '3 minutes' ELSE interval '5 hours' END,
  CASE WHEN n % 17 = 0 THEN timestamptz '2025-03-01Z' END,
  CASE WHEN n % 13 = 0 THEN timestamptz '2025-03-15Z' WHEN n % 11 = 0 THEN 'infinity' END,
  CASE WHEN n % 19 = 0 THEN test.id(n + 10) END, CASE WHEN n % 19 = 0 THEN timestamptz '2025-02-20Z' END,
  CASE WHEN n % 8 > 0 THEN test.vector(n / 2)::halfvec END, CASE WHEN n % 7 > 0 THEN 'test' ELSE 'another' END,
  n / 2
FROM generate_series(1, 1500) n, LATERAL (SELECT CASE WHEN n % 10 < 6 THEN 0 ELSE n % 10 - 5 END) t(m);
INSERT INTO sm.contexts (memory_id, context_id, user_id, context, embedding, creation_time)
SELECT 'p' || n % 4, test.id(n), CASE WHEN n % 3 > 0 THEN 'ann' END, test.words(n % 23, 5),
  CASE WHEN n % 5 > 0 THEN test.vector(n) END, timestamptz '2025-01-01Z' + n / 3 * interval '1 hour'
FROM generate_series(1, 60) n;
INSERT INTO sm.entry_access
SELECT memory_id, entry_id, test.n(entry_id) % 9, timestamptz '2025-03-10Z' FROM sm.entries WHERE importance % 2 = 0;
-- One memory with all of it.
INSERT INTO sm.entries (memory_id, entry_id, user_id, agent_id, raw_entry, summary, tags, metadata, source_type,
  importance, creation_time, deletion_scheduled_time, expires_at, superseded_by, superseded_time, embedding,
  embedding_model, entry_order)
SELECT 'union', entry_id, user_id, agent_id, raw_entry, summary, tags, metadata, source_type, importance, creation_time,
  deletion_scheduled_time, expires_at, superseded_by, superseded_time, embedding, embedding_model, entry_order
FROM sm.entries;
INSERT INTO sm.contexts (memory_id, context_id, user_id, context, embedding, creation_time)
SELECT 'union', context_id, user_id, context, embedding, creation_time FROM sm.contexts;
INSERT INTO sm.entry_access SELECT 'union', entry_id, access_count, last_accessed_at FROM sm.entry_access;
CREATE SCHEMA sm_app;
CREATE FUNCTION sm_app.by_length(query text, entries text[]) RETURNS real[] LANGUAGE sql STABLE AS $$
  SELECT array_agg(length(e) % 50 / 50.0 ORDER BY place)::real[] FROM unnest(entries) WITH ORDINALITY t(e, place) $$;

CREATE TABLE calls AS
SELECT row_number() OVER () AS n, query, embedding::memory_embedding AS embedding, filters::jsonb AS filters,
  options::jsonb || '{"asOf": "2025-04-01T00:00:00Z"}' AS options
FROM (VALUES ('tea', NULL), ('lisbon museum cheap ferry', '[1,0.5,-0.2,0]'), ('', '[1,1,1,1]'), ('', NULL)
  ) q(query, embedding),
  (VALUES ('{}'), ('{"userId": "ann"}'), ('{"tags": ["t1", "t2"], "tagMatch": "any", "minImportance": 20}'),
    ('{"rawEntry": {"$ilike": "%tea%"}}'), ('{"accessCount": {"$gte": 2}}')) f(filters),
  (VALUES ('{}'), ('{"boosts": {"popularity": 0.2}, "candidates": 20}'), ('{"mmr": 0.6}'),
    ('{"atMost": {"userId": 2, "metadata.place": 1}}'), ('{"dedupThreshold": 0.8}'), ('{"fusion": "rrf"}'),
    ('{"strategy": "keyword", "match": "all"}'), ('{"strategy": "semantic"}'), ('{"strategy": "recent"}'),
    ('{"includeSuperseded": true}'), ('{"preset": "cortex"}'), ('{"rerank": {"function": "sm_app.by_length"}}')
  ) o(options);
-- The calls are thinned out to a third: each filter with each of some options.
DELETE FROM calls WHERE abs(hashint8(n)) % 3 > 0;
CREATE FUNCTION without_memories(response jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT response || jsonb_build_object(
    'entries', (SELECT coalesce(jsonb_agg(e - 'memoryId' ORDER BY place), '[]')
                FROM jsonb_array_elements(response->'entries') WITH ORDINALITY t(e, place)),
    'contexts', (SELECT coalesce(jsonb_agg(c - 'memoryId' ORDER BY place), '[]')
                 FROM jsonb_array_elements(response->'contexts') WITH ORDINALITY t(c, place))) $$;
CREATE FUNCTION one(c calls, store text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT memory_search('union', c.query, 10, 3, c.embedding, c.filters, c.options, store) $$;
CREATE FUNCTION several(c calls, store text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT memory_search('{p3,p0,p4,p1,p2}'::text[], c.query, 10, 3, c.embedding, c.filters, c.options, store) $$;
CREATE FUNCTION compared(store text)
RETURNS TABLE (calls bigint, same bigint, with_entries bigint, with_contexts bigint) LANGUAGE sql AS $$
  SELECT count(*), count(*) FILTER (WHERE without_memories(several) = without_memories(one)),
    count(*) FILTER (WHERE one->>'count' > '0'), count(*) FILTER (WHERE one->'contexts' <> '[]')
  FROM calls c, one(c, store), several(c, store) $$;
CREATE FUNCTION way(store text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(r->>'path', ', ' ORDER BY place)
  FROM jsonb_array_elements(memory_search('{p0,p1}'::text[], 'tea', embedding => '[1,0,0,0]', store => store,
      options => '{"diagnostics": true}') #> '{diagnostics,reads}') WITH ORDINALITY t(r, place)
  WHERE r->>'relation' = 'entries' $$;
SELECT way('sm'), c.* FROM compared('sm') c;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT way('sm'), c.* FROM compared('sm') c;
COMMIT;
SET enable_indexscan = off;
SELECT way('sm'), c.* FROM compared('sm') c;
RESET enable_indexscan;
VACUUM sm.entries;
SELECT way('sm'), c.* FROM compared('sm') c;

-- The answer names the memory of each entry and context.
SELECT count(*) AS entries, count(*) FILTER (WHERE e.memory_id = r->>'memoryId') AS of_their_memory,
  count(DISTINCT e.memory_id) AS memories
FROM calls c, several(c, 'sm') s, jsonb_array_elements(s->'entries') r
  JOIN sm.entries e ON e.entry_id::text = r->>'entryId' AND e.memory_id <> 'union';
SELECT count(*) AS contexts, count(*) FILTER (WHERE k.memory_id = r->>'memoryId') AS of_their_memory,
  count(DISTINCT k.memory_id) AS memories
FROM calls c, several(c, 'sm') s, jsonb_array_elements(s->'contexts') r
  JOIN sm.contexts k ON k.context_id::text = r->>'contextId' AND k.memory_id <> 'union';
-- memory_search_entries, memory_explain and memory_build_context over several memories.
SELECT count(*) FILTER (WHERE (SELECT array_agg(to_jsonb(r) - 'memory_id' ORDER BY rank)
    FROM memory_search_entries('{p0,p1,p2,p3,p4}'::text[], query, 40, embedding, filters, options, 'sm') r)
  IS NOT DISTINCT FROM (SELECT array_agg(to_jsonb(r) - 'memory_id' ORDER BY rank)
    FROM memory_search_entries('union', query, 40, embedding, filters, options, 'sm') r)) AS same, count(*)
FROM calls;
SELECT count(*) FILTER (WHERE (SELECT array_agg(to_jsonb(r) - 'memory_id' ORDER BY place, entry_id)
    FROM memory_explain('{p0,p1,p2,p3,p4}'::text[], query, 10, embedding, filters, options, store => 'sm') r
    WHERE entry_id IS NOT NULL)
  IS NOT DISTINCT FROM (SELECT array_agg(to_jsonb(r) ORDER BY place, entry_id)
    FROM memory_explain('union', query, 10, embedding, filters, options, store => 'sm') r
    WHERE entry_id IS NOT NULL)) AS same, count(*)
FROM calls;
SELECT count(*) FILTER (WHERE
    memory_build_context('{p0,p1,p2,p3,p4}'::text[], query, embedding, 'You help.', 700, NULL, filters, options || o,
      'sm')
    = memory_build_context('union', query, embedding, 'You help.', 700, NULL, filters, options || o, 'sm')) AS same,
  count(*)
FROM calls, (VALUES ('{}'::jsonb), ('{"pinned": {"importance": {"$gte": 99}}}')) o(o);
-- A list with one memory means that memory; order, repetitions and unknown memories do not matter.
SELECT count(*) FILTER (WHERE memory_search(list, query, 10, 3, embedding, filters, options, 'sm')
    = memory_search('p1', query, 10, 3, embedding, filters, options, 'sm')) AS same, count(*)
FROM calls, (VALUES ('{p1}'::text[]), ('{p1,p1}'), ('{nobody,p1,none}')) l(list);
SELECT count(*) FILTER (WHERE several(c, 'sm')
    = memory_search('{p0,p1,p2,p3,p4,p2,p0}'::text[], query, 10, 3, embedding, filters, options, 'sm')) AS same,
  count(*)
FROM calls c;
SELECT memory_search('{}'::text[], 'tea', store => 'sm'), memory_search('{nobody}'::text[], 'tea', store => 'sm');
-- By the request, ids of other types, and a literal, which names one memory.
SELECT count(*) FILTER (WHERE several(c, 'sm') = memory_search(jsonb_build_object('memoryId',
      '["p0", "p1", "p2", "p3", "p4"]'::jsonb, 'query', query, 'top_ke', 10, 'top_kc', 3, 'filters', filters,
      'options', options, 'store', 'sm', 'embedding', embedding::text::jsonb))) AS same, count(*)
FROM calls c;
SELECT memory_search('{p0,p1}'::varchar[], 'tea', store => 'sm')
  = memory_search('{p0,p1}'::text[], 'tea', store => 'sm') AS same;
SELECT memory_search('{p0,p1}', 'tea', store => 'sm')->>'count' AS of_a_memory_of_that_name;

-- One id in two memories means two entries, with each way of reading.
INSERT INTO sm.entries (memory_id, entry_id, raw_entry, embedding, creation_time, importance, user_id, entry_order)
SELECT 't' || m, test.id(n), 'twin kettle ' || test.words(n * 10 + m, 3), test.vector(n + m),
  '2025-01-01Z', 40 + m, 'u' || m, n
FROM generate_series(1, 20) n, generate_series(1, 3) m;
INSERT INTO sm.entry_access SELECT memory_id, entry_id, importance, now() FROM sm.entries WHERE memory_id ~ '^t';
CREATE FUNCTION twins(how jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT memory_search('{t3,t2,t1}'::text[], 'kettle', 10, embedding => '[1,0,0,0]', store => 'sm',
    options => '{"asOf": "2025-06-01T00:00:00Z", "boosts": {"popularity": 0.1}}' || how) $$;
SELECT how, count(*) AS entries, count(DISTINCT e->>'entryId' || (e->>'memoryId')) AS different,
  bool_and(e->>'userId' = 'u' || right(e->>'memoryId', 1) AND e->>'accessCount' = e->>'importance'
    AND (e->>'importance')::int = 40 + right(e->>'memoryId', 1)::int) AS are_themselves
FROM (VALUES ('{}'::jsonb), ('{"mmr": 0.5}'), ('{"dedupThreshold": 0.9}'), ('{"atMost": {"userId": 3}}'),
    ('{"strategy": "recent"}'), ('{"rerank": {"function": "sm_app.by_length"}}')) h(how),
  jsonb_array_elements(twins(how)->'entries') e
GROUP BY how ORDER BY how::text;
CREATE TABLE kept AS
SELECT how, twins(how) FROM (VALUES ('{}'::jsonb), ('{"mmr": 0.5}'), ('{"strategy": "recent"}')) h(how);
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FILTER (WHERE twins = twins(how)) AS same, count(*) FROM kept;
COMMIT;

-- Prefixes are compared by their bytes, for every collation; a star at the end marks a prefix.
INSERT INTO sm.entries (memory_id, raw_entry, embedding)
SELECT m, 'a pebble', '[1,0,0,0]'
FROM unnest('{org/team/a,org/team/b,org/team,org/teams,Org/team/c,org/te_m/x,org/te%m/y,org/team*,"org/team/ä",
  org-team}'::text[]) m;
SELECT memory_put_context('org/team/only-a-context', 'pebbles', store => 'sm') IS NOT NULL AS put;
SELECT prefixes, (SELECT array_agg(e->>'memoryId' ORDER BY e->>'memoryId' COLLATE "C")
  FROM jsonb_array_elements(memory_search(ids, 'pebble', 10, embedding => '[1,0,0,0]', store => 'sm',
      prefixes => prefixes)->'entries') e) AS found
FROM (VALUES ('{}'::text[], '{org/team/*}'::text[]), ('{}', '{org/team/}'), ('{org-team}', '{org/team/,org/team/a*}'),
    ('{}', '{org/te_m/*}'), ('{}', '{org/te%*}'), ('{}', '{org/team**}'), ('{}', '{nothing/}'),
    ('{org/team*,org/team/*}', '{}'), ('{}', NULL)) t(ids, prefixes);
SELECT memory_search('{"memoryId": {"prefix": "org/team/"}, "query": "pebble", "store": "sm"}')->>'latestContext'
    AS context,
  memory_search('{"memoryId": ["org-team", {"prefix": "org/team/*"}], "query": "pebble", "store": "sm"}')->>'count'
    AS found;
SELECT outcome FROM memory_explain('{}'::text[], 'pebble', prefixes => '{nothing/}', store => 'sm');
SELECT outcome FROM memory_explain('{p0,p1}'::text[], 'zzz', options => '{"strategy": "keyword", "fallback": false}',
  store => 'sm');
SELECT outcome, memory_id FROM memory_explain('{p1,p0}'::text[], 'tea', entry_id => test.id(34)::text, store => 'sm');
SELECT outcome, memory_id
FROM memory_explain('{p1,p0}'::text[], 'tea', entry_id => test.id(99999)::text, store => 'sm');
-- Wrong lists of memories, and too many memories.
SELECT test.error(call) FROM (VALUES
  ($$SELECT memory_search(NULL::text[], 'tea')$$),
  ($$SELECT memory_search(ARRAY['p0', NULL], 'tea')$$), ($$SELECT memory_recall(ARRAY[NULL::uuid], 'tea')$$),
  ($$SELECT memory_search_entries('{p0}'::text[], 'tea', prefixes => ARRAY['org/', NULL])$$),
  ($$SELECT memory_explain(ARRAY[1, NULL], 'tea')$$), ($$SELECT memory_build_context(ARRAY[NULL, 'p0'], 'tea')$$),
  ($$SELECT memory_search('{""}'::text[], 'tea')$$),
  ($$SELECT memory_search('{a}'::text[], 'tea', prefixes => '{""}')$$),
  ($$SELECT memory_search('{"memoryId": [1], "query": "q"}')$$),
  ($$SELECT memory_search('{"memoryId": {"prefx": "a"}, "query": "q"}')$$),
  ($$SELECT memory_search('{"memoryId": {}, "query": "q"}')$$),
  ($$SELECT memory_search('{"memoryId": 1, "query": "q"}')$$),
  ($$SELECT memory_search(ARRAY(SELECT 'm' || n FROM generate_series(1, 1001) n), 'tea', store => 'sm')$$)
) t(call);
SELECT memory_search(ARRAY(SELECT 'm' || n FROM generate_series(1, 999) n) || '{p0,p0}'::text[], 'tea', 1,
    store => 'sm')->>'count' AS found;
INSERT INTO sm.entries (memory_id, raw_entry, creation_time)
SELECT 'many/' || n, 'x', '2025-01-01Z' FROM generate_series(1, 1001) n;
SELECT test.error($$SELECT memory_search('{}'::text[], 'x', store => 'sm', prefixes => '{many/}')$$);
-- A memory whose rows are all deleted does not count; as of an instant before the deletion, it does.
UPDATE sm.entries SET deletion_scheduled_time = '2025-05-01Z' WHERE memory_id LIKE 'many/%' AND memory_id <> 'many/7';
SELECT e->>'memoryId' AS not_deleted
FROM jsonb_array_elements(memory_search('{}'::text[], '', 10, store => 'sm', prefixes => '{many/}')->'entries') e;
-- Many prefixes are looked up in one pass over the memories.
SET statement_timeout = '10s';
SELECT array_agg(e->>'memoryId') AS not_deleted
FROM jsonb_array_elements(memory_search('{}'::text[], '', 10, store => 'sm',
  prefixes => ARRAY(SELECT 'many/' || n FROM generate_series(0, 5000) n))->'entries') e;
RESET statement_timeout;
SELECT test.error($$SELECT memory_search('{}'::text[], 'x', store => 'sm', prefixes => '{many/}',
  options => '{"asOf": "2025-04-01T00:00:00Z"}')$$);
-- memory_recall counts a use of each found entry in its own memory.
CREATE TABLE recalled AS SELECT f FROM jsonb_array_elements(
  memory_recall('{t1,t2,t3}'::text[], 'kettle', 10, store => 'sm')->'entries') f;
SELECT sum(a.access_count - e.importance) AS uses, sum(a.access_count - e.importance) FILTER (
    WHERE (memory_id, entry_id::text) IN (SELECT f->>'memoryId', f->>'entryId' FROM recalled)) AS of_those
FROM sm.entry_access a JOIN sm.entries e USING (memory_id, entry_id)
WHERE memory_id ~ '^t';
DROP TABLE recalled;

-- Under row-level security a prefix finds the memories with rows that the caller sees; statistics are of these rows.
CREATE ROLE sm_ann;
GRANT USAGE ON SCHEMA sm_app TO sm_ann;
GRANT SELECT ON calls TO sm_ann;
SELECT memory_grant('sm', 'sm_ann');
SELECT memory_enable_row_security('sm', 'app.sm_user');
SET app.sm_user = 'ann';
SET ROLE sm_ann;
SELECT way('sm'), c.* FROM compared('sm') c;
SELECT count(*) FILTER (WHERE several(c, 'sm')
    = memory_search('{}'::text[], query, 10, 3, embedding, filters, options, 'sm', prefixes => '{p*}')) AS same,
  count(*)
FROM calls c;
SELECT memory_search('{}'::text[], 'pebble', store => 'sm', prefixes => '{org/}')->>'count' AS of_others;
RESET ROLE;
RESET app.sm_user;
DROP OWNED BY sm_ann;
DROP ROLE sm_ann;

-- Without a memory index, and under other policies, the rows give the same answer.
DROP INDEX sm.entries_memory;
SELECT way('sm'), c.* FROM compared('sm') c;
-- An adopted table, whose memories have uuids: each notation of a uuid is the same memory.
CREATE TABLE sm_app.log AS
SELECT md5(memory_id)::uuid AS chat, entry_id AS pk, raw_entry AS said, embedding AS meaning, creation_time AS made
FROM sm.entries WHERE memory_id ~ '^(p.|union)$';
ALTER TABLE sm_app.log ADD PRIMARY KEY (chat, pk);
SELECT memory_adopt_table('sm_log', 'sm_app.log', '{"memory_id": "chat", "entry_id": "pk", "raw_entry": "said",
  "embedding": "meaning", "creation_time": "made"}');
SELECT count(*) FILTER (WHERE without_memories(s) = without_memories(o)) AS same,
  count(*) FILTER (WHERE o->>'count' > '0') AS with_entries, count(*)
FROM calls c,
  memory_search(ARRAY(SELECT md5('p' || n)::uuid FROM generate_series(4, 0, -1) n), query, 10, 3, embedding,
    options => options - 'atMost', store => 'sm_log') s,
  memory_search(md5('union')::uuid, query, 10, 3, embedding, options => options - 'atMost', store => 'sm_log') o
WHERE filters = '{}';
SELECT memory_search(ARRAY[upper(md5('p1')), md5('p1'), md5('p1')::uuid::text, 'no uuid'], 'tea',
    store => 'sm_log')->'count' = memory_search(md5('p1'), 'tea', store => 'sm_log')->'count' AS is_one,
  (SELECT count(DISTINCT e->>'memoryId') FROM jsonb_array_elements(
      memory_search('{}'::text[], 'tea', 10, store => 'sm_log', prefixes => '{*}')->'entries') e) > 1 AS by_prefix;
DROP SCHEMA sm, sm_app, sm_log CASCADE;
DROP TABLE calls CASCADE;
DROP TABLE kept;
DROP FUNCTION without_memories, way, compared, twins;
