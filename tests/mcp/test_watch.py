"""`memory-search watch`: waiting rows are embedded, due rows are purged, and no others are touched, also beside other
sessions, and after failures of the database."""

import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from pooler import pooled
from program import PROGRAM, database_url, environment, sql, until
from watching import add, emptied, once, wait_in, watching
from wire import Wire

ACTIVE = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'memory-search watch' AND state = 'active'"
NOTED = ("--store", "noted_store")


@pytest.fixture(autouse=True)
def empty_stores():
    emptied("owned")
    emptied("noted_store")


def test_waiting_rows_are_embedded_by_one_call_and_nothing_is_purged():
    add("owned", "The sea is blue.", "The hill is green.")
    sql("UPDATE owned.entries SET deletion_scheduled_time = now() - interval '1 year' WHERE raw_entry LIKE 'The hill%'")
    sql("INSERT INTO owned.contexts (memory_id, context) VALUES ('watched', 'A walk.')")
    outcome = once("--store", "owned")
    assert outcome.returncode == 0, outcome.stderr
    assert "done: embedded 3, purged 0 rows" in outcome.stderr and outcome.stdout == ""
    assert sql("SELECT count(*), count(embedding), count(embedding_model) FROM owned.entries") == [(2, 2, 2)]
    assert sql("SELECT count(embedding) FROM owned.contexts") == [(1,)]


def test_rows_deleted_or_expired_long_enough_ago_are_purged_and_no_newer_ones():
    add("owned", "old", "expired", "fresh", "alive", "later")
    for text, column, age in (
        ("old", "deletion_scheduled_time", "31 days"),
        ("expired", "expires_at", "31 days"),
        ("fresh", "deletion_scheduled_time", "29 days"),
        ("later", "expires_at", "-1 day"),
    ):
        sql(f"UPDATE owned.entries SET {column} = now() - %s::interval WHERE raw_entry = %s", age, text)
    outcome = once("--store", "owned", "--purge-after", "30 days", "--max-rows", "1")
    assert outcome.returncode == 0 and "embedded 5, purged 2 rows" in outcome.stderr, outcome.stderr
    assert sql("SELECT raw_entry FROM owned.entries ORDER BY 1") == [("alive",), ("fresh",), ("later",)]
    add("owned", "waits")
    outcome = once("--store", "owned", "--purge-after", "28 days", "--no-embed")
    assert outcome.returncode == 0 and "embedded 0, purged 1 rows" in outcome.stderr, outcome.stderr
    assert wait_in("owned") == 1


def test_watchers_beside_each_other_share_the_work_and_do_none_twice():
    add("noted_store", *(f"text {number}" for number in range(300)))
    with ThreadPoolExecutor() as several:
        outcomes = list(several.map(lambda _: once(*NOTED, "--max-rows", "20", role="mcp_noting"), range(3)))
    assert [outcome.returncode for outcome in outcomes] == [0, 0, 0], [outcome.stderr for outcome in outcomes]
    counted = [int(outcome.stderr.rsplit("embedded ", 1)[1].split(",")[0]) for outcome in outcomes]
    assert sum(counted) == 300 and wait_in("noted_store") == 0
    # Each text was embedded by one transaction that was committed; the embedder is asked for its dimension besides.
    assert sql("SELECT count(*), count(DISTINCT body) FROM noted WHERE body LIKE 'text %'") == [(300, 300)]


def test_a_row_that_another_session_changes_blocks_nothing_and_is_embedded_later():
    add("owned", "held", "free")
    with watching("--store", "owned") as watcher, psycopg.connect(database_url("postgres")) as other:
        other.execute("UPDATE owned.entries SET importance = 1 WHERE raw_entry = 'held'")
        assert until("SELECT count(*) FROM owned.entries WHERE embedding IS NULL", 1)
        other.commit()
        assert until("SELECT count(*) FROM owned.entries WHERE embedding IS NULL", 0)
        assert watcher.stop() < 5 and watcher.process.returncode == 0
        assert "stopped: embedded 2, purged 0 rows" in watcher.said()


