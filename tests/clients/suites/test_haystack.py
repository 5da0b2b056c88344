"""Haystack's own tests of document stores, and cases of ours for the retrievers."""

import asyncio
from collections.abc import Iterator
from datetime import datetime
from itertools import count

import psycopg
import pytest
from haystack import Document, Pipeline
from haystack.dataclasses import ByteStream, SparseEmbedding
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.errors import FilterError
from haystack.testing import document_store as theirs
from haystack.testing import document_store_async as theirs_async
from memory_search import Store
from memory_search.haystack import (
    MemorySearchDocumentStore,
    MemorySearchEmbeddingRetriever,
    MemorySearchHybridRetriever,
    MemorySearchKeywordRetriever,
)


def without_digits(document: Document) -> dict:
    """A document without its embedding, of which the store keeps half the digits."""
    return {**document.to_dict(flatten=False), "embedding": None}


def assert_alike(received: list[Document], expected: list[Document]) -> None:
    """Asserts that the documents and their order are the same, with embeddings as near as half precision is."""
    assert [without_digits(one) for one in received] == [without_digits(one) for one in expected]
    for one, other in zip(received, expected, strict=True):
        assert (one.embedding or []) == pytest.approx(other.embedding or [], abs=0.001)


@pytest.fixture(scope="module")
def collections(connection: psycopg.Connection) -> Iterator[Iterator[str]]:
    """Names, of which each test takes one of its own, in a store of memory_search."""
    Store(connection, "haystack").create(dimensions=768)
    yield (f"collection {number}" for number in count())
    Store(connection, "haystack").drop(force=True)


class OnOurs:
    """The fixture and the comparison that Haystack's tests require."""

    @pytest.fixture
    def document_store(self, collections: Iterator[str]) -> Iterator[MemorySearchDocumentStore]:
        """An empty one."""
        store = MemorySearchDocumentStore(collection=next(collections), store="haystack")
        yield store
        store.close()

    @staticmethod
    def assert_documents_are_equal(received: list[Document], expected: list[Document]) -> None:
        """Compares embeddings as nearly as half precision allows."""
        assert_alike(received, expected)


class TestStore(OnOurs, theirs.DocumentStoreBaseExtendedTests, theirs.CountDocumentsByFilterTest):
    """Every test of the protocol, and those of what most stores have besides."""

    def test_write_documents(self, document_store: MemorySearchDocumentStore) -> None:
        """Their test leaves the behaviour without a policy to each store: this one refuses an existing id."""
        document = Document(content="test doc")
        assert document_store.write_documents([document]) == 1
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents([document])


class TestStoreAsync(
    OnOurs,
    theirs_async.CountDocumentsAsyncTest,
    theirs_async.CountDocumentsByFilterAsyncTest,
    theirs_async.DeleteAllAsyncTest,
    theirs_async.DeleteByFilterAsyncTest,
    theirs_async.DeleteDocumentsAsyncTest,
    theirs_async.FilterDocumentsAsyncTest,
    theirs_async.UpdateByFilterAsyncTest,
    theirs_async.WriteDocumentsAsyncTest,
):
    """Calls the asynchronous method."""

    async def test_write_documents_async(self, document_store: MemorySearchDocumentStore) -> None:
        """The asynchronous variant of the test above."""
        document = Document(content="test doc")
        assert await document_store.write_documents_async([document]) == 1
        with pytest.raises(DuplicateDocumentError):
            await document_store.write_documents_async([document])


# --- Cases of ours --------------------------------------------------------------------------------

NORTH, EAST = [0.0, 1.0], [1.0, 0.0]
PLACES = [
    Document(id="n", content="The north pole is cold", embedding=NORTH, meta={"page": 1, "list": ["a", "b"]}),
    Document(id="e", content="The east has spices", embedding=EAST, meta={"page": 2, "in": {"depth": 1}}),
    Document(id="ne", content="Between them lie cold spices", embedding=[0.8, 0.6], meta={"page": 3}),
]


@pytest.fixture(scope="module")
def flat(connection: psycopg.Connection) -> Iterator[Iterator[str]]:
    """A store of two dimensions."""
    Store(connection, "flat").create(dimensions=2)
    yield (f"places {number}" for number in count())
    Store(connection, "flat").drop(force=True)


