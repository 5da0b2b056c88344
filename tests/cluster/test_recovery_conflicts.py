"""Reads on a standby that replay would have to wait for: with hot_standby_feedback none is cancelled, without it those
that are longer than max_standby_streaming_delay are, with an SQLSTATE that says to try again."""

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


def feedback(standby: Server, primary: Server, is_on: bool) -> None:
    standby.run(f"ALTER SYSTEM SET hot_standby_feedback = {'on' if is_on else 'off'}")
    standby.run("SELECT pg_reload_conf()")
    heard = "IS NOT NULL" if is_on else "IS NULL"
    with standby.session() as session:
        session.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT")
        primary.until(f"SELECT backend_xmin {heard} FROM pg_stat_replication", "the primary has heard it")
    # What was removed before that is still a conflict.
    lsn = primary.value("SELECT pg_current_wal_insert_lsn()")
    standby.until(f"SELECT pg_last_wal_replay_lsn() >= '{lsn}'", "it has replayed what was removed before")


def searched(primary: Server, standby: Server) -> tuple[int, int]:
    """How many statements were answered and how many were cancelled while the primary changes and vacuums."""
    until, done = time.monotonic() + SECONDS, threading.Event()

    def write() -> None:
        with primary.session() as session:
            while not done.is_set():
                session.run("UPDATE s.entries SET importance = 100 - importance WHERE memory_id = 'm'")
                # To cut the table's end off takes a lock, which is another conflict.
                session.run("VACUUM (TRUNCATE off) s.entries")

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    answered = cancelled = 0
    with standby.session() as session:
        # On a busy machine a statement may take longer than all of it should.
        while time.monotonic() < until or answered + cancelled < 3:
            try:
                assert session.value(LONG) == 60, "all searches of the statement were answered"
                answered += 1
            except psycopg.errors.SerializationFailure as error:
                assert "conflict with recovery" in error.diag.message_primary, "it says why"
                cancelled += 1
    done.set()
    writer.join(60)
    return answered, cancelled


def test_with_feedback_no_search_is_cancelled_and_without_it_long_ones_are(primary: Server, standby: Server, say):
    feedback(standby, primary, False)
    answered, cancelled = searched(primary, standby)
    say(f"without hot_standby_feedback {cancelled} of {answered + cancelled} statements were cancelled")
    assert cancelled > 0, "without feedback replay does not wait for them"
    feedback(standby, primary, True)
    answered, cancelled = searched(primary, standby)
    say(f"with it {cancelled} of {answered + cancelled}")
    assert answered > 0 and cancelled == 0, "with feedback none is cancelled"
