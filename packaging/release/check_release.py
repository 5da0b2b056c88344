#!/usr/bin/env python3
"""Checks the tree before a version is released. Prints every fault, not the first.

check_release.py [FOLDER]   of this repository, or of a copy
"""

import hashlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import versions

TABLE = "docs/operations.md"


def releases(repository: Path) -> list[str]:
    """The versions whose install scripts are frozen, the oldest first."""
    names = [path.name for path in (repository / "sql/releases").glob("memory_search--*.sql")]
    found = [re.fullmatch(rf"memory_search--({versions.VERSION})\.sql", name) for name in names]
    return sorted((match.group(1) for match in found if match), key=number)


def number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def faults(repository: Path) -> Iterator[str]:
    version = versions.version(repository)
    yield from versions.others(repository)
    yield from changelog(repository, version)
    yield from frozen(repository, version)
    yield from unchanged(repository)
    earlier = [release for release in releases(repository) if number(release) < number(version)]
    for newer in [release for release in releases(repository) if number(release) > number(version)]:
        yield f"{newer} is released already: {version} would be older"
    yield from updates(repository, version, earlier)
    yield from table(repository, version, earlier)


def changelog(repository: Path, version: str) -> Iterator[str]:
    """The newest section of the changelog has this version and its day, and is not empty."""
    text = (repository / "CHANGELOG.md").read_text()
    sections = re.split(r"(?m)^## ", text)[1:]
    title, _, body = (sections or [""])[0].partition("\n")
    if not re.fullmatch(rf"\[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d", title):
        yield f"CHANGELOG.md begins with '## {title}' and not with '## [{version}] - YEAR-MONTH-DAY'"
    elif not re.search(r"(?m)^- ", body):
        yield f"CHANGELOG.md says nothing of {version}"


def frozen(repository: Path, version: str) -> Iterator[str]:
    """The install script is frozen, and the frozen script is the installed one."""
    script = repository / f"sql/memory_search--{version}.sql"
    copy = repository / f"sql/releases/memory_search--{version}.sql"
    if not script.exists():
        yield f"{script.name} is missing: write it by 'make install-script'"
    elif not copy.exists():
        yield f"{version} is not frozen: run packaging/release/freeze.py"
    elif without_remark(script) != without_remark(copy):
        yield f"sql/releases/{copy.name} is not what sql/{script.name} says"


def unchanged(repository: Path) -> Iterator[str]:
    """No frozen script has changed since, because updates of users' databases start from it."""
    folder = repository / "sql/releases"
    sums = folder / "SHA256SUMS"
    said = dict(line.split()[::-1] for line in sums.read_text().splitlines()) if sums.exists() else {}
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("memory_search--*.sql")}
    for name in sorted(said.keys() | found.keys()):
        if name not in found:
            yield f"sql/releases/{name} is gone, which SHA256SUMS names"
        elif name not in said:
            yield f"sql/releases/{name} is not in SHA256SUMS, which packaging/release/freeze.py writes"
        elif said[name] != found[name]:
            yield f"sql/releases/{name} has changed since it was frozen"


def without_remark(script: Path) -> str:
    """All lines except the first, in which each of the two scripts names itself."""
    return script.read_text().partition("\n")[2]


def updates(repository: Path, version: str, earlier: list[str]) -> Iterator[str]:
    """Update scripts lead from every earlier version to this one, directly or through other versions."""
    steps: dict[str, set[str]] = {}
    for path in (repository / "sql").glob("memory_search--*--*.sql"):
        _, old, new = path.stem.split("--")
        steps.setdefault(old, set()).add(new)
    for release in earlier:
        reached, rest = {release}, [release]
        while rest:
            further = steps.get(rest.pop(), set()) - reached
            reached |= further
            rest += further
        if version not in reached:
            yield f"no update scripts lead from {release} to {version}"


def table(repository: Path, version: str, earlier: list[str]) -> Iterator[str]:
    """The table of upgrades lists the actions of a user of the version before."""
    rows = re.findall(
        rf"(?m)^\| ({versions.VERSION}) \| ({versions.VERSION}) \| *([^|\s][^|]*)", (repository / TABLE).read_text()
    )
    said = {(old, new) for old, new, _ in rows}
    for old, new in zip(earlier, [*earlier[1:], version]):
        if (old, new) not in said:
            yield f"the table of upgrades in {TABLE} has no row from {old} to {new}"


if __name__ == "__main__":
    repository = Path(sys.argv[1]) if sys.argv[1:] else versions.REPOSITORY
    if found := list(faults(repository)):
        raise SystemExit("\n".join(found))
    print(f"the tree is that of a release of {versions.version(repository)}")
