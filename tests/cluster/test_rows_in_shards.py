"""A store whose rows are in shards beside empty tables, as on a Citus worker, gives the same bytes as a plain store
with the same rows. The rights on the store's own tables decide: a shard with other rights is not read instead of
them."""

import re

import pytest

from harness.elsewhere import SERIALIZABLE, Stores, difference, with_entries
from harness.access import Questions
from harness.server import Server

ASK = "SELECT memory_search('m1', 'tea', 10, store => 'sharded') -> 'count'"


@pytest.fixture(scope="module")
def stores(server: Server) -> Stores:
    stores = Stores(server)
    stores.add("shards")
    stores.make_reader()
    return stores


@pytest.fixture
def moved(server: Server):
    """The shards of all memories are on another server."""
    everywhere = "SELECT count(*) FROM elsewhere.memories, elsewhere.place(memory, %s)"
    server.run(everywhere % 8)
    yield
    server.run(everywhere % 7)


def each_shard(server: Server, statement: str) -> None:
    for shard in server.column("SELECT format('sharded.%I', shard_name) FROM elsewhere.shards"):
        server.run(statement.replace("SHARD", shard))


def entries_shown(stores: Stores, user: str) -> int:
    return with_entries(stores.said("sharded", by=stores.reader(user)))


def test_shards_give_the_same_bytes(server: Server, stores: Stores):
    names = server.column("SELECT shard_name FROM elsewhere.shards WHERE name = 'entries'")
    own = server.value("SELECT count(*) FROM sharded.entries")
    of_shards = sum(server.value(f"SELECT count(*) FROM sharded.{name}") for name in names)
    assert (own, of_shards) == (0, 1440), "the store's own table is empty, the shards are not"
    spread = server.value("""
        SELECT count(DISTINCT get_shard_id_for_distribution_column('sharded.entries'::regclass, memory))
        FROM elsewhere.memories""")
    assert spread > 1, "memories are in more than one shard"
    assert stores.differences("sharded") == [], "shards, other functions too"
    assert stores.difference("plain") == "", "a plain store of the same database"
    assert stores.difference("sharded", by=server.by(settings=SERIALIZABLE)) == "", "shards, serializable"


def paths(session: Questions) -> set[str]:
    """The paths by which entries and contexts are read."""
    asked = """memory_search('m1', 'tea', store => 'sharded', options => '{"diagnostics": true}')"""
    return set(session.column(f"SELECT path #>> '{{}}' FROM jsonb_path_query({asked}, '$.diagnostics.reads[*].path') path"))


def test_shards_are_read_by_their_memory_indexes(server: Server):
    assert paths(server) == {"memory index"}


def test_a_shard_without_its_memory_index_is_read_itself(server: Server, stores: Stores):
    index = server.value("""
        SELECT format('sharded.%I', 'entries_memory_' || id) FROM elsewhere.shards
         WHERE id = get_shard_id_for_distribution_column('sharded.entries'::regclass, 'm1'::text)""")
    with server.session() as session:
        session.run("BEGIN")
        made = session.value(f"SELECT pg_get_indexdef('{index}'::regclass)")
        session.run(f"DROP INDEX {index}")
        assert "table" in paths(session), "its rows are read"
        # An index on other columns cannot replace the memory index.
        session.run(made.replace("summary, raw_entry", "raw_entry, summary"))
        assert "table" in paths(session), "not by an index that holds the texts in another order"
        session.run("ROLLBACK")
        assert paths(session) == {"memory index"}, "which is there again"


def test_a_session_follows_a_move_within_its_transaction(server: Server):
    with server.session() as session:
        session.run("BEGIN")
        assert session.value(ASK) == "10", "a shard that is here, and locked from now on"
        server.run("SELECT elsewhere.place('m1', 8)")
        assert session.value(ASK) == "0", "is moved away: the store's own table is asked"
        server.run("SELECT elsewhere.place('m1', 7)")
        assert session.value(ASK) == "10", "and back"


def test_a_shard_that_comes_after_the_snapshot_is_refused(server: Server):
    server.run("SELECT elsewhere.place('m1', 8)")
    with server.session() as session:
        session.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        assert session.value(ASK) == "0", "elsewhere when the snapshot was taken"
        server.run("SELECT elsewhere.place('m1', 7)")
        error = session.error(ASK)
        assert error.sqlstate == "40001", "the snapshot may see none of its rows"
        assert "after the snapshot" in str(error) and "new transaction" in error.diag.message_hint
        session.run("ROLLBACK")
        assert session.value(ASK) == "10", "and the next transaction reads it"


def test_a_shard_that_went_and_came_back_is_refused_to_an_older_snapshot(server: Server):
    with server.session() as session:
        session.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        session.run("SELECT 1 FROM pg_class LIMIT 1")
        server.run("SELECT elsewhere.place('m1', 8)")
        server.run("SELECT elsewhere.place('m1', 7)")
        assert session.sqlstate(ASK) == "40001", "its rows would be younger than the snapshot"
    with server.session() as session:
        assert session.value(ASK) == "10"
        session.run("BEGIN; DECLARE c CURSOR FOR " + ASK + " FROM generate_series(1, 2)")
        server.run("SELECT elsewhere.place('m1', 8)")
        server.run("SELECT elsewhere.place('m1', 7)")
        assert session.value(ASK) == "10", "a search of now sees it"
        assert session.sqlstate("FETCH c") == "40001", "and the older snapshot of a cursor does not"


