"""Whether an entry that is to be imported is there already as it comes."""

from datetime import datetime
from math import hypot
from typing import Any

from ..answers import Entry
from ..arguments import NewEntry
from ..values import embedding_as_list

# What of an entry is compared with what has its key.
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
            try:
                value = datetime.fromisoformat(value)
            except ValueError:
                return True  # The server may read it as a time, or say why not.
        if value != old:
            return True
    given = entry.get("embedding")
    return given is not None and cosine(embedding_as_list(given), there.embedding) < SAME_EMBEDDING


def cosine(a: list[float], b: list[float] | None) -> float:
    """How alike two embeddings are; those of other dimensions, or of no length, are not."""
    if b is None or len(a) != len(b) or not any(a) or not any(b):
        return -1
    return sum(x * y for x, y in zip(a, b, strict=True)) / (hypot(*a) * hypot(*b))
