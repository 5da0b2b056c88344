"""The parts of the Python client that need packages, in addition to the tests of others' suites."""

import asyncio
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pgvector
import psycopg
import pytest
from langchain_core.embeddings import Embeddings
from mem0.configs.base import MemoryConfig
from mem0.utils.factory import VectorStoreFactory
from memory_search import AsyncMemory, Memory, Store
from memory_search.langchain import MemorySearchRetriever, MemorySearchVectorStore
from memory_search.langgraph import MemorySearchStore as MemorySearchGraph
from memory_search.mem0 import MemorySearchStore, register
from pydantic import ValidationError
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool, ConnectionPool

# Connections whose rows or parameters are not psycopg's usual ones, and a model for which all texts are alike.
KINDS: dict[str, Any] = {"dict_row": {"row_factory": dict_row}, "RawCursor": {"cursor_factory": psycopg.RawCursor}}
ALIKE: Any = {"dims": 3, "embed": lambda texts: [[0, 1, 0] for _ in texts]}


@pytest.fixture
def memory(connection: psycopg.Connection) -> Iterator[Memory]:
    """An empty memory."""
    store = Store(connection, "extras")
    store.create(dimensions=3)
    yield store.memory("trip")
    store.drop(force=True)


@pytest.fixture
def graph(connection: psycopg.Connection) -> Iterator[MemorySearchGraph]:
    """LangGraph's store, with a model for which all texts are alike."""
    store = MemorySearchGraph(connection, store="graph", index=ALIKE)
    store.setup()
    yield store
    Store(connection, "graph").drop(force=True)


def at_once(call: Callable[[int], object]) -> None:
    """Calls it 50 times in each of 8 threads; an error of a thread is an error here."""

    def repeat(thread: int) -> None:
        for number in range(50):
            call(50 * thread + number)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(repeat, range(8)))


def test_an_item_that_the_typescript_client_wrote_is_read(
    connection: psycopg.Connection, graph: MemorySearchGraph
) -> None:
    # The same item as in the test of the TypeScript client.
    metadata = {"key": "k", "value": {"n": 1}, "part": 0, "created": "2026-01-01T00:00:00.000Z"}
    memory = Store(connection, "graph").memory("users.ana")
    memory.add("text", entry_key="k", metadata=metadata, embedding=[0, 1, 0])
    item = graph.get(("users", "ana"), "k")
    assert (item.value, item.created_at.isoformat()) == ({"n": 1}, "2026-01-01T00:00:00+00:00")
    assert [found.key for found in graph.search(("users",), query="x")] == ["k"]
    graph.put(("*",), "star", {"n": 1})
    assert [found.key for found in graph.search(("*",))] == ["star"]
    graph.put(("users", "ana"), "k", {"n": 2})
    (entry,) = memory.list()
    assert entry.metadata == metadata | {"value": {"n": 2}}


def test_langgraph_passes_over_entries_that_are_no_items(
    connection: psycopg.Connection, graph: MemorySearchGraph
) -> None:
    graph.put(("users",), "k", {"n": 1}, index=False)
    graph.put(("users",), "l", {"n": 1})
    memory = Store(connection, "graph").memory("users")
    memory.add("no item", entry_key="note", embedding=[0, 1, 0])
    memory.add("no item", entry_key="part", metadata={"part": 0, "key": "x"}, embedding=[0, 1, 0])
    memory.add("no item", entry_key="odd", metadata={"key": 1, "value": [], "created": 2}, embedding=[0, 1, 0])
    for query, keys in ((None, ["l", "k"]), ("x", ["l"])):
        assert [found.key for found in graph.search(("users",), query=query, refresh_ttl=True)] == keys
    memory.delete_where({"entryKey": "odd"}, dry_run=False)
    # They take no place in a page.
    assert [found.key for found in graph.search(("users",), limit=1)] == ["l"]
    assert [found.key for found in graph.search(("users",), query="x", limit=1)] == ["l"]
    assert graph.get(("users",), "note") is None
    # A put under its key makes it an item.
    graph.put(("users",), "note", {"n": 2})
    assert graph.get(("users",), "note").value == {"n": 2}
    assert memory.count() == 4


def test_langgraph_changes_no_entries_that_are_no_items(
    connection: psycopg.Connection, graph: MemorySearchGraph
) -> None:
    memory = Store(connection, "graph").memory("users")
    metadata = {"key": "k", "ttl": 5, "part": 7}
    own = memory.add("no item", entry_key="own", metadata=metadata, embedding=[0, 1, 0])
    graph.put(("users",), "k", {"n": 1}, ttl=5)
    assert graph.get(("users",), "k", refresh_ttl=True).value == {"n": 1}
    assert [found.key for found in graph.search(("users",), refresh_ttl=True)] == ["k"]
    (kept,) = memory.get([own])
    assert kept.expires_at is None
    graph.delete(("users",), "k")
    assert graph.get(("users",), "k") is None
    assert [entry.entry_key for entry in memory.page()] == ["own"]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_langgraph_works_on_connections_of_all_kinds(kind: dict[str, Any]) -> None:
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True, **kind) as own:
        graph = MemorySearchGraph(own, store="graph", index=ALIKE)
        graph.setup()
        try:
            graph.put(("users",), "k", {"n": 1}, ttl=5)
            assert graph.get(("users",), "k").value == {"n": 1}
            assert [found.key for found in graph.search(("users",), query="x", filter={"n": 1})] == ["k"]
            assert graph.list_namespaces() == [("users",)]
            assert graph.sweep_ttl() == 0
        finally:
            Store(own, "graph").drop(force=True)


