"""Versions of the extension: a PostgreSQL whose extension folder a test may fill, and comparisons of versions."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import cluster
from .access import Access
from .server import Server
from .stores import documents

QUERIES = cluster.REPOSITORY / "tests/upgrade"


class OwnInstallation:
    """A PostgreSQL with an extension folder of its own.

    Only a server with the old scripts can install an old version, and the installed server may belong to another user.
    A server finds its folders by the path of its program. So a copy of its programs under another root, at the same
    path below it, looks for all other files there. Except for the extension folder, these are links.
    """

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="memory_search-scratch-", dir="/tmp"))
        self.root.chmod(0o755)
        place = cluster.bin_folder().resolve()
        share, library = cluster.pg_config("--sharedir").resolve(), cluster.pg_config("--pkglibdir").resolve()
        shutil.copytree(place, self.inside(place), dirs_exist_ok=True)
        self.inside(share / "extension").mkdir(parents=True)
        self.link_all(share / "extension")
        self.link_all(share)
        self.inside(library).parent.mkdir(parents=True, exist_ok=True)
        if not self.inside(library).exists():
            self.inside(library).symlink_to(library)
        # The programs of a wheel look for their libraries up to three folders above.
        for folder in list(place.parents)[:3]:
            self.link_all(folder)
        self.pg_config = str(self.inside(place) / "pg_config")
        said = cluster.run([self.pg_config, "--sharedir"]).decode().strip()
        self.extension = Path(said) / "extension"
        assert self.extension.resolve().is_relative_to(self.root), "the copied PostgreSQL looks into its own folder"

        self.control = (share / "extension/memory_search.control").read_text()
        self.version = re.search(r"(?m)^default_version *= *'(.*)'", self.control).group(1)
        self.built = (self.extension / f"memory_search--{self.version}.sql").read_text()

    def inside(self, path: Path) -> Path:
        return self.root / path.relative_to("/")

    def link_all(self, folder: Path) -> None:
        """Links every file of a folder that its copy lacks."""
        for entry in folder.iterdir():
            if not (self.inside(folder) / entry.name).exists():
                (self.inside(folder) / entry.name).symlink_to(entry)

    def put(self, script: str, *versions: str) -> None:
        """Writes a script of a version, or from one to another."""
        path = self.extension / f"memory_search--{'--'.join(versions)}.sql"
        path.unlink(missing_ok=True)
        path.write_text(script)

    def make_default(self, version: str) -> None:
        path = self.extension / "memory_search.control"
        path.unlink()
        path.write_text(re.sub("(?m)^default_version.*", f"default_version = '{version}'", self.control))

    def remove(self) -> None:
        shutil.rmtree(self.root)


def objects(server: Server, access: Access) -> list[str]:
    """The whole description of the installed extension in the catalogs, a fact a line."""
    return server.psql_file(QUERIES / "snapshot.sql", access=access).splitlines()


def symbols(server: Server, access: Access) -> dict[str, str]:
    """The C functions that the installed SQL calls, with their arguments."""
    return by_name(server.psql_file(QUERIES / "symbols.sql", access=access))


def by_name(said: str) -> dict[str, str]:
    return {line.split(" | ")[0]: line for line in said.splitlines()}


def called_otherwise(old: dict[str, str], new: dict[str, str]) -> list[str]:
    """The C functions that the old SQL calls in another way than the new one does.

    Sessions run the installed SQL on the present library, so an old function must keep its arguments. SQL that passes
    no nulls (the fifth field) may call a function that accepts them.
    """

    def as_called(name: str) -> list[str]:
        fields = old[name].split(" | ")
        takes_nulls = new[name].split(" | ")[4] == "f"
        return [*fields[:4], "f", *fields[5:]] if takes_nulls else fields

    return [name for name in old if name in new and as_called(name) != new[name].split(" | ")]


def without_chance(answers: Sequence[str]) -> list[str]:
    """Ids of contexts are random."""
    return [re.sub(r'("contextId": ")[0-9a-f-]*', r"\1", answer) for answer in answers]


def searches(access: Access) -> list[str]:
    """The answers to ten searches of the store "s"."""
    return without_chance(documents(access))


def calls(server: Server, access: Access) -> list[str]:
    """The answers of every function of the extension about the store "s"."""
    return without_chance(server.psql_file(QUERIES / "calls.sql", access=access).splitlines())
