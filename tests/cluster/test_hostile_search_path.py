"""A schema of another role, early on the search path, has a shadow of every object of PostgreSQL and pgvector: no
function of the extension uses any of them, for any calling role, and its answers stay the same. They also stay the same
under each setting of the caller that changes how SQL is read or written."""

from pathlib import Path

import pytest

from harness import stores
from harness.access import Access
from harness.cluster import SUPPORT
from harness.server import Server, Servers
from harness.versions import QUERIES, objects, without_chance

ROLES = ["postgres", "app"]
PATHS = ["evil, pg_temp, public, pg_catalog", "pg_temp, evil, pg_catalog, public"]
CALLS = ["-f", QUERIES / "calls.sql"]
KEYWORD = """'{"strategy": "keyword", "fallback": false}'"""
OWN_TRAPS = ["-f", SUPPORT / "hostile_own_traps.sql"]
UNCALLED = """
    SELECT p.oid::regprocedure::text FROM pg_proc p
    JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
    JOIN pg_extension x
      ON d.refclassid = 'pg_extension'::regclass AND x.oid = d.refobjid AND x.extname = 'memory_search'
    WHERE coalesce(pg_stat_get_function_calls(p.oid), 0) = 0
      -- A call that fails is not counted, and this one fails without Citus.
      AND p.proname <> 'memory_distribute_store'
      -- Only the server calls the functions of the access method and of text search
      -- (test_words_of_plain_sql_fall_into_no_trap).
      AND 'internal'::regtype <> ALL (p.proargtypes)
      -- The server counts no calls of its own code, and no statement can call what takes its messages.
      AND p.prolang <> (SELECT l.oid FROM pg_language l WHERE l.lanname = 'internal')
      AND NOT EXISTS (SELECT FROM pg_type t WHERE p.oid IN (t.typreceive, t.typsubscript) AND t.typname ~ '^memory_')"""
TRAPS_USED = """
    SELECT coalesce(sum(pg_stat_get_function_calls(oid)), 0) FROM pg_proc
    WHERE pronamespace = 'evil'::regnamespace"""
# Settings that change how SQL, names, numbers and times are read or written, and how plans are made.
SETTINGS = [
    "quote_all_identifiers = on",
    "standard_conforming_strings = off",
    "backslash_quote = off",
    "transform_null_equals = on",
    "array_nulls = off",
    "DateStyle = 'SQL, DMY'",
    "TimeZone = 'Asia/Kathmandu'",
    "IntervalStyle = 'sql_standard'",
    "default_text_search_config = 'pg_catalog.german'",
    "bytea_output = 'escape'",
    "check_function_bodies = off",
    "plan_cache_mode = 'force_generic_plan'",
    "enable_indexscan = off",
    "row_security = off",
    "debug_parallel_query = on",
]


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start("track_functions = all")
    server.create_extension()
    # An ordinary role has a store; another role lays the traps.
    server.run("""
        CREATE ROLE app LOGIN; CREATE ROLE mallory LOGIN; GRANT CREATE ON DATABASE scratch TO app, mallory""")
    stores.fill(server.by(user="app"))
    return server


def answers(server: Server, access: Access, *words: str | Path) -> list[str]:
    """The answers of a session of psql to files and commands, and afterwards the number of calls of its functions."""
    flush = "DO $$ BEGIN PERFORM pg_catalog.pg_stat_force_next_flush(); END $$"
    return without_chance(server.psql(*words, "-c", flush, access=access).splitlines())


@pytest.fixture(scope="module")
def before(server: Server) -> dict[str, list[str]]:
    """The answers of all calls to each role without traps, and the functions that were not called."""
    said = {}
    for role in ROLES:
        server.run("SELECT pg_stat_reset()")
        said[role] = answers(server, server.by(user=role), *CALLS)
        assert server.column(UNCALLED) == [], f"{role} calls every function: none lacks a line in calls.sql"
    return said


@pytest.fixture(scope="module")
def traps(server: Server, before) -> None:
    server.psql_file("hostile_traps.sql", access=server.by(user="mallory"))


