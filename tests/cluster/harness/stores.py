"""The store that many tests fill and search, and the comparison of answers to the last byte."""

from __future__ import annotations

import uuid

from .access import Questions
from .cluster import SUPPORT

# Store "s" with 200 entries and 5 contexts, 50 of the entries with a count of accesses.
FILL = (SUPPORT / "fill_store.sql").read_text()
# Ten searches of it, each a row of JSON.
SEARCHES = (SUPPORT / "search_store.sql").read_text()


def fill(server: Questions) -> None:
    server.run(FILL)


def searches(store: str = "s") -> str:
    return SEARCHES.replace("store => 's'", f"store => '{store}'")


def documents(server: Questions, store: str = "s") -> list[str]:
    """The answers to ten searches; the same rows give the same bytes on every server."""
    return server.column(searches(store))


def entry_id(n: int) -> str:
    """The id of the store's entry number n."""
    return str(uuid.UUID(f"{n:032}"))


def content(server: Questions, store: str = "s") -> tuple:
    """A hash of all the rows of a store: entries, contexts and counts of accesses."""
    return server.row(f"""
        SELECT (SELECT md5(string_agg(e::text, '' ORDER BY memory_id, entry_id)) FROM {store}.entries e),
          (SELECT md5(string_agg(c::text, '' ORDER BY context_id)) FROM {store}.contexts c),
          (SELECT md5(string_agg(a::text, '' ORDER BY memory_id, entry_id)) FROM {store}.entry_access a)""")
