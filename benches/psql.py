"""Talks to a PostgreSQL server through psql. PGHOST, PGUSER, PGDATABASE and PATH say which one."""
import os
import subprocess

# COPY's text form: the characters of its escapes must be escaped themselves.
_COPY_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": " "})


class SqlError(Exception):
    """A statement failed; the message is psql's."""


def run(script, *options, database=None):
    """Runs a script in one session; returns its output, with fields separated by tabs."""
    environment = dict(os.environ, PGOPTIONS="-c client_min_messages=warning", PGCLIENTENCODING="UTF8")
    if database:
        environment["PGDATABASE"] = database
    command = ["psql", "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-f", "-", *options]
    done = subprocess.run(command, input=script.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    if done.returncode:
        raise SqlError(done.stderr.decode(errors="replace").strip())
    return done.stdout.decode()


def rows(script, *options):
    """The output of psql, split into rows of fields."""
    return [line.split("\t") for line in run(script, *options).splitlines() if line]


def value(script):
    """The first field of the first row."""
    return run(script).split("\n")[0].split("\t")[0]


def copy(target, records):
    """A COPY statement with its data; None is null."""
    lines = [f"COPY {target} FROM stdin;"]
    for record in records:
        lines.append("\t".join("\\N" if field is None else str(field).translate(_COPY_ESCAPES) for field in record))
    lines.append("\\.\n")
    return "\n".join(lines)


def literal(text):
    """An SQL string literal."""
    escaped = text.replace("'", "''").replace("\\", "\\\\")
    return f" E'{escaped}'"


def versions():
    """One line about the server and the extensions in it."""
    return value(
        "SELECT split_part(version(), ' on ', 1) || (SELECT string_agg(format(', %s %s', extname, extversion), '' "
        "ORDER BY extname) FROM pg_extension WHERE extname <> 'plpgsql')"
    )
