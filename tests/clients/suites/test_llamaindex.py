"""The promises of LlamaIndex's interface for a vector store (BasePydanticVectorStore).

Its own tests of stores are in none of its packages: these cases are ours, written from the interface's docstrings.
"""

import asyncio
from collections.abc import Iterator

import psycopg
import pytest
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)
from memory_search.llamaindex import MemorySearchVectorStore

METADATA = {
    "jazz": {"topic": "music", "rank": 1, "tags": ["a", "b"], "note": "like_this"},
    "chess": {"topic": "games", "rank": 2, "tags": ["b"]},
    "races": {"topic": "sport", "rank": 10, "tags": []},
}
VECTORS = {"jazz": [1.0, 0.0, 0.0], "chess": [0.8, 0.6, 0.0], "races": [0.0, 1.0, 0.0]}
FILTERS = [
    ("topic", FilterOperator.EQ, "music", {"jazz"}),
    ("topic", FilterOperator.NE, "music", {"chess", "races"}),
    ("rank", FilterOperator.GT, 1, {"chess", "races"}),
    ("rank", FilterOperator.GTE, 2, {"chess", "races"}),
    ("rank", FilterOperator.LT, 2, {"jazz"}),
    ("rank", FilterOperator.LTE, 2, {"jazz", "chess"}),
    ("topic", FilterOperator.IN, ["music", "sport"], {"jazz", "races"}),
    ("topic", FilterOperator.NIN, ["music", "sport"], {"chess"}),
    ("tags", FilterOperator.CONTAINS, "a", {"jazz"}),
    ("tags", FilterOperator.ANY, ["a", "b"], {"jazz", "chess"}),
    ("tags", FilterOperator.ALL, ["a", "b"], {"jazz"}),
    ("note", FilterOperator.TEXT_MATCH, "ke_t", {"jazz"}),
    ("note", FilterOperator.TEXT_MATCH, "KE_T", set()),
    ("note", FilterOperator.TEXT_MATCH_INSENSITIVE, "KE_T", {"jazz"}),
    ("note", FilterOperator.IS_EMPTY, None, {"chess", "races"}),
    ("tags", FilterOperator.IS_EMPTY, None, {"races"}),
]


@pytest.fixture
def store(connection: psycopg.Connection) -> Iterator[MemorySearchVectorStore]:
    """A collection of three nodes of two documents."""
    connection.execute("SELECT memory_create_store('llama', dimensions => 3)")
    store = MemorySearchVectorStore(connection, "nodes", store="llama")
    store.add([node(name) for name in METADATA])
    yield store
    connection.execute("SELECT memory_drop_store('llama', force => true)")


def node(name: str) -> TextNode:
    """One of the nodes."""
    document = RelatedNodeInfo(node_id="sports" if name == "races" else "leisure")
    return TextNode(
        id_=name, text=f"She likes {name}", metadata=METADATA[name], embedding=VECTORS[name],
        relationships={NodeRelationship.SOURCE: document})  # fmt: skip


def asked(mode: str = "default", **arguments: object) -> VectorStoreQuery:
    """A query beside jazz."""
    defaults = {"query_embedding": VECTORS["jazz"], "similarity_top_k": 3, "mode": VectorStoreQueryMode(mode)}
    return VectorStoreQuery(**{**defaults, **arguments})


def test_the_nearest_come_first_with_their_similarities(store: MemorySearchVectorStore) -> None:
    found = store.query(asked())
    assert found.ids == ["jazz", "chess", "races"]
    assert found.similarities == pytest.approx([1, 0.8, 0], abs=0.001)


def test_nodes_come_back_as_they_were(store: MemorySearchVectorStore) -> None:
    (found,) = store.query(asked(similarity_top_k=1)).nodes
    assert (found.text, found.metadata, found.ref_doc_id) == ("She likes jazz", METADATA["jazz"], "leisure")
    assert found.embedding == VECTORS["jazz"]


@pytest.mark.parametrize(("key", "operator", "value", "expected"), FILTERS, ids=str)
def test_filters(store: MemorySearchVectorStore, key: str, operator: FilterOperator, value: object, expected: set) -> None:
    filters = MetadataFilters(filters=[MetadataFilter(key=key, operator=operator, value=value)])
    assert set(store.query(asked(filters=filters)).ids) == expected
    assert {one.node_id for one in store.get_nodes(filters=filters)} == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [(FilterCondition.AND, set()), (FilterCondition.OR, {"jazz", "races"}), (FilterCondition.NOT, {"chess"})],
)
def test_conditions_join_filters(store: MemorySearchVectorStore, condition: FilterCondition, expected: set) -> None:
    one, other = (MetadataFilter(key="topic", value=topic) for topic in ("music", "sport"))
    inner = MetadataFilters(filters=[other])
    found = store.query(asked(filters=MetadataFilters(filters=[one, inner], condition=condition)))
    assert set(found.ids) == expected


def test_nodes_and_documents_bound_a_query(store: MemorySearchVectorStore) -> None:
    assert store.query(asked(doc_ids=["leisure"])).ids == ["jazz", "chess"]
    assert store.query(asked(node_ids=["races", "chess"])).ids == ["chess", "races"]


def test_words_are_searched_for(store: MemorySearchVectorStore) -> None:
    for mode in ("sparse", "text_search"):
        found = store.query(asked(mode, query_str="chess", query_embedding=None))
        assert found.ids == ["chess"]
        assert found.similarities[0] > 0


def test_hybrid_search_weighs_meaning_and_words(store: MemorySearchVectorStore) -> None:
    for alpha, best in ((0.0, "races"), (1.0, "jazz")):
        assert store.query(asked("hybrid", query_str="races", alpha=alpha)).ids[0] == best


def test_a_diverse_answer_is_asked_for(store: MemorySearchVectorStore) -> None:
    assert store.query(asked("mmr", similarity_top_k=2, mmr_threshold=0.0)).ids == ["jazz", "races"]
    assert store.query(asked("mmr", similarity_top_k=2, mmr_threshold=1.0)).ids == ["jazz", "chess"]


def test_a_mode_that_is_not_there_is_refused(store: MemorySearchVectorStore) -> None:
    with pytest.raises(ValueError, match="svm"):
        store.query(asked("svm"))


def test_a_node_is_added_once(store: MemorySearchVectorStore) -> None:
    store.add([node("jazz")])
    assert len(store.get_nodes()) == 3


def test_deleting_a_document_deletes_its_nodes(store: MemorySearchVectorStore) -> None:
    store.delete("leisure")
    assert [one.node_id for one in store.get_nodes()] == ["races"]


def test_deleting_nodes_and_clearing(store: MemorySearchVectorStore) -> None:
    store.delete_nodes(["jazz"])
    assert [one.node_id for one in store.get_nodes(["jazz", "chess"])] == ["chess"]
    store.delete_nodes(filters=MetadataFilters(filters=[MetadataFilter(key="rank", value=10)]))
    assert [one.node_id for one in store.get_nodes()] == ["chess"]
    store.delete_nodes([])
    store.delete_nodes()
    assert len(store.get_nodes()) == 1
    store.clear()
    assert store.get_nodes() == []


def test_what_is_awaited_does_the_same(store: MemorySearchVectorStore) -> None:
    async def main() -> list[str]:
        await store.adelete("sports")
        await store.async_add([node("races")])
        return (await store.aquery(asked())).ids

    assert asyncio.run(main()) == ["jazz", "chess", "races"]
