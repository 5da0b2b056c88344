"""That the comparison in test_upgrade.py sees what an update script forgets, on a made-up next version; and what
becomes of an update whose script or library is not there."""

from collections.abc import Iterator

import pytest

from harness import stores, versions
from harness.access import Access
from harness.dumps import new_database
from harness.server import Server, Servers
from harness.versions import QUERIES, OwnInstallation

UPDATE = "ALTER EXTENSION memory_search UPDATE"
VERSION = "SELECT extversion FROM pg_extension WHERE extname = 'memory_search'"
FUNCTION = (
    "CREATE FUNCTION memory_next(name text DEFAULT 'mcp') RETURNS jsonb STRICT STABLE PARALLEL RESTRICTED"
    " SET search_path TO pg_catalog, pg_temp LANGUAGE c AS 'MODULE_PATHNAME', 'memory_tool_spec_wrapper';"
)
# A function, a privilege, a comment, a cost, a cast and an operator more than this version, and a function less.
NEWS = [
    FUNCTION,
    "COMMENT ON FUNCTION memory_next IS 'of the next version';",
    "REVOKE EXECUTE ON FUNCTION memory_next FROM PUBLIC;",
    "ALTER FUNCTION memory_embed(text) COST 77;",
    "COMMENT ON TYPE memory_embedding IS 'as before, but better';",
    "CREATE CAST (memory_embedding AS pg_catalog.jsonb) WITH INOUT;",
    "CREATE FUNCTION memory_next_same(a memory_embedding, b memory_embedding) RETURNS boolean IMMUTABLE LANGUAGE sql"
    # pgvector's operators are not in pg_catalog.
    " RETURN a::vector OPERATOR(public.=) b::vector;",
    "CREATE OPERATOR === (LEFTARG = memory_embedding, RIGHTARG = memory_embedding, FUNCTION = memory_next_same);",
    "DROP FUNCTION memory_tool_spec(text);",
]
# What needs a function goes with it.
GO_WITH = {0: [1, 2], 6: [7]}
# Labels and defaults are no objects of their own.
CHANGES = [
    (" STABLE ", " VOLATILE "),
    (" PARALLEL RESTRICTED ", " PARALLEL SAFE "),
    (" STRICT ", " "),
    ("DEFAULT 'mcp'", "DEFAULT 'openai'"),
    ("(name text", "(format text"),
    ("SET search_path TO pg_catalog, pg_temp", "SET search_path TO pg_catalog"),
    (" STABLE ", " STABLE SECURITY DEFINER "),
]


class Updates(OwnInstallation):
    """An installation with a next version, and the update to it."""

    def __init__(self) -> None:
        super().__init__()
        start, _, last = self.version.rpartition(".")
        self.next = f"{start}.{int(last) + 1}"
        self.put("\n".join([self.built, *NEWS, ""]), self.next)
        self.make_default(self.next)

    def script(self, *statements: str) -> None:
        """The update to the next version."""
        self.put("\n".join([*statements, ""]), self.version, self.next)


@pytest.fixture(scope="module")
def updates() -> Iterator[Updates]:
    updates = Updates()
    yield updates
    updates.remove()


@pytest.fixture(scope="module")
def servers(updates: Updates, servers: Servers) -> Servers:
    """Its programs stop them, so it is removed after them."""
    return servers


@pytest.fixture(scope="module")
def server(servers: Servers, updates: Updates) -> Server:
    server = servers.start(pg_config=updates.pg_config)
    server.run(f"CREATE EXTENSION memory_search VERSION '{updates.version}' CASCADE")
    stores.fill(server)
    return server


@pytest.fixture(scope="module")
def next_version(server: Server) -> Access:
    """A database with the next version, installed afresh."""
    return new_database(server, "next", extension="CREATE EXTENSION memory_search CASCADE")


@pytest.fixture(scope="module")
def next_objects(server: Server, next_version: Access) -> list[str]:
    return versions.objects(server, next_version)


def updated(server: Server, query: str, *statements: str) -> str:
    """What a query says after an update to the next version, which is undone."""
    words = [word for statement in ["BEGIN", UPDATE, *statements] for word in ("-c", statement)]
    return server.psql(*words, "-f", QUERIES / query, "-c", "ROLLBACK")


