#!/usr/bin/env python3
"""The version is in Cargo.toml; files that cannot read it there are written from it.

versions.py            prints the files that name another one
versions.py --write    writes it into them
"""

import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
VERSION = r"\d+\.\d+\.\d+"

# A file, the pattern whose second group is the version, and how often it is there. The library, the control file and
# the programs in Rust read Cargo.toml themselves.
PLACES = [
    # A crate that may be published names the crates below it by their version.
    ("crates/core/Cargo.toml", rf'^(memory-search-analyzer = .*version = ")({VERSION})(?=")', 1),
    ("crates/index/Cargo.toml", rf'^(memory-search-core = .*version = ")({VERSION})(?=")', 1),
    ("META.json", rf'("version": ")({VERSION})(?=")', 2),
    ("clients/python/src/memory_search/__init__.py", rf'^(__version__ = ")({VERSION})(?=")', 1),
    ("clients/python/pyproject.toml", rf'("memory-search-(?:server|mcp) ==)({VERSION})(?=")', 2),
    ("clients/typescript/package.json", rf'^(  "version": ")({VERSION})(?=")', 1),
    ("clients/typescript/src/index.ts", rf'^(export const VERSION = ")({VERSION})(?=")', 1),
    # The package that `npm pack` makes, where it is installed.
    ("docs/guide/typescript.md", rf"(/memory-search-)({VERSION})(?=\.tgz)", 1),
]


def version(repository: Path = REPOSITORY) -> str:
    """The version in Cargo.toml, which is the extension's."""
    found = re.search(rf'(?m)^version *= *"({VERSION})"', (repository / "Cargo.toml").read_text())
    if not found:
        raise SystemExit("Cargo.toml has no version of three numbers")
    return found.group(1)


def others(repository: Path = REPOSITORY) -> list[str]:
    """The places that name another version than Cargo.toml, or too few or too many times."""
    wanted, wrong = version(repository), []
    for name, pattern, times in PLACES:
        found = [match.group(2) for match in re.finditer(pattern, own_part(name, repository), re.MULTILINE)]
        if len(found) != times:
            wrong.append(f"{name} names a version {len(found)} times, and {times} are known")
        wrong += [f"{name} says {other}, Cargo.toml {wanted}" for other in found if other != wanted]
    return wrong


def own_part(name: str, repository: Path) -> str:
    """The text of a file without the versions of other things: of META.json the part before the required extensions."""
    text = (repository / name).read_text()
    return text.split('"prereqs"')[0] if name == "META.json" else text


def write(repository: Path = REPOSITORY) -> None:
    """Puts the version of Cargo.toml into every place."""
    wanted = version(repository)
    for name, pattern, _ in PLACES:
        before = own_part(name, repository)
        rest = (repository / name).read_text()[len(before) :]
        after = re.sub(pattern, rf"\g<1>{wanted}", before, flags=re.MULTILINE)
        (repository / name).write_text(after + rest)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    elif sys.argv[1:]:
        raise SystemExit(__doc__)
    if wrong := others():
        raise SystemExit(
            "\n".join(wrong) + "\nWrite the version of Cargo.toml into them: packaging/release/versions.py --write"
        )
    print(f"{version()} everywhere")
