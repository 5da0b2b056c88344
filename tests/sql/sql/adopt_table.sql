-- memory_adopt_table: a table that is there already becomes a store through a view. Nothing is copied; its columns,
-- ids, embeddings and words serve as they are, and everything that reads works.
\pset format unaligned
CREATE SCHEMA at_app;

-- Columns by their names, whatever these are; constants and expressions.
CREATE TABLE at_app."My ""Notes""" (
  "Key" bigint PRIMARY KEY, "Memory Id" text, "body's" text, "select" text, "Größe" numeric, "a.b" varchar(20),
  "made at" timestamptz, payload jsonb, "Labels" varchar(10)[], dropped int, "true" text
);
ALTER TABLE at_app."My ""Notes""" DROP COLUMN dropped;
INSERT INTO at_app."My ""Notes""" VALUES
  (7, 'trip', 'Guesthouse by the sea', 'Where she stays', 69.5, 'ann', '2025-01-01 12:00Z',
   '{"agent": "bot", "from": "mail", "gone": null}', '{sea,"big bed"}', 'a column that is called true');
SELECT memory_adopt_table('at "one"', 'at_app."My ""Notes"""',
    $${"memory_id": "Memory Id", "entry_id": "Key", "user_id": "a.b", "agent_id": "payload->>'agent'",
       "raw_entry": "body's", "summary": "upper(\"select\")", "context": "true", "tags": "Labels",
       "metadata": "jsonb_build_object('key', \"Key\", 'it''s', 'a constant') -- and a comment",
       "source_type": "payload->>'from'", "importance": "Größe", "creation_time": "made at",
       "embedding_model": "'none'", "expires_at": "(payload->>'gone')::timestamptz", "superseded_by": null}$$);
SELECT jsonb_pretty(memory_search('trip', 'guesthouse',
    options => '{"strategy": "keyword", "asOf": "2025-01-02T12:00:00Z"}', store => 'at "one"'));
