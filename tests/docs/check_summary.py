#!/usr/bin/env python3
"""docs/SUMMARY.md, from which `make docs` builds the site, names every page of docs/ and of adr/ once, and no others.
It may name pages elsewhere in the repository, too."""
import glob
import os
import re
import sys

REPOSITORY = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
LINK = re.compile(r'\]\(([^)]+)\)')


def main():
    os.chdir(REPOSITORY)
    with open('docs/SUMMARY.md', encoding='utf-8') as file:
        named = [os.path.normpath(os.path.join('docs', target)) for target in LINK.findall(file.read())]
    pages = {path for pattern in ('docs/**/*.md', 'adr/*.md') for path in glob.glob(pattern, recursive=True)}
    pages.discard('docs/SUMMARY.md')
    wrong = [f'docs/SUMMARY.md does not name {path}' for path in sorted(pages - set(named))]
    wrong += [f'docs/SUMMARY.md names {path}, which is not there' for path in named if not os.path.exists(path)]
    wrong += [f'docs/SUMMARY.md names {path} twice' for path in sorted(set(named)) if named.count(path) > 1]
    if wrong:
        sys.exit('\n'.join(wrong))


if __name__ == '__main__':
    main()
