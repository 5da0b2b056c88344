"""Two servers: a source without memory_search, whose application writes, and a follower that `memory-search follow`
keeps up with it."""

from __future__ import annotations

import dataclasses
import functools
import os
import random
import subprocess
import threading
import time
from pathlib import Path

import psycopg

from . import cluster
from .server import Server, Servers

# Without this setting a test would wait: the server restarts a failed worker only after five seconds.
QUICK = ["wal_retrieve_retry_interval = '200ms'"]
DOCUMENTS = """
    CREATE TYPE kind AS ENUM ('note', 'letter');
    CREATE TABLE documents (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant_id text NOT NULL, title text, body text NOT NULL,
      kind kind NOT NULL DEFAULT 'note', price numeric(8, 2), tags text[], made timestamptz NOT NULL DEFAULT now(),
      length int GENERATED ALWAYS AS (length(body)) STORED);
    INSERT INTO documents (tenant_id, title, body, price, tags)
    SELECT 't' || n % 10, 'title ' || n, 'a small hotel number ' || n || ' by the sea', n / 7.0, ARRAY['x', 'y' || n]
    FROM generate_series(1, 1000) n"""
COPIED = "id, tenant_id, title, body, kind::text, price, tags, made"


@functools.cache
def program() -> str:
    """The path of the program memory-search: MCP_PROGRAM if it is set, else a build of this repository."""
    built = os.environ.get("MCP_PROGRAM")
    if built is None:
        cluster.run(
            ["cargo", "build", "--quiet", "--locked", "-p", "memory-search-mcp", f"--manifest-path={manifest()}"]
        )
        target = os.environ.get("CARGO_TARGET_DIR", str(cluster.REPOSITORY / "target"))
        built = f"{target}/debug/memory-search"
    assert Path(built).exists(), f"there is no program {built}"
    return built


def manifest() -> Path:
    return cluster.REPOSITORY / "Cargo.toml"


@dataclasses.dataclass
class Said:
    """The exit code and the output of a run of the program."""

    code: int
    out: str
    err: str


