"""Concurrent sessions under load: sessions of pgbench, and some whose searches are interrupted."""

from __future__ import annotations

import collections
import random
import threading
import time
from pathlib import Path

import psycopg

from .server import Background, Server

READ_ONLY = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class Scripts:
    """Scripts for pgbench, each with two random numbers: n and m."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.folder = server.folder / "scripts"
        self.folder.mkdir()

    def write(self, name: str, *lines: str) -> Path:
        """Lines are statements or commands."""
        path = self.folder / f"{name.replace(' ', '_')}.sql"
        chance = [r"\set n random(1, 1000000000)", r"\set m random(1, 1000000000)"]
        path.write_text("\n".join([*chance, *lines, ""]))
        return path

    def run(self, scripts: dict[Path, int], clients: int, seconds: int, seed: int) -> Background:
        """Starts a load of scripts, each with its weight."""
        files = [word for path, weight in scripts.items() for word in ("-f", f"{path}@{weight}")]
        words = ["-n", "-c", str(clients), "-j", "1", "-T", str(seconds), f"--random-seed={seed}"]
        return self.server.background("pgbench", *words, *files)


class Interrupted(threading.Thread):
    """A session whose searches have a timeout of 1 to 13 milliseconds: alone, in a subtransaction and after a
    savepoint. Between them it compares answers without a timeout, because an interrupted search must leave no damage in
    the session. It stays connected.

    A timeout that fires as its statement ends cancels the next statement (PostgreSQL does so, and reports a user's
    request). So the statement after a search is sent twice."""

    def __init__(self, server: Server, seconds: int, seed: int) -> None:
        super().__init__(daemon=True)
        self.session = server.open()
        self.chance = random.Random(seed)
        self.stops_at = time.monotonic() + seconds
        self.outcomes: collections.Counter[str] = collections.Counter()
        self.failure: Exception | None = None

    def run(self) -> None:
        try:
            while time.monotonic() < self.stops_at:
                for _ in range(20):
                    n = self.chance.randrange(1 << 30)
                    self.search(n)
                self.say(READ_ONLY)
                self.ask(f"SELECT 'compared' FROM stress.compare({n})")
                self.say("COMMIT")
        except Exception as error:
            self.failure = error

    def search(self, n: int) -> None:
        limit = f"statement_timeout = {self.chance.randint(1, 13)}"
        kind = self.chance.randrange(4)
        if kind == 0:
            self.say(f"SET {limit}")
            self.ask(f"SELECT stress.search_again({n})")
        elif kind == 1:
            self.say("BEGIN", "SAVEPOINT p", f"SET LOCAL {limit}")
            self.ask(f"SELECT 'in time' FROM stress.search({n})")
            self.say("ROLLBACK TO p", "ROLLBACK TO p")
            self.ask(f"SELECT 'after a savepoint' FROM stress.search({n})")
            self.say("COMMIT")
            return
        else:
            self.say(f"SET {limit}")
            self.ask(f"SELECT 'in time' FROM stress.search({n})")
        self.say("RESET statement_timeout", "RESET statement_timeout")

    def ask(self, statement: str) -> None:
        try:
            self.outcomes[self.session.value(statement)] += 1
        except psycopg.errors.QueryCanceled:
            self.outcomes["interrupted"] += 1

    def say(self, *statements: str) -> None:
        for statement in statements:
            try:
                self.session.run(statement)
            except psycopg.errors.QueryCanceled:
                pass
