"""Tools for a model: to search a memory, to remember, and to forget."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import psycopg
from pydantic_ai import FunctionToolset, ModelRetry

from ..connections import Source
from ..memory import Memory
from ..transactions import transaction
from ..values import Filters, Options

P = ParamSpec("P")
T = TypeVar("T")

# Errors about a value, and not about the database: the model may try again.
OF_VALUES = ("22", "23", "54")


def memory_toolset(
    source: Source,
    memory_id: str,
    *,
    store: str | None = None,
    user_id: str | None = None,
    k: int = 5,
    filters: Filters | None = None,
    options: Options | None = None,
    read_only: bool = False,
    id: str | None = None,
) -> FunctionToolset[Any]:
    """`search_memory`, `remember` and `forget` on one memory; with `read_only`, only the first.

    With `user_id` entries are written as this user's, and no others are found or forgotten. `filters` bound each search
    and `options` are those of `memory_search`. `source` is a connection, on which threads take turns, or a pool.
    """
    bounds = [*([filters] if filters else []), *([{"userId": user_id}] if user_id is not None else [])]
    searched = {"$and": bounds} if bounds else None

    @_retried
    def search_memory(query: str) -> list[dict[str, Any]]:
        """Search long-term memory for what was remembered earlier. Returns the best entries first.

        Args:
            query: What to look for, as a question or in a few words.
        """
        with transaction(source) as connection:
            answer = Memory(connection, memory_id, store=store).search(query, k=k, filters=searched, options=options)
        return [
            {
                "id": entry.entry_id,
                "text": entry.raw_entry,
                "tags": entry.tags,
                "created": entry.creation_time and entry.creation_time.isoformat(),
                "score": entry.score,
            }
            for entry in answer.entries
        ]

    @_retried
    def remember(text: str, tags: list[str] | None = None, importance: int | None = None) -> str:
        """Remember a fact for later conversations. Returns its id.

        Args:
            text: The fact, in a sentence that can be understood by itself.
            tags: A few words to group it by.
            importance: From 0 (trivial) to 100 (must never be missed).
        """
        with transaction(source) as connection:
            memory = Memory(connection, memory_id, store=store)
            return str(memory.add(text, tags=tags, importance=importance, user_id=user_id))

    @_retried
    def forget(id: str) -> str:
        """Forget what was remembered, when it is wrong or is not to be kept.

        Args:
            id: The id that search_memory gave with it.
        """
        mine = [{"ids": [id]}, *([{"userId": user_id}] if user_id is not None else [])]
        with transaction(source) as connection:
            gone = Memory(connection, memory_id, store=store).delete_where({"$and": mine}, dry_run=False)
        if not gone:
            raise ModelRetry(f"there is no memory with the id {id!r}: use one that search_memory returns")
        return "forgotten"

    return FunctionToolset([search_memory] if read_only else [search_memory, remember, forget], id=id)


def _retried(tool: Callable[P, T]) -> Callable[P, T]:
    """The tool; its errors about values go back to the model with the server's hint."""

    @wraps(tool)
    def call(*arguments: P.args, **named: P.kwargs) -> T:
        try:
            return tool(*arguments, **named)
        except psycopg.Error as error:
            if error.sqlstate is None or not error.sqlstate.startswith(OF_VALUES):
                raise
            raise ModelRetry(f"{error.diag.message_primary}. {error.diag.message_hint or ''}".strip()) from error

    return call
