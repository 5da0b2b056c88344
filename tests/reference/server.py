"""The facts that a server with the extension has: its functions, settings, validators and answers."""
import json
import os
import subprocess
import sys

# The order of rows is asked for by COLLATE "C", the names of types by the extension's own schema: the same everywhere.
SETTINGS = '-c client_min_messages=warning -c lc_messages=C -c TimeZone=UTC -c DateStyle=ISO'
UNKNOWN_KEY = 'zzzzzzzzzzzzzzzz'  # so unlike any other that the hint lists all keys

FUNCTIONS = """
SELECT jsonb_agg(jsonb_build_object(
    'name', p.proname, 'strict', p.proisstrict, 'comment', obj_description(p.oid, 'pg_proc'),
    'volatility', CASE p.provolatile WHEN 'i' THEN 'IMMUTABLE' WHEN 's' THEN 'STABLE' ELSE 'VOLATILE' END,
    'parallel', CASE p.proparallel WHEN 's' THEN 'SAFE' WHEN 'r' THEN 'RESTRICTED' ELSE 'UNSAFE' END,
    'returns', CASE WHEN p.proretset AND p.prorettype = 'record'::regtype THEN 'TABLE'
      WHEN p.proretset THEN 'SETOF ' || format_type(p.prorettype, NULL) ELSE format_type(p.prorettype, NULL) END,
    'arguments', (SELECT jsonb_agg(jsonb_build_object('name', name, 'type', format_type(type, NULL),
                    'default', pg_get_function_arg_default(p.oid, place::int)) ORDER BY place)
                  FROM unnest(p.proargnames, coalesce(p.proallargtypes, p.proargtypes::oid[]),
                              coalesce(p.proargmodes::text[], array_fill('i'::text, ARRAY[p.pronargs::int])))
                       WITH ORDINALITY a (name, type, mode, place) WHERE mode = 'i'),
    'columns', (SELECT jsonb_agg(jsonb_build_object('name', name, 'type', format_type(type, NULL)) ORDER BY place)
                FROM unnest(p.proargnames, p.proallargtypes, p.proargmodes::text[])
                     WITH ORDINALITY a (name, type, mode, place) WHERE mode = 't'))
  ORDER BY p.proname::text COLLATE "C", p.pronargs DESC)
FROM pg_proc p
JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension x ON d.refclassid = 'pg_extension'::regclass AND x.oid = d.refobjid AND x.extname = 'memory_search'
WHERE NOT EXISTS (SELECT FROM pg_type t
                  WHERE p.oid IN (t.typinput, t.typoutput, t.typreceive, t.typsend, t.typsubscript))
  AND NOT EXISTS (SELECT FROM pg_am a WHERE a.amhandler = p.oid)
  -- Text search alone can call these.
  AND 'internal'::regtype <> ALL (p.proargtypes)
  AND NOT EXISTS (SELECT FROM pg_cast c WHERE c.castfunc = p.oid)
  -- Beside one of these, for the same arguments in other types.
  AND NOT EXISTS (SELECT FROM unnest(p.proargtypes) a JOIN pg_type t ON a IN (t.oid, t.typarray)
                  WHERE t.typname ~ '^memory_' AND t.typname <> 'memory_embedding');"""

# Other types for an argument: types with a cast to the type that has the same layout.
OTHER_TYPES = """
SELECT jsonb_object_agg(narrow, others) FROM (
  SELECT format_type(l.oid, NULL) AS narrow,
    jsonb_agg(format_type(c.castsource, NULL) ORDER BY format_type(c.castsource, NULL) COLLATE "C")
      FILTER (WHERE c.castsource <> l.oid) AS others
  FROM pg_type t
  JOIN pg_type l ON 'memory_' || l.typname = t.typname AND l.typnamespace = 'pg_catalog'::regnamespace
  JOIN pg_cast c ON c.casttarget = t.oid AND c.castcontext = 'i'
  GROUP BY l.oid) n;"""

# Types for an argument of the type memory_embedding that need no written cast.
CASTS = """
SELECT jsonb_agg(format_type(c.castsource, NULL) ORDER BY format_type(c.castsource, NULL) COLLATE "C")
FROM pg_cast c JOIN pg_type t ON t.oid = c.casttarget WHERE t.typname = 'memory_embedding' AND c.castcontext = 'i';"""