SELECT attname, format_type(atttypid, atttypmod) AS type
FROM pg_attribute WHERE attrelid = '"at ""one""".entries'::regclass ORDER BY attnum;
SELECT reloptions FROM pg_class WHERE oid = '"at ""one""".entries'::regclass;
SELECT relname, relkind
FROM pg_class
WHERE relnamespace = '"at ""one"""'::regnamespace AND relkind IN ('r', 'v')
ORDER BY 1;
-- The table itself is as it was: no trigger, no column, no rule.
SELECT (SELECT count(*) FROM pg_trigger WHERE tgrelid = t.oid) AS triggers, relnatts, relhasrules
FROM pg_class t WHERE oid = 'at_app."My ""Notes"""'::regclass;
-- A constant makes one memory of the whole table; all that may be left out may also be null.
CREATE TABLE at_app.lines (id int PRIMARY KEY, line text);
INSERT INTO at_app.lines VALUES (1, 'green tea'), (10, 'green tea'), (2, 'green tea and a train'), (9, 'the train');
SELECT memory_adopt_table('at_lines', 'at_app.lines',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line", "user_id": "''it''''s; --''", "summary": null,
      "context": null, "tags": null, "metadata": null, "importance": null, "creation_time": null, "embedding": null,
      "search_vector": null}');
SELECT jsonb_pretty(memory_search('all', 'train', 1, filters => '{"userId": "it''s; --"}',
    options => '{"strategy": "keyword"}', store => 'at_lines'));
SELECT memory_search('all', 'train', filters => '{"userId": "it"}', options => '{"strategy": "keyword"}',
    store => 'at_lines')->'count' AS of_another_user;

-- Without times no row is newer than another: ties go by the ids' texts, in every strategy and however
-- many are asked for.
SELECT strategy, k,
  (SELECT array_agg(entry_id ORDER BY rank)
   FROM memory_search_entries('all', query, k, options => jsonb_build_object('strategy', strategy),
       store => 'at_lines')) AS found
FROM (VALUES ('recent', ''), ('keyword', 'tea')) s(strategy, query), (VALUES (1), (2), (3), (10)) k(k)
ORDER BY 1, 2;
-- With times on some of them: those first, the newest of them first.
CREATE TABLE at_app.times (id text PRIMARY KEY, line text, made timestamptz, weight int);
INSERT INTO at_app.times VALUES
  ('old', 'tea', '2025-01-01Z', 10),
  ('never a', 'tea', NULL, NULL),
  ('new', 'tea', '2025-02-01Z', 90),
  ('Never B', 'tea', NULL, 50),
  ('later', 'tea', '2031-01-01Z', 0);
SELECT memory_adopt_table('at_times', 'at_app.times',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line", "creation_time": "made", "importance": "weight"}');
SELECT rank, entry_id, creation_time AT TIME ZONE 'UTC' AS made, importance,
  round(recency_factor::numeric, 4) AS recency,
  round(importance_factor::numeric, 4) AS important,
  round(score::numeric, 4) AS score
FROM memory_search_entries('all', 'tea', 10, options => '{"strategy": "keyword", "asOf": "2025-02-01T00:00:00Z"}',
    store => 'at_times');
SELECT rank, entry_id FROM memory_search_entries('all', '', 10, store => 'at_times');
-- A filter asks for a value: what has none does not pass; nor does what is not there yet as of then.
SELECT filter,
  (SELECT array_agg(entry_id ORDER BY entry_id COLLATE "C")
   FROM memory_search_entries('all', 'tea', 10, filters => filter::jsonb,
       options => '{"strategy": "keyword", "fallback": false}', store => 'at_times')) AS found
FROM (VALUES
  (1, '{}'),
  (2, '{"minImportance": 0}'),
  (3, '{"importance": 50}'),
  (4, '{"createdBefore": "2030-01-01T00:00:00Z"}'),
  (5, '{"createdAfter": "2025-01-15T00:00:00Z"}'),
  (6, '{"tags": "x"}'),
  (7, '{"metadata": {}}'),
  (8, '{"agentId": "x"}'),
  (9, '{"sourceType": "x"}'),
  (10, '{"accessCount": 0}')
) f(i, filter)
ORDER BY i;
SELECT as_of,
  (SELECT array_agg(entry_id ORDER BY entry_id COLLATE "C")
   FROM memory_search_entries('all', 'tea', 10, options => jsonb_build_object('strategy', 'keyword', 'asOf', as_of),
       store => 'at_times')) AS found
FROM (VALUES ('2024-12-31T00:00:00Z'), ('2025-01-15T00:00:00Z'), ('2031-06-01T00:00:00Z')) t(as_of)
ORDER BY 1;
SELECT memory_build_context('all', 'tea', options => '{"strategy": "keyword", "asOf": "2025-02-01T00:00:00Z"}',
    store => 'at_times');
-- Where the rows lie on disk is nobody's business: the same rows without times in another place score the same.
CREATE TABLE at_app.there (id uuid PRIMARY KEY, line text);
INSERT INTO at_app.there
SELECT test.id(n), CASE WHEN n % 20 = 0 THEN 'kite' WHEN n % 20 = 1 THEN 'kite violin' ELSE 'violin' END || ' n' || n
FROM generate_series(1, 200) n;
CREATE TABLE at_app.elsewhere (LIKE at_app.there);
INSERT INTO at_app.elsewhere SELECT * FROM at_app.there ORDER BY md5(id::text);
SELECT memory_adopt_table('at_' || place, ('at_app.' || place)::regclass,
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line"}')
FROM (VALUES ('there'), ('elsewhere')) p(place);
SET memory_search.max_top_ke = 300;
SELECT count(*) AS rows, count(*) FILTER (WHERE a IS DISTINCT FROM b) AS different
FROM memory_search_entries('all', 'kite violin', 200, options => '{"strategy": "keyword", "candidates": 1000}',
    store => 'at_there') a
FULL JOIN memory_search_entries('all', 'kite violin', 200, options => '{"strategy": "keyword", "candidates": 1000}',
    store => 'at_elsewhere') b USING (rank);
RESET memory_search.max_top_ke;

-- Ids of every type: found, explained, touched, counted and recalled by the text of the id.
CREATE DOMAIN at_app.key AS uuid;
CREATE DOMAIN at_app.number AS bigint CHECK (VALUE > 0);
CREATE DOMAIN at_app.word AS varchar(36);
CREATE TABLE at_app.ids (
  m_uuid uuid, m_bigint bigint, m_int int, m_smallint smallint, m_text text, m_varchar varchar(36), m_char char(9),
  m_key at_app.key, m_number at_app.number, m_word at_app.word, e_uuid uuid, e_bigint bigint, e_int int,
  e_smallint smallint, e_text text, e_varchar varchar(36), e_char char(9), e_key at_app.key, e_number at_app.number,
  e_word at_app.word, line text
);
INSERT INTO at_app.ids
SELECT test.id(m), m, m, m, 'm' || m, 'm' || m, 'm' || m, test.id(m), m, 'm' || m, test.id(n), n, n, n, 'e' || n,
  'e' || n, 'e' || n, test.id(n), n, 'e' || n,
  CASE WHEN n % 2 = 0 THEN 'green tea' ELSE 'black coffee' END
FROM (VALUES (4, 2), (4, 3), (4, 10), (5, 4)) v(m, n);
CREATE TABLE pairs AS
  SELECT 'at_' || m || '_' || e AS store, 'm_' || m AS m, 'e_' || e AS e,
    CASE WHEN m IN ('uuid', 'key') THEN test.id(4)::text
        WHEN m IN ('text', 'varchar', 'char', 'word') THEN 'm4'
        ELSE '4' END AS memory,
    CASE WHEN e IN ('uuid', 'key') THEN test.id(10)::text
        WHEN e IN ('text', 'varchar', 'char', 'word') THEN 'e10'
        ELSE '10' END AS ten
  FROM (VALUES
    (1, 'uuid', 'uuid'),
    (2, 'bigint', 'bigint'),
    (3, 'int', 'int'),
    (4, 'smallint', 'smallint'),
    (5, 'text', 'text'),
    (6, 'varchar', 'varchar'),
    (7, 'char', 'char'),
    (8, 'uuid', 'text'),
    (9, 'text', 'uuid'),
    (10, 'bigint', 'varchar'),
    (11, 'varchar', 'int'),
    (12, 'key', 'number'),
    (13, 'number', 'word'),
    (14, 'word', 'key')
  ) p(i, m, e);
SELECT count(memory_adopt_table(store, 'at_app.ids',
    jsonb_build_object('memory_id', m, 'entry_id', e, 'raw_entry', 'line'))) AS stores
FROM pairs;
SELECT m, e,
  (SELECT string_agg(format_type(atttypid, atttypmod), ', ' ORDER BY attnum)
   FROM pg_attribute
   WHERE attrelid = (quote_ident(store) || '.entry_access')::regclass
     AND attname IN ('memory_id', 'entry_id')) AS counted_by,
  (SELECT array_agg(entry_id ORDER BY rank)
   FROM memory_search_entries(memory, 'tea', 10, options => '{"strategy": "keyword"}', store => store)) AS found,
  (SELECT outcome
   FROM memory_explain(memory, 'tea', entry_id => ten, options => '{"strategy": "keyword"}',
       store => store)) AS explained,
  memory_search(memory, 'tea', options => '{"strategy": "keyword"}', store => store)->'entries'->0->>'memoryId'
    = memory AS same_memory
FROM pairs ORDER BY m, e;
SELECT sum(memory_touch(memory, ARRAY[ten], store)) AS touched FROM pairs;
SELECT m, e,
  (SELECT string_agg(format('%s:%s', a->>'entryId', a->>'accessCount'), ' ')
   FROM jsonb_array_elements(memory_recall(memory, 'tea',
       options => '{"strategy": "keyword", "boosts": {"popularity": 0.3}}', store => store)->'entries') a) AS recalled
FROM pairs ORDER BY m, e;
SELECT m, e,
  (SELECT string_agg(format('%s:%s', entry_id, access_count), ' ' ORDER BY rank)
   FROM memory_search_entries(memory, 'tea', filters => '{"accessCount": {"$gte": 2}}',
       options => '{"strategy": "keyword"}', store => store)) AS used_twice
FROM pairs ORDER BY m, e;
SELECT count(memory_put_context(memory, 'about tea', creation_time => '2025-01-01Z', store => store)) AS put FROM pairs;
SELECT memory_search(memory, '', 0, store => store)->>'latestContext' AS latest, count(*) FROM pairs GROUP BY 1;
-- memory_touch takes the ids in the table's own type, and what is no entry counts nothing.
SELECT memory_touch('4', ARRAY[2, 99, 2], 'at_bigint_bigint') AS bigints,
  memory_touch(test.id(4)::text, ARRAY[test.id(2), test.id(99)], 'at_uuid_uuid') AS uuids,
  memory_touch('m4', '{e2,e99}', 'at_text_text') AS literal;
-- A memory's id that its type cannot hold finds nothing, and is no error; however a uuid is typed, it is the same
-- memory with the same contexts.
SELECT store, id,
  memory_search(id, 'tea', options => '{"strategy": "keyword"}', store => store)->'count' AS found,
  (SELECT count(*) FROM memory_search_entries(id, '', store => store)) AS recent,
  (SELECT outcome
   FROM memory_explain(id, 'tea', options => '{"strategy": "keyword"}', store => store)
   LIMIT 1) AS explained,
  memory_touch(id, '{}'::text[], store) AS touched,
  memory_recall(id, '', 1, store => store)->'count' AS recalled,
  memory_search(id, '', 0, store => store)->>'latestContext' AS latest
FROM (VALUES
  (1, 'at_uuid_text', 'nobody'),
  (2, 'at_uuid_text', '4'),
  (3, 'at_uuid_text', '{00000000000000000000000000000004}'),
  (4, 'at_bigint_bigint', 'nobody'),
  (5, 'at_bigint_bigint', '9223372036854775808'),
  (6, 'at_bigint_bigint', '4.0'),
  (7, 'at_int_int', '2147483648'),
  (8, 'at_smallint_smallint', '40000'),
  (9, 'at_key_number', 'nobody'),
  (10, 'at_text_text', 'M4'),
  (11, 'at_bigint_bigint', '4; DROP TABLE at_app.ids')
) t(i, store, id)
ORDER BY i;
SELECT memory_build_context('nobody', 'tea', store => 'at_bigint_bigint');
-- A text that looks like a uuid is the text that it is.
CREATE TABLE at_app.hashes (hash text PRIMARY KEY, line text);
INSERT INTO at_app.hashes VALUES (md5('a'), 'green tea'), ('{ABCDEF00-0000-0000-0000-000000000001}', 'black tea');
SELECT memory_adopt_table('at_hashes', 'at_app.hashes',
    '{"memory_id": "''all''", "entry_id": "hash", "raw_entry": "line"}');
SELECT entry_id,
  (SELECT outcome
   FROM memory_explain('all', 'tea', entry_id => f.entry_id, options => '{"strategy": "keyword"}',
       store => 'at_hashes')) AS explained
FROM memory_search_entries('all', 'tea', options => '{"strategy": "keyword"}', store => 'at_hashes') f;
-- A row without an id cannot be named, so it is not found; one without a text has no words. Neither is in the
-- way of the others.
CREATE TABLE at_app.holes (id text, m text, line text, said text, meaning halfvec(4));
INSERT INTO at_app.holes VALUES
  (NULL, 'm', 'tea without an id', 'a nameless context', '[1,0,0,0]'),
  ('no memory', NULL, 'tea', NULL, '[1,0,0,0]'),
  ('no text', 'm', NULL, NULL, '[1,0,0,0]'),
  ('whole', 'm', 'tea', NULL, '[0.6,0.8,0,0]');
SELECT memory_adopt_table('at_holes', 'at_app.holes',
    '{"memory_id": "m", "entry_id": "id", "raw_entry": "line", "context": "said", "embedding": "meaning"}');
SELECT strategy,
  (SELECT string_agg(format('%s (%s)', entry_id, raw_entry), ', ' ORDER BY rank)
   FROM memory_search_entries('m', query, 10, '[1,0,0,0]', options => jsonb_build_object('strategy', strategy),
       store => 'at_holes')) AS found
FROM (VALUES ('hybrid', 'tea'), ('keyword', 'tea'), ('semantic', 'tea'), ('recent', '')) s(strategy, query)
ORDER BY 1;
SELECT test.error(statement)
FROM (VALUES
  (1, $$SELECT memory_search('m', 'nameless', 0, store => 'at_holes')$$),
  (2, $$SELECT * FROM memory_explain('m', 'tea', embedding => '[1,0,0,0]', store => 'at_holes')$$),
  (3, $$SELECT memory_build_context('m', 'tea', store => 'at_holes')$$),
  (4, $$SELECT memory_recall('m', '', store => 'at_holes')$$),
  (5,
   $$SELECT memory_search('m', 'tea', embedding => '[1,0,0,0]', options => '{"dedupThreshold": 0.9}',
         store => 'at_holes')$$),
  (6, $$SELECT * FROM memory_doctor('at_holes')$$)
) t(i, statement)
ORDER BY i;
CREATE INDEX ON at_app.holes USING hnsw (meaning halfvec_cosine_ops);
SELECT test.error($$SELECT * FROM memory_doctor('at_holes')$$) AS with_a_vector_index;

-- Embeddings of either type, any dimension, mixed, or none; the store's own contexts are of the same type. Distances
-- are pgvector's.
CREATE DOMAIN at_app.meaning AS vector(4);
CREATE TABLE at_app.vectors (
  id int PRIMARY KEY, line text, v vector, v4 vector(4), v3 vector(3), h halfvec, h4 halfvec(4), d at_app.meaning,
  r real[], payload jsonb
);
INSERT INTO at_app.vectors
SELECT n, test.words(n, 3),
  CASE WHEN n % 2 = 0 THEN test.vector(n)::vector ELSE test.vector(n)::vector::real[]::vector(4)::vector END,
  test.vector(n)::vector(4), (test.vector(n))[1:3]::vector(3), test.vector(n)::halfvec, test.vector(n)::halfvec(4),
  test.vector(n)::vector(4), test.vector(n), jsonb_build_object('e', test.vector(n))
FROM generate_series(1, 20) n;
INSERT INTO at_app.vectors (id, line, v, h)
VALUES (21, 'of another dimension', '[1,2,3]', '[1,2,3]'), (22, 'without', NULL, NULL);
CREATE TABLE shapes AS
  SELECT *
  FROM (VALUES
    (1, 'v', 4),
    (2, 'v4', 4),
    (3, 'v3', 3),
    (4, 'h', 4),
    (5, 'h4', 4),
    (6, 'd', 4),
    (7, 'v4::public.halfvec(4)', 4),
    (8, 'r::public.vector(4)', 4),
    (9, '(payload->>''e'')::public.vector(4)', 4),
    (10, 'v::public.halfvec', 4)
  ) s(i, shape, dimensions);
SELECT count(memory_adopt_table('at_shape' || i, 'at_app.vectors',
    jsonb_build_object('memory_id', '''all''', 'entry_id', 'id', 'raw_entry', 'line', 'embedding', shape))) AS stores
FROM shapes;
SELECT shape,
  (SELECT format_type(atttypid, atttypmod)
   FROM pg_attribute
   WHERE attrelid = format('at_shape%s.contexts', i)::regclass AND attname = 'embedding') AS of_contexts,
  (SELECT count(*)
   FROM memory_search_entries('all', '', 10, (test.vector(50))[1:dimensions]::vector::memory_embedding,
       options => '{"strategy": "semantic", "fallback": false}', store => 'at_shape' || i)) AS found,
  (SELECT bool_and(abs(f.semantic
             - (1 - ((x.v::real[])[1:dimensions]::vector <=> (test.vector(50))[1:dimensions]::vector))) < 2e-3)
     AND max(f.semantic) = (array_agg(f.semantic ORDER BY f.rank))[1]
   FROM memory_search_entries('all', '', 10, (test.vector(50))[1:dimensions]::vector::memory_embedding,
       options => '{"strategy": "semantic"}', store => 'at_shape' || i) f
   JOIN at_app.vectors x ON x.id = f.entry_id::int) AS right_distances,
  test.error(format($$SELECT memory_search('all', '', 3, embedding => '[1,0]', store => 'at_shape%s')$$,
      i)) AS two_dimensions
FROM shapes ORDER BY i;
-- Among mixed dimensions each query finds those of its own; contexts are found by meaning too.
SELECT (SELECT array_agg(entry_id)
        FROM memory_search_entries('all', '', 10, '[1,2,3]', options => '{"strategy": "semantic", "fallback": false}',
            store => 'at_shape1')) AS of_three,
  memory_put_context('all', 'first', '[1,0,0,0]', creation_time => '2025-01-01Z', store => 'at_shape2') IS NOT NULL
    AND memory_put_context('all', 'second', '[0,1,0,0]', creation_time => '2025-01-02Z',
        store => 'at_shape2') IS NOT NULL
    AND memory_put_context('all', 'third', '[0,0,1,0]', creation_time => '2025-01-03Z',
        store => 'at_shape2') IS NOT NULL AS put;
SELECT answer->>'latestContext' AS latest, jsonb_path_query_array(answer, '$.contexts[*].context') AS older
FROM memory_search('all', '', 0, 1, '[1,0.1,0,0]', store => 'at_shape2') answer;
-- Without embeddings a query by meaning alone falls back to the most recent, or to nothing.
SELECT test.strategies(memory_search('all', '', embedding => '[1,0,0,0]', store => 'at_lines')) AS strategies,
  memory_search('all', '', embedding => '[1,0,0,0]', options => '{"fallback": false}',
      store => 'at_lines')->'count' AS without_fallback;

-- Words: of a tsvector column that is named, of the only one that there is, or of the texts.
CREATE TABLE at_app.words (id int PRIMARY KEY, line text, tsv tsvector, other tsvector);
INSERT INTO at_app.words VALUES
  (1, 'the trains of C++', to_tsvector('simple', 'the trains lexemeoftsv'), to_tsvector('simple', 'lexemeofother')),
  (2, 'a hotel', NULL, NULL),
  (3, '東京タワー', to_tsvector('simple', 'tower'), NULL);
CREATE VIEW at_app.one_tsvector AS SELECT id, line, tsv FROM at_app.words;
SET client_min_messages = notice;
SELECT memory_adopt_table('at_named', 'at_app.words',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line", "search_vector": "other"}', 'simple');
SELECT memory_adopt_table('at_only', 'at_app.one_tsvector',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line"}', 'simple');
SELECT memory_adopt_table('at_declined', 'at_app.one_tsvector',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line", "search_vector": null}');
SELECT memory_adopt_table('at_two', 'at_app.words', '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line"}');
SELECT memory_adopt_table('at_expression', 'at_app.words',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line",
      "search_vector": "setweight(to_tsvector(''english'', line), ''A'') || coalesce(other, '''')"}');