@dataclasses.dataclass
class Pair:
    """A source and its follower."""

    source: Server
    follower: Server

    @property
    def url(self) -> str:
        return f"host={self.source.socket} user=postgres dbname=scratch"

    def environment(self, **variables: str) -> dict[str, str]:
        own = {"DATABASE_URL": f"host={self.follower.socket} user=postgres dbname=scratch"}
        return cluster.ENVIRONMENT | own | variables

    def run(self, *words: str, seconds: int = 120, **variables: str) -> Said:
        """Runs the program to its end."""
        done = subprocess.run(
            [program(), *words],
            env=self.environment(**variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr)

    def done(self, *words: str, **variables: str) -> Said:
        """Runs it; it must succeed."""
        said = self.run(*words, **variables)
        assert said.code == 0, f"{words}: {said.err}; {self.follower.log[-1500:]}"
        return said

    def refused(self, *words: str, **variables: str) -> str:
        """Runs it; it must fail. Returns its message."""
        said = self.run(*words, **variables)
        assert said.code == 1, f"{words} ended with {said.code}: {said.err}"
        return said.err.splitlines()[-1]

    def follow(self, *words: str, **variables: str) -> Said:
        return self.done("follow", self.url, "--table", "documents", "--memory", "tenant_id", *words, **variables)

    def catch_up(self) -> None:
        """Waits until the follower has all rows of the source."""
        self.done("follow", "--wait", self.source.value("SELECT pg_current_wal_flush_lsn()"))

    def differing_rows(self, columns: str = COPIED, table: str = "documents") -> int:
        """Rows that only one server has, or that differ between the two."""
        question = f"SELECT md5(ROW({columns})::text) FROM {table}"
        return len(set(self.source.column(question)) ^ set(self.follower.column(question)))

    def found(self, memory: str, question: str, store: str = "documents_memory") -> list[str]:
        """The texts of the best three."""
        sql = "SELECT raw_entry FROM memory_search_entries(%s, %s, 3, store => %s)"
        return self.follower.column(sql, memory, question, store)

    def note_arrivals(self) -> None:
        """From now on the follower notes when it has applied a change. (Its commit time would be the source's.)"""
        self.follower.run("""
            CREATE UNLOGGED TABLE arrivals (id bigint, at timestamptz);
            CREATE FUNCTION arrived() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
              INSERT INTO public.arrivals VALUES (NEW.id, pg_catalog.clock_timestamp()); RETURN NULL; END $$;
            CREATE TRIGGER arrived AFTER INSERT OR UPDATE ON documents FOR EACH ROW EXECUTE FUNCTION arrived();
            ALTER TABLE documents ENABLE REPLICA TRIGGER arrived""")

    def lags(self) -> list[float]:
        """For each row that arrived, the seconds from the commit of its last change on the source, in order."""
        committed = "SELECT id, extract(epoch FROM pg_xact_commit_timestamp(xmin))::float8 FROM documents"
        there = dict(self.source.rows(committed))
        arrived = self.follower.rows("SELECT id, extract(epoch FROM max(at))::float8 FROM arrivals GROUP BY id")
        self.follower.run("DROP TABLE arrivals; DROP FUNCTION arrived CASCADE")
        return sorted(at - there[key] for key, at in arrived if key in there)

    def left_over(self) -> list[tuple]:
        """All objects that following makes, on both servers."""
        return [
            *self.source.rows("SELECT slot_name::text FROM pg_replication_slots"),
            *self.source.rows("SELECT pubname::text FROM pg_publication"),
            *self.follower.rows("SELECT subname::text FROM pg_subscription"),
            *self.follower.rows("SELECT roname FROM pg_replication_origin"),
            *self.follower.rows("""
                SELECT relname::text FROM pg_class
                WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v')"""),
            *self.follower.rows(
                "SELECT proname::text FROM pg_proc WHERE starts_with(proname::text, 'memory_search_doc')"
            ),
            *self.follower.rows("SELECT nspname::text FROM pg_namespace WHERE nspname LIKE '%\\_memory'"),
        ]


def start(servers: Servers, *settings: str) -> Pair:
    """A source with a table of 1,000 rows, and a follower that does not follow yet. The source
    notes when each transaction was committed; both commit with PostgreSQL's default settings."""
    source = servers.start("wal_level = logical", "track_commit_timestamp = on", "synchronous_commit = on", *settings)
    follower = servers.start(*QUICK, "synchronous_commit = on", *settings)
    follower.create_extension()
    source.run(DOCUMENTS)
    return Pair(source, follower)


class Writer(threading.Thread):
    """An application: it adds, changes and removes rows, one in each transaction, and continues after a crash of its
    server. A change whose answer is lost in a crash is not counted, whether it was committed or not."""

    def __init__(self, source: Server, number: int, changes: int, a_second: float | None = None) -> None:
        super().__init__(daemon=True)
        self.host, self.number, self.changes, self.a_second = source.socket, number, changes, a_second
        self.random = random.Random(number)
        self.made = 0
        self.crashes = 0

    def run(self) -> None:
        while self.made < self.changes:
            try:
                with psycopg.connect(host=self.host, user="postgres", dbname="scratch", autocommit=True) as connection:
                    self.write(connection)
            except psycopg.OperationalError:
                self.crashes += 1
                time.sleep(0.05)

    def write(self, connection: psycopg.Connection) -> None:
        begun, before = time.monotonic(), self.made
        while self.made < self.changes:
            self.change(connection)
            self.made += 1
            if self.a_second:
                ahead = (self.made - before) / self.a_second - (time.monotonic() - begun)
                if ahead > 0:
                    time.sleep(ahead)

    def change(self, connection: psycopg.Connection) -> None:
        kind, word = self.random.random(), f"word{self.number}x{self.made}"
        some = self.random.randrange(1, 2500)
        if kind < 0.5:
            connection.execute(
                "INSERT INTO documents (tenant_id, title, body) VALUES (%s, %s, %s)",
                (f"t{self.made % 10}", None if kind < 0.1 else word, f"a letter about {word} and green tea"),
            )
        elif kind < 0.85:
            text = "long " * 1000 + word if kind < 0.51 else f"changed to {word}"
            column = "title" if kind < 0.65 else "body"
            connection.execute(f"UPDATE documents SET {column} = %s, price = price + 1 WHERE id = %s", (text, some))
        elif kind < 0.9:
            connection.execute("UPDATE documents SET id = DEFAULT WHERE id = %s", (some,))
        else:
            connection.execute("DELETE FROM documents WHERE id = %s", (some,))