def objects_updated(server: Server) -> list[str]:
    return updated(server, "snapshot.sql").splitlines()


def test_without_an_update_script_there_is_no_way(server: Server, updates: Updates):
    assert server.sqlstate(UPDATE) == "22023", "without an update script there is no way to the next version: 22023"
    assert server.value(VERSION) == updates.version, "and this version stays"


def test_a_complete_update_script_makes_a_fresh_next_version(server: Server, updates: Updates, next_objects: list[str]):
    updates.script(*NEWS)
    assert objects_updated(server) == next_objects, "a complete script makes a fresh next version out of this one"


@pytest.mark.parametrize("missing", range(len(NEWS)), ids=[news[:40] for news in NEWS])
def test_what_an_update_forgets_is_seen(server: Server, updates: Updates, next_objects: list[str], missing: int):
    gone = [missing, *GO_WITH.get(missing, [])]
    updates.script(*[statement for number, statement in enumerate(NEWS) if number not in gone])
    assert objects_updated(server) != next_objects, "a script that forgets this is seen"


@pytest.mark.parametrize(("old", "new"), CHANGES, ids=[f"{old.strip()} to {new.strip()}" for old, new in CHANGES])
def test_what_an_update_does_otherwise_is_seen(
    server: Server, updates: Updates, next_objects: list[str], old: str, new: str
):
    updates.script(FUNCTION.replace(old, new), *NEWS[1:])
    assert objects_updated(server) != next_objects, "a script that does this is seen"


def test_a_released_c_function_keeps_its_arguments(server: Server, updates: Updates, next_version: Access):
    called = versions.symbols(server, server.access)
    of_next = versions.symbols(server, next_version)
    assert versions.called_otherwise(called, of_next) == [], "the next version calls the library as this one does"
    of_embed = "memory_embed_wrapper"
    assert called[of_embed].endswith(" | t"), "memory_embed passes no null"
    passes_null = {**called, of_embed: called[of_embed].removesuffix("t") + "f"}
    assert versions.called_otherwise(passes_null, called) == [of_embed], "passing nulls to what takes none is seen"
    assert versions.called_otherwise(called, passes_null) == [], "passing none where they are taken is not"
    other = "CREATE FUNCTION memory_touch(memory_id text, store text) RETURNS bigint LANGUAGE c"
    updates.script(*NEWS, f"{other} AS 'MODULE_PATHNAME', 'memory_touch_wrapper';")
    server.run("ALTER FUNCTION memory_touch(text, anycompatiblearray, text) RENAME TO memory_touch_before")
    dropped = "ALTER EXTENSION memory_search DROP FUNCTION memory_touch_before"
    changed = versions.by_name(updated(server, "symbols.sql", dropped))
    assert versions.called_otherwise(called, changed) == ["memory_touch_wrapper"], "other arguments of it are seen"
    server.run("ALTER FUNCTION memory_touch_before RENAME TO memory_touch")


def test_sql_whose_library_is_not_there_yet_is_refused_whole(server: Server, updates: Updates):
    before, found = versions.objects(server, server.access), versions.searches(server.access)
    later = "CREATE FUNCTION memory_later() RETURNS bigint LANGUAGE c"
    updates.script(*NEWS, f"{later} AS 'MODULE_PATHNAME', 'memory_later_wrapper';")
    assert server.sqlstate(UPDATE) == "42883", "an update to SQL whose library is not there yet is 42883"
    assert server.value(VERSION) == updates.version, "and this version stays"
    assert versions.objects(server, server.access) == before, "with the same objects"
    assert versions.searches(server.access) == found, "and the same answers"


def test_a_session_with_its_plans_goes_on_after_an_update(server: Server, updates: Updates):
    found = versions.searches(server.access)
    updates.script(*NEWS)
    search = "SELECT memory_search('m', 'tea', store => 's')->'count'"
    with server.session() as session:
        assert session.value(search) == "5", "a session searches"
        session.run(UPDATE)
        assert session.value(search) == "5", "updated within it, its searches go on"
        assert session.value("SELECT memory_next()->>'name'") == "memory_search", "and the new function is there"
    assert versions.searches(server.access) == found, "10 documents as before"