RESET client_min_messages;
SELECT query,
  (SELECT string_agg(name || ':'
         || (SELECT coalesce(string_agg(entry_id, ',' ORDER BY entry_id), '')
             FROM memory_search_entries('all', query, options => '{"strategy": "keyword", "fallback": false}',
                 store => 'at_' || name)),
       ' ' ORDER BY s.i)
   FROM (VALUES (1, 'named'), (2, 'only'), (3, 'declined'), (4, 'two'), (5, 'expression')) s(i, name)) AS found
FROM (VALUES
  (1, 'train'),
  (2, 'trains'),
  (3, 'the'),
  (4, 'lexemeoftsv'),
  (5, 'lexemeofother'),
  (6, 'C++'),
  (7, 'c'),
  (8, '京'),
  (9, 'hotel')
) q(i, query)
ORDER BY q.i;
-- Phrases and excluded words are looked for in the same place.
SELECT query,
  (SELECT array_agg(entry_id)
   FROM memory_search_entries('all', query, options => '{"strategy": "keyword"}', store => 'at_only')) AS only,
  (SELECT array_agg(entry_id)
   FROM memory_search_entries('all', query, options => '{"strategy": "keyword"}', store => 'at_declined')) AS declined
FROM (VALUES (1, '"trains lexemeoftsv"'), (2, '"trains of"'), (3, 'trains -lexemeoftsv')) q(i, query)
ORDER BY i;
-- The language is the one that was given, whatever its name.
CREATE TEXT SEARCH CONFIGURATION at_app."It's mine" (COPY = pg_catalog.german);
CREATE TABLE at_app.zug (id int PRIMARY KEY, line text);
INSERT INTO at_app.zug VALUES (1, 'Die Züge fahren'), (2, 'Ein Haus');
SELECT memory_adopt_table('at_' || name, 'at_app.zug',
    '{"memory_id": "''all''", "entry_id": "id", "raw_entry": "line"}', language)