def test_a_role_and_the_superuser_get_the_same_answers(before: dict[str, list[str]]):
    assert before["app"] == before["postgres"], "the same answers"


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings_of_the_caller_change_no_answer(server: Server, before: dict[str, list[str]], setting: str):
    said = answers(server, server.by(user="app"), "-c", f"SET {setting}", *CALLS)
    assert said == before["app"], f"SET {setting}: the same answers"


def test_everything_is_shadowed(server: Server, traps):
    functions = server.value("SELECT count(*) FROM pg_proc WHERE pronamespace = 'evil'::regnamespace")
    operators = server.value("SELECT count(*) FROM pg_operator WHERE oprnamespace = 'evil'::regnamespace")
    types = server.value("SELECT count(*) FROM pg_type WHERE typnamespace = 'evil'::regnamespace AND typtype = 'd'")
    assert functions > 2500, "more than 2,500 functions are shadowed"
    assert operators > 700, "more than 700 operators"
    assert types > 80, "more than 80 types"
    # The objects that the extension's statements use, by name: a shadow that could not be made would trap nothing.
    missing = server.column("""
        SELECT p.proname FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
          AND NOT '{cstring,internal}'::regtype[] && (p.proargtypes::regtype[] || p.prorettype::regtype)
          AND NOT EXISTS (SELECT FROM pg_proc e WHERE e.pronamespace = 'evil'::regnamespace
            AND e.proname = p.proname AND e.proargtypes = p.proargtypes)""")
    assert missing == [], "each function of pgvector is among them, and of memory_search"
    missing = server.column("""
        SELECT o.oid::regoperator::text FROM pg_operator o WHERE o.oprnamespace = 'pg_catalog'::regnamespace
          AND ('{text,name,int2,int4,int8,float4,float8,numeric,timestamptz,interval,uuid,jsonb,tsvector,tsquery,oid,'
            '"char",bool,anyarray,anycompatiblearray}')::regtype[] && ARRAY[oprleft::regtype, oprright::regtype]
          AND NOT EXISTS (SELECT FROM pg_operator e WHERE e.oprnamespace = 'evil'::regnamespace
            AND e.oprname = o.oprname AND e.oprleft = o.oprleft AND e.oprright = o.oprright)""")
    assert missing == [], "and each operator that takes a text, name, number, time, uuid, jsonb, tsvector or array"


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT pg_catalog.now() > pg_catalog.now()",
        "SELECT now()",
        "SELECT count(*) FROM pg_catalog.pg_class",
        "SELECT lower('A'::pg_catalog.text)",
        "SELECT memory_search('{}'::pg_catalog.jsonb)",
    ],
)
def test_the_traps_work(server: Server, traps, statement: str):
    error = server.by(settings={"search_path": PATHS[0]}).error(statement)
    assert error.diag.message_primary.endswith(" was used"), "somebody who takes no care falls into one"


def test_the_traps_of_a_session_work(server: Server, traps):
    count = "SELECT pg_catalog.count(*) FROM entries"
    said = server.psql(*OWN_TRAPS, "-c", f"SET search_path = {PATHS[1]}", "-c", count)
    assert said == "0\n", "SELECT ... FROM entries reads an empty table"


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("role", ROLES)
def test_no_function_falls_into_a_trap(server: Server, traps, before: dict[str, list[str]], role: str, path: str):
    server.run("SELECT pg_stat_reset()")
    said = answers(server, server.by(user=role), *OWN_TRAPS, "-c", f"SET search_path = {path}", *CALLS)
    assert said == before[role], "the same answers"
    assert server.column(UNCALLED) == [], "every function was called"
    assert server.value(TRAPS_USED) == 0, "and none of the traps"


@pytest.mark.parametrize("role", ROLES)
def test_plans_outlive_the_path_they_were_made_under(server: Server, traps, before: dict[str, list[str]], role: str):
    hostile = ["-c", f"SET search_path = {PATHS[0]}"]
    reset = ["-c", "RESET search_path"]
    said = answers(server, server.by(user=role), *CALLS, *OWN_TRAPS, *hostile, *CALLS, *reset, *CALLS)
    assert said == before[role] * 3, "the same answers before, under and after such a path in one session"


