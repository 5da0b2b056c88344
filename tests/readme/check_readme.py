#!/usr/bin/env python3
"""Runs the examples of README.md and compares what they print with what README.md shows.

    check_readme.py README.md DBNAME

The ```sql blocks from the one with CREATE EXTENSION memory_search on run in their order, in one psql session; a block
followed by ```text, ```json or ```markdown must print that, one without must not fail. The server is found by the
PG* variables. DBNAME is created and dropped again; one that exists is used when the extension is not in it yet, and
stays. Roles that the examples create are dropped. Uuids, times of today and the last digit of a number may differ.
The last line is "N passed, M failed", the number of blocks compared; the exit code is 1 unless all passed."""
import math
import os
import re
import subprocess
import sys

BLOCK = re.compile(r'^```sql\n(.*?)^```\n(?:\n?```(text|json|markdown)\n(.*?)^```\n)?', re.S | re.M)
FIRST = 'CREATE EXTENSION memory_search'
# The error messages of pgvector and of PostgreSQL are compared in English, times in UTC.
SETTINGS = '-c client_min_messages=warning -c TimeZone=UTC -c lc_messages=C -c DateStyle=ISO'
UUID = re.compile(r'[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}')
TODAY = re.compile(r'\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d+(?:Z|[+-]\d\d(?::?\d\d)?)')
NUMBER = re.compile(r'(?<![\w.])-?\d+\.\d+(?:e-?\d+)?(?![\w.])')


def psql(database, script, *options):
    """What a session prints, errors among the rest as they come."""
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


def literal(text):
    return "'" + text.replace("'", "''") + "'"


def identifier(text):
    return '"' + text.replace('"', '""') + '"'


def runnable(page):
    """The blocks as (line number, SQL, kind of output or None, output)."""
    found = [(page.count('\n', 0, block.start()) + 1, *block.groups()) for block in BLOCK.finditer(page)]
    starts = [place for place, block in enumerate(found) if FIRST in block[1]]
    if not starts:
        sys.exit(f'no sql block holds {FIRST}: nothing to run')
    return found[starts[0]:]


def run(database, blocks):
    """What each block printed."""
    script = []
    for number, (_, sql, kind, _) in enumerate(blocks):
        plain = kind in ('json', 'markdown')
        script.append(f"\\pset format {'unaligned' if plain else 'aligned'}\n\\pset tuples_only {'on' if plain else 'off'}")
        script.append(f'\\echo ==== {number} ====\n{sql.rstrip()}\n\\echo')
    printed = psql(database, '\n'.join([*script, '\\echo ==== end ====']))
    parts = re.split(r'^==== (\d+|end) ====\n', printed, flags=re.M)
    outputs = dict(zip(parts[1::2], parts[2::2]))
    if 'end' not in outputs:
        sys.exit(f'psql did not reach the end of the page; the last it said:\n{printed[-2000:]}')
    return [outputs.get(str(number), 'this block did not run') for number in range(len(blocks))]


def words(text):
    """The text without what may differ: (words and signs, numbers with a decimal point as written)."""
    text = UUID.sub('UUID', text)
    text = TODAY.sub('TIME', text)
    numbers = NUMBER.findall(text)
    text = NUMBER.sub('NUMBER', text)
    text = re.sub(r'^[-+]+$', '', text, flags=re.M)  # rulers of tables: as wide as their columns
    return re.sub(r'\s+', ' ', text).strip(), numbers


def close(shown, got):
    """Whether two numbers differ by no more than one in the last digit shown; by 0.0001 beyond four digits."""
    digits = min(len(number.partition('.')[2].partition('e')[0]) for number in (shown, got))
    return math.isclose(float(shown), float(got), rel_tol=0, abs_tol=1.01 * 10.0 ** -min(digits, 4))


def same(shown, got):
    (shown_words, shown_numbers), (got_words, got_numbers) = words(shown), words(got)
    if shown_words != got_words or len(shown_numbers) != len(got_numbers):
        return False
    return all(close(*pair) for pair in zip(shown_numbers, got_numbers))


def check(blocks, outputs):
    """Compares; gives (passed, failed)."""
    passed = failed = 0
    for (line, sql, kind, shown), got in zip(blocks, outputs):
        if kind is None:
            if re.search(r'^(ERROR|FATAL|PANIC|invalid command|\\\w+: )', got, re.M):
                failed += 1
                print(f'--- line {line}: this block must not fail\n{sql}--- it printed\n{got.strip()}\n')
        elif same(shown, got):
            passed += 1
        else:
            failed += 1
            print(f'--- line {line}: another output\n{sql}--- shown\n{shown.strip()}\n--- printed\n{got.strip()}\n')
    return passed, failed


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    path, database = sys.argv[1:]
    with open(path, encoding='utf-8') as file:
        blocks = runnable(file.read())
    # To connect to while the database is created and dropped.
    other = os.environ.get('PGDATABASE') or 'postgres'
    if other == database:
        other = 'template1'
    is_ours = answer(other, f'SELECT count(*) FROM pg_database WHERE datname = {literal(database)}') == '0'
    named = set(re.findall(r'^CREATE ROLE (\w+)', '\n'.join(sql for _, sql, _, _ in blocks), re.M))
    created = [role for role in sorted(named)
               if answer(other, f'SELECT count(*) FROM pg_roles WHERE rolname = {literal(role)}') == '0']
    if is_ours:
        answer(other, f'CREATE DATABASE {identifier(database)} TEMPLATE template0')
    elif answer(database, "SELECT count(*) FROM pg_extension WHERE extname = 'memory_search'") != '0':
        sys.exit(f'database {database} has the extension memory_search already: name a new one')
    try:
        passed, failed = check(blocks, run(database, blocks))
    finally:
        for role in created:
            if answer(other, f'SELECT count(*) FROM pg_roles WHERE rolname = {literal(role)}') == '1':
                answer(database, f'DROP OWNED BY {identifier(role)}; DROP ROLE {identifier(role)}')
        if is_ours:
            answer(other, f'DROP DATABASE {identifier(database)} WITH (FORCE)')
    if passed + failed == 0:
        sys.exit('no sql block with output was found: nothing was compared')
    print(f'{passed} passed, {failed} failed')
    sys.exit(1 if failed or not passed else 0)


if __name__ == '__main__':
    main()
