"""The server itself: started by one line, shared, stopped, killed."""

import json
import os
import random
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import psycopg
import pytest
from conftest import DataFolder

ROUNDS = 10 if os.environ.get("LONG") else 3


def test_one_line_is_enough_for_a_first_answer(empty: DataFolder, say) -> None:
    began = time.monotonic()
    said = empty.run("psql", "-Atc", "SELECT memory_add('me', 'She likes to stay in small guesthouses.')")
    assert said.status == 0, said.err
    found = empty.run("search", "me", "where does she like to stay?")
    seconds = time.monotonic() - began
    say(f"from nothing to a first answer: {seconds:.1f} s")
    assert seconds < 20
    assert "1. She likes to stay in small guesthouses." in found.out
    assert empty.postmaster() is None, "the last user stops it"


def test_an_idle_server_takes_less_than_60_mb(folder: DataFolder, say) -> None:
    with folder.connect(folder.up()) as connection:
        connection.execute("SELECT memory_add('me', 'a note')")
    time.sleep(1)

    def of(process: int, what: str) -> int:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith(f"{what}:"))

    # Pages that processes share count once: each has its share of them.
    kb = sum(of(process, "Pss") for process in folder.processes())
    say(f"an idle server: {kb / 1024:.0f} MB resident, in {len(folder.processes())} processes")
    assert kb < 60 * 1024


def test_a_second_start_finds_the_first(folder: DataFolder) -> None:
    first = folder.up()
    process = folder.postmaster()
    assert folder.up() == first
    assert folder.postmaster() == process


def test_a_server_started_by_up_stays_until_down(folder: DataFolder) -> None:
    folder.up()
    assert folder.run("search", "me", "anything").status == 0
    said = folder.run("status")
    assert said.status == 0 and "until memory-search down" in said.out
    assert folder.run("down").status == 0
    assert folder.postmaster() is None
    said = folder.run("status")
    assert said.status == 1 and "Hint: Start it: memory-search up" in said.err
    assert folder.run("down").status == 0, "what does not run is stopped already"


def test_programs_share_it_and_the_last_one_stops_it(folder: DataFolder) -> None:
    users = [folder.begin("up", "--until-eof") for _ in range(3)]
    urls = [user.stdout.readline().strip() for user in users]
    assert len(set(urls)) == 1
    with folder.connect(urls[0]) as connection:
        connection.execute("SELECT memory_add('me', 'a note')")
        for user in users[:2]:
            user.communicate()
        assert folder.postmaster()
        assert connection.execute("SELECT count(*) FROM memory.entries").fetchone() == (1,)
    users[2].communicate()
    assert folder.postmaster() is None


def test_a_user_that_is_killed_does_not_keep_it(folder: DataFolder) -> None:
    killed, other = (folder.begin("up", "--until-eof") for _ in range(2))
    for user in (killed, other):
        assert user.stdout.readline()
    killed.kill()
    killed.wait()
    other.communicate()
    assert folder.postmaster() is None


@pytest.mark.parametrize("words", [("search", "me", "anything"), ("psql", "-c", "SELECT pg_sleep(60)")])
def test_a_program_that_is_stopped_stops_it(folder: DataFolder, words: tuple[str, ...]) -> None:
    user = folder.begin(*words)
    end = time.monotonic() + 30
    # A search is stopped while it starts the server, and psql in the middle of its statement.
    while folder.run("status").status != 0 if words[0] == "psql" else folder.postmaster() is None:
        assert time.monotonic() < end and user.poll() is None
    if words[0] == "psql":
        time.sleep(0.5)
    user.terminate()
    said = user.communicate(timeout=30)[1]
    assert folder.postmaster() is None, said


def test_a_connection_without_a_lease_keeps_it(folder: DataFolder) -> None:
    user = folder.begin("up", "--until-eof")
    with folder.connect(user.stdout.readline().strip()) as connection:
        user.communicate()
        assert connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_client_that_is_asked_to_stop_stops_it(folder: DataFolder, number: signal.Signals) -> None:
    client = folder.begin("mcp", "--memory", "me")
    for _ in range(100):
        if folder.postmaster() and "ready" in (folder.path / "data/postmaster.pid").read_text():
            break
        time.sleep(0.1)
    time.sleep(0.5)
    client.send_signal(number)
    client.communicate()
    assert folder.postmaster() is None


@pytest.mark.parametrize("arguments", [["up", "--until-eof"], ["mcp", "--memory", "me"], ["watch"], ["explore", "--listen", "127.0.0.1:0"]])
def test_a_program_that_is_asked_to_stop_while_it_starts_the_server_stops_it(
    folder: DataFolder, arguments: list[str]
) -> None:
    program = folder.begin(*arguments)
    until = time.monotonic() + 60
    while not folder.postmaster() and time.monotonic() < until:
        time.sleep(0.001)
    program.terminate()
    program.communicate()
    assert program.returncode == 0
    assert folder.postmaster() is None


def test_down_ends_a_server_that_recovers(folder: DataFolder) -> None:
    with folder.connect(folder.up()) as connection:
        connection.execute("SELECT count(memory_add('me', 'note ' || i)) FROM generate_series(1, 500) AS i")
    folder.kill()
    starts = folder.begin("up")
    time.sleep(0.15)
    assert folder.run("down", timeout=150).status == 0
    starts.communicate()
    folder.run("down")
    with folder.connect(folder.up()) as connection:
        assert connection.execute("SELECT count(*) FROM memory.entries").fetchone() == (500,)


