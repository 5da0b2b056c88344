-- A hostile search_path changes no result: no operator, function, type or table of the caller's path is used.
SELECT memory_create_store('sp', 4);
INSERT INTO sp.entries (memory_id, entry_id, raw_entry, embedding, tags, metadata, creation_time, importance)
SELECT 'm', test.id(n), test.words(n, 6), test.vector(n), ARRAY['t' || n % 3], jsonb_build_object('n', n),
  timestamptz '2025-01-01Z' + n * interval '1 hour', n
FROM generate_series(1, 60) n;
INSERT INTO sp.contexts (memory_id, context_id, context, embedding, creation_time)
SELECT 'm', test.id(n), test.words(n + 100, 6), test.vector(n + 100), timestamptz '2025-01-01Z' + n * interval '1 hour'
FROM generate_series(1, 5) n;
INSERT INTO sp.entry_access SELECT memory_id, entry_id, test.n(entry_id), '2025-01-01Z' FROM sp.entries;
CREATE FUNCTION public.sp_all() RETURNS SETOF text LANGUAGE plpgsql AS $f$
BEGIN
  RETURN QUERY
    SELECT public.memory_search('m'::pg_catalog.text, 'tea train "garden" -quartz'::pg_catalog.text, 10, 3,
        '[1,0,0,0]'::public.memory_embedding,
        '{"tags": ["t1", "t2"], "tagMatch": "any", "importance": {"$gte": 1, "$lt": 100},
          "createdAfter": "2024-01-01T00:00:00Z", "accessCount": {"$gte": 0}, "metadata": {}}'::pg_catalog.jsonb,
        '{"asOf": "2025-06-01T00:00:00Z", "boosts": {"popularity": 0.1}, "dedupThreshold": 0.99}'::pg_catalog.jsonb,
        'sp'::pg_catalog.text)::pg_catalog.text;
  RETURN QUERY
    SELECT public.memory_search('m'::pg_catalog.text, 'tea train'::pg_catalog.text, 10, 3,
        '[1,0,0,0]'::public.memory_embedding, NULL::pg_catalog.jsonb,
        '{"asOf": "2025-06-01T00:00:00Z", "match": "all"}'::pg_catalog.jsonb, 'sp'::pg_catalog.text)::pg_catalog.text;
  RETURN QUERY
    SELECT public.memory_search('{"memoryId": "m", "query": "tea", "store": "sp",
        "options": {"asOf": "2025-06-01T00:00:00Z", "preset": "cortex"}}'::pg_catalog.jsonb)::pg_catalog.text;
  RETURN QUERY
    SELECT f::pg_catalog.text
    FROM public.memory_search_entries('m'::pg_catalog.text, 'hotel'::pg_catalog.text, 10, NULL::public.memory_embedding,
        NULL::pg_catalog.jsonb, '{"asOf": "2025-06-01T00:00:00Z"}'::pg_catalog.jsonb, 'sp'::pg_catalog.text) f;
  RETURN QUERY SELECT pg_catalog.md5(public.memory_embed('hotel'::pg_catalog.text)::pg_catalog.text);
END $f$;
SELECT count(*) AS answers, md5(string_agg(a, '' ORDER BY a COLLATE "C")) AS before FROM public.sp_all() a \gset
SELECT :answers AS answers;

-- Objects that fail when they are used hide all those that a search could need.
CREATE SCHEMA evil;
CREATE FUNCTION evil.trap() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'caller''s object was used';
END $$;
DO $$
DECLARE
  operator record;
  name text;
