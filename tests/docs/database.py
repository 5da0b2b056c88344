"""psql, and the throwaway database in which a page's examples run. The server is found by the PG* variables."""
import contextlib
import os
import re
import subprocess
import sys

NAME = 'memory_search_docs'
# The error messages of pgvector and of PostgreSQL are compared in English, times in UTC.
SETTINGS = '-c client_min_messages=warning -c TimeZone=UTC -c lc_messages=C -c DateStyle=ISO'


def psql(database, script, *options):
    """The output of a session, with errors at the place where they come."""
    command = ['psql', '-X', '-q', '-d', database, *options]
    environment = {**os.environ, 'PGOPTIONS': f"{os.environ.get('PGOPTIONS', '')} {SETTINGS}"}
    done = subprocess.run(command, input=script, text=True, encoding='utf-8', env=environment, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode == 2:  # psql could not connect, or lost the server
        sys.exit(f'psql failed on database {database}: {done.stdout.strip()}')
    return done.stdout


def answer(database, query):
    """One query's only value."""
    printed = psql(database, query, '-A', '-t', '-v', 'ON_ERROR_STOP=1')
    if 'ERROR:' in printed:
        sys.exit(f'on database {database}: {printed.strip()}')
    return printed.strip()


def has_role(role):
    return answer('postgres', f"SELECT count(*) FROM pg_roles WHERE rolname = '{role}'") == '1'


@contextlib.contextmanager
def throwaway(scripts):
    """The database, gone afterwards with the roles that the scripts create."""
    named = sorted(set(re.findall(r'^CREATE ROLE (\w+)', '\n'.join(scripts), re.M)))
    if answer('postgres', f"SELECT count(*) FROM pg_database WHERE datname = '{NAME}'") != '0':
        sys.exit(f'there is a database {NAME} already: drop it, or take another server')
    taken = [role for role in named if has_role(role)]
    if taken:
        sys.exit(f'the examples create roles that are there already: {", ".join(taken)}')
    answer('postgres', f'CREATE DATABASE {NAME} TEMPLATE template0')
    try:
        yield NAME
    finally:
        for role in named:
            if has_role(role):
                answer(NAME, f'DROP OWNED BY {role}; DROP ROLE {role}')
        answer('postgres', f'DROP DATABASE {NAME} WITH (FORCE)')