TYPE_COMMENT = "SELECT to_jsonb(obj_description(oid, 'pg_type')) FROM pg_type WHERE typname = 'memory_embedding';"

CUSTOM_SETTINGS = """LOAD 'memory_search';
SELECT jsonb_agg(to_jsonb(s) ORDER BY name COLLATE "C") FROM pg_settings s WHERE name LIKE 'memory\\_search.%';"""

REFUSALS = """
CREATE FUNCTION pg_temp.refusal(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  message text;
  hint text;
BEGIN
  PERFORM memory_search(request);
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
  RETURN jsonb_build_array(message, hint);
END $$;
SELECT jsonb_agg(pg_temp.refusal(request) ORDER BY place)
FROM jsonb_array_elements({requests}) WITH ORDINALITY r (request, place);"""

SQLSTATES = """
CREATE FUNCTION pg_temp.code(condition text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = condition;
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE;
END $$;
SELECT jsonb_object_agg(condition, pg_temp.code(condition))
FROM jsonb_array_elements_text({conditions}) AS condition;"""


def ask(script):
    """The JSON that the last statement of a script gives."""
    environment = {**os.environ, 'PGOPTIONS': f"{os.environ.get('PGOPTIONS', '')} {SETTINGS}"}
    done = subprocess.run(['psql', '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'], input=script, text=True,
                          encoding='utf-8', env=environment, check=False, capture_output=True)
    if done.returncode != 0:
        sys.exit(f'psql failed: {done.stderr.strip()}')
    return json.loads(done.stdout)


def literal(value):
    """A JSON value as an SQL literal."""
    text = json.dumps(value).replace("'", "''")
    return f"'{text}'::jsonb"


def functions():
    return ask(FUNCTIONS)


def embedding_casts():
    return ask(CASTS)


def other_types():
    return ask(OTHER_TYPES)


def embedding_comment():
    return ask(TYPE_COMMENT)


def settings():
    return ask(CUSTOM_SETTINGS)


def schema(part):
    """The request or the response as JSON Schema."""
    return ask("SELECT memory_tool_spec('json_schema', 'full');")['$defs'][part]


def sqlstates(conditions):
    """The SQLSTATE of each condition name."""
    return ask(SQLSTATES.replace('{conditions}', literal(conditions)))


def search(options, filters=None, query='green tea', store='reference'):
    """A search of the sample store, at an instant that stays the same."""
    request = {'memoryId': 'm', 'query': query, 'store': store, 'filters': filters or {},
               'options': {'asOf': '2025-06-01T00:00:00Z', **options}}
    return ask(f'SELECT memory_search({literal(request)});')


def refusals(requests):
    """[message, hint] for each request, None for one that is accepted."""
    return ask(REFUSALS.replace('{requests}', literal(requests)))


def keys_of(*path):
    """The keys that the validators know at a place of the request, in the order in which they read them."""
    inner = {UNKNOWN_KEY: 1}
    for key in reversed(path):
        inner = {key: inner}
    (message, hint), = refusals([inner if not path else {'memoryId': 'm', 'query': 'q', **inner}])
    if not hint.startswith('Valid keys are '):
        sys.exit(f'no list of valid keys at {path}: {message} {hint}')
    return hint.removeprefix('Valid keys are ').rstrip('.').split(', ')


def expected_values(paths):
    """The expected value of each field of the request, by the validators."""
    def probe(path, value):
        for key in reversed(path):
            value = {key: value}
        return {'memoryId': 'm', 'query': 'q', **value}

    answers = refusals([probe(path, [[]]) for path in paths])
    texts = refusals([probe(path, 'x') for path in paths])
    values = []
    for path, refusal, of_text in zip(paths, answers, texts, strict=True):
        start = f"{'.'.join(path)} must be "
        # A list is accepted, but not its contents.
        if refusal and refusal[0].startswith(f"{'.'.join(path)}[0] must be "):
            refusal = of_text
        if refusal is None or not refusal[0].startswith(start):
            sys.exit(f'{path} is not refused by its type: {refusal}')
        expected = refusal[0].removeprefix(start).rpartition(', not ')[0]
        # A text may have to be more than any text: a timestamp.
        if expected == 'a text' and of_text and of_text[0].startswith(start):
            expected = of_text[0].removeprefix(start).rpartition(', not ')[0]
        values.append(expected)
    return values
