"""The memory of a long session does not grow: over thousands of searches, errors among them, and of additions, in one
transaction and in many."""

import contextlib
from collections.abc import Iterator

import psycopg
import pytest

from harness import stores
from harness.access import Session
from harness.server import Server, Servers

MOST_KB = 5120


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start()
    server.create_extension()
    stores.fill(server)
    server.psql_file("memory_growth.sql")
    return server


@pytest.fixture(scope="module")
def session(server: Server) -> Iterator[Session]:
    """Warm: the model is loaded, plans are made, caches are full."""
    with server.by(settings={"memory_search.store": "s", "client_min_messages": "error"}).session() as session:
        session.run("SELECT failing(1, 2000)")
        session.run("""
            SELECT count(memory_add('warm', 'note ' || n, context => 'part ' || n)) FROM generate_series(1, 200) n""")
        yield session


@contextlib.contextmanager
def no_growth(session: Session, what: str) -> Iterator[None]:
    private, contexts = session.row("SELECT private, contexts FROM memory")
    yield
    private_now, contexts_now = session.row("SELECT private, contexts FROM memory")
    assert private_now - private <= MOST_KB, f"{what}: growth of private memory in kB"
    assert contexts_now - contexts <= MOST_KB, f"{what}: growth of memory contexts in kB"


def test_ten_thousand_searches_in_one_transaction_take_no_memory(session: Session):
    with no_growth(session, "10,000 searches in one transaction"):
        failed = session.value("SELECT failing(1, 10000)")
    # Calls that fail on purpose fail, all others answer: six kinds of twenty.
    assert failed == 3000, "3,000 of 10,000 searches in one transaction failed"


def test_ten_thousand_searches_in_as_many_transactions_take_no_memory(session: Session):
    calls = session.column("SELECT call(number) FROM generate_series(10001, 20000) number")
    failed = 0
    with no_growth(session, "10,000 searches in as many transactions"):
        for call in calls:
            try:
                session.run(call)
            except psycopg.Error:
                failed += 1
    assert (len(calls), failed) == (10000, 3000), "3,000 of 10,000 searches in as many transactions failed"


def test_additions_take_no_memory(session: Session):
    with no_growth(session, "2,000 entries added in one transaction"):
        session.run("""
            SELECT count(memory_add('m', 'note ' || n, tags => ARRAY['t' || n], metadata => jsonb_build_object('n', n),
                context => 'part ' || n / 10))
            FROM generate_series(1, 2000) n""")
    with no_growth(session, "2,000 entries added in as many transactions"):
        for n in range(1, 2001):
            session.run(f"SELECT memory_add('many', 'note {n}')")
    added = session.row("""
        SELECT count(*) FILTER (WHERE memory_id = 'm') - 200, count(*) FILTER (WHERE memory_id = 'many')
        FROM s.entries""")
    assert added == (2000, 2000), "2,000 entries were added in one transaction, 2,000 in many"
