"""One session's process dies in the middle of a transaction. The server restarts itself, has nothing of that
transaction, and has everything that was committed before. test_undone_transactions.py tests gentler ends of a
transaction."""

import os
import re
import resource
import signal
import time

import psycopg
import pytest

from harness import stores
from harness.access import Questions, Session
from harness.server import Server, Servers

# An instant after all writes of this test, deletions too.
SEARCHES = stores.SEARCHES.replace("2025-06-01", "2100-01-01")
LOST = """
    BEGIN;
    SELECT memory_add('m', 'lost with its session', context => 'lost with its session', creation_time => '2025-05-01Z',
      store => 's');
    SELECT memory_touch('m', array_agg(entry_id), store => 's') FROM s.entries;
    SELECT memory_delete('m', array_agg(entry_id), store => 's')
    FROM (SELECT entry_id FROM s.entries WHERE entry_id::text LIKE '%7') sevens"""


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    # No core files of processes that the test kills.
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
    # Without it, the last commits before a crash may be lost. This is the purpose of the setting, and not tested here.
    server = servers.start("synchronous_commit = on")
    resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))
    # The test kills processes by signals, and counts them.
    server.forbidden.remove("terminated by signal")
    server.create_extension()
    stores.fill(server)
    tables = ("entries", "contexts", "entry_access")
    counts = [server.value(f"SELECT count(*) FROM s.{table}") for table in tables]
    assert counts == [200, 5, 50], "there is something to lose"
    # A program that the session's process starts when the context is written, and that kills this parent process:
    # memory_add is then in its second INSERT.
    server.run("""
        CREATE FUNCTION kill_own_session() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          EXECUTE format('COPY (SELECT) TO PROGRAM %L', 'kill -' || substr(NEW.context, 6) || ' $PPID');
          RETURN NULL;
        END $$;
        CREATE TRIGGER kill_own_session AFTER INSERT ON s.contexts
          FOR EACH ROW WHEN (NEW.context ~ '^KILL ') EXECUTE FUNCTION kill_own_session()""")
    return server


def state(questions: Questions) -> tuple:
    """The state that a crash must not change: the rows of the store, and the answers to ten searches, to the byte."""
    return stores.content(questions), questions.column(SEARCHES)


def until_started(server: Server, starts: int) -> None:
    """Waits for the line that the log has for the first start, and once more for each restart."""
    end = time.monotonic() + 60
    while len(server.log_lines("ready to accept connections")) < starts:
        assert time.monotonic() < end, f"the server restarts itself: {server.log[-2000:]}"
        time.sleep(0.05)


def between_two_statements(session: Session, number: int) -> None:
    os.kill(session.pid, number)
    session.run("COMMIT")


def inside_memory_add(session: Session, number: int) -> None:
    context = f"KILL {signal.Signals(number).name.removeprefix('SIG')}"
    session.run(f"SELECT memory_add('m', 'lost too', context => '{context}', store => 's')")
    session.run("COMMIT")


@pytest.mark.parametrize("dies", [between_two_statements, inside_memory_add])
@pytest.mark.parametrize("number", [signal.SIGABRT, signal.SIGKILL])
def test_a_crash_loses_open_transactions_and_nothing_else(server: Server, number: int, dies):
    starts = len(server.log_lines("ready to accept connections"))
    deaths = len(server.log_lines("terminated by signal"))
    saved = f"saved before crash{starts}"
    server.run(f"""
        SELECT memory_add('m', '{saved}', context => 'before crash {starts}', creation_time => '2025-04-01Z',
          store => 's')""")
    before = state(server)
    with server.session() as victim, server.session() as bystander:
        # Another session is in the middle of its work.
        bystander.run("""
            BEGIN;
            SELECT memory_put_context('m', 'lost with the other session', creation_time => '2025-05-02Z',
              store => 's')""")
        pending = bystander.start("SELECT pg_sleep(60)")
        victim.run(LOST)
        with pytest.raises(psycopg.OperationalError):
            dies(victim, number)
        assert victim.connection.broken, "the session was killed"
        assert isinstance(pending.end().error, psycopg.OperationalError), "the other session was cut off"
    until_started(server, starts + 1)

    signals = [re.search(r"by signal (\d+)", line).group(1) for line in server.log_lines("terminated by signal")]
    assert signals[deaths:] == [str(int(number))], "one session died, by this signal, and nothing else"
    assert len(server.log_lines("reinitializing")) == starts, "the server restarted once for each crash"
    found = server.value(f"SELECT raw_entry FROM memory_search_entries('m', 'crash{starts}', 1, store => 's')")
    assert found == saved, "what was committed just before is found"
    assert state(server) == before, "the rows are the same, and a new session's 10 searches give the same bytes"


def test_after_the_crashes_the_store_takes_and_finds_new_entries(server: Server):
    server.run("""
        DROP TRIGGER kill_own_session ON s.contexts;
        SELECT memory_add('m', 'a new memory after all crashes', store => 's')""")
    found = server.value("SELECT raw_entry FROM memory_search_entries('m', 'all crashes', 1, store => 's')")
    assert found == "a new memory after all crashes", "the store takes and finds new memories"
