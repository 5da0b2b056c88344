"""The promises of ADK's interface for a memory service (BaseMemoryService).

Its own tests are in none of its packages: these cases are ours, written from the interface's docstrings.
SUITE_STORE=memory runs them on its InMemoryMemoryService, for comparison.
"""

import asyncio
import os
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from google.adk.events.event import Event
from google.adk.memory import InMemoryMemoryService
from google.adk.memory.base_memory_service import BaseMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai.types import Blob, Content, FunctionCall, Part
from memory_search import Memory, Store
from memory_search.google_adk import MemorySearchService

STORE = "adk"
THEIRS = os.environ.get("SUITE_STORE") == "memory"
# Tests of behaviour that only our service has: -m "not ours" leaves them out.
only_ours = pytest.mark.ours
APP = "trips"


@pytest.fixture
def service(connected: psycopg.Connection) -> Iterator[BaseMemoryService]:
    """An empty service."""
    yield InMemoryMemoryService() if THEIRS else MemorySearchService(connected, store=STORE)
    Memory(connected, APP, store=STORE).delete_all()
    Store(connected, STORE).purge(before="infinity")


def said(text: str, key: str, author: str = "user") -> Event:
    """An event in which somebody says something."""
    return Event(id=key, author=author, content=Content(parts=[Part(text=text)]), timestamp=1_700_000_000.25)


def session(*events: Event, user: str = "ana", id: str = "s1") -> Session:
    """A session of these events."""
    return Session(id=id, app_name=APP, user_id=user, events=list(events))


def add(service: BaseMemoryService, *events: Event, **of: str) -> None:
    """Adds a session."""
    asyncio.run(service.add_session_to_memory(session(*events, **of)))


def found(service: BaseMemoryService, query: str, user: str = "ana", app: str = APP) -> list[MemoryEntry]:
    """The memories that a search gives."""
    return asyncio.run(service.search_memory(app_name=app, user_id=user, query=query)).memories


def texts(memories: list[MemoryEntry]) -> list[str]:
    """The texts of memories."""
    return [part.text for memory in memories for part in memory.content.parts]


SEAT, PLAN = said("She wants a window seat", "e1"), said("We plan a week in Lisbon", "e2", "agent")


def test_what_was_said_is_found(service: BaseMemoryService) -> None:
    add(service, SEAT, PLAN)
    memory, *_ = found(service, "window")
    assert texts([memory]) == ["She wants a window seat"]
    assert memory.author == "user"
    assert memory.timestamp.startswith("2023-11-14T22:13:20.25")


def test_a_content_comes_back_as_it_was(service: BaseMemoryService) -> None:
    parts = [Part(text="window"), Part(inline_data=Blob(data=b"\0\xff", mime_type="x/y")), Part(text="seat \U0001f600")]
    add(service, Event(id="e", author="user", content=Content(role="user", parts=parts)))
    (memory,) = found(service, "window")
    assert memory.content == Content(role="user", parts=parts)


def test_users_find_only_what_was_said_with_them(service: BaseMemoryService) -> None:
    add(service, SEAT)
    add(service, said("Ben wants a window", "e1"), user="ben")
    assert texts(found(service, "window", "ben")) == ["Ben wants a window"]
    assert found(service, "window", "") == []
    assert found(service, "window", app="another") == []


def test_a_session_that_is_added_again_is_there_once(service: BaseMemoryService) -> None:
    add(service, SEAT)
    add(service, SEAT, said("No window after all", "e3"))
    assert sorted(texts(found(service, "window"))) == ["No window after all", "She wants a window seat"]


def test_sessions_may_have_events_of_one_id(service: BaseMemoryService) -> None:
    add(service, SEAT)
    add(service, said("Another window", "e1"), id="s2")
    assert len(found(service, "window")) == 2