def test_the_embedders_name_is_not_looked_for_on_the_callers_path(server: Server, traps):
    server.run("""
        CREATE FUNCTION public.embed(text) RETURNS public.vector LANGUAGE sql RETURN public.memory_embed('hotel')""")
    server.by(user="mallory").run("""
        CREATE FUNCTION evil.embed(text) RETURNS public.vector LANGUAGE plpgsql
        AS 'BEGIN RAISE EXCEPTION $$evil.embed was used$$; END'""")
    hotel = server.value("SELECT memory_embed('hotel')")
    embed = f"SELECT public.memory_embed('tea') OPERATOR(public.=) '{hotel}'"
    with server.session() as session:
        session.run(OWN_TRAPS[1].read_text())
        session.run(f"SET search_path = {PATHS[0]}")
        session.run("SET memory_search.embedding_function = 'embed'")
        assert session.sqlstate(embed) == "42704", "an embedder's name without a schema is 42704"
        session.run("SET memory_search.embedding_function = 'public.embed'")
        assert session.value(embed), "one with a schema is called"


def test_rows_and_maintenance_run_no_trap(server: Server, traps):
    plain = "memory_id OPERATOR(pg_catalog.=) 'plain'"
    with server.by(user="app").session() as session:
        session.run(OWN_TRAPS[1].read_text())
        session.run(f"SET search_path = {PATHS[0]}")
        session.run("INSERT INTO s.entries (memory_id, raw_entry, tags) VALUES ('plain', 'running trains', '{kite}')")
        session.run(f"UPDATE s.entries SET summary = 'C++' WHERE {plain}")
        session.run("REINDEX TABLE s.entries")
        session.run("ANALYZE s.entries")
        searched = "public.memory_search('plain', '{}', options => {}, store => 's')"
        counts = [
            session.value(f"SELECT pg_catalog.jsonb_extract_path_text({searched.format(word, KEYWORD)}, 'count')")
            for word in ["cplusplus", "runs", "a train", "kites", "bus"]
        ]
        importance = session.value(f"SELECT importance FROM s.entries WHERE {plain}")
        session.run(f"DELETE FROM s.entries WHERE {plain}")
    assert counts == ["1", "1", "1", "1", "0"], "rows by INSERT or UPDATE get their words"
    assert importance == 50, "and defaults; REINDEX and ANALYZE run no trap"


def test_words_of_plain_sql_fall_into_no_trap(server: Server, traps):
    with server.by(user="app").session() as session:
        session.run(OWN_TRAPS[1].read_text())
        session.run(f"SET search_path = {PATHS[0]}")
        words = session.value("SELECT pg_catalog.to_tsvector('public.memory_english', 'Cafés of a.b')::pg_catalog.text")
        shown = session.value("""
            SELECT pg_catalog.ts_headline('public.memory_english', 'a café',
              pg_catalog.to_tsquery('public.memory_english', 'cafe'))""")
    assert words == "'a.b':3 'b':5 'cafe':1 'café':1", "to_tsvector gives the words"
    assert shown == "a <b>café</b>", "ts_headline shows them"


def test_create_extension_under_such_a_path_makes_the_same_objects(server: Server, traps, before: dict[str, list[str]]):
    made = objects(server, server.access)
    # With the traps that take its type.
    server.run("DROP EXTENSION memory_search CASCADE")
    refused = server.by(settings={"search_path": PATHS[0]}).sqlstate("CREATE EXTENSION memory_search")
    assert refused == "55000", "into the first schema of that path: it holds functions of such names"
    with server.session() as session:
        session.run(OWN_TRAPS[1].read_text())
        session.run(f"SET search_path = {PATHS[0]}")
        session.run("CREATE EXTENSION memory_search SCHEMA public")
    assert objects(server, server.access) == made, "into another it makes the same as under the default path"
    # The memory indexes went with their access method.
    for fix in server.column("SELECT fix FROM memory_doctor('s') WHERE name = 'index of searches'"):
        server.run(fix)
    assert answers(server, server.by(user="app"), *CALLS) == before["app"], "and then gives the same answers"
