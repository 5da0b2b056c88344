"""LangChain's standard tests of vector stores, as langchain-tests has them."""

from collections.abc import Iterator

import psycopg
import pytest
from langchain_tests.integration_tests import VectorStoreIntegrationTests
from langchain_tests.integration_tests.vectorstores import EMBEDDING_SIZE
from memory_search.langchain import MemorySearchVectorStore


class TestStandard(VectorStoreIntegrationTests):
    """Every test, direct and async."""

    @pytest.fixture
    def vectorstore(self, connection: psycopg.Connection) -> Iterator[MemorySearchVectorStore]:
        """An empty collection."""
        connection.execute("SELECT memory_create_store('standard', dimensions => %s)", (EMBEDDING_SIZE,))
        yield MemorySearchVectorStore(connection, self.get_embeddings(), "documents", store="standard")
        connection.execute("SELECT memory_drop_store('standard', force => true)")
