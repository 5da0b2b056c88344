"""A throwaway server: a folder with its data and log, and a socket in another one."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import cluster
from .access import Access, Questions, Session

# The folders of stopped servers stay, for a look.
KEEP = bool(os.environ.get("SCRATCH_KEEP"))
# Every error in the log with its SQLSTATE.
LOG_PREFIX = "log_line_prefix = '%m [%p] %e %q%u@%d '"


class Server(Questions):
    """Its own queries are run by its superuser, each in a session of its own."""

    def __init__(self, folder: Path, settings: Sequence[str], pg_config: str | None = None) -> None:
        self.folder = folder
        self.settings = [LOG_PREFIX, *settings]
        self.pg_config = pg_config
        # Patterns of lines that no log may contain: of a crash, which restarts the server, and of an internal error,
        # which is a bug of the extension. A test that causes one on purpose removes its pattern, and counts the lines.
        self.forbidden = ["PANIC:  ", "terminated by signal", " XX[0-9]{3} "]

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> str:
        path = self.folder / "log"
        return path.read_text(errors="replace") if path.exists() else ""

    @property
    def socket(self) -> str:
        return (self.folder / "socket_folder").read_text().strip()

    def log_lines(self, pattern: str) -> list[str]:
        """Lines of the log that match a regular expression."""
        return [line for line in self.log.splitlines() if re.search(pattern, line)]

    def log_with_details(self, pattern: str) -> str:
        """Messages of the log that match a regular expression, each with the lines on it that follow."""
        kept, is_of_match = [], False
        for line in self.log.splitlines():
            is_more = line.startswith("\t") or re.search(r" (?:DETAIL|HINT|CONTEXT|STATEMENT|QUERY):  ", line)
            is_of_match = is_of_match if is_more else bool(re.search(pattern, line))
            if is_of_match:
                kept.append(line)
        return "\n".join(kept)

    # --- Its life ---

    def start(self) -> None:
        cluster.call("cluster_start", self.folder, "scratch", "\n".join(self.settings), pg_config=self.pg_config)

    def stop(self, mode: str = "fast") -> None:
        cluster.call("cluster_stop", self.folder, mode, pg_config=self.pg_config)

    def restart(self, **environment: str) -> None:
        """At the same address, with variables in its environment."""
        words = [f"{name}={value}" for name, value in environment.items()]
        self.control("restart", "-m", "fast", environment=words)

    def promote(self) -> None:
        self.control("promote")

    def control(self, command: str, *options: str, environment: Sequence[str] = ()) -> None:
        """pg_ctl, which keeps the socket's folder and so the address."""
        words = [*self.command("pg_ctl"), "-D", self.data, "-l", self.folder / "log", "-w", "-t", "60", "-s"]
        self.as_server_user("env", *environment, *words, *options, command)

    def as_server_user(self, *words: str | Path) -> str:
        """Runs a program as the user whose server it is, never as root."""
        return cluster.call("as_server_user", *words, pg_config=self.pg_config)

    # --- Ways to it ---

    @property
    def access(self) -> Access:
        return Access(host=self.socket)

    def by(self, **who: Any) -> Access:
        """An Access with another user, database or encoding, or with other settings: server.by(user="app",
        settings={...}).value(...)"""
        return self.access.by(**who)

    def open(self) -> Session:
        return self.access.open()

    def session(self):
        """with server.session() as session: ..."""
        return self.access.session()

    def execute(self, sql: str, *parameters: Any) -> list[tuple]:
        return self.access.execute(sql, *parameters)

    def command(self, name: str) -> list[str]:
        return [str(cluster.bin_folder(self.pg_config) / name)]

    def environment(self, access: Access | None = None) -> dict[str, str]:
        env = cluster.ENVIRONMENT | (access or self.access).environment
        return env | {"PATH": f"{cluster.bin_folder(self.pg_config)}:{env['PATH']}"}

    def program(
        self,
        name: str,
        *arguments: str | Path,
        access: Access | None = None,
        stdin: str | bytes | None = None,
    ) -> str:
        """Runs one of PostgreSQL's programs with this server: pg_dump, pgbench and the like."""
        words = [*self.command(name), *map(str, arguments)]
        return cluster.run(words, env=self.environment(access), stdin=stdin).decode(errors="replace")

    def psql(self, *arguments: str | Path, access: Access | None = None, stdin: str | bytes | None = None) -> str:
        """Runs psql, for scripts that need psql: variables, \\copy, \\gexec. An error ends it."""
        words = ["-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", *arguments]
        return self.program("psql", *words, access=access, stdin=stdin)

    def psql_file(self, *paths: str | Path, access: Access | None = None, **variables: Any) -> str:
        """Runs files of SQL in one session; a name alone is one in tests/cluster/support."""
        words: list[str | Path] = []
        for name, value in variables.items():
            words += ["-v", f"{name}={value}"]
        for path in paths:
            words += ["-f", cluster.SUPPORT / path]
        return self.psql(*words, access=access)

    def background(self, name: str, *arguments: str | Path, access: Access | None = None) -> Background:
        """Starts one of PostgreSQL's programs and does not wait for it: a load, mostly."""
        return Background([*self.command(name), *map(str, arguments)], self.environment(access))

    def create_extension(self, access: Access | None = None) -> None:
        """With pgvector."""
        (access or self.access).run("CREATE EXTENSION memory_search CASCADE")

    def until(self, condition: str, what: str, seconds: int = 60) -> None:
        """Polls a condition that no command waits for. Each look is a transaction of its own, and so has its own
        snapshot."""
        with self.session() as session:
            end = time.monotonic() + seconds
            while not session.value(condition):
                assert time.monotonic() < end, f"not so after {seconds} s: {what}; {self.log[-1000:]}"
                time.sleep(0.05)

    # --- Its end ---

    def check_log(self) -> None:
        found = [line for pattern in self.forbidden for line in self.log_lines(pattern)]
        assert found == [], f"no crash and no internal error in the log of {self.folder}"

    def remove(self) -> None:
        try:
            self.stop("immediate")
        finally:
            if not KEEP:
                shutil.rmtree(self.folder)


