"""A read on a standby that waits for a write of the primary always finds it. statement_timeout and a cancellation end
the wait. On a primary it has no effect."""

import time
import uuid

import psycopg
import pytest

from harness import stores
from harness.access import Questions, Session
from harness.server import Server, Servers

PAIRS = 60
DELAY_MS = 30  # of every commit's replay
TOO_LATE_MS = 2000  # for a read that does not wait, on any machine
NEVER = "FFFFFFFF/0"
READERS = [
    "SELECT memory_search('m', 'tea', store => 's')",
    """SELECT memory_search('{"memoryId": "m", "query": "tea", "store": "s"}')""",
    "SELECT memory_search(ARRAY['m', 'n'], 'tea', store => 's')",
    "SELECT count(*) FROM memory_search_entries('m', 'tea', 1, store => 's')",
    "SELECT count(*) FROM memory_explain('m', 'tea', 1, store => 's')",
    "SELECT memory_build_context('m', 'tea', store => 's')",
    "SELECT memory_recall('nobody', 'tea', store => 's')",
    f"SELECT count(*) FROM memory_get('m', ARRAY['{stores.entry_id(1)}'], store => 's')",
    "SELECT count(*) FROM memory_list('m', store => 's')",
    "SELECT memory_count('m', store => 's')",
    "SELECT count(*) FROM memory_list_memories(store => 's')",
    "SELECT count(*) FROM memory_stats('s')",
    f"SELECT count(*) FROM memory_links('m', '{stores.entry_id(1)}', store => 's')",
    f"SELECT count(*) FROM memory_related('m', '{stores.entry_id(1)}', store => 's')",
    "SELECT count(*) FROM memory_aliases('m', 's')",
    f"SELECT count(*) FROM memory_history('m', '{stores.entry_id(1)}', store => 's')",
]


@pytest.fixture(scope="module")
def primary(servers: Servers) -> Server:
    # A standby can be copied only if its primary logs full pages, and follows as long as they are logged. Without
    # feedback, autovacuum on the primary, also of the catalogs, would make replay wait for a read that waits for
    # replay.
    server = servers.start(
        "hot_standby_feedback = on",
        "wal_receiver_status_interval = 1s",
        "max_standby_streaming_delay = 60s",
        "full_page_writes = on",
        "wal_keep_size = 512MB",
        # No commit waits for its WAL here (server.conf), which the standby gets when the WAL writer wakes: after 200 ms.
        "wal_writer_delay = 10ms",
    )
    server.create_extension()
    stores.fill(server)
    server.run("SELECT memory_keep_history('s')")
    return server


@pytest.fixture(scope="module")
def standby(servers: Servers, primary: Server) -> Server:
    """The standby delays the replay of commits."""
    standby = servers.standby(primary)
    delay(standby, DELAY_MS)
    return standby


@pytest.fixture(scope="module")
def cascaded(servers: Servers, standby: Server) -> Server:
    return servers.standby(standby)


def delay(standby: Server, milliseconds: int) -> None:
    standby.run(f"ALTER SYSTEM SET recovery_min_apply_delay = '{milliseconds}ms'")
    standby.run("SELECT pg_reload_conf()")
    standby.until(f"SELECT setting = '{milliseconds}' FROM pg_settings WHERE name = 'recovery_min_apply_delay'", "delay")


def answered(reader: Session, sql: str) -> list[str]:
    """Retries a statement that a conflict cancels, as an application does. Rows that were removed before the primary
    knew of the standby cause such a conflict."""
    for _ in range(3):
        try:
            return reader.column(sql)
        except psycopg.errors.SerializationFailure as error:
            assert "conflict with recovery" in error.diag.message_primary, "it says why"
    raise AssertionError(f"cancelled three times: {sql}")


def pairs_missed(primary: Server, standby: Server, waits: bool) -> int:
    """The number of entries, of 60, that the next search on the standby does not find."""
    missed = 0
    with primary.session() as writer, standby.session() as reader:
        for _ in range(PAIRS):
            word = uuid.uuid4().hex
            writer.run(f"SELECT memory_add('pairs', 'note {word}', store => 's')")
            lsn = writer.value("SELECT pg_current_wal_insert_lsn()")
            reader.run(f"SET memory_search.wait_for_lsn = '{lsn if waits else ''}'")
            found = answered(reader, f"SELECT raw_entry FROM memory_search_entries('pairs', '{word}', 1, store => 's')")
            missed += found != [f"note {word}"]
    return missed


def most_are_too_early_without_waiting_and_none_waiting(primary: Server, standby: Server) -> None:
    delay(standby, TOO_LATE_MS)
    assert pairs_missed(primary, standby, waits=False) > PAIRS / 2, "without waiting most reads are too early"
    delay(standby, DELAY_MS)
    assert pairs_missed(primary, standby, waits=True) == 0, "waiting, none is"


def test_a_read_that_waits_for_a_write_finds_it(primary: Server, standby: Server, say):
    most_are_too_early_without_waiting_and_none_waiting(primary, standby)
    delay(standby, 0)
    at_once = pairs_missed(primary, standby, waits=False)
    assert pairs_missed(primary, standby, waits=True) == 0, "nor where replay follows at once"
    delay(standby, DELAY_MS)
    say(f"without delay and without waiting {at_once} of {PAIRS} reads were too early")