def test_stores_of_langgraph_on_one_connection_are_used_by_threads(
    connection: psycopg.Connection, graph: MemorySearchGraph
) -> None:
    other = MemorySearchGraph(connection, store="graph", index=ALIKE)
    at_once(lambda number: (graph, other)[number % 2].put(("users",), f"{number}", {"n": number}))
    with psycopg.connect(os.environ["DATABASE_URL"]) as own:
        assert Store(own, "graph").memory("users").count() == 400


def test_a_pool_lends_a_connection_for_each_call(memory: Memory) -> None:
    url = os.environ["DATABASE_URL"]

    async def main() -> None:
        async with AsyncConnectionPool(url, min_size=1, open=False) as pool:
            memory = AsyncMemory(pool, "trip", store="extras")
            await asyncio.gather(*(memory.add(f"entry {n}", embedding=[n, 1, 0]) for n in range(5)))
            assert await memory.count() == 5

    asyncio.run(main())
    with ConnectionPool(url, min_size=1) as pool:
        assert Memory(pool, "trip", store="extras").count() == 5


def test_pgvectors_own_types_are_embeddings(memory: Memory) -> None:
    memory.add("north", embedding=pgvector.Vector([0, 1, 0]))
    assert memory.entries("", embedding=pgvector.HalfVector([0, 1, 0]))[0].semantic == pytest.approx(1)


class Directions(Embeddings):
    """Knows the embeddings of a few words."""

    KNOWN = {"north": [0.0, 1.0, 0.0], "nearly north": [0.1, 1.0, 0.0], "east": [1.0, 0.2, 0.0]}

    def embed_query(self, text: str) -> list[float]:
        return self.KNOWN[text]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.KNOWN[text] for text in texts]


def test_langchains_retriever_finds_what_a_search_finds(memory: Memory) -> None:
    memory.upsert("n", "north", embedding=Directions.KNOWN["north"], metadata={"page": 2})
    memory.upsert("e", "east", embedding=Directions.KNOWN["east"])
    retriever = MemorySearchRetriever(memory=memory, k=1, embedding=Directions(), filters={"metadata": {"page": 2}})
    (document,) = retriever.invoke("north")
    assert (document.id, document.page_content, document.metadata["page"]) == ("n", "north", 2)
    assert document.metadata["memory_search"]["memory_id"] == "trip"


def test_langchains_diverse_search_leaves_out_what_is_alike(connection: psycopg.Connection, memory: Memory) -> None:
    store = MemorySearchVectorStore(connection, Directions(), "directions", store="extras")
    store.add_texts(list(Directions.KNOWN))
    diverse = store.max_marginal_relevance_search("north", k=2, lambda_mult=0.1)
    assert [one.page_content for one in diverse] == ["north", "east"]
    alike = store.max_marginal_relevance_search("north", k=2, lambda_mult=1)
    assert [one.page_content for one in alike] == ["north", "nearly north"]


def test_mem0_makes_the_store_by_its_provider(connection: psycopg.Connection) -> None:
    register()
    config = {"conninfo": os.environ["DATABASE_URL"], "collection_name": "c", "embedding_model_dims": 3, "store": "m"}
    chosen = MemoryConfig(vector_store={"provider": "memory_search", "config": config}).vector_store
    store = VectorStoreFactory.create(chosen.provider, chosen.config)
    try:
        store.insert([[1.0, 0.0, 0.0]], [{"data": "x"}], ["1"])
        assert isinstance(store, MemorySearchStore)
        assert store.get("1").payload == {"data": "x"}
    finally:
        connection.execute("SELECT memory_drop_store('m', force => true)")
    with pytest.raises(ValidationError, match="conninf"):
        MemoryConfig(vector_store={"provider": "memory_search", "config": {"conninf": ""}})


def test_threads_share_a_store_of_mem0(connection: psycopg.Connection) -> None:
    url = os.environ["DATABASE_URL"]
    store = MemorySearchStore(url, "c", 3, store="m")
    try:
        store.insert([[1.0, 0.0, 0.0]], [{"data": "old"}], ["changed"])

        def write(number: int) -> None:
            store.insert([[1.0, 0.0, 0.0]], [{"data": "x"}], [f"{number}"])
            store.update("changed", payload={"data": f"{number}"})
            assert store.get(f"{number}").payload == {"data": "x"}

        at_once(write)
        with psycopg.connect(url) as own:
            memory = Store(own, "m").memory("c")
            assert memory.count() == 401
            (entry,) = memory.page({"entryKey": "changed"})
            assert entry.raw_entry == entry.metadata["data"] != "old"
    finally:
        # A transaction that it has left open would stop the next statement.
        store._connection.close()
        connection.execute("SELECT memory_drop_store('m', force => true)")
