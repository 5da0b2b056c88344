-- memory_get gives entries by their ids, in their order, as rows like a search's.
SELECT memory_create_store('ge', 4);
SET memory_search.embed_on_write = off;
SELECT memory_add('m', 'entry ' || n, entry_id => test.id(n), store => 'ge', creation_time => '2025-01-01Z',
    user_id => 'u' || n % 2) IS NOT NULL AS added
FROM generate_series(1, 5) n;
SELECT memory_add('m', 'whole', 'short', 'on the way', '{a,b}', '{"n": 123456789012345678901234567890}', 70,
    user_id => 'ana', agent_id => 'bot', source_type => 'chat', creation_time => '2025-01-02Z', entry_id => test.id(6),
    expires_at => '2999-01-01Z', store => 'ge');
SELECT memory_touch('m', ARRAY[test.id(6)], 'ge'), memory_touch('m', ARRAY[test.id(6)], 'ge');
SET timezone = 'UTC';
\x on
SELECT * FROM memory_get('m', ARRAY[test.id(6)], store => 'ge');
\x off
-- It has the columns of a search's rows, except those that a search adds.
SELECT (to_jsonb(g) - ARRAY['session_id', 'entry_key', 'context', 'expires_at', 'valid_from',
    'valid_until', 'ttl', 'superseded_by', 'deletion_scheduled_time', 'embedding', 'entities'])
  = to_jsonb(s) - ARRAY['rank', 'strategy', 'score', 'semantic', 'keyword', 'bm25', 'relevance', 'recency_factor',
    'importance_factor', 'popularity_factor'] AS same
FROM memory_get('m', ARRAY[test.id(6)], store => 'ge') g, memory_search_entries('m', 'whole', 1, store => 'ge') s;
-- Entries come in the order of the ids, each once; unknown ids and texts that are no ids are left out. The ids may be
-- of any type of array.
CREATE FUNCTION got(ids anycompatiblearray, options jsonb DEFAULT NULL, memory text DEFAULT 'm') RETURNS bigint[]
LANGUAGE sql AS $$
  SELECT array_agg(test.n(entry_id) ORDER BY ordinality) FROM memory_get(memory, ids, options, 'ge') WITH ORDINALITY
$$;
SELECT got(ARRAY[test.id(5), test.id(2), test.id(99), NULL, test.id(2), test.id(1)]) AS uuids,
  got(ARRAY[test.id(3)::text, 'nobody', upper(test.id(1)::text)]) AS texts,
  got('{00000000-0000-0000-0000-000000000004}') AS literal,
  got(ARRAY[1, 2]) AS numbers, got('{}'::uuid[]) AS none, got(ARRAY[test.id(1)], memory => 'other') AS of_another;
-- Options show hidden entries: each option adds the entries of one reason.
SELECT memory_delete('m', ARRAY[test.id(1)], store => 'ge') AS deleted,
  memory_update('m', test.id(2), expires_at => '2025-01-03Z', store => 'ge') AS expired,
  memory_supersede('m', test.id(3), test.id(4), 'ge') AS corrected;
SELECT options, got(ARRAY[test.id(1), test.id(2), test.id(3), test.id(4)], options)
FROM (VALUES (NULL::jsonb), ('{}'), ('{"includeDeleted": true}'), ('{"includeExpired": true}'),
  ('{"includeSuperseded": true}'), ('{"includeDeleted": true, "includeExpired": true, "includeSuperseded": true}'),
  ('{"asOf": "2025-01-02T00:00:00Z"}'), ('{"asOf": "2024-01-01T00:00:00Z"}'),
  ('{"asOf": "2025-01-02T00:00:00Z", "includeExpired": false}')) o(options);
SELECT test.n(entry_id) AS n, test.n(superseded_by) AS superseded_by, expires_at, deletion_scheduled_time <= now()
  AS deleted
FROM memory_get('m', ARRAY[test.id(1), test.id(2), test.id(3)],
    '{"includeDeleted": true, "includeExpired": true, "includeSuperseded": true}', 'ge');
