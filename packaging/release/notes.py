#!/usr/bin/env python3
"""The notes of a release: the newest section of CHANGELOG.md, each paragraph in one line, because pages of releases
show the end of a line as a line break.

notes.py                    prints them
notes.py --tag v1.2.3       refuses a tag that is another version's, and a section without its day
notes.py --links URL        a link to a file becomes one to the file of that tag in the repository at URL
"""

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import check_release
import versions

# A line that begins a new block, and does not continue the line before it.
BEGINS = re.compile(r"\s*([-*+] |\d+\. |#|\||>|```)")
FILE_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s]+)\)")


def newest(repository: Path) -> str:
    """The section below its heading."""
    sections = re.split(r"(?m)^## .*$", (repository / "CHANGELOG.md").read_text())
    if len(sections) < 2:
        raise SystemExit("CHANGELOG.md has no section")
    return sections[1].strip()


def unwrapped(text: str) -> str:
    lines: list[str] = []
    code = False
    for line in text.splitlines():
        fence = line.lstrip().startswith("```")
        goes_on = lines and lines[-1].strip() and line.strip() and not BEGINS.match(line)
        if goes_on and not code and not re.match(r"\s*(#|\||```)", lines[-1]):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line.rstrip())
        code ^= fence
    return "\n".join(lines)


def with_links(text: str, url: str, tag: str) -> str:
    """Files of this repository, as they are at the tag."""
    return FILE_LINK.sub(lambda link: f"]({url.rstrip('/')}/blob/{tag}/{link.group(1)})", text)


def notes(repository: Path, tag: str | None = None, links: str | None = None) -> str:
    version = versions.version(repository)
    if tag is not None:
        if tag != f"v{version}":
            raise SystemExit(
                f"the tag {tag} is not that of {version}, the version in Cargo.toml: it would be v{version}"
            )
        if wrong := list(check_release.changelog(repository, version)):
            raise SystemExit("\n".join(wrong))
    text = unwrapped(newest(repository))
    return with_links(text, links, tag or f"v{version}") if links else text


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The notes of the newest release in CHANGELOG.md")
    parser.add_argument("--tag", help="the tag that is released")
    parser.add_argument("--links", metavar="URL", help="the repository's address, for links to its files")
    given = parser.parse_args()
    print(notes(versions.REPOSITORY, given.tag, given.links))