def test_no_write_is_missed_on_a_standby_of_the_standby(primary: Server, cascaded: Server):
    assert cascaded.value("SELECT pg_is_in_recovery()"), "it is a standby"
    most_are_too_early_without_waiting_and_none_waiting(primary, cascaded)


def test_a_transaction_from_before_the_write_finds_it_too(primary: Server, standby: Server):
    """Entries that were created after the instant of a search are hidden, and this instant is mostly the begin of its
    transaction."""
    with standby.session() as session:
        session.run("BEGIN")
        session.value("SELECT memory_count('m', store => 's')")
        primary.run("SELECT memory_add('later', 'it came later', store => 's')")
        lsn = primary.value("SELECT pg_current_wal_insert_lsn()")
        session.run(f"SET LOCAL memory_search.wait_for_lsn = '{lsn}'")
        found = session.column("SELECT raw_entry FROM memory_search_entries('later', 'came', 1, store => 's')")
        assert found == ["it came later"], "searched"
        assert session.value("SELECT memory_count('later', store => 's')") == 1, "counted"
        # One statement: its own snapshot is older than the write.
        primary.run("SELECT memory_add('later', 'another', store => 's')")
        lsn = primary.value("SELECT pg_current_wal_insert_lsn()")
        assert session.row(f"""
            WITH said AS MATERIALIZED (SELECT set_config('memory_search.wait_for_lsn', '{lsn}', true) AS lsn)
            SELECT memory_count('later', store => CASE WHEN lsn <> '' THEN 's' END) FROM said""") == (2,), "in one"


@pytest.mark.parametrize("reader", READERS, ids=lambda call: call.split("(")[0].rsplit(" ")[-1])
def test_each_reading_function_waits_until_the_statement_is_timed_out(standby: Server, primary: Server, reader: str):
    waiting = {"memory_search.wait_for_lsn": NEVER}
    assert standby.rows(reader), "without the setting it answers"
    began = time.monotonic()
    bounded = standby.by(settings=waiting | {"statement_timeout": "200ms"})
    assert bounded.sqlstate(reader) == "57014", "it waits until statement_timeout ends it"
    assert time.monotonic() - began >= 0.2, "and not before"
    if "recall" not in reader:
        assert primary.by(settings=waiting).rows(reader), "on a primary it waits for nothing"


def test_a_cancel_ends_the_wait(standby: Server):
    with standby.by(settings={"memory_search.wait_for_lsn": NEVER}).session() as session:
        pending = session.start(READERS[0])
        named = "MemorySearchWaitForLsn" if standby.value("SHOW server_version_num") >= "170000" else "Extension"
        waits = f"wait_event_type = 'Extension' AND wait_event = '{named}'"
        standby.until(f"SELECT {waits} FROM pg_stat_activity WHERE pid = {session.pid}", "it waits, and says for what")
        assert standby.value(f"SELECT pg_cancel_backend({session.pid})"), "cancelled"
        pending.end(5)
        assert pending.error is not None and pending.error.sqlstate == "57014", "the wait has ended"
        session.run("RESET memory_search.wait_for_lsn")
        session.run("SET memory_search.wait_for_lsn = ''")
        assert session.value("SELECT memory_count('m', store => 's')") == 200, "the session goes on"


def refused(session: Session, sqlstate: str) -> str:
    error = session.error(READERS[0])
    assert error.sqlstate == sqlstate, f"refused with {sqlstate}"
    assert error.diag.message_hint, "with a hint"
    return error.diag.message_primary


def test_what_cannot_be_waited_for_is_refused(primary: Server, standby: Server):
    for server in (primary, standby):
        with server.session() as session:
            for place in ("tomorrow", "0/", "12", "0/x", "0/100000000"):
                session.run(f"SET memory_search.wait_for_lsn = '{place}'")
                assert place in refused(session, "22023"), "the message has the value"
    with standby.session() as session:
        session.run("SET memory_search.wait_for_lsn = '0/1'")
        assert session.rows(READERS[0]), "a place that was replayed long ago"
        session.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        assert "REPEATABLE READ" in refused(session, "55000"), "whose snapshot cannot be taken anew"
        session.run("ROLLBACK")


def test_a_promotion_ends_the_wait(servers: Servers, primary: Server):
    standby = servers.standby(primary)
    with standby.by(settings={"memory_search.wait_for_lsn": NEVER}).session() as session:
        pending = session.start("SELECT memory_count('m', store => 's')")
        standby.until(f"SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = {session.pid}", "wait")
        standby.promote()
        assert pending.end(10).rows == [(200,)], "a primary waits for nothing"


def test_rows_and_counts_are_of_one_snapshot(primary: Server, standby: Questions):
    """Replay may continue during the read."""
    lsn = primary.value("SELECT pg_current_wal_insert_lsn()")
    waiting = standby.by(settings={"memory_search.wait_for_lsn": lsn})
    assert stores.documents(waiting) == stores.documents(primary), "the primary's bytes"
