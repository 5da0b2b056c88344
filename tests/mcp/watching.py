"""The watcher as a scheduler or a service manager starts it."""

from __future__ import annotations

import subprocess
import tempfile
import time
from contextlib import contextmanager

import psycopg
from program import PROGRAM, database_url, environment, sql


def once(*options: str, role="mcp_owner") -> subprocess.CompletedProcess:
    """Works until all is done."""
    arguments = [PROGRAM, "watch", "--once", *options]
    return subprocess.run(arguments, env=environment(role), capture_output=True, text=True, timeout=60)


class Watcher:
    """A watcher that keeps running, and its output."""

    def __init__(self, process: subprocess.Popen, errors: str):
        self.process, self.errors = process, errors

    def said(self) -> str:
        with open(self.errors, encoding="utf-8") as file:
            return file.read()

    def says(self, text: str, seconds: float = 20) -> bool:
        """Whether it writes `text` in time."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            if text in self.said():
                return True
            time.sleep(0.02)
        return False

    def stop(self) -> float:
        """Asks it to stop; the seconds until it has."""
        began = time.monotonic()
        self.process.terminate()
        self.process.wait(20)
        return time.monotonic() - began


@contextmanager
def watching(*options: str, role="mcp_owner", **env: str):
    """A watcher that looks each second."""
    with tempfile.NamedTemporaryFile("w") as errors:
        arguments = [PROGRAM, "watch", "--every", "1", *options]
        process = subprocess.Popen(arguments, env=environment(role) | env, stderr=errors)
        try:
            yield Watcher(process, errors.name)
        finally:
            process.kill()
            process.wait()


def add(store: str, *texts: str) -> None:
    """Rows by plain SQL, which have no embedding yet."""
    with psycopg.connect(database_url("postgres"), autocommit=True) as connection:
        statement = f"INSERT INTO {store}.entries (memory_id, raw_entry) VALUES ('watched', %s)"
        connection.cursor().executemany(statement, [(text,) for text in texts])


def wait_in(store: str) -> int:
    """The number of rows without an embedding."""
    return sql(f"SELECT count(*) FROM {store}.entries WHERE embedding IS NULL")[0][0]


def emptied(store: str) -> None:
    """Takes all rows out of a store, and the notes about them."""
    sql(f"TRUNCATE {store}.entries, {store}.contexts, {store}.entry_access, noted CASCADE")
