-- A call with arguments of any types has exactly one function: literals, NULLs and parameters without a type call the
-- function with PostgreSQL's types, other types the one beside it that converts them (ADR 0030).
CREATE SCHEMA arg;
CREATE TABLE arg.functions AS
SELECT p.oid, p.proname::text AS function, p.oid::regprocedure::text AS signature, p.pronargs AS arguments,
  p.pronargs - p.pronargdefaults AS required, a.place, p.proargnames[a.place] AS argument, a.type::regtype AS type,
  bool_or(a.type::regtype::text ~ '^memory_(text|jsonb|int4|uuid|timestamptz)') OVER (PARTITION BY p.oid) AS is_wider
FROM pg_proc p
JOIN pg_depend d ON d.objid = p.oid AND d.deptype = 'e' AND d.classid = 'pg_proc'::regclass
JOIN pg_extension x ON d.refobjid = x.oid AND x.extname = 'memory_search',
  LATERAL unnest(p.proargtypes::oid[]) WITH ORDINALITY a(type, place)
-- The functions over several memories have no converting ones beside them (ADR 0032): the end of this test calls them.
-- Nodes of a cluster call memory_search_sent with exactly these types.
WHERE p.proargnames[1] <> 'memory_ids' AND p.proname <> 'memory_search_sent';
SELECT count(DISTINCT oid) FILTER (WHERE NOT is_wider) AS functions,
  count(DISTINCT oid) FILTER (WHERE is_wider) AS wider_ones
FROM arg.functions;
-- The functions without a converting one: all their arguments take the types that clients have, or are texts that are
-- no ids; and the function whose only argument is the JSON request, because a literal could be either type.
SELECT string_agg(DISTINCT signature, ', ' ORDER BY signature) AS alone
FROM arg.functions f
WHERE NOT is_wider AND (signature LIKE 'memory_search(jsonb)'
  OR NOT EXISTS (SELECT FROM arg.functions w WHERE w.function = f.function AND w.is_wider));
-- A wider function differs from its namesake only in the types: names, defaults after the first, result, labels and C
-- function are the same.
SELECT w.oid::regprocedure AS differs
FROM pg_proc w JOIN pg_proc n ON n.proname = w.proname AND n.pronargs = w.pronargs AND n.oid <> w.oid
WHERE w.oid IN (SELECT oid FROM arg.functions WHERE is_wider)
  AND (w.prosrc, w.proargnames, w.prorettype, w.provolatile, w.proparallel, w.proisstrict, w.proconfig, w.prolang)
    IS DISTINCT FROM
    (n.prosrc, n.proargnames, n.prorettype, n.provolatile, n.proparallel, n.proisstrict, n.proconfig, n.prolang)
ORDER BY 1;

-- A value of each type that clients have for an argument of a type; the empty type is a literal's.
CREATE TABLE arg.values (type regtype, of text, value text);
INSERT INTO arg.values
SELECT type::regtype, of, value
FROM (VALUES
  ('text', '{"",text,varchar,name,bpchar}'::text[], $$'m'$$),
  ('jsonb', '{"",jsonb,json,text,varchar}', $$'{}'$$),
  ('integer', '{"",smallint,integer,bigint,numeric,real,"double precision",text,varchar}', $$'1'$$),
  ('bigint', '{"",smallint,integer,bigint}', $$'1'$$),
  ('double precision', '{"","double precision",real,numeric}', $$'0.5'$$),
  ('interval', '{"",interval}', $$'1 day'$$),
  ('boolean', '{"",boolean}', $$'true'$$),
  ('uuid', '{"",uuid,text,varchar}', $$'00000000-0000-0000-0000-000000000001'$$),
  ('uuid[]', '{"",uuid[],text[],varchar[]}', $$'{00000000-0000-0000-0000-000000000001}'$$),
  ('anycompatiblearray', '{"",uuid[],text[],varchar[],bigint[]}', $$'{1}'$$),
  ('timestamptz', '{"",timestamptz,timestamp,date,text,varchar}', $$'2025-01-01'$$),
  ('text[]', '{"",text[],varchar[]}', $$'{a}'$$),
  ('regclass', '{"",regclass,text,varchar,oid}', $$'pg_class'$$),
  ('memory_embedding', '{"",vector,halfvec,memory_embedding,text,varchar,json,jsonb}', $$'[1,0,0]'$$),
  ('memory_embedding',
   '{real[],"double precision[]",numeric[],integer[],smallint[],bigint[],text[],varchar[]}', $$'{1,0,0}'$$)
) v(type, types, value), unnest(types) of;
UPDATE arg.values SET value = '1259' WHERE of = 'oid';
UPDATE arg.values SET value = $$'{00000000-0000-0000-0000-000000000001}'$$ WHERE of = 'uuid[]';
-- Ids of memories, users and agents are uuids and numbers too.
CREATE VIEW arg.given AS
SELECT f.*, v.of, CASE v.of WHEN '' THEN v.value ELSE format('CAST(%s AS %s)', v.value, v.of) END AS value
FROM arg.functions f JOIN arg.values v ON v.type = f.type WHERE NOT f.is_wider
UNION ALL SELECT f.*, 'null', 'NULL' FROM arg.functions f WHERE NOT f.is_wider
UNION ALL
SELECT f.*, id.type, format('CAST(%s AS %s)', id.value, id.type)
FROM arg.functions f,
  (VALUES ('uuid', $$'00000000-0000-0000-0000-000000000001'$$), ('smallint', '7'), ('integer', '7'),
    ('bigint', '7')) id(type, value)
