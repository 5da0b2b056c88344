"""Loads entries into a memory in batches, each a transaction: entries that exist unchanged are left alone.

So an interrupted import continues when it is started again, and a finished one changes nothing. The entries of a batch
that the server refuses are found by halving it; the others are stored.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import psycopg

from ..answers import Entry
from ..arguments import NewEntry
from ..connections import cursor_of, in_turn
from ..memory import Memory
from .comparing import differs
from .reading import Read

# Errors of the server about a value, and not about the session, the store or privileges: these classes of SQLSTATE, and
# exceeded limits. For values that it cannot send, the driver itself raises DataError and UnicodeError.
OF_A_VALUE = ("22", "23", "54")
# The length of the texts of a batch: a statement has a limit, and so has this program's memory.
MOST_CHARACTERS = 8_000_000


@dataclass
class Loaded:
    """The number of things that were read, and the results."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    repeated: int = 0
    skipped: int = 0
    refused: int = 0

    @property
    def read(self) -> int:
        """The number of all."""
        return self.added + self.changed + self.unchanged + self.repeated + self.skipped + self.refused

    def __str__(self) -> str:
        """One line, for progress messages."""
        said = f"{self.added} added, {self.changed} changed, {self.unchanged} unchanged, {self.skipped} without text"
        repeated = f", {self.repeated} with a key that came again" if self.repeated else ""
        return f"{said}{repeated}{f', {self.refused} refused' if self.refused else ''}"


class Stopped(Exception):  # noqa: N818 - nothing is wrong with the program
    """More things were refused than allowed."""


def load(
    memory: Memory,
    found: Iterable[Read],
    *,
    batch_size: int = 200,
    most_refused: int = 100,
    told: Callable[[Loaded], None] = lambda _: None,
    refused: Callable[[str, str], None] = lambda *_: None,
    loaded: Loaded | None = None,
) -> Loaded:
    """Adds entries, each of which has a key; one without text is skipped.

    `told` is called for each batch, `refused` for each thing that is not stored, with its place and the reason.
    """
    loaded = Loaded() if loaded is None else loaded

    def refuse(where: str, why: str) -> None:
        loaded.refused += 1
        refused(where, why)
        if loaded.refused > most_refused:
            raise Stopped(f"more than {most_refused} were refused: stopped; the records before them were imported")

    for batch in batches(found, batch_size):
        # The last entry with a key counts, as if they were added one after the other.
        latest: dict[str, Read] = {}
        for one in batch:
            entry = one.entry
            if entry is None:
                refuse(one.where, one.wrong)
            elif not entry["raw_entry"].strip():
                loaded.skipped += 1
            elif not isinstance(key := entry.get("entry_key"), str) or not key:
                refuse(one.where, "an entry without a key, which is a text, cannot be imported twice")
            else:
                loaded.repeated += key in latest
                latest[key] = one
        put(memory, latest, loaded, refuse)
        told(loaded)
    return loaded


def batches(found: Iterable[Read], size: int) -> Iterator[list[Read]]:
    """The entries in batches of this number, or fewer if they are long."""
    batch: list[Read] = []
    characters = 0
    for one in found:
        batch.append(one)
        if one.entry is not None:
            characters += len(one.entry["raw_entry"])
        if len(batch) >= size or characters >= MOST_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def put(memory: Memory, latest: dict[str, Read], loaded: Loaded, refuse: Callable[[str, str], None]) -> None:
    """Stores entries by their keys; if the server refuses several, stores one half after the other."""
    if not latest:
        return
    try:
        added, changed, unchanged = written(memory, latest)
    except (psycopg.Error, UnicodeError, TypeError, ValueError) as error:
        if not is_of_a_value(error):
            raise
        if len(latest) == 1:
            refuse(next(iter(latest.values())).where, said(error))
            return
        keys = [*latest]
        for half in (keys[: len(keys) // 2], keys[len(keys) // 2 :]):
            put(memory, {key: latest[key] for key in half}, loaded, refuse)
        return
    loaded.added += added
    loaded.changed += changed
    loaded.unchanged += unchanged


def written(memory: Memory, latest: dict[str, Read]) -> tuple[int, int, int]:
    """The numbers of added, changed and existing entries."""
    entries = {key: one.entry for key, one in latest.items() if one.entry}
    # Expired and corrected entries exist, too. Deleted ones do not: adding one restores it.
    options = {
        "includeEmbedding": any(entry.get("embedding") is not None for entry in entries.values()),
        "includeExpired": True,
        "includeSuperseded": True,
    }
    there: dict[str | None, Entry] = {
        entry.entry_key: entry
        for entry in memory.page({"entryKey": [*entries]}, page_size=len(entries), options=options)
    }
    finds = bool(there) and finds_entities(memory)
    new = [
        timed(entry, number) if latest[key].in_order and key not in there else entry
        for number, (key, entry) in enumerate(entries.items())
        if key not in there or differs(entry, there[key], finds_entities=finds)
    ]
    statuses = [row.status for row in memory.add_many(new)] if new else []
    added = statuses.count("added")
    return added, len(statuses) - added, len(entries) - len(new)


def finds_entities(memory: Memory) -> bool:
    """Whether entries that are added get the names that their texts show."""
    setting = "SELECT pg_catalog.current_setting('memory_search.find_entities', true)::pg_catalog.bool AS finds"
    with in_turn(memory._source) as connection, cursor_of(connection) as cursor:
        row = cursor.execute(setting).fetchone()
    return bool(row and row["finds"])


def timed(entry: NewEntry, number: int) -> NewEntry:
    """The entry, created now: a moment after the previous ones, because entries of the same time have no order."""
    made = entry.copy()
    made["creation_time"] = datetime.now(UTC) + timedelta(microseconds=number)
    return made


def is_of_a_value(error: Exception) -> bool:
    """Whether one entry is at fault, and others may be stored."""
    if isinstance(error, psycopg.Error) and error.sqlstate:
        return error.sqlstate.startswith(OF_A_VALUE)
    return not isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)


def said(error: Exception) -> str:
    """An error as one line, with the server's details."""
    if isinstance(error, psycopg.Error) and error.diag.message_primary:
        besides = [text for text in (error.diag.message_detail, error.diag.message_hint) if text]
        text = f"{error.diag.message_primary} ({' '.join(besides)})" if besides else error.diag.message_primary
        # The number of an entry in its batch does not tell its place in the source.
        return re.sub(r"The error concerns entries\[\d+\]\. ?|\bentries\[\d+\]\.", "", " ".join(text.split()))
    return str(error) or type(error).__name__
