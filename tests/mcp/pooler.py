"""PgBouncer before the server of these tests: that of tests/cluster, whose modules forget the server that the
environment names when they are loaded. These tests go on with it."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

environment = dict(os.environ)
sys.path.append(str(Path(__file__).parents[1] / "cluster"))
from harness.pooler import Pooler  # noqa: E402

os.environ.update(environment)


@contextmanager
def pooled(*roles: str):
    """In transaction mode; gives the folder of its socket, at the port 5432."""
    pooler = Pooler(SimpleNamespace(socket=os.environ["PGHOST"]), ["postgres", *roles])
    try:
        yield pooler.access.host
    finally:
        pooler.stop()
