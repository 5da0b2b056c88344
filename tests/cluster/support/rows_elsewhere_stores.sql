-- A plain store, "plain", which has the expected answers; an empty one, "template", from whose catalogs other stores
-- are made as this version makes them; and, in the schema "elsewhere", functions that make, fill and search the other
-- stores. Only statements that invent rows name columns: all else is read from the template.
SET client_min_messages = warning;
SELECT memory_create_store('template');
SELECT memory_create_store('plain');
CREATE SCHEMA elsewhere;

-- Some of forty words, the same for the same seed.
CREATE FUNCTION elsewhere.text(seed int, words int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(('{hotel,harbour,train,tea,lemon,window,garden,letter,winter,doctor,bridge,violin,market,river,'
    'passport,bakery,lantern,orchard,ferry,blanket,compass,kettle,mountain,library,dentist,candle,piano,umbrella,'
    'island,pepper,saddle,meadow,anchor,pillow,comet,glacier,walnut,tunnel,cousin,parrot}'::text[])
      [1 + floor(40 * sin(seed * 17 + place * 31.7) ^ 2 * sin(seed * 5 + place * 7.3) ^ 2)::int], ' ' ORDER BY place)
    FROM generate_series(1, words) place $$;
-- More different words than most texts have.
CREATE FUNCTION elsewhere.long_text(seed int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg('word' || n || CASE WHEN n % 9 = 0 THEN 'of' || seed ELSE '' END, ' ' ORDER BY n)
    FROM generate_series(1, 400) n $$;

-- Four memories of 60 entries, and one of so many that the nearest are chosen by estimate. Each six consecutive entries
-- are about one topic, so that neighbour smoothing counts, and each two have the same time. Some entries are too long
-- for the index; some are deleted, expired, corrected, of a later time, or without embedding.
INSERT INTO plain.entries (memory_id, entry_id, user_id, agent_id, raw_entry, summary, context, tags, metadata,
    source_type, importance, creation_time, deletion_scheduled_time, expires_at, superseded_by, superseded_time,
    embedding, embedding_model)
  SELECT memory, md5(memory || n)::uuid, CASE WHEN n % 13 > 0 THEN 'u' || n % 3 END, 'agent ' || n % 2, said,
    CASE WHEN n % 6 = 0 THEN elsewhere.text(seed + 7, 4) END, CASE WHEN n % 15 = 0 THEN elsewhere.text(seed, 6) END,
    ARRAY['t' || n % 4, 't' || n % 7], jsonb_build_object('kind', n % 3, 'place', elsewhere.text(seed + 3, 1)),
    CASE n % 3 WHEN 0 THEN 'chat' WHEN 1 THEN 'email' END, n * 37 % 101,
    CASE WHEN n % 31 = 0 THEN timestamptz '2026-01-01Z' ELSE timestamptz '2025-01-01Z' END
      + n / 2 * interval '9 minutes',
    CASE WHEN n % 19 = 0 THEN timestamptz '2025-02-01Z' END, CASE WHEN n % 23 = 0 THEN timestamptz '2025-03-01Z' END,
    CASE WHEN n % 29 = 0 THEN md5(memory || n - 1)::uuid END, CASE WHEN n % 29 = 0 THEN timestamptz '2025-02-01Z' END,
    CASE WHEN n % 11 > 0 THEN memory_embed(said)::halfvec END, CASE WHEN n % 11 > 0 THEN 'wordllama' END
  FROM (SELECT 'm' || m AS memory, n, m * 10000 + n AS seed FROM generate_series(1, 4) m, generate_series(1, 60) n
    UNION ALL SELECT 'large', n, n FROM generate_series(1, 1200) n) s,
    LATERAL (SELECT elsewhere.text(seed, 9) || ' '
      || ('{sailing,coffee,opera,chess,bicycle,cactus,dragon,honey,marble,thunder}'::text[])[1 + n / 6 % 10]
      || CASE WHEN n % 17 = 0 THEN ' ' || elsewhere.long_text(n) ELSE '' END) t (said)
  ORDER BY memory, n;
-- The contexts of m3 are those on its entries.
INSERT INTO plain.contexts (memory_id, context_id, user_id, context, creation_time, embedding)
  SELECT memory, md5('context' || memory || n)::uuid, 'u' || n % 3, said,
    timestamptz '2025-01-01Z' + n * interval '1 day', memory_embed(said)::halfvec
  FROM unnest('{m1,m2,m4,large}'::text[]) WITH ORDINALITY m (memory, place), generate_series(1, 12) n,
    elsewhere.text(place::int * 100 + n, 8) said;
INSERT INTO plain.entry_access (memory_id, entry_id, access_count, last_accessed_at)
  SELECT memory_id, entry_id, 1 + importance % 7, '2025-02-01Z' FROM plain.entries WHERE importance % 5 = 0;
INSERT INTO plain.links (memory_id, from_entry, to_entry, kind, weight)
  SELECT memory, md5(memory || n)::uuid, md5(memory || n * 7 % 60 + 1)::uuid, 'see', (1 + n % 10) / 10.0
  FROM unnest('{m1,m2}'::text[]) memory, generate_series(1, 60) n WHERE n <> n * 7 % 60 + 1;
-- If contexts have the column entry_id, half of them have the id of the entry that brought them.
SELECT 'UPDATE plain.contexts c SET entry_id = md5(c.memory_id || extract(day FROM c.creation_time))::uuid
  WHERE extract(day FROM c.creation_time)::int % 2 = 0' FROM pg_attribute
  WHERE attrelid = 'template.contexts'::regclass AND attname = 'entry_id' \gexec
ANALYZE plain.entries, plain.contexts, plain.entry_access;

-- The tables of a store, entries first.
CREATE FUNCTION elsewhere.tables() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT relname::text FROM pg_class WHERE relnamespace = 'template'::regnamespace AND relkind = 'r'
    ORDER BY relname <> 'entries', relname $$;

-- The statements that give tables the keys, the indexes and, last, the references of the template's. "suffixes" has the
-- endings of the names of tables in "schema" that differ from the template's, {"entries": "_7"}; their keys and indexes
-- get the same endings. Only indexes whose names match "wanted" are made; keys and references only without "wanted".
CREATE FUNCTION elsewhere.definitions(schema text, suffixes jsonb DEFAULT '{}', wanted text DEFAULT '')
RETURNS SETOF text LANGUAGE sql AS $$
  WITH own AS (SELECT oid, suffix, relname || suffix AS name
    FROM pg_class, COALESCE(suffixes ->> relname::text, '') suffix
    WHERE relnamespace = 'template'::regnamespace AND relkind = 'r')
  SELECT statement FROM (
    SELECT CASE c.contype WHEN 'f' THEN 3 ELSE 1 END,
        format('ALTER TABLE %I.%I ADD CONSTRAINT %I %s', schema, own.name, c.conname || own.suffix,
          regexp_replace(pg_get_constraintdef(c.oid), 'REFERENCES [^( ]+',
            format('REFERENCES %I.%I', schema, COALESCE(target.name, ''))))
      FROM pg_constraint c JOIN own ON own.oid = c.conrelid LEFT JOIN own target ON target.oid = c.confrelid
      WHERE c.contype IN ('p', 'u', 'f') AND wanted = ''
    UNION ALL
    SELECT 2, regexp_replace(pg_get_indexdef(i.indexrelid), 'INDEX \S+ ON \S+',
        format('INDEX %I ON %I.%I', c.relname || own.suffix, schema, own.name))
      FROM pg_index i JOIN own ON own.oid = i.indrelid JOIN pg_class c ON c.oid = i.indexrelid
      WHERE c.relname ~ wanted AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid)
  ) d (step, statement) ORDER BY step, statement $$;

-- Drops the references between the tables of a store, for operations that they prevent.
CREATE FUNCTION elsewhere.drop_references(schema text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  r record;
BEGIN
  FOR r IN SELECT conrelid::regclass AS name, conname FROM pg_constraint
    WHERE connamespace = schema::regnamespace AND contype = 'f' AND conparentid = 0
  LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', r.name, r.conname);
  END LOOP;
END $$;

-- Copies rows of a table of "plain", all columns that are not generated, in another order.
CREATE FUNCTION elsewhere.copy_rows(source text, target text, wanted text DEFAULT 'true')
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  columns text := (SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
    WHERE attrelid = format('plain.%I', source)::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '');
  copied bigint;
BEGIN
  EXECUTE format('INSERT INTO %s (%s) SELECT %2$s FROM plain.%I r WHERE %s ORDER BY md5(r::text)',
    target, columns, source, wanted);
  GET DIAGNOSTICS copied = ROW_COUNT;
  RETURN copied;
END $$;
-- All rows of "plain" into the tables of another store.
CREATE FUNCTION elsewhere.fill(schema text) RETURNS bigint LANGUAGE sql AS $$
  SELECT sum(elsewhere.copy_rows(name, format('%I.%I', schema, name))) FROM elsewhere.tables() name $$;

-- The ways of asking, and whom.
CREATE TABLE elsewhere.ways (way serial PRIMARY KEY, name text, options jsonb, filters jsonb);
INSERT INTO elsewhere.ways (name, options, filters) VALUES
  ('hybrid', '{"strategy": "hybrid"}', '{}'),
  ('keyword', '{"strategy": "keyword"}', '{}'),
  ('semantic', '{"strategy": "semantic"}', '{}'),
  ('recent', '{"strategy": "recent"}', '{}'),
  ('popular and no twins', '{"strategy": "hybrid", "dedupThreshold": 0.9, "boosts": {"popularity": 0.2}}', '{}'),
  ('of a user', '{"strategy": "hybrid"}', '{"userId": "u1"}'),
  ('with tags', '{"strategy": "hybrid"}', '{"tags": ["t1", "t2"]}'),
  ('by ranks since then', '{"strategy": "keyword", "fusion": "rrf"}',
    '{"minImportance": 40, "createdAfter": "2025-01-01T01:00:00Z"}'),
  ('of a kind', '{"strategy": "semantic", "includeSuperseded": true}',
    '{"metadata": {"kind": 1}, "sourceType": ["email"]}'),
  ('recent and used', '{"strategy": "recent"}', '{"accessCount": {"$gte": 2}}');
CREATE TABLE elsewhere.memories (memory text);
INSERT INTO elsewhere.memories VALUES ('m1'), ('m2'), ('m3'), ('m4'), ('large'), ('nobody');

-- Combinations of memory, query and way of asking: one of each "every", up to 3, so that each memory gets each query,
-- each memory in each way, and each query in each way.
CREATE TABLE elsewhere.asked AS
  SELECT memory, query, w.*
  FROM (SELECT memory, row_number() OVER (ORDER BY memory) AS number FROM elsewhere.memories) m, elsewhere.ways w,
    unnest(ARRAY['a quiet hotel by the harbour', '"lemon" tea -train',
      'sailing, coffee, opera, chess, bicycle, cactus, dragon', 'word27of17 parrot', ''])
      WITH ORDINALITY q (query, place)
  WHERE (number + place + way) % :every = 0;

-- A store's answers, a line each.
CREATE FUNCTION elsewhere.answers(store text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT format('%s, %L, %s: %s', memory, query, name, memory_search(memory, query, 10, 3,
      options => options || '{"asOf": "2025-06-01T00:00:00Z"}', filters => filters, store => answers.store))
    FROM elsewhere.asked ORDER BY memory, query, way;
END $$;
-- Its answers with what belongs to the best entries, which reads links and aliases too.
CREATE FUNCTION elsewhere.expanded(store text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT format('%s, %L, %s: %s', memory, query, name, memory_search(memory, query, 10, 3,
      options => options || '{"expand": true, "candidates": 9, "asOf": "2025-06-01T00:00:00Z"}', filters => filters,
      store => expanded.store))
    FROM elsewhere.memories, elsewhere.ways, unnest(ARRAY['a quiet hotel by the harbour', 'sailing, coffee']) query
    ORDER BY memory, query, way;
END $$;
-- The answers of the other reading functions.
CREATE FUNCTION elsewhere.explanations(store text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  asked record;
BEGIN
  FOR asked IN SELECT memory, name, options || '{"asOf": "2025-06-01T00:00:00Z"}' AS options
    FROM elsewhere.memories, elsewhere.ways WHERE way IN (1, 2, 5) ORDER BY memory, way
  LOOP
    RETURN QUERY SELECT format('%s, %s, %s: %s', asked.memory, asked.name, what, said) FROM (
      SELECT 'explained', string_agg(e::text, ' ') FROM memory_explain(asked.memory, 'tea in the garden', 3,
        options => asked.options, store => explanations.store) e
      UNION ALL SELECT 'an entry explained', string_agg(e::text, ' ') FROM memory_explain(asked.memory,
        'tea in the garden', 3, options => asked.options, store => explanations.store,
        entry_id => md5(asked.memory || 35)::uuid::text) e
      UNION ALL SELECT 'entries', string_agg(e::text, ' ') FROM memory_search_entries(asked.memory, 'harbour', 10,
        options => asked.options, store => explanations.store) e
      UNION ALL SELECT 'several memories', memory_search(ARRAY['m4', asked.memory, 'm2'], 'harbour tea', 10, 3,
        options => asked.options, filters => '{"accessCount": {"$gte": 0}}', store => explanations.store)::text
      UNION ALL SELECT 'got', string_agg(g::text, ' ') FROM memory_get(asked.memory,
        ARRAY(SELECT md5(asked.memory || n)::uuid FROM generate_series(30, 40) n), store => explanations.store) g
      UNION ALL SELECT 'listed', string_agg((to_jsonb(l) - 'cursor')::text, ' ') FROM memory_list(asked.memory,
        '{"createdBefore": "2025-06-01T00:00:00Z"}', 'importance', 20, store => explanations.store) l
      UNION ALL SELECT 'counted', memory_count(asked.memory, '{"accessCount": {"$gte": 1}}', explanations.store)::text
      UNION ALL SELECT 'prompt', memory_build_context(asked.memory, 'harbour',
        options => asked.options, store => explanations.store)) s (what, said);
  END LOOP;
END $$;

-- The number of relations that a search has locked, counted in its own transaction, without those of the count itself.
CREATE FUNCTION elsewhere.locks(store text, way int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM memory_search('m1', 'tea in the garden', 10, 3, options => w.options || '{"asOf": "2025-06-01T00:00:00Z"}',
    filters => w.filters, store => locks.store) FROM elsewhere.ways w WHERE w.way = locks.way;
  RETURN (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation'
    AND relation NOT IN ('pg_locks'::regclass, 'elsewhere.ways'::regclass, 'elsewhere.ways_pkey'::regclass));
END $$;
