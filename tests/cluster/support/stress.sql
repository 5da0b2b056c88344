-- The objects that test_stress.py and test_damaged_pages.py need: a store, the statements by which sessions search and
-- write, and the comparison of a search's paths. All random choices of a call follow from its number n: calls with the
-- same n ask the same. (The answers depend on the writes of other sessions.)
SET client_min_messages = warning;
SELECT memory_create_store('s', 256, 'simple');
CREATE SCHEMA stress;

-- Memories, with the number of visible entries that writers keep them near. In a wide row, PostgreSQL compresses each
-- value that gets smaller by it. So an id of the second kind is compressed in the table, and in an index that is made
-- from it, but not in the tuple that an INSERT puts into an index: the index has both forms. Memories that are adjacent
-- in the order of ids have few entries, so that a page has the end of one and the beginning of the next.
CREATE TABLE stress.memories (number int PRIMARY KEY, kind text NOT NULL, wanted int NOT NULL, id text NOT NULL UNIQUE);
INSERT INTO stress.memories VALUES
  (0, 'plain', 400, 'plain'),
  (1, 'plain', 40, 'small'),
  (2, 'plain', 1000, 'more'),
  (3, 'plain', 4000, 'large'),
  (4, 'compressed', 400, 'user-00000000-0000-0000-0000-000000000042'),
  (5, 'compressed', 20, 'user-00000000-0000-0000-0000-000000000041'),
  (6, 'compressed', 20, 'user-00000000-0000-0000-0000-000000000043'),
  (7, 'compressed', 300, repeat('x', 60)),
  (8, 'compressed', 20, repeat('x', 61)),
  (9, 'compressed', 100, repeat('long-', 70)),
  -- These ids are so long that few of them fit on a page.
  (10, 'long', 60, repeat('very long', 60));

