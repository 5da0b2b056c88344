"""Updates from a release to the installed version: ALTER EXTENSION UPDATE makes the same objects as CREATE EXTENSION,
and stores stay as they were. In addition to the releases in sql/releases, the test freezes a trial release, which lacks
a function, a comment, a privilege and a cast of this version. It finds each of these that an update script forgets."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import stores, versions
from harness.cluster import REPOSITORY
from harness.dumps import new_database
from harness.server import Server, Servers
from harness.versions import QUERIES, OwnInstallation

sys.path.insert(0, str(REPOSITORY / "packaging/release"))
import freeze

TRIAL = "0.0.0"
RELEASES = sorted((REPOSITORY / "sql/releases").glob("memory_search--*.sql"))
UPDATE = "ALTER EXTENSION memory_search UPDATE"
VERSION = "SELECT extversion FROM pg_extension WHERE extname = 'memory_search'"
ROWS = "SELECT md5(string_agg(e::text, '' ORDER BY entry_id)) FROM s.entries e"


class Updates(OwnInstallation):
    """An installation with the trial release, and the statements that make this version of it."""

    def __init__(self) -> None:
        super().__init__()
        tree = self.root / "tree"
        (tree / "sql").mkdir(parents=True)
        (tree / "Cargo.toml").write_text(f'version = "{TRIAL}"\n')
        statement = r"(?ms)^{}.*?;$"
        create = re.search(statement.format(r'CREATE +FUNCTION "?memory_tool_spec'), self.built).group()
        comment = re.search(statement.format(r"COMMENT ON FUNCTION @extschema@\.memory_tool_spec\("), self.built).group()
        embed = re.search(statement.format(r"COMMENT ON FUNCTION @extschema@\.memory_embed\("), self.built).group()
        self.news = [
            create,
            comment,
            embed,
            "REVOKE EXECUTE ON FUNCTION memory_embed(text) FROM PUBLIC;",
            "ALTER FUNCTION memory_embed(text) COST 77;",
            "CREATE CAST (memory_embedding AS pg_catalog.jsonb) WITH INOUT;",
        ]
        older = self.built
        for there in (create, comment, embed):
            older = older.replace(there, "", 1)
        (tree / f"sql/memory_search--{TRIAL}.sql").write_text(older)
        self.put(freeze.freeze(tree).read_text(), TRIAL)
        # This version, with other objects that a script may forget, besides functions and comments.
        self.put("\n".join([self.built, *self.news[3:], ""]), self.version)

    def script(self, *statements: str) -> None:
        self.put("\n".join([*statements, ""]), TRIAL, self.version)


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
    server.run(f"CREATE EXTENSION memory_search VERSION '{TRIAL}' CASCADE")
    stores.fill(server)
    return server


@pytest.fixture(scope="module")
def fresh(server: Server) -> dict:
    """The description of this version and of its store after a fresh installation."""
    access = new_database(server, "fresh", extension="CREATE EXTENSION memory_search CASCADE")
    stores.fill(access)
    facts = {"objects": versions.objects(server, access), "symbols": versions.symbols(server, access)}
    return facts | {"searches": versions.searches(access), "calls": versions.calls(server, access)}


def updated(server: Server, query: str, *statements: str) -> str:
    """The answer to a query after an update, which is rolled back."""
    words = [word for statement in ["BEGIN", UPDATE, *statements] for word in ("-c", statement)]
    return server.psql(*words, "-f", QUERIES / query, "-c", "ROLLBACK")


def test_library_and_sql_have_the_same_version(server: Server, updates: Updates):
    of_manifest = re.search(r'(?m)^version *= *"(.*)"', (REPOSITORY / "Cargo.toml").read_text()).group(1)
    assert updates.version == of_manifest, "what is installed is of the version in Cargo.toml"
    if server.value("SELECT current_setting('server_version_num')::int") >= 180000:
        with server.session() as session:
            session.run("LOAD 'memory_search'")
            of_library = "SELECT version FROM pg_get_loaded_modules() WHERE module_name = 'memory_search'"
            assert session.value(of_library) == updates.version, "and so is the library"
    else:
        print("THIS POSTGRESQL DOES NOT TELL A LIBRARY'S VERSION: it is compared from 18 on", file=sys.stderr)


def test_without_an_update_script_or_its_library_the_version_stays(server: Server, updates: Updates):
    before = versions.objects(server, server.access)
    assert server.sqlstate(UPDATE) == "22023", "without an update script there is no way: 22023"
    later = "CREATE FUNCTION memory_later() RETURNS bigint LANGUAGE c AS 'MODULE_PATHNAME', 'memory_later_wrapper';"
    updates.script(*updates.news, later)
    assert server.sqlstate(UPDATE) == "42883", "to SQL whose library is not there yet: 42883"
    assert server.value(VERSION) == TRIAL, "and the version stays"
    assert versions.objects(server, server.access) == before, "with the same objects"


@pytest.mark.parametrize("missing", range(6))
def test_an_object_that_an_update_forgets_is_found(server: Server, updates: Updates, fresh: dict, missing: int):
    gone = {0: [0, 1]}.get(missing, [missing])
    updates.script(*[statement for number, statement in enumerate(updates.news) if number not in gone])
    got = updated(server, "snapshot.sql").splitlines()
    assert got != fresh["objects"], f"a script that forgets this is seen: {updates.news[missing][:60]}"


@pytest.mark.parametrize(("old", "new"), [(" STABLE", " VOLATILE"), (" STABLE", " STABLE SECURITY DEFINER"),
                                          ("pg_catalog, pg_temp", "pg_catalog"), ("DEFAULT '", "DEFAULT 'x")])
def test_an_object_changed_by_an_update_is_found(server: Server, updates: Updates, fresh: dict, old: str, new: str):
    create = updates.news[0]
    otherwise = re.sub(re.escape(old), new, create, count=1, flags=re.IGNORECASE)
    assert otherwise != create, f"the function says {old}"
    updates.script(otherwise, *updates.news[1:])
    assert updated(server, "snapshot.sql").splitlines() != fresh["objects"], "a script that does this is seen"


def test_a_released_c_function_keeps_its_arguments(server: Server, updates: Updates, fresh: dict):
    called, of_embed = fresh["symbols"], "memory_embed_wrapper"
    passes_null = {**called, of_embed: called[of_embed].removesuffix("t") + "f"}
    assert versions.called_otherwise(passes_null, called) == [of_embed], "passing nulls to what takes none is seen"
    assert versions.called_otherwise(called, passes_null) == [], "passing none where they are taken is not"
    other = {**called, of_embed: called[of_embed].replace("text", "bytea")}
    assert versions.called_otherwise(called, other) == [of_embed], "other arguments are seen"


@pytest.mark.parametrize("path", [None, *RELEASES], ids=lambda path: path.stem.split("--")[1] if path else "trial")
def test_stores_of_a_release_go_on(server: Server, updates: Updates, fresh: dict, path: Path | None):
    release, version = (path.stem.split("--")[1] if path else TRIAL), updates.version
    updates.script(*updates.news)
    if path:
        updates.put(path.read_text(), release)
        updates.put(updates.built, version)
        this = new_database(server, f"as_{release}".replace(".", "_"), extension="CREATE EXTENSION memory_search CASCADE")
        fresh = fresh | {"objects": versions.objects(server, this)}
    create = f"CREATE EXTENSION memory_search VERSION '{release}' CASCADE"
    old = new_database(server, "from_" + release.replace(".", "_"), extension=create)
    # The released SQL on the present library.
    otherwise = versions.called_otherwise(versions.symbols(server, old), fresh["symbols"])
    assert otherwise == [], f"its SQL calls the library in no other way than {version} does"
    stores.fill(old)
    before, rows, search = versions.searches(old), old.value(ROWS), "SELECT memory_search('m', 'tea', store => 's')->'count'"
    with old.session() as session:
        assert session.value(search) == "5", "a session searches"
        session.run(UPDATE)
        assert session.value(search) == "5", "and goes on after it"
    assert old.value(VERSION) == version, "after the update it is this version"
    assert versions.objects(server, old) == fresh["objects"], (
        f"updated, it is like a fresh one, object by object; if {release} is this version, it is as it was released: to"
        " change it give it a new number in Cargo.toml, and write the update script that makes the one of the other"
    )
    assert old.value(ROWS) == rows, "the update changed no entry"
    assert versions.searches(old) == before == fresh["searches"], "10 documents as before, and as a fresh one gives them"
    assert versions.calls(server, old) == fresh["calls"], "every function works on its store as on a new one"