def test_a_slow_embedder_gets_smaller_transactions_until_they_fit_the_timeout():
    add("noted_store", *(f"slow {number}" for number in range(4)))
    outcome = once(*NOTED, "--timeout-seconds", "1", "--progress", "1", role="mcp_noting")
    assert outcome.returncode == 0 and "embedded 4, purged 0 rows" in outcome.stderr, outcome.stderr
    assert "wait in noted_store" in outcome.stderr
    assert wait_in("noted_store") == 0


def test_a_text_that_never_ends_is_an_error_and_stops_no_other_store():
    add("noted_store", "stuck here")
    add("owned", "a boat")
    options = ("--store", "noted_store", "--store", "owned", "--timeout-seconds", "1", "--max-rows", "1")
    with watching(*options, role="mcp_noting") as watcher:
        assert watcher.says("embedding in noted_store: canceling statement due to statement timeout")
        # Its embedder does not fit the other store: this is an error only for a store that was named.
        assert watcher.says("embedding in owned: the embedder makes vectors of 2 dimensions")
        assert watcher.says("-- or give --no-embed to purge only")
    assert wait_in("noted_store") == 1


def test_a_refused_text_stops_no_other_and_is_not_in_the_log():
    add("noted_store", "unfit secret", "text fit")
    outcome = once(*NOTED, role="mcp_noting")
    assert outcome.returncode == 0 and "embedded 1," in outcome.stderr and "secret" not in outcome.stderr
    assert sql("SELECT embedding_error FROM noted_store.entries WHERE raw_entry LIKE 'unfit%'")[0][0] is not None


def test_an_embedder_out_of_order_is_an_error_without_the_text_and_its_rows_wait():
    add("noted_store", "text secret")
    sql("REVOKE INSERT ON noted FROM mcp_owner")
    sql("ALTER FUNCTION noting(text) RENAME TO noting_as_it_was")
    sql("""CREATE FUNCTION noting(body text) RETURNS real[] LANGUAGE plpgsql
        AS $$ BEGIN RAISE EXCEPTION 'broken at %', body; END $$""")
    try:
        outcome = once(*NOTED, role="mcp_noting")
        assert outcome.returncode == 1 and "SQLSTATE P0001" in outcome.stderr, outcome.stderr
        assert "not everything could be done" in outcome.stderr and "broken" not in outcome.stderr
        assert "broken at" in once(*NOTED, "--log-texts", role="mcp_noting").stderr
    finally:
        sql("DROP FUNCTION noting(text)")
        sql("ALTER FUNCTION noting_as_it_was(text) RENAME TO noting")
        sql("GRANT INSERT ON noted TO mcp_owner")
    assert wait_in("noted_store") == 1


def test_stores_of_others_are_left_unless_they_are_named():
    sql("INSERT INTO memory.entries (memory_id, raw_entry) VALUES ('watched', 'of somebody else')")
    try:
        add("owned", "my own")
        outcome = once()
        assert outcome.returncode == 0 and "watching noted_store, owned:" in outcome.stderr, outcome.stderr
        assert "stores of other owners are skipped" in outcome.stderr
        # The local model does not fit this one, and nobody named it.
        assert "embedding in noted_store is skipped: the embedder makes vectors of 256" in outcome.stderr
        assert (wait_in("owned"), wait_in("memory")) == (0, 1)
        assert 'no store belongs to the role "mcp_noting"' in once(role="mcp_noting").stderr
        assert "watching noted_store, owned:" in once("--role", "mcp_owner", role="mcp_noting").stderr
        assert once("--store", "memory").returncode == 0 and wait_in("memory") == 0
    finally:
        sql("DELETE FROM memory.entries WHERE memory_id = 'watched'")


def test_a_policy_that_binds_the_role_is_reported():
    assert 'in own a policy binds the role "mcp_writer"' in once("--store", "own", role="mcp_writer").stderr


def test_a_signal_ends_it_at_once_and_unfinished_rows_still_wait():
    for number in (signal.SIGTERM, signal.SIGINT):
        emptied("noted_store")
        add("noted_store", "stuck here")
        with watching(*NOTED, role="mcp_noting") as watcher:
            assert until(ACTIVE, 1)
            began = time.monotonic()
            watcher.process.send_signal(number)
            assert watcher.process.wait(20) == 0 and time.monotonic() - began < 5
            assert "stopped: embedded 0" in watcher.said()
        assert until(ACTIVE, 0) and wait_in("noted_store") == 1
    with watching() as idle:
        assert idle.says("watching")
        assert idle.stop() < 2 and idle.process.returncode == 0


