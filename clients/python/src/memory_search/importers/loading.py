"""Entries go into a memory in batches, each a transaction: what is there as it comes is left alone.

So an import that broke off goes on when it is started again, and one that is done changes nothing.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from math import hypot
from typing import Any

from ..answers import Entry
from ..arguments import NewEntry
from ..memory import Memory
from ..nearest import in_batches
from ..values import embedding_as_list

# What a key of an entry is compared with.
COMPARED = (
    "raw_entry",
    "summary",
    "tags",
    "metadata",
    "importance",
    "user_id",
    "agent_id",
    "session_id",
    "source_type",
    "context",
    "creation_time",
    "expires_at",
    "valid_from",
    "valid_until",
)
TIMES = ("creation_time", "expires_at", "valid_from", "valid_until")
# What is stored with fewer digits, and perhaps scaled, is the same from this cosine on.
SAME_EMBEDDING = 0.9999


@dataclass
class Loaded:
    """How many entries were read, and what became of them."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    skipped: int = 0

    @property
    def read(self) -> int:
        """All of them."""
        return self.added + self.changed + self.unchanged + self.skipped

    def __str__(self) -> str:
        """One line, as progress shows it."""
        return f"{self.added} added, {self.changed} changed, {self.unchanged} unchanged, {self.skipped} without text"


def load(
    memory: Memory,
    entries: Iterable[NewEntry],
    *,
    batch_size: int = 200,
    told: Callable[[Loaded], None] = lambda _: None,
) -> Loaded:
    """Adds entries, each of which has a key; one without text is skipped. `told` hears of each batch."""
    loaded = Loaded()
    for batch in in_batches(entries, batch_size):
        # The last of a key counts, as when one were added after the other.
        latest: dict[str, NewEntry] = {}
        for entry in batch:
            key = entry.get("entry_key")
            if not key:
                raise ValueError(f"an entry without a key cannot be imported twice: {entry['raw_entry'][:60]!r}")
            if not entry["raw_entry"].strip():
                loaded.skipped += 1
                continue
            loaded.unchanged += key in latest
            latest[key] = entry
        there: dict[str | None, Entry] = {}
        if latest:
            options = {"includeEmbedding": any(entry.get("embedding") is not None for entry in latest.values())}
            found = memory.page({"entryKey": [*latest]}, page_size=len(latest), options=options)
            there = {entry.entry_key: entry for entry in found}
        new = [entry for key, entry in latest.items() if key not in there or differs(entry, there[key])]
        for row in memory.add_many(new) if new else []:
            if row.status == "added":
                loaded.added += 1
            else:
                loaded.changed += 1
        loaded.unchanged += len(latest) - len(new)
        told(loaded)
    return loaded


def differs(entry: NewEntry, there: Entry) -> bool:
    """Whether adding the entry would change what has its key."""
    if entry.get("ttl") is not None:
        # Its time begins anew with each import.
        return True
    for name in COMPARED:
        value: Any = entry.get(name)
        old: Any = getattr(there, name)
        if value is None:
            # Not said: the function's default, and in these columns what the first time had.
            default = {"importance": 50, "creation_time": old, "context": old}
            value = default.get(name, type(old)() if name in ("tags", "metadata") else None)
        if name in TIMES and isinstance(value, str):
            value = datetime.fromisoformat(value)
        if value != old:
            return True
    given = entry.get("embedding")
    return given is not None and cosine(embedding_as_list(given), there.embedding) < SAME_EMBEDDING


def cosine(a: list[float], b: list[float] | None) -> float:
    """How alike two embeddings are; those of other dimensions are not."""
    if b is None or len(a) != len(b):
        return -1
    return sum(x * y for x, y in zip(a, b, strict=True)) / (hypot(*a) * hypot(*b))
