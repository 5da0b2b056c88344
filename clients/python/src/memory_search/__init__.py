"""The client of the PostgreSQL extension memory_search: its SQL functions with Python's types.

Nothing is ranked, cached or checked here: each method is one call of the function that has its name.
"""

from .answers import (
    Added,
    Alias,
    Answer,
    AnswerContext,
    AnswerEntry,
    Candidate,
    Change,
    Check,
    Deleted,
    Entity,
    Entry,
    EntryAbout,
    FacetCount,
    Link,
    MemorySummary,
    RankedEntry,
    RelatedEntry,
    Stats,
)
from .arguments import EntryArguments, NewEntry, SearchArguments, UpdateArguments
from .async_memory import AsyncMemories, AsyncMemory
from .async_store import AsyncStore
from .embedded import EmbeddedServerError, embedded, embedded_url
from .memory import Memories, Memory
from .store import Store

# The version of the extension.
__version__ = "0.3.0"

__all__ = [
    "Added",
    "Alias",
    "Answer",
    "AnswerContext",
    "AnswerEntry",
    "AsyncMemories",
    "AsyncMemory",
    "AsyncStore",
    "Candidate",
    "Change",
    "Check",
    "Deleted",
    "EmbeddedServerError",
    "Entity",
    "Entry",
    "EntryAbout",
    "EntryArguments",
    "FacetCount",
    "Link",
    "Memories",
    "Memory",
    "MemorySummary",
    "NewEntry",
    "RankedEntry",
    "RelatedEntry",
    "SearchArguments",
    "Stats",
    "Store",
    "UpdateArguments",
    "__version__",
    "embedded",
    "embedded_url",
]