BEGIN
  FOR operator IN
    SELECT *
    FROM (VALUES
      ('=', 'text', 'text', 'boolean'),
      ('=', 'uuid', 'uuid', 'boolean'),
      ('=', 'integer', 'integer', 'boolean'),
      ('=', 'bigint', 'bigint', 'boolean'),
      ('=', 'name', 'name', 'boolean'),
      ('=', 'oid', 'oid', 'boolean'),
      ('<>', 'text', 'text', 'boolean'),
      ('<>', 'name', 'name', 'boolean'),
      ('<', 'timestamptz', 'timestamptz', 'boolean'),
      ('<=', 'timestamptz', 'timestamptz', 'boolean'),
      ('>', 'timestamptz', 'timestamptz', 'boolean'),
      ('>=', 'timestamptz', 'timestamptz', 'boolean'),
      ('>=', 'float8', 'float8', 'boolean'),
      ('<=', 'float8', 'float8', 'boolean'),
      ('<', 'float8', 'float8', 'boolean'),
      ('>', 'float8', 'float8', 'boolean'),
      ('=', 'float8', 'float8', 'boolean'),
      ('-', 'float8', 'float8', 'float8'),
      ('@@', 'tsvector', 'tsquery', 'boolean'),
      ('&&', 'text[]', 'text[]', 'boolean'),
      ('@>', 'text[]', 'text[]', 'boolean'),
      ('@>', 'jsonb', 'jsonb', 'boolean'),
      ('||', 'text', 'text', 'text'),
      ('||', 'tsvector', 'tsvector', 'tsvector'),
      ('<=>', 'public.halfvec', 'public.halfvec', 'float8'),
      ('<=>', 'public.vector', 'public.vector', 'float8')
    ) o(name, l, r, result)
  LOOP
    EXECUTE format('CREATE OR REPLACE FUNCTION evil.%I(%s, %s) RETURNS %s LANGUAGE plpgsql AS
          ''BEGIN PERFORM evil.trap(); RETURN NULL; END''',
        'op_' || md5(operator.name || operator.l), operator.l, operator.r, operator.result);
    EXECUTE format('CREATE OPERATOR evil.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = evil.%I)', operator.name,
        operator.l, operator.r, 'op_' || md5(operator.name || operator.l));
  END LOOP;
  FOREACH name IN ARRAY ARRAY['to_tsvector(regconfig, text)', 'to_tsvector(text)', 'length(tsvector)',
        'left(text, integer)', 'quote_ident(text)', 'quote_literal(text)', 'now()', 'clock_timestamp()',
        'to_jsonb(text[])', 'vector_dims(public.halfvec)', 'vector_dims(public.vector)',
        'cosine_distance(public.halfvec, public.halfvec)', 'gen_random_uuid()', 'format(text, text)',
        'regexp_match(text, text)', 'pg_get_expr(text, oid)', 'count(text)', 'setweight(tsvector, "char")',
        'memory_search(jsonb)', 'memory_embed(text)', 'cardinality(text[])', 'array_fill(text, integer[])'] LOOP
    EXECUTE format(
        'CREATE FUNCTION evil.%s RETURNS text LANGUAGE plpgsql AS ''BEGIN PERFORM evil.trap(); RETURN NULL; END''',
        name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['entries', 'contexts', 'entry_access', 'pg_class', 'pg_namespace', 'pg_attribute',
        'pg_extension', 'pg_proc', 'pg_ts_config'] LOOP
    EXECUTE format('CREATE TABLE evil.%I ()', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['text', 'uuid', 'float8', 'float4', 'int8', 'int4', 'int2', 'timestamptz', 'jsonb',
        'tsquery', 'tsvector', 'regconfig', 'halfvec', 'vector', 'memory_embedding'] LOOP
    EXECUTE format('CREATE DOMAIN evil.%I AS pg_catalog.int4 CHECK (false)', name);
  END LOOP;
END $$;
CREATE TEXT SEARCH CONFIGURATION evil.english (COPY = pg_catalog.simple);
SET search_path = evil, pg_temp, public, pg_catalog;
-- The trap works: an ordinary statement falls into it.
\set VERBOSITY terse
SELECT 'a'::pg_catalog.text = 'a'::pg_catalog.text;
SELECT pg_catalog.md5(pg_catalog.string_agg(a,
    '' ORDER BY a COLLATE "C")) OPERATOR(pg_catalog.=) :'before' AS same_answers
FROM public.sp_all() a;
-- With a new path, with plans that were made under it, and in the opposite order.
DISCARD PLANS;
SELECT pg_catalog.md5(pg_catalog.string_agg(a,
    '' ORDER BY a COLLATE "C")) OPERATOR(pg_catalog.=) :'before' AS same_answers
FROM public.sp_all() a;
-- Writing functions are just as safe.
SELECT public.memory_create_store('sp_new', 4, 'english');
SELECT public.memory_add('m', 'the kites', context => 'kites', tags => '{a}', metadata => '{"a": 1}',
    embedding => '[1,0,0,0]', entry_id => '00000000-0000-0000-0000-000000000001', creation_time => '2025-01-01Z',
    store => 'sp_new');
SELECT public.memory_put_context('m', 'more', store => 'sp_new') IS NOT NULL;
SELECT pg_catalog.count(*) AS found FROM public.memory_search_entries('m', 'kite', store => 'sp_new',
  options => '{"strategy": "keyword", "fallback": false}');
SELECT public.memory_delete_contexts('m', pg_catalog.array_agg(context_id), 'sp_new') AS hidden FROM sp_new.contexts;
SELECT public.memory_restore_contexts('m', pg_catalog.array_agg(context_id), 'sp_new') AS restored FROM sp_new.contexts;
SELECT public.memory_search('m', '', 0, store => 'sp_new')->'latestContext' AS latest;
SELECT public.memory_delete('m', '{00000000-0000-0000-0000-000000000001}'::pg_catalog._uuid, store => 'sp_new');
SELECT public.memory_drop_store('sp_new', force => true);
RESET search_path;
SELECT md5(string_agg(a, '' ORDER BY a COLLATE "C")) = :'before' AS same_answers FROM public.sp_all() a;
DISCARD PLANS;
-- Without the extension's schema in the path, a qualified call is enough.
SET search_path = '';
SELECT pg_catalog.md5(pg_catalog.string_agg(a, '' ORDER BY a COLLATE "C")) = :'before' AS same_answers
FROM public.sp_all() a;
SELECT public.memory_search('m', 'tea', embedding => ARRAY[1,0,0,0]::real[], store => 'sp') -> 'count' AS count,
  public.memory_search('m', 'tea', embedding => '[1,0,0,0]', store => 'sp') -> 'count' AS by_literal;
SELECT test.error($$SELECT memory_search('m', 'tea', store => 'sp')$$);
RESET search_path;
DROP FUNCTION public.sp_all;
DROP SCHEMA evil, sp CASCADE;
