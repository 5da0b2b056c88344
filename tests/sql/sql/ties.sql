-- Ties are ordered by time, newest first, then by id: the order of rows in the table does not change the answer.
SELECT memory_create_store('ti', 4);
CREATE FUNCTION fill(ordering text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE ti.entries, ti.entry_access, ti.contexts, ti.links;
  -- Eight equal entries, two on each of four days; three equal contexts and a latest one.
  EXECUTE 'INSERT INTO ti.entries (memory_id, entry_id, raw_entry, embedding, creation_time)
    SELECT ''m'', test.id(n), ''these equal words'', ''[1,0,0,0]'',
      timestamptz ''2025-01-01Z'' + n % 4 * interval ''1 day''
    FROM generate_series(1, 8) n ORDER BY ' || ordering;
  EXECUTE 'INSERT INTO ti.contexts (memory_id, context_id, context, embedding, creation_time)
    SELECT ''m'', test.id(n), ''an equal context '' || n, ''[1,0,0,0]'', ''2025-01-01Z''
    FROM generate_series(1, 4) n ORDER BY ' || ordering;
END $$;
CREATE FUNCTION answers() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT strategy || ' ' || test.found(response)::text || ' contexts '
    || (SELECT array_agg(test.n(c->>'contextId') ORDER BY place)
        FROM jsonb_array_elements(response->'contexts') WITH ORDINALITY c(c, place))::text
  FROM (VALUES ('hybrid'), ('keyword'), ('semantic'), ('recent')) s(strategy),
    LATERAL memory_search('m', 'equal', 10, 3, '[1,0,0,0]',
        options => jsonb_build_object('strategy', strategy, 'boosts', '{"recency": 0}'::jsonb,
            'asOf', '2025-03-01T00:00:00Z'),
        store => 'ti') response $$;
SELECT fill('n');
SELECT * FROM answers();
-- Every physical order gives the same answer, and so do few candidates.
SELECT ordering, fill(ordering),
  (SELECT md5(string_agg(a, '' ORDER BY a)) = (SELECT md5(string_agg(a, '' ORDER BY a)) FROM answers() a)
   FROM answers() a) AS stable
FROM (VALUES ('n DESC'), ('md5(n::text)'), ('n % 3, n')) t(ordering);
SELECT fill('md5(n::text)');
SELECT * FROM answers();
SELECT candidates,
  test.found(memory_search('m', 'equal', 3, embedding => '[1,0,0,0]', store => 'ti',
      options => jsonb_build_object('strategy', strategy, 'candidates', candidates, 'boosts', '{"recency": 0}'::jsonb,
          'asOf', '2025-03-01T00:00:00Z')))
FROM (VALUES ('hybrid'), ('keyword'), ('semantic')) s(strategy), (VALUES (3), (5)) c(candidates)
ORDER BY strategy, candidates;
-- Equal bytes for an equal snapshot and asOf, in one session and after its plans are discarded.
SELECT md5(memory_search('m', 'equal', 10, 3, '[1,0,0,0]', options => '{"asOf": "2025-03-01T00:00:00Z"}',
    store => 'ti')::text) AS before \gset
DISCARD ALL;
SET memory_search.store = 'ti';
SELECT md5(memory_search('m', 'equal', 10, 3, '[1,0,0,0]', options => '{"asOf": "2025-03-01T00:00:00Z"}')::text)
  = :'before' AS same_bytes;
SET enable_seqscan = off;
SET enable_sort = off;
SELECT md5(memory_search('m', 'equal', 10, 3, '[1,0,0,0]', options => '{"asOf": "2025-03-01T00:00:00Z"}')::text)
  = :'before' AS same_bytes_by_index;
RESET ALL;
DROP FUNCTION fill, answers;
DROP SCHEMA ti CASCADE;
