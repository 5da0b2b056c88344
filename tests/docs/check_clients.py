#!/usr/bin/env python3
"""Runs the programs of README.md and of docs/guide/clients.md, python.md and typescript.md, and compares their output
with the page.

    check_clients.py [--fill]

The blocks of a language are one program, in their order; each language has a database of its own, with the examples
that the page continues. A language that cannot run on this machine is reported and not counted. The last line is "N
passed, M failed"; the exit code is 1 unless all passed. --fill writes the outputs into the page."""
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse

from check_examples import REPOSITORY, fill, run
from comparison import same
from database import throwaway
from page import PROGRAM, Page, set_up

# The pages, and of each the languages whose programs it has.
PAGES = {'README.md': ('python',), 'docs/guide/clients.md': PROGRAM,
         'docs/guide/python.md': ('python',), 'docs/guide/typescript.md': ('typescript',)}
# The section whose programs a page's programs continue; in a page that is not listed, all of them.
OWN_SECTION = {'README.md': 'getting-started'}
FILES = {'python': 'example.py', 'typescript': 'example.ts', 'rust': 'example.rs'}
BETWEEN = {'python': 'print("==== next ====", flush=True)', 'typescript': 'console.log("==== next ====");'}
CANNOT_RUN = 3


def url(database):
    """The URL of a database on the server that PGHOST and PGPORT name; PGHOST may be the folder of a socket."""
    host = urllib.parse.quote(os.environ['PGHOST'], safe='')
    return f'postgresql://{os.environ["PGUSER"]}@{host}:{os.environ["PGPORT"]}/{database}'


def run_program(path, language, blocks, database):
    """The outputs of the blocks; None if the language cannot run here."""
    if len(blocks) > 1 and language not in BETWEEN:
        sys.exit(f'{path}: {language} is one block, a whole program')
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, FILES[language]), 'w', encoding='utf-8') as file:
            file.write(f'\n{BETWEEN.get(language, "")}\n'.join(block.text for block in blocks))
        done = subprocess.run([os.path.join(REPOSITORY, 'tests/docs/run_program.sh'), language, folder], text=True,
                              env={**os.environ, 'DATABASE_URL': url(database)}, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode == CANNOT_RUN:
        print(f'*** NOT run: the {language} of {path}: {done.stdout.strip()}')
        return None
    if done.returncode:
        print(f'--- {path}: the {language} program failed with {done.returncode}\n{done.stdout}')
    outputs = re.split(r'^==== next ====\n', done.stdout, flags=re.M)
    if len(outputs) != len(blocks) or done.returncode:
        return ['the program failed'] * len(blocks)
    return outputs


def main():
    os.chdir(REPOSITORY)
    filling = sys.argv[1:] == ['--fill']
    passed = failed = 0
    for path, languages in PAGES.items():
        page = Page(path)
        for language in languages:
            blocks = [block for block in page.blocks if block.language == language and not block.reason]
            if not blocks or not all(block.kind for block in blocks):
                sys.exit(f'{path}: the {language} program is missing, or a block of it has no output')
            before = set_up(page)
            if path in OWN_SECTION:
                before += [block for block in page.section(OWN_SECTION[path]) if block.language == 'sql']
            with throwaway([block.text for block in before]) as database:
                run(database, before)
                outputs = run_program(path, language, blocks, database)
            if outputs is None:
                continue
            if filling:
                fill(page, blocks, outputs)
                page = Page(path)
                continue
            for block, got in zip(blocks, outputs):
                good = same(block.shown, got)
                passed, failed = passed + good, failed + (not good)
                if not good:
                    print(f'--- {path}:{block.line}: another output\n--- shown\n{block.shown}--- printed\n{got}')
    if not filling:
        print(f'{", ".join(PAGES)}: programs')
        print(f'{passed} passed, {failed} failed')
        sys.exit(1 if failed or not passed else 0)


if __name__ == '__main__':
    main()
