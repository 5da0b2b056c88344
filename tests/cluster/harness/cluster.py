"""The shell functions of pgrx-config/cluster.sh: all code that creates and runs private servers."""

from __future__ import annotations

import functools
import os
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
SUPPORT = Path(__file__).resolve().parents[1] / "support"

# Settings of the caller's shell must not lead a test to another server: neither a program nor libpq in this process.
for name in [name for name in os.environ if name.startswith("PG") and name != "PG_CONFIG"]:
    del os.environ[name]
ENVIRONMENT = dict(os.environ)


class ProgramFailed(AssertionError):
    """A program ended with an error; the text is its output."""


def run(command: list[str], *, env: dict[str, str] | None = None, stdin: str | bytes | None = None) -> bytes:
    """Runs a program to its end and returns its output."""
    data = stdin.encode() if isinstance(stdin, str) else stdin or b""
    done = subprocess.run(command, env=env or ENVIRONMENT, input=data, capture_output=True, check=False)
    if done.returncode != 0:
        output = (done.stdout + done.stderr).decode(errors="replace")
        raise ProgramFailed(f"{command[0]} ended with {done.returncode}:\n{output[-4000:]}")
    return done.stdout


def call(function: str, *arguments: str | Path, pg_config: str | None = None) -> str:
    """Calls a function of cluster.sh. A pg_config chooses another PostgreSQL, as PG_CONFIG does for all."""
    env = ENVIRONMENT | ({"PG_CONFIG": pg_config} if pg_config else {})
    script = REPOSITORY / "pgrx-config/cluster.sh"
    words = [function, *map(str, arguments)]
    return run(["bash", "-euo", "pipefail", "-c", '. "$0"; "$@"', str(script), *words], env=env).decode()


@functools.cache
def shell_variable(name: str, pg_config: str | None = None) -> str:
    """A variable that cluster.sh and the scripts that it sources set: paths above all."""
    return call("eval", f'printf %s "${name}"', pg_config=pg_config)


def bin_folder(pg_config: str | None = None) -> Path:
    return Path(shell_variable("PG_BIN", pg_config))


@functools.cache
def pg_config(option: str) -> Path:
    """A folder of the PostgreSQL that the tests run on: pg_config("--sharedir")."""
    return Path(run([str(bin_folder() / "pg_config"), option]).decode().strip())
