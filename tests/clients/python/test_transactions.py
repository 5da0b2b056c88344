"""The transactions in which adapters work, on connections of all kinds."""

from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import psycopg
import pytest
from memory_search import Memory
from memory_search.transactions import one_writer, transaction, without_embedder
from psycopg.rows import dict_row, tuple_row

KINDS: dict[str, dict[str, Any]] = {
    "default": {},
    "dict_row": {"row_factory": dict_row},
    "RawCursor": {"cursor_factory": psycopg.RawCursor},
    "ClientCursor": {"cursor_factory": psycopg.ClientCursor},
}


def setting(connection: psycopg.Connection) -> str:
    """Whether the server embeds entries that are added on this connection."""
    with psycopg.Cursor(connection, row_factory=tuple_row) as cursor:
        cursor.execute("SHOW memory_search.embed_on_write")
        return cursor.fetchone()[0]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("before", ["on", "off"])
def test_the_embedder_is_off_for_a_time_and_then_as_it_was(
    url: str, memory: Memory, kind: dict[str, Any], before: str
) -> None:
    with psycopg.connect(url, autocommit=True, **kind) as own, own.transaction():
        own.execute(f"SET memory_search.embed_on_write = {before}")
        with transaction(own) as connection, without_embedder(connection):
            assert setting(own) == "off"
        assert setting(own) == before


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_one_transaction_at_a_time_writes_under_the_same_names(url: str, kind: dict[str, Any]) -> None:
    with psycopg.connect(url, **kind) as own, psycopg.connect(url, autocommit=True) as other:
        other.execute("SET lock_timeout = '50ms'")
        with transaction(own) as connection:
            one_writer(connection, None, "it's", "100%")
            with transaction(other) as second:
                one_writer(second, None, "it's", "100")
            with pytest.raises(psycopg.errors.LockNotAvailable), transaction(other) as second:
                one_writer(second, None, "it's", "100%")
        with transaction(other) as second:
            one_writer(second, None, "it's", "100%")


def test_a_call_of_another_thread_waits_for_a_transaction_and_outlives_its_rollback(url: str, memory: Memory) -> None:
    with psycopg.connect(url, autocommit=True) as own, ThreadPoolExecutor(1) as threads:
        shared = Memory(own, "trip", store="client")
        with pytest.raises(ZeroDivisionError), transaction(own):
            added = threads.submit(shared.add, "by another thread")
            assert not wait([added], timeout=0.5).done
            raise ZeroDivisionError
        assert shared.get([added.result()])
