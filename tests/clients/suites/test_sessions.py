"""Cases like the OpenAI Agents SDK's tests of SQLiteSession about its own tables and locks, for our session."""

import asyncio
import os
import threading
from collections.abc import Iterator

import psycopg
import pytest
from agents import SessionSettings
from agents.memory import Session
from memory_search import Memory
from memory_search.openai_agents import MemorySearchSession, text_of
from psycopg_pool import ConnectionPool

STORE = "agents"
ITEMS = [
    {"role": "user", "content": "A seat by the window, please \U0001f600"},
    {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "she likes windows"}]},
    {"type": "function_call", "call_id": "c", "name": "book", "arguments": '{"seat": "window", "at": 1e23}'},
    {"type": "function_call_output", "call_id": "c", "output": "seat 7, \x00 and half a pair \ud800"},
    {"role": "assistant", "content": [{"type": "output_text", "text": "Seat 7.", "annotations": [], "logprobs": []}]},
    {"type": "of tomorrow", "deep": [{"float": 1e23, "small": 1.5e-7, "none": None, "nan": [], "long": 2**70}]},
]


@pytest.fixture
def session(connected: psycopg.Connection) -> Iterator[MemorySearchSession]:
    """An empty session of a memory."""
    yield MemorySearchSession(connected, "s1", memory_id="ana", user_id="ana", store=STORE)
    Memory(connected, "ana", store=STORE).delete_all()


async def test_items_come_back_as_they_were(session: MemorySearchSession) -> None:
    assert isinstance(session, Session)
    await session.add_items(ITEMS)
    found = await session.get_items()
    assert found == ITEMS
    assert [type(value) for value in found[5]["deep"][0].values()] == [float, float, type(None), list, int]
    assert await session.get_items(2) == ITEMS[-2:]
    assert await session.get_items(0) == []
    assert await session.pop_item() == ITEMS[-1]
    assert await session.get_items() == ITEMS[:-1]


async def test_what_was_said_is_found_in_whatever_session(
    connected: psycopg.Connection, session: MemorySearchSession
) -> None:
    await session.add_items(ITEMS)
    other = MemorySearchSession(connected, "s2", memory_id="ana", store=STORE)
    await other.add_items([{"role": "user", "content": "The aisle is fine"}])
    memory = Memory(connected, "ana", store=STORE)
    assert memory.entries("window seat", k=1)[0].raw_entry == text_of(ITEMS[0])
    assert memory.entries("aisle", k=1)[0].raw_entry == "The aisle is fine"
    assert memory.count({"userId": "ana", "sessionId": "s1"}) == len(ITEMS)
    assert memory.count({"metadata": {"document": {"role": "user"}}}) == 2


async def test_other_entries_of_the_memory_are_no_items(
    connected: psycopg.Connection, session: MemorySearchSession
) -> None:
    memory = Memory(connected, "ana", store=STORE)
    memory.add("a fact", session_id="s1")
    await session.add_items(ITEMS[:1])
    assert await session.get_items() == ITEMS[:1]
    await session.clear_session()
    assert await session.get_items() == []
    assert await session.pop_item() is None
    assert [entry.raw_entry for entry in memory.list()] == ["a fact"]


async def test_items_of_the_same_instant_and_of_a_clock_that_went_back_keep_their_order(
    connected: psycopg.Connection, session: MemorySearchSession
) -> None:
    await session.add_items([{"role": "user", "content": "first"}])
    memory = Memory(connected, "ana", store=STORE)
    (entry,) = memory.list()
    memory.update(entry.entry_id, creation_time="2100-01-01T00:00:00Z")
    many = [{"role": "user", "content": str(number)} for number in range(2500)]
    await session.add_items(many)
    assert [item["content"] for item in await session.get_items()] == ["first", *map(str, range(2500))]
    assert [item["content"] for item in await session.get_items(1500)] == [str(number) for number in range(1000, 2500)]


