"""The connections for calls: a psycopg connection, or a pool that lends one for each call."""

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, contextmanager
from typing import Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

from psycopg import (
    AsyncConnection,
    AsyncCursor,
    AsyncRawCursor,
    Connection,
    Cursor,
    RawCursor,
)
from psycopg.rows import dict_row

from .call import Call
from .times import read_all_times

T = TypeVar("T")

# One lock for each connection: threads that share one take turns.
_TURNS: WeakKeyDictionary[Connection[Any], threading.RLock] = WeakKeyDictionary()
_TURNS_TURN = threading.Lock()


class Pool(Protocol):
    """psycopg_pool's ConnectionPool, or another object that lends connections."""

    def connection(self) -> AbstractContextManager[Connection[Any]]:
        """A connection, which commits if the block succeeds."""


class AsyncPool(Protocol):
    """psycopg_pool's AsyncConnectionPool."""

    def connection(self) -> AbstractAsyncContextManager[AsyncConnection[Any]]:
        """A connection, which commits if the block succeeds."""


Source = Connection[Any] | Pool
AsyncSource = AsyncConnection[Any] | AsyncPool


@contextmanager
def lent(source: Source) -> Iterator[Connection[Any]]:
    """The connection itself, whose transactions belong to the caller, or one from the pool."""
    if isinstance(source, Connection):
        yield source
        return
    if isinstance(source, AsyncConnection) or not hasattr(source, "connection"):
        raise TypeError(f"a source is a psycopg.Connection or a pool of them, not of type {type(source).__name__}")
    with source.connection() as connection:
        yield connection


@contextmanager
def in_turn(source: Source) -> Iterator[Connection[Any]]:
    """A connection that no other thread's call uses meanwhile: it would be a part of this call's transaction."""
    with lent(source) as connection:
        with _TURNS_TURN:
            turn = _TURNS.setdefault(connection, threading.RLock())
        with turn:
            yield connection


@asynccontextmanager
async def lent_async(source: AsyncSource) -> AsyncIterator[AsyncConnection[Any]]:
    """Lends an asynchronous connection."""
    if isinstance(source, AsyncConnection):
        yield source
        return
    if isinstance(source, Connection) or not hasattr(source, "connection"):
        raise TypeError(f"a source is a psycopg.AsyncConnection or a pool of them, not of type {type(source).__name__}")
    async with source.connection() as connection:
        yield connection


def cursor_of(connection: Connection[Any]) -> Cursor[dict[str, Any]]:
    """A cursor of the connection's kind, unless that kind takes no parameters by name."""
    raw = issubclass(connection.cursor_factory, RawCursor)
    made = Cursor(connection, row_factory=dict_row) if raw else connection.cursor(row_factory=dict_row)
    read_all_times(made)
    return made


def cursor_of_async(connection: AsyncConnection[Any]) -> AsyncCursor[dict[str, Any]]:
    """A cursor of an asynchronous connection."""
    raw = issubclass(connection.cursor_factory, AsyncRawCursor)
    made = AsyncCursor(connection, row_factory=dict_row) if raw else connection.cursor(row_factory=dict_row)
    read_all_times(made)
    return made


def run(source: Source, call: Call[T], schema: str | None) -> T:
    """The result of a call."""
    statement, values = call.statement(schema), call.values()
    with in_turn(source) as connection, cursor_of(connection) as cursor:
        return call.read(cursor.execute(statement, values).fetchall())


async def run_async(source: AsyncSource, call: Call[T], schema: str | None) -> T:
    """Runs a call on an asynchronous connection."""
    statement, values = call.statement(schema), call.values()
    async with lent_async(source) as connection, cursor_of_async(connection) as cursor:
        await cursor.execute(statement, values)
        return call.read(await cursor.fetchall())
