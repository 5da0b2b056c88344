"""The classes that are awaited, beside those that wait."""

import asyncio
import inspect

import psycopg
import pytest
from memory_search import AsyncMemories, AsyncMemory, AsyncStore, Memories, Memory, Store


def test_a_memory_is_awaited(url: str, store: Store) -> None:
    async def main() -> None:
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            memory = AsyncStore(connection, "client").memory("trip")
            for number in range(3):
                await memory.upsert(str(number), "north", embedding=[0, 1, 0])
            answer = await memory.search("north", k=2, embedding=[0, 1, 0])
            assert answer.count == 2
            assert [one.entry_key async for one in memory.list(page_size=1, order_by="createdAt")] == ["0", "1", "2"]
            assert [one.memory_id async for one in AsyncStore(connection, "client").list_memories()] == ["trip"]
            await memory.upsert("0", "north", entities=["Ana"])
            assert [one.entity for one in await memory.entities()] == ["Ana"]
            assert [one.raw_entry for one in await memory.about("ana")] == ["north"]
            assert [(one.value, one.entries) for one in await memory.facets(by=["entities"])] == [("Ana", 1)]

    asyncio.run(main())


@pytest.mark.parametrize(("waiting", "awaited"), [(Memory, AsyncMemory), (Memories, AsyncMemories), (Store, AsyncStore)])
def test_both_have_the_same_methods_with_the_same_arguments(waiting: type, awaited: type) -> None:
    def methods(of: type) -> dict[str, list[str]]:
        found = inspect.getmembers(of, inspect.isfunction)
        return {name: [*inspect.signature(one).parameters] for name, one in found if not name.startswith("__")}

    assert methods(waiting) == methods(awaited)
