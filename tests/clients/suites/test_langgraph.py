"""The tests of LangGraph's PostgresStore, on the adapter in its place."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import psycopg
from memory_search.langgraph import MemorySearchStore
from memory_search.transactions import transaction
from psycopg.rows import dict_row
from sources import import_from


class Store(MemorySearchStore):
    """With a view and a cursor by which the tests look at rows and set times: they know the table `store`."""

    MIGRATIONS = (
        *MemorySearchStore.MIGRATIONS,
        "CREATE OR REPLACE VIEW public.store AS SELECT memory_id AS prefix, entry_key AS key, expires_at,"
        " creation_time AS updated_at FROM langgraph.entries WHERE deletion_scheduled_time IS NULL",
    )

    @contextmanager
    def _cursor(self) -> Iterator[psycopg.Cursor]:
        with transaction(self._source) as connection, connection.cursor(row_factory=dict_row) as cursor:
            yield cursor


def internal(*_: object) -> None:
    """In place of a function of PostgresStore's own that no adapter has."""
    raise NotImplementedError("a function of PostgresStore's own")


package, base = ModuleType("langgraph.store.postgres"), ModuleType("langgraph.store.postgres.base")
package.PostgresStore = Store
base._escape_like_literal = base._namespace_match_pattern = internal
sys.modules |= {package.__name__: package, base.__name__: base}
import_from("langgraph_checkpoint_postgres", "tests.conftest").DEFAULT_URI = os.environ["DATABASE_URL"]

from tests.conftest import fake_embeddings  # noqa: E402, F401
from tests.test_store import *  # noqa: E402, F403
