"""memory_distribute_store() calls the necessary functions of Citus, in an order and on tables that Citus accepts. It
leaves a store that it cannot distribute as it was. The test runs without Citus: functions with Citus' names note their
calls, and refuse the tables that Citus refuses."""

import pytest

from harness.server import Server, Servers

CALLED = "SELECT coalesce(string_agg(call, '; ' ORDER BY number), '') FROM calls"
STATE = """
    SELECT string_agg(concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)), '; ' ORDER BY conname)
    FROM pg_constraint WHERE confrelid = '{0}.entries'::regclass"""
REFERENCE = "FOREIGN KEY (memory_id, {1}) REFERENCES {0}.entries(memory_id, entry_id) ON DELETE CASCADE"
ENDS = ["entry_id", "entry_id", "from_entry", "to_entry"]  # of contexts and entry_access, and two of links


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start()
    server.create_extension()
    server.psql_file("distribute.sql")
    server.run("CREATE ROLE owner LOGIN; CREATE ROLE other LOGIN; GRANT CREATE ON DATABASE scratch TO owner")
    return server


@pytest.fixture(autouse=True)
def nothing_called(server: Server):
    server.run("TRUNCATE calls")


def refused(server: Server, store: str, arguments: str = "", by: str = "owner") -> str:
    before = server.value(CALLED)
    error = server.by(user=by).error(f"SELECT memory_distribute_store('{store}'{arguments})")
    assert server.value(CALLED) == before, "nothing was called"
    return error.sqlstate


def make(server: Server, store: str) -> None:
    server.by(user="owner").run(f"""
        SELECT memory_create_store('{store}');
        SELECT memory_add('m', 'green tea', context => 'at tea', user_id => 'u', store => '{store}')""")


def test_all_tables_are_distributed_together_and_the_rows_left_behind_are_removed(server: Server):
    make(server, "plain")
    server.by(user="owner").run("SELECT memory_distribute_store('plain', 12)")
    tables = "plain.entries", "plain.contexts", "plain.entry_access", "plain.links", "plain.aliases"
    assert server.value(CALLED).split("; ") == [
        "distribute plain.entries memory_id default 12",
        "distribute plain.contexts memory_id plain.entries",
        "distribute plain.entry_access memory_id plain.entries",
        "distribute plain.links memory_id plain.entries",
        "distribute plain.aliases memory_id plain.entries",
        *[f"truncate {table}" for table in tables],
    ]
    found = server.value(STATE.format("plain")).split("; ")
    assert len(found) == 4, "all references to entries are made again"
    assert all(one.endswith(REFERENCE.format("plain", end)) for one, end in zip(found, ENDS, strict=True)), found
    assert server.value("SELECT memory_search('m', 'tea', store => 'plain') -> 'count'") == "1"
    assert refused(server, "plain") == "55000", "it is distributed already"


@pytest.mark.parametrize("store", ["o'x \"y", "'); DROP TABLE calls; --", "{entries}", "$1", "a.b", "back\\slash"])
def test_names_are_quoted(server: Server, store: str):
    owner = server.by(user="owner")
    owner.execute("SELECT memory_create_store(%s)", store)
    owner.by(settings={"standard_conforming_strings": "off"}).execute("SELECT memory_distribute_store(%s)", store)
    called = server.column("SELECT call FROM calls ORDER BY number")
    quoted = server.execute("SELECT quote_ident(%s)", store)[0][0]
    assert called[0] == f"distribute {quoted}.entries memory_id default"
    assert called[2] == f"distribute {quoted}.entry_access memory_id {quoted}.entries"
    assert called[7] == f"truncate {quoted}.entry_access"


def test_without_a_count_citus_chooses(server: Server):
    make(server, "chosen")
    server.by(user="owner").run("SELECT memory_distribute_store('chosen')")
    assert server.value(CALLED).startswith("distribute chosen.entries memory_id default; distribute chosen.contexts")


