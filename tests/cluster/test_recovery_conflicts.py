"""Reads on a standby that conflict with replay. With hot_standby_feedback hardly any is cancelled. Without it, reads
longer than max_standby_streaming_delay are cancelled, with an SQLSTATE that means to try again. A read that waits for
replay while replay waits for the read is cancelled, too."""

import contextlib
import threading
import time

import psycopg
import pytest

from harness import stores
from harness.server import Server, Servers

SECONDS = 6
# Several searches in one statement: it is longer than replay waits for it.
LONG = "SELECT count(memory_search('m', 'tea ' || n, store => 's')) FROM generate_series(1, 60) n"


@pytest.fixture(scope="module")
def primary(servers: Servers) -> Server:
    server = servers.start("autovacuum = off", "max_standby_streaming_delay = 20ms", "wal_receiver_status_interval = 1s")
    server.create_extension()
    stores.fill(server)
    return server


@pytest.fixture(scope="module")
def standby(servers: Servers, primary: Server) -> Server:
    return servers.standby(primary)


def caught_up(standby: Server, primary: Server) -> None:
    """Waits until the standby has replayed the primary's writes: until then a query may be cancelled."""
    lsn, until = primary.value("SELECT pg_current_wal_insert_lsn()"), time.monotonic() + 60
    while time.monotonic() < until:
        with contextlib.suppress(psycopg.OperationalError):
            if standby.value(f"SELECT pg_last_wal_replay_lsn() >= '{lsn}'"):
                return
        time.sleep(0.05)
    raise AssertionError("the standby has not replayed what the primary wrote")


def feedback(standby: Server, primary: Server, is_on: bool) -> None:
    caught_up(standby, primary)
    standby.run(f"ALTER SYSTEM SET hot_standby_feedback = {'on' if is_on else 'off'}")
    standby.run("SELECT pg_reload_conf()")
    heard = "IS NOT NULL" if is_on else "IS NULL"
    with standby.session() as session:
        session.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT")
        primary.until(f"SELECT backend_xmin {heard} FROM pg_stat_replication", "the primary has heard it")
    # Rows that were removed before the primary knew of the feedback still cause a conflict, until they are replayed.
    caught_up(standby, primary)


def searched(primary: Server, standby: Server) -> tuple[int, int]:
    """The number of answered and of cancelled statements while the primary changes and vacuums."""
    until, done = time.monotonic() + SECONDS, threading.Event()

    def write() -> None:
        with primary.session() as session:
            while not done.is_set():
                session.run("UPDATE s.entries SET importance = 100 - importance WHERE memory_id = 'm'")
                # Truncating the end of the table would take a lock, which is another conflict.
                session.run("VACUUM (TRUNCATE off) s.entries")

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    answered = cancelled = 0
    # On a busy machine one statement may take longer than this whole loop should.
    while time.monotonic() < until or answered + cancelled < 3:
        try:
            with standby.session() as session:
                while time.monotonic() < until or answered + cancelled < 3:
                    try:
                        assert session.value(LONG) == 60, "all searches of the statement were answered"
                        answered += 1
                    except psycopg.errors.SerializationFailure as error:
                        assert "conflict with recovery" in error.diag.message_primary, "it says why"
                        cancelled += 1
        except psycopg.OperationalError:
            # Between two statements, or at the beginning of one, PostgreSQL ends the session instead, and logs it.
            ended = standby.log_lines("FATAL: .* due to conflict with recovery")
            assert ended != [], "a session ends for nothing else"
    done.set()
    writer.join(60)
    return answered, cancelled


def test_with_feedback_most_searches_are_answered_and_without_it_long_ones_are_cancelled(primary: Server, standby: Server, say):
    feedback(standby, primary, False)
    answered, cancelled = searched(primary, standby)
    say(f"without hot_standby_feedback {cancelled} of {answered + cancelled} statements were cancelled")
    assert cancelled > 3 * answered, "without feedback replay does not wait for them"
    feedback(standby, primary, True)
    answered, cancelled = searched(primary, standby)
    say(f"with it {cancelled} of {answered + cancelled}")
    # Feedback is sent once a second: some statements still read rows that were removed before the primary knew of them.
    assert answered > 3 * cancelled, "with feedback most are answered"


def resume(standby: Server) -> None:
    """Resumes replay, which may end this very statement: it holds a snapshot, too."""
    try:
        standby.run("SELECT pg_wal_replay_resume()")
    except psycopg.errors.SerializationFailure:
        standby.until("SELECT NOT pg_is_wal_replay_paused()", "replay goes on")


def read_across_a_removal(primary: Server, standby: Server) -> psycopg.Error | int:
    """A read whose statement began before replay removes rows that it sees, and which waits for a later WAL
    position."""
    caught_up(standby, primary)
    standby.run("SELECT pg_wal_replay_pause()")
    standby.until("SELECT pg_get_wal_replay_pause_state() = 'paused'", "replay is paused")
    primary.run("UPDATE s.entries SET importance = 100 - importance WHERE memory_id = 'm'")
    primary.run("VACUUM (TRUNCATE off) s.entries")
    waiting = {"memory_search.wait_for_lsn": primary.value("SELECT pg_current_wal_insert_lsn()")}
    with standby.by(settings=waiting).session() as session:
        pending = session.start("SELECT memory_count('m', store => 's')")
        standby.until(f"SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = {session.pid}", "it waits")
        resume(standby)
        pending.end()
        if pending.error is None:
            return pending.rows[0][0]
        caught_up(standby, primary)
        assert session.value("SELECT memory_count('m', store => 's')") == 200, "tried again it is answered"
        return pending.error


def test_a_read_in_a_deadlock_with_replay_is_cancelled_and_with_feedback_it_is_answered(
    primary: Server, standby: Server
):
    feedback(standby, primary, False)
    error = read_across_a_removal(primary, standby)
    assert isinstance(error, psycopg.errors.SerializationFailure), f"cancelled, and may be tried again: {error}"
    assert "conflict with recovery" in error.diag.message_primary, "it says why"
    feedback(standby, primary, True)
    assert read_across_a_removal(primary, standby) == 200, "with feedback the primary keeps what it sees"
