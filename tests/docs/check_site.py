#!/usr/bin/env python3
"""Every link of the site that `make docs` has built leads somewhere: to a file of the site, and where it names a place
on a page, to an element with that id. Links to other sites are not followed.

    check_site.py FOLDER

Prints each link that leads nowhere, with its page; the exit code is 1 if there is one."""
import os
import sys
import urllib.parse
from html.parser import HTMLParser

# The page for missing addresses is shown at any of them, so its links begin at the top of the site. The other has all
# pages in one, for printing: mdBook rewrites the links of the pages in it.
NOT_CHECKED = {'404.html', 'print.html'}


class Links(HTMLParser):
    """The ids of a page, and its links."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.ids, self.targets = set(), []

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == 'id' or (tag == 'a' and name == 'name'):
                self.ids.add(value)
            elif name in ('href', 'src') and value:
                self.targets.append((value, self.getpos()[0]))


def read(path):
    page = Links()
    with open(path, encoding='utf-8') as file:
        page.feed(file.read())
    page.close()
    return page


def fault(folder, pages, path, target):
    """The fault of a link of a page, or None."""
    parts = urllib.parse.urlsplit(target)
    if parts.scheme or parts.netloc:
        return None
    if parts.path.startswith('/'):
        return 'begins at the top of the host, where the site need not be'
    name = urllib.parse.unquote(parts.path)
    wanted = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
    if os.path.isdir(os.path.join(folder, wanted)):
        wanted = os.path.normpath(os.path.join(wanted, 'index.html'))
    if wanted.startswith('..'):
        return 'leads out of the site'
    if not os.path.isfile(os.path.join(folder, wanted)):
        return f'there is no {wanted}'
    place = urllib.parse.unquote(parts.fragment)
    if place and wanted in pages and place not in pages[wanted].ids:
        return f'{wanted} has no {place}'
    return None


def faults(folder):
    """(number of pages, number of links, faults)"""
    paths = [os.path.relpath(os.path.join(place, name), folder)
             for place, _, names in os.walk(folder) for name in names if name.endswith('.html')]
    pages = {path: read(os.path.join(folder, path)) for path in sorted(paths)}
    wrong, links = [], 0
    for path, page in pages.items():
        if path in NOT_CHECKED:
            continue
        links += len(page.targets)
        for target, line in page.targets:
            reason = fault(folder, pages, path, target)
            if reason:
                wrong.append(f'{path}:{line}: {target}: {reason}')
    return len(pages), links, wrong


def main():
    if len(sys.argv) != 2 or not os.path.isfile(os.path.join(sys.argv[1], 'index.html')):
        sys.exit('usage: check_site.py FOLDER, a site that has an index.html')
    pages, links, wrong = faults(sys.argv[1])
    if wrong:
        sys.exit('\n'.join([*wrong, f'{len(wrong)} of {links} links lead nowhere']))
    print(f'{links} links of {pages} pages lead somewhere')


if __name__ == '__main__':
    main()