def test_it_waits_for_an_unreachable_database_and_continues():
    with Wire() as wire:
        database = f"postgresql://mcp_owner:hunter2@127.0.0.1:{wire.port}/{os.environ['PGDATABASE']}"
        with watching("--store", "owned", "--database", database) as watcher:
            assert watcher.says("watching owned")
            wire.cut()
            assert watcher.says("the database cannot be reached")
            add("owned", "came meanwhile")
            wire.mend()
            assert watcher.says("the database is there again, after ")
            assert until("SELECT count(*) FROM owned.entries WHERE embedding IS NULL", 0)
            # Backends that are terminated are not worth a line: another connection takes their place.
            sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'memory-search watch'")
            add("owned", "came later")
            assert until("SELECT count(*) FROM owned.entries WHERE embedding IS NULL", 0)
            assert watcher.said().count("cannot be reached") <= 2 and "hunter2" not in watcher.said()
            wire.cut()
            assert watcher.says("cannot be reached") and watcher.stop() < 5


def test_behind_pgbouncer_in_transaction_mode_it_works_as_well():
    add("owned", "a ship", "a shore")
    with pooled("mcp_owner") as socket:
        outcome = once("--database", f"host={socket} port=5432 user=mcp_owner dbname={os.environ['PGDATABASE']}")
    assert outcome.returncode == 0 and "embedded 2," in outcome.stderr, outcome.stderr


def test_it_waits_for_a_database_that_is_not_there_yet_but_one_call_does_not():
    with Wire() as wire:
        database = f"host=127.0.0.1 port={wire.port} user=mcp_owner dbname={os.environ['PGDATABASE']}"
        wire.cut()
        outcome = once("--database", database)
        assert outcome.returncode == 1 and "cannot be reached" in outcome.stderr
        with watching("--database", database) as watcher:
            assert watcher.says("cannot be reached")
            wire.mend()
            assert watcher.says("watching noted_store, owned")


@pytest.mark.parametrize(
    "options, says",
    [
        (["--store", "nowhere"], 'there is no store "nowhere"'),
        (["--store", ""], "--store must not be empty"),
        (["--role", ""], "--role must not be empty"),
        (["--role", "postgres"], 'permission denied to set role "postgres"'),
        (["--purge-after", "30"], "30 has no unit:"),
        (["--purge-after", "1 month"], "no unit 'month'"),
        (["--purge-after", "-1 days"], "--purge-after"),
        (["--no-embed"], "--purge-after <AGE>"),
        (["--every", "0"], "--every"),
        (["--max-rows", "0"], "--max-rows"),
        (["--once", "--every", "5"], "cannot be used with"),
        (["--once", "--metrics"], "cannot be used with"),
        (["--metrics", "0.0.0.0:0"], "--metrics-token-file"),
        (["--metrics", "127.0.0.1:0", "--metrics-token-file", "/nowhere"], "/nowhere"),
        (["--database", "host=/nowhere user=nobody dbname=nothing", "--once"], "cannot be reached"),
        (["--database", "nonsense"], "the database's URL"),
        (["--memory", "m"], "unexpected argument '--memory'"),
    ],
)
def test_a_wrong_option_ends_it_with_an_error_that_names_it(options, says):
    outcome = subprocess.run(
        [PROGRAM, "watch", *options], env=environment("mcp_owner"), capture_output=True, text=True, timeout=30
    )
    assert outcome.returncode in (1, 2) and says in outcome.stderr, outcome.stderr


@pytest.mark.parametrize(
    "role, options, says",
    [
        ("mcp_reader", ["--store", "memory"], "memory_grant('memory', 'mcp_reader', 'writer')"),
        ("mcp_reader", [], 'no store belongs to the role "mcp_reader"'),
        ("nobody_at_all", [], 'role "nobody_at_all" does not exist'),
    ],
)
def test_a_role_that_may_not_is_refused_at_the_start(role, options, says):
    outcome = subprocess.run(
        [PROGRAM, "watch", *options], env=environment(role), capture_output=True, text=True, timeout=30
    )
    assert outcome.returncode == 1 and says in outcome.stderr, outcome.stderr