def test_many_programs_may_start_it_at_once(empty: DataFolder) -> None:
    users = [empty.begin("up", "--until-eof") for _ in range(4)]
    assert len({user.stdout.readline() for user in users}) == 1
    for user in users:
        _, err = user.communicate()
        assert user.returncode == 0, err
    assert empty.postmaster() is None


def test_no_acknowledged_entry_is_lost_when_it_is_killed(folder: DataFolder, say) -> None:
    written = 0
    for _ in range(ROUNDS):
        acknowledged: list[str] = []
        url = folder.up()

        def write(url: str = url, acknowledged: list[str] = acknowledged) -> None:
            with folder.connect(url) as connection:
                while True:
                    row = connection.execute("SELECT memory_add('me', 'note ' || clock_timestamp())").fetchone()
                    acknowledged.append(str(row[0]))

        def writes_until_killed() -> None:
            with pytest.raises(psycopg.Error):
                write()

        writers = [threading.Thread(target=writes_until_killed) for _ in range(2)]
        for writer in writers:
            writer.start()
        time.sleep(random.uniform(0.3, 1))
        folder.kill()
        for writer in writers:
            writer.join()
        with folder.connect(folder.up()) as connection:
            there = {str(row[0]) for row in connection.execute("SELECT entry_id FROM memory.entries")}
            lost = set(acknowledged) - there
            assert acknowledged and not lost
            connection.execute("SELECT memory_index_check('memory.entries_memory')")
        written += len(acknowledged)
    say(f"killed {ROUNDS} times: {written} acknowledged entries, none lost")


@pytest.mark.parametrize("seconds", [0.05, 0.3, 0.8, 1.6] if os.environ.get("LONG") else [0.4, 1.2])
def test_a_first_start_that_is_killed_begins_again(empty: DataFolder, seconds: float) -> None:
    process = subprocess.Popen(
        [Path(os.environ["HOME"], "env/bin/memory-search"), "up"],
        env=empty.environment | {"MEMORY_SEARCH_DATA": str(empty.path)},
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(0.2)
    with empty.connect(empty.up()) as connection:
        assert connection.execute("SELECT memory_add('me', 'a note') IS NOT NULL").fetchone() == (True,)


def test_a_program_starts_it_again_that_ended_by_itself(folder: DataFolder) -> None:
    server = folder.begin("mcp", "--memory", "me")

    def ask(number: int, method: str, parameters: dict) -> str:
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}) + "\n")
        server.stdin.flush()
        return server.stdout.readline()

    ask(
        1,
        "initialize",
        {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
    )
    server.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    remember = {"name": "memory_remember", "arguments": {"rawEntry": "She takes the night train."}}
    said = ask(2, "tools/call", remember)
    assert '"isError":true' not in said, said
    folder.kill()
    search = {"name": "memory_search", "arguments": {"query": "how does she travel?"}}
    said = ask(3, "tools/call", search)
    if "night train" not in said:  # the connection that was open is noticed first
        said = ask(4, "tools/call", search)
    assert "She takes the night train." in said
    folder.run("down")
    assert "cannot be reached" in ask(5, "tools/call", search)
    assert folder.postmaster() is None, "down means down"
    server.communicate()


def test_a_process_of_the_same_number_is_not_taken_for_the_server(folder: DataFolder) -> None:
    folder.up()
    file = folder.path / "data/postmaster.pid"
    lines = file.read_text().split("\n")
    folder.kill()
    # The number of a process that is no server, as in a container, whose processes are numbered from 1.
    file.write_text("\n".join([str(os.getpid()), *lines[1:]]))
    assert folder.run("search", "me", "anything").status == 0


def test_a_server_that_cannot_be_seen_is_left_alone(folder: DataFolder) -> None:
    url = folder.up()
    file = folder.path / "data/postmaster.pid"
    written = file.read_text()
    # The number of a process in another container with the same folder: it means nothing here.
    file.write_text("\n".join([str(os.getpid()), *written.split("\n")[1:]]))
    said = folder.run("search", "me", "anything")
    file.write_text(written)
    assert said.status == 1 and "a server that cannot be seen from here uses the data" in said.err
    with folder.connect(url) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_long_path_has_its_socket_elsewhere(folder: DataFolder, tmp_path: Path) -> None:
    long = DataFolder(tmp_path / ("a long name " * 9).strip() / "memories", folder.environment)
    long.path.parent.mkdir()
    shutil.move(folder.path, long.path)
    with long.connect(long.up()) as connection:
        socket = connection.execute("SHOW unix_socket_directories").fetchone()[0]
    assert len(socket) < 90 and oct(Path(socket.strip('"')).stat().st_mode)[-3:] == "700"
    long.remove()


def test_a_folder_may_have_any_name(folder: DataFolder, tmp_path: Path) -> None:
    odd = DataFolder(tmp_path / "it's, \"mine\", é & 100% \\ ok?", folder.environment)
    shutil.move(folder.path, odd.path)
    url = odd.up()
    with odd.connect(url) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert odd.run("psql", "-Atc", "SELECT 2").out == "2"
    odd.remove()


def test_a_moved_folder_goes_on_where_it_is(folder: DataFolder, tmp_path: Path) -> None:
    assert folder.run("psql", "-c", "SELECT memory_add('me', 'She likes figs.')").status == 0
    moved = DataFolder(tmp_path / "moved", folder.environment)
    shutil.move(folder.path, moved.path)
    assert "She likes figs." in moved.run("search", "me", "what does she like?").out