WHERE NOT f.is_wider AND f.type = 'text'::regtype
  AND f.argument IN ('memory_id', 'user_id', 'agent_id', 'entry_id');
-- Every two arguments of a function with every two types, named; other required arguments are literals. The planner
-- finds the function; nothing is called.
CREATE FUNCTION arg.outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'EXPLAIN ' || statement;
  RETURN 'ok';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ': ' || SQLERRM;
END $$;
CREATE TABLE arg.calls AS
SELECT a.function, a.argument AS first, a.of AS first_type, b.argument AS second, b.of AS second_type,
  format('SELECT * FROM %s(%s)', a.function, concat_ws(', ', a.argument || ' => ' || a.value,
      b.argument || ' => ' || b.value,
      (SELECT string_agg(r.argument || ' => ' || r.value, ', ') FROM arg.given r
       WHERE r.oid = a.oid AND r.of = '' AND r.place <= r.required AND r.place NOT IN (a.place, b.place)
         AND (r.type <> 'memory_embedding'::regtype)))) AS call
FROM arg.given a JOIN arg.given b ON a.oid = b.oid AND a.place < b.place
UNION ALL
SELECT a.function, a.argument, a.of, NULL, NULL,
  format('SELECT * FROM %s(%s)', a.function, concat_ws(', ', a.argument || ' => ' || a.value,
      (SELECT string_agg(r.argument || ' => ' || r.value, ', ') FROM arg.given r
       WHERE r.oid = a.oid AND r.of = '' AND r.place <= r.required AND r.place <> a.place)))
FROM arg.given a;
SELECT count(*) > 10000 AS many, count(DISTINCT function) AS functions FROM arg.calls;
CREATE TABLE arg.outcomes AS SELECT *, arg.outcome(call) AS outcome FROM arg.calls;
-- A function with other types requires its first argument: a call without it can only mean its namesake.
SELECT function, first, second, left(outcome, 5) AS outcome,
  string_agg(DISTINCT first_type, ', ' ORDER BY first_type) AS types
FROM arg.outcomes WHERE outcome <> 'ok' GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3;
SELECT count(*) FILTER (WHERE outcome LIKE '42725%') AS not_unique FROM arg.outcomes;

-- Arguments by place: as many literals, and as many NULLs, as a function takes.
SELECT count(*) AS calls, string_agg(DISTINCT outcome, '; ') AS outcomes
FROM (SELECT arg.outcome(format('SELECT * FROM %s(%s)', function, string_agg(value, ', ' ORDER BY place))) AS outcome
      FROM (SELECT g.*, n FROM arg.given g, generate_series(g.required::int, g.arguments::int) n
            WHERE g.of IN ('', 'null') AND g.place <= n) g
      GROUP BY oid, function, n, of) tried;
-- A parameter without a type gets PostgreSQL's type. This holds for each function with all its arguments.
DO $$
DECLARE
  one record;
  found text;
BEGIN
  FOR one IN
    SELECT function, signature, string_agg(format('%s => $%s', argument, place), ', ' ORDER BY place) AS arguments,
      array_agg(type ORDER BY place)::text AS types
    FROM arg.functions WHERE NOT is_wider AND type <> 'anycompatiblearray'::regtype
      AND function NOT IN ('memory_touch', 'memory_feedback', 'memory_get') GROUP BY function, signature
  LOOP
    EXECUTE format('PREPARE arg_one AS SELECT * FROM %s(%s)', one.function, one.arguments);
    SELECT parameter_types::text INTO found FROM pg_prepared_statements WHERE name = 'arg_one';
    IF found <> one.types THEN RAISE EXCEPTION '%: %', one.signature, found; END IF;
    DEALLOCATE arg_one;
  END LOOP;
END $$;
PREPARE arg_touch AS SELECT memory_touch($1, $2, $3), memory_get($4, $5);
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'arg_touch';
DEALLOCATE arg_touch;

-- Expressions outside of the extension keep their meaning: no cast between types of PostgreSQL or pgvector belongs to
-- the extension, and none of its types is implicitly cast to another type.
SELECT castsource::regtype, casttarget::regtype
FROM pg_cast c
JOIN pg_depend d ON d.objid = c.oid AND d.deptype = 'e' AND d.classid = 'pg_cast'::regclass
JOIN pg_extension x ON d.refobjid = x.oid AND x.extname = 'memory_search'
WHERE casttarget::regtype::text !~ '^memory_' AND (castcontext = 'i' OR castsource::regtype::text !~ '^memory_')
ORDER BY 1, 2;
SELECT typname, typcategory, typispreferred, typelem::regtype AS element, typlen
FROM pg_type WHERE typname ~ '^memory_' ORDER BY typname;
-- Several memories: a list of any type, and literals for the other arguments.
SELECT p.proname, count(*) AS calls, string_agg(DISTINCT outcome, '; ') AS outcomes
FROM pg_proc p,
  (VALUES ($$'{1}'::text[]$$), ($$'{1}'::varchar[]$$), ($$'{}'::text[]$$), ('ARRAY[1]'), ('ARRAY[1]::bigint[]'),
    ($$ARRAY[md5('1')::uuid]$$), ($$ARRAY['1'::name]$$)) l(list),
  (VALUES (''), ($$, filters => '{}', options => NULL, embedding => ARRAY[1, 0.5, 0], prefixes => '{a}'$$)) o(others),
  arg.outcome(format('SELECT * FROM %s(%s, %L%s)', p.proname, list, 'q', others)) outcome
WHERE p.proargnames[1] = 'memory_ids' AND p.proname LIKE 'memory\_%' GROUP BY 1 ORDER BY 1;
DROP SCHEMA arg CASCADE;
