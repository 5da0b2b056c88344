#!/usr/bin/env python3
"""Fills the generated parts of docs/reference, or compares them with the code.

    generate.py           writes the pages
    generate.py --check   prints the differences; exit code 1 if there are any

The PG* variables name the server; its database has the extension and the store of sample.sql. In a page

    <!-- generated: NAME -->       a block: text, or a table in which the code makes some columns and the others are
    <!-- end -->                   by hand and stay
    <!-- = NAME -->7<!-- / -->     the value of a constant of the source; not at the start of a line

tests/run_reference.sh does all of that on a throwaway server. The last line of a check is "N passed, 0 failed"."""
import difflib
import re
import sys

import blocks
import sources
import tables

PAGES = sources.REPOSITORY / 'docs' / 'reference'
BLOCK = re.compile(r'(<!-- generated: ([^;>]+?)(?:;[^>]*)? -->\n)(.*?)(<!-- end -->)', re.S)
CONSTANT = re.compile(r'(<!-- = ([\w:/]+) -->)(.*?)(<!-- / -->)')
ANCHOR = re.compile(r'\]\(([\w.-]*\.md)?#([\w-]+)\)')


def filled(page, text, made, used, known):
    """The page as the code would have it; notes the blocks that it uses."""
    def block(match):
        start, name, body, end = match.groups()
        if name not in made:
            sys.exit(f'{page}: no block is called "{name}"; there are {", ".join(sorted(made))}')
        used.append(name)
        what = made[name]
        content = what if isinstance(what, str) else tables.merged(f'{page}, {name}', body, what)
        return f'{start}\n{content}\n\n{end}'

    def constant(match):
        start, name, _, end = match.groups()
        used.append(f'constant {name}')
        return start + sources.shown(name.rpartition(':')[2], sources.constant(name, known)) + end

    return CONSTANT.sub(constant, BLOCK.sub(block, text))


def complaints(page, text, anchors):
    """The faults that only a person can correct: cells to be filled, links that lead nowhere, long lines."""
    found = [f'{page}: an empty cell, to be written by hand: {row}'
             for match in BLOCK.finditer(text) if '|' in match[3][:3] for row in tables.empty_cells(match[3].strip())]
    for target, anchor in ANCHOR.findall(text):
        if (target or page) in anchors and anchor not in anchors[target or page]:
            found.append(f'{page}: no heading #{anchor} in {target or page}')
    found += [f'{page}: a line of {len(line)} characters: {line[:60]}...'
              for line in text.split('\n') if len(line) > blocks.WIDTH and not line.startswith('|')]
    return found


def headings(text):
    """The anchors of a page, as mdBook and forges make them."""
    titles = re.findall(r'^#+ (.*)', text, re.M)
    return {re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-') for title in titles}


def main():
    if sys.argv[1:] not in ([], ['--check']):
        sys.exit(__doc__)
    is_check = bool(sys.argv[1:])
    made, known, used = blocks.all_blocks(), sources.constants(), []
    pages = {path: path.read_text(encoding='utf-8') for path in sorted(PAGES.glob('*.md'))}
    results = {path: filled(path.name, text, made, used, known) for path, text in pages.items()}
    anchors = {path.name: headings(text) for path, text in results.items()}
    failures = [f'no page of docs/reference has the block "{name}"' for name in sorted(set(made) - set(used))]
    failures += [f'the block "{name}" is there twice' for name in sorted(made) if used.count(name) > 1]
    for path, text in results.items():
        failures += complaints(path.name, text, anchors)
    for path in pages:
        if not is_check:
            path.write_text(results[path], encoding='utf-8')
        elif pages[path] != results[path]:
            name = str(path.relative_to(sources.REPOSITORY))
            old, new = pages[path].split('\n'), results[path].split('\n')
            failures += difflib.unified_diff(old, new, name, f'{name}, as the code has it', lineterm='')
            failures.append(f'{name} is not what the code says: run make reference, and look at what it changed')
    for failure in failures:
        print(failure, file=sys.stderr)
    if failures:
        sys.exit(1)
    print(f'{len(used)} generated parts of docs/reference are what the code says' if is_check
          else f'{len(used)} generated parts of docs/reference are made')
    if is_check:
        print(f'{len(used)} passed, 0 failed')


if __name__ == '__main__':
    main()
