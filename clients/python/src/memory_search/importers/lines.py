"""Importers of files with one JSON object on each line."""

import codecs
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from ..answers import camel
from ..arguments import NewEntry
from .reading import Read, an_object, parsed, read, with_zone

SNAKE = {camel(name): name for name in NewEntry.__annotations__}
TIMES = ("creation_time", "expires_at", "valid_from", "valid_until")


def lines_of(path: Path) -> Iterator[tuple[str, bytes]]:
    """The lines that are not blank, each with its place. Read as bytes, so that invalid UTF-8 affects only one line."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
            if text.strip():
                yield f"line {number}", text


def object_of(line: bytes) -> dict[str, Any]:
    """A line's object."""
    return an_object(parsed(line.decode("utf-8")))


def jsonl(path: Path) -> Iterator[Read]:
    """Lines of JSON objects with the keys of `memory_add_many`, `rawEntry` or `raw_entry`; others are refused.

    Without `entryKey` the key is the file's name and the number of the line.
    """
    for where, line in lines_of(path):

        def entry(line: bytes = line, where: str = where) -> NewEntry:
            made: dict[str, Any] = {}
            for key, value in object_of(line).items():
                name = SNAKE.get(key, key)
                if name not in NewEntry.__annotations__:
                    raise ValueError(f"unknown key {key!r}; known are {', '.join(SNAKE)}")
                if name in made:
                    raise ValueError(f"the key {key!r} comes twice")
                made[name] = timed(value) if name in TIMES else value
            if not isinstance(made.get("raw_entry"), str):
                raise ValueError('"rawEntry" is missing, or no text')
            made["entry_key"] = made.get("entry_key") or f"{path.name} {where}"
            return cast(NewEntry, made)

        yield read(where, entry)


def timed(value: Any) -> datetime | str | None:
    """A time, in UTC if it has no zone; a text that Python does not read as a time is passed to the server."""
    try:
        return with_zone(value)
    except ValueError:
        if isinstance(value, str):
            return value
        raise


def zep(path: Path) -> Iterator[Read]:
    """A dump of Zep's: lines of messages (`uuid`, `content`, `role_type`) and of facts (`uuid`, `fact`)."""
    for where, line in lines_of(path):

        def entry(line: bytes = line) -> NewEntry:
            one = object_of(line)
            if not one.get("uuid"):
                raise ValueError('"uuid" is missing')
            if "fact" not in one and "content" not in one:
                raise ValueError('neither "content" nor "fact" is there')
            is_fact = "fact" in one
            text = one["fact"] if is_fact else one["content"]
            return NewEntry(
                entry_key=f"zep:{one['uuid']}",
                raw_entry="" if text is None else text,
                user_id=one.get("user_id"),
                session_id=one.get("session_id") or one.get("thread_id"),
                source_type="fact" if is_fact else one.get("role_type") or one.get("role"),
                creation_time=with_zone(one.get("created_at")),
                valid_from=with_zone(one.get("valid_at")),
                valid_until=with_zone(one.get("invalid_at")),
                metadata=one.get("metadata") or None,
            )

        yield read(where, entry)
