"""Queries and their answers.

Access runs each query in a session of its own, Session runs all of them in one. A query may be several statements; its
answer is the answer of the last statement that returns rows. Texts, also JSON and uuid, are the bytes that the server
sent, so that answers can be compared to the last byte.
"""

from __future__ import annotations

import contextlib
import dataclasses
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
from psycopg.types.string import TextLoader

AS_TEXT = ("json", "jsonb", "uuid", "timestamptz", "timestamp", "pg_lsn")


class Questions:
    """The queries of an Access and a Session."""

    def execute(self, sql: str, *parameters: Any) -> list[tuple]:
        """The rows of the last statement that returned any."""
        raise NotImplementedError

    def run(self, sql: str, *parameters: Any) -> None:
        self.execute(sql, *parameters)

    def rows(self, sql: str, *parameters: Any) -> list[tuple]:
        return self.execute(sql, *parameters)

    def row(self, sql: str, *parameters: Any) -> tuple:
        rows = self.execute(sql, *parameters)
        if len(rows) != 1:
            raise AssertionError(f"{len(rows)} rows instead of one: {sql}")
        return rows[0]

    def column(self, sql: str, *parameters: Any) -> list[Any]:
        return [row[0] for row in self.execute(sql, *parameters)]

    def value(self, sql: str, *parameters: Any) -> Any:
        return self.row(sql, *parameters)[0]

    def error(self, sql: str, *parameters: Any) -> psycopg.Error:
        """The error that a statement ends with: .sqlstate, .diag.message_primary and so on."""
        try:
            rows = self.execute(sql, *parameters)
        except psycopg.Error as error:
            return error
        raise AssertionError(f"no error, but {rows}: {sql}")

    def sqlstate(self, sql: str, *parameters: Any) -> str | None:
        return self.error(sql, *parameters).sqlstate

    def value_or_sqlstate(self, sql: str, *parameters: Any) -> Any:
        """For a statement that may fail: its value, or the SQLSTATE of its error."""
        try:
            return self.value(sql, *parameters)
        except psycopg.Error as error:
            return error.sqlstate


class Session(Questions):
    """An open session. Without BEGIN each query is a transaction, as in psql."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self.connection = connection

    @property
    def pid(self) -> int:
        """Its process on the server."""
        return self.connection.info.backend_pid

    def execute(self, sql: str, *parameters: Any) -> list[tuple]:
        cursor = self.connection.execute(sql, parameters or None)
        rows: list[tuple] = []
        for result in cursor.results():
            if result.description:
                rows = result.fetchall()
        return rows

    def start(self, sql: str) -> Pending:
        """Sends a query and does not wait for its answer."""
        return Pending(self, sql)

    def close(self) -> None:
        self.connection.close()


class Pending:
    """A running query, in a session that no other query uses meanwhile."""

    def __init__(self, session: Session, sql: str) -> None:
        self.sql = sql
        self.rows: list[tuple] = []
        self.error: psycopg.Error | None = None
        self.thread = threading.Thread(target=self.execute, args=(session,), daemon=True)
        self.thread.start()

    def execute(self, session: Session) -> None:
        try:
            self.rows = session.execute(self.sql)
        except psycopg.Error as error:
            self.error = error

    def end(self, seconds: float = 60) -> Pending:
        """Waits for its end: then `rows` or `error` has the outcome."""
        self.thread.join(seconds)
        assert not self.thread.is_alive(), f"it has not ended after {seconds} s: {self.sql}"
        return self


@dataclasses.dataclass(frozen=True)
class Access(Questions):
    """The connection settings of a user to a database: each query runs in a session of its own."""

    host: str
    user: str = "postgres"
    database: str = "scratch"
    encoding: str | None = None
    settings: tuple[tuple[str, str], ...] = ()

    def by(
        self,
        *,
        user: str | None = None,
        database: str | None = None,
        encoding: str | None = None,
        settings: dict[str, Any] | None = None,
    ) -> Access:
        """An Access for another user, database or client encoding, or with further settings of the session."""
        return dataclasses.replace(
            self,
            user=user or self.user,
            database=database or self.database,
            encoding=encoding or self.encoding,
            settings=self.settings + tuple((settings or {}).items()),
        )

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables for PostgreSQL's own programs."""
        env = {"PGHOST": self.host, "PGPORT": "5432", "PGUSER": self.user, "PGDATABASE": self.database}
        if self.settings:
            env["PGOPTIONS"] = self.options
        if self.encoding:
            env["PGCLIENTENCODING"] = self.encoding
        return env

    @property
    def options(self) -> str:
        def escaped(value: Any) -> str:
            return str(value).replace("\\", "\\\\").replace(" ", "\\ ")

        return " ".join(f"-c {name}={escaped(value)}" for name, value in self.settings)

    def open(self) -> Session:
        """A session that the caller closes."""
        connection = psycopg.connect(
            host=self.host,
            port=5432,
            user=self.user,
            dbname=self.database,
            options=self.options,
            client_encoding=self.encoding or "UTF8",
            autocommit=True,
            # A prepared statement would keep its plan, but the tests need a new one for each query.
            prepare_threshold=None,
        )
        for name in AS_TEXT:
            connection.adapters.register_loader(name, TextLoader)
        return Session(connection)

    @contextlib.contextmanager
    def session(self) -> Iterator[Session]:
        session = self.open()
        try:
            yield session
        finally:
            session.close()

    def execute(self, sql: str, *parameters: Any) -> list[tuple]:
        with self.session() as session:
            return session.execute(sql, *parameters)


@contextlib.contextmanager
def within(seconds: int, what: str | Callable[[], str]) -> Iterator[None]:
    """A time limit for calls that may wait for ever on a faulty server, such as a commit for a standby. It measures
    nothing."""

    def late(*_: Any) -> None:
        raise AssertionError(f"not done after {seconds} s: {what if isinstance(what, str) else what()}")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
