"""Importers and wrong lines and rows: each wrong one is named, all others are imported, and nothing is lost."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from conftest import Command
from memory_search import Memory
from memory_search.importers.command import main
from memory_search.importers.loading import Loaded, load
from memory_search.importers.reading import Read

GOOD = '{"rawEntry": "good", "embedding": [0, 1, 0]}'
OTHER = '{"rawEntry": "other", "embedding": [1, 0, 0]}'

WRONG_LINES = {
    "no JSON": '{"rawEntry": "x"',
    "no JSON object": "[1]",
    "no text": '{"rawEntry": 3}',
    "unknown key 'Tags'": '{"rawEntry": "x", "Tags": []}',
    "comes twice": '{"rawEntry": "x", "raw_entry": "y"}',
    "'rawEntry' comes twice": '{"rawEntry": "x", "rawEntry": "y"}',
    "no JSON: NaN": '{"rawEntry": "x", "embedding": [NaN, 1, 0]}',
    "Infinity": '{"rawEntry": "x", "metadata": {"n": -Infinity}}',
    "nested too deep": '{"rawEntry": "x", "metadata": ' + '{"a":' * 30_000 + "1" + "}" * 30_001,
    "dimensions": '{"rawEntry": "x", "embedding": [1, 2]}',
    "embedding[0] must be a number": '{"rawEntry": "x", "embedding": ["a", 1, 0]}',
    "importance": '{"rawEntry": "x", "importance": 200, "embedding": [0, 1, 0]}',
    "surrogates": '{"rawEntry": "half \\ud800", "embedding": [0, 1, 0]}',
    "\\u0000": '{"rawEntry": "nul \\u0000", "embedding": [0, 1, 0]}',
    "not JSON compliant": '{"rawEntry": "x", "embedding": [1e999, 1, 0]}',
    "creationTime": '{"rawEntry": "x", "creationTime": "yesterday evening", "embedding": [0, 1, 0]}',
    "a time must be a text": '{"rawEntry": "x", "creationTime": 1700000000, "embedding": [0, 1, 0]}',
    "a key, which is a text": '{"rawEntry": "x", "entryKey": 7, "embedding": [0, 1, 0]}',
    "utf-8": b'{"rawEntry": "caf\xe9"}',
}


@pytest.mark.parametrize("line", WRONG_LINES.values(), ids=WRONG_LINES)
def test_a_wrong_line_is_named_and_those_around_it_go_in(memory: Memory, command: Command, line: str | bytes) -> None:
    raw = line if isinstance(line, bytes) else line.encode()
    status, said, errors = command("jsonl", b"\n".join([GOOD.encode(), raw, OTHER.encode()]))
    assert (status, said) == (1, "2 added, 0 changed, 0 unchanged, 0 without text, 1 refused")
    (one,) = errors.splitlines()
    assert "notes, line 2: " in one
    assert sorted(entry.raw_entry for entry in memory.list()) == ["good", "other"]


def test_the_reason_of_each_refusal_is_reported(command: Command) -> None:
    lines = [line if isinstance(line, bytes) else line.encode() for line in WRONG_LINES.values()]
    status, said, errors = command("jsonl", b"\n".join(lines))
    assert (status, said) == (1, f"0 added, 0 changed, 0 unchanged, 0 without text, {len(lines)} refused")
    numbered = {int(one.split("line ")[1].split(":")[0]): one for one in errors.splitlines()}
    unsaid = [
        (reason, numbered[n]) for n, reason in enumerate(WRONG_LINES, 1) if reason.lower() not in numbered[n].lower()
    ]
    assert unsaid == []


def test_more_wrong_lines_than_allowed_stop_it(memory: Memory, command: Command) -> None:
    status, said, errors = command("jsonl", f"{GOOD}\n" + "x\n" * 5 + OTHER, "--most-refused", 3, "--batch-size", 1)
    assert (status, said.split(";")[0]) == (1, "1 added, 0 changed, 0 unchanged, 0 without text, 4 refused")
    assert errors.count("no JSON") == 4
    assert "more than 3 were refused: stopped" in errors


def test_a_mark_of_byte_order_and_ends_of_lines_of_windows_are_no_text(memory: Memory, command: Command) -> None:
    assert command("jsonl", b"\xef\xbb\xbf" + f"{GOOD}\r\n\r\n{OTHER}\r\n".encode())[:2] == (
        0, "2 added, 0 changed, 0 unchanged, 0 without text")  # fmt: skip
    keys = sorted(entry.entry_key or "" for entry in memory.list())
    assert keys == ["notes line 1", "notes line 3"]


def test_two_files_do_not_write_over_each_other(memory: Memory, url: str, tmp_path: Path) -> None:
    for name, text in (("a", GOOD), ("b", OTHER)):
        (tmp_path / name).write_text(text)
        arguments = ["jsonl", str(tmp_path / name), "--memory", "trip", "--store", "client", "--database", url]
        assert main(arguments) == 0
    assert memory.count() == 2


def test_a_time_without_a_zone_is_in_utc_wherever_the_session_is(
    memory: Memory, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGTZ", "Asia/Tokyo")
    line = '{"rawEntry": "x", "creationTime": "2026-01-01T12:00:00", "validFrom": "infinity", "embedding": [0, 1, 0]}'
    line = line.replace("infinity", "2026-01-01")
    assert command("jsonl", line)[0] == 0
    assert command("jsonl", line)[1].startswith("0 added, 0 changed, 1 unchanged")
    (entry,) = memory.list()
    assert (entry.creation_time.timestamp(), entry.valid_from.timestamp()) == (1767268800, 1767225600)


def test_a_vector_of_zeros_can_be_compared(command: Command) -> None:
    line = '{"rawEntry": "x", "embedding": [0, 0, 0]}'
    first, second = command("jsonl", line), command("jsonl", line)
    assert first[0] == second[0]


def test_a_line_of_many_megabytes_goes_in(memory: Memory, command: Command) -> None:
    long = json.dumps({"rawEntry": "word " * 4_000_000, "embedding": [0, 1, 0]})
    status, said, _ = command("jsonl", f"{GOOD}\n{long}\n{OTHER}")
    assert (status, said) == (0, "3 added, 0 changed, 0 unchanged, 0 without text")
    assert max(len(entry.raw_entry) for entry in memory.list()) == 20_000_000


def test_a_key_that_comes_again_is_counted(memory: Memory) -> None:
    one = {"raw_entry": "old", "entry_key": "k", "embedding": [1, 0, 0]}
    loaded = load(memory, [Read("line 1", one), Read("line 2", {**one, "raw_entry": "new"})])
    assert (loaded.added, loaded.repeated, loaded.read) == (1, 1, 2)
    assert [entry.raw_entry for entry in memory.list()] == ["new"]


def test_an_error_that_is_not_an_entrys_fault_stops_it_at_once(memory: Memory, command: Command, url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ALTER TABLE client.entries RENAME TO others")
    try:
        status, said, errors = command("jsonl", f"{GOOD}\n{OTHER}")
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ALTER TABLE client.others RENAME TO entries")
    assert (status, len(errors.splitlines())) == (1, 1)
    assert "not everything was read: run the command again to continue" in said


def test_an_impossible_memory_id_is_reported_once(command: Command) -> None:
    status, _, errors = command("jsonl", f"{GOOD}\n{OTHER}", "--memory", "")
    assert (status, errors.count("memory_id must not be empty")) == (1, 1)


def test_rows_of_a_database_that_cannot_go_in_are_named(
    database: psycopg.Connection, memory: Memory, url: str, capsys: pytest.CaptureFixture
) -> None:
    database.execute("""
        CREATE TABLE mem0_memories (id text PRIMARY KEY, vector vector, payload jsonb);
        INSERT INTO mem0_memories VALUES ('a', '[0,1,0]', '{"data": "good", "created_at": "2026-01-01T00:00:00"}'),
          ('b', '[0,1]', '{"data": "x"}'), ('c', '[0,1,0]', '{"data": {"x": 1}}'), ('d', '[0,1,0]', '[1]'),
          ('e', '[0,1,0]', '{"data": "x", "created_at": "soon"}'), ('f', '[0,1,0]', '{"data": "x", "user_id": 7}'),
          ('g', '[0,1,0]', NULL), ('h', '[1,0,0]', '{"data": "other"}')""")
    try:
        arguments = ["mem0", "mem0_memories", "--memory", "trip", "--store", "client", "--database", url, "--quiet"]
        assert main(arguments) == 1
        said = capsys.readouterr()
        assert said.out.strip() == "2 added, 0 changed, 0 unchanged, 1 without text, 5 refused"
        rows = {line.split("row ")[1][0]: line for line in said.err.splitlines()}
        assert "".join(sorted(rows)) == "bcdef"
        assert "row f: userId must be a text, not 7" in rows["f"]
        assert "entries[" not in rows["b"]
    finally:
        database.execute("DROP TABLE mem0_memories")


def test_an_import_that_was_killed_continues(
    database: psycopg.Connection, memory: Memory, url: str, tmp_path: Path
) -> None:
    def sessions() -> set[int]:
        pids = database.execute("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'")
        return {pid for (pid,) in pids}

    others = sessions()
    path = tmp_path / "many.jsonl"
    path.write_text("\n".join(json.dumps({"rawEntry": f"entry {n}", "embedding": [n, 1, 0]}) for n in range(3000)))
    arguments = [sys.executable, "-m", "memory_search.importers", "jsonl", str(path)]
    arguments += ["--memory", "trip", "--store", "client", "--database", url, "--batch-size", "50"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while memory.count() < 200:
            assert process.poll() is None
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
    # The server finishes a batch that it has received.
    while sessions() - others:
        time.sleep(0.005)
    there = memory.count()
    assert 200 <= there < 3000
    assert there % 50 == 0
    again = subprocess.run([*arguments, "--quiet"], capture_output=True, text=True, check=True)
    assert again.stdout.strip() == f"{3000 - there} added, 0 changed, {there} unchanged, 0 without text"
    assert memory.count() == 3000


def test_every_thing_that_is_read_is_counted_once() -> None:
    assert Loaded(1, 2, 4, 8, 16, 32).read == 63