@pytest.fixture
def places(flat: Iterator[str]) -> Iterator[MemorySearchDocumentStore]:
    """A collection of three documents."""
    store = MemorySearchDocumentStore(collection=next(flat), store="flat")
    store.write_documents(PLACES)
    yield store
    store.close()


def ids(documents: list[Document]) -> list[str]:
    """Their ids."""
    return [one.id for one in documents]


def test_the_nearest_come_first_with_their_similarities(places: MemorySearchDocumentStore) -> None:
    found = MemorySearchEmbeddingRetriever(places).run(NORTH)["documents"]
    assert ids(found) == ["n", "ne", "e"]
    assert [one.score for one in found] == pytest.approx([1, 0.6, 0], abs=0.001)
    assert (found[0].content, found[0].meta) == (PLACES[0].content, PLACES[0].meta)


def test_words_are_searched_for(places: MemorySearchDocumentStore) -> None:
    found = MemorySearchKeywordRetriever(places).run("pole")["documents"]
    assert ids(found) == ["n"]
    assert found[0].score > 0


def test_hybrid_search_weighs_meaning_and_words(places: MemorySearchDocumentStore) -> None:
    for weights, best in (({"semantic": 1, "keyword": 0}, "n"), ({"semantic": 0, "keyword": 1}, "e")):
        retriever = MemorySearchHybridRetriever(places, options={"weights": weights})
        assert ids(retriever.run("east", NORTH)["documents"])[0] == best


def test_filters_at_run_time_replace_or_join_those_of_the_retriever(places: MemorySearchDocumentStore) -> None:
    page = {"field": "meta.page", "operator": ">", "value": 1}
    last = {"field": "meta.page", "operator": "<", "value": 3}
    # For one field Haystack's merging keeps only the filter of the run; for two fields both filters hold.
    deep = {"field": "meta.in.depth", "operator": "==", "value": 1}
    assert ids(MemorySearchEmbeddingRetriever(places, filters=page).run(NORTH)["documents"]) == ["ne", "e"]
    assert ids(MemorySearchEmbeddingRetriever(places, filters=page).run(NORTH, last)["documents"]) == ["n", "e"]
    merging = MemorySearchEmbeddingRetriever(places, filters=page, filter_policy="merge")
    assert ids(merging.run(NORTH, deep)["documents"]) == ["e"]
    assert ids(merging.run(NORTH, top_k=1)["documents"]) == ["ne"]


@pytest.mark.parametrize(
    ("field", "operator", "value", "expected"),
    [
        ("id", "==", "n", ["n"]),
        ("id", "!=", "n", ["e", "ne"]),
        ("id", "in", ["n", "e", "x"], ["n", "e"]),
        ("id", "in", [], []),
        ("id", "not in", ["n"], ["e", "ne"]),
        ("content", "==", "The north pole is cold", ["n"]),
        ("content", "==", "The%", []),
        ("content", "!=", "The north pole is cold", ["e", "ne"]),
        ("meta.in.depth", ">=", 1, ["e"]),
        ("page", "==", 1, ["n"]),
        ("meta.page", "in", [], []),
        ("meta.page", "not in", [], ["n", "e", "ne"]),
        ("meta.list", "==", "a", ["n"]),
    ],
)
def test_a_field_is_compared(
    places: MemorySearchDocumentStore, field: str, operator: str, value: object, expected: list[str]
) -> None:
    asked = {"field": field, "operator": operator, "value": value}
    assert ids(places.filter_documents(asked)) == expected
    assert ids(places.filter_documents({"operator": "NOT", "conditions": [asked]})) == [
        one.id for one in PLACES if one.id not in expected
    ]


@pytest.mark.parametrize(
    "asked",
    [
        {"field": "meta.page", "operator": "~", "value": 1},
        {"field": "meta.page", "operator": "==", "value": [1]},
        {"field": "id", "operator": ">", "value": 1},
        {"field": "content", "operator": "in", "value": ["a"]},
        {"field": "content", "operator": "==", "value": 5},
        {"operator": "XOR", "conditions": [{"field": "id", "operator": "==", "value": "n"}]},
        {"operator": "AND", "conditions": []},
        {"operator": "AND", "conditions": [{}]},
        {"field": "meta.$exists", "operator": "==", "value": 1},
        {"field": "meta.", "operator": "==", "value": 1},
        "page == 1",
    ],
    ids=str,
)
def test_a_filter_that_means_nothing_is_refused(places: MemorySearchDocumentStore, asked: object) -> None:
    with pytest.raises(FilterError):
        places.filter_documents(asked)
    with pytest.raises(FilterError):
        places.delete_by_filter(asked)
    assert places.count_documents() == 3


