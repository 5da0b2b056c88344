-- Ids of an adopted table: of every type, text that looks like a uuid, none at all.
CREATE SCHEMA at_app;
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
-- memory_touch takes the ids in the table's own type, and counts nothing for an id without an entry.
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
-- Rows with an id that no call can name are in no memory of a prefix.
INSERT INTO at_app.holes VALUES ('empty', '', 'tea'), ('long', repeat('m', 2000), 'tea');
SELECT entry_id FROM memory_search_entries('{}'::text[], 'tea', prefixes => '{*}', options => '{"strategy": "keyword"}',
  store => 'at_holes');
DELETE FROM at_app.holes WHERE id IN ('empty', 'long');
-- A word of SQL for the caller's role is a misspelt column.
SELECT test.error($$SELECT memory_adopt_table('at_user', 'at_app.holes',
  '{"memory_id": "m", "entry_id": "id", "raw_entry": "line", "user_id": "user"}')$$);
CREATE INDEX ON at_app.holes USING hnsw (meaning halfvec_cosine_ops);
SELECT test.error($$SELECT * FROM memory_doctor('at_holes')$$) AS with_a_vector_index;

DROP TABLE pairs;
SELECT count(memory_drop_store(nspname, force => true)) AS dropped
FROM pg_namespace WHERE nspname LIKE 'at\_%' AND nspname <> 'at_app';
SELECT count(*) AS tables
FROM pg_class WHERE relnamespace = 'at_app'::regnamespace AND relkind = 'r';
DROP SCHEMA at_app CASCADE;
