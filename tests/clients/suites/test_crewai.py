"""CrewAI's tests of its LanceDBStorage, and of its Memory over it, on the adapter in its place."""

import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import psycopg
import pytest
from crewai.memory.types import MemoryRecord
from memory_search import Store
from memory_search.crewai import MemorySearchStorage
from sources import import_from

MADE: set[str] = set()


class Storage(MemorySearchStorage):
    """Made as theirs is: a folder is a store, whose dimensions are those of the first record."""

    def __init__(
        self,
        path: str | Path | None = None,
        table_name: str = "memories",
        vector_dim: int | None = None,
        compact_every: int = 100,
    ) -> None:
        self._own = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
        self._guessed = vector_dim is None
        self._name = "crew_" + hashlib.sha256(str(path).encode()).hexdigest()[:16]
        super().__init__(self._own, table_name, store=self._name)
        if self._name not in MADE:
            Store(self._own, self._name).create(dimensions=vector_dim or 1536)
            MADE.add(self._name)

    def save(self, records: list[MemoryRecord]) -> None:
        """Theirs takes the dimensions of the first record where nobody has said any."""
        embedding = records[0].embedding if records else None
        if self._guessed and embedding and len(embedding) != 1536 and not self.count():
            Store(self._own, self._name).drop(force=True)
            Store(self._own, self._name).create(dimensions=len(embedding))
        super().save(records)


@pytest.fixture(scope="module", autouse=True)
def stores(connection: psycopg.Connection) -> Iterator[None]:
    """They go with the tests."""
    yield
    for name in MADE:
        Store(connection, name).drop(force=True)


lancedb = ModuleType("crewai.memory.storage.lancedb_storage")
lancedb.LanceDBStorage = Storage
sys.modules[lancedb.__name__] = lancedb
import_from("crewai", "tests.memory.test_unified_memory")

from tests.memory.test_dimension_mismatch import *  # noqa: E402, F403
from tests.memory.test_lancedb_filter_escaping import *  # noqa: E402, F403
from tests.memory.test_lancedb_update import *  # noqa: E402, F403
from tests.memory.test_memory_root_scope import *  # noqa: E402, F403
from tests.memory.test_storage_factory import *  # noqa: E402, F403
from tests.memory.test_unified_memory import *  # noqa: E402, F403