class Background:
    """A program that runs beside the test; `output` has its output when it has ended."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        self.file = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            command, env=env, stdin=subprocess.DEVNULL, stdout=self.file, stderr=subprocess.STDOUT
        )

    def end(self, seconds: float | None = None) -> int:
        """Waits for its end and returns its exit code."""
        return self.process.wait(seconds)

    @property
    def output(self) -> str:
        self.file.seek(0)
        return self.file.read().decode(errors="replace")


class Servers:
    """The servers of a module's tests; all are stopped and removed at the end of the module, also after an error."""

    def __init__(self) -> None:
        self.all: list[Server] = []

    def create(self, *settings: str, pg_config: str | None = None) -> Server:
        """A server with its data, not yet started."""
        server = self.add(settings, pg_config)
        cluster.call("make_dev_folder")
        cluster.call("cluster_create", server.folder, pg_config=pg_config)
        return server

    def start(self, *settings: str, pg_config: str | None = None) -> Server:
        """A server that runs, with an empty database; settings are lines of postgresql.conf."""
        server = self.create(*settings, pg_config=pg_config)
        server.start()
        return server

    def standby(self, primary: Server) -> Server:
        """A hot standby of a server, made from a copy of it."""
        server = self.add(primary.settings[1:], primary.pg_config)
        cluster.call("cluster_copy", server.folder, primary.socket, pg_config=primary.pg_config)
        server.start()
        return server

    def add(self, settings: Sequence[str], pg_config: str | None) -> Server:
        folder = Path(tempfile.mkdtemp(prefix="memory_search-scratch-", dir="/tmp"))
        self.all.append(Server(folder, settings, pg_config))
        return self.all[-1]

    def remove(self) -> None:
        with contextlib.ExitStack() as stack:
            # If one cannot be stopped, the others still are.
            for server in self.all:
                stack.callback(server.remove)
