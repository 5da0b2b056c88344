"""A store whose rows are on another server, behind postgres_fdw, gives the same bytes as a plain store with the same
rows. A standby refuses a search of a store whose rows it lacks because the tables are unlogged."""

import sys

import pytest

from harness.access import Questions
from harness.elsewhere import Stores, difference
from harness.replication import Followed
from harness.server import Server, Servers

ASK = "SELECT memory_search('large', 'tea', 10, store => 'plain') -> 'count'"
# The SQLSTATEs mean that the search is not possible, or not now; none is about a missing file.
NOT_HERE = ("0A000", "55000")


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    # With this a commit that asks for remote_apply waits until the standby has it. No other commit waits.
    server = servers.start("synchronous_standby_names = '*'")
    server.create_extension()
    return server


@pytest.fixture(scope="module")
def stores(server: Server) -> Stores:
    stores = Stores(server)
    server.run("SELECT memory_create_store('reordered'); SELECT elsewhere.fill('reordered')")
    stores.add("partitioned", store="parts8", parts=8)
    return stores


def test_a_store_behind_postgres_fdw_gives_the_same_bytes(server: Server, stores: Stores):
    if not server.value("SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'"):
        print("NOT CHECKED: THIS BUILD OF POSTGRESQL HAS NO POSTGRES_FDW", file=sys.stderr)
        assert stores.kept, "the stores are there"
        return
    server.run("CREATE EXTENSION postgres_fdw")
    # postgres_fdw may push down the operators of an extension that the other server is known to have: distances too,
    # with pgvector.
    for known in ["", ", extensions 'vector'"]:
        server.run(f"""
            CREATE SERVER itself FOREIGN DATA WRAPPER postgres_fdw
              OPTIONS (host '{server.socket}', port '5432', dbname 'scratch', fetch_size '1000'{known});
            CREATE USER MAPPING FOR postgres SERVER itself OPTIONS (user 'postgres', password_required 'false');
            CREATE SCHEMA far; IMPORT FOREIGN SCHEMA plain FROM SERVER itself INTO far""")
        refused = server.sqlstate("SELECT memory_count('m', store => 'far')")
        assert refused == "55000", "constraints are not imported, and nothing says the language"
        server.run("""
            ALTER FOREIGN TABLE far.entries
              ADD CONSTRAINT entries_language CHECK ('pg_catalog.english'::regconfig IS NOT NULL)""")
        assert stores.differences("far") == [], f"a store behind postgres_fdw{known}, other functions too"
        # The doctor proposes nothing that a foreign table cannot have.
        proposed = server.rows("SELECT name, fix FROM memory_doctor('far') WHERE status <> 'ok' AND fix IS NOT NULL")
        assert [row for row in proposed if row[1].startswith(("CREATE", "ALTER", "DO"))] == [], f"{proposed}"
        assert server.value("SELECT status FROM memory_doctor('far') WHERE name = 'links'") == "ok", "links are there"
        server.run("DROP SCHEMA far CASCADE; DROP SERVER itself CASCADE")


# --- Unlogged tables on a standby ------------------------------------------------------------------


@pytest.fixture(scope="module")
def standby(servers: Servers, server: Server, stores: Stores) -> Server:
    """Rows of unlogged tables are not in the WAL, so a standby has the tables without rows."""
    unlogged(server, "reordered")
    assert stores.difference("reordered") == "", "an unlogged store on its own server: the same bytes"
    server.run("SELECT elsewhere.drop_references('parts8')")
    for table in server.column("""
        SELECT oid::regclass::text FROM pg_class WHERE relnamespace = 'parts8'::regnamespace AND relkind = 'r'"""):
        server.run(f"ALTER TABLE {table} SET UNLOGGED")
    assert stores.difference("parts8") == "", "a store of unlogged partitions on its own server: the same bytes"
    return servers.standby(server)


def unlogged(questions: Questions, store: str) -> None:
    # Tables that refer to others change first.
    for table in ["links", "entry_access", "contexts", "entries"]:
        questions.run(f"ALTER TABLE {store}.{table} SET UNLOGGED")


def logged(questions: Questions, store: str) -> None:
    for table in ["entries", "contexts", "entry_access", "links"]:
        questions.run(f"ALTER TABLE {store}.{table} SET LOGGED")


def refused(standby: Server, store: str) -> None:
    search = """
        SELECT memory_search('large', 'tea', options => options, filters => filters, store => '{store}')
        FROM elsewhere.ways WHERE name = '{way}'"""
    for way in ["hybrid", "keyword", "semantic", "recent", "with tags"]:
        error = standby.error(search.format(store=store, way=way))
        assert error.sqlstate in NOT_HERE, f"{store} on the standby, {way}: 0A000 or 55000"
        said = str(error)
        assert any(word in said for word in ("unlogged", "recovery", "standby")), "it says why"


def test_a_search_of_unlogged_tables_on_a_standby_is_refused(stores: Stores, standby: Server):
    assert standby.value("SELECT pg_is_in_recovery()"), "the copy is in recovery"
    assert stores.difference("plain", by=standby) == "", "a plain store on the standby: the same bytes"
    refused(standby, "reordered")
    refused(standby, "parts8")


def test_a_session_on_the_standby_sees_that_tables_become_unlogged_and_logged(
    server: Server, stores: Stores, standby: Server
):
    primary = Followed(server.access, standby)
    with standby.session() as session:
        assert session.value(ASK) == "10", "an open session on the standby finds"
        unlogged(primary, "plain")
        assert session.sqlstate(ASK) in NOT_HERE, "when the tables became unlogged it is refused"
        refused(standby, "plain")
        logged(primary, "plain")
        assert session.value(ASK) == "10", "logged again, it finds"
    assert stores.difference("plain", by=standby) == "", "the same store on the standby: the same bytes"


def test_a_promoted_standby_has_the_unlogged_tables_without_rows(server: Server, stores: Stores, standby: Server):
    empty = stores.said("template")
    server.stop("immediate")
    standby.promote()
    # Now it is an answer, and no error.
    assert difference(empty, stores.said("reordered", by=standby)) == "", "an unlogged store"
    assert difference(empty, stores.said("parts8", by=standby)) == "", "a store of unlogged partitions"
    assert stores.difference("plain", by=standby) == "", "a plain store"
