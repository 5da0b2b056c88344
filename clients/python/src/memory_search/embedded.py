"""A PostgreSQL of this package's own: `pip install 'memory-search[server]'`, and no set-up.

    with memory_search.embedded() as memory:
        memory.add("She likes to stay in small guesthouses.")
        print(memory.context("where does she like to stay?"))

The program memory-search starts the server, and stops it after the last program that uses it. The data stays.
"""

import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path

import psycopg

from .memory import Memory


class EmbeddedServerError(RuntimeError):
    """The reason why there is no server, with a hint what to do."""


@contextmanager
def embedded(
    memory_id: str = "me", *, data: str | PathLike[str] | None = None, store: str | None = None
) -> Iterator[Memory]:
    """A memory on a server of this package's own, which runs at least as long as the block.

    `data` is the folder of the server's data; without it `$XDG_DATA_HOME/memory-search`. Each call is a transaction of
    its own. Raises EmbeddedServerError if the server is not installed or does not start.
    """
    # Variables of libpq for another server must not be used.
    with (
        embedded_url(data=data) as url,
        psycopg.connect(url, autocommit=True, hostaddr="", options="", sslmode="disable") as connection,
    ):
        yield Memory(connection, memory_id, store=store)


@contextmanager
def embedded_url(*, data: str | PathLike[str] | None = None) -> Iterator[str]:
    """The DATABASE_URL of that server, for a pool, an asynchronous connection, or another library."""
    command = [program(), "up", "--until-eof"]
    if data is not None:
        command += ["--data", fspath(data)]
    # Its standard input keeps it running, and ends with this process, however that ends. It gets its own session:
    # Ctrl-C in the terminal is for this process, which may still need the server to handle it.
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(  # noqa: S603 (the program is found, and the folder is an argument of its own)
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, start_new_session=True
        )
        with process:
            assert process.stdout is not None  # noqa: S101 (for the type checker: it is a pipe)
            url = process.stdout.readline().decode().strip()
            if not url:
                process.wait()
                said.seek(0)
                text = said.read().decode(errors="replace").replace("memory-search: ", "").strip()
                raise EmbeddedServerError(text or f"memory-search ended with status {process.returncode}")
            try:
                yield url
            finally:
                # A child process that was forked in the block may keep the input open.
                process.terminate()


def program() -> str:
    """The path of the program memory-search, which is next to this Python or on the PATH."""
    beside = Path(sysconfig.get_path("scripts"), "memory-search")
    found = str(beside) if beside.exists() else shutil.which("memory-search")
    if found is None:
        raise EmbeddedServerError(
            "the program memory-search is not installed\nHint: pip install 'memory-search[server]', or connect to a "
            "server of yours with psycopg"
        )
    return found