def test_events_are_added_to_a_session(service: BaseMemoryService) -> None:
    async def main() -> None:
        for events in ([SEAT], [SEAT, said("A door by the window", "e3")]):
            await service.add_events_to_memory(app_name=APP, user_id="ana", events=events, session_id="s1")
        await service.add_events_to_memory(app_name=APP, user_id="ana", events=[said("A window of none", "e1")])

    asyncio.run(main())
    assert len(found(service, "window")) == 3


def test_what_says_nothing_is_no_memory(service: BaseMemoryService) -> None:
    call = Event(id="c", author="agent", content=Content(parts=[Part(function_call=FunctionCall(name="window"))]))
    add(service, call, Event(id="n", author="agent"))
    assert found(service, "window") == []


def test_a_deleted_memory_stays_away(service: BaseMemoryService) -> None:
    add(service, SEAT, PLAN)

    async def delete(user: str, key: str) -> None:
        await service.delete_memory(app_name=APP, user_id=user, memory_id=key)

    memory, *_ = found(service, "window")
    asyncio.run(delete("ben", memory.id))
    assert "She wants a window seat" in texts(found(service, "window"))
    asyncio.run(delete("ana", memory.id))
    asyncio.run(delete("ana", "no such id"))
    add(service, SEAT, PLAN)
    assert "She wants a window seat" not in texts(found(service, "window"))
    assert texts(found(service, "Lisbon")) == ["We plan a week in Lisbon"]


def test_no_more_than_ten_are_found(service: BaseMemoryService) -> None:
    add(service, *(said(f"window number {n}", f"n{n}") for n in range(1200)))
    assert len(found(service, "window")) == 10


@only_ours
def test_memories_are_added_as_they_are(service: BaseMemoryService) -> None:
    async def put(text: str, **about: Any) -> None:
        memory = MemoryEntry(content=Content(parts=[Part(text=text)]), **about)
        await service.add_memory(
            app_name=APP, user_id="ana", memories=[memory], custom_metadata={"source": "survey", "ttl": "30 days"}
        )

    asyncio.run(put("She likes a window", id="m", author="form", timestamp="2024-05-01T12:00:00+02:00"))
    asyncio.run(put("She likes no window", id="m", timestamp="2024-05-01T12:00:00+02:00"))
    (memory,) = found(service, "window")
    assert (texts([memory]), memory.author) == (["She likes no window"], None)
    assert memory.custom_metadata == {"source": "survey", "ttl": "30 days"}
    assert memory.timestamp == "2024-05-01T10:00:00+00:00"


@only_ours
def test_how_many_are_found_and_how_may_be_said(connected: psycopg.Connection, service: BaseMemoryService) -> None:
    add(service, SEAT, said("A window", "e3"))
    assert len(found(MemorySearchService(connected, store=STORE, k=1), "window")) == 1
    by_words = MemorySearchService(connected, store=STORE, options={"strategy": "keyword", "fallback": False})
    assert texts(found(by_words, "seat")) == ["She wants a window seat"]
    assert found(by_words, "zeppelin") == []


@only_ours
def test_what_an_application_wrote_is_found_too(connected: psycopg.Connection, service: BaseMemoryService) -> None:
    metadata = {"document": "guide", "author": 5}
    Memory(connected, APP, store=STORE).add("A window in Porto", user_id="ana", metadata=metadata)
    (memory,) = found(service, "Porto")
    assert (texts([memory]), memory.custom_metadata, memory.author) == (["A window in Porto"], metadata, None)


async def add_for_nobody(service: BaseMemoryService) -> None:
    """Adds an event of no user."""
    await service.add_events_to_memory(app_name=APP, user_id=None, events=[SEAT])


@only_ours
def test_all_events_are_stored_or_none(service: BaseMemoryService) -> None:
    with pytest.raises(psycopg.Error, match="userId"):
        add(service, SEAT, user="")
    for asked in (lambda: found(service, "window", None), lambda: asyncio.run(add_for_nobody(service))):
        with pytest.raises(TypeError, match="user_id"):
            asked()
    with pytest.raises(ValueError, match="memory_id"):
        asyncio.run(service.delete_memory(app_name=APP, user_id="ana"))
