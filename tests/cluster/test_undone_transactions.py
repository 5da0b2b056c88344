"""Transactions that are undone without a crash: by a savepoint, an error inside memory_add, a time limit. No row of
them stays, and the session's caches stay right."""

import dataclasses

import pytest

from harness import stores
from harness.access import Questions
from harness.server import Server, Servers

# An instant after all writes of this test, deletions too.
SEARCHES = stores.SEARCHES.replace("2025-06-01", "2100-01-01")
CALLS = {
    "memory_add": "memory_add('m', 'tea, undone', context => 'undone: peanuts', creation_time => '2025-05-01Z',"
    " store => 's')",
    "memory_put_context": "memory_put_context('m', 'undone: a hotel', creation_time => '2025-05-01Z', store => 's')",
    "memory_touch": "memory_touch('m', (SELECT array_agg(entry_id) FROM s.entries), store => 's')",
    "memory_delete of entries": "memory_delete('m', (SELECT array_agg(entry_id) FROM s.entries WHERE importance < 50),"
    " store => 's')",
    "memory_delete of all": "memory_delete('m', whole_memory => true, store => 's')",
}
CONTEXT = "context => 'forbidden', creation_time => '2025-05-01Z', store => 's'"
FORBIDDEN = f"memory_add('m', 'forbidden', {CONTEXT})"
BULK = """
    SELECT count(memory_add('m', 'too late ' || n, context => 'too late ' || n, store => 's'))
    FROM generate_series(1, 20000) n"""


@dataclasses.dataclass
class Failure:
    """A way for memory_add to fail."""

    what: str
    sqlstate: str
    call: str = FORBIDDEN
    before: str = ""
    after: str = ""


def constraint(table: str, condition: str) -> dict[str, str]:
    return {
        "before": f"ALTER TABLE s.{table} ADD CONSTRAINT ours CHECK ({condition})",
        "after": f"ALTER TABLE s.{table} DROP CONSTRAINT ours",
    }


def trigger(table: str, event: str, function: str) -> dict[str, str]:
    return {
        "before": f"CREATE TRIGGER ours {event} ON s.{table} FOR EACH ROW EXECUTE FUNCTION {function}()",
        "after": f"DROP TRIGGER ours ON s.{table}",
    }


FAILURES = [
    Failure("an embedding of the wrong length", "22000", f"memory_add('m', 'no', embedding => '[1,2]', {CONTEXT})"),
    Failure("an id that is taken", "23505", f"memory_add('m', 'no', entry_id => '{stores.entry_id(7)}', {CONTEXT})"),
    Failure("a constraint on entries", "23514", **constraint("entries", "raw_entry <> 'forbidden'")),
    Failure(
        "a constraint on contexts",
        "23514",
        f"memory_add('m', 'allowed', {CONTEXT})",
        **constraint("contexts", "context <> 'forbidden'"),
    ),
    Failure("a trigger when the entry is written", "23001", **trigger("contexts", "AFTER INSERT", "refuse")),
    # An entry that is not there brings no context.
    Failure("a trigger that suppresses the entry", "55000", **trigger("entries", "BEFORE INSERT", "suppress")),
]


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start()
    server.create_extension()
    stores.fill(server)
    # When contexts are written, the entry exists already: the trigger sees it.
    server.run("""
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF NOT EXISTS (SELECT FROM s.entries WHERE raw_entry = 'forbidden') THEN
            RAISE EXCEPTION 'the trigger came too early';
          END IF;
          RAISE EXCEPTION 'no' USING ERRCODE = 'restrict_violation';
        END $$;
        CREATE FUNCTION suppress() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'""")
    return server


def answers(questions: Questions) -> list[str]:
    return questions.column(SEARCHES)


@pytest.fixture(scope="module")
def rows(server: Server) -> tuple:
    return stores.content(server)


@pytest.fixture(scope="module")
def expected(server: Server, rows: tuple) -> list[str]:
    """The answers to ten searches, to the byte; all sessions in this file must give them."""
    return answers(server)


# --- A savepoint is rolled back --------------------------------------------------------------------


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_a_rollback_to_a_savepoint_undoes_the_caches_too(server: Server, rows: tuple, expected: list[str], call: str):
    with server.session() as session:
        assert answers(session) == expected, "the session's searches answer as others' do"
        session.run("BEGIN; SAVEPOINT p")
        session.run(f"SELECT {call}")
        # The session sees the change, so that a cache could keep a wrong value.
        assert answers(session) != expected, "meanwhile otherwise"
        session.run("ROLLBACK TO p")
        assert answers(session) == expected, "undone, they answer as before"
        session.run("COMMIT")
        assert answers(session) == expected, "and after the transaction"
    assert stores.content(server) == rows, "the rows are the same"


