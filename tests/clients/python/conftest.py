"""The fixtures of the tests of the Python client: a database with the extension, and a store of three dimensions."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from memory_search import Memory, Store
from memory_search.importers.command import main

Command = Callable[..., tuple[int, str, str]]


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


@pytest.fixture
def command(url: str, memory: Memory, tmp_path: Path, capsys: pytest.CaptureFixture) -> Command:
    """Runs the command on a file with this content; its status, output and errors."""

    def run(kind: str, content: str | bytes, *options: object) -> tuple[int, str, str]:
        path = tmp_path / "notes"
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
        arguments = [kind, str(path), "--memory", "trip", "--store", "client", "--database", url, "--quiet"]
        status = main([*arguments, *map(str, options)])
        said = capsys.readouterr()
        return status, said.out.strip(), said.err

    return run
