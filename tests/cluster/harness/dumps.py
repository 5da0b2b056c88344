"""Databases that are dumped and restored."""

from __future__ import annotations

import re

from .access import Access
from .cluster import ProgramFailed
from .server import Server


def new_database(server: Server, name: str, options: str = "", extension: str = "") -> Access:
    """Creates a database; `extension` is the statement that creates its extensions."""
    server.by(database="postgres").run(f"CREATE DATABASE {name} {options}")
    access = server.by(database=name)
    if extension:
        access.run(extension)
    return access


def restore(server: Server, access: Access, dump: str) -> None:
    """Restores a dump in plain format; the first error ends it."""
    server.psql("-o", "/dev/null", "-f", "-", access=access, stdin=dump)


def refusal(server: Server, access: Access, dump: str) -> str:
    """The SQLSTATE of the error that restoring a dump in plain format in one transaction gives."""
    try:
        server.psql("-1", "-v", "VERBOSITY=sqlstate", "-f", "-", access=access, stdin=dump)
    except ProgramFailed as failed:
        return re.search(r"ERROR:  (\w{5})", str(failed)).group(1)
    raise AssertionError("the dump was restored")


def lines(pattern: str, dump: str) -> int:
    """The number of lines of a dump in plain format that begin with the pattern."""
    return len(re.findall(f"(?m)^{pattern}", dump))
