"""Tests whether an entry to import already exists unchanged."""

from datetime import datetime
from math import hypot
from typing import Any

from ..answers import Entry
from ..arguments import NewEntry
from ..values import embedding_as_list

# The fields that are compared with the existing entry.
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
# From this cosine on, embeddings count as equal: stored ones have fewer digits, and may be scaled.
SAME_EMBEDDING = 0.9999


def differs(entry: NewEntry, there: Entry, *, finds_entities: bool = False) -> bool:
    """Whether adding the entry would change the existing one with its key.

    With `finds_entities` the server adds the names that the text shows, so the existing entry may have more entities.
    """
    if entry.get("ttl") is not None:
        # The time begins again with each import.
        return True
    for name in COMPARED:
        value: Any = entry.get(name)
        old: Any = getattr(there, name)
        if value is None:
            # Omitted: the function's default, and for these columns the value of the first import.
            default = {"importance": 50, "creation_time": old, "context": old}
            value = default.get(name, type(old)() if name in ("tags", "metadata") else None)
        if name in TIMES and isinstance(value, str):
            try:
                value = datetime.fromisoformat(value)
            except ValueError:
                return True  # The server may read it as a time, or say why not.
        if value != old:
            return True
    named, stored = set(entry.get("entities") or ()), set(there.entities)
    if not (named <= stored if finds_entities else named == stored):
        return True
    given = entry.get("embedding")
    return given is not None and cosine(embedding_as_list(given), there.embedding) < SAME_EMBEDDING


def cosine(a: list[float], b: list[float] | None) -> float:
    """The cosine similarity of two embeddings; 0 for other dimensions, or for a zero vector."""
    if b is None or len(a) != len(b) or not any(a) or not any(b):
        return -1
    return sum(x * y for x, y in zip(a, b, strict=True)) / (hypot(*a) * hypot(*b))
