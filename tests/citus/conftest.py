"""A real cluster of Citus: a coordinator, two workers, and a server beside them that has the same rows in a plain store.

Run by hand: PG_CONFIG names a PostgreSQL in which Citus, pgvector and memory_search are installed (tests/run_citus.sh).
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cluster"))
pytest.register_assert_rewrite("harness", "nodes", "clients")

from harness.plugin import *  # noqa: E402, F403
from nodes import Cluster  # noqa: E402


@pytest.fixture(scope="module")
def cluster(servers) -> Cluster:
    return Cluster(servers)
