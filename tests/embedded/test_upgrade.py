"""A newer version of the package, on data of the one before. Its files here are a copy with another number."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import DataFolder

PACKAGE = next(Path(__import__("os").environ["HOME"], "env").glob("lib/python3*/site-packages/memory_search_server"))


@pytest.fixture
def newer() -> Iterator[str]:
    """The files are those of a version 9.9.9, to which an update leads; afterwards they are what they were."""
    extension = PACKAGE / "share/extension"
    kept = extension.with_name("extension.kept")
    shutil.copytree(extension, kept)
    control = extension / "memory_search.control"
    version = re.search(r"default_version = '(.*)'", control.read_text()).group(1)
    control.write_text(control.read_text().replace(version, "9.9.9"))
    (extension / f"memory_search--{version}--9.9.9.sql").write_text("COMMENT ON EXTENSION memory_search IS 'newer';")
    yield version
    shutil.rmtree(extension)
    kept.rename(extension)


def version(folder: DataFolder) -> str:
    """The version in the database."""
    return folder.run("psql", "-Atc", "SELECT extversion FROM pg_extension WHERE extname = 'memory_search'").out


def test_the_next_start_updates_the_extension(folder: DataFolder, newer: str) -> None:
    said = folder.run("search", "me", "anything")
    assert said.status == 0 and f"memory_search was updated from {newer} to 9.9.9" in said.err
    assert version(folder) == "9.9.9"


def test_a_server_that_runs_is_updated_by_upgrade(folder: DataFolder, newer: str) -> None:
    folder.up()
    process = folder.postmaster()
    said = folder.run("upgrade")
    assert said.status == 0 and "memory_search 9.9.9" in said.err, said.err
    assert folder.postmaster() not in (None, process), "it runs again, with the new files"
    assert version(folder) == "9.9.9"


def test_upgrade_applies_the_fixes_of_errors_and_prints_the_others(folder: DataFolder) -> None:
    folder.run("psql", "-c", "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'memory.entries_memory'::regclass")
    said = folder.run("upgrade")
    assert said.status == 0 and "the doctor's fix: " in said.err, said.err
    valid = folder.run("psql", "-Atc", "SELECT indisvalid FROM pg_index WHERE indexrelid = 'memory.entries_memory'::regclass")
    assert valid.out == "t"
    assert folder.postmaster() is None, "it did not run before"