FROM (VALUES ('german', 'german'), ('english', 'english'), ('mine', 'at_app.It''s mine')) l(name, language);
SELECT name,
  memory_search('all', 'Zug', options => '{"strategy": "keyword", "fallback": false}',
      store => 'at_' || name)->'count' AS zug,
  memory_search('all', 'die', options => '{"strategy": "keyword", "fallback": false}',
      store => 'at_' || name)->'count' AS die
FROM (VALUES ('german'), ('english'), ('mine')) l(name) ORDER BY 1;
SELECT DISTINCT language
FROM (SELECT language FROM at_german.entries
      UNION ALL SELECT language FROM at_english.entries
      UNION ALL SELECT language FROM at_mine.entries) l
ORDER BY 1;
-- Importance of any number is brought into 0 to 100, and times of other types become instants.
CREATE TABLE at_app.numbers (
  id int PRIMARY KEY, line text, small smallint, big bigint, exact numeric, double double precision, day date,
  wall timestamp
);
INSERT INTO at_app.numbers VALUES
  (1, 'tea', 70, 1000000, 49.5, -3, '2025-01-02', '2025-01-02 03:04'),
  (2, 'tea', -1, 9223372036854775807, 1e20, 99.6, 'infinity', '-infinity'),
  (3, 'tea', NULL, -5, 0.4, 'Infinity', NULL, NULL);
