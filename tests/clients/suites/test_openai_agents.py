"""The SDK's tests of its SQLiteSession, on the adapter in its place."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import agents
import psycopg
import pytest
from memory_search import Store
from memory_search.openai_agents import MemorySearchSession
from sources import import_from


class Session(MemorySearchSession):
    """It is made with the arguments of SQLiteSession: a file of sessions is a connection of its own, and its name is
    part of the memory's."""

    def __init__(self, session_id: str, db_path: str | Path = ":memory:", **settings: Any) -> None:
        self._own = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
        self._own.execute("SET memory_search.embed_on_write = off")
        super().__init__(self._own, session_id, memory_id=f"{db_path} {session_id}", store="sessions", **settings)

    def close(self) -> None:
        """SQLiteSession can be closed."""
        self._own.close()


@pytest.fixture(scope="module", autouse=True)
def store(connection: psycopg.Connection) -> Iterator[None]:
    """A store for all sessions."""
    Store(connection, "sessions").create(dimensions=3)
    yield
    Store(connection, "sessions").drop(force=True)


agents.SQLiteSession = Session
import_from("openai_agents", "tests.conftest")

from tests.conftest import *  # noqa: E402, F403
from tests.memory.test_session import *  # noqa: E402, F403
from tests.memory.test_session_limit import *  # noqa: E402, F403
