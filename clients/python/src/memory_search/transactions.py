"""Several calls as one, for adapters whose framework calls them from several threads.

Each method of an adapter is a transaction, or a savepoint if the caller has begun one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from psycopg import Connection

from .connections import Source, cursor_of, in_turn


@contextmanager
def transaction(source: Source) -> Iterator[Connection[Any]]:
    """A transaction, or a savepoint in the caller's, on a connection that no other thread uses meanwhile."""
    with in_turn(source) as connection, connection.transaction():
        yield connection


def one_writer(connection: Connection[Any], *names: str | None) -> None:
    """Until the transaction ends, no other one passes this call for the same names."""
    # No name contains the separator: PostgreSQL has no text with it, so the text is sent as bytes.
    name = "\0".join(name or "" for name in ("memory_search", *names)).encode()
    lock = "SELECT pg_advisory_xact_lock(('x' || left(md5(%(name)b), 16))::bit(64)::bigint)"
    with cursor_of(connection) as cursor:
        cursor.execute(lock, {"name": name})


@contextmanager
def without_embedder(connection: Connection[Any]) -> Iterator[None]:
    """The application makes the embeddings: an entry without one stays so. Must be called inside of a transaction."""
    # Before the library is loaded, a setting that nobody has set is null: its default is on.
    asked = "SELECT coalesce(current_setting('memory_search.embed_on_write', true), 'on') AS value"
    setting = "SELECT set_config('memory_search.embed_on_write', %(value)s, true)"
    with cursor_of(connection) as cursor:
        (before,) = cursor.execute(asked).fetchall()
        cursor.execute(setting, {"value": "off"})
        yield
        # The transaction may be the caller's, and continue.
        cursor.execute(setting, before)