SET timezone = 'UTC';
SELECT memory_adopt_table('at_n_' || importance, 'at_app.numbers',
    jsonb_build_object('memory_id', '''all''', 'entry_id', 'id', 'raw_entry', 'line', 'importance', importance,
        'creation_time', made))
FROM (VALUES ('small', 'day'), ('big', 'wall'), ('exact', 'day'), ('double', 'wall')) n(importance, made);
SELECT importance,
  (SELECT string_agg(format('%s: %s %s', entry_id, coalesce(f.importance::text, 'null'),
           coalesce(f.creation_time::text, 'null')),
       ', ' ORDER BY entry_id)
   FROM memory_search_entries('all', '', 10, store => 'at_n_' || importance) f) AS found
FROM (VALUES ('small'), ('big'), ('exact'), ('double')) n(importance) ORDER BY 1;
RESET timezone;

-- An adopted table answers what a store answers that was filled from it: every column, every kind of row.
CREATE TABLE at_app.log (
  pk uuid PRIMARY KEY, chat text, who text, bot text, said text, title text, about text, labels text[], extra jsonb,
  source text, weight int, made timestamptz, deleted timestamptz, until timestamptz, replaced_by uuid,
  replaced timestamptz, meaning halfvec(4), maker text, no bigint
);
INSERT INTO at_app.log
SELECT test.id(n), 'm' || n % 2,
  CASE n % 3 WHEN 0 THEN NULL WHEN 1 THEN 'ann' ELSE 'bob' END,
  CASE WHEN n % 4 > 0 THEN 'bot' || n % 4 END, test.words(n, 2 + n % 9),
  CASE WHEN n % 5 > 1 THEN test.words(n + 300, 2) END,
  CASE WHEN n % 6 = 0 THEN test.words(n + 600, 6) END,
  CASE WHEN n % 3 > 0 THEN ARRAY[test.word(n), 't' || n % 7] ELSE '{}' END,
  CASE WHEN n % 4 = 1 THEN '{}' ELSE jsonb_build_object('n', n, 'place', test.word(n + 50)) END,
  CASE WHEN n % 2 = 0 THEN 'chat' END, n % 101,
  timestamptz '2025-01-01Z' + n * CASE WHEN n < 100 THEN interval '3 minutes' ELSE interval '5 hours' END,
  CASE WHEN n % 17 = 0 THEN timestamptz '2025-03-01Z' END,
  CASE WHEN n % 13 = 0 THEN timestamptz '2025-03-15Z' WHEN n % 11 = 0 THEN 'infinity' END,
  CASE WHEN n % 19 = 0 THEN test.id(n + 2) END,
  CASE WHEN n % 19 = 0 THEN timestamptz '2025-03-20Z' END,
  CASE WHEN n % 8 > 0 THEN test.vector(n)::halfvec END,
  'test', n
