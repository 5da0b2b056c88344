"""Where calls are made: a connection of psycopg's, or a pool that lends one for each call."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, contextmanager
from typing import Any, Protocol, TypeVar

from psycopg import AsyncConnection, Connection
from psycopg.rows import dict_row

from .call import Call

T = TypeVar("T")


class Pool(Protocol):
    """psycopg_pool's ConnectionPool, and what else lends connections."""

    def connection(self) -> AbstractContextManager[Connection[Any]]:
        """A connection, which commits where the block ends well."""


class AsyncPool(Protocol):
    """psycopg_pool's AsyncConnectionPool."""

    def connection(self) -> AbstractAsyncContextManager[AsyncConnection[Any]]:
        """A connection, which commits where the block ends well."""


Source = Connection[Any] | Pool
AsyncSource = AsyncConnection[Any] | AsyncPool


@contextmanager
def lent(source: Source) -> Iterator[Connection[Any]]:
    """The connection itself, whose transactions are the caller's, or one of the pool."""
    if isinstance(source, Connection):
        yield source
    else:
        with source.connection() as connection:
            yield connection


@asynccontextmanager
async def lent_async(source: AsyncSource) -> AsyncIterator[AsyncConnection[Any]]:
    """The same, awaited."""
    if isinstance(source, AsyncConnection):
        yield source
    else:
        async with source.connection() as connection:
            yield connection


def run(source: Source, call: Call[T], schema: str | None) -> T:
    """What a call returns."""
    with lent(source) as connection, connection.cursor(row_factory=dict_row) as cursor:
        return call.read(cursor.execute(call.statement(schema), call.values()).fetchall())


async def run_async(source: AsyncSource, call: Call[T], schema: str | None) -> T:
    """The same, awaited."""
    async with lent_async(source) as connection, connection.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(call.statement(schema), call.values())
        return call.read(await cursor.fetchall())