def test_policies_are_made_again_without_subqueries(server: Server):
    make(server, "guarded")
    owner = server.by(user="owner")
    owner.run("SELECT memory_enable_row_security('guarded', 'app.who'); SELECT memory_grant('guarded', 'other')")
    owner.run("SELECT memory_distribute_store('guarded')")
    other = server.by(user="other", settings={"app.who": "u"})
    assert other.value("SELECT memory_search('m', 'tea', store => 'guarded') -> 'count'") == "1"
    for who in ["v", ""]:
        other = server.by(user="other", settings={"app.who": who})
        assert other.value("SELECT memory_search('m', 'tea', store => 'guarded') -> 'count'") == "0", who
    owner.run("SELECT memory_enable_row_security('guarded', 'app.whose')")
    assert other.value("SELECT count(*) FROM guarded.entries, guarded.contexts") == 0
    assert server.value("SELECT count(*) FROM pg_policy WHERE polrelid::regclass::text ~ '^guarded'") == 5


@pytest.mark.parametrize("count", [0, -1, 64001])
def test_a_count_that_citus_does_not_take_is_refused(server: Server, count: int):
    assert refused(server, "chosen", f", {count}") == "22023"


def test_stores_that_cannot_be_distributed_stay_as_they_are(server: Server):
    owner = server.by(user="owner")
    make(server, "historic")
    before = server.value(STATE.format("historic"))
    assert refused(server, "historic", by="other") in ("42501", "42704"), "somebody else's"
    owner.run("SELECT memory_keep_history('historic')")
    assert refused(server, "historic") == "55000", "triggers write its history"
    owner.run("SELECT memory_keep_history('historic', false)")
    assert refused(server, "historic") == "55000", "its history refers to its entries"
    owner.run("DROP TABLE historic.history; SELECT memory_notify('historic')")
    assert refused(server, "historic") == "55000", "triggers notify"
    owner.run("SELECT memory_notify('historic', enabled => false)")
    owner.run("CREATE TABLE historic.child () INHERITS (historic.entries)")
    assert refused(server, "historic") == "0A000", "others inherit"
    owner.run("DROP TABLE historic.child")
    assert server.value(STATE.format("historic")) == before, "with the references that it had"
    owner.run("SELECT memory_distribute_store('historic')")
    owner.run("""
        CREATE SCHEMA app; CREATE TABLE app.notes (id int PRIMARY KEY, body text);
        SELECT memory_adopt_table('adopted', 'app.notes',
          '{"memory_id": "''m''", "entry_id": "id", "raw_entry": "body"}')""")
    if int(server.value("SHOW server_version_num")) >= 170000:
        owner.run("SELECT memory_create_store('parted', partitions => 2)")
        assert refused(server, "parted") == "0A000", "partitions"
    assert refused(server, "adopted") == "0A000", "the entries are another table's rows"
    assert refused(server, "nowhere") == "42704"


# Functions that begin with the id of a memory, but run on the node of the session.
NOT_DELEGATED = {
    "memory_embed_pending": "works on all memories if the id is null",
    "memory_explain": "shows how the node that is asked searches",
    "memory_export": "returns a whole memory, which Citus would hold as one answer",
    "memory_history": "a distributed store has no history",
    "memory_import": "gets a whole memory, which Citus would send as one text",
    "memory_reembed": "works on all memories if the id is null",
}


def test_functions_that_begin_with_a_memory_are_delegated_where_that_is_wanted(server: Server):
    delegated = "SELECT DISTINCT split_part(call, '.', 2) FROM calls WHERE call LIKE 'function %'"
    make(server, "memory")
    make(server, "sent")
    server.run("TRUNCATE calls")
    server.by(user="owner").run("SELECT memory_distribute_store('memory', 4)")
    assert server.column(delegated) == [], "not by itself"
    server.by(user="owner").run("SELECT memory_distribute_store('sent', 4, delegate => true)")
    names = set(server.column(delegated))
    by_memory = set(server.column("""
        SELECT proname FROM pg_proc WHERE proname LIKE 'memory%' AND proargnames[1] = 'memory_id'
          AND proargtypes[0] = 'text'::regtype"""))
    assert names <= by_memory, "each begins with the id of a memory"
    assert by_memory - names == NOT_DELEGATED.keys(), "a function of one memory is delegated, or is among the exceptions"


def test_without_citus_it_is_refused_with_the_reason(server: Server):
    make(server, "alone")
    before = server.value(STATE.format("alone"))
    server.run("UPDATE pg_extension SET extname = 'not_citus' WHERE extname = 'citus'")
    error = server.by(user="owner").error("SELECT memory_distribute_store('alone')")
    server.run("UPDATE pg_extension SET extname = 'citus' WHERE extname = 'not_citus'")
    assert error.sqlstate == "0A000" and "citus" in str(error)
    assert server.value(STATE.format("alone")) == before
