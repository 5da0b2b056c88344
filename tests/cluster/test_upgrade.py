"""From every release in sql/releases to the version that is installed: the stores that it made go on as they were, and
after ALTER EXTENSION UPDATE the catalogs say of the extension what they say of a fresh one, object by object. A
released version stays what it was. test_upgrade_forgotten.py shows that the comparison sees what an update forgets."""

import re
import sys
from collections.abc import Iterator

import pytest

from harness import stores, versions
from harness.cluster import REPOSITORY
from harness.dumps import new_database
from harness.server import Server, Servers
from harness.versions import OwnInstallation

RELEASES = sorted((REPOSITORY / "sql/releases").glob("memory_search--*.sql"))
VERSION = "SELECT extversion FROM pg_extension WHERE extname = 'memory_search'"
ROWS = "SELECT md5(string_agg(e::text, '' ORDER BY entry_id)) FROM s.entries e"


@pytest.fixture(scope="module")
def installation() -> Iterator[OwnInstallation]:
    installation = OwnInstallation()
    yield installation
    installation.remove()


@pytest.fixture(scope="module")
def servers(installation: OwnInstallation, servers: Servers) -> Servers:
    """Its programs stop them, so it is removed after them."""
    return servers


@pytest.fixture(scope="module")
def server(servers: Servers, installation: OwnInstallation) -> Server:
    server = servers.start(pg_config=installation.pg_config)
    server.create_extension()
    stores.fill(server)
    return server


@pytest.fixture(scope="module")
def fresh(server: Server) -> dict:
    """What this version says of itself and of its store when it is installed afresh."""
    access = server.access
    facts = {"objects": versions.objects(server, access), "symbols": versions.symbols(server, access)}
    return facts | {"searches": versions.searches(access), "calls": versions.calls(server, access)}


def test_library_and_sql_say_the_same_version(server: Server, installation: OwnInstallation, fresh: dict):
    assert len(fresh["objects"]) > 200, "the catalogs tell of more than 200 facts"
    assert len(fresh["searches"]) == 10, "10 searches of a store find 10 documents"
    manifest = (REPOSITORY / "Cargo.toml").read_text()
    of_manifest = re.search(r'(?m)^version *= *"(.*)"', manifest).group(1)
    assert installation.version == of_manifest, "what is installed is of the version in Cargo.toml"
    if server.value("SELECT current_setting('server_version_num')::int") >= 180000:
        with server.session() as session:
            session.run("LOAD 'memory_search'")
            of_library = "SELECT version FROM pg_get_loaded_modules() WHERE module_name = 'memory_search'"
            assert session.value(of_library) == installation.version, "and so is the library"
    else:
        print("THIS POSTGRESQL DOES NOT TELL A LIBRARY'S VERSION: it is compared from 18 on", file=sys.stderr)


def test_there_is_a_release():
    assert RELEASES, "sql/releases holds a release: pgrx-config/freeze_release.sh writes it"


@pytest.mark.parametrize("path", RELEASES, ids=lambda path: path.stem.removeprefix("memory_search--"))
def test_stores_of_a_release_go_on(server: Server, installation: OwnInstallation, fresh: dict, path):
    release, version = path.stem.removeprefix("memory_search--"), installation.version
    installation.put(path.read_text(), release)
    old = new_database(server, "from_" + re.sub("[^0-9a-z]", "_", release))
    old.run(f"CREATE EXTENSION memory_search VERSION '{release}' CASCADE")
    if release == version:
        assert versions.objects(server, old) == fresh["objects"], (
            f"memory_search {release} has the objects that it was released with. To change them, give it a new"
            f" version in Cargo.toml, and write sql/memory_search--{release}--NEW.sql, which makes the one out of the"
            f" other. (As long as nobody has {release}, pgrx-config/freeze_release.sh --again replaces it.)"
        )
    # The released SQL on the library that is there now.
    otherwise = versions.called_otherwise(versions.symbols(server, old), fresh["symbols"])
    assert otherwise == [], f"its SQL calls the library in no other way than {version} does"
    stores.fill(old)
    before, rows = versions.searches(old), old.value(ROWS)
    assert len(before) == 10, "its store is filled and searched before the update"

    installation.put(installation.built, version)
    old.run("ALTER EXTENSION memory_search UPDATE")
    assert old.value(VERSION) == version, "after the update it is this version"
    assert versions.objects(server, old) == fresh["objects"], "updated, it is like a fresh one, object by object"
    assert old.value(ROWS) == rows, "the update changed no entry"
    assert versions.searches(old) == before, "10 documents as before the update"
    assert versions.searches(old) == fresh["searches"], "and as a fresh one gives them"
    # The access method came with the update, so the store has what needs it from memory_doctor.
    for fix in old.column("SELECT fix FROM memory_doctor('s') WHERE name = 'index of searches' AND fix IS NOT NULL"):
        old.run(fix)
    assert versions.searches(old) == fresh["searches"], "with the memory index too"
    assert versions.calls(server, old) == fresh["calls"], "every function works on its store as on a new one"


def test_who_may_call_a_function_that_is_made_anew_stays(server: Server, installation: OwnInstallation):
    installation.put((REPOSITORY / "sql/releases/memory_search--0.1.0.sql").read_text(), "0.1.0")
    old = new_database(server, "with_grants")
    old.run("CREATE EXTENSION memory_search VERSION '0.1.0' CASCADE")
    old.run("""
        CREATE ROLE "upgrade Writer"; CREATE ROLE upgrade_other;
        REVOKE ALL ON FUNCTION memory_add FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION memory_add TO "upgrade Writer" WITH GRANT OPTION;
        REVOKE ALL ON FUNCTION memory_delete, memory_recall FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION memory_delete, memory_recall TO "upgrade Writer";""")
    installation.put(installation.built, installation.version)
    old.run("ALTER EXTENSION memory_search UPDATE")
    may_call = """SELECT has_function_privilege('{}', oid, 'EXECUTE{}') FROM pg_proc
        WHERE proname = '{}' AND proargtypes[0] = 'text'::regtype"""
    assert old.value(may_call.format("upgrade Writer", " WITH GRANT OPTION", "memory_add")) is True, "with its option"
    assert old.value(may_call.format("upgrade_other", "", "memory_add")) is False, "what was revoked stays revoked"
    assert old.value(may_call.format("upgrade_other", "", "memory_update")) is True, "what was everybody's stays so"
    all_may_call = """SELECT count(*) FILTER (WHERE has_function_privilege('{}', oid, 'EXECUTE')), count(*)
        FROM pg_proc WHERE proname = '{}'"""
    for function, functions in [("memory_add", 2), ("memory_delete", 2), ("memory_recall", 3)]:
        of_writer = old.row(all_may_call.format("upgrade Writer", function))
        assert tuple(of_writer) == (functions, functions), f"{function} of every kind is whose it was"
        of_other = old.row(all_may_call.format("upgrade_other", function))
        assert tuple(of_other) == (0, functions), f"and {function} for other types and several memories nobody else's"
    assert tuple(old.row(all_may_call.format("upgrade_other", "memory_search"))) == (4, 4), "what was everybody's stays so"
