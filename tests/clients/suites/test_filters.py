"""The cases by which langchain-postgres tests its metadata filters, each by a search."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from langchain_core.documents import Document
from memory_search.langchain import MemorySearchVectorStore
from sources import import_from

cases = import_from("langchain_postgres", "tests.unit_tests.fixtures.filtering_test_cases")
products = import_from("langchain_postgres", "tests.unit_tests.fixtures.metadata_filtering_data")
embeddings = import_from("langchain_postgres", "tests.unit_tests.fake_embeddings")

FILTERS = [case for kind in range(1, 7) for case in getattr(cases, f"TYPE_{kind}_FILTERING_TEST_CASES")]


@pytest.fixture(scope="module")
def collection(connection: psycopg.Connection) -> Iterator[MemorySearchVectorStore]:
    """Their documents, those of either kind in a collection of its own."""
    connection.execute("SELECT memory_create_store('filters', dimensions => 10)")
    yield MemorySearchVectorStore(connection, embeddings.FakeEmbeddings(), "people", store="filters")
    connection.execute("SELECT memory_drop_store('filters', force => true)")


@pytest.fixture(scope="module")
def people(collection: MemorySearchVectorStore) -> MemorySearchVectorStore:
    """The documents of `filtering_test_cases`."""
    collection.add_documents(cases.DOCUMENTS)
    return collection


@pytest.fixture(scope="module")
def goods(connection: psycopg.Connection, collection: MemorySearchVectorStore) -> MemorySearchVectorStore:
    """The documents of `metadata_filtering_data`."""
    goods = MemorySearchVectorStore(connection, collection.embeddings, "goods", store="filters")
    goods.add_documents([Document(page_content=one["name"], metadata=one) for one in products.METADATAS])
    return goods


@pytest.mark.parametrize(("asked", "expected"), FILTERS, ids=str)
def test_people(people: MemorySearchVectorStore, asked: dict[str, Any], expected: list[int]) -> None:
    """A search finds these documents, in this order."""
    assert [found.metadata["id"] for found in people.similarity_search("meow", k=5, filter=asked)] == expected


@pytest.mark.parametrize(("asked", "expected"), products.FILTERING_TEST_CASES, ids=str)
def test_goods(goods: MemorySearchVectorStore, asked: dict[str, Any], expected: list[str]) -> None:
    """A search finds these documents."""
    found = goods.similarity_search("meow", k=5, filter=asked)
    assert sorted(one.metadata["code"] for one in found) == sorted(expected)


@pytest.mark.parametrize("asked", products.NEGATIVE_TEST_CASES, ids=str)
def test_refused(goods: MemorySearchVectorStore, asked: dict[str, Any]) -> None:
    """A filter that means nothing is refused."""
    with pytest.raises(ValueError):
        goods.similarity_search("meow", k=5, filter=asked)