FROM generate_series(1, 240) n;
SELECT memory_adopt_table('at_log', 'at_app.log',
    '{"memory_id": "chat", "entry_id": "pk", "user_id": "who", "agent_id": "bot", "raw_entry": "said",
      "summary": "title", "context": "about", "tags": "labels", "metadata": "extra", "source_type": "source",
      "importance": "weight", "creation_time": "made", "deletion_scheduled_time": "deleted", "expires_at": "until",
      "superseded_by": "replaced_by", "superseded_time": "replaced", "embedding": "meaning", "embedding_model": "maker",
      "entry_order": "no"}');
SELECT memory_create_store('at_copy', 4);
INSERT INTO at_copy.entries (memory_id, entry_id, user_id, agent_id, raw_entry, summary, context, tags, metadata,
  source_type, importance, creation_time, deletion_scheduled_time, expires_at, superseded_by, superseded_time,
  embedding, embedding_model, entry_order)
SELECT chat, pk, who, bot, said, title, about, labels, extra, source, weight, made, deleted, until, replaced_by,
  replaced, meaning, maker, no
FROM at_app.log;
SELECT count(*) AS rows, count(*) FILTER (WHERE a.search_vector IS DISTINCT FROM c.search_vector) AS other_words
FROM at_log.entries a JOIN at_copy.entries c USING (memory_id, entry_id);
INSERT INTO at_copy.entry_access
SELECT chat, pk, no % 10, timestamptz '2025-03-10Z' + no * interval '1 hour'
FROM at_app.log
WHERE no % 2 = 0;
INSERT INTO at_log.entry_access SELECT * FROM at_copy.entry_access;
CREATE TABLE calls AS
  SELECT memory, query, embedding::memory_embedding AS embedding, filters::jsonb AS filters,
    options::jsonb || o.as_of::jsonb AS options
  FROM (VALUES ('m0'), ('m1'), ('m2')) m(memory),
    (VALUES
      ('tea', NULL),
      ('lisbon museum "cheap"', '[1,0.5,-0.2,0]'),
      ('quartz -music', '[0,1,0,-1]'),
      ('', '[1,1,1,1]'),
      ('', NULL)
    ) q(query, embedding),
    (VALUES
      ('{}'),
      ('{"userId": "ann"}'),
      ('{"agentId": "bot1", "minImportance": 20}'),
      ('{"tags": ["t1", "tea"], "tagMatch": "any"}'),
      ('{"createdAfter": "2025-01-01T06:00:00Z", "createdBefore": "2025-02-01T00:00:00Z"}'),
      ('{"sourceType": "chat", "accessCount": {"$gte": 2}}'),
      ('{"metadata": {"n": 44}}')
    ) f(filters),
    (VALUES
      ('{}'),
      ('{"strategy": "keyword"}'),
      ('{"strategy": "semantic", "fallback": false}'),
      ('{"fusion": "rrf"}'),
      ('{"fusion": "weighted", "weights": {"semantic": 0.3, "keyword": 0.7}}'),
      ('{"preset": "alfred"}'),
      ('{"preset": "cortex"}'),
      ('{"preset": "cortex_boost"}'),
      ('{"boosts": {"popularity": 0.4}}'),
      ('{"dedupThreshold": 0.8}'),
      ('{"minSimilarity": 0.2}'),
      ('{"match": "all"}'),
      ('{"strategy": "recent"}')
    ) s(options),
    (VALUES ('{"asOf": "2030-01-01T00:00:00Z"}'), ('{"asOf": "2025-02-20T00:00:00Z"}')) o(as_of)
  WHERE left(md5(concat_ws('/', memory, query, filters, options, as_of)), 1) IN ('0', '1');