@pytest.mark.parametrize("pooled", [False, True])
async def test_what_is_added_at_once_is_not_mixed(
    connected: psycopg.Connection, session: MemorySearchSession, pooled: bool
) -> None:
    with ConnectionPool(os.environ["DATABASE_URL"], min_size=4, max_size=4) as pool:
        source = pool if pooled else connected
        sessions = [MemorySearchSession(source, "s1", memory_id="ana", store=STORE) for _ in range(12)]
        pairs = [[{"role": "user", "content": f"{n}"}, {"role": "assistant", "content": f"{n}"}] for n in range(12)]
        await asyncio.gather(*(one.add_items(pair) for one, pair in zip(sessions, pairs, strict=True)))
        said = [item["content"] for item in await session.get_items()]
        assert said[::2] == said[1::2]
        assert set(said) == {str(n) for n in range(12)}
        popped = await asyncio.gather(*(one.pop_item() for one in sessions))
        assert sorted(item["content"] for item in popped) == sorted(said[12:])


async def test_all_items_are_added_or_none(session: MemorySearchSession) -> None:
    with pytest.raises(TypeError):
        await session.add_items([*ITEMS, {"role": "user", "content": {1, 2}}])
    with pytest.raises(psycopg.Error, match="1024|1,024"):
        await MemorySearchSession(session._source, "x" * 2000, memory_id="ana", store=STORE).add_items(ITEMS)
    for items in (["hello"], {"role": "user", "content": "hello"}):
        with pytest.raises(TypeError, match="dict"):
            await session.add_items(items)
    assert await session.get_items() == []
    await session.add_items([])
    assert await session.get_items() == []


@pytest.mark.parametrize("asked", ["add", "pop", "clear"])
async def test_who_is_cancelled_learns_it_when_the_call_has_ended(
    connected: psycopg.Connection, session: MemorySearchSession, asked: str
) -> None:
    await session.add_items(ITEMS[:2])
    calls = {"add": lambda: session.add_items(ITEMS[2:3]), "pop": session.pop_item, "clear": session.clear_session}
    with psycopg.connect(os.environ["DATABASE_URL"]) as blocker:
        blocker.execute("LOCK TABLE agents.entries")
        task = asyncio.ensure_future(calls[asked]())
        await asyncio.sleep(0.2)
        for _ in range(2):
            task.cancel()
            await asyncio.sleep(0.1)
        assert not task.done()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(await session.get_items()) == {"add": 3, "pop": 1, "clear": 0}[asked]


async def test_an_error_within_the_callers_transaction_leaves_it_usable(session: MemorySearchSession) -> None:
    with psycopg.connect(os.environ["DATABASE_URL"]) as own:
        own.execute("BEGIN")
        within = MemorySearchSession(own, "s1", memory_id="ana", store=STORE)
        await within.add_items(ITEMS[:1])
        with pytest.raises(psycopg.Error):
            await MemorySearchSession(own, "", memory_id="ana", store=STORE).add_items(ITEMS)
        await within.add_items(ITEMS[1:2])
        assert await session.get_items() == []
        own.commit()
    assert await session.get_items() == ITEMS[:2]


async def test_limits_are_those_of_the_sdk(connected: psycopg.Connection, session: MemorySearchSession) -> None:
    await session.add_items(ITEMS)
    for settings in (SessionSettings(limit=2), {"limit": 2}):
        limited = MemorySearchSession(connected, "s1", memory_id="ana", store=STORE, session_settings=settings)
        assert await limited.get_items() == ITEMS[-2:]
        assert await limited.get_items(3) == ITEMS[-3:]
    with pytest.raises(ValueError, match="-1"):
        await session.get_items(-1)


def test_a_session_is_used_from_several_loops(session: MemorySearchSession) -> None:
    threads = [threading.Thread(target=lambda: asyncio.run(session.add_items(ITEMS[:1]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert asyncio.run(session.get_items()) == ITEMS[:1] * 4