def test_rows_that_were_left_in_the_stores_own_tables_are_not_read(server: Server, stores: Stores):
    # A table keeps its rows for a while after they were sent to shards.
    server.run("""
        SELECT elsewhere.copy_rows(name, format('sharded.%I', name), 'r.memory_id <> ''m2''')
          FROM elsewhere.tables() name;
        UPDATE sharded.entries SET raw_entry = 'stale tea', summary = NULL;
        UPDATE sharded.contexts SET context = 'stale'; UPDATE sharded.entry_access SET access_count = 1000000""")
    assert stores.differences("sharded") == [], "the same bytes, other functions too"
    server.run("TRUNCATE sharded.entries, sharded.contexts, sharded.entry_access, sharded.links")


def test_prefixes_which_no_shard_knows_are_refused(server: Server):
    assert server.sqlstate("SELECT memory_search('{m2}'::text[], 'tea', prefixes => '{m}', store => 'sharded')") == "0A000"
    found = server.value("SELECT memory_search('{m1,m2}'::text[], 'tea', store => 'sharded') -> 'count'")
    assert int(found) > 0, "memories that are named are searched"


def test_a_copy_of_a_shard_on_another_server_does_not_change_the_reads_here(server: Server, stores: Stores):
    server.run("""
        INSERT INTO pg_dist_placement SELECT placementid + 1000, shardid, shardstate, shardlength, 8
        FROM pg_dist_placement""")
    assert stores.difference("sharded") == "", "the same bytes"
    server.run("DELETE FROM pg_dist_placement WHERE groupid = 8")


def test_a_session_sees_that_a_shard_is_moved_away_and_back(server: Server, stores: Stores):
    # The rows of a shard on another server are read by SQL on the store's own table, which Citus sends there. Without
    # Citus this table is empty: the answers are those of a store without rows.
    with server.session() as session:
        assert session.value(ASK) == "10", "a shard that is here"
        session.run("SELECT elsewhere.place('m1', 8)")
        assert session.value(ASK) == "0", "is moved away"
        session.run("SELECT elsewhere.place('m1', 7)")
        assert session.value(ASK) == "10", "and back"


def test_shards_on_another_server_are_read_by_sql(server: Server, stores: Stores, moved):
    assert difference(stores.said("template"), stores.said("sharded")) == "", "the answers of an empty store"
    paths = server.column("""
        SELECT path #>> '{}' FROM jsonb_path_query(memory_search('m1', 'tea', store => 'sharded',
          options => '{"diagnostics": true}'), '$.diagnostics.reads[*].path') path""")
    assert paths and not any("index" in path for path in paths), "no memory index is read then"
    # Rows that SQL finds by the store's own tables, but that are not in their pages, like the rows of another server.
    server.run("SELECT elsewhere.drop_references('sharded')")
    for table in ["entries", "contexts", "entry_access"]:
        server.run(f"""
            CREATE TABLE sharded.{table}_there () INHERITS (sharded.{table});
            SELECT elsewhere.copy_rows('{table}', 'sharded.{table}_there')""")
    assert stores.differences("sharded") == [], "by what SQL gives of the other server, other functions too"
    server.run("DROP TABLE sharded.entries_there, sharded.contexts_there, sharded.entry_access_there")


def test_shards_that_are_back_give_the_same_bytes(stores: Stores):
    assert stores.difference("sharded") == "", "the same bytes"


def test_privileges_of_the_stores_own_tables_count(server: Server, stores: Stores):
    server.run("""
        GRANT USAGE ON SCHEMA sharded TO elsewhere_reader;
        GRANT SELECT ON sharded.entries, sharded.contexts, sharded.entry_access TO elsewhere_reader""")
    assert entries_shown(stores, "u1") == 0, "nothing to a reader who may not read shards"
    server.run("GRANT SELECT ON ALL TABLES IN SCHEMA sharded TO elsewhere_reader")
    assert stores.difference("sharded", by=stores.reader("u1")) == "", "shards, to a reader who may read them too"
    server.run("REVOKE SELECT ON sharded.entries FROM elsewhere_reader")
    searched = stores.reader("u1").sqlstate("SELECT memory_search('m1', 'tea', store => 'sharded')")
    assert searched == "42501", "who may read the shards alone may not search"
    server.run("GRANT SELECT ON sharded.entries TO elsewhere_reader")


def test_without_their_policies_no_row_of_the_shards_is_given(server: Server, stores: Stores):
    stores.secure("sharded")
    assert entries_shown(stores, "u1") == 0, "nothing of the shards"
    assert entries_shown(stores, "") == 0, "nor without a user"
    assert stores.difference("sharded") == "", "the same bytes to the owner, whom policies do not bind"


def nothing_of_others(stores: Stores) -> None:
    """With policies on the shards too, a search gives the user's rows or none, and never more."""
    assert stores.users("sharded", "u1") <= {"u1"}, "nobody else's entries"
    answers = stores.said("sharded", by=stores.reader(""))
    assert with_entries(answers) == 0, "without a user no entry"
    contexts = [answer for answer in answers if re.search('"contextId"|"latestContext": "[^"]', answer)]
    assert contexts == [], "nor a context"


def test_policies_on_shards_show_nothing_of_others(server: Server, stores: Stores):
    for statement in server.column("SELECT elsewhere.policies_of_shards()"):
        server.run(statement)
    nothing_of_others(stores)
    each_shard(server, "DROP POLICY memory_search_user ON SHARD; CREATE POLICY everything ON SHARD USING (true)")
    nothing_of_others(stores)
    each_shard(server, "DROP POLICY everything ON SHARD")
    assert entries_shown(stores, "u1") == 0, "under policies of shards that let nothing through nothing"