-- It shows the entries that a search could find: none that a correction hides, and one whose correction is gone.
SELECT memory_delete('m', ARRAY[test.id(4)], store => 'ge') AS correction_deleted;
SELECT got(ARRAY[test.id(3), test.id(4)]) AS reinstated,
  (SELECT superseded_by FROM memory_get('m', ARRAY[test.id(3)], '{"includeSuperseded": true}', 'ge')) IS NULL AS none;
-- Embeddings are shown if they are requested.
UPDATE ge.entries SET embedding = '[0.5,-1,0.25,2]' WHERE entry_id = test.id(5);
SELECT o.options, test.n(entry_id) AS n, embedding
FROM (VALUES ('{}'::jsonb), ('{"includeEmbedding": true}')) o(options),
  memory_get('m', ARRAY[test.id(5), test.id(6)], o.options, 'ge') ORDER BY 1, 2;
SELECT e->>'entryId' AS id, e->'embedding' AS embedding
FROM jsonb_array_elements(memory_search('m', 'entry', store => 'ge', options => '{"fields": ["entryId", "embedding"],
    "strategy": "recent", "neighbours": {"after": 1}}')->'entries') e WHERE e->>'entryId' > test.id(4)::text ORDER BY 1;
SELECT memory_search('m', 'entry', store => 'ge')::text LIKE '%embedding%' AS unasked,
  memory_search('m', 'entry', store => 'ge', options => '{"fields": ["rawEntry"]}')::text LIKE '%embedding%'
    AS left_out;
-- Adopted tables: ids of their own types; columns that they lack are null.
CREATE TABLE ge_notes (id bigint PRIMARY KEY, who uuid, body text);
INSERT INTO ge_notes SELECT n, test.id(1), 'note ' || n FROM generate_series(1, 3) n;
SELECT memory_adopt_table('ge_adopted', 'ge_notes', '{"memory_id": "who", "entry_id": "id", "raw_entry": "body"}');
SELECT entry_id, memory_id, raw_entry, tags, metadata, importance, access_count, creation_time, embedding
FROM memory_get(test.id(1)::text, ARRAY[3, 1, 7], '{"includeEmbedding": true}', 'ge_adopted');
SELECT entry_id FROM memory_get(upper(test.id(1)::text), '{2,x,1.5, 3}', store => 'ge_adopted');
SELECT count(*) AS of_no_id FROM memory_get('nobody', ARRAY[1], store => 'ge_adopted');
-- Row-level security and privileges are the caller's.
SELECT test.reader_under_policies('ge', 'ge_reader');
SET ROLE ge_reader;
SET memory_search.user_id = 'u1';
SELECT got(ARRAY[test.id(5), test.id(6), test.id(3)]) AS of_u1;
RESET ROLE;
CREATE ROLE ge_nobody;
SET ROLE ge_nobody;
SELECT test.error($$SELECT * FROM memory_get('m', ARRAY[1], store => 'ge')$$);
RESET ROLE;
-- Arguments that do not fit.
SELECT test.error(call)
FROM (VALUES ($$SELECT memory_get(NULL, '{}'::uuid[], store => 'ge')$$),
  ($$SELECT memory_get('m', NULL::uuid[], store => 'ge')$$),
  ($$SELECT memory_get('m', '{}'::uuid[], '{"includeDelete": true}', 'ge')$$),
  ($$SELECT memory_get('m', '{}'::uuid[], '{"includeDeleted": "yes"}', 'ge')$$),
  ($$SELECT memory_get('m', '{}'::uuid[], store => 'no_such_store')$$),
  ($$SELECT memory_get('m', (SELECT array_agg(n) FROM generate_series(1, 10001) n), store => 'ge')$$)) c(call);
DROP FUNCTION got;
SELECT memory_drop_store('ge', true), memory_drop_store('ge_adopted', true);
DROP TABLE ge_notes;
DROP ROLE ge_reader, ge_nobody;
