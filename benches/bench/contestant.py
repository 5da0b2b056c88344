"""The contestants: files of SQL that README.md of their folder describes."""

import dataclasses
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "contestants"
TYPES = "(text, text, halfvec, int)"

_KINDS = ("hybrid", "semantic", "keyword", "recent")
_HEADERS = ("kind", "tables", "needs", "preload", "baseline")
_SECTIONS = ("setup", "session", "search", "semantic", "keyword")


class Malformed(Exception):
    """A contestant's file has a fault."""


@dataclasses.dataclass
class Contestant:
    key: str
    name: str
    what: str
    kind: str
    tables: list
    needs: list
    preload: list
    baseline: bool
    sections: dict

    def prepare(self):
        """Settings and prepared statements of a session."""
        statements = [self.sections.get("session", "")]
        for section in ("search", "semantic", "keyword"):
            if section in self.sections:
                statements.append(f"PREPARE {section} {TYPES} AS {self.sections[section]}")
        return "\n".join(statements)


def read(file):
    """One file."""
    sections, headers, about, section = {}, {}, [], None
    for line in file.read_text(encoding="utf-8").splitlines():
        mark = re.fullmatch(r"-- @(\w+)", line)
        header = re.fullmatch(r"-- (\w+): (.*)", line)
        if mark:
            section = mark.group(1)
            if section not in _SECTIONS or section in sections:
                raise Malformed(f"{file.name}: there is no second section, and none called @{section}")
            sections[section] = []
        elif section:
            sections[section].append(line)
        elif header and header.group(1) in _HEADERS:
            headers[header.group(1)] = header.group(2)
        elif line.startswith("-- "):
            about.append(line[3:])
    if not about or headers.get("kind") not in _KINDS or "search" not in sections:
        raise Malformed(f"{file.name}: needs a name in its first line, a kind of {', '.join(_KINDS)}, and a section @search")

    def listed(header):
        return [word for word in re.split(r"[,\s]+", headers.get(header, "")) if word]

    # Comments between the first section and a statement are only for readers of the file.
    texts = {name: "\n".join(lines).strip() for name, lines in sections.items()}
    what = " ".join(line for line in about[1:] if line not in ("", "--"))
    return Contestant(
        file.stem,
        about[0],
        what,
        headers["kind"],
        listed("tables"),
        listed("needs"),
        listed("preload"),
        "baseline" in headers,
        texts,
    )


def every():
    """All files, ours first and then by name; there is one baseline."""
    found = [read(file) for file in sorted(FOLDER.glob("*.sql"))]
    if sum(contestant.baseline for contestant in found) != 1:
        raise Malformed("one contestant has the header baseline, no more and no less")
    return sorted(found, key=lambda contestant: (not contestant.key.startswith("memory_search"), contestant.key))


def libraries(folder):
    """Libraries to preload, of those that the folder of the server's libraries has."""
    wanted = {name for contestant in every() for name in contestant.preload}
    return sorted(name for name in wanted if any((folder / f"{name}{suffix}").exists() for suffix in (".so", ".dylib")))


def able(contestants, available):
    """The contestants that can run here, and for each of the others a line with the reason."""
    taking_part, skipped = [], []
    for contestant in contestants:
        missing = [name for name in contestant.needs if name not in available]
        if missing:
            skipped.append(f"{contestant.name}: the server has no extension {', '.join(missing)}")
        else:
            taking_part.append(contestant)
    return taking_part, skipped
