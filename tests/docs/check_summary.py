#!/usr/bin/env python3
"""docs/SUMMARY.md, from which `make docs` builds the site, names every page of docs/ and of adr/ once, and no others.
It may name pages elsewhere in the repository, too. A named page may link neither to a page that is not named, which the
site would lack, nor to a folder without a page. rumdl (pgrx-config/lint_docs.sh) checks links to other files and to
places on pages, and check_site.py checks the built site."""
import glob
import os
import re
import sys
import urllib.parse

REPOSITORY = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
LINK = re.compile(r'\]\(([^)\s]+)\)')
CODE = re.compile(r'^```.*?^```|`[^`\n]+`', re.M | re.S)


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def wrong_names(named):
    pages = {os.path.normpath(path)
             for pattern in ('docs/**/*.md', 'adr/*.md') for path in glob.glob(pattern, recursive=True)}
    pages.discard('docs/SUMMARY.md')
    wrong = [f'docs/SUMMARY.md does not name {path}' for path in sorted(pages - set(named))]
    wrong += [f'docs/SUMMARY.md names {path}, which is not there' for path in named if not os.path.exists(path)]
    return wrong + [f'docs/SUMMARY.md names {path} twice' for path in sorted(set(named)) if named.count(path) > 1]


def wrong_links(path, named):
    """The links of a page to targets that the site lacks."""
    for target in LINK.findall(CODE.sub('', read(path))):
        parts = urllib.parse.urlsplit(target)
        if parts.scheme or not parts.path:
            continue
        wanted = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path)))
        if os.path.isdir(wanted):
            yield f'{path} links to a folder, {target}: name a page or a file in it'
        elif wanted.endswith('.md') and os.path.exists(wanted) and wanted not in named:
            yield f'{path} links to {wanted}, which docs/SUMMARY.md does not name'


def faults():
    named = [os.path.normpath(os.path.join('docs', target)) for target in LINK.findall(read('docs/SUMMARY.md'))]
    wrong = wrong_names(named)
    for path in sorted(set(named)):
        if os.path.exists(path):
            wrong += wrong_links(path, named)
    return wrong


def main():
    os.chdir(REPOSITORY)
    if wrong := faults():
        sys.exit('\n'.join(wrong))


if __name__ == '__main__':
    main()
