"""The fixtures of the tests of the embedded server: the program as a person runs it, and data folders that end with a
test."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

PROGRAM = Path(os.environ["HOME"], "env/bin/memory-search")

# A shell starts background jobs with SIGINT ignored, and a program that starts so leaves the signal alone.
signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass
class Said:
    """The exit code and the output of a run of the program."""

    status: int
    out: str
    err: str


@dataclass
class DataFolder:
    """A data folder, and the program with it."""

    path: Path
    environment: dict[str, str]

    def run(self, *arguments: str, input: str | None = None, timeout: float = 120) -> Said:
        """Runs the program to its end."""
        environment = self.environment | {"MEMORY_SEARCH_DATA": str(self.path)}
        ran = subprocess.run(
            [PROGRAM, *arguments], capture_output=True, text=True, timeout=timeout, env=environment, input=input
        )
        return Said(ran.returncode, ran.stdout.strip(), ran.stderr)

    def begin(self, *arguments: str) -> subprocess.Popen:
        """Starts the program with pipes, and leaves it running."""
        return subprocess.Popen(
            [PROGRAM, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment | {"MEMORY_SEARCH_DATA": str(self.path)},
        )

    def up(self) -> str:
        """Starts the server to stay; its address."""
        said = self.run("up")
        assert said.status == 0, said.err
        return said.out

    def connect(self, url: str) -> psycopg.Connection:
        """A connection that commits by itself."""
        return psycopg.connect(url, autocommit=True)

    def postmaster(self) -> int | None:
        """The process id of the server, if it runs."""
        try:
            written = (self.path / "data/postmaster.pid").read_text().split("\n")[0]
            # A server that has just begun has made the file, and not yet written its number.
            if not written:
                return None
            process = int(written)
            works_in = os.readlink(f"/proc/{process}/cwd")
        except OSError:
            return None
        return process if works_in == str(self.path / "data") else None

    def processes(self) -> list[int]:
        """The server's process and all that it started."""
        postmaster = self.postmaster()
        found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(postmaster)], capture_output=True, text=True)
        return [postmaster, *map(int, found.stdout.split())]

    def kill(self) -> None:
        """Kills the server as a crash does, and waits until all of its processes are gone."""
        processes = self.processes()
        os.kill(processes[0], signal.SIGKILL)
        for process in processes:
            while re.search(r"^State:\s+[^ZX]", status(process), re.MULTILINE):
                pass

    def remove(self) -> None:
        """Ends the server in any state, and removes the folder."""
        if self.path.is_dir():
            self.run("down")
            if self.postmaster():
                self.kill()
            shutil.rmtree(self.path)


def status(process: int) -> str:
    """The system's status of a process; empty if there is none."""
    try:
        return Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """An ordinary user's environment, without any setting of ours."""
    return {"HOME": os.environ["HOME"], "PATH": os.environ["PATH"]}


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Path:
    """A data folder as the first start leaves it, to be copied."""
    folder = DataFolder(tmp_path_factory.mktemp("made") / "data", environment)
    folder.up()
    assert folder.run("down").status == 0
    return folder.path


@pytest.fixture
def empty(tmp_path: Path, environment: dict[str, str]) -> Iterator[DataFolder]:
    """A data folder that is not there yet."""
    folder = DataFolder(tmp_path / "memories", environment)
    yield folder
    folder.remove()


@pytest.fixture
def folder(empty: DataFolder, made: Path) -> DataFolder:
    """A data folder whose server does not run."""
    shutil.copytree(made, empty.path, symlinks=True)
    return empty


@pytest.fixture
def say(capsys: pytest.CaptureFixture) -> Callable[[str], None]:
    """Prints a measurement of a test, also if it passes."""

    def say(text: str) -> None:
        with capsys.disabled():
            print(f"\n{text}", flush=True)

    return say
