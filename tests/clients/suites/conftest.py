"""The fixtures of the suites: a database with the extension, and stores of it."""

import os
from collections.abc import Iterator

import psycopg
import pytest
from memory_search import Store


@pytest.fixture(scope="session")
def connection() -> Iterator[psycopg.Connection]:
    """The runner's database. The suites bring embeddings of their own, in as many dimensions as they like."""
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        connection.execute("SET memory_search.embed_on_write = off")
        yield connection


@pytest.fixture(scope="module")
def connected(connection: psycopg.Connection, request: pytest.FixtureRequest) -> Iterator[psycopg.Connection]:
    """A connection to the store that the file's STORE names, in which the server embeds."""
    store = request.module.STORE
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as own:
        Store(own, store).create()
        yield own
        Store(own, store).drop(force=True)