-- A number from 0 to below - 1, the same for the same n and nth.
CREATE FUNCTION stress.pick(n bigint, nth bigint, below bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
  RETURN (hashint8extended(n, nth) & 9223372036854775807) % below;

CREATE FUNCTION stress.memory(n bigint) RETURNS text LANGUAGE sql STABLE RETURN (
  SELECT id FROM stress.memories
  WHERE number = (ARRAY[0, 0, 1, 2, 3, 3, 4, 4, 4, 4, 4, 5, 6, 7, 7, 7, 8, 9, 9, 10])[1 + stress.pick(n, 0, 20)]);

-- A user's id, which may be compressed too; or none.
CREATE FUNCTION stress.user_id(n bigint) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN (ARRAY['ann', 'user-00000000-0000-0000-0000-000000000007', NULL])[1 + stress.pick(n, 1, 3)];

-- Some of the words are common and many are rare. One text in four also has long words, which do not compress: its row
-- is wide. One in 25 has 900 words, more than a page of the index's tree holds.
CREATE FUNCTION stress.text(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(word, ' ') FROM (
    SELECT 'w' || ((stress.pick(n, 100 + g, 1000) / 1000.0) ^ 3 * 300)::int
      FROM generate_series(1, 8 + stress.pick(n, 2, 50)::int) g
    UNION ALL SELECT translate(left(md5(n || '/' || g), 30), '0123456789', 'ghijklmnop')
      FROM generate_series(1, CASE stress.pick(n, 3, 4) WHEN 0 THEN 40 ELSE 0 END) g
    UNION ALL SELECT 'v' || g
      FROM generate_series(1, CASE stress.pick(n, 4, 25) WHEN 0 THEN 900 ELSE 0 END) g) words (word) $$;

-- An embedding. Some entries have none, and many share one of forty, so that distances are the same.
CREATE FUNCTION stress.vector(n bigint) RETURNS real[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg(sin(seed * g)::real)
  FROM generate_series(1, 256) g,
    (SELECT CASE stress.pick(n, 5, 3) WHEN 0 THEN stress.pick(n, 6, 40) ELSE stress.pick(n, 7, 9999) END + 1) s (seed)
  WHERE stress.pick(n, 8, 12) > 0 $$;

-- The embedding of a query: of length 1, and exact in half precision, so that plain SQL computes with the same values.
CREATE FUNCTION stress.question(n bigint) RETURNS real[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg(CASE stress.pick(n, 1000 + g, 2) WHEN 0 THEN 0.0625 ELSE -0.0625 END::real)
  FROM generate_series(1, 256) g $$;

-- Whole seconds, so that times are the same too; a few are still to come.
CREATE FUNCTION stress.creation_time(n bigint) RETURNS timestamptz LANGUAGE sql STABLE
  RETURN date_trunc('second', now()) - (stress.pick(n, 9, 3600) - 5) * interval '1 second';

-- Soon, where an entry expires at all.
CREATE FUNCTION stress.expires_at(n bigint) RETURNS timestamptz LANGUAGE sql STABLE
  RETURN CASE stress.pick(n, 10, 10) WHEN 0 THEN now() + stress.pick(n, 11, 20000) * interval '1 ms' END;

-- Rows as an application inserts them. An embedding of zeros, which has no direction, can only come so.
CREATE FUNCTION stress.insert(memory text, n bigint, how_many bigint) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  WITH inserted AS (
    INSERT INTO s.entries (memory_id, user_id, raw_entry, importance, creation_time, expires_at, metadata, embedding)
    SELECT memory, stress.user_id(i), stress.text(i), stress.pick(i, 12, 101), stress.creation_time(i),
      stress.expires_at(i), jsonb_build_object('n', i),
      CASE stress.pick(i, 13, 40) WHEN 0 THEN array_fill(0::real, ARRAY[256]) ELSE stress.vector(i) END::halfvec
    FROM generate_series(n * 10000, n * 10000 + how_many - 1) i
    RETURNING 1)
  SELECT count(*) FROM inserted $$;

-- --- What is asked ---------------------------------------------------------------------------------------------------

-- A superuser reads the memory index; so does a reader under the store's policies. A role with privileges on all
-- columns, but not on the table, asks the executor first.
CREATE ROLE stress_user;
CREATE ROLE stress_columns BYPASSRLS;
CREATE ROLE stress_user_columns;
SELECT memory_grant('s', 'stress_user'), memory_enable_row_security('s');
GRANT USAGE ON SCHEMA stress TO stress_user;
GRANT USAGE ON SCHEMA s, stress TO stress_columns, stress_user_columns;
SELECT format('GRANT SELECT (%s) ON s.entries TO stress_columns, stress_user_columns', string_agg(attname, ', '))
  FROM pg_attribute WHERE attrelid = 's.entries'::regclass AND attnum > 0 AND NOT attisdropped \gexec
GRANT SELECT ON s.contexts, s.entry_access TO stress_columns, stress_user_columns;

CREATE TYPE stress.question AS (
  memory text, whose text, query text, embedding real[], k int, filters jsonb, options jsonb);
CREATE TYPE stress.answer AS (way text, path text, rows bigint, matching bigint, response jsonb, entries jsonb);

-- The search number n.
CREATE FUNCTION stress.question_number(n bigint) RETURNS stress.question LANGUAGE sql STABLE AS $$
  SELECT stress.memory(n),
    -- One search in four runs under the policies.
    CASE stress.pick(n, 20, 4) WHEN 0 THEN coalesce(stress.user_id(n), 'ann') END,
    (SELECT string_agg('w' || ((stress.pick(n, 30 + g, 1000) / 1000.0) ^ 2 * 300)::int, ' ')
       FROM generate_series(1, 1 + stress.pick(n, 21, 4)::int) g),
    stress.question(stress.pick(n, 22, 1000)),
    1 + stress.pick(n, 23, 20)::int,
    (ARRAY['{"userId": "ann"}', '{"userId": "user-00000000-0000-0000-0000-000000000007"}', '{"minImportance": 40}',
           '{}', '{}', '{}'])[1 + stress.pick(n, 24, 6)]::jsonb,
    jsonb_build_object(
      'strategy', (ARRAY['hybrid', 'hybrid', 'semantic', 'semantic', 'keyword', 'recent'])[1 + stress.pick(n, 25, 6)],
      'candidates', (ARRAY[20, 75, 300])[1 + stress.pick(n, 26, 3)],
      'fallback', stress.pick(n, 27, 2) = 0)
    || CASE stress.pick(n, 28, 2)
         WHEN 0 THEN '{"boosts": {"recency": 0, "importance": 0, "length": 0}}' ELSE '{}' END::jsonb
    -- As of the begin of the transaction, by default and by asOf, and as of an instant before it.
    || CASE WHEN stress.pick(n, 29, 3) > 0 THEN jsonb_build_object('asOf', to_char(
         now() AT TIME ZONE 'UTC' - (stress.pick(n, 29, 3) - 1) * stress.pick(n, 19, 30000) * interval '1 ms',
         'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) ELSE '{}' END $$;

-- The answer on one of the paths: the memory "index"; the index, "filtered" by rows that it reads (with a filter that
-- all entries pass); for a role with privileges on columns only, "asked", the index with statements that ask for its
-- rows, and the rows of the "table".
CREATE FUNCTION stress.answer(asked stress.question, way text) RETURNS stress.answer LANGUAGE plpgsql AS $$
DECLARE
  got stress.answer;
  filters jsonb := asked.filters || CASE way WHEN 'filtered' THEN '{"metadata": {}}' ELSE '{}' END::jsonb;
BEGIN
  PERFORM set_config('memory_search.user_id', coalesce(asked.whose, ''), true);
  PERFORM set_config('role', CASE
    WHEN way IN ('asked', 'table') AND asked.whose IS NULL THEN 'stress_columns'
    WHEN way IN ('asked', 'table') THEN 'stress_user_columns'
    WHEN asked.whose IS NOT NULL THEN 'stress_user'
    ELSE 'none' END, true);
  PERFORM set_config('enable_indexscan', CASE way WHEN 'table' THEN 'off' ELSE 'on' END, true);
  got.way := way;
  got.response := memory_search(asked.memory, asked.query, asked.k, 3, asked.embedding, filters,
    asked.options || '{"diagnostics": true}', 's');
  -- Scores with all their digits, where the response has six.
  got.entries := (SELECT coalesce(jsonb_agg(to_jsonb(f) ORDER BY f.rank), '[]')
    FROM memory_search_entries(asked.memory, asked.query, asked.k, asked.embedding, filters, asked.options, 's') f);
  PERFORM set_config('role', 'none', true);
  PERFORM set_config('enable_indexscan', 'on', true);
  got.path := got.response #>> '{diagnostics,reads,0,path}';
  got.rows := (got.response #>> '{diagnostics,reads,0,rows}')::bigint;
  got.matching := (got.response #>> '{diagnostics,reads,0,matching}')::bigint;
  got.response := got.response - 'diagnostics';
  RETURN got;
END $$;

-- The oracle in plain SQL, without any index: the numbers of visible rows, of rows that a search reads, of rows among
-- these that hold a word, and of rows that may be found; the first rows by distance and by time, in the documented
-- order. A superseded entry is hidden as long as any correction of it is present, directly or through others.
CREATE TYPE stress.oracle AS (visible bigint, rows bigint, matching bigint, wordy bigint, nearest jsonb, newest jsonb);
CREATE FUNCTION stress.by_sql(asked stress.question) RETURNS stress.oracle LANGUAGE sql STABLE
  SET enable_indexscan = off SET enable_indexonlyscan = off SET enable_bitmapscan = off AS $$
  WITH RECURSIVE moment AS (SELECT (asked.options->>'asOf')::timestamptz AS as_of),
  there AS MATERIALIZED (
    SELECT e.*, as_of,
      (e.deletion_scheduled_time IS NULL OR coalesce(e.deletion_scheduled_time > as_of, false))
        AND (e.expires_at IS NULL OR e.expires_at > coalesce(as_of, now()))
        AND (e.creation_time <= as_of OR as_of IS NULL) AS stands,
      e.superseded_time <= coalesce(as_of, 'infinity') AS is_corrected
    FROM s.entries e, moment
    WHERE e.memory_id = asked.memory AND (asked.whose IS NULL OR e.user_id = asked.whose)),
  correction AS (
    SELECT entry_id, superseded_by AS by FROM there WHERE is_corrected
    UNION SELECT c.entry_id, f.superseded_by FROM correction c JOIN there f ON f.entry_id = c.by AND f.is_corrected),
  row AS MATERIALIZED (
    SELECT e.entry_id, e.creation_time, e.embedding <=> asked.embedding::halfvec AS distance,
      to_tsvector('simple', e.raw_entry) || jsonb_to_tsvector('simple', e.metadata, '["key", "numeric"]')
        @@ replace(asked.query, ' ', ' | ')::tsquery AS matches,
      coalesce(e.user_id = asked.filters->>'userId', NOT asked.filters ? 'userId')
        AND e.importance >= coalesce((asked.filters->>'minImportance')::int, 0) AS passes
    FROM there e
    WHERE stands AND entry_id NOT IN (
      SELECT c.entry_id FROM correction c JOIN there l ON l.entry_id = c.by WHERE l.stands))
  SELECT count(*),
    count(*) FILTER (WHERE passes OR asked.options->>'strategy' <> 'semantic'),
    count(*) FILTER (WHERE matches AND asked.options->>'strategy' <> 'semantic'),
    count(*) FILTER (WHERE matches AND passes),
    (SELECT jsonb_agg(jsonb_build_array(entry_id, 1 - distance) ORDER BY distance, creation_time DESC, entry_id)
       FROM (SELECT * FROM row WHERE passes AND distance <> 'NaN' ORDER BY distance, creation_time DESC, entry_id
             LIMIT least(asked.k, (asked.options->>'candidates')::int)) first),
    (SELECT coalesce(jsonb_agg(entry_id ORDER BY creation_time DESC, entry_id), '[]')
       FROM (SELECT * FROM row WHERE passes ORDER BY creation_time DESC, entry_id LIMIT asked.k) first)
  FROM row $$;

-- Fails unless two answers are the same bytes.
CREATE FUNCTION stress.must_be_same(n bigint, asked stress.question, a stress.answer, b stress.answer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF a.response::text = b.response::text AND a.entries::text = b.entries::text THEN RETURN; END IF;
  RAISE EXCEPTION 'search % differs: % gives % rows, % of them matching; % gives % rows, % of them matching',
      n, a.way, a.rows, a.matching, b.way, b.rows, b.matching
    USING DETAIL = format('%s; fields that differ: %s; entries by %s: %s, by %s: %s', to_jsonb(asked) - 'embedding',
      (SELECT string_agg(key, ', ') FROM jsonb_each(a.response) f WHERE f.value::text <> (b.response->key)::text),
      a.way, jsonb_path_query_array(a.entries, '$[*].entry_id'),
      b.way, jsonb_path_query_array(b.entries, '$[*].entry_id'));
END $$;

-- Fails unless the search n has the same answer on every path, and one that agrees with plain SQL. Gives a hash of the
-- answer, which must be the expected one. The setting stress.compared names the compared paths afterwards, because the
-- transaction may not write.
CREATE FUNCTION stress.compare(n bigint, expected bigint DEFAULT NULL) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  asked stress.question := stress.question_number(n);
  strategy text := asked.options->>'strategy';
  candidates int := (asked.options->>'candidates')::int;
  oracle stress.oracle := stress.by_sql(asked);
  orders_by_distance boolean := strategy = 'semantic' AND asked.options ? 'boosts'
    AND oracle.nearest IS NOT NULL;
  answers stress.answer[];
  answer stress.answer;
  first stress.answer;
  wrong text;
  hash bigint;
BEGIN
  FOREACH answer.way IN ARRAY '{index,filtered,asked,table}'::text[] LOOP
    answers := answers || stress.answer(asked, answer.way);
  END LOOP;
  first := answers[1];
  FOREACH answer IN ARRAY answers LOOP
    PERFORM stress.must_be_same(n, asked, first, answer);
    wrong := concat_ws('; ', wrong,
      -- If no row that counts passes the filters, the index reads no rows.
      CASE WHEN strategy <> 'recent' AND (answer.rows, answer.matching) IS DISTINCT FROM (oracle.rows, oracle.matching)
          AND NOT (oracle.newest = '[]' AND answer.way <> 'table' AND (answer.rows, answer.matching) = (0, 0))
        THEN format('%s reads %s rows and matches %s', answer.way, answer.rows, answer.matching) END);
  END LOOP;
  wrong := concat_ws('; ', nullif(wrong, ''),
    CASE WHEN orders_by_distance AND oracle.nearest IS DISTINCT FROM
        (SELECT jsonb_agg(jsonb_build_array(e->'entry_id', e->'semantic')) FROM jsonb_array_elements(first.entries) e)
      THEN 'the nearest are others' END,
    CASE WHEN strategy = 'recent' AND oracle.newest <> jsonb_path_query_array(first.entries, '$[*].entry_id')
      THEN 'the newest are others' END,
    CASE WHEN strategy = 'keyword' AND oracle.wordy > 0
        AND jsonb_array_length(first.entries) <> least(oracle.wordy, asked.k, candidates)
      THEN 'another number has words' END);
  IF wrong <> '' THEN
    RAISE EXCEPTION 'search % is not what plain SQL says: %', n, wrong
      USING DETAIL = format('%s; SQL: %s; found: %s', to_jsonb(asked) - 'embedding', to_jsonb(oracle), first.entries);
  END IF;
  hash := hashtextextended(concat(first.response, first.entries), 0);
  IF hash <> expected THEN
    RAISE EXCEPTION 'search % has another answer later in the same snapshot', n
      USING DETAIL = format('%s; now: %s', to_jsonb(asked) - 'embedding', first.entries);
  END IF;
  PERFORM set_config('stress.compared', jsonb_build_object('strategy', strategy, 'visible', oracle.visible,
    'found', jsonb_array_length(first.entries), 'orders_by_distance', orders_by_distance,
    'under_policies', asked.whose IS NOT NULL,
    'kind', (SELECT kind FROM stress.memories WHERE id = asked.memory),
    'paths', (SELECT jsonb_object_agg(a.way, a.path) FROM unnest(answers) a))::text, false);
  RETURN hash;
END $$;
CREATE TABLE stress.compared (what jsonb);

-- --- What is interrupted ---------------------------------------------------------------------------------------------

-- Two searches, mostly of the memory that takes longest.
CREATE FUNCTION stress.search(n bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  asked stress.question := stress.question_number(n);
  way text := (ARRAY['index', 'index', 'asked', 'filtered', 'table'])[1 + stress.pick(n, 42, 5)];
BEGIN
  IF stress.pick(n, 40, 3) > 0 THEN asked.memory := 'large'; END IF;
  IF stress.pick(n, 41, 8) = 0 THEN asked.options := asked.options || '{"dedupThreshold": 0.9}'; END IF;
  RETURN (stress.answer(asked, way)).response;
END $$;

-- The comparison in a subtransaction. After an interrupt the statement goes on and searches again.
CREATE FUNCTION stress.search_again(n bigint) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM stress.search(n);
  RETURN 'in time';
EXCEPTION WHEN query_canceled THEN
  PERFORM stress.search(n);
  RETURN 'caught';
END $$;

-- --- What is written -------------------------------------------------------------------------------------------------

-- Ids of random entries of a memory, also of hidden ones, and sometimes fewer.
CREATE FUNCTION stress.ids(memory text, how_many bigint) RETURNS uuid[] LANGUAGE sql VOLATILE AS $$
  SELECT coalesce(array_agg(entry_id), '{}') FROM (
    SELECT entry_id FROM s.entries WHERE memory_id = memory AND entry_id > gen_random_uuid()
    ORDER BY entry_id LIMIT how_many) e $$;

-- The number of entries, neither deleted nor superseded, that a memory has above its wanted number.
CREATE FUNCTION stress.too_many(memory text) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT (SELECT count(*) FROM s.entries
          WHERE memory_id = memory AND deletion_scheduled_time IS NULL AND superseded_time IS NULL) - wanted
  FROM stress.memories WHERE id = memory $$;

-- One kind of write; returns the number of changed rows. A call takes its row locks in one order, so that no two calls
-- deadlock.
CREATE FUNCTION stress.write(what text, n bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  memory text := stress.memory(n);
  ids uuid[];
  changed bigint;
BEGIN
  CASE what
  WHEN 'add' THEN
    PERFORM memory_add(memory, stress.text(n), embedding => stress.vector(n), user_id => stress.user_id(n),
      importance => stress.pick(n, 12, 101)::int, expires_at => stress.expires_at(n), store => 's',
      creation_time => CASE stress.pick(n, 14, 2) WHEN 0 THEN stress.creation_time(n) END);
    changed := 1;
  WHEN 'insert' THEN
    changed := stress.insert(memory, n, 1 + stress.pick(n, 15, 3));
  WHEN 'update' THEN
    ids := stress.ids(memory, 1);
    changed := CASE stress.pick(n, 16, 3)
      WHEN 0 THEN memory_update(memory, ids[1], raw_entry => stress.text(n), store => 's',
                    embedding => coalesce(stress.vector(n), stress.vector(1)))
      WHEN 1 THEN memory_update(memory, ids[1], metadata => jsonb_build_object('w' || n % 300, n), store => 's')
      ELSE memory_update(memory, ids[1], importance => stress.pick(n, 18, 101)::int, store => 's') END
    FROM (SELECT 1) once WHERE ids <> '{}';
  WHEN 'update in place' THEN
    -- The words stay the same and no index has this column, so the indexes get no tuple for the row's next version.
    ids := stress.ids(memory, 1);
    UPDATE s.entries SET raw_entry = rtrim(raw_entry) || repeat(' ', 1 + (n % 7)::int)
    WHERE memory_id = memory AND entry_id = ids[1];
    GET DIAGNOSTICS changed = ROW_COUNT;
  WHEN 'delete' THEN
    ids := stress.ids(memory, greatest(stress.pick(n, 16, 2), least(stress.too_many(memory), 8)));
    changed := memory_delete(memory, ids, store => 's');
  WHEN 'restore' THEN
    changed := memory_restore(memory, stress.ids(memory, 4), store => 's');
  WHEN 'supersede' THEN
    ids := stress.ids(memory, 2);
    changed := memory_supersede(memory, ids[1 + n % 2], ids[2 - n % 2], store => 's')
      FROM (SELECT 1) once WHERE cardinality(ids) = 2;
  WHEN 'stand again' THEN
    changed := sum(memory_supersede(memory, entry_id, NULL, store => 's')) FROM (
      SELECT entry_id FROM s.entries WHERE memory_id = memory AND superseded_by IS NOT NULL LIMIT 1) e;
  WHEN 'purge' THEN
    changed := memory_purge(now() - interval '1 second', max_rows => 20, store => 's');
  WHEN 'remove' THEN
    ids := stress.ids(memory, 1);
    DELETE FROM s.entries WHERE memory_id = memory AND entry_id = ids[1] AND deletion_scheduled_time IS NOT NULL;
    GET DIAGNOSTICS changed = ROW_COUNT;
  WHEN 'touch' THEN
    changed := memory_touch(memory, stress.ids(memory, 3), store => 's');
  WHEN 'put context' THEN
    -- In two memories: the others have none.
    PERFORM memory_put_context(id, stress.text(n), store => 's')
      FROM stress.memories WHERE number = (ARRAY[0, 4])[1 + stress.pick(n, 16, 2)];
    changed := 1;
  END CASE;
  RETURN coalesce(changed, 0);
EXCEPTION WHEN invalid_parameter_value THEN
  -- The correction is hidden, or is itself corrected by the entry that it should correct: that is refused by design.
  IF what <> 'supersede' THEN RAISE; END IF;
  RETURN 0;
END $$;
CREATE TABLE stress.written (what text, n bigint);

-- --- What is damaged -------------------------------------------------------------------------------------------------

-- A hash of the answer to search number n of a memory, which is the same at any time while there are no writes.
CREATE FUNCTION stress.known(memory text, way text, n bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  asked stress.question := stress.question_number(n);
  answer stress.answer;
BEGIN
  asked.memory := memory;
  asked.options := asked.options || '{"asOf": "2100-01-01T00:00:00Z"}';
  answer := stress.answer(asked, way);
  RETURN hashtextextended(concat(answer.response, answer.entries), 0);
END $$;
