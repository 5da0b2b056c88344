"""A command that cannot continue prints the reason and what to do, and changes nothing."""

import json
import os
import resource
import subprocess
from pathlib import Path

import pytest
from conftest import PROGRAM, DataFolder


def test_a_foreign_folder_is_refused_and_stays_as_it_is(empty: DataFolder) -> None:
    empty.path.mkdir()
    note = empty.path / "thesis.tex"
    note.write_text("years of work")
    said = empty.run("up")
    assert said.status == 1
    assert "is not one of memory-search: it holds thesis.tex" in said.err and "Hint: " in said.err
    assert [file.name for file in empty.path.iterdir()] == ["thesis.tex"] and note.read_text() == "years of work"
    note.unlink()


def test_a_data_folder_of_postgresql_alone_is_foreign_too(folder: DataFolder) -> None:
    inner = DataFolder(folder.path / "data", folder.environment)
    said = inner.run("up")
    assert said.status == 1 and "is not one of memory-search" in said.err


@pytest.mark.parametrize("command", [["down"], ["status"], ["upgrade"], ["backup", "/tmp/never.dump"]])
def test_commands_that_need_data_do_not_make_them(empty: DataFolder, command: list[str]) -> None:
    said = empty.run(*command)
    assert said.status == 1
    assert f"there is no data in {empty.path}" in said.err and "memory-search up" in said.err
    assert not empty.path.exists()


def test_a_folder_of_a_later_layout_is_refused(folder: DataFolder) -> None:
    marker = folder.path / "memory-search.json"
    made = marker.read_text()
    marker.write_text(json.dumps({"layout": 2, "made_by": "9.0.0"}))
    said = folder.run("up")
    assert said.status == 1
    assert "has layout 2" in said.err and "Hint: Install a newer version of memory-search." in said.err
    marker.write_text("{")
    assert "memory-search.json is damaged" in folder.run("up").err
    marker.write_text(made)


def test_data_of_another_postgresql_is_refused(folder: DataFolder) -> None:
    version = folder.path / "data/PG_VERSION"
    version.write_text("19\n")
    said = folder.run("up")
    assert said.status == 1
    assert "is of PostgreSQL 19, and this memory-search brings PostgreSQL 18" in said.err
    assert "memory-search backup FILE" in said.err
    version.write_text("18\n")
    assert folder.run("up").status == 0


def test_a_database_of_a_later_version_is_refused(folder: DataFolder) -> None:
    folder.run("psql", "-c", "UPDATE pg_extension SET extversion = '9.9.9' WHERE extname = 'memory_search'")
    said = folder.run("search", "me", "anything")
    assert said.status == 1
    assert "is of memory_search 9.9.9" in said.err and "Hint: Install version 9.9.9 or a newer one." in said.err
    assert folder.postmaster() is None, "it does not stay for nothing"


def test_a_full_disk_is_reported_and_loses_nothing(folder: DataFolder, empty: DataFolder) -> None:
    # A limit on the size of files simulates the disk: the system refuses the same writes, by another error.
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    fresh = DataFolder(empty.path.with_name("fresh"), empty.environment)
    said = subprocess.run(
        [PROGRAM, "up", "--data", fresh.path],
        capture_output=True,
        text=True,
        env=empty.environment,
        preexec_fn=limited,  # noqa: PLW1509 (there are no threads)
    )
    assert said.returncode == 1 and "initdb failed" in said.stderr, said.stderr
    assert not (fresh.path / "data").exists()
    with fresh.connect(fresh.up()) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    fresh.remove()


def test_wrong_folders_and_programs_are_named(empty: DataFolder) -> None:
    for arguments, expected in [
        (["up", "--data", ""], "--data"),
        (["up", "--data", "/proc/nothing"], "cannot make the data folder /proc/nothing"),
        (["up", "--data", "/"], "is not one of memory-search"),
        (["up", "--pg-config", "/nowhere/pg_config"], "/nowhere/pg_config: No such file"),
        (["up", "--pg-config", "/bin/false"], "false failed"),
        (["backup"], "FILE"),
        (["restore", "/nowhere.dump"], "/nowhere.dump: No such file"),
    ]:
        said = empty.run(*arguments)
        assert said.status != 0 and expected in said.err, (arguments, said)


def test_without_the_server_the_hint_names_the_package(empty: DataFolder, tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.write_bytes(PROGRAM.read_bytes())
    alone.chmod(0o755)
    said = subprocess.run([alone, "search", "me", "x"], capture_output=True, text=True, env=empty.environment)
    assert said.returncode == 1
    assert "neither DATABASE_URL nor --database names one" in said.stderr
    assert "pip install 'memory-search[server]'" in said.stderr


def test_no_home_needs_a_folder(empty: DataFolder) -> None:
    said = subprocess.run([PROGRAM, "up"], capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
    assert said.returncode == 1 and "neither XDG_DATA_HOME nor HOME is set" in said.stderr
    assert "--data" in said.stderr


def test_settings_of_libpq_lead_nowhere_else(folder: DataFolder) -> None:
    folder.environment = folder.environment | {"PGHOST": "/nowhere", "PGPORT": "1", "PGUSER": "nobody", "PGDATABASE": "x", "PGOPTIONS": "-c x"}
    assert folder.run("search", "me", "anything").status == 0
    assert folder.run("psql", "-Atc", "SELECT current_user").out == "memory"
