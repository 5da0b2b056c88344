"""A lasting session: psql behind pipes, which times each statement itself, and the backend's own CPU time."""

import os
import re
import subprocess
import sys
import tempfile

from psql import SqlError

_TIME = re.compile(r"^Time: ([\d.]+) ms")
_END = "--end-of-statement--"


class Session:
    """One psql. `timed` discards the rows and returns milliseconds; `rows` returns the rows."""

    def __init__(self, database, settings=""):
        self._errors = tempfile.TemporaryFile()
        environment = dict(
            os.environ, PGDATABASE=database, LC_ALL="C", PGOPTIONS="-c client_min_messages=warning", PGCLIENTENCODING="UTF8"
        )
        command = ["psql", "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1"]
        self._psql = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
            encoding="utf-8",
            bufsize=1 << 16,
        )
        if settings:
            self.rows(settings)
        self.pid = int(self.rows("SELECT pg_backend_pid();")[0][0])

    def _send(self, text):
        try:
            self._psql.stdin.write(text)
            self._psql.stdin.flush()
        except BrokenPipeError:
            self._failed()

    def _line(self):
        line = self._psql.stdout.readline()
        if not line:
            self._failed()
        return line.rstrip("\n")

    def _failed(self):
        self._psql.wait()
        self._errors.seek(0)
        raise SqlError(self._errors.read().decode(errors="replace").strip())

    def rows(self, script):
        """Runs statements; their rows, split into fields."""
        self._send(f"{script}\n\\echo {_END}\n")
        lines = []
        while (line := self._line()) != _END:
            lines.append(line.split("\t"))
        return lines

    def value(self, statement):
        """The first field of the first row."""
        return self.rows(statement)[0][0]

    def timed(self, statement):
        """Milliseconds of one statement, as psql sees it."""
        self._send(f"\\o {os.devnull}\n\\timing on\n{statement}\n\\timing off\n\\o\n")
        found = _TIME.match(self._line())
        if not found:
            raise SqlError(f"psql gave no time for {statement}")
        return float(found.group(1))

    def cpu_ms(self):
        """The CPU time of the backend since it started, to the nanosecond; None if the kernel does not give it."""
        try:
            with open(f"/proc/{self.pid}/schedstat", encoding="ascii") as file:
                return int(file.read().split()[0]) / 1e6
        except OSError:
            return None

    def close(self):
        """Ends it."""
        self._psql.stdin.close()
        self._psql.wait()
        self._psql.stdout.close()
        self._errors.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def together(scripts):
    """Runs psql scripts at the same time, each `(database, file)`; returns the output of each, as lines."""
    running = []
    for database, file in scripts:
        environment = dict(os.environ, PGDATABASE=database, LC_ALL="C", PGOPTIONS="-c client_min_messages=warning")
        command = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-f", str(file)]
        running.append(
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, encoding="utf-8")
        )
    printed = []
    for psql in running:
        output, errors = psql.communicate()
        if psql.returncode:
            raise SqlError(errors.strip())
        printed.append(output.splitlines())
    return printed


def say(text):
    """Progress."""
    print(f"  {text}", flush=True)


def complain(text):
    """Prints a line that the reader must see even when the report scrolls by."""
    print(f"  {text}", file=sys.stderr, flush=True)
