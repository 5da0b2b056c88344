"""Google ADK: a memory service. An application is a memory, in which each user finds only their own conversations.

service = MemorySearchService(connection)
runner = Runner(agent=agent, app_name="trips", session_service=..., memory_service=service)
await service.add_session_to_memory(session)
await service.search_memory(app_name="trips", user_id="ana", query="where does she sit?")
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai.types import Content, Part

from .answers import AnswerEntry
from .arguments import NewEntry
from .awaited import beside_loop
from .connections import Source
from .exact import from_metadata, searchable, to_metadata
from .memory import Memory
from .nearest import in_batches
from .transactions import one_writer, transaction
from .values import Options

SOURCE_TYPE = "google-adk"
DELETED_TOO = {"includeDeleted": True, "includeExpired": True}


class MemorySearchService(BaseMemoryService):
    """The service that ADK's tools `load_memory` and `preload_memory` search."""

    def __init__(
        self, source: Source, *, store: str | None = None, k: int = 10, options: Options | None = None
    ) -> None:
        """`source` is a connection, on which threads take turns, or a pool.

        A search finds `k` memories; `options` are those of `memory_search`.
        """
        self._source = source
        self._store = store
        self._k = k
        self._options = options

    async def add_session_to_memory(self, session: Session) -> None:
        """Stores the events of a session. A second call changes existing ones, and adds new ones."""
        events = list(session.events)
        await beside_loop(self._add_events, session.app_name, session.user_id, events, session.id, None)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Stores some events of a session; `ttl` in `custom_metadata` says how long they are found."""
        await beside_loop(self._add_events, app_name, user_id, list(events), session_id, custom_metadata)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Stores memories unchanged; a memory whose id exists is changed."""
        entries = [
            entry_of(
                user_id,
                None,
                memory.content,
                author=memory.author,
                key=memory.id,
                time=memory.timestamp and datetime.fromisoformat(memory.timestamp),
                custom_metadata={**memory.custom_metadata, **(custom_metadata or {})},
            )
            for memory in memories
        ]
        await beside_loop(self._add, app_name, user_id, entries)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """The memories of a user that answer best, the best first."""
        return await beside_loop(self._search, app_name, user_id, query)

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Hides a found memory; until `memory_purge`, adding its session again does not restore it."""
        if not memory_id:
            raise ValueError("delete_memory needs a memory_id that search_memory returned")
        await beside_loop(self._delete, app_name, user_id, memory_id)

    def _add_events(
        self,
        app_name: str,
        user_id: str,
        events: list[Event],
        session_id: str | None,
        custom_metadata: Mapping[str, object] | None,
    ) -> None:
        entries = [
            entry_of(
                user_id,
                session_id,
                event.content,
                author=event.author,
                key=event.id,
                time=datetime.fromtimestamp(event.timestamp, UTC),
                custom_metadata=custom_metadata or {},
            )
            for event in events
            if event.content and text_of(event.content)
        ]
        self._add(app_name, user_id, entries)

    def _add(self, app_name: str, user_id: str, entries: list[NewEntry]) -> None:
        of_user(user_id)
        # If an event occurs twice, the last one counts.
        keyed = {entry.get("entry_key") or id(entry): entry for entry in entries}
        with transaction(self._source) as connection:
            one_writer(connection, self._store, app_name, user_id)
            memory = Memory(connection, app_name, store=self._store)
            for batch in in_batches(keyed.values()):
                keys = [key for entry in batch if (key := entry.get("entry_key"))]
                known = memory.page({"entryKey": keys}, page_size=len(keys), options=DELETED_TOO) if keys else []
                deleted = {entry.entry_key for entry in known if entry.deletion_scheduled_time}
                memory.add_many(entry for entry in batch if entry.get("entry_key") not in deleted)

    def _search(self, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        with transaction(self._source) as connection:
            memory = Memory(connection, app_name, store=self._store)
            answer = memory.search(query, k=self._k, filters=of_user(user_id), options=self._options)
        return SearchMemoryResponse(memories=[memory_of(entry) for entry in answer.entries])

    def _delete(self, app_name: str, user_id: str, memory_id: str) -> None:
        with transaction(self._source) as connection:
            memory = Memory(connection, app_name, store=self._store)
            memory.delete_where({"ids": [memory_id], **of_user(user_id)}, dry_run=False)


def entry_of(
    user_id: str,
    session_id: str | None,
    content: Content,
    *,
    author: str | None,
    key: str | None,
    time: datetime | str | None,
    custom_metadata: Mapping[str, Any],
) -> NewEntry:
    """The entry for an event or a memory."""
    about = {"author": author, "custom_metadata": dict(custom_metadata)}
    return NewEntry(
        raw_entry=searchable(text_of(content)),
        # Events of two sessions may have the same id.
        entry_key=json.dumps([user_id, session_id, key]) if key else None,
        metadata={**about, **to_metadata(content.model_dump(mode="json", exclude_none=True))},
        user_id=user_id,
        session_id=session_id,
        creation_time=time,
        source_type=SOURCE_TYPE,
        ttl=custom_metadata.get("ttl"),
    )


def memory_of(entry: AnswerEntry) -> MemoryEntry:
    """The memory from which an entry was made, or the text of another program's entry with its metadata."""
    metadata = entry.metadata or {}
    time = entry.creation_time.isoformat() if entry.creation_time else None
    if entry.source_type != SOURCE_TYPE:
        content = Content(parts=[Part(text=entry.raw_entry)])
        return MemoryEntry(id=entry.entry_id, content=content, timestamp=time, custom_metadata=metadata)
    return MemoryEntry(
        id=entry.entry_id,
        # Converted through JSON, in which bytes are base64.
        content=Content.model_validate_json(json.dumps(from_metadata(metadata))),
        author=metadata["author"],
        timestamp=time,
        custom_metadata=metadata["custom_metadata"],
    )


def of_user(user_id: str) -> dict[str, Any]:
    """The filter for a user: without one, it would be everybody."""
    if not isinstance(user_id, str):
        raise TypeError(f"user_id must be a text, not of type {type(user_id).__name__}")
    return {"userId": {"$eq": user_id}}


def text_of(content: Content) -> str:
    """The text in a content's parts."""
    return "\n".join(part.text for part in content.parts or [] if part.text)
