"""Fixtures for the tests of applications: a server that runs during the tests, and an empty database for each test.

    def test_it_remembers(memory_search_url):
        with psycopg.connect(memory_search_url, autocommit=True) as connection:
            Memory(connection, "trip").add("She wants a window seat.")

pytest finds them by itself if `memory-search[server]` is installed.
"""

from collections.abc import Iterator
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest

from .embedded import embedded_url


@pytest.fixture(scope="session")
def memory_search_server() -> Iterator[str]:
    """The DATABASE_URL of a server for the time of the tests. Its database is a template: do not connect."""
    with TemporaryDirectory(prefix="memory-search-") as data, embedded_url(data=data) as url:
        yield url


@pytest.fixture
def memory_search_url(memory_search_server: str) -> Iterator[str]:
    """The DATABASE_URL of the test's own database, with the extension and an empty default store."""
    name = f"test_{uuid4().hex}"
    with psycopg.connect(of_database(memory_search_server, "postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE memory")
        yield of_database(memory_search_server, name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def of_database(url: str, name: str) -> str:
    """The URL of another database on the same server."""
    return urlsplit(url)._replace(path=f"/{name}").geturl()