SET memory_search.max_top_ke = 300;
SELECT count(*) AS calls,
  count(*) FILTER (WHERE answer->'entries' <> '[]') AS with_entries,
  count(*) FILTER (WHERE answer::text <> copy::text) AS different
FROM calls,
  LATERAL memory_search(memory, query, 10, 3, embedding, filters, options, 'at_log') answer,
  LATERAL memory_search(memory, query, 10, 3, embedding, filters, options, 'at_copy') copy;
-- All entries, to the last bit of every score; explanations; prompts; recalls.
CREATE TABLE queries AS
  SELECT i, memory, query, vector::vector::memory_embedding AS embedding,
    '{"asOf": "2025-03-18T00:00:00Z", "boosts": {"popularity": 0.2}}'::jsonb AS options
  FROM (VALUES ('m0'), ('m1')) m(memory),
    (VALUES
      (1, 'tea', NULL),
      (2, 'lisbon museum cheap', '[1,0.5,-0.2,0]'),
      (3, 'quartz music', '[0,1,0,-1]'),
      (4, '', '[1,1,1,1]'),
      (5, '', NULL)
    ) q(i, query, vector);
CREATE FUNCTION rows_of(store text) RETURNS TABLE (line text) LANGUAGE sql AS $$
  SELECT concat_ws(' ', 'entry', i, f)
  FROM queries q,
    LATERAL memory_search_entries(memory, query, 300, embedding, options => options, store => rows_of.store) f
  UNION ALL
  SELECT concat_ws(' ', 'explanation', i, x)
  FROM queries q, LATERAL memory_explain(memory, query, 5, embedding, options => options, store => rows_of.store) x
  UNION ALL
  SELECT concat_ws(' ', 'one entry', i, n, x)
  FROM queries q, generate_series(1, 240, 31) n,
    LATERAL memory_explain(memory, query, 5, embedding, options => options, entry_id => test.id(n)::text,
        store => rows_of.store) x
  UNION ALL
  SELECT concat_ws(' ', 'prompt', i,
      memory_build_context(memory, query, embedding, token_budget => 400, options => options, store => rows_of.store))
  FROM queries q
  UNION ALL
  SELECT concat_ws(' ', 'request', i,
      memory_search(jsonb_build_object('memoryId', memory, 'query', query, 'top_ke', 7, 'options', options, 'filters',
          '{"userId": "ann"}'::jsonb, 'store', rows_of.store)))
  FROM queries q $$;
SELECT split_part(line, ' ', 1) AS what, count(*) AS lines,
  count(*) FILTER (WHERE NOT EXISTS (SELECT FROM rows_of('at_copy') c WHERE c.line = a.line)) AS different
FROM rows_of('at_log') a GROUP BY 1 ORDER BY 1;
SELECT count(*) AS only_in_the_copy
FROM (SELECT line FROM rows_of('at_copy') EXCEPT ALL SELECT line FROM rows_of('at_log')) t;
-- The same contexts in both, be they on the entries, as so far, or the stores' own.
SELECT memory,
  count(*) FILTER (WHERE own->'contexts' <> copy->'contexts'
      OR own->>'latestContext' <> copy->>'latestContext') AS different,
  count(*) FILTER (WHERE own->'contexts' <> '[]') AS with_contexts
FROM (VALUES ('m0'), ('m1')) m(memory),
  (VALUES ('tea'), ('lisbon museum'), ('train hotel garden')) q(query),
  (VALUES ('{}'::jsonb), ('{"userId": "ann"}')) f(filters),
  LATERAL memory_search(memory, query, 0, 3, filters => filters, store => 'at_log') own,
  LATERAL memory_search(memory, query, 0, 3, filters => filters, store => 'at_copy') copy
GROUP BY 1 ORDER BY 1;
SELECT answer->>'latestContext' AS latest, answer->>'latestContextTimestamp' AS at,
  (SELECT string_agg(test.n(c->>'contextId')::text, ' ') FROM jsonb_array_elements(answer->'contexts') c) AS entries
FROM memory_search('m0', 'tea', 0, 3, store => 'at_log') answer;
INSERT INTO at_copy.contexts (memory_id, context_id, user_id, context, creation_time, embedding)
SELECT 'm' || n % 2, test.id(n), CASE WHEN n % 3 = 0 THEN 'ann' END, test.words(n, 6),
  timestamptz '2025-01-01Z' + n * interval '1 day', test.vector(n)::halfvec