def test_a_session_whose_first_calls_were_all_undone_answers_as_others_do(
    server: Server, rows: tuple, expected: list[str]
):
    # The rolled back transaction made its plans and its model.
    with server.session() as session:
        session.run("BEGIN")
        for call in CALLS.values():
            session.run("SAVEPOINT p")
            session.run(f"SELECT {call}")
            answers(session)
            session.run("ROLLBACK TO p")
        session.run("ROLLBACK")
        assert answers(session) == expected, "it answers as others do"
    assert (stores.content(server), answers(server)) == (rows, expected), "the rows and others' answers are the same"


def test_a_store_whose_creation_was_undone_may_be_made_with_other_dimensions(server: Server):
    search = "SELECT memory_search('m', 'x', embedding => '[1,0,0,0]', store => 't')->'count'"
    add = "SELECT memory_add('m', 'x', embedding => '[1,0,0,0]', context => 'x', store => 't')"
    with server.session() as session:
        session.run("BEGIN; SAVEPOINT p")
        session.run("SELECT memory_create_store('t', 4)")
        session.run(add)
        assert session.value(search) == "1", "a store is made and used"
        session.run("ROLLBACK TO p")
        assert session.sqlstate(search) == "42704", "undone, there is none to search"
        session.run("ROLLBACK TO p")
        assert session.sqlstate(add) == "42704", "nor to add to"
        session.run("ROLLBACK")
        session.run("SELECT memory_create_store('t', 2)")
        session.run("SELECT memory_add('m', 'y', embedding => '[1,0]', store => 't')")
        search = "SELECT raw_entry FROM memory_search_entries('m', '', embedding => '[1,0]', store => 't')"
        assert session.value(search) == "y", "one with other dimensions may be made"


# --- An error inside memory_add --------------------------------------------------------------------


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.what)
def test_an_error_inside_memory_add_leaves_nothing(server: Server, rows: tuple, expected: list[str], failure: Failure):
    if failure.before:
        server.run(failure.before)
    assert server.sqlstate(f"SELECT {failure.call}") == failure.sqlstate, failure.what
    assert stores.content(server) == rows, "the rows are the same"
    # A block catches the error, and then commits.
    with server.session() as session:
        session.run(f"""
            DO $do$
            BEGIN
              PERFORM {failure.call};
              RAISE EXCEPTION 'no error';
            EXCEPTION WHEN SQLSTATE '{failure.sqlstate}' THEN NULL;
            END $do$""")
        assert answers(session) == expected, "caught: the session's searches answer as before"
    assert stores.content(server) == rows, "caught: the rows are the same"
    if failure.after:
        server.run(failure.after)


def test_an_error_of_a_deferred_trigger_undoes_rows_that_the_session_saw(server: Server, rows: tuple):
    server.run("""
        CREATE CONSTRAINT TRIGGER ours AFTER INSERT ON s.contexts DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION refuse()""")
    with server.session() as session:
        session.run("BEGIN")
        session.run(f"SELECT {FORBIDDEN}")
        seen = session.value("SELECT count(*) FROM s.entries WHERE raw_entry = 'forbidden'")
        assert seen == 1, "the entry could be seen already"
        assert session.sqlstate("COMMIT") == "23001", "a trigger at the time of commit: 23001"
    assert stores.content(server) == rows, "the rows are the same"
    server.run("DROP TRIGGER ours ON s.contexts")


# --- A time limit ----------------------------------------------------------------------------------


def test_a_bulk_memory_add_that_is_stopped_leaves_nothing(server: Server, rows: tuple, expected: list[str]):
    # A rollback does not return the numbers of entry_order. They show how many entries were written and undone.
    order = "SELECT last_value FROM s.entries_entry_order_seq"
    before = server.value(order)
    with server.session() as session:
        answers(session)
        session.run("SET statement_timeout = '2s'")
        assert session.sqlstate(BULK) == "57014", "it is stopped by statement_timeout: 57014"
        session.run("RESET statement_timeout")
        assert answers(session) == expected, "and the session goes on"
    assert server.value(order) > before + 1, "it had written some"
    assert (stores.content(server), answers(server)) == (rows, expected), "the rows and others' answers are the same"


def test_what_was_done_before_a_stopped_savepoint_is_kept(server: Server, expected: list[str]):
    with server.session() as session:
        session.run("BEGIN")
        session.run("SELECT memory_add('other', 'in time', context => 'in time', store => 's'); SAVEPOINT p")
        session.run("SET LOCAL statement_timeout = '400ms'")
        assert session.sqlstate(BULK) == "57014", "stopped inside a savepoint"
        session.run("ROLLBACK TO p; COMMIT")
        found = session.value("SELECT memory_search('other', 'time', store => 's')->'count'")
        assert found == "1", "what the transaction did before is kept"
    kept = server.row("""
        SELECT (SELECT count(*) FROM s.entries WHERE memory_id = 'other'),
          (SELECT count(*) FROM s.contexts WHERE memory_id = 'other'),
          (SELECT count(*) FROM s.entries WHERE raw_entry LIKE 'too late%'),
          (SELECT count(*) FROM s.contexts WHERE context LIKE 'too late%')""")
    assert kept == (1, 1, 0, 0), "and nothing else"
