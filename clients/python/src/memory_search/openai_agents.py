"""OpenAI Agents SDK: a session whose items are entries of a memory, exact, in their order, and found by searches.

session = MemorySearchSession(connection, "conversation-7", memory_id="ana")
result = await Runner.run(agent, "Where does she like to sit?", session=session)
Memory(connection, "ana").search("window seat")  # finds it, also from another session
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from agents import TResponseInputItem
from agents.memory import SessionSettings
from agents.memory.session_settings import coerce_session_settings, resolve_session_limit

from .arguments import NewEntry
from .awaited import beside_loop
from .connections import Source
from .exact import from_metadata, searchable, to_metadata
from .memory import Memory
from .nearest import MOST, in_batches
from .transactions import one_writer, transaction

SOURCE_TYPE = "openai-agents"
LEAST = timedelta(microseconds=1)


class MemorySearchSession:
    """The SDK's `Session`: one conversation, next to others in a memory."""

    session_id: str
    session_settings: SessionSettings | None

    def __init__(
        self,
        source: Source,
        session_id: str,
        *,
        memory_id: str | None = None,
        user_id: str | None = None,
        store: str | None = None,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        """`source` is a connection, on which threads take turns, or a pool.

        Without `memory_id` the session has a memory of its own.
        """
        self.session_id = session_id
        self.session_settings = coerce_session_settings(session_settings or SessionSettings())
        self._source = source
        self._memory_id = session_id if memory_id is None else memory_id
        self._user_id = user_id
        self._store = store
        self._filters = {"sessionId": session_id, "sourceType": SOURCE_TYPE}

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The latest items, in the order in which they were added; without a limit all of them."""
        return await beside_loop(self._get, resolve_session_limit(limit, self.session_settings))

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Adds items after all others: all or none."""
        await beside_loop(self._add, list(items))

    async def pop_item(self) -> TResponseInputItem | None:
        """Hides the latest item and returns it; None if there is none. `memory_purge` removes it permanently."""
        return await beside_loop(self._pop)

    async def clear_session(self) -> None:
        """Hides all items of this session, and nothing else of its memory."""
        await beside_loop(self._clear)

    def _get(self, limit: int | None) -> list[TResponseInputItem]:
        if limit is not None and limit < 0:
            raise ValueError(f"the limit of a session's items is 0 or more, not {limit}")
        if limit == 0:
            return []
        with transaction(self._source) as connection:
            newest_first = self._memory(connection).list(self._filters, page_size=min(limit or MOST, MOST))
            items = [from_metadata(entry.metadata) for entry in islice(newest_first, limit)]
        items.reverse()
        return items

    def _add(self, items: list[TResponseInputItem]) -> None:
        # Before anything is sent: an item that is no JSON object is a TypeError.
        entries = [self._entry_of(item) for item in items]
        with self._alone() as memory:
            newest = memory.page(self._filters, page_size=1)
            # Items are in the order of their times, even if the clocks of the machines differ.
            time = datetime.now(UTC)
            if newest and newest[0].creation_time:
                time = max(time, newest[0].creation_time + LEAST)
            for place, entry in enumerate(entries):
                entry["creation_time"] = time + place * LEAST
            for batch in in_batches(entries):
                memory.add_many(batch)

    def _pop(self) -> TResponseInputItem | None:
        with self._alone() as memory:
            for entry in memory.page(self._filters, page_size=1):
                memory.delete([entry.entry_id])
                item: TResponseInputItem = from_metadata(entry.metadata)
                return item
        return None

    def _clear(self) -> None:
        with self._alone() as memory:
            memory.delete_where(self._filters, dry_run=False)

    @contextmanager
    def _alone(self) -> Iterator[Memory]:
        with transaction(self._source) as connection:
            one_writer(connection, self._store, self._memory_id, self.session_id)
            yield self._memory(connection)

    def _memory(self, connection: Source) -> Memory:
        return Memory(connection, self._memory_id, store=self._store)

    def _entry_of(self, item: TResponseInputItem) -> NewEntry:
        if not isinstance(item, Mapping):
            raise TypeError(f"an item of a session must be a dict, not of type {type(item).__name__}")
        return NewEntry(
            raw_entry=searchable(text_of(item)),
            metadata=to_metadata(item),
            session_id=self.session_id,
            user_id=self._user_id,
            source_type=SOURCE_TYPE,
        )


def text_of(item: Mapping[str, Any]) -> str:
    """The text of an item for searches: a message's text, or the name and arguments of a tool call."""
    if item.get("type") == "function_call":
        return f"{item.get('name')} {item.get('arguments')}"
    said = item.get("content") or item.get("output") or item.get("summary") or ""
    if isinstance(said, str):
        return said
    parts = [part for part in said if isinstance(part, Mapping)] if isinstance(said, list) else []
    return "\n".join(text for part in parts for name in ("text", "refusal") if isinstance(text := part.get(name), str))