FROM generate_series(1, 12) n;
INSERT INTO at_log.contexts (memory_id, context_id, user_id, context, creation_time, embedding)
SELECT memory_id, context_id, user_id, context, creation_time, embedding
FROM at_copy.contexts;
SELECT count(*) AS answers,
  count(*) FILTER (WHERE own->'contexts' <> '[]') AS with_contexts,
  count(*) FILTER (WHERE own::text <> copy::text) AS different
FROM queries q,
  (VALUES ('{}'::jsonb), ('{"userId": "ann"}')) f(filters),
  LATERAL memory_search(memory, query, 5, 3, embedding, filters, options, 'at_log') own,
  LATERAL memory_search(memory, query, 5, 3, embedding, filters, options, 'at_copy') copy;
SELECT count(*) AS recalls, count(*) FILTER (WHERE own::text <> copy::text) AS different
FROM queries q,
  LATERAL memory_recall(memory, query, 5, 3, embedding, options => options, store => 'at_log') own,
  LATERAL memory_recall(memory, query, 5, 3, embedding, options => options, store => 'at_copy') copy;
SELECT count(*) AS counts, count(*) FILTER (WHERE a.access_count <> c.access_count) AS different
FROM at_log.entry_access a FULL JOIN at_copy.entry_access c USING (memory_id, entry_id);
RESET memory_search.max_top_ke;

-- A search sees what the application wrote a moment ago, also in its own transaction, and nothing that was rolled back.
SELECT memory_adopt_table('at_follow', 'at_app.log',
    '{"memory_id": "chat", "entry_id": "pk", "raw_entry": "said", "tags": "labels", "embedding": "meaning"}');
PREPARE look AS
  SELECT test.found(memory_search('new', 'zeppelin', embedding => '[1,0,0,0]',
      options => '{"strategy": "keyword", "fallback": false}', store => 'at_follow')) AS found;
EXECUTE look;
INSERT INTO at_app.log (pk, chat, said) VALUES (test.id(1001), 'new', 'a zeppelin'), (test.id(1002), 'new', 'a train');
EXECUTE look;
UPDATE at_app.log SET said = 'two zeppelins and a zeppelin' WHERE pk = test.id(1002);
EXECUTE look;
UPDATE at_app.log SET labels = '{zeppelin}', said = 'nothing of it' WHERE pk = test.id(1001);
EXECUTE look;
BEGIN;
DELETE FROM at_app.log WHERE chat = 'new';
EXECUTE look;
ROLLBACK;
EXECUTE look;
UPDATE at_app.log SET chat = 'elsewhere' WHERE pk = test.id(1002);
EXECUTE look;
DELETE FROM at_app.log WHERE pk = test.id(1001);
EXECUTE look;
BEGIN;
TRUNCATE at_app.log;
SELECT memory_search('m0', 'tea', store => 'at_follow')->'count' AS truncated;
ROLLBACK;
SELECT memory_search('m0', 'tea', options => '{"strategy": "keyword"}', store => 'at_follow')->'count' AS back;
-- Rows as a FROM item: joined with the table itself, a search for each row of another table, and the request that
-- names no store.
SELECT f.rank, l.no, l.who, f.raw_entry = l.said AS same_text
FROM memory_search_entries('m0', 'tea', 3, options => '{"strategy": "keyword", "asOf": "2030-01-01T00:00:00Z"}',
    store => 'at_log') f
JOIN at_app.log l ON l.pk = f.entry_id::uuid
ORDER BY rank;
CREATE TABLE at_app.asked (no int, chat text, question text);
INSERT INTO at_app.asked VALUES (1, 'm0', 'tea'), (2, 'm1', 'a violin'), (3, 'm7', 'tea');
SELECT a.no, f.rank, test.n(f.entry_id) AS n, l.who
FROM at_app.asked a
LEFT JOIN LATERAL memory_search_entries(a.chat, a.question, 2,
    options => '{"strategy": "keyword", "asOf": "2030-01-01T00:00:00Z"}', store => 'at_log') f ON true
LEFT JOIN at_app.log l ON l.pk = f.entry_id::uuid
ORDER BY 1, 2;
SET memory_search.store = 'at_log';
SELECT test.found(memory_search('m0', 'tea', 3,
      options => '{"strategy": "keyword", "asOf": "2030-01-01T00:00:00Z"}')) AS by_arguments,
  test.found(memory_search('{"memoryId": "m0", "query": "tea", "top_ke": 3,
                             "options": {"strategy": "keyword", "asOf": "2030-01-01T00:00:00Z"}}')) AS by_request;
RESET memory_search.store;
DROP FUNCTION rows_of;
DROP TABLE pairs, shapes, calls, queries;
SELECT count(memory_drop_store(nspname, force => true)) AS dropped
FROM pg_namespace
WHERE nspname LIKE 'at\_%' AND nspname NOT IN ('at_app', 'at_copy') OR nspname = 'at "one"';
SELECT count(*) AS tables, (SELECT count(*) FROM at_app.log) AS rows
FROM pg_class WHERE relnamespace = 'at_app'::regnamespace AND relkind = 'r';
DROP SCHEMA at_app, at_copy CASCADE;
