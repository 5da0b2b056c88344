"""The search for vector store interfaces: the entries nearest to an embedding, with the application's keys.

One SQL statement of two functions: rows of `memory_search_entries` have no key, those of `memory_get` have.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from .connections import AsyncSource, Source, cursor_of, cursor_of_async, in_turn, lent_async
from .values import Embedding, Filters, as_jsonb, embedding_as_list

T = TypeVar("T")

# A vector store guarantees only the order of similarity: none of the boosts and lifts of a search.
BY_SIMILARITY = {
    "strategy": "semantic",
    "fallback": False,
    "boosts": {"recency": 0, "importance": 0, "author": 0, "date": 0, "length": 0},
}
BY_WORDS = BY_SIMILARITY | {"strategy": "keyword"}

# The most entries that one call finds or lists, or keys that it takes.
MOST = 1000

STATEMENT = """
WITH found AS MATERIALIZED (
  SELECT * FROM memory_search_entries(%(memory)s, %(query)s, %(k)s, %(embedding)s, %(filters)s, %(options)s, %(store)s))
SELECT found.rank, found.score, found.semantic, found.bm25, g.*
  FROM found
  JOIN memory_get(%(memory)s, ARRAY(SELECT entry_id FROM found ORDER BY rank), store => %(store)s,
                  options => %(get_options)s) g ON g.entry_id = found.entry_id
 ORDER BY found.rank"""


def arguments(
    memory: str,
    query: str,
    k: int,
    embedding: Embedding | None,
    filters: Filters,
    store: str | None,
    *,
    options: dict[str, Any],
    with_embeddings: bool = False,
) -> dict[str, Any]:
    """The statement's parameters."""
    return {
        "memory": memory,
        "query": query,
        "k": k,
        "embedding": None if embedding is None else embedding_as_list(embedding),
        "filters": as_jsonb(filters),
        "options": as_jsonb(options),
        "get_options": as_jsonb({"includeEmbedding": with_embeddings}),
        "store": store,
    }


def nearest(source: Source, values: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows, best first: those of `memory_get`, with `semantic` and `bm25`."""
    with in_turn(source) as connection, cursor_of(connection) as cursor:
        return cursor.execute(STATEMENT, values).fetchall()


async def nearest_async(source: AsyncSource, values: dict[str, Any]) -> list[dict[str, Any]]:
    """Searches on an asynchronous connection."""
    async with lent_async(source) as connection, cursor_of_async(connection) as cursor:
        await cursor.execute(STATEMENT, values)
        return await cursor.fetchall()


def in_batches(values: Iterable[T], size: int = MOST) -> Iterator[Sequence[T]]:
    """The values, as many at a time as a call accepts; a text, which is a sequence of letters, is refused."""
    if isinstance(values, str):
        raise TypeError(f"the values must be a list of texts, not a text: {values[:50]!r}")
    rest = iter(values)
    while batch := list(islice(rest, size)):
        yield batch
