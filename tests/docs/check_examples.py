#!/usr/bin/env python3
"""Runs the SQL examples of README.md and of every page below docs/, and compares their output with the output shown.

    check_examples.py [--fill] [PAGE...]

Each page runs in a database of its own, in one psql session: first the examples that it continues (page.py describes
how it names them), then its own in their order. A block before ```text, ```json or ```markdown must print that, and a
block without one must not fail. --fill writes the output into the page instead of comparing it: read it before you
commit it. The last line is "N passed, M failed", the number of outputs compared; the exit code is 1 unless all
passed."""
import glob
import os
import re
import sys

from comparison import FAILURE, same
from database import psql, throwaway
from page import Page, PageError, set_up

REPOSITORY = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
EXTENSION = 'CREATE EXTENSION memory_search'


def all_pages():
    return ['README.md', *sorted(glob.glob('docs/**/*.md', recursive=True))]


def run(database, blocks):
    """The output of each block."""
    script = []
    for number, block in enumerate(blocks):
        plain = block.kind in ('json', 'markdown')
        script.append(f"\\pset format {'unaligned' if plain else 'aligned'}")
        script.append(f"\\pset tuples_only {'on' if plain else 'off'}")
        script.append(f'\\echo ==== {number} ====\n{block.text.rstrip()}\n\\echo')
    printed = psql(database, '\n'.join([*script, '\\echo ==== end ====']))
    parts = re.split(r'^==== (\d+|end) ====\n', printed, flags=re.M)
    outputs = dict(zip(parts[1::2], parts[2::2]))
    if 'end' not in outputs:
        raise PageError(f'psql did not reach the end of the page; the last it said:\n{printed[-2000:]}')
    return [outputs.get(str(number), 'this block did not run') for number in range(len(blocks))]


def check(block, got):
    """True or False where an output was compared, None where there is none and nothing failed."""
    where = f'--- {block.page}:{block.line}'
    if block.kind is None:
        if not FAILURE.search(got):
            return None
        print(f'{where}: this block must not fail\n{block.text}--- it printed\n{got.strip()}\n')
        return False
    if same(block.shown, got):
        return True
    print(f'{where}: another output\n{block.text}--- shown\n{block.shown.strip()}\n--- printed\n{got.strip()}\n')
    return False


def fill(page, blocks, outputs):
    """Writes the outputs into the page, the last one first so that the lines before it keep their places."""
    for block, got in reversed(list(zip(blocks, outputs))):
        if block.kind is None or same(block.shown, got):
            continue
        start = page.text.index('\n', find_line(page.text, block.line) + len(block.text) + len('```sql\n')) + 1
        shown = page.text.index(f'```{block.kind}\n', start) + len(f'```{block.kind}\n')
        got = '\n'.join(line.rstrip() for line in got.strip('\n').split('\n')) + '\n'
        page.text = page.text[:shown] + got + page.text[shown + len(block.shown):]
    with open(page.path, 'w', encoding='utf-8') as file:
        file.write(page.text)


def find_line(text, line):
    position = 0
    for _ in range(line - 1):
        position = text.index('\n', position) + 1
    return position


def check_twin(block, others):
    """Compares a block that is not run with the same block elsewhere on its page that is run: both show the same
    output."""
    def rows(shown):
        return re.sub(r'^\(\d+ rows?\)$', '', shown, flags=re.M)
    for other in others:
        if other.text == block.text and not other.reason and block.shown and other.shown:
            if not same(rows(block.shown), rows(other.shown)):
                raise PageError(f'{block.page}:{block.line}: '
                                f'shows another output than the same call in line {other.line}')


def check_page(path, filling):
    """(passed, failed, not run) of a page; None if it has no SQL."""
    page = Page(path)
    sql = [block for block in page.blocks if block.language == 'sql']
    if not sql:
        return None
    for block in sql:
        if block.reason:
            print(f'{block.page}:{block.line}: not run: {block.reason}')
            check_twin(block, sql)
    before, own = set_up(page), [block for block in sql if not block.reason]
    if own and not any(EXTENSION in block.text for block in [*before, own[0]]):
        raise PageError(f'{path}: its examples begin in an empty database: say what they continue by '
                        '<!-- after: PAGE#section -->, or create the extension')
    with throwaway([block.text for block in [*before, *own]]) as database:
        outputs = run(database, [*before, *own])
    for block, got in zip(before, outputs):
        if check(block, got) is False:
            raise PageError(f'{path}: what its examples continue has failed: {block.page}:{block.line}')
    if filling:
        fill(page, own, outputs[len(before):])
        return None
    results = [check(block, got) for block, got in zip(own, outputs[len(before):])]
    return results.count(True), results.count(False), len(sql) - len(own)


def main():
    paths = [os.path.relpath(os.path.abspath(path), REPOSITORY) for path in sys.argv[1:] if path != '--fill']
    os.chdir(REPOSITORY)
    passed = failed = left = 0
    for path in paths or all_pages():
        try:
            counts = check_page(path, '--fill' in sys.argv)
        except PageError as error:
            print(f'--- {error}\n')
            counts = 0, 1, 0
        if counts:
            passed, failed, left = (total + more for total, more in zip((passed, failed, left), counts))
            print(f'{path}: {counts[0]} passed, {counts[1]} failed')
    if '--fill' in sys.argv:
        return
    print(f'{left} blocks of SQL were not run, each for the reason above')
    print(f'{passed} passed, {failed} failed')
    sys.exit(1 if failed or not passed else 0)


if __name__ == '__main__':
    main()
