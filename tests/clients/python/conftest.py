"""What the tests of the Python client share: a database with the extension, and a store of three dimensions."""

import os
from collections.abc import Iterator

import psycopg
import pytest
from memory_search import Memory, Store


@pytest.fixture(scope="session")
def url() -> str:
    """The runner's database."""
    return os.environ["DATABASE_URL"]


@pytest.fixture(scope="session")
def database(url: str) -> Iterator[psycopg.Connection]:
    """A connection for all tests, which commits by itself."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET client_min_messages = error")
        yield connection


@pytest.fixture
def store(database: psycopg.Connection) -> Iterator[Store]:
    """An empty store."""
    store = Store(database, "client")
    store.create(dimensions=3)
    yield store
    store.drop(force=True)


@pytest.fixture
def memory(store: Store) -> Memory:
    """A memory of it, without anything in it."""
    return store.memory("trip")
