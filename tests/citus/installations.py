"""A PostgreSQL of a node's own, from which a test may take the library and the scripts of memory_search away."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from harness import cluster
from harness.versions import OwnInstallation

sys.path.insert(0, str(cluster.REPOSITORY / "packaging/release"))
import freeze  # noqa: E402

LIBRARY = "memory_search.so"


class OwnLibraries(OwnInstallation):
    """It also has its own folder of libraries, with links to the installed ones."""

    def __init__(self) -> None:
        super().__init__()
        self.installed = cluster.pg_config("--pkglibdir").resolve()
        libraries = self.libraries = self.inside(self.installed)
        if libraries.is_symlink():
            libraries.unlink()
            libraries.mkdir()
        self.link_all(self.installed)

    def take_library(self) -> None:
        (self.libraries / LIBRARY).unlink()

    def give_library(self) -> None:
        (self.libraries / LIBRARY).symlink_to(self.installed / LIBRARY)

    def take_scripts(self) -> None:
        for path in self.extension.glob("memory_search*"):
            path.unlink()

    def give_scripts(self) -> None:
        self.link_all(cluster.pg_config("--sharedir").resolve() / "extension")

    def put_release(self, version: str, *lacks: str) -> None:
        """Freezes a version that is like this one, but lacks statements of its script."""
        tree = self.root / "tree" / version
        (tree / "sql").mkdir(parents=True)
        (tree / "Cargo.toml").write_text(f'version = "{version}"\n')
        script = self.built
        for statement in lacks:
            assert statement in script
            script = script.replace(statement, "", 1)
        (tree / f"sql/memory_search--{version}.sql").write_text(script)
        self.put(Path(freeze.freeze(tree)).read_text(), version)

    def remove(self) -> None:
        shutil.rmtree(self.root)
