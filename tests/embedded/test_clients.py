"""Programs without a DATABASE_URL: MCP, the importers, Python, and pytest in an application."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import memory_search
import psycopg
import pytest
from conftest import DataFolder


def test_python_has_a_memory_in_two_lines(folder: DataFolder) -> None:
    with memory_search.embedded(data=folder.path) as memory:
        memory.add("She likes to stay in small guesthouses.")
        assert "small guesthouses" in memory.context("where does she like to stay?")
        assert folder.postmaster()
    assert folder.postmaster() is None
    with memory_search.embedded(data=folder.path) as memory:
        assert [entry.raw_entry for entry in memory.entries("guesthouses")] == ["She likes to stay in small guesthouses."]


def test_variables_of_libpq_lead_python_nowhere_else(
    folder: DataFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = tmp_path / "services.conf"
    services.write_text("[elsewhere]\nhost=127.0.0.1\nport=1\ndbname=nowhere\nuser=nobody\n")
    variables = {
        "PGHOST": "127.0.0.1",
        "PGPORT": "1",
        "PGHOSTADDR": "127.0.0.1",
        "PGDATABASE": "nowhere",
        "PGUSER": "nobody",
        "PGSERVICE": "elsewhere",
        "PGSERVICEFILE": str(services),
        "PGOPTIONS": "-c default_transaction_read_only=on",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with memory_search.embedded(data=folder.path) as memory:
        memory.add("She likes figs.")
    # The program has none of these variables: it reads the folder's own server.
    assert "She likes figs." in folder.run("search", "me", "what does she like?").out


def test_an_error_in_the_block_stops_the_server_too(folder: DataFolder) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue), memory_search.embedded("", data=folder.path) as memory:
        memory.add("x")
    assert folder.postmaster() is None


def ends_soon(folder: DataFolder) -> None:
    """Waits for the end of the server, which has some seconds where the machine is busy; far less than a child lives."""
    for _ in range(200):
        if folder.postmaster() is None:
            return
        time.sleep(0.1)
    raise AssertionError("the server still runs")


def test_a_child_that_outlives_the_block_does_not_hold_it_up(folder: DataFolder) -> None:
    with memory_search.embedded_url(data=folder.path):
        child = os.fork()
        if not child:
            time.sleep(60)
            os._exit(0)
    try:
        ends_soon(folder)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_python_says_why_there_is_no_server(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with pytest.raises(memory_search.EmbeddedServerError, match="it holds mine\nHint: Name a new or empty folder"):
        with memory_search.embedded(data=tmp_path):
            pass


def test_a_python_that_is_killed_keeps_no_server(folder: DataFolder) -> None:
    program = f"import memory_search, os\nwith memory_search.embedded(data={str(folder.path)!r}):\n    os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", program])
    ends_soon(folder)


def test_the_importers_use_it(folder: DataFolder, tmp_path: Path) -> None:
    notes = tmp_path / "notes.jsonl"
    notes.write_text('{"rawEntry": "She wants a window seat."}\n')
    said = folder.run("import", "jsonl", str(notes), "--memory", "trip", "--quiet")
    assert (said.status, said.out) == (0, "1 added, 0 changed, 0 unchanged, 0 without text"), said.err
    assert "She wants a window seat." in folder.run("search", "trip", "where does she sit?").out
    said = folder.run("import", "jsonl", str(tmp_path / "nothing"), "--memory", "trip")
    assert said.status == 1 and "nothing" in said.err


def test_an_application_tests_with_the_fixture(tmp_path: Path) -> None:
    (tmp_path / "test_app.py").write_text(
        """
import psycopg
from memory_search import Memory


def note(url, text):
    with psycopg.connect(url, autocommit=True) as connection:
        memory = Memory(connection, "trip")
        memory.add(text)
        return [entry.raw_entry for entry in memory.entries("seat")]


def test_one(memory_search_url):
    assert note(memory_search_url, "A window seat.") == ["A window seat."]


def test_other(memory_search_url):
    assert note(memory_search_url, "An aisle seat.") == ["An aisle seat."]
"""
    )
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", tmp_path, tmp_path],
        capture_output=True,
        text=True,
    )
    assert "2 passed" in ran.stdout, ran.stdout + ran.stderr
