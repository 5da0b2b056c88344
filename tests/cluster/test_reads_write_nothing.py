"""Reads assign no transaction id and write no WAL, in any number."""

import pytest

from harness import stores
from harness.server import Server, Servers

KINDS = ["", "READ ONLY", "ISOLATION LEVEL SERIALIZABLE READ ONLY", "ISOLATION LEVEL REPEATABLE READ"]


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start()
    server.create_extension()
    stores.fill(server)
    # This writes hint bits now, so that the first reader does not; also the hint bits of the statistics that ANALYZE
    # wrote.
    server.run("VACUUM (FREEZE, ANALYZE)")
    server.run("VACUUM")
    server.run("CHECKPOINT")
    return server


@pytest.mark.parametrize("kind", KINDS)
def test_a_transaction_that_only_reads_gets_no_id(server: Server, kind: str):
    with server.session() as session:
        session.run(f"BEGIN {kind}")
        assert len(stores.documents(session)) == 10, "10 searches"
        assert session.value("SELECT count(*) FROM memory_search_entries('m', 'tea', store => 's')") == 5, "5 rows"
        assert session.value("SELECT count(*) FROM memory_list('m', store => 's')") > 5, "a list"
        assert session.value("SELECT visible FROM memory_stats('s')") > 5, "statistics"
        assert session.value("SELECT vector_dims(memory_embed('tea'))") == 256, "an embedding of 256"
        assert session.value("SELECT pg_current_xact_id_if_assigned() IS NULL"), "no transaction id after them"


def test_thirty_searches_use_no_transaction_id_and_write_no_wal(server: Server):
    next_id = "SELECT pg_current_xact_id()::text::bigint"
    before = server.value(next_id)
    position = server.value("SELECT pg_current_wal_insert_lsn()")

    for _ in range(3):
        assert len(stores.documents(server)) == 10, "10 documents"

    assert server.value(next_id) == before + 1, "30 searches used no transaction id"
    written = server.value(f"SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '{position}')::bigint")
    # The server's own WAL (a snapshot of running transactions) is far less than a row for each search.
    assert written <= 600, "30 searches wrote this many bytes of WAL"


def test_searches_work_where_all_transactions_are_read_only(server: Server):
    reader = server.by(settings={"default_transaction_read_only": "on"})
    assert len(stores.documents(reader)) == 10, "default_transaction_read_only: 10 documents"