def test_documents_come_back_with_all_that_they_have(places: MemorySearchDocumentStore) -> None:
    bare = Document(id="blob", blob=ByteStream(b"\x00\xff", meta={"a": 1}, mime_type="x/y"))
    sparse = Document(id="sparse", content="", sparse_embedding=SparseEmbedding(indices=[1, 5], values=[0.5, 2.0]))
    places.write_documents([bare, sparse])
    assert places.filter_documents({"field": "id", "operator": "in", "value": ["blob", "sparse"]}) == [bare, sparse]


def test_all_documents_are_written_or_none(places: MemorySearchDocumentStore) -> None:
    new, there = Document(id="new", content="x"), Document(id="n", content="y")
    with pytest.raises(DuplicateDocumentError):
        places.write_documents([new, there], DuplicatePolicy.FAIL)
    with pytest.raises(DuplicateDocumentError):
        places.write_documents([new, new])
    with pytest.raises(psycopg.DataError):
        places.write_documents([new, Document(id="z", content="z", embedding=[1.0, 2.0, 3.0])])
    assert places.count_documents() == 3
    assert places.write_documents([new, there], DuplicatePolicy.SKIP) == 1
    assert places.write_documents([there, there], DuplicatePolicy.OVERWRITE) == 2
    assert ids(places.filter_documents()) == ["e", "ne", "new", "n"]


def test_what_would_be_taken_for_something_else_is_refused(places: MemorySearchDocumentStore) -> None:
    for meta in ({"at": datetime(2026, 5, 1)}, {"set": {1, 2}}):
        with pytest.raises(ValueError, match="no JSON"):
            places.write_documents([Document(content="x", meta=meta)])
        with pytest.raises(ValueError, match="no JSON"):
            places.update_by_filter({}, meta)
    with pytest.raises(ValueError, match="DuplicatePolicy"):
        places.write_documents([Document(content="x")], policy="skip")
    with pytest.raises(TypeError, match="'ne'"):
        places.delete_documents("ne")
    assert [one.meta for one in places.filter_documents()] == [one.meta for one in PLACES]


def test_a_key_that_the_store_needs_is_refused(places: MemorySearchDocumentStore) -> None:
    with pytest.raises(ValueError, match="haystack"):
        places.write_documents([Document(content="x", meta={"haystack": 1})])


def test_a_pipeline_is_written_down_and_read(places: MemorySearchDocumentStore) -> None:
    pipeline = Pipeline()
    pipeline.add_component("words", MemorySearchKeywordRetriever(places, top_k=2))
    pipeline.add_component("both", MemorySearchHybridRetriever(places, options={"strategy": "semantic"}))
    text = pipeline.dumps()
    assert "DATABASE_URL" in text
    assert "postgresql" not in text
    # Haystack makes objects of its own modules, and of those that are named.
    modules = ["memory_search.haystack.retrievers", "memory_search.haystack.store"]
    read = Pipeline.loads(text, allowed_modules=modules)
    answers = read.run({"words": {"query": "spices"}, "both": {"query": "", "query_embedding": EAST, "top_k": 1}})
    assert set(ids(answers["words"]["documents"])) == {"e", "ne"}
    assert ids(answers["both"]["documents"]) == ["e"]


def test_retrievers_are_awaited(places: MemorySearchDocumentStore) -> None:
    found = asyncio.run(MemorySearchEmbeddingRetriever(places, top_k=1).run_async(EAST))
    assert ids(found["documents"]) == ["e"]


def test_what_is_no_store_or_no_number_is_refused(places: MemorySearchDocumentStore) -> None:
    with pytest.raises(TypeError, match="MemorySearchDocumentStore"):
        MemorySearchEmbeddingRetriever(object())
    with pytest.raises(ValueError, match="top_k"):
        MemorySearchEmbeddingRetriever(places, top_k=0)
    with pytest.raises(ValueError, match="top_k"):
        MemorySearchEmbeddingRetriever(places).run(EAST, top_k=-1)
